// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a measured job with another number of replicas, fewer or more than it ran with.
#pragma once

#include "core/trace/repairs.h"

#include <cstdint>
#include <string>
#include <vector>

namespace prism {

struct OtherReplicasOptions {
    std::vector<int> replicas = {1, 2, 4, 8}; ///< 1 to 4,096 each
    bool excludeStartup = false;              ///< leave start-up steps (startup.h) out
    std::uint64_t seed = 1;
    int samples = 2000; ///< steps to draw for each, 100 to 1,000,000
};

/// Seconds, for one number of replicas.
struct OtherReplicas {
    int replicas = 0;
    StepTimes step;
    double meanHalfWidth = 0; ///< 95 %, of the sampling alone
    double phaseP50 = 0;      ///< end of a replica's computations
};

struct ReplicaScaling {
    int measuredReplicas = 0;
    StepTimes measured;               ///< as recorded
    std::vector<OtherReplicas> drawn; ///< in the order requested
    std::vector<std::string> assumptions;
    Diagnostics notes;
};

/// Draws steps (stepmodel.h) for each number. Errors: numbers out of range, no step to learn from. Same job, options and version: the same
/// bits. Any thread; about 50 ns per operation and step.
[[nodiscard]] Result<ReplicaScaling> replicaScaling(const TraceJob& whole, const OtherReplicasOptions& options);

} // namespace prism
