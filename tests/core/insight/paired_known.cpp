// SPDX-License-Identifier: GPL-3.0-or-later
// Intervals of small samples in closed form, shared errors of either end, and parts of a snapshot in JSON.
#include "core/insight/paired.h"

#include "core/cost/predictor.h"
#include "core/insight/curve.h"
#include "core/insight/empirical.h"
#include "core/insight/placement/placement.h"
#include "core/insight/scenarios.h"
#include "core/insight/snapshotreport.h"
#include "core/insight/variation.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>
#include <vector>

namespace prism {
namespace {

constexpr double kNormal = 1.959963984540054; // 97.5 % point of the standard normal

PairedSample pairOf(std::vector<double> across, double meanErr = 0, double p95Err = 0)
{
    StepSamples s;
    s.acrossSeconds = std::move(across);
    s.acrossShared.mean.stdErr = meanErr;
    s.acrossShared.p95.stdErr = p95Err;
    return PairedSample(std::make_shared<const StepSamples>(std::move(s)));
}

/// 0, 1e-4, ... 1.
std::vector<double> evenSteps()
{
    std::vector<double> x;
    for (int i = 0; i <= 10'000; ++i)
        x.push_back(i / 10'000.0);
    return x;
}

} // namespace

TEST(CdfCurve, IntervalsOfTwoSamplesAreThoseOfClopperAndPearson)
{
    std::vector<CurvePoint> curve = cdfCurve({3, 8});
    addPointIntervals(curve, 2);
    ASSERT_EQ(curve.size(), 2U);
    // One of two: 1 - p and p have the square roots of 0.975; two of two: 0.025 = p^2.
    EXPECT_NEAR(curve[0].pointLow, 1 - std::sqrt(0.975), 1e-9);
    EXPECT_NEAR(curve[0].pointHigh, std::sqrt(0.975), 1e-9);
    EXPECT_NEAR(curve[1].pointLow, std::sqrt(0.025), 1e-9);
    EXPECT_EQ(curve[1].pointHigh, 1);
    // A hundred times the scale: a hundredth of the density.
    const std::vector<DensityPoint> one = densityCurve({0, 1, 1.5, 4}, 5), hundred = densityCurve({0, 100, 150, 400}, 5);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_NEAR(hundred[i].seconds, 100 * one[i].seconds, 1e-10);
        EXPECT_NEAR(hundred[i].perSecond, one[i].perSecond / 100, 1e-14);
    }
}

TEST(RunMetrics, WhatStepsShareMovesBothEndsOfARange)
{
    StepSamples samples;
    samples.acrossSeconds = evenSteps(); // density 1
    samples.acrossShared.p50 = {0.01, 0};
    samples.acrossShared.p95 = {0.03, 0};
    samples.acrossShared.p99 = {0.07, 0};
    const RunMetrics run = RunMetrics::across(samples, samples.acrossSeconds);
    // From the median to p95: the upper end moves 0.03, the lower 0.01. From p95 to p99: 0.07 and 0.03, of which 0.01 lies beyond the end.
    const auto shared = [](const Estimate& all, const Estimate& own) {
        return std::sqrt(all.halfWidth * all.halfWidth - own.halfWidth * own.halfWidth) / kNormal;
    };
    const std::vector<double>& x = samples.acrossSeconds;
    EXPECT_NEAR(run.between(0.5, 0.95).value, 0.45, 1e-4);
    EXPECT_NEAR(shared(run.between(0.5, 0.95), probabilityBetween(x, 0.5, 0.95)), 0.02, 3e-4);
    EXPECT_NEAR(shared(run.between(0.95, 0.2), probabilityBetween(x, 0.95, 0.2)), 0, 3e-4) << "an empty range stays empty";
    EXPECT_NEAR(shared(run.between(0.1, 0.725), probabilityBetween(x, 0.1, 0.725)), 0.01, 3e-4); // 0.02 and 0.01
    EXPECT_NEAR(run.quantile(0.95).halfWidth, std::hypot(quantileEstimate(x, 0.95).halfWidth, 0.03 * kNormal), 1e-9);
    EXPECT_NEAR(sharedExceedancePart(samples.acrossShared, x, 0.5).stdErr, 0.01, 2e-4);
    EXPECT_NEAR(sharedExceedancePart(samples.acrossShared, x, 0.725).stdErr, 0.02, 3e-4);
    EXPECT_NEAR(sharedExceedancePart(samples.acrossShared, x, 0.2).stdErr, 0.01, 2e-4);
}

TEST(PairedKnown, StepsOfLessThanASecondArePairedToo)
{
    // Two independent signs of a tenth of a second; their sum has the correlation 1 / sqrt(2) with the first.
    std::vector<double> first, sum;
    for (int i = 0; i < 4'000; ++i) {
        const double a = i % 2 == 0 ? 0.1 : -0.1, b = i / 2 % 2 == 0 ? 0.1 : -0.1;
        first.push_back(0.5 + a);
        sum.push_back(0.5 + a + b);
    }
    const auto added = [&](double x, double y) {
        const double own = pairedTimes(pairOf(first), pairOf(sum)).mean.halfWidth;
        const double all = pairedTimes(pairOf(first, x), pairOf(sum, y)).mean.halfWidth;
        return (all * all - own * own) / (kNormal * kNormal);
    };
    EXPECT_NEAR(added(1, 3), 1 + 9 - 2 * 3 / std::sqrt(2.0), 2e-3);
    EXPECT_NEAR(added(2, 1), 4 + 1 - 2 * 2 / std::sqrt(2.0), 2e-3);
    // Values below one second have ratios, and spreads of zero no influence.
    EXPECT_NEAR(quantileRatio(pairOf({0.5, 0.5}), pairOf({0.25, 0.25}), 0.95).value, 2, 1e-12);
    EXPECT_NEAR(elasticity(pairOf({0.2, 0.2}), pairOf({0.3, 0.3}), 0.9, 1.1, 0.5).value, std::log(1.5) / std::log(1.1 / 0.9), 1e-12);
    EXPECT_NEAR(varianceRatio(pairOf({0.1, 0.3}), pairOf({0.2, 0.6})).value, 0.25, 1e-12);
    EXPECT_NEAR(relativeGainP95(pairOf({0.3, 0.3}), pairOf({0.4, 0.4})).value, 0.25, 1e-12);
    EXPECT_EQ(pairedChange(pairOf({3, 3, 3}), pairOf({4, 4, 4})).std.halfWidth, 0);
    EXPECT_EQ(quantileRatio(pairOf({3, 3}), pairOf({0, 0}), 0.95).value, 0);
}

TEST(PairedKnown, StepsOfOneJobHaveNoSharedError)
{
    StepSamples base;
    for (int i = 0; i < 400; ++i)
        base.acrossSeconds.push_back(5 + 0.01 * ((i * 37) % 100));
    base.withinSeconds = base.acrossSeconds;
    StepSamples known = base;
    for (SharedError::Part SharedError::*part : {&SharedError::mean, &SharedError::p50, &SharedError::p95, &SharedError::p99})
        (known.acrossShared.*part).stdErr = 0.5;
    const auto widths = [](const StepSamples& s, SampleSeries series) {
        StepSamples longer = s;
        for (std::vector<double>* x : {&longer.acrossSeconds, &longer.withinSeconds})
            for (std::size_t i = 0; i < x->size(); ++i)
                (*x)[i] += i % 2 == 0 ? 1.1 : 0.9; // no perfect correlation
        const PairedSample a(std::make_shared<const StepSamples>(s), series), b(std::make_shared<const StepSamples>(longer), series);
        const MetricChange change = pairedTimes(a, b);
        return std::vector<double>{change.mean.halfWidth, change.p50.halfWidth, change.p95.halfWidth, change.p99.halfWidth};
    };
    EXPECT_EQ(widths(known, SampleSeries::withinJob), widths(base, SampleSeries::withinJob));
    const std::vector<double> own = widths(base, SampleSeries::acrossJobs), all = widths(known, SampleSeries::acrossJobs);
    for (std::size_t i = 0; i < own.size(); ++i)
        EXPECT_GT(all[i], own[i]) << i;
}

TEST(PairedKnown, StepsWithoutAPartnerAreNotPaired)
{
    const std::vector<double> a{3, 1, 4, 9, 5, 2, 6, 12};
    std::vector<double> b{4, 1, 6, 8, 9, 2, 5, 20}, more = b;
    more.insert(more.end(), b.begin(), b.end()); // the same distribution but for the unbiased variance
    const MetricChange pairs = pairedChange(pairOf(a), pairOf(b), 5), longer = pairedChange(pairOf(a), pairOf(more), 5);
    EXPECT_NEAR(longer.mean.halfWidth, pairs.mean.halfWidth, 1e-12);
    EXPECT_NEAR(longer.exceedance.halfWidth, pairs.exceedance.halfWidth, 1e-12);
    EXPECT_NEAR(longer.std.halfWidth / pairs.std.halfWidth, 1, 0.1);
    EXPECT_NEAR(pairedChange(pairOf(more), pairOf(b), 5).exceedance.halfWidth, pairedChange(pairOf(b), pairOf(b), 5).exceedance.halfWidth,
                1e-12);
    for (const auto& [down, up] : {std::pair{a, more}, {more, a}}) {
        EXPECT_NEAR(
            elasticity(pairOf(down), pairOf(up), 0.9, 1.1, 0.95).halfWidth
                / elasticity(pairOf({down.begin(), down.begin() + 8}), pairOf({up.begin(), up.begin() + 8}), 0.9, 1.1, 0.95).halfWidth,
            1, 0.3);
        EXPECT_LT(quantileRatio(pairOf(down), pairOf(up), 0.5).halfWidth, 9);
        EXPECT_LT(varianceRatio(pairOf(down), pairOf(up)).halfWidth, 9);
    }
    EXPECT_NEAR(scaledSpread({Family::lognormal, 0.2}, 1.05).cv, 0.21, 1e-15);
}

TEST(SnapshotReport, OtherSystemsScaleTheMedianWithinAJob)
{
    Snapshot s;
    s.costed = std::make_shared<const CostedStep>(costStep(testscenarios::smallScenario()).value());
    StepSamples samples;
    samples.noiseFreeSeconds = 3.25;
    s.samples = std::make_shared<const StepSamples>(samples);
    s.within.p50 = 4;
    s.across.p50 = 5;
    s.varianceShare.rare = 0.125;
    s.varianceShare.ciRare = 0.25;
    EXPECT_TRUE(report::json(s)["over_systems"].is_null());
    SystemsRange range;
    s.systems = std::make_shared<const SystemsRange>(range);
    EXPECT_TRUE(report::json(s)["over_systems"].is_null()) << "none was drawn";
    range.systems.resize(7);
    range.levelRatio = {0.75, 1.25, 1.5};
    range.p95OverP50 = {1.0625, 1.125, 1.375};
    range.p99OverP50 = {1.1875, 1.4375, 1.875};
    s.systems = std::make_shared<const SystemsRange>(range);
    const auto json = report::json(s), over = json["over_systems"];
    EXPECT_EQ(over["draws"], 7);
    EXPECT_EQ(over["p50_s"], (nlohmann::ordered_json{{"p5", 3.0}, {"p50", 5.0}, {"p95", 6.0}}));
    EXPECT_EQ(over["p95_over_p50"], (nlohmann::ordered_json{{"p5", 1.0625}, {"p50", 1.125}, {"p95", 1.375}}));
    EXPECT_EQ(over["p99_over_p50"], (nlohmann::ordered_json{{"p5", 1.1875}, {"p50", 1.4375}, {"p95", 1.875}}));
    EXPECT_EQ(json["noise_free_step_time_s"], 3.25);
    EXPECT_EQ(json["variance_share"]["rare"], 0.125);
    EXPECT_EQ(json["variance_share"]["ci95"]["rare"], 0.25);
    EXPECT_EQ(json["memory_gib"]["stages"].size(), 4U);
}

TEST(PlacementReport, CellsAreRowByRow)
{
    PlacementMap map;
    map.rows = 2;
    map.columns = 3;
    map.rowLabels = {"x", "y"};
    for (int i = 0; i < 6; ++i) {
        PlacementCell cell;
        cell.node = 10 + i;
        cell.p95Ratio = {1.5 + i, 0.5};
        cell.p50Ratio = {2.25, 0.25};
        cell.p99Ratio = {3.125, 0.125};
        cell.p95Seconds = 20 + i;
        cell.p50Seconds = 30 + i;
        cell.p99Seconds = 40 + i;
        map.cells.push_back(cell);
    }
    const std::string csv = toCsv(map);
    EXPECT_NE(csv.find("\nx,1,11,2.5,0.5,2.25,0.25,3.125,0.125,21,31,41\n"), std::string::npos) << csv;
    EXPECT_NE(csv.find("\ny,0,13,4.5,0.5,2.25,0.25,3.125,0.125,23,33,43\n"), std::string::npos) << csv;
    const auto cells = nlohmann::json::parse(toJson(map))["cells"];
    EXPECT_EQ(cells[5]["node"], 15);
    EXPECT_EQ(cells[2]["p95_ratio"]["value"], 3.5);
    EXPECT_EQ(cells[3]["row"], 1);
    EXPECT_EQ(cells[4]["stage"], 1);
    PlacementResult r;
    r.givenOrder = {2, 0, 1};
    r.bestOrder = {1, 2, 0};
    r.worstOrder = {0, 1, 2};
    EXPECT_TRUE(toCsv(r).ends_with("\n0,2,1,0\n1,0,2,1\n2,1,0,2\n"));
    SlowNodesReport slow;
    MetricChange change;
    change.p50 = {-0.5, 0.25};
    change.p95 = {-1.5, 0.75};
    slow.rows = {{{.node = 3, .computeFactor = 1.25, .linkFactor = 1.5}, "node 3", change}};
    EXPECT_TRUE(toCsv(slow).ends_with("\nnode 3,1.25,1.5,-0.5,0.25,-1.5,0.75\n"));
}

} // namespace prism
