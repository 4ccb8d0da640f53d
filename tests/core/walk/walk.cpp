// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/moments.h"
#include "core/walk/chunkmodel.h"
#include "core/walk/walk.h"

#include "core/insight/graphs.h"
#include "core/schedule/dualpipe.h"
#include "core/sim/simulate.h"
#include "core/step/deterministicstep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace prism;
using namespace prism::testing;

namespace {

StepGraph withoutDraws(StepGraph g)
{
    for (KernelClass& k : g.classes)
        k.temporal = {};
    g.spatial = g.data = g.intraRegime = g.interRegime = {};
    return g;
}

/// DualPipeV with F&B, whose passes take a twentieth more than alone.
StepGraph pieceGraph(int stages, int microbatches, int replicas, int ranks)
{
    StepGraph g = pipelineGraph(stages, microbatches, replicas, ranks);
    g.schedule = withPieces(makeSchedule("dualpipev", stages, 2, microbatches).value());
    g.programs.push_back(g.programs[0]);
    for (std::size_t p = 0; p < 3; ++p) {
        g.programs.push_back(g.programs[p]);
        for (Op& op : g.programs.back().blocks[0].ops)
            op.meanSeconds *= 1.05;
    }
    g.programOf.assign(static_cast<std::size_t>(stages), {{0, 1, 2}, {0, 1, 2}, {3, 4, 5}, {3, 4, 5}});
    g.sendForward.assign(g.schedule.path.size() - 1, g.sendForward.front());
    g.sendForward[static_cast<std::size_t>(stages) - 1] = {}; // the turn of the path
    g.sendBackward = g.sendForward;
    return g;
}

StepWalker walker(const StepGraph& g)
{
    return StepWalker(std::make_shared<const StepGraph>(g), 7);
}

} // namespace

TEST(Walk, NoiseFreePipelineTakesTheTextbookTime)
{
    // 1F1B with equal stages and free transfers: (M + P - 1) (tF + tB), then synchronisation and optimizer.
    StepGraph g = withoutDraws(pipelineGraph(4, 8, 2, 1));
    for (StepOp* op : {&g.sendForward[0], &g.sendForward[1], &g.sendForward[2], &g.sendBackward[0], &g.sendBackward[1], &g.sendBackward[2]})
        op->meanSeconds = 0;
    const double chunk = 3 * 4 * (2e-3 + 4e-4);
    EXPECT_NEAR(walker(g).walk(0).stepSeconds, (8 + 4 - 1) * chunk + 5e-3 + 1e-3, 1e-12);
}

TEST(Walk, CriticalPathLeavesNoGap)
{
    StepGraph sending = pieceGraph(4, 10, 16, 4);
    sending.transferOccupiesSender = true;
    for (const StepGraph& g : {pipelineGraph(4, 6, 16, 4), pieceGraph(4, 10, 16, 4), sending}) {
        const StepWalker w = walker(g);
        for (int sample = 0; sample < 50; ++sample) {
            const WalkedStep step = w.walk(sample);
            ASSERT_FALSE(step.critical.empty());
            EXPECT_EQ(step.critical.front().start, 0.0);
            for (std::size_t i = 1; i < step.critical.size(); ++i)
                EXPECT_NEAR(step.critical[i].start, step.critical[i - 1].end, 1e-12);
            EXPECT_NEAR(step.critical.back().end, step.stepSeconds, 1e-12);
        }
    }
}

TEST(Walk, NoiseFreePiecesTakeTheTimeOfTheDeterministicStep)
{
    StepGraph g = withoutDraws(pieceGraph(4, 10, 2, 1));
    for (const bool occupies : {false, true}) {
        g.transferOccupiesSender = occupies;
        EXPECT_NEAR(walker(g).walk(0).stepSeconds, deterministicStepSeconds(g), 1e-12);
    }
}

TEST(Walk, PartsSumToTheDurationTakenApart)
{
    StepGraph g = pipelineGraph(3, 4, 8, 4);
    g.classes[1].temporal.rareProbability = 0.05;
    g.classes[1].temporal.rareMultiplier = 3;
    g.classes[0].temporal.rareProbability = 0.01;
    g.classes[0].temporal.rareMultiplier = 2;
    g.programs[1].blocks[0].ops[1].hiddenSeconds = 3e-4;
    g.slow = {{0, 1, 2, 1.3, 1.5}};
    const StepWalker w = walker(g);
    for (int sample = 0; sample < 20; ++sample) {
        const WalkedStep step = w.walk(sample);
        for (std::size_t n = 0; n < w.nodes().size(); ++n) {
            const Parts parts = w.nodeParts(step, static_cast<int>(n));
            double causes = 0;
            for (const double seconds : parts.byCause)
                causes += seconds;
            EXPECT_NEAR(parts.sum(), step.end[n] - step.start[n], 1e-12);
            EXPECT_NEAR(causes, parts.sum(), 1e-12);
        }
    }
}

TEST(Walk, AgreesWithTheReferenceSimulator)
{
    for (const StepGraph& g : {pipelineGraph(4, 8, 16, 4), pieceGraph(4, 10, 8, 2)}) {
        SimOptions options;
        options.seed = 7;
        options.numSamples = 400;
        options.numWithinSamples = -1;
        const StepSamples reference = simulateReference(g, options);
        const StepWalker w = walker(g);
        // Speeds, data and regimes are the same draws; the rest averages out over a step.
        double difference = 0, mean = 0;
        for (int i = 0; i < options.numSamples; ++i) {
            const double seconds = reference.acrossSeconds[static_cast<std::size_t>(i)];
            difference += (w.walk(i).stepSeconds - seconds) / options.numSamples;
            mean += seconds / options.numSamples;
        }
        EXPECT_NEAR(difference / mean, 0, 0.003) << g.schedule.name;
    }
}

TEST(Walk, LeavesOutOnlyReplicasThatWereNotTheLast)
{
    StepGraph g = pipelineGraph(4, 8, 96, 4);
    g.classes[0].temporal.cv = 0.2;
    g.classes[2].temporal.rareProbability = 1e-3;
    g.classes[2].temporal.rareMultiplier = 5;
    const auto shared = std::make_shared<const StepGraph>(g);
    const StepWalker some(shared, 7), all(shared, 7, 0.0);
    constexpr int kDraws = 60;
    int missed = 0, walked = 0;
    double expected = 0;
    for (int sample = 0; sample < kDraws; ++sample) {
        const WalkedStep step = some.walk(sample), truth = all.walk(sample);
        EXPECT_EQ(truth.walkedReplicas, 96);
        EXPECT_EQ(truth.missedProbability, 0);
        EXPECT_LE(step.missedProbability, 0.01);
        EXPECT_LE(step.stepSeconds, truth.stepSeconds);
        missed += step.stepSeconds < truth.stepSeconds ? 1 : 0;
        walked += step.walkedReplicas;
        expected += step.missedProbability;
    }
    // The stated chance is at most 1 % in a draw; two misses in 60 draws would have a chance of 12 % at that limit, four of 0.3 %.
    EXPECT_LE(expected, 0.6);
    EXPECT_LT(missed, 4);
    EXPECT_LT(walked, 96 * kDraws / 2);
}

TEST(Walk, MaximumOfNormalsHasClarksMoments)
{
    // Two standard normals: mean 1/sqrt(pi), variance 1 - 1/pi.
    const Moments m = maximumOf(Moments{0, 1}, Moments{0, 1});
    EXPECT_NEAR(m.mean, 1 / std::sqrt(M_PI), 1e-12);
    EXPECT_NEAR(m.variance, 1 - 1 / M_PI, 1e-12);
}

TEST(Walk, SlowestReplicaFollowsTheSlowSpot)
{
    StepGraph g = pipelineGraph(4, 6, 64, 2);
    g.slow = {{41, 2, -1, 1.5, 1.0}};
    const StepWalker w = walker(g);
    for (int sample = 0; sample < 20; ++sample)
        EXPECT_EQ(w.walk(sample).replica, 41);
}
