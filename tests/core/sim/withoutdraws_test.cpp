// SPDX-License-Identifier: GPL-3.0-or-later
// Random graphs in which nothing is drawn: both simulators and the recorder take the same time, and its parts are those of the graph.
#include "core/sim/graphs.h"
#include "core/sim/randomgraphs.h"
#include "core/sim/record/steprecorder.h"
#include "core/sim/simulate.h"
#include "core/sim/sweep/stepsweeper.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism::test {
namespace {

constexpr std::uint64_t kGraphs = 60;

/// The graph with every factor at its mean, measured speeds of all ranks and slow spots on some of them.
StepGraph withoutDraws(std::uint64_t number)
{
    StepGraph g = randomCase(number).graph;
    for (KernelClass& k : g.classes)
        k.temporal = {};
    g.spatial = g.data = g.routing = g.intraRegime = g.interRegime = g.computeRegime = g.routingRegime = {};
    g.delays = {};
    g.fixedSpatial.clear();
    const int ranks = g.numReplicas * g.schedule.numStages * g.cellRanks();
    for (int r = 0; r < ranks; ++r)
        g.fixedSpatial.push_back(1.0 + 0.01 * (r * 37 % 17));
    const int replica = static_cast<int>(number) % g.numReplicas, stage = static_cast<int>(number) % g.schedule.numStages;
    g.slow = {{replica, stage, 0, 1.3, 1.7}, {-1, (stage + 1) % g.schedule.numStages, -1, 1.05, 1.2}};
    return g;
}

std::vector<double> swept(const SweepModel& model, Run run)
{
    const RegimeTable regimes(model, {RegimeFactors{}});
    return StepSweeper(model, regimes, {1, run, {}}, {}).seconds(1);
}

TEST(WithoutDraws, BothSimulatorsTakeTheSameTime)
{
    for (std::uint64_t number = 0; number < kGraphs; ++number) {
        const StepGraph g = withoutDraws(number);
        ASSERT_TRUE(check(g).empty()) << number;
        SimOptions o;
        o.numSamples = o.numWithinSamples = 1;
        const StepSamples reference = simulateReference(g, o);
        const double expected = reference.acrossSeconds.front();
        EXPECT_NEAR(reference.withinSeconds.front() / expected, 1.0, 1e-12) << number;
        Memo memo(std::size_t{1} << 24);
        Recall recall(memo);
        const auto model = sweepModel(g, 1, 1.0, recall, {});
        EXPECT_NEAR(swept(*model, Run::across).front() / expected, 1.0, 3e-6) << number;
        EXPECT_NEAR(swept(*model, Run::within).front() / expected, 1.0, 3e-6) << number;
        EXPECT_NEAR(tableError(*model, 1, {}), 0.0, 1e-6 * expected) << number;
    }
}

TEST(WithoutDraws, TheRecorderTakesTheTimeOfTheReference)
{
    for (const std::uint64_t number : {2, 5, 11, 17, 23, 31}) {
        const StepGraph g = withoutDraws(number);
        SimOptions o;
        o.numSamples = 1;
        const double expected = simulateReference(g, o).acrossSeconds.front();
        const auto recorder = StepRecorder::make(g, {.steps = 1});
        EXPECT_NEAR(recorder->seconds().front() / expected, 1.0, 3e-6) << number;
        const StepRecord step = recorder->record(std::vector<std::size_t>{0}, true).front();
        EXPECT_NEAR(step.stepSeconds / expected, 1.0, 3e-6) << number;
        double path = 0.0;
        for (const CriticalPiece& p : step.critical)
            path += p.end - p.start;
        EXPECT_NEAR(path / expected, 1.0, 3e-6) << number;
    }
}

} // namespace
} // namespace prism::test
