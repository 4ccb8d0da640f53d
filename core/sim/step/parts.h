// SPDX-License-Identifier: GPL-3.0-or-later
// Sampled replicas of a series of steps, kept by content: a change elsewhere leaves them as they are.
#pragma once

#include "core/sim/draw/draws.h"
#include "core/sim/step/lucks.h"
#include "core/sim/step/replicas.h"

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

namespace prism {

/// Steps of one run: across jobs or within one. Regimes are drawn for whole blocks.
struct Series {
    const Prepared& prepared;
    std::uint64_t seed = 1;
    Run run = Run::across;
    RegimeSeries regimes;
    std::size_t steps = 0;
    std::size_t sideBySide = 1; ///< see besideOneAnother()
    bool onGrid = false;        ///< see StillEnds: chosen regimes, not drawn ones
    [[nodiscard]] std::size_t blocks() const { return (steps + kLanes - 1) / kLanes; }
    [[nodiscard]] std::size_t stages() const { return static_cast<std::size_t>(prepared.plan->numStages); }
    [[nodiscard]] Rows regimeRows(std::size_t block) const;
};
[[nodiscard]] Series makeSeries(const Prepared& prepared, std::uint64_t seed, std::uint64_t regimeSeed, Run run, int steps);

/// The series, of no more than kLanes / replicas steps, with so many replicas in the lanes of a block: its regimes repeat. `replicas`
/// divides kLanes. Where replicas are more costly than steps are many.
[[nodiscard]] Series besideOneAnother(Series series, std::size_t replicas);

/// Where a replica's lucks come from (lucks.h).
enum class LuckSource { fresh, tilted, fixed, members };

/// One replica of every step.
struct ReplicaDraw {
    int kind = 0;
    std::uint64_t copy = 0;
    LuckSource source = LuckSource::fresh;
    std::vector<float> scores; ///< fixed: per stage; of Series::sideBySide replicas one after another, or of one
};

/// Replicas whose latest ends and slowest optimizers are wanted for a range of blocks.
struct PartRequest {
    const char* name = "replica samples"; ///< of the node
    std::vector<ReplicaDraw> replicas;
    bool noise = true;
    const MemberScores* members = nullptr;
};

/// Per block and stage, rows of kLanes seconds; weights of tilted draws, one row per block. Immutable; any thread.
struct ReplicaPart {
    Rows ends, optimizer, weights;
};
using ReplicaPartPtr = std::shared_ptr<const ReplicaPart>;

/// The parts, in the order of the requests: nodes of the evaluation graph, the missing ones computed side by side
/// over the blocks. Adds the node-samples to `nodeSamples`. Empty when stopped.
[[nodiscard]] std::vector<ReplicaPartPtr> replicaParts(const Series& series, const std::vector<PartRequest>& requests,
                                                       std::size_t firstBlock, std::size_t numBlocks, Recall& recall, std::stop_token stop,
                                                       std::uint64_t& nodeSamples);

} // namespace prism
