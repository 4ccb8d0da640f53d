// SPDX-License-Identifier: GPL-3.0-or-later
// Ends of a replica without noise between the nodes of a grid over the regimes, against a sweep of every step.
#include "core/sim/step/stillends.h"

#include "core/sim/graphs.h"
#include "core/sim/simulate.h"
#include "core/stats/moments.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

/// 8 x 64 passes, transfers half hidden, all three regimes.
StepGraph longGraph()
{
    test::JobShape shape;
    shape.stages = 8;
    shape.microbatches = 64;
    shape.replicas = 8;
    shape.groupRanks = 2;
    shape.forwardSeconds = 0.1;
    shape.collectiveSeconds = 0.02;
    shape.sendSeconds = 0.03;
    shape.gradSyncSeconds = shape.optimizerSeconds = 0.05;
    StepGraph g = test::jobGraph(shape);
    for (auto* hops : {&g.sendForward, &g.sendBackward})
        for (StepOp& op : *hops)
            op.hiddenSeconds = 0.03;
    g.intraRegime = {Family::lognormal, 0.1};
    g.interRegime = {Family::lognormal, 0.2, 0.03, 3.0};
    g.computeRegime = {Family::lognormal, 0.03};
    return g;
}

/// Differences from a sweep of every step, as shares of the end's standard deviation over the steps.
struct Difference {
    double worst = 0.0, rms = 0.0;
};

Difference difference(const StepGraph& graph, int steps, std::uint64_t& nodeSamples)
{
    Memo memo(std::size_t{64} << 20);
    Recall recall(memo);
    const auto prepared = prepare(graph, recall, {});
    const Series series = makeSeries(*prepared, 1, 1, Run::across, steps);
    const std::vector<float> scores(series.stages(), 0.0F);
    const StillEnds still(series, 0, scores, recall, {}, nodeSamples);
    std::uint64_t swept = 0;
    const auto exact = replicaParts(series, {{"still replica", {{0, 0, LuckSource::fixed, scores}}, false, nullptr}}, 0, series.blocks(),
                                    recall, {}, swept);
    Rows ends(series.stages());
    double worst = 0.0, squares = 0.0, sum = 0.0, square = 0.0;
    for (std::size_t block = 0; block < series.blocks(); ++block) {
        still.ends(block, ends);
        for (std::size_t l = 0; l < kLanes; ++l) {
            const auto end = static_cast<double>(exact[0]->ends.row(block * series.stages())[l]);
            const double away = static_cast<double>(ends.row(0)[l]) - end;
            worst = std::max(worst, std::abs(away));
            squares += away * away;
            sum += end;
            square += end * end;
        }
    }
    const auto n = static_cast<double>(series.blocks() * kLanes);
    const double sigma = std::sqrt(square / n - sum / n * (sum / n));
    return {worst / sigma, std::sqrt(squares / n) / sigma};
}

TEST(StillEnds, AGridOverTheRegimesMissesLittle)
{
    std::uint64_t nodeSamples = 0;
    const Difference d = difference(longGraph(), 4000, nodeSamples);
    EXPECT_LT(d.rms, 0.025); // 0.06 % of the variance
    EXPECT_LT(d.worst, 0.1); // between threefold regimes, which three steps in a hundred have
    EXPECT_LE(nodeSamples, 4U * kLanes * 2U * 1024U) << "four blocks of passes and transfers";
}

TEST(StillEnds, OneRegimeIsFollowedClosely)
{
    StepGraph g = longGraph();
    g.intraRegime = g.computeRegime = {};
    std::uint64_t nodeSamples = 0;
    EXPECT_LT(difference(g, 4000, nodeSamples).worst, 1e-3);
}

TEST(StillEnds, AStepFarFromAllOthersIsItsOwnNode)
{
    StepGraph g = longGraph();
    g.intraRegime = g.computeRegime = {};
    g.interRegime = {Family::lognormal, 0.05, 0.001, 20.0}; // one or two of 1,500 steps
    std::uint64_t nodeSamples = 0;
    const Difference d = difference(g, 1500, nodeSamples);
    EXPECT_LT(d.worst, 1e-3);
    EXPECT_LT(d.rms, 1e-3); // of a NaN no comparison holds
}

/// Twelve replicas, of which the slowest eight are simulated one by one and the others stand behind a common sample.
TEST(StillEnds, OneJobOfManyReplicasTakesTheTimeOfTheReference)
{
    StepGraph g = longGraph();
    g.numReplicas = 12;
    g.groupRanks = 1;
    g.spatial = {Family::normal, 0.01};
    for (KernelClass& c : g.classes)
        c.temporal = {Family::lognormal, 0.05};
    SimOptions options;
    options.numSamples = 0;
    options.numWithinSamples = 200;
    const StepSamples reference = simulateReference(g, options);
    options.numWithinSamples = 2000;
    const StepSamples fast = simulate(g, options);
    const double mean = meanOf(reference.withinSeconds), sigma = std::sqrt(varianceOf(reference.withinSeconds));
    EXPECT_NEAR(meanOf(fast.withinSeconds), mean, 4.0 * sigma / std::sqrt(200.0) + 0.002 * mean);
    EXPECT_NEAR(std::sqrt(varianceOf(fast.withinSeconds)) / sigma, 1.0, 0.5); // regimes of threefold size are three steps in a hundred
}

TEST(StillEnds, ShortPipelinesAndSeriesAreSweptStepByStep)
{
    std::uint64_t nodeSamples = 0;
    EXPECT_EQ(difference(longGraph(), 256, nodeSamples).worst, 0.0);
    StepGraph g = longGraph();
    g.schedule = makeSchedule("1f1b", 8, 1, 8).value();
    EXPECT_EQ(difference(g, 1000, nodeSamples).worst, 0.0);
}

TEST(StillEnds, WithoutRegimesOneBlockServesAllSteps)
{
    StepGraph g = longGraph();
    g.intraRegime = g.interRegime = g.computeRegime = {};
    std::uint64_t nodeSamples = 0;
    Memo memo(std::size_t{64} << 20);
    Recall recall(memo);
    const auto prepared = prepare(g, recall, {});
    const Series series = makeSeries(*prepared, 1, 1, Run::across, 1000);
    const StillEnds still(series, 0, std::vector<float>(series.stages(), 0.0F), recall, {}, nodeSamples);
    EXPECT_EQ(nodeSamples, kLanes * prepared->plan->nodeCount());
}

} // namespace
} // namespace prism
