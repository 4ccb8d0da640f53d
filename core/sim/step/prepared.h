// SPDX-License-Identifier: GPL-3.0-or-later
// Everything about a step that does not depend on samples: plan, models of its cells, kinds of replicas.
#pragma once

#include "core/sim/chunk/cellmodel.h"
#include "core/sim/kernel/drawpool.h"
#include "core/sim/step/plan.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace prism {

/// A replica as far as replicas differ: the kind of cell at each stage, and what slow links do to its transfers.
struct ReplicaKind {
    std::vector<int> cellOfStage;      ///< per stage: index into Prepared::cells
    std::vector<float> transferFactor; ///< per transfer of the plan
    float embeddingFactor = 1.0F;
    int count = 1; ///< replicas of this kind
    int firstReplica = 0;
    ContentHash hash; ///< of the models of its cells and its factors
};

/// Models of everything that one stage runs in one kind of cell.
struct CellModels {
    int stage = 0;
    int kind = 0;              ///< index into Prepared::kinds
    std::vector<int> programs; ///< by chunk * kPhases + phase, then the optimizer: index into Prepared::models; -1 = none
};

/// Immutable; shared between threads.
struct Prepared {
    ModelInputs inputs;
    std::shared_ptr<const Plan> plan;
    std::vector<StepOp> transfers;           ///< by hop
    std::vector<std::uint8_t> transferScope; ///< 0 intraNode, 1 interNode
    std::vector<CellKind> kinds;
    std::vector<std::shared_ptr<const KindModels>> kindModels;
    std::vector<const ChunkModel*> models; ///< kind * programs + program
    std::vector<CellModels> cells;
    std::vector<ReplicaKind> replicas; ///< kinds, in the order of their first replica
    std::vector<int> kindOfReplica;
    ClassModelPtr data;
    double dataMean = 1.0; ///< without rare events of groups that are drawn apart
    ScoreScale scoreScale;
    std::vector<int> luckRanges = {0};    ///< first score node of each
    std::map<int, ClassModelPtr> routing; ///< mean factor of a pass, by its number of layers; empty where it does not vary
    std::map<std::array<int, 3>, ClassModelPtr> communication; ///< by class, groups, buckets
    std::vector<double> stageLinkFactor;                       ///< per stage: slowest link among all replicas
    double linkFactor = 1.0;                                   ///< slowest link of the job
    std::map<const RegisterTable*, DrawSource> sources;        ///< of everything that nodes draw from
    std::vector<DrawPool> pools;                               ///< of long pipelines, which the sources point into
    ContentHash stillHash;                                     ///< of what all replicas share in a sweep without noise: plan, transfers
    ContentHash sweepHash;                                     ///< the same with noise: data factor, regimes

    [[nodiscard]] const StepGraph& graph() const { return inputs.graph; }
    /// Factor of a communication that is there, over its groups and buckets.
    [[nodiscard]] const ClassModel& factor(const StepOp& op) const { return *communication.at({op.kernelClass, op.groups, op.buckets}); }
    [[nodiscard]] const DrawSource& source(const RegisterTable& table) const { return sources.at(&table); }
    /// The replicas meet in a stage between its last chunk and its optimizer.
    [[nodiscard]] bool meetsBeforeOptimizer(std::size_t stage) const
    {
        return graph().gradNorm.kernelClass >= 0 || graph().gradSync[stage].kernelClass >= 0;
    }
    /// Cells draw their lucks afresh for every job.
    [[nodiscard]] bool drawsScores() const { return variesSpatially(graph()); }
};

/// Null when stopped.
[[nodiscard]] std::shared_ptr<const Prepared> prepare(const StepGraph& graph, Recall& recall, std::stop_token stop);

/// Hash of a communication of a stage or a job: its times and the content of its class.
[[nodiscard]] ContentHash contentOf(const Prepared& prepared, const StepOp& op);

} // namespace prism
