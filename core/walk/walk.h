// SPDX-License-Identifier: GPL-3.0-or-later
// One sampled step at the level of chunks, in double precision, with what every duration is made of.
//
// The two simulators give distributions; this walk explains single draws: what ran when, which predecessor was last, and how
// much of a duration is mean, speed of the GPU, regime and so on. Chunk durations are drawn from the same factors: sums of
// many invocations as normal quantities, the maximum over ranks by Clark's moments, up to eight invocations of a collective
// one by one where they spread widely. Of D replicas those are walked that may be the last, by the end that their speeds and data
// let expect.
#pragma once

#include "core/step/stepgraph.h"
#include "core/walk/walkedstep.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace prism {

class WalkModel;

/// Immutable after construction; walk() and the decompositions may be called from any thread.
class StepWalker final {
public:
    /// `graph` must be checked. In each draw replicas are walked by falling expected end until the chance that one of the others was the
    /// last is at most `allowedMiss`; 0 walks all of them.
    StepWalker(std::shared_ptr<const StepGraph> graph, std::uint64_t seed, double allowedMiss = 0.01);
    ~StepWalker();

    [[nodiscard]] const std::vector<WalkNode>& nodes() const;
    /// The draw `sample` of a fresh job; about 0.2 us per node and walked replica.
    [[nodiscard]] WalkedStep walk(int sample) const;
    /// The same step with the times of another replica, which waits for the one that the critical path runs through: of that path only
    /// what all replicas do together is left. `replica` from 0 to the graph's replicas - 1.
    [[nodiscard]] WalkedStep withReplica(WalkedStep step, int replica) const;
    /// What one chunk execution of a walked step consists of; sums to its duration.
    [[nodiscard]] Parts nodeParts(const WalkedStep& step, int node) const;
    /// The transfer into a node.
    [[nodiscard]] Parts transferParts(const WalkedStep& step, int node) const;
    /// The transfer that keeps the sender after this node (transferOccupiesSender).
    [[nodiscard]] Parts outgoingParts(const WalkedStep& step, int node) const;
    [[nodiscard]] Parts stageOpParts(const WalkedStep& step, int stage, StageOp op) const;

private:
    std::unique_ptr<const WalkModel> m_model;
    double m_allowedMiss;
};

} // namespace prism
