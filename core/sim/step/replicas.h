// SPDX-License-Identifier: GPL-3.0-or-later
// The sweep of one pipeline replica over a block of samples.
#pragma once

#include "core/sim/step/prepared.h"
#include "core/sim/step/rarecauses.h"
#include "core/sim/kernel/rows.h"

#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <vector>

namespace prism {

/// Seconds of a communication for one block: R e of the class, the link factor, the exposed part. `regime` kRegimeRows rows.
/// Absent communications give zeros.
void communicationRow(const Prepared& prepared, const StepOp& op, const DrawKey& key, const RoundKeys& keys, std::uint64_t block,
                      const Rows& regime, double link, bool noise, float* seconds);

/// Works on one block at a time; one thread. Worth keeping from block to block.
class ReplicaSweep final {
public:
    explicit ReplicaSweep(const Prepared& prepared);

    /// Takes the regime factors of a block: kRegimeRows rows. `regime` must outlive the runs of the block.
    void beginBlock(std::uint64_t block, const Rows& regime);
    /// End times of the stages (after the embedding all-reduce) and optimizer times of the slowest rank of each cell: a row of
    /// kLanes seconds per stage, aligned as Rows are. `copy` names the draws; `scores`, one row per stage, are the cells' lucks.
    /// Without `noise` every other factor is at its mean. Where replicas do not meet before the optimizer, a stage's own is part of its
    /// end, and 0.
    /// `search` looks for the events of one of the kind's causes.
    void run(int kind, std::uint64_t seed, std::uint64_t copy, const Rows& scores, bool noise, float* ends, float* optimizer,
             const RareSearch& search = {});
    /// Causes of rare events that may be looked for in replicas of a kind.
    [[nodiscard]] const std::vector<RareCause>& causes(int kind) { return bind(kind).causes; }

private:
    using LaneValues = std::array<float, kLanes>;
    struct ScorePlaces; ///< where the lanes' scores lie in tables by score
    /// One row of durations: a program in the cell of a stage.
    struct DurationRow {
        int stage, model;
    };
    /// One row of transfers: seconds at regime factor 1, and the regime's scope.
    struct TransferRow {
        float seconds;
        std::uint8_t scope;
        bool operator==(const TransferRow&) const = default;
    };
    /// Nodes of the plan with the models of one kind of replica.
    struct Bound {
        int kind = -1;
        std::vector<KernelNode> nodes;
        std::deque<RoutingDraw> routing;    ///< the nodes point into it
        std::vector<DurationRow> durations; ///< ascending by stage
        std::vector<TransferRow> transfers;
        std::vector<TransferLimits> limits; ///< as transfers
        std::vector<RareSites> sites;
        std::vector<RareCause> causes;
        std::map<const void*, std::vector<RareEvent>> rare; ///< by model: its events, with what is sought
        RareEvent dataRare;
    };
    const Bound& bind(int kind);
    [[nodiscard]] std::vector<int> rowOfCell(const ReplicaKind& kind, Bound& bound) const;
    void addChunk(const PlanNode& from, Bound& bound, KernelNode& node) const;
    void addTransfer(const PlanNode& from, const ReplicaKind& kind, Bound& bound, KernelNode& node) const;
    void addRare(Bound& bound) const;
    void fillRow(std::size_t row, std::size_t index, const ScorePlaces& places, bool noise);
    void fillRouting(std::size_t row, const ChunkModel& model, const ScorePlaces& places, const LaneValues& own,
                     const LaneValues& variance);
    void fillOptimizer(std::size_t stage, int program, const ScorePlaces& places, const RoundKeys& keys, bool noise, float* seconds);
    void fillDurations(const ReplicaKind& kind, const Bound& bound, const RoundKeys& keys, const Rows& scores, bool noise,
                       float* optimizer);
    void fillData(const Bound& bound, const RoundKeys& keys, const RareSearch& search);
    void joinEmbedding(const ReplicaKind& replica, const RoundKeys& keys, bool noise, float* ends);

    const Prepared& m_prepared;
    std::list<Bound> m_bound; ///< last used first, a few
    std::uint64_t m_block = 0;
    const Rows* m_regime = nullptr;
    Rows m_collectiveMean, m_collectiveVariance; ///< per model
    Rows m_mean, m_compute, m_spread, m_spreadData, m_routed, m_routedSpread, m_data, m_transfer, m_slots, m_scratch;
    std::vector<std::uint8_t> m_luck; ///< KernelRows::luck
    RareHits m_hits;
};

} // namespace prism
