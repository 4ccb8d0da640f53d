// SPDX-License-Identifier: GPL-3.0-or-later
// One run of a fleet: jobs arrive, wait, run on GPUs and leave, under one policy.
#pragma once

#include <string>
#include <vector>

namespace prism {

/// In which order jobs start, and on which nodes. No policy lets a job overtake one that its order puts before it.
enum class FleetPolicy {
    fifo,         ///< by submission; nodes by number
    shortestMean, ///< by expected duration
    shortestP95,  ///< by the duration that is kept 95 times in 100
    placement,    ///< by submission; jobs of several nodes take the fastest nodes, smaller ones the slowest
    p95Placement  ///< shortestP95 with that placement
};
inline constexpr int kFleetPolicies = 5;
[[nodiscard]] std::string policyName(FleetPolicy policy);

/// One job as a run has it. Seconds.
struct FleetTask {
    double submit = 0;
    double mean = 0, p95 = 0; ///< expected, and kept 95 times in 100
    double actual = 0;        ///< on nodes with factor 1, in this run
    int gpus = 1;
};

/// Times of every task, and how much of the GPUs' time until the last end was used.
struct FleetRun {
    std::vector<double> start, end;
    double utilisation = 0;
};

/// Runs tasks (ascending by submission, none larger than the cluster) on nodes with factors `nodeTimes` on durations: a task takes its
/// actual time by the slowest of its nodes, as synchronous training does. A task of up to a node takes the fullest node that it fits on; a
/// larger one whole nodes, its rest as a small one. Pure, O(tasks x (nodes + log tasks)).
[[nodiscard]] FleetRun dispatched(const std::vector<FleetTask>& tasks, const std::vector<double>& nodeTimes, int gpusPerNode,
                                  FleetPolicy policy);

} // namespace prism
