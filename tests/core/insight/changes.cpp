// SPDX-License-Identifier: GPL-3.0-or-later
// The headline's changes: differences draw by draw, the same intervals as every comparison, independent runs in quadrature.
#include "core/insight/compare/changes.h"

#include "core/insight/paired.h"
#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

/// A snapshot of the given steps (seconds), in draw order.
Snapshot snapshotOf(std::vector<double> across, std::vector<double> within = {})
{
    StepSamples samples;
    samples.acrossSeconds = std::move(across);
    samples.withinSeconds = std::move(within);
    Snapshot s;
    s.across = summarize(samples.acrossSeconds);
    s.within = summarize(samples.withinSeconds);
    s.samples = std::make_shared<const StepSamples>(std::move(samples));
    s.tokensPerSecond = 1000 / s.across.p50;
    return s;
}

std::vector<double> uniforms(std::uint64_t seed, int count)
{
    std::vector<double> x;
    for (int i = 0; i < count; ++i)
        x.push_back(10 + uniform(seed, stream(5), static_cast<std::uint64_t>(i)));
    return x;
}

TEST(HeadlineChanges, AShiftOfEveryStepIsKnownExactly)
{
    std::vector<double> x = uniforms(1, 2'000), y = x;
    for (double& v : y)
        v += 0.5;
    const Snapshot a = snapshotOf(x), b = snapshotOf(y);
    const HeadlineChanges c = headlineChanges(a, b);
    EXPECT_TRUE(c.paired);
    EXPECT_NEAR(c.mean.delta.value, 0.5, 1e-12);
    EXPECT_NEAR(c.p95.delta.value, 0.5, 1e-12);
    EXPECT_NEAR(c.p95.relative.value, 0.5 / a.across.p95, 1e-12);
    for (const HeadlineChange* metric : {&c.mean, &c.p50, &c.p95, &c.p99})
        EXPECT_NEAR(metric->delta.halfWidth, 0.0, 1e-9); // the same draws: no sampling noise
    EXPECT_EQ(c.probabilityFaster.value, 0.0);
    EXPECT_NEAR(c.tokensPerSecond.delta.value, 1000 / b.across.p50 - 1000 / a.across.p50, 1e-9);
}

TEST(HeadlineChanges, IntervalsAreThoseOfEveryComparison)
{
    std::vector<double> x = uniforms(1, 2'000), y = x;
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] *= i % 3 == 0 ? 1.1 : 0.98;
    const Snapshot a = snapshotOf(x), b = snapshotOf(y);
    const HeadlineChanges c = headlineChanges(a, b);
    const MetricChange paired = pairedChange(PairedSample(a.samples), PairedSample(b.samples));
    EXPECT_EQ(c.mean.delta.halfWidth, paired.mean.halfWidth);
    EXPECT_EQ(c.p50.delta.halfWidth, paired.p50.halfWidth);
    EXPECT_EQ(c.p95.delta.halfWidth, paired.p95.halfWidth);
    EXPECT_EQ(c.p99.delta.halfWidth, paired.p99.halfWidth);
    EXPECT_GT(c.p95.delta.halfWidth, 0.0);
    EXPECT_NEAR(c.probabilityFaster.value, 2.0 / 3, 1e-3); // two draws of three are shorter
    EXPECT_NEAR(c.probabilityFaster.halfWidth, 1.96 * std::sqrt(2.0 / 9 / 2'000), 1e-3);
}

TEST(HeadlineChanges, IndependentRunsAddTheirErrorsInQuadrature)
{
    const Snapshot a = snapshotOf(uniforms(1, 2'000));
    Snapshot b = snapshotOf(uniforms(2, 2'000));
    b.seed = 2;
    const HeadlineChanges c = headlineChanges(a, b);
    EXPECT_FALSE(c.paired);
    EXPECT_DOUBLE_EQ(c.p95.delta.halfWidth, std::hypot(a.across.ciP95, b.across.ciP95));
    EXPECT_DOUBLE_EQ(c.mean.delta.halfWidth, std::hypot(a.across.ciMean, b.across.ciMean));
}

TEST(HeadlineChanges, StepsOfOneJobAreASeriesOfItsOwn)
{
    std::vector<double> x = uniforms(3, 1'000), y = x;
    for (double& v : y)
        v *= 2;
    const Snapshot a = snapshotOf(uniforms(1, 500), x), b = snapshotOf(uniforms(1, 500), y);
    const HeadlineChanges within = headlineChanges(a, b, true), across = headlineChanges(a, b, false);
    EXPECT_NEAR(within.p50.delta.value, a.within.p50, 1e-9);
    EXPECT_EQ(across.p50.delta.value, 0.0);
    EXPECT_NEAR(within.probabilityFaster.value, 0.0, 1e-12);
}

TEST(PairedChange, MeansOfASlowlyChangingSeriesAreCoveredWithinAJob)
{
    // Steps of one job remember the step before (lag-1 correlation 0.8); the second scenario has other noise of the same kind, so that the
    // true change of the mean is 0.
    int covered = 0;
    constexpr int kTrials = 200;
    for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
        StepSamples samples[2];
        for (std::uint64_t s = 0; s < 2; ++s) {
            double last = 0;
            for (std::uint64_t t = 0; t < 2'500; ++t) {
                last = 0.8 * last + uniform(trial, stream(9, s), t) - 0.5;
                samples[s].withinSeconds.push_back(10 + last);
            }
        }
        const PairedSample a(std::make_shared<const StepSamples>(samples[0]), SampleSeries::withinJob),
            b(std::make_shared<const StepSamples>(samples[1]), SampleSeries::withinJob);
        const Estimate change = pairedChange(a, b).mean;
        covered += std::abs(change.value) <= change.halfWidth ? 1 : 0;
    }
    EXPECT_GE(covered, 0.90 * kTrials);
}

} // namespace
} // namespace prism
