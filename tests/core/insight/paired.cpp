// SPDX-License-Identifier: GPL-3.0-or-later
// Differences of sampled distributions and their intervals: small samples, each answer from the definition by hand.
#include "core/insight/paired.h"

#include "core/insight/compare/changes.h"
#include "core/insight/empirical.h"
#include "core/stats/confidence.h"
#include "core/stats/moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace prism {
namespace {

const double kReach = 1.959963984540054; // 97.5 % point of the standard normal

PairedSample sampleOf(std::vector<double> across, double sharedErr = 0)
{
    StepSamples s;
    s.acrossSeconds = std::move(across);
    s.acrossShared.mean.stdErr = sharedErr;
    s.acrossShared.p50.stdErr = 2 * sharedErr;
    s.acrossShared.p95.stdErr = 3 * sharedErr;
    s.acrossShared.p99.stdErr = 4 * sharedErr;
    return PairedSample(std::make_shared<const StepSamples>(std::move(s)));
}

/// Half-width of the mean of a function of the index: z sqrt(unbiased variance / n).
double halfWidth(std::size_t n, const std::function<double(std::size_t)>& value)
{
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < n; ++i)
        mean += value(i) / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i)
        squares += (value(i) - mean) * (value(i) - mean);
    return kReach * std::sqrt(squares / static_cast<double>(n * (n - 1)));
}

/// Cubes of 0, 1/1000, ... 1: the quantile at p is p^3 at every thousandth.
std::vector<double> cubes()
{
    std::vector<double> x;
    for (int i = 0; i <= 1000; ++i)
        x.push_back(std::pow(i / 1000.0, 3));
    return x;
}

const std::vector<double> kBase{3, 1, 4, 9, 5, 2, 6, 12}, kChanged{4, 1, 6, 8, 9, 2, 5, 20};

} // namespace

TEST(Sparsity, IsTheSlopeOfTheQuantileAcrossItsWindow)
{
    // ((p + h)^3 - (p - h)^3) / 2h = 3 p^2 + h^2.
    const double wide = std::pow(1001, -1.0 / 3); // below 0.25
    EXPECT_NEAR(sparsity(cubes(), 0.5), 0.75 + wide * wide, 1e-5);
    EXPECT_NEAR(sparsity(cubes(), 0.98), 3 * 0.98 * 0.98 + 0.01 * 0.01, 1e-9); // half of what is left beyond p
    EXPECT_NEAR(sparsity(cubes(), 0.02), 3 * 0.02 * 0.02 + 0.01 * 0.01, 1e-9);
    // Four values: one in four on either side, cut at the ends. Q(0.74) = 2 + 0.22 x 7, Q(0.26) = 0.78.
    EXPECT_NEAR(sparsity({0, 1, 2, 9}, 0.99), (9 - 3.54) / 0.26, 1e-9);
    EXPECT_NEAR(sparsity({0, 1, 2, 9}, 0.01), 0.78 / 0.26, 1e-9);
}

TEST(SharedPart, LiesBetweenTheQuantilesThatAreKnown)
{
    const SharedError s{{1, 4}, {3, 8}, {7, 0}, {9, 9}};
    EXPECT_EQ(sharedPart(s, 0.3).stdErr, 1);
    EXPECT_EQ(sharedPart(s, 0.5).degrees, 4);
    EXPECT_NEAR(sharedPart(s, 0.725).stdErr, 2, 1e-12); // half-way from 0.5 to 0.95
    EXPECT_NEAR(sharedPart(s, 0.725).degrees, 1 / (0.5 * (0.25 + 0.125)), 1e-12);
    EXPECT_NEAR(sharedPart(s, 0.95).stdErr, 3, 1e-12);
    EXPECT_NEAR(sharedPart(s, 0.98).stdErr, 6, 1e-9); // three quarters from 0.95 to 0.99
    EXPECT_NEAR(sharedPart(s, 0.98).degrees, 8 / 0.25, 1e-6);
    EXPECT_EQ(sharedPart(s, 0.995).stdErr, 7);
    EXPECT_EQ(sharedPart(s, 0.995).degrees, 0);
    EXPECT_EQ(sharedPart({}, 0.7).degrees, 0);
}

TEST(Empirical, LimitsBelongToTheValuesBelowThem)
{
    const std::vector<double> x{1, 2, 2, 3, 5};
    EXPECT_NEAR(exceedance(x, 2).value, 0.4, 1e-15);
    EXPECT_NEAR(exceedance(x, 1.99).value, 0.8, 1e-15);
    EXPECT_NEAR(probabilityBetween(x, 1, 3).value, 0.6, 1e-15);
    EXPECT_EQ(probabilityBetween(x, 3, 1).value, 0);
    EXPECT_EQ(probabilityBetween({}, 1, 3).halfWidth, 0);
    EXPECT_EQ(exceedance(std::vector<double>{}, 1).halfWidth, 0);
    EXPECT_EQ(quantileEstimate({}, 0.5).value, 0);
    EXPECT_EQ(quantileEstimate(x, 0.25).value, 2);
    EXPECT_EQ(quantileEstimate(x, 0.25).halfWidth, halfWidthOfQuantile(x, 0.25));
}

TEST(Empirical, TheSharedErrorOfAProbabilityIsWhatAShiftOfTheStepsMakesOfIt)
{
    std::vector<double> even; // of uniform steps the density is 1: a shift by 0.01 s moves a probability by 0.01
    for (int i = 0; i <= 10'000; ++i)
        even.push_back(i / 10'000.0);
    SharedError s;
    for (SharedError::Part* part : {&s.p50, &s.p95, &s.p99})
        *part = {0.01, 12};
    EXPECT_NEAR(sharedExceedancePart(s, even, 0.5).stdErr, 0.01, 2e-4);
    EXPECT_EQ(sharedExceedancePart(s, even, 0.5).degrees, 12);
    EXPECT_EQ(sharedExceedancePart({}, even, 0.5).stdErr, 0);
    EXPECT_EQ(sharedExceedancePart(s, {}, 0.5).stdErr, 0);
    // Half as fast a distribution function: half the probability.
    std::vector<double> slow;
    for (const double x : even)
        slow.push_back(2 * x);
    EXPECT_NEAR(sharedExceedancePart(s, slow, 1.2).stdErr, 0.005, 2e-4);
}

TEST(RunMetrics, StepsThatFollowOneAnotherCountAsFewer)
{
    StepSamples samples;
    for (int i = 0; i < 400; ++i)
        samples.withinSeconds.push_back(i / 10 % 2 == 0 ? 1 + 1e-3 * i : 3 + 1e-3 * i); // ten short ones, ten long ones
    std::vector<double> sorted = samples.withinSeconds;
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> isLong;
    for (const double x : samples.withinSeconds)
        isLong.push_back(x > 2 ? 1.0 : 0.0);
    const double time = correlationTime(isLong);
    ASSERT_GT(time, 3);
    const RunMetrics within = RunMetrics::within(samples, sorted);
    EXPECT_NEAR(within.exceedance(2).value, 0.5, 1e-12);
    EXPECT_NEAR(within.exceedance(2).halfWidth, proportion(200, 400).halfWidth * std::sqrt(time), 1e-9);
    EXPECT_NEAR(within.between(2, 9).halfWidth, proportion(200, 400).halfWidth * std::sqrt(time), 1e-9);
    EXPECT_NEAR(within.between(2, 9).value, 0.5, 1e-12);
    EXPECT_NEAR(within.quantile(0.5).halfWidth, halfWidthOfQuantile(sorted, 0.5, time), 1e-9);
    samples.withinShared.p50.stdErr = 2;
    EXPECT_NEAR(within.quantile(0.5).halfWidth, std::hypot(halfWidthOfQuantile(sorted, 0.5, time), 2 * kReach), 1e-6);
    const RunMetrics across = RunMetrics::across(samples, sorted);
    EXPECT_NEAR(across.exceedance(2).halfWidth, proportion(200, 400).halfWidth, 1e-9);
    EXPECT_NEAR(across.quantile(0.5).halfWidth, halfWidthOfQuantile(sorted, 0.5), 1e-9);
}

TEST(PairedSample, HasTheMomentsOfItsSteps)
{
    const PairedSample s = sampleOf(kBase); // sorted 1 2 3 4 5 6 9 12
    EXPECT_NEAR(s.mean, 5.25, 1e-12);
    EXPECT_NEAR(s.variance, (316 - 8 * 5.25 * 5.25) / 7, 1e-12);
    EXPECT_NEAR(s.std, std::sqrt(s.variance), 1e-12);
    EXPECT_NEAR(s.p50, 4.5, 1e-12);
    EXPECT_NEAR(s.p95, 9 + 0.65 * 3, 1e-9);
    EXPECT_NEAR(s.p99, 9 + 0.93 * 3, 1e-9);
    EXPECT_EQ(s.sparsityP50, sparsity(s.sorted, 0.5));
    EXPECT_EQ(s.sparsityP95, sparsity(s.sorted, 0.95));
    EXPECT_EQ(s.sparsityP99, sparsity(s.sorted, 0.99));
    EXPECT_EQ(sampleOf({}).mean, 0);
}

TEST(PairedChange, EveryIntervalIsThatOfItsInfluenceValues)
{
    const PairedSample a = sampleOf(kBase), b = sampleOf(kChanged);
    const MetricChange c = pairedChange(a, b, 5);
    EXPECT_NEAR(c.mean.value, 55.0 / 8 - 42.0 / 8, 1e-12);
    EXPECT_NEAR(c.mean.halfWidth, halfWidth(8, [&](std::size_t i) { return kChanged[i] - kBase[i]; }), 1e-9);
    EXPECT_NEAR(c.std.value, b.std - a.std, 1e-12);
    const auto ofStd = [](const PairedSample& s, double x) { return ((x - s.mean) * (x - s.mean) - s.variance) / (2 * s.std); };
    EXPECT_NEAR(c.std.halfWidth, halfWidth(8, [&](std::size_t i) { return ofStd(b, kChanged[i]) - ofStd(a, kBase[i]); }), 1e-9);
    const auto ofQuantile = [](double x, double q, double slope, double p) { return slope * (p - (x <= q ? 1 : 0)); };
    struct Quantile {
        const char* name;
        double p, before, slopeBefore, after, slopeAfter;
        const Estimate& change;
    };
    for (const Quantile& q : {Quantile{"p50", 0.5, a.p50, a.sparsityP50, b.p50, b.sparsityP50, c.p50},
                              Quantile{"p95", 0.95, a.p95, a.sparsityP95, b.p95, b.sparsityP95, c.p95},
                              Quantile{"p99", 0.99, a.p99, a.sparsityP99, b.p99, b.sparsityP99, c.p99}}) {
        EXPECT_NEAR(q.change.value, q.after - q.before, 1e-12) << q.name;
        const auto influence = [&](std::size_t i) {
            return ofQuantile(kChanged[i], q.after, q.slopeAfter, q.p) - ofQuantile(kBase[i], q.before, q.slopeBefore, q.p);
        };
        EXPECT_NEAR(q.change.halfWidth, halfWidth(8, influence), 1e-9) << q.name;
    }
    // Beyond 5: 9, 6, 12 before (5 itself is not), 6, 8, 9, 20 after.
    EXPECT_NEAR(c.exceedance.value, 4.0 / 8 - 3.0 / 8, 1e-12);
    EXPECT_NEAR(c.exceedance.halfWidth, halfWidth(8, [&](std::size_t i) { return (kChanged[i] > 5 ? 1 : 0) - (kBase[i] > 5 ? 1 : 0); }),
                1e-9);
    // Without a limit it is the base's p95, 10.95: one step before, one after.
    EXPECT_NEAR(pairedChange(a, b).exceedance.value, 0, 1e-12);
    EXPECT_NEAR(pairedChange(a, sampleOf({11, 11, 11, 1, 1, 1, 1, 1})).exceedance.value, 2.0 / 8, 1e-12);
    // More steps on one side are not paired.
    std::vector<double> longer = kChanged;
    longer.insert(longer.end(), 3, 5.0);
    EXPECT_NEAR(pairedTimes(a, sampleOf(longer)).mean.halfWidth, c.mean.halfWidth, 1e-9);
}

TEST(PairedChange, WhatAllStepsShareCancelsAsFarAsTheyMoveTogether)
{
    std::vector<double> x, twice, against;
    for (int i = 0; i < 2'000; ++i) {
        x.push_back(100 + i % 20);
        twice.push_back(2 * x.back());
        against.push_back(300 - x.back());
    }
    const auto added = [&](const std::vector<double>& changed, double err, const Estimate MetricChange::*metric, auto change) {
        const double own = (change(sampleOf(x), sampleOf(changed)).*metric).halfWidth;
        const double all = (change(sampleOf(x, 1), sampleOf(changed, err)).*metric).halfWidth;
        return std::sqrt(all * all - own * own) / kReach;
    };
    const auto times = [](const PairedSample& a, const PairedSample& b) { return pairedTimes(a, b); };
    EXPECT_NEAR(added(twice, 3, &MetricChange::mean, times), 2, 0.01);   // 3 - 1
    EXPECT_NEAR(added(against, 3, &MetricChange::mean, times), 4, 0.01); // 3 + 1
    EXPECT_NEAR(added(twice, 3, &MetricChange::p50, times), 4, 0.01);
    EXPECT_NEAR(added(twice, 3, &MetricChange::p95, times), 6, 0.01);
    EXPECT_NEAR(added(twice, 3, &MetricChange::p99, times), 8, 0.01);
    EXPECT_NEAR(added(std::vector<double>(2'000, 7.0), 3, &MetricChange::mean, times), std::sqrt(10.0), 0.01)
        << "no spread, no correlation";
    const PairedSample shared = sampleOf(x, 1);
    EXPECT_NEAR(exceedance(shared, 110).halfWidth,
                std::hypot(exceedance(shared.sorted, 110).halfWidth, kReach * sharedExceedanceStdErr(*shared.samples, shared.sorted, 110)),
                1e-9);
    EXPECT_GT(exceedance(shared, 110).halfWidth, 1.5 * exceedance(shared.sorted, 110).halfWidth);
    const auto toLimit = [](const PairedSample& a, const PairedSample& b) { return pairedChange(a, b, 110); };
    EXPECT_NEAR(added(x, 0, &MetricChange::exceedance, toLimit), sharedExceedanceStdErr(*shared.samples, shared.sorted, 110), 1e-6);
}

TEST(PairedChange, StepsOfOneJobHaveNoErrorOfTheRunAcrossJobs)
{
    StepSamples samples;
    samples.withinSeconds = kBase;
    samples.acrossShared = {{5, 0}, {5, 0}, {5, 0}, {5, 0}};
    const PairedSample s(std::make_shared<const StepSamples>(samples), SampleSeries::withinJob);
    EXPECT_EQ(exceedance(s, 5).halfWidth, exceedance(s.sorted, 5).halfWidth);
    const MetricChange none = pairedChange(s, s, 5);
    for (const Estimate& e : {none.mean, none.p50, none.p95, none.p99, none.exceedance})
        EXPECT_EQ(e.halfWidth, 0);
}

TEST(PairedRatios, AreOfTheQuantilesWithTheirOwnInfluence)
{
    const PairedSample a = sampleOf(kBase), b = sampleOf(kChanged);
    const auto influence = [](const PairedSample& s, double x) { return s.sparsityP95 * (0.95 - (x <= s.p95 ? 1 : 0)); };
    const double ratio = b.p95 / a.p95;
    const Estimate r = quantileRatio(b, a, 0.95);
    EXPECT_NEAR(r.value, ratio, 1e-12);
    EXPECT_NEAR(r.halfWidth,
                halfWidth(8, [&](std::size_t i) { return (influence(b, kChanged[i]) - ratio * influence(a, kBase[i])) / a.p95; }), 1e-9);
    EXPECT_NEAR(relativeGainP95(b, a).value, 1 - ratio, 1e-12);
    EXPECT_EQ(relativeGainP95(b, a).halfWidth, r.halfWidth);
    EXPECT_EQ(quantileRatio(a, sampleOf({0, 0, 0}), 0.5).value, 0);
    EXPECT_NEAR(quantileRatio(b, a, 0.5).value, b.p50 / a.p50, 1e-12);
    EXPECT_NEAR(quantileRatio(b, a, 0.99).value, b.p99 / a.p99, 1e-12);
    // Constant steps of known shared error: sqrt((s_a / b)^2 + (r s_b / b)^2), in units of 3 for p95.
    const std::vector<double> ten(30, 10.0), five(30, 5.0);
    EXPECT_NEAR(quantileRatio(sampleOf(ten, 1), sampleOf(five, 0.5), 0.95).halfWidth, kReach * std::hypot(3.0 / 5, 2 * 1.5 / 5), 1e-9);
}

TEST(PairedRatios, AnElasticityIsTheSlopeInLogarithms)
{
    const PairedSample down = sampleOf(kBase), up = sampleOf(kChanged);
    const double width = std::log(1.1 / 0.9);
    const Estimate e = elasticity(down, up, 0.9, 1.1, 0.5);
    EXPECT_NEAR(e.value, std::log(up.p50 / down.p50) / width, 1e-12);
    const auto relative = [](const PairedSample& s, double x) { return s.sparsityP50 * (0.5 - (x <= s.p50 ? 1 : 0)) / s.p50; };
    EXPECT_NEAR(e.halfWidth, halfWidth(8, [&](std::size_t i) { return relative(up, kChanged[i]) - relative(down, kBase[i]); }) / width,
                1e-9);
    const std::vector<double> ten(30, 10.0), five(30, 5.0);
    EXPECT_NEAR(elasticity(sampleOf(five, 0.5), sampleOf(ten, 2), 0.9, 1.1, 0.95).halfWidth, kReach * std::hypot(1.5 / 5, 6.0 / 10) / width,
                1e-9);
    EXPECT_EQ(elasticity(sampleOf({0, 0}), up, 0.9, 1.1, 0.5).value, 0);
    EXPECT_EQ(elasticity(up, sampleOf({0, 0}), 0.9, 1.1, 0.5).value, 0);
}

TEST(PairedRatios, AVarianceRatioHasTheInfluenceOfBothVariances)
{
    const PairedSample whole = sampleOf(kBase), part = sampleOf(kChanged);
    const double ratio = part.variance / whole.variance;
    const Estimate r = varianceRatio(part, whole);
    EXPECT_NEAR(r.value, ratio, 1e-12);
    EXPECT_NEAR(r.halfWidth,
                halfWidth(8,
                          [&](std::size_t i) {
                              const double a = kChanged[i] - part.mean, b = kBase[i] - whole.mean;
                              return (a * a - ratio * b * b) / whole.variance;
                          }),
                1e-9);
    EXPECT_EQ(varianceRatio(part, sampleOf({3, 3, 3})).value, 0);
}

TEST(PairedSampling, TakesTheSeedThreadsAndStepsOfTheInsight)
{
    InsightOptions options;
    options.seed = 7;
    options.threads = 3;
    const SimOptions sim = pairedSampling(options, 123);
    EXPECT_EQ(sim.seed, 7U);
    EXPECT_EQ(sim.numThreads, 3);
    EXPECT_EQ(sim.numSamples, 123);
    EXPECT_EQ(sim.numWithinSamples, -1) << "steps of one job are not needed";
    const EvaluateOptions evaluate = evaluateOptions(options, 123);
    EXPECT_EQ(evaluate.seed, 7U);
    EXPECT_EQ(evaluate.numThreads, 3);
    EXPECT_EQ(evaluate.numSamples, 123);
    EXPECT_FALSE(evaluate.varianceShares || evaluate.systemsRange);
}

TEST(HeadlineChanges, MetricsAtTheMedianStepHaveItsRelativeError)
{
    const auto snapshot = [](std::vector<double> across, double scale) {
        Snapshot s;
        s.across = summarize(across);
        StepSamples samples;
        samples.acrossSeconds = std::move(across);
        s.samples = std::make_shared<const StepSamples>(std::move(samples));
        s.slowdownP50 = 2 * scale;
        s.tokensPerSecond = 300 * scale;
        s.mfu = 0.4 * scale;
        s.daysToTrain = 50 * scale;
        s.costUsd = 6000 * scale;
        return s;
    };
    const Snapshot a = snapshot(kBase, 1), b = snapshot(kChanged, 1.5);
    const HeadlineChanges c = headlineChanges(a, b);
    const double share = c.p50.delta.halfWidth / a.across.p50;
    ASSERT_GT(share, 0);
    const auto expect = [&](const HeadlineChange& change, double before) {
        EXPECT_NEAR(change.delta.value, before / 2, 1e-9 * before);
        EXPECT_NEAR(change.delta.halfWidth, before * share, 1e-9 * before);
        EXPECT_NEAR(change.relative.value, 0.5, 1e-12);
        EXPECT_NEAR(change.relative.halfWidth, share, 1e-12);
    };
    expect(c.slowdownP50, 2);
    expect(c.tokensPerSecond, 300);
    expect(c.mfu, 0.4);
    expect(c.daysToTrain, 50);
    expect(c.costUsd, 6000);
    EXPECT_EQ(c.peakMemoryGib.delta.value, 0) << "neither is costed";
    // kChanged is shorter in two draws of eight and equal in two.
    EXPECT_NEAR(c.probabilityFaster.value, (2 + 0.5 * 2) / 8, 1e-12);
}

} // namespace prism
