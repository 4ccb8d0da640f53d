// SPDX-License-Identifier: GPL-3.0-or-later
// DualPipe on whole scenarios: both ends at once, two stages on every GPU, and its relation to DualPipeV on half the stages.
#include "core/cost/predictor.h"
#include "core/cost/quickstep.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "core/schedule/dualpipe.h"
#include "core/schedule/pieces.h"
#include "core/schedule/schedule.h"
#include "core/step/deterministicstep.h"
#include "core/step/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace prism {
namespace {

Scenario with(const char* schedule, int devices, int virtualStages)
{
    Scenario s = *scenarioPreset("llama3-70b-256-h100");
    s.parallelism.pipelineSchedule = schedule;
    s.parallelism.pipelineModelParallelSize = devices;
    s.parallelism.virtualPipelineModelParallelSize = virtualStages;
    return s;
}

CostedStep costed(const Scenario& s)
{
    Result<CostedStep> c = costStep(s);
    EXPECT_TRUE(c.ok()) << (c.ok() ? "" : c.errors().front().message);
    return c.ok() ? std::move(c).value() : CostedStep{};
}

TEST(DualPipeScenario, DoesOnTwiceTheStagesWhatDualPipeVDoes)
{
    const CostedStep pipe = costed(with("dualpipe", 8, 1)), v = costed(with("dualpipev", 4, 2));
    EXPECT_EQ(pipe.graph.schedule.name, "dualpipe");
    EXPECT_EQ(pipe.graph.schedule.order, v.graph.schedule.order);
    // The world sizes differ; memory per GPU and the number of replicas of the parameters do not.
    EXPECT_EQ(pipe.world.pp, 8);
    EXPECT_EQ(v.world.pp, 4);
    EXPECT_EQ(pipe.world.dp * 2, v.world.dp);
    EXPECT_EQ(pipe.world.numMicrobatches, 2 * v.world.numMicrobatches);
    EXPECT_EQ(pipe.memory.peakGib, v.memory.peakGib);
    // The hop in the middle crosses to another GPU; it is overlapped, so that the step is longer by at most its latency.
    EXPECT_GE(pipe.noiseFreeSeconds, v.noiseFreeSeconds * (1 - 1e-9));
    EXPECT_LT(pipe.noiseFreeSeconds, 1.01 * v.noiseFreeSeconds);
}

TEST(DualPipeScenario, EveryGpuHoldsAStageOfEachHalf)
{
    const MemoryReport one = costed(with("zb-h1", 8, 1)).memory, two = costed(with("dualpipe", 8, 1)).memory;
    ASSERT_EQ(one.stages.size(), 8U);
    ASSERT_EQ(two.stages.size(), 4U); // pairs of a GPU and its mirror
    for (std::size_t s = 0; s < 4; ++s)
        EXPECT_NEAR(two.stages[s].weightsGib, one.stages[s].weightsGib + one.stages[7 - s].weightsGib, 1e-9) << s;
}

TEST(DualPipeScenario, LeavesThePublishedBubble)
{
    // What is left of a GPU's time next to all its passes. Published: (P/2 - 1)(F&B + B - 3 W); a forward that is sent before its
    // partner ends makes F&B = F + B of it and saves B - W more at every hop (dualpipe.h).
    const CostedStep c = costed(with("dualpipe", 8, 1));
    const Schedule& schedule = c.graph.schedule;
    for (const PassTimes t : {PassTimes{1, 1, 1, 0}, PassTimes{2, 2, 1.5, 0}}) {
        const double backward = t.backward + t.weight, both = t.forward + backward;
        const double idle = scheduleTiming(schedule, t).longestStageSeconds - 2.0 * schedule.numMicrobatches * both;
        EXPECT_NEAR(idle, (8 / 2 - 1) * (both - 2 * t.weight), 1e-9);
        EXPECT_NEAR((8 / 2 - 1) * (both + backward - 3 * t.weight) - idle, (8 / 2 - 1) * (backward - t.weight), 1e-9) << "as published";
    }
    for (const int largest : activationsInFlight(schedule))
        EXPECT_EQ(largest, 8 + 1); // PP + 1, as published
}

/// Exposed seconds of the expert-parallel operations of a program, and those of all of it.
std::pair<double, double> expertAndAll(const StepGraph& g, int program)
{
    double expert = 0, all = 0;
    for (const Block& b : g.programs[static_cast<std::size_t>(program)].blocks)
        for (const Op& op : b.ops) {
            const double exposed = b.repeat * std::max(0.0, op.meanSeconds - op.hiddenSeconds);
            all += exposed;
            expert += g.classes[static_cast<std::size_t>(op.kernelClass)].category == Category::expertParallel ? exposed : 0.0;
        }
    return {expert, all};
}

Scenario experts(const char* schedule)
{
    Scenario s = *scenarioPreset("deepseek-v3-2048-h800");
    s.parallelism.pipelineSchedule = schedule;
    s.parallelism.overlapMoeExpertParallelComm = true;
    s.cluster.gpu.memoryGib = 200; // two stages on every GPU
    return s;
}

TEST(DualPipeScenario, OnlyPairsHideTheirExpertTraffic)
{
    Scenario separate = experts("dualpipe");
    const CostedStep together = costed(separate);
    const StepGraph& g = together.graph;
    ASSERT_TRUE(check(g).empty());
    EXPECT_TRUE(pairsPasses(g.schedule));
    ASSERT_EQ(g.programOf[1].size(), 4U); // two chunks, alone and in a piece
    separate.parallelism.overlapMoeExpertParallelComm = false;
    const CostedStep alone = costed(separate);
    EXPECT_FALSE(pairsPasses(alone.graph.schedule));
    ASSERT_EQ(alone.graph.programOf[1].size(), 2U);
    for (std::size_t phase = 0; phase < 3; ++phase) {
        const auto plain = expertAndAll(alone.graph, alone.graph.programOf[1][0][phase]);
        const auto single = expertAndAll(g, g.programOf[1][0][phase]), paired = expertAndAll(g, g.programOf[1][2][phase]);
        EXPECT_EQ(single, plain) << phase; // a pass that runs alone takes as long as without overlap
        if (phase < 2) {
            EXPECT_GT(plain.first, 0.0);
            EXPECT_LT(paired.first, 0.5 * plain.first) << phase;
            EXPECT_LT(paired.second, plain.second) << phase;
        }
    }
    EXPECT_LT(together.noiseFreeSeconds, alone.noiseFreeSeconds);
    EXPECT_EQ(together.memory.peakGib, alone.memory.peakGib);
    // Pass by pass: what is hidden of a pair is no longer than the traffic that there is.
    const auto pair = [&](const StepGraph& graph, std::size_t row) {
        return expertAndAll(graph, graph.programOf[1][row][0]).second + expertAndAll(graph, graph.programOf[1][row][1]).second
               + expertAndAll(graph, graph.programOf[1][row][2]).second;
    };
    const double saved = pair(g, 0) - pair(g, 2);
    EXPECT_LT(saved, expertAndAll(g, g.programOf[1][0][0]).first + expertAndAll(g, g.programOf[1][0][1]).first);
    EXPECT_GT(saved, 0.0);
}

TEST(DualPipeScenario, ItsGraphIsReadBackAsItWasWritten)
{
    const StepGraph g = costed(experts("dualpipe")).graph;
    const Result<StepGraph> back = stepGraphFromJson(toJson(g));
    ASSERT_TRUE(back.ok()) << back.errors().front().message;
    EXPECT_EQ(*back, g);
    EXPECT_EQ(deterministicStepSeconds(*back), deterministicStepSeconds(g));
    StepGraph uneven = g;
    uneven.programOf[2].resize(2);
    EXPECT_FALSE(check(uneven).empty());
    uneven = g;
    uneven.programOf[3][3][0] = 999;
    EXPECT_EQ(check(uneven).front().path, "program_of[3][3][0]");
}

TEST(DualPipeScenario, ASearchCostsItAsOneScenario)
{
    QuickCoster quick;
    for (const char* schedule : {"dualpipe", "zb-h1"}) {
        Scenario s = experts(schedule);
        for (const bool overlap : {true, false, true}) {
            s.parallelism.overlapMoeExpertParallelComm = overlap;
            const Result<QuickStep> step = quick.step(s);
            ASSERT_TRUE(step.ok());
            ASSERT_TRUE(step->fits);
            EXPECT_EQ(step->noiseFreeSeconds, costed(s).noiseFreeSeconds) << schedule << overlap;
        }
    }
}

TEST(DualPipeScenario, EveryRankHasOnePlaceAndMirrorsShareAStage)
{
    const Scenario s = with("dualpipe", 8, 1);
    const std::vector<RankPosition> ranks = rankLayout(s);
    ASSERT_EQ(ranks.size(), 256U);
    std::set<std::tuple<int, int, int>> places;
    for (const RankPosition& r : ranks)
        places.insert({r.replica, r.stage, r.rankInCell});
    EXPECT_EQ(places.size(), 256U);
    // TP 4 x CP 2 x DP 4 = 32 ranks a device: the first and the last 32 are the two ends.
    for (std::size_t i = 0; i < 32; ++i) {
        EXPECT_EQ(ranks[i].stage, 0);
        EXPECT_EQ(ranks[255 - i].stage, 0);
        EXPECT_EQ(ranks[128 - 32 + i].stage, 3);
        EXPECT_EQ(ranks[128 + i].stage, 3);
    }
}

TEST(DualPipeScenario, RefusesWhatCannotBePaired)
{
    EXPECT_FALSE(costStep(with("dualpipe", 5, 1)).ok());
    EXPECT_FALSE(costStep(with("dualpipe", 8, 2)).ok());
    Scenario few = with("dualpipe", 8, 1);
    few.training.globalBatchSize = 4 * 8; // 8 micro-batches, 16 are needed
    const Result<CostedStep> refused = costStep(few);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.errors().front().fixValue, "64");
}

} // namespace
} // namespace prism
