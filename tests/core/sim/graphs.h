// SPDX-License-Identifier: GPL-3.0-or-later
// Small graphs for tests of the simulators.
#pragma once

#include "core/schedule/dualpipe.h"
#include "core/schedule/generators.h"
#include "core/step/stepgraph.h"

#include <string>
#include <utility>

namespace prism::test {

/// Shape of a small job; every program is `layers` x (two kernels, then a collective inside the group).
struct JobShape {
    std::string schedule = "1f1b";
    int stages = 1, chunks = 1, microbatches = 1, replicas = 1, groupRanks = 1, groups = 1, layers = 1;
    double forwardSeconds = 1.0;    ///< compute of one chunk's forward; backward takes twice that (once when W is separate)
    double collectiveSeconds = 0.0; ///< per layer; 0 = the program has no collective
    double sendSeconds = 0.0, gradSyncSeconds = 0.0, optimizerSeconds = 0.0, paramGatherSeconds = 0.0, gradNormSeconds = 0.0,
           embeddingSeconds = 0.0;
    Distribution compute, intra, inter; ///< temporal factors by kind of class
};

inline Program program(const char* name, const JobShape& shape, double seconds)
{
    Block layer;
    layer.repeat = shape.layers;
    layer.ops.push_back({0, 0.6 * seconds / shape.layers});
    layer.ops.push_back({0, 0.4 * seconds / shape.layers});
    if (shape.collectiveSeconds > 0.0)
        layer.ops.push_back({1, shape.collectiveSeconds});
    return {name, {layer}};
}

inline StepOp communication(double seconds)
{
    return seconds > 0.0 ? StepOp{2, seconds} : StepOp{};
}

/// Classes: 0 compute, 1 intra-node collective, 2 inter-node communication, 3 optimizer (compute).
inline StepGraph jobGraph(const JobShape& shape)
{
    StepGraph g;
    g.name = shape.schedule;
    g.numReplicas = shape.replicas;
    g.groupRanks = shape.groupRanks;
    g.groupsPerCell = shape.groups;
    g.classes = {{"gemm", Scope::none, Category::compute, shape.compute},
                 {"tp.all_reduce", Scope::intraNode, Category::tensorParallel, shape.intra},
                 {"dp.reduce_scatter", Scope::interNode, Category::dataParallel, shape.inter},
                 {"optimizer", Scope::none, Category::optimizer, shape.compute}};
    g.schedule = makeSchedule(shape.schedule, shape.stages, shape.chunks, shape.microbatches).value();
    const bool split = g.schedule.splitsWeight;
    g.programs = {program("forward", shape, shape.forwardSeconds), program("backward", shape, (split ? 1.0 : 2.0) * shape.forwardSeconds)};
    if (split)
        g.programs.push_back(program("weight", shape, shape.forwardSeconds));
    const auto stages = static_cast<std::size_t>(shape.stages);
    const auto chunks = static_cast<std::size_t>(shape.chunks);
    g.programOf.assign(stages, std::vector<std::array<int, kPhases>>(chunks, {0, 1, split ? 2 : -1}));
    g.sendForward.assign(stages * chunks - 1, communication(shape.sendSeconds));
    for (std::size_t i = 0; i + 1 < g.schedule.path.size(); ++i)
        if (g.schedule.path[i][0] == g.schedule.path[i + 1][0])
            g.sendForward[i] = {};
    g.sendBackward = g.sendForward;
    g.gradSync.assign(stages, communication(shape.gradSyncSeconds));
    g.paramGather.assign(stages, communication(shape.paramGatherSeconds));
    g.optimizer.assign(stages, shape.optimizerSeconds > 0.0 ? StepOp{3, shape.optimizerSeconds} : StepOp{});
    g.gradNorm = communication(shape.gradNormSeconds);
    g.embeddingAllReduce = communication(shape.embeddingSeconds);
    return g;
}

/// Separate programs for F&B of a dualpipev graph: half of a layer's collective is hidden, the compute next to it takes 3 % longer.
inline void joinPasses(StepGraph& g)
{
    g.schedule = withPieces(std::move(g.schedule));
    const std::size_t alone = g.programs.size();
    for (std::size_t p = 0; p < alone; ++p) {
        Program paired = g.programs[p];
        for (Op& op : paired.blocks[0].ops) {
            op.hiddenSeconds = op.kernelClass == 1 ? 0.5 * op.meanSeconds : 0.0;
            op.meanSeconds *= op.kernelClass == 1 ? 1.0 : 1.03;
        }
        g.programs.push_back(paired);
    }
    const int first = static_cast<int>(alone);
    for (auto& stage : g.programOf)
        stage.insert(stage.end(), 2, {first, first + 1, first + 2});
}

} // namespace prism::test
