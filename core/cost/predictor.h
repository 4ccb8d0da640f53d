// Scenario -> StepGraph with means, memory and FLOPs: the analytic way, as one documented pure function.
#pragma once

#include "core/scenario/scenario.h"
#include "core/step/stepgraph.h"

#include <map>

namespace prism {

/// Memory of one pipeline stage in GiB (2^30 bytes), per GPU.
struct StageMemory {
    int stage = 0;
    double weightsGib = 0, gradientsGib = 0, optimizerGib = 0, activationsGib = 0, buffersGib = 0, totalGib = 0;
};

/// CUDA context, NCCL channels and library workspaces, outside of what the framework reserves.
inline constexpr double kContextGib = 2.0;

struct MemoryReport {
    std::vector<StageMemory> stages;
    double peakGib = 0, capacityGib = 0;
    bool fits = false;
};

struct World {
    std::int64_t gpus = 0, nodes = 0, tp = 1, pp = 1, vpp = 1, cp = 1, ep = 1, dp = 1, numMicrobatches = 1;
};

/// Time per step by purpose, noise-free, along the slowest rank: sums to the noise-free step time.
struct Breakdown {
    double computeSeconds = 0, tensorParallelSeconds = 0, contextParallelSeconds = 0, expertParallelSeconds = 0, pipelineSeconds = 0,
           bubbleSeconds = 0, dataParallelSeconds = 0, optimizerSeconds = 0, otherSeconds = 0;
};

/// What the analytic way knows about a scenario before any sampling.
struct CostedStep {
    StepGraph graph;
    MemoryReport memory;
    World world;
    Breakdown breakdown;
    double modelFlopsPerStep = 0;    ///< model FLOPs (no recomputation; the whole square of attention; output layer), whole job
    double causalFlopsPerStep = 0;   ///< the same with the half of causal attention that its mask leaves
    double hardwareFlopsPerStep = 0; ///< with recomputation
    double tokensPerStep = 0;
    double parameters = 0;                      ///< model parameters
    double peakTflopsPerGpu = 0;                ///< of the matrix precision
    double errorBandLow = 0, errorBandHigh = 0; ///< relative error band of the mean (90 % of published rows), e.g. -0.08, 0.07
    bool withinCalibration = true;              ///< false: some input lies outside of what was validated; warnings say which
    Diagnostics warnings;
};

/// Pure function; any thread. Errors: what check(scenario) finds.
[[nodiscard]] Result<CostedStep> costStep(const Scenario& scenario);

/// Where a physical node stands: positions of its GPUs in the graph (replica, stage, rank in cell), by the scenario's rank order.
struct RankPosition {
    int replica = 0, stage = 0, rankInCell = 0;
};
/// position of each global rank; size = gpus.
[[nodiscard]] std::vector<RankPosition> rankLayout(const Scenario& scenario);

} // namespace prism
