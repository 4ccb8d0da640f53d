// SPDX-License-Identifier: GPL-3.0-or-later
// Pairs the operations of a step: each computation's send and receive, send with receive, and the collectives' groups.
#pragma once

#include "core/trace/tracejob.h"

namespace prism {

/// Links of one step; indices of operations, -1 = none.
struct StepLinks {
    std::vector<int> sendOf, recvOf;      ///< of a computation; [operations]
    std::vector<int> computeOf;           ///< of a send or receive; [operations]
    std::vector<std::vector<int>> groups; ///< send/recv pairs and collectives, two members or more
    std::vector<int> groupOf;             ///< [operations]
    std::vector<int> feederOf;            ///< of a computation: the one whose output it needs; [operations]
    int unmatched = 0;                    ///< sends and receives without a partner, and those of no computation
};

/// Computations are matched to transfers by their order in the worker. Interleaved schedules may record a transfer for every computation,
/// also where no other stage takes part: where there are as many as computations all are matched; where there are as many as computations
/// with a partner, those are. A send pairs with the receive of the same micro-batch in the chunk that follows along the path (backward:
/// that comes before). Groups: parameter all-gather and gradient reductions over the replicas of a stage (and chunk), embedding over the
/// workers of a replica that have it, gradient clip over all workers. O(n log n).
[[nodiscard]] StepLinks stepLinks(const TraceStep& step, const TraceJob& job);

/// Begin of each worker's operations in a step; [workers + 1].
[[nodiscard]] std::vector<int> workerBegins(const TraceStep& step, const TraceJob& job);

/// A difference of clocks from which on a negative time counts as 0, seconds (arXiv 2505.05713 uses the same).
inline constexpr double kClockError = 0.010;

/// Duration of a node by itself, seconds: a group's member from the latest start among them to its own end (slightly negative where
/// clocks differ; 0 beyond kClockError); else as recorded.
[[nodiscard]] std::vector<double> transferSeconds(const TraceStep& step, const StepLinks& links);

} // namespace prism
