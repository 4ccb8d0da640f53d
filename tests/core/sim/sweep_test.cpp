// SPDX-License-Identifier: GPL-3.0-or-later
// Swept units and steps: known answers, lanes that do not know their neighbours, rare events, screening against the reference.
#include "core/engine/summary.h"
#include "core/sim/graphs.h"
#include "core/sim/simulate.h"
#include "core/sim/sweep/stepsweeper.h"
#include "core/step/deterministicstep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace prism::test {
namespace {

std::shared_ptr<const SweepModel> modelOf(const StepGraph& graph)
{
    Memo memo(std::size_t{1} << 26);
    Recall recall(memo);
    return sweepModel(graph, 1, 1e6, recall, {});
}

/// Two stages, rare kernels and rare transfers: several events in one lane, and of both kinds at one node.
StepGraph rareGraph()
{
    StepGraph g = jobGraph({.schedule = "1f1b",
                            .stages = 2,
                            .chunks = 1,
                            .microbatches = 4,
                            .replicas = 64,
                            .groupRanks = 2,
                            .collectiveSeconds = 0.1,
                            .sendSeconds = 0.2,
                            .gradSyncSeconds = 0.5});
    for (KernelClass& k : g.classes) {
        k.temporal = {Family::lognormal, 0.02};
        k.temporal.rareProbability = 0.004;
        k.temporal.rareMultiplier = 6.0;
    }
    g.spatial = {Family::lognormal, 0.02};
    return g;
}

TEST(BlockSweep, ALaneDoesNotDependOnItsNeighbours)
{
    const auto model = modelOf(rareGraph());
    const RegimeTable regimes(*model, std::vector<RegimeFactors>(100));
    const SweptSeries series{9, Run::across, {}};
    BlockSweep sweep(*model, regimes);
    std::vector<SweptLane> lanes;
    for (std::size_t step = 0; lanes.size() < kLanes; ++step)
        for (int u = 0; u < 64 && lanes.size() < kLanes; ++u)
            if (const SweptLane lane = series.lane(step, u); sweep.hasRareEvent(0, lane))
                lanes.push_back(lane);
    sweep.run(0, lanes, Noise::all);
    std::vector<float> together;
    for (std::size_t l = 0; l < kLanes; ++l)
        together.push_back(sweep.ends().row(0)[l]);
    for (std::size_t l = 0; l < kLanes; ++l) {
        sweep.run(0, {&lanes[l], 1}, Noise::all);
        EXPECT_EQ(sweep.ends().row(0)[0], together[l]) << l;
    }
}

TEST(BlockSweep, RareEventsComeAtTheirRate)
{
    const auto model = modelOf(rareGraph());
    const RegimeTable regimes(*model, {RegimeFactors{}});
    const SweptSeries series{3, Run::across, {}};
    BlockSweep sweep(*model, regimes);
    int with = 0;
    constexpr int kLanesTried = 20'000;
    for (int i = 0; i < kLanesTried; ++i)
        with += sweep.hasRareEvent(0, series.lane(static_cast<std::size_t>(i), 0)) ? 1 : 0;
    const double expected = -std::expm1(-sweep.rareHazard(0));
    EXPECT_GT(expected, 0.05);
    EXPECT_NEAR(with / double{kLanesTried}, expected, 4.0 * std::sqrt(expected / kLanesTried));
}

TEST(BlockSweep, WithoutSpreadAUnitEndsAsInTheNoiseFreeStep)
{
    const StepGraph g =
        jobGraph({.schedule = "1f1b", .stages = 3, .chunks = 1, .microbatches = 5, .replicas = 2, .groupRanks = 2, .sendSeconds = 0.2});
    const auto model = modelOf(g);
    const RegimeTable regimes(*model, {RegimeFactors{}});
    BlockSweep sweep(*model, regimes);
    const SweptLane lane = SweptSeries{}.lane(0, 0);
    sweep.run(0, {&lane, 1}, Noise::all);
    const std::vector<double> ends = DeterministicStep(g).stageEnds(0, {});
    for (std::size_t s = 0; s < ends.size(); ++s)
        EXPECT_NEAR(static_cast<double>(sweep.ends().row(s)[0]), ends[s], 1e-5 * ends[s]);
}

TEST(StepFinish, ByHand)
{
    StepGraph g = jobGraph({.stages = 2, .microbatches = 2, .replicas = 2, .gradSyncSeconds = 3.0});
    const auto model = modelOf(g);
    StageMaxima m(2);
    m.add(0, 10.0F, 1.0F);
    m.add(0, 8.0F, 5.0F);
    m.add(1, 9.0F, 0.5F);
    EXPECT_EQ(m.end[0], 10.0F);
    EXPECT_EQ(m.optimizer[0], 5.0F);
    EXPECT_EQ(m.endWithOptimizer[0], 13.0F);
    // The gradients of stage 0 are there at 13, the slowest optimizer takes 5.
    EXPECT_NEAR(StepFinish(*model).meanSeconds(m), 10.0 + 3.0 + 5.0, 1e-5);
    g.gradSync.assign(2, {});
    EXPECT_NEAR(StepFinish(*modelOf(g)).meanSeconds(m), 13.0, 1e-5) << "without a barrier no replica waits for another";
}

/// Both are samples: within four standard errors of their difference, and the stated bounds.
void expectAgree(const StepGraph& g, int steps)
{
    SimOptions o;
    o.numSamples = steps;
    o.numWithinSamples = -1;
    o.seed = 4;
    const DistributionSummary fast = summarize(simulate(g, o).acrossSeconds);
    o.numWithinSamples = 1;
    o.seed = 5;
    const DistributionSummary reference = summarize(simulateReference(g, o).acrossSeconds);
    const auto expect = [](double a, double b, double ciA, double ciB) { EXPECT_NEAR(a, b, 4.0 / 1.96 * std::hypot(ciA, ciB) + 1e-3 * b); };
    expect(fast.p50, reference.p50, fast.ciP50, reference.ciP50);
    expect(fast.p95, reference.p95, fast.ciP95, reference.ciP95);
}

TEST(Screening, RareEventsOfScreenedUnitsCount)
{
    expectAgree(rareGraph(), 1'500);
}

TEST(Screening, TheStageThatEndsLastIsNotTheOnlyOne)
{
    StepGraph g = rareGraph();
    g.gradSync[1].meanSeconds *= 4.0;
    g.gradNorm = g.gradSync[0];
    expectAgree(g, 1'500);
}

TEST(MedianJobs, AreNineOfTheCandidatesAroundTheirMedian)
{
    StepGraph g = rareGraph();
    const auto model = modelOf(g);
    const MedianJobs jobs = medianJobs(*model, 2, {});
    EXPECT_EQ(std::set<std::uint64_t>(jobs.jobs.begin(), jobs.jobs.end()).size(), 9U);
    EXPECT_GT(jobs.stdErr, 0.0);
    g.spatial = {};
    EXPECT_EQ(medianJobs(*modelOf(g), 2, {}).jobs.size(), 1U) << "all jobs are equal";
}

} // namespace
} // namespace prism::test
