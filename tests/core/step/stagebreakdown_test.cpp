// SPDX-License-Identifier: GPL-3.0-or-later
// The noise-free step on every stage, by hand, and the ranges of stages that are nearly the same.
#include "core/sim/graphs.h"
#include "core/step/breakdown.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

using test::jobGraph;

std::vector<Breakdown> stagesOf(const StepGraph& graph)
{
    const DeterministicStep step(graph);
    return stageBreakdowns(graph, step, criticalPath(graph, step));
}

TEST(StageBreakdown, AStageThatIsNotTheSlowestWaitsForIt)
{
    // As Breakdown.FollowsTheStageThatSetsThePaceNotTheOneThatEndsLast: 55 s, of which stage 2 works 8 x 6 s and the others 8 x 3 s.
    StepGraph g = jobGraph({.stages = 4, .microbatches = 8});
    g.slow = {{-1, 2, -1, 2.0, 1.0}};
    const std::vector<Breakdown> stages = stagesOf(g);
    ASSERT_EQ(stages.size(), 4U);
    for (std::size_t s = 0; s < 4; ++s) {
        EXPECT_NEAR(stages[s].computeSeconds, s == 2 ? 48 : 24, 1e-12) << s;
        EXPECT_NEAR(stages[s].bubbleSeconds, s == 2 ? 7 : 31, 1e-12) << s;
    }
    EXPECT_NEAR(stages[2].bubbleSeconds, breakdownOf(g).bubbleSeconds, 1e-12);
}

TEST(StageBreakdown, TheTailOfEachStageIsItsOwn)
{
    // Stage 1 has no embedding; its synchronisation is longer, and the norm waits for it. Stages 0 and 2: 3 s of passes.
    StepGraph g = jobGraph({.stages = 3,
                            .microbatches = 1,
                            .replicas = 2,
                            .gradSyncSeconds = 0.5,
                            .optimizerSeconds = 0.125,
                            .paramGatherSeconds = 0.75,
                            .gradNormSeconds = 0.0625,
                            .embeddingSeconds = 0.25});
    g.gradSync[1].meanSeconds = 4;
    const std::vector<Breakdown> stages = stagesOf(g);
    for (const std::size_t s : {0U, 1U, 2U}) {
        EXPECT_NEAR(stages[s].dataParallelSeconds, (s == 1 ? 4 : 0.25 + 0.5) + 0.0625 + 0.75, 1e-12) << s;
        EXPECT_NEAR(stages[s].optimizerSeconds, 0.125, 1e-12) << s;
        EXPECT_NEAR(stages[s].computeSeconds, 3, 1e-12) << s;
        EXPECT_NEAR(stages[s].sum(), deterministicStepSeconds(g), 1e-12) << s;
    }
}

TEST(StageBreakdown, TransfersOfThePathAreTheFirstPartOfTheWaiting)
{
    // Two stages, one micro-batch: the path crosses the two transfers of 0.5 s; each stage works 3 s of 7 s.
    for (const Breakdown& b : stagesOf(jobGraph({.stages = 2, .microbatches = 1, .sendSeconds = 0.5}))) {
        EXPECT_NEAR(b.pipelineSeconds, 1, 1e-12);
        EXPECT_NEAR(b.bubbleSeconds, 3, 1e-12);
    }
}

TEST(StageBreakdown, NeighboursThatDifferByLittleAreOneRange)
{
    const auto stage = [](double compute) { return Breakdown{.computeSeconds = compute, .bubbleSeconds = 100 - compute}; };
    const std::vector<Breakdown> stages{stage(50), stage(60), stage(60.4), stage(59.6), stage(61), stage(50)};
    const auto firsts = [&](std::size_t largest) {
        std::vector<int> out;
        for (const StageRange& range : similarStages(stages, largest))
            out.push_back(range.first);
        return out;
    };
    EXPECT_EQ(firsts(16), (std::vector<int>{0, 1, 4, 5})) << "0.5 s of 100 s is similar, 1 s is not";
    EXPECT_EQ(similarStages(stages, 16)[1].last, 3);
    EXPECT_EQ(firsts(3), (std::vector<int>{0, 1, 5})) << "at 1 s";
    EXPECT_EQ(firsts(1), (std::vector<int>{0}));
    EXPECT_TRUE(similarStages({}, 16).empty());
}

} // namespace
} // namespace prism
