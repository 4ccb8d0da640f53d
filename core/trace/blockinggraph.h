// SPDX-License-Identifier: GPL-3.0-or-later
// The graph behind predictions: every worker runs one program, and barriers without a record are inferred.
#pragma once

#include "core/trace/pairing.h"
#include "core/trace/replay.h"
#include "core/trace/tracejob.h"

#include <set>
#include <tuple>

namespace prism {

/// Stage, type, and the number of operations of that type and worker before it.
using OverlappedSlots = std::set<std::tuple<int, TraceOp, int>>;

/// Error of a trace's timestamps, seconds: the longest overlap of two successive computations of one worker, which cannot overlap. An
/// overlap above 5 % of the shorter computation is not a clock error and is not used.
[[nodiscard]] double clockGrain(const TraceJob& job);

/// Transfers, data-parallel collectives and garbage collections that overlap with computations in most steps and replicas: by more than
/// 5 % of their duration, 0.1 ms and two clock grains (start and end may each be off by one). One decision per slot gives all steps the
/// same graph. O(n) in the operations, for overlaps that span few of them.
[[nodiscard]] OverlappedSlots overlappedSlots(const TraceJob& job);

/// Sets of workers (replica * stages + stage) that wait for each other between the last operation of the pipeline and the first of the
/// tail, one set after the other, though no operation of the trace shows it (a loss reduction, a log line).
using HiddenBarriers = std::vector<std::vector<int>>;

struct BlockingGraph {
    ReplayGraph graph;                      ///< the step's operations, then the barriers' members
    std::vector<std::vector<int>> barriers; ///< nodes of each barrier, in the order of the sets
    std::vector<int> firstOfTail;           ///< node of each worker that waits for the barriers, -1 = none; [workers]
};

/// Operations of a worker follow each other as recorded: sends and receives that start together form one batch, and the next batch starts
/// when all operations of the one before have ended; a send blocks. Overlapped transfers and data-parallel collectives depend as in
/// publishedGraph. Where transfers are not recorded a computation also waits for the one that feeds it. Nothing where operations wait for
/// each other in a circle.
[[nodiscard]] std::optional<BlockingGraph> blockingGraph(const TraceStep& step, const TraceJob& job, const StepLinks& links,
                                                         const HiddenBarriers& barriers, const OverlappedSlots& overlapped);

/// Start of each operation after the latest end of its dependencies (without any: after the step's begin), seconds; [nodes], 0 for the
/// barriers' members. Values <= -kClockError are clock errors and count as 0.
[[nodiscard]] std::vector<double> launchGaps(const TraceStep& step, const BlockingGraph& graph);

/// Durations of the graph's nodes: the operations' own (pairing.h), then 0 for the barriers' members.
[[nodiscard]] std::vector<double> nodeSeconds(const TraceStep& step, const StepLinks& links, const BlockingGraph& graph);

/// Nodes are the step's operations. Computations of a worker form one chain; sends and receives of each direction four more that block no
/// computation: a send follows its computation, a receive the computation before its own in that direction (the first forward one waits for
/// nothing, the first backward ones for the second forward before the first backward). A chunk's all-gather precedes its first forward and
/// the reductions. After the last computation: gc, layer-norm, embedding, reduce-scatter, clip, optimizer; where a separate reduction is
/// recorded, the reduce-scatters overlap and follow the last backward of their chunk. Trailing sends are not waited for. Nothing where
/// operations wait for each other in a circle.
[[nodiscard]] std::optional<ReplayGraph> publishedGraph(const TraceStep& step, const TraceJob& job, const StepLinks& links);

} // namespace prism
