// Pipeline replicas of a step: what a run prepares once, and the sweep over a block of samples.
#pragma once

#include "core/sim/cellmodel.h"
#include "core/sim/plan.h"
#include "core/sim/sweepkernel.h"

#include <hwy/aligned_allocator.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace prism {

/// Rows of kLanes floats, aligned for whole registers.
class Rows final {
public:
    explicit Rows(std::size_t rows = 0) : m_rows(rows), m_data(hwy::AllocateAligned<float>(std::max<std::size_t>(1, rows) * kLanes)) { fill(0.0F); }
    [[nodiscard]] float* row(std::size_t i) { return m_data.get() + i * kLanes; }
    [[nodiscard]] const float* row(std::size_t i) const { return m_data.get() + i * kLanes; }
    void fill(float value) { std::fill_n(m_data.get(), std::max<std::size_t>(1, m_rows) * kLanes, value); }

private:
    std::size_t m_rows;
    hwy::AlignedFreeUniquePtr<float[]> m_data;
};

/// A replica as far as replicas differ: the kind of cell at each stage, and what slow links do to its transfers.
struct ReplicaKind {
    std::vector<int> cellOfStage;            ///< per stage: index into Prepared::cells
    std::vector<float> transferFactor;       ///< per transfer of the plan
    float embeddingFactor = 1.0F;
    int count = 1;                           ///< replicas of this kind
    int firstReplica = 0;
};

/// Models of everything that one stage runs in one kind of cell.
struct CellModels {
    int stage = 0;
    int kind = 0;                            ///< index into Prepared::kinds
    std::vector<int> programs;               ///< by chunk * kPhases + phase, then the optimizer: index into Prepared::models; -1 = none
};

/// A class's factor: its table (unless constant) and its rare event.
struct ClassModel {
    RegisterTable table;
    bool isRandom = false;
    RareEvent rare;                          ///< extra = the multiplier
};

/// Everything about a graph that does not depend on samples. Immutable; shared between threads.
struct Prepared {
    StepGraph graph;
    Plan plan;
    FixedRange fixed;
    std::vector<CellKind> kinds;
    std::vector<ChunkModel> models;
    std::vector<CellModels> cells;
    std::vector<ReplicaKind> replicas;       ///< kinds, the most frequent first
    std::vector<int> kindOfReplica;
    std::vector<ClassModel> classes;
    ClassModel data;
    std::vector<double> stageLinkFactor;     ///< per stage: slowest link among all replicas
    double linkFactor = 1.0;                 ///< slowest link of the job
};

/// Null when stopped.
[[nodiscard]] std::shared_ptr<const Prepared> prepare(const StepGraph& graph, std::stop_token stop);

/// Seconds of a communication for one block: R e of the class, the link factor, the exposed part. `regime` two rows.
/// Absent communications give zeros.
void communicationRow(const Prepared& prepared, const StepOp& op, const DrawKey& key, const RoundKeys& keys, std::uint64_t block,
                      const Rows& regime, double link, bool noise, float* seconds);

/// Works on one block at a time; one thread.
class ReplicaSweep final {
public:
    explicit ReplicaSweep(const Prepared& prepared);

    /// Takes the regime factors of a block: two rows, intraNode and interNode.
    void beginBlock(std::uint64_t block, const Rows& regime);
    /// End times of the stages (after the embedding all-reduce) and optimizer times of the slowest rank of each cell, one row
    /// per stage, in seconds. `copy` names the draws; `scores`, one row per stage, are the cells' lucks. Without `noise` every
    /// other factor is at its mean.
    void run(const ReplicaKind& kind, std::uint64_t seed, std::uint64_t copy, const Rows& scores, bool noise, Rows& ends, Rows& optimizer);

private:
    void bind(const ReplicaKind& kind);
    void fillDurations(const ReplicaKind& kind, const RoundKeys& keys, const Rows& scores, bool noise, Rows& optimizer);
    void fillData(const RoundKeys& keys);

    const Prepared& m_prepared;
    const ReplicaKind* m_bound = nullptr;
    std::uint64_t m_block = 0;
    const Rows* m_regime = nullptr;
    std::vector<KernelNode> m_nodes;
    Rows m_collectiveMean, m_collectiveVariance; ///< per model
    Rows m_mean, m_compute, m_spread, m_spreadData, m_data, m_transfer, m_slots, m_scratch;
};

} // namespace prism
