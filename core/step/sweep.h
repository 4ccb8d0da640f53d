// SPDX-License-Identifier: GPL-3.0-or-later
// The flattened order of one replica's pipeline: walked by the deterministic step and the reference simulator.
#pragma once

#include "core/step/stepgraph.h"

#include <cstdint>
#include <vector>

namespace prism {

/// One chunk execution in an order that respects every dependency; or, of a piece, what is waited for before it or sent after it.
struct SweepNode {
    std::int32_t stage = 0;
    std::int32_t slot = 0; ///< (stage * rows + row) * kPhases + phase: which program (passes.h); -1 = takes no time
    std::uint32_t microbatch = 0;
    std::int32_t input = -1;  ///< arrival slot that must be filled before the start; -1 = none
    std::int32_t output = -1; ///< arrival slot that its end fills; -1 = none
    std::int32_t send = -1;   ///< index into `sends` of the transfer to that slot; -1 = takes no time
};

/// A transfer between two stages along the path.
struct SweepSend {
    StepOp op;
    int from = 0, to = 0; ///< stages
};

/// The pipeline of one replica, flattened once per graph. Immutable; any thread.
struct Sweep {
    int numStages = 1, numSlots = kPhases;
    std::size_t numArrivals = 0;
    bool transferOccupiesSender = false;
    int firstStage = 0, lastStage = 0; ///< stages of the first and the last chunk of the path: embedding and head
    std::vector<SweepNode> nodes;
    std::vector<SweepSend> sends; ///< forward hops, then backward hops; absent ones included
};
[[nodiscard]] Sweep sweepOf(const StepGraph& graph);

} // namespace prism
