// SPDX-License-Identifier: GPL-3.0-or-later
// Step-time samples of a StepGraph: the fast and the reference simulator behind one signature.
#pragma once

#include "core/base/memo.h"
#include "core/stats/sharederror.h"
#include "core/step/stepgraph.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace prism {

struct SimOptions {
    std::uint64_t seed = 1;
    int numSamples = 2'000;   ///< steps across jobs; each is the step of a fresh job (spatial factors redrawn)
    int numWithinSamples = 0; ///< steps of the jobs around the median one; 0 = numSamples / 4, < 0 = none
    int numThreads = 0;       ///< 0 = all cores; results do not depend on it
    Memo* memo = nullptr;     ///< keeps tables between calls; results do not depend on it
    std::stop_token stop;     ///< checked every few milliseconds; a stopped run returns what is complete
};

/// Sampled step times. Index i of `across` is the same random job on every related scenario (common random numbers).
struct StepSamples {
    std::vector<double> acrossSeconds; ///< numSamples, in draw order, not sorted
    std::vector<double> withinSeconds; ///< steps of the nine jobs around the median one, in turn
    double noiseFreeSeconds = 0.0;     ///< every factor at its mean 1, no rare events, slow spots as marked
    SharedError acrossShared, withinShared;
    Diagnostics warnings;                ///< errors of the reference: too many kernel draws
    std::uint64_t nodeSamples = 0;       ///< schedule nodes x samples evaluated: a cost that does not depend on the machine
    bool complete = true;                ///< false when stopped
    int totalNodes = 0;                  ///< nodes of the evaluation graph that the run requested
    std::vector<std::string> recomputed; ///< names of those that it had to compute, in order
};

/// Number of kernel draws from which the tables of passes are made, for this number of steps.
[[nodiscard]] double kernelDraws(int steps);

/// The reference simulator: every rank, every kernel, written to be obviously right; slow, double precision.
[[nodiscard]] StepSamples simulateReference(const StepGraph& graph, const SimOptions& options);

/// The fast simulator: every replica drawn, the likely slowest swept with all noise. Agrees with the reference on random graphs.
[[nodiscard]] StepSamples simulate(const StepGraph& graph, const SimOptions& options);

} // namespace prism
