// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a step graph that a sweep needs: its nodes in order, tables of its passes and communications, kinds of units.
#pragma once

#include "core/base/memo.h"
#include "core/sim/passes/passtable.h"
#include "core/sim/sweep/plan.h"

#include <map>
#include <memory>
#include <stop_token>
#include <vector>

namespace prism {

/// A communication with its factor over groups and buckets.
struct UnitCommunication {
    std::shared_ptr<const DrawTable> factor; ///< null: absent
    Scope scope = Scope::none;
    float meanSeconds = 0.0F, hiddenSeconds = 0.0F, minExposedSeconds = 0.0F;
    [[nodiscard]] bool present() const { return factor != nullptr; }
    /// Factor on it where the slowest link that it may use has `link`.
    [[nodiscard]] float linkFactor(float link) const { return scope == Scope::interNode ? link : 1.0F; }
    /// Exposed seconds at a factor times regime and link.
    [[nodiscard]] float exposed(float f) const { return std::max(minExposedSeconds * f, meanSeconds * f - hiddenSeconds); }
};

/// Immutable; shared between threads. Pass p is a program in one kind of unit.
class SweepModel final {
public:
    /// Rows of lengths: the slowest groups of a stage in passes of the same shape; `routed` ones hold for one chunk and program only.
    struct LengthRow {
        int stage = 0, program = 0;
    };
    /// Where a node's length comes from: a row of a stage and the data row of its micro-batch, or a separate row.
    struct NodeLength {
        int lengthRow = -1; ///< index into lengthRows
        int ownRow = -1;    ///< index into ownLengths; -1: length = row of the stage x data of the micro-batch
    };
    struct OwnLength {
        int lengthRow = 0, program = 0, chunk = 0, microbatch = 0;
    };

    StepGraph graph;
    JobUnits job;
    std::unique_ptr<Speeds> speeds;
    std::shared_ptr<const Plan> plan;
    std::vector<FlatProgram> programs; ///< those of the graph, then optimizers
    std::vector<PassShape> shapes;     ///< of the programs
    std::vector<int> optimizerOfStage; ///< program; -1 = none
    DrawTable data, routing;
    std::vector<std::shared_ptr<const PassTable>> passes;
    std::vector<std::vector<int>> passOf; ///< [program][kind]: index into passes; -1 = does not occur
    std::vector<LengthRow> lengthRows;
    std::vector<int> optimizerRow; ///< per stage: index into lengthRows
    std::vector<NodeLength> nodeLength;
    std::vector<OwnLength> ownLengths;
    /// Communications of a pattern's units, with their links: transfers by hop, forward hops first, and the embedding's all-reduce.
    struct UnitSends {
        std::vector<UnitCommunication> hops;
        UnitCommunication embedding;
    };
    std::vector<UnitSends> sends; ///< by pattern
    UnitCommunication gradNorm;
    std::vector<UnitCommunication> gradSync, paramGather; ///< per stage
    bool regimesVary = false;
    bool unitsVary = true; ///< else the units of a pattern end at the same time
};

/// Tables from about `kernelDraws` draws in all. Null when stopped. Nodes "plan", "factor table", "pass table" of the evaluation graph.
[[nodiscard]] std::shared_ptr<const SweepModel> sweepModel(const StepGraph& graph, std::uint64_t seed, double kernelDraws, Recall& recall,
                                                           std::stop_token stop);

} // namespace prism
