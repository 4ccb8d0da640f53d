// Pipeline replicas of a step: what a run prepares once, and the sweep over a block of samples.
#pragma once

#include "core/sim/cellmodel.h"
#include "core/sim/plan.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace prism {

/// Samples that one sweep handles together: their clocks and messages stay in the first-level cache.
inline constexpr int kLanes = 64;

/// A replica as far as replicas differ: the kind of cell at each stage, and what slow links do to its transfers.
struct ReplicaKind {
    std::vector<int> cellOfStage;            ///< per stage: index into Prepared::cells
    std::vector<double> transferFactor;      ///< per transfer of the plan
    double embeddingFactor = 1.0;
    int count = 1;                           ///< replicas of this kind
    int firstReplica = 0;
};

/// Models of everything that one stage runs in one kind of cell.
struct CellModels {
    int stage = 0;
    CellKind kind;
    std::vector<ChunkModel> programs;        ///< by chunk * kPhases + phase, then the optimizer last; empty shape = constant
};

/// Everything about a graph that does not depend on samples. Immutable; shared between threads.
struct Prepared {
    StepGraph graph;
    Plan plan;
    std::vector<QuantilePoints> points;      ///< per class
    std::vector<CellModels> cells;
    std::vector<ReplicaKind> replicas;       ///< kinds; the first is the ordinary one where there is one
    std::vector<std::vector<float>> classShape; ///< per class: quantiles of the factor e without rare event at (i + 0.5) / size
    std::vector<double> stageLinkFactor;     ///< per stage: slowest link among all replicas
    double linkFactor = 1.0;                 ///< slowest link of the job
};

[[nodiscard]] std::shared_ptr<const Prepared> prepare(const StepGraph& graph, std::stop_token stop);

/// Draws of one block that every replica of a step shares.
struct SharedDraws {
    std::array<std::array<float, kLanes>, 2> regime; ///< by scope
};

/// End times of the stages of one replica for one block, in seconds: ends[stage * kLanes + lane].
/// `copy` names the draws; `scores[stage * kLanes + lane]` are the cells' lucks. Without `noise` every other factor is at
/// its mean. After the embedding all-reduce, where there is one.
class ReplicaSweep final {
public:
    explicit ReplicaSweep(const Prepared& prepared);
    void run(const ReplicaKind& kind, std::uint64_t seed, std::uint64_t copy, std::uint64_t block, const SharedDraws& shared,
             const float* scores, bool noise, float* ends);
    /// The optimizer of the last run's replica: seconds[stage * kLanes + lane], slowest rank of each cell.
    void optimizer(const ReplicaKind& kind, std::uint64_t seed, std::uint64_t copy, std::uint64_t block, const float* scores,
                   bool noise, float* seconds) const;

private:
    const Prepared& m_prepared;
    std::vector<float> m_mean, m_compute, m_spread, m_spreadData, m_data, m_slots, m_clock;
};

/// Uniform 0..1 to a draw of a factor with its rare event. `rare` is a second uniform.
[[nodiscard]] double drawFactor(const Prepared& prepared, int kernelClass, double u, double rare);
/// Exposed seconds of a step-level communication.
[[nodiscard]] double exposedSeconds(const StepOp& op, double regimeTimesFactor);

} // namespace prism
