// SPDX-License-Identifier: GPL-3.0-or-later
// Search of an assignment of nodes to positions, independent of scenarios: positions, speeds, and the time of a replica.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

namespace prism {

/// The problem. A cell is slowed by its slowest GPU and its slowest node's links; a replica takes replicaSeconds(slowness, link factors of
/// its stages); the step waits for the slowest replica.
struct AssignmentProblem {
    int replicas = 1, stages = 1;
    int gpusPerNode = 1;
    std::vector<int> cellOfGpu;   ///< [position * gpusPerNode + gpu] -> replica * stages + stage
    std::vector<double> slowness; ///< [node * gpusPerNode + gpu]: time factor, 1 = reference, > 1 slower
    std::vector<double> link;     ///< [node]: time factor of its links, >= 1; empty = all 1
    std::function<double(const double* slownessOfStages, const double* linkOfStages)> replicaSeconds; ///< pure
    /// Seconds of the step from the replicas' seconds without their own noise; pure. Without it `noiseSeconds` counts.
    std::function<double(const std::vector<double>& replicaSeconds)> stepSeconds;
    double noiseSeconds = 0; ///< scale of a replica's own noise: near-ties of the slowest replicas add time
    [[nodiscard]] int positions() const { return static_cast<int>(cellOfGpu.size()) / gpusPerNode; }
};

/// stepSeconds of the order's replicas. Without that function noise * ln(sum over replicas of exp(T / noise)): the expected maximum when
/// replicas have Gumbel noise of this scale, up to a constant; the maximum itself without noise. Seconds.
[[nodiscard]] double assignmentObjective(const AssignmentProblem& problem, const std::vector<int>& nodeAt);

struct AssignmentSearch {
    std::vector<int> nodeAt; ///< [position] -> node
    double objectiveSeconds = 0;
    int evaluations = 0; ///< replicas evaluated
    bool exhaustive = false;
};

/// The best (or worst) order found within a budget of replica evaluations: slow nodes gathered in as few replicas as possible and on
/// the least critical stages, then pairwise swaps until none improves. Deterministic.
[[nodiscard]] AssignmentSearch searchAssignment(const AssignmentProblem& problem, bool worst, std::uint64_t seed, int budget,
                                                std::stop_token stop = {});
/// Orders that gather the slow nodes: in as few replicas as possible, and on the least critical stage.
[[nodiscard]] std::vector<std::vector<int>> gatheredOrders(const AssignmentProblem& problem);
/// Every order; only for up to 8 positions.
[[nodiscard]] AssignmentSearch exhaustiveAssignment(const AssignmentProblem& problem, bool worst);

} // namespace prism
