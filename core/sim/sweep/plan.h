// SPDX-License-Identifier: GPL-3.0-or-later
// The schedule as the sweep runs it: nodes in an order that respects every dependency, messages in slots that are reused.
#pragma once

#include "core/base/memo.h"
#include "core/sim/lanes/lanewords.h"
#include "core/step/sweep.h"

#include <vector>

namespace prism {

/// One chunk execution, and the transfer that follows it; or, of a piece, what is waited for before it or sent after it. Its arrival slots
/// are those of the plan.
struct PlanNode : SweepNode {
    LaneKey key; ///< of the draw of the pass
};

/// Everything that the sweep needs of a StepGraph besides durations. Immutable; any thread.
struct Plan {
    std::vector<PlanNode> nodes;
    int numSlots = 0;
    /// Chunk executions and transfers of one replica: the node-samples of one sweep.
    [[nodiscard]] std::size_t nodeCount() const;
};

/// Of what a plan is made from: the schedule, and which transfers and programs of pieces there are.
[[nodiscard]] ContentHash planHash(const StepGraph& graph);
/// Precondition: check(graph) found no error. Linear in the number of chunk executions but for a sort.
[[nodiscard]] Plan makePlan(const StepGraph& graph);

} // namespace prism
