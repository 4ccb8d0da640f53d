// SPDX-License-Identifier: GPL-3.0-or-later
// Small step graphs with known answers, for the tests of the insights.
#pragma once

#include "core/schedule/generators.h"
#include "core/step/stepgraph.h"

#include "core/schedule/schedule.h"

namespace prism::testscenarios {

inline KernelClass computeClass(const char* name, double cv)
{
    KernelClass k;
    k.name = name;
    k.temporal.family = cv > 0 ? Family::lognormal : Family::deterministic;
    k.temporal.cv = cv;
    return k;
}

inline KernelClass linkClass(const char* name, Scope scope, double cv)
{
    KernelClass k = computeClass(name, cv);
    k.scope = scope;
    k.category = scope == Scope::intraNode ? Category::tensorParallel : Category::dataParallel;
    return k;
}

inline Distribution lognormal(double cv)
{
    Distribution d;
    d.family = cv > 0 ? Family::lognormal : Family::deterministic;
    d.cv = cv;
    return d;
}

/// One stage, one micro-batch, one rank: class a then class b, each `repeat` times in the forward, nothing in the backward
/// but a zero-length op. The step is the sum of 2 * repeat independent kernels.
inline StepGraph serialGraph(double meanA, double cvA, double meanB, double cvB, int repeat)
{
    StepGraph g;
    g.name = "serial";
    g.classes = {computeClass("a", cvA), computeClass("b", cvB)};
    Program forward{"f", {Block{repeat, {Op{0, meanA, 0, Sync::group}, Op{1, meanB, 0, Sync::group}}}}};
    Program backward{"b", {Block{1, {Op{0, 0.0, 0, Sync::group}}}}};
    g.programs = {forward, backward};
    g.programOf = {{{0, 1, -1}}};
    g.schedule = makeSchedule("1f1b", 1, 1, 1).value();
    g.gradSync.resize(1);
    g.optimizer.resize(1);
    g.paramGather.resize(1);
    return g;
}

/// A pipeline of `stages` stages and `replicas` replicas with cells of `ranks` ranks: compute, a tensor-parallel collective,
/// transfers, gradient synchronisation, optimizer.
inline StepGraph pipelineGraph(int stages, int microbatches, int replicas, int ranks)
{
    StepGraph g;
    g.name = "pipeline";
    g.numReplicas = replicas;
    g.groupRanks = ranks;
    g.classes = {computeClass("gemm", 0.05), linkClass("tp.all_reduce", Scope::intraNode, 0.05),
                 linkClass("pp.send_recv", Scope::interNode, 0.1), linkClass("dp.reduce_scatter", Scope::interNode, 0.1),
                 computeClass("optimizer", 0.02)};
    g.classes[2].category = Category::pipeline;
    g.classes[4].category = Category::optimizer;
    const auto program = [](const char* name, double scale) {
        return Program{name, {Block{4, {Op{0, 2e-3 * scale, 0, Sync::group}, Op{1, 4e-4 * scale, 0, Sync::group}}}}};
    };
    g.programs = {program("forward", 1), program("backward", 2)};
    g.programOf.assign(static_cast<std::size_t>(stages), {{0, 1, -1}});
    g.schedule = makeSchedule("1f1b", stages, 1, microbatches).value();
    StepOp send{2, 3e-4, 0, 0}, sync{3, 5e-3, 0, 0}, optimizer{4, 1e-3, 0, 0};
    g.sendForward.assign(static_cast<std::size_t>(stages - 1), send);
    g.sendBackward = g.sendForward;
    g.gradSync.assign(static_cast<std::size_t>(stages), sync);
    g.optimizer.assign(static_cast<std::size_t>(stages), optimizer);
    g.paramGather.resize(static_cast<std::size_t>(stages));
    g.spatial = lognormal(0.02);
    g.data = lognormal(0.03);
    g.intraRegime = lognormal(0.05);
    g.interRegime = lognormal(0.3);
    return g;
}

} // namespace prism::testscenarios
