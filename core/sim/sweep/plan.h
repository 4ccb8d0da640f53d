// SPDX-License-Identifier: GPL-3.0-or-later
// The schedule as flat arrays: nodes in an order that respects every dependency, messages in slots that are reused.
#pragma once

#include "core/base/memo.h"
#include "core/sim/lanes/lanewords.h"
#include "core/step/stepgraph.h"

#include <cstdint>
#include <vector>

namespace prism {

/// One chunk execution, and the transfer that follows it; or, of a piece, what is waited for before it or sent after it.
struct PlanNode {
    std::int32_t stage = 0;
    std::int32_t microbatch = 0;
    std::int32_t place = 0;     ///< stage * numChunks + chunk
    std::int32_t cell = 0;      ///< (stage * numRows + row) * kPhases + phase: row of the duration tables (passes.h); -1 = takes no time
    std::int32_t waitSlot = -1; ///< message that must have arrived; -1 = none
    std::int32_t sendSlot = -1; ///< message that is written; -1 = none
    std::int32_t transfer = -1; ///< hop of the message, forward hops first; -1 = it arrives when the chunk ends
    LaneKey key;                ///< of the draw of the pass
};

/// Everything that the sweep needs of a StepGraph besides durations. Immutable; any thread.
struct Plan {
    int numStages = 1, numRows = 1, numMicrobatches = 1, numSlots = 0;
    std::vector<PlanNode> nodes;
    ContentHash hash; ///< of what it was made from
    [[nodiscard]] std::size_t cells() const { return static_cast<std::size_t>(numStages) * static_cast<std::size_t>(numRows) * kPhases; }
    /// Chunk executions and transfers of one replica: the node-samples of one sweep.
    [[nodiscard]] std::size_t nodeCount() const;
};

/// Precondition: check(graph) found no error. Linear in the number of chunk executions.
[[nodiscard]] Plan makePlan(const StepGraph& graph);
/// The same as a node ("plan") of the evaluation graph: it depends on the schedule and on which transfers there are.
[[nodiscard]] std::shared_ptr<const Plan> planOf(const StepGraph& graph, Recall& recall);

/// Transfers by hop: forward hops, then backward ones.
[[nodiscard]] std::vector<StepOp> transfersOf(const StepGraph& graph);

} // namespace prism
