// SPDX-License-Identifier: GPL-3.0-or-later
// The graph behind predictions: every worker runs one program, and barriers without a record are inferred.
#pragma once

#include "core/trace/overlappedslots.h"
#include "core/trace/pairing.h"
#include "core/trace/replay.h"

namespace prism {

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
/// publishedgraph.h. Where transfers are not recorded a computation also waits for the one that feeds it. Nothing where operations wait for
/// each other in a circle.
[[nodiscard]] std::optional<BlockingGraph> blockingGraph(const TraceStep& step, const TraceJob& job, const StepLinks& links,
                                                         const HiddenBarriers& barriers, const OverlappedSlots& overlapped);

/// Start of each operation after the latest end of its dependencies (without any: after the step's begin), seconds; [nodes], 0 for the
/// barriers' members. Values <= -kClockError are clock errors and count as 0.
[[nodiscard]] std::vector<double> launchGaps(const TraceStep& step, const BlockingGraph& graph);

/// Durations of the graph's nodes: the operations' own (pairing.h), then 0 for the barriers' members.
[[nodiscard]] std::vector<double> nodeSeconds(const TraceStep& step, const StepLinks& links, const BlockingGraph& graph);

} // namespace prism
