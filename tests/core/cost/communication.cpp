// SPDX-License-Identifier: GPL-3.0-or-later
// Overlapped and exposed communication, on a graph that is computed by hand.
#include "core/cost/communication.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

/// Two stages, two micro-batches: a kernel of 1 s and an all-gather of 0.4 s (0.3 s hidden) a pass.
StepGraph graph()
{
    StepGraph g;
    g.classes.resize(4);
    g.classes[0].name = "gemm";
    g.classes[1] = {"tp.all_gather", Scope::intraNode, Category::tensorParallel, {}, 1.0};
    g.classes[2] = {"pp.send_recv", Scope::interNode, Category::pipeline, {}, 1.0};
    g.classes[3] = {"dp.reduce_scatter", Scope::interNode, Category::dataParallel, {}, 1.0};
    Op kernel, gather;
    kernel.meanSeconds = 1;
    gather.kernelClass = 1;
    gather.meanSeconds = 0.4;
    gather.hiddenSeconds = 0.3;
    g.programs = {{"forward", {{2, {kernel, gather}}}}, {"backward", {{1, {kernel}}}}};
    g.programOf = {{{0, 1, -1}}, {{0, 1, -1}}};
    g.schedule.numStages = 2;
    g.schedule.numChunks = 1;
    g.schedule.numMicrobatches = 2;
    g.schedule.path = {{0, 0}, {1, 0}};
    g.schedule.order.assign(2, {{Phase::forward, 0, 0}, {Phase::backward, 0, 0}, {Phase::forward, 0, 1}, {Phase::backward, 0, 1}});
    StepOp send;
    send.kernelClass = 2;
    send.meanSeconds = 0.1;
    g.sendForward = g.sendBackward = {send};
    StepOp sync;
    sync.kernelClass = 3;
    sync.meanSeconds = 2;
    sync.hiddenSeconds = 1.5;
    g.gradSync = {sync, {}};
    return g;
}

const ClassCommunication& of(const Communication& c, const std::string& name)
{
    for (const ClassCommunication& one : c.classes)
        if (one.name == name)
            return one;
    static const ClassCommunication none;
    return none;
}

TEST(Communication, SeparatesHiddenFromExposedPerClassAndScope)
{
    const Communication c = communicationOf(graph(), 10);
    EXPECT_EQ(c.stage, 0); // both compute equally long, stage 0 has the synchronisation
    ASSERT_EQ(c.classes.size(), 3U);
    EXPECT_NEAR(of(c, "tp.all_gather").hiddenSeconds, 2 * 2 * 0.3, 1e-12); // two layers, two micro-batches
    EXPECT_NEAR(of(c, "tp.all_gather").exposedSeconds, 2 * 2 * 0.1, 1e-12);
    EXPECT_NEAR(of(c, "pp.send_recv").hiddenSeconds, 0.2, 1e-12);
    EXPECT_NEAR(of(c, "dp.reduce_scatter").hiddenSeconds, 1.5, 1e-12);
    EXPECT_NEAR(of(c, "dp.reduce_scatter").meanExposedSeconds, 0.25, 1e-12); // one stage of two
    EXPECT_NEAR(c.exposedShare, (0.4 + 0.5) / 10, 1e-12);
    EXPECT_NEAR(c.exposedShareOfGpuHours, (0.4 + 0.25) / 10, 1e-12);
}

TEST(Communication, IsHiddenByStageAndCategory)
{
    const Communication c = communicationOf(graph(), 10);
    const auto hidden = [&](std::size_t stage, Category category) { return c.hidden.at(stage)[static_cast<std::size_t>(category)]; };
    EXPECT_NEAR(hidden(0, Category::tensorParallel), 1.2, 1e-12);
    EXPECT_NEAR(hidden(1, Category::tensorParallel), 1.2, 1e-12);
    EXPECT_NEAR(hidden(0, Category::dataParallel), 1.5, 1e-12);
    EXPECT_EQ(hidden(1, Category::dataParallel), 0);
    EXPECT_EQ(hidden(0, Category::compute), 0);
    EXPECT_EQ(c.longestClass[static_cast<std::size_t>(Category::compute)], "gemm");
    EXPECT_EQ(c.longestClass[static_cast<std::size_t>(Category::pipeline)], "pp.send_recv");
    EXPECT_EQ(c.longestClass[static_cast<std::size_t>(Category::expertParallel)], "");
}

TEST(Communication, ATransferThatOccupiesItsSenderIsExposed)
{
    StepGraph g = graph();
    g.transferOccupiesSender = true;
    EXPECT_NEAR(of(communicationOf(g, 10), "pp.send_recv").exposedSeconds, 0.2, 1e-12);
}

/// The norm of the gradients is on every stage, the all-reduce of a tied table on the first and the last of three; the busiest stage is the
/// last.
TEST(Communication, WhatHappensOnceAStepCountsWhereItHappens)
{
    StepGraph g = graph();
    g.schedule.numStages = 3;
    g.schedule.path = {{0, 0}, {1, 0}, {2, 0}};
    g.schedule.order.push_back(g.schedule.order.front());
    g.programOf.push_back(g.programOf.front());
    g.sendForward.push_back(g.sendForward.front());
    g.sendBackward = g.sendForward;
    g.gradSync = {{}, {}, {}};
    g.classes.push_back({"grad_norm.all_reduce", Scope::interNode, Category::dataParallel, {}, 1.0});
    g.classes.push_back({"embedding.all_reduce", Scope::interNode, Category::dataParallel, {}, 1.0});
    g.gradNorm = {4, 0.3};
    g.embeddingAllReduce = {5, 0.6, 0.1};
    StepOp gather{3, 0.5};
    gather.minExposedSeconds = 0.7; // more than compute does not hide
    g.paramGather = {{}, {}, gather};
    const Communication c = communicationOf(g, 20);
    EXPECT_EQ(c.stage, 2);
    EXPECT_NEAR(of(c, "grad_norm.all_reduce").exposedSeconds, 0.3, 1e-12);
    EXPECT_NEAR(of(c, "grad_norm.all_reduce").meanExposedSeconds, 0.3, 1e-12);
    EXPECT_NEAR(of(c, "embedding.all_reduce").exposedSeconds, 0.5, 1e-12);
    EXPECT_NEAR(of(c, "embedding.all_reduce").hiddenSeconds, 0.1, 1e-12);
    EXPECT_NEAR(of(c, "embedding.all_reduce").meanExposedSeconds, 2 * 0.5 / 3, 1e-12);
    EXPECT_NEAR(of(c, "embedding.all_reduce").meanHiddenSeconds, 2 * 0.1 / 3, 1e-12);
    EXPECT_NEAR(of(c, "dp.reduce_scatter").exposedSeconds, 0.7, 1e-12);
    EXPECT_NEAR(of(c, "dp.reduce_scatter").hiddenSeconds, 0, 1e-12);
    EXPECT_NEAR(of(c, "pp.send_recv").meanHiddenSeconds, (0.2 + 0.4 + 0.2) / 3, 1e-12); // the middle stage sends both ways
    EXPECT_NEAR(c.exposedSeconds, 0.4 + 0.3 + 0.5 + 0.7, 1e-12);
    EXPECT_NEAR(c.exposedShare, 1.9 / 20, 1e-12);
    EXPECT_NEAR(c.exposedShareOfGpuHours, (0.4 + 0.3 + 2 * 0.5 / 3 + 0.7 / 3) / 20, 1e-12);
    EXPECT_EQ(communicationOf(g, 0).exposedShare, 0);
    for (const ClassCommunication& one : c.classes)
        EXPECT_NE(one.scope, Scope::none);
}

} // namespace
} // namespace prism
