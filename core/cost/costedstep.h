// SPDX-License-Identifier: GPL-3.0-or-later
// The analytic results for a scenario, before any sampling: graph, memory, world, breakdown, FLOPs.
#pragma once

#include "core/base/result.h"
#include "core/step/breakdown.h"
#include "core/step/stepgraph.h"

#include <cstdint>
#include <vector>

namespace prism {

/// Memory of one pipeline stage in GiB (2^30 bytes), per GPU.
struct StageMemory {
    int stage = 0;
    double weightsGib = 0, gradientsGib = 0, optimizerGib = 0, activationsGib = 0, buffersGib = 0, totalGib = 0;
};

struct MemoryReport {
    std::vector<StageMemory> stages;
    double peakGib = 0, capacityGib = 0;
    bool fits = false;
    double outsideGib = 0; ///< of the peak: context and buffers of NCCL, outside of what the framework reserves
};

struct World {
    std::int64_t gpus = 0, nodes = 0, tp = 1, pp = 1, vpp = 1, cp = 1, ep = 1, dp = 1, numMicrobatches = 1;
};

/// The analytic results for a scenario, before any sampling.
struct CostedStep {
    StepGraph graph;
    MemoryReport memory;
    World world;
    double noiseFreeSeconds = 0; ///< of the step; the breakdown sums to it
    Breakdown breakdown;
    std::vector<Breakdown> stages;   ///< the same step on each stage of the critical path's replica
    double modelFlopsPerStep = 0;    ///< model FLOPs (no recomputation; the whole square of attention; output layer), whole job
    double causalFlopsPerStep = 0;   ///< the same with the half of causal attention that its mask leaves
    double hardwareFlopsPerStep = 0; ///< with recomputation
    double tokensPerStep = 0;
    double parameters = 0;                      ///< model parameters
    double peakTflopsPerGpu = 0;                ///< of the matrix precision
    double errorBandLow = 0, errorBandHigh = 0; ///< relative error band of the mean, nine of ten: -0.08, 0.07 (bandSource)
    bool withinCalibration = true;              ///< false: some input lies outside of what was validated; warnings name it
    bool levelMeasured = false;                 ///< the band is that of a measurement of this job (measuredlevel.h)
    Diagnostics warnings;
};

/// What the error band rests on: "90 % of the published runs", "a measurement of this job".
[[nodiscard]] std::string bandSource(const CostedStep& costed);

} // namespace prism
