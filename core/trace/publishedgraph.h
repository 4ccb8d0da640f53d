// SPDX-License-Identifier: GPL-3.0-or-later
// The graph behind the published slowdowns S (StragglerAnalysis, arXiv 2505.05713).
#pragma once

#include "core/trace/pairing.h"
#include "core/trace/replay.h"

namespace prism {

/// Nodes are the step's operations. Computations of a worker form one chain; sends and receives of each direction four more that block no
/// computation: a send follows its computation, a receive the computation before its own in that direction (the first forward one waits for
/// nothing, the first backward ones for the second forward before the first backward). A chunk's all-gather precedes its first forward and
/// the reductions. After the last computation: gc, layer-norm, embedding, reduce-scatter, clip, optimizer; where a separate reduction is
/// recorded, the reduce-scatters overlap and follow the last backward of their chunk. Trailing sends are not waited for. Nothing where
/// operations wait for each other in a circle.
[[nodiscard]] std::optional<ReplayGraph> publishedGraph(const TraceStep& step, const TraceJob& job, const StepLinks& links);

} // namespace prism
