// SPDX-License-Identifier: GPL-3.0-or-later
// DualPipe on whole scenarios: both ends at once, two stages on every GPU, and how it stands to DualPipeV on half the stages.
#include "core/cost/predictor.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "core/schedule/dualpipe.h"
#include "core/schedule/schedule.h"
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
    // What the world is called differs, what a GPU holds and how many replicas of the parameters there are does not.
    EXPECT_EQ(pipe.world.pp, 8);
    EXPECT_EQ(v.world.pp, 4);
    EXPECT_EQ(pipe.world.dp * 2, v.world.dp);
    EXPECT_EQ(pipe.world.numMicrobatches, 2 * v.world.numMicrobatches);
    EXPECT_EQ(pipe.memory.peakGib, v.memory.peakGib);
    // The hop in the middle crosses to another GPU; it is overlapped, so that the step is longer by its latency at the most.
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
    // What is left of a GPU's time beside all its passes. Published: (P/2 - 1)(F&B + B - 3 W); a forward that is handed on before its
    // partner ends makes F&B = F + B of it and saves B - W more at every hop (dualpipe.h).
    const CostedStep c = costed(with("dualpipe", 8, 1));
    const Schedule& schedule = c.graph.schedule;
    for (const PassTimes t : {PassTimes{1, 1, 1, 0}, PassTimes{2, 2, 1.5, 0}}) {
        const double backward = t.backward + t.weight, both = t.forward + backward;
        const double idle = scheduleTiming(schedule, t).longestStageSeconds - 2.0 * schedule.numMicrobatches * both;
        EXPECT_NEAR(idle, (8 / 2 - 1) * (both - 2 * t.weight), 1e-9);
        EXPECT_NEAR(dualPipeBubble(8, both, backward, t.weight) - idle, (8 / 2 - 1) * (backward - t.weight), 1e-9);
    }
    for (const int most : activationsInFlight(schedule))
        EXPECT_EQ(most, 8 + 1); // PP + 1, as published
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
