// SPDX-License-Identifier: GPL-3.0-or-later
// The flattened order of one replica's pipeline: walked by the deterministic step and the reference simulator.
#pragma once

#include "core/step/stepgraph.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace prism {

/// One chunk execution in an order that respects every dependency; or, of a piece, what is waited for before it or sent after it.
struct SweepNode {
    std::int32_t stage = 0;
    std::int32_t slot = 0; ///< (stage * rows + row) * kPhases + phase: which program (passes.h); -1 = takes no time
    std::uint32_t microbatch = 0;
    std::uint16_t chunk = 0;
    Phase phase = Phase::forward;
    bool paired = false;      ///< in one piece with a pass of the other direction
    std::int32_t input = -1;  ///< arrival slot that must be filled before the start; -1 = none
    std::int32_t output = -1; ///< arrival slot that its end fills; -1 = none
    std::int32_t send = -1;   ///< index into `sends` of the transfer to that slot; -1 = takes no time
};

/// A transfer between two stages along the path.
struct SweepSend {
    StepOp op;
    int from = 0, to = 0; ///< stages
};

/// Exposed seconds of a communication at the product of its factors (regime, link, draw).
[[nodiscard]] inline double exposedSeconds(const StepOp& op, double factor)
{
    return std::max(op.minExposedSeconds * factor, op.meanSeconds * factor - op.hiddenSeconds);
}

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
/// Its sends alone.
[[nodiscard]] std::vector<SweepSend> sendsOf(const StepGraph& graph);

} // namespace prism
