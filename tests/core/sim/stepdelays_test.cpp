// SPDX-License-Identifier: GPL-3.0-or-later
// Jitter and stalls compared with their definitions, and the compute regime against hand-made steps.
#include "core/sim/graphs.h"
#include "core/sim/simulate.h"
#include "core/sim/draw/stepdelays.h"
#include "core/stats/distance.h"
#include "core/stats/moments.h"
#include "core/stats/poisson.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism::test {
namespace {

/// One stage, two replicas, one micro-batch of 3 s compute; nothing varies.
StepGraph noiseFreeGraph()
{
    JobShape shape;
    shape.replicas = 2;
    return jobGraph(shape);
}

SimOptions options(int across, int within)
{
    SimOptions o;
    o.seed = 7;
    o.numSamples = across;
    o.numWithinSamples = within;
    return o;
}

TEST(StepDelays, JitterHasItsStandardDeviationAndNoMeanWhateverTheStep)
{
    for (const double seconds : {1.0, 100.0}) {
        StepGraph g = noiseFreeGraph();
        g.delays.jitterSeconds = 0.025;
        const StepDelayModel delays(g, 3, Run::within);
        std::vector<double> jitter;
        for (std::uint64_t i = 0; i < 40'000; ++i)
            jitter.push_back(delays.jitter(i, seconds));
        EXPECT_NEAR(meanOf(jitter), 0.0, 0.0005);
        EXPECT_NEAR(std::sqrt(varianceOf(jitter)), 0.025, 0.0005);
    }
}

TEST(StepDelays, ShareOfStepsWithStallsGrowsWithGpusTimesStepTime)
{
    StepGraph g = noiseFreeGraph();
    g.delays.stallsPerGpuHour = 9.0;
    g.delays.stallMeanSeconds = 2.0;
    for (const int replicas : {2, 8})
        for (const double seconds : {3.0, 12.0}) {
            g.numReplicas = replicas;
            const StepDelayModel delays(g, 5, Run::within);
            int stalled = 0;
            constexpr int kSteps = 20'000;
            for (std::uint64_t i = 0; i < kSteps; ++i)
                stalled += delays.stalls(i, seconds) > 0 ? 1 : 0;
            const double expected = -std::expm1(-9.0 * replicas * seconds / 3600.0); // P(N > 0), N Poisson
            EXPECT_NEAR(stalled / double{kSteps}, expected, 4 * std::sqrt(expected / kSteps));
        }
}

TEST(StepDelays, RatesDifferFromJobToJobButNotWithinOne)
{
    StepGraph g = noiseFreeGraph();
    g.delays = {0.0, 600.0, 1.0, 0.0, 1.0}; // one expected stall in a step of 3 s on two GPUs, all of 1 s
    const StepSamples samples = simulate(g, options(20'000, 20'000));
    const auto dispersion = [](std::vector<double> x) {
        for (double& v : x)
            v -= 3.0;
        return varianceOf(x) / meanOf(x);
    };
    EXPECT_NEAR(dispersion(samples.withinSeconds), 1.0, 0.05); // Poisson
    EXPECT_NEAR(dispersion(samples.acrossSeconds), 2.0, 0.15); // gamma-Poisson: 1 + mean cv^2
    EXPECT_DOUBLE_EQ(samples.noiseFreeSeconds, 3.0);
}

TEST(StepDelays, BothSimulatorsAddTheSameDelays)
{
    StepGraph g = noiseFreeGraph();
    g.delays = {0.02, 60.0, 0.5, 1.0, 0.5};
    const StepSamples fast = simulate(g, options(500, 500)), reference = simulateReference(g, options(500, 500));
    for (std::size_t i = 0; i < 500; ++i) {
        EXPECT_NEAR(fast.acrossSeconds[i], reference.acrossSeconds[i], 1e-5);
        EXPECT_NEAR(fast.withinSeconds[i], reference.withinSeconds[i], 1e-5);
    }
}

TEST(ComputeRegime, ScalesComputeAndNothingElseAndLasts)
{
    JobShape shape;
    shape.optimizerSeconds = 0.5;
    shape.gradSyncSeconds = 1.0;
    StepGraph g = jobGraph(shape);
    g.computeRegime = {Family::lognormal, 0.02};
    g.computeRegimeLag1 = 0.8;
    const StepSamples fast = simulate(g, options(2'000, 20'000)), reference = simulateReference(g, options(2'000, 20'000));
    // 3 s of compute and 0.5 s of optimizer vary, 1 s of synchronisation does not.
    EXPECT_NEAR(fast.noiseFreeSeconds, 4.5, 1e-9);
    EXPECT_NEAR(std::sqrt(varianceOf(fast.acrossSeconds)), 0.02 * 3.5, 0.004);
    EXPECT_NEAR(lag1Correlation(fast.withinSeconds), 0.8, 0.02);
    for (std::size_t i = 0; i < 100; ++i)
        EXPECT_NEAR(fast.withinSeconds[i], reference.withinSeconds[i], 1e-4);
}

TEST(Poisson, InversionGivesTheSmallestCountThatReachesTheProbability)
{
    EXPECT_EQ(poissonCount(0.0, 0.999), 0);
    EXPECT_EQ(poissonCount(1.0, 0.36), 0); // P(0) = 0.368
    EXPECT_EQ(poissonCount(1.0, 0.37), 1);
    EXPECT_EQ(poissonCount(1.0, 0.74), 2); // P(<= 1) = 0.736
    EXPECT_EQ(poissonCount(1e6, 0.5, 64), 64);
}

} // namespace
} // namespace prism::test
