// SPDX-License-Identifier: GPL-3.0-or-later
// Measured step series: known shapes, the warm-up, bad lines, and a prediction compared with draws from it.
#include "core/insight/validate/stepseries.h"

#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace prism {
namespace {

std::vector<double> draws(std::uint64_t which, int n, double centre, double spread)
{
    std::vector<double> values;
    for (int i = 0; i < n; ++i)
        values.push_back(centre * (1 + spread * (uniform(7, stream(which), static_cast<std::uint64_t>(i)) - 0.5)));
    return values;
}

LoggedRun logged(const std::vector<double>& seconds)
{
    LoggedRun run;
    for (const double s : seconds)
        run.steps.push_back({s});
    return run;
}

TEST(StepSeries, TheWarmUpAndShortRunsAreOmittedAndCounted)
{
    std::vector<double> run = draws(1, 60, 10, 0.02);
    run[0] = run[1] = 99;
    StepLog log;
    log.runs = {logged(run), logged(draws(2, 10, 10, 0.02))};
    const Result<StepSeries> series = cleanSeries(log, {});
    ASSERT_TRUE(series.ok());
    ASSERT_EQ(series->runs.size(), 1U);
    EXPECT_EQ(series->runs[0].size(), 58U);
    EXPECT_EQ(series->dropped, 2 + 10);
    EXPECT_LT(*std::max_element(series->runs[0].begin(), series->runs[0].end()), 11);
    log.runs.erase(log.runs.begin());
    EXPECT_FALSE(cleanSeries(log, {}).ok());
}

TEST(StepSeries, APredictionIsFoundInDrawsOfItselfAndNotInWiderOnes)
{
    std::vector<double> predicted = draws(3, 4000, 10, 0.04);
    std::sort(predicted.begin(), predicted.end());
    StepSeries same, wider;
    for (std::uint64_t r = 0; r < 4; ++r) { // runs of other lengths and medians: each is compared over its own
        same.runs.push_back(draws(10 + r, 500, 10 + static_cast<double>(r), 0.04));
        wider.runs.push_back(draws(20 + r, 500, 12, 0.12));
    }
    const SeriesComparison good = compareSeries(same, predicted), bad = compareSeries(wider, predicted);
    EXPECT_LT(good.ks, good.ksSamplingBound);
    EXPECT_NEAR(good.measured.p95, good.predicted.p95, 0.001);
    EXPECT_NEAR(good.measured.p95, 1.018, 0.002);
    EXPECT_NEAR(good.lag1, 0, 0.1);
    EXPECT_NEAR(good.medianSpread, 0.112, 0.01); // 10, 11, 12, 13
    EXPECT_GT(bad.ksLow, bad.ksSamplingBound);
    EXPECT_LT(bad.ksLow, bad.ks);
    EXPECT_GT(bad.ksHigh, bad.ksLow);
    EXPECT_NEAR(bad.measured.beyond, (0.06 - 0.05) / 0.12, 0.02);
}

/// `count` copies of the steps of a block of twenty.
std::vector<double> steps(double slowest)
{
    std::vector<double> x(19);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = 10 + (i % 2 == 0 ? 0.2 : -0.2);
    x.push_back(slowest);
    return x;
}

TEST(StepSeries, OneBlockIsRedrawnAsItself)
{
    // 9 of 9.8, 10 of 10.2 and one of 14: median 10.2. Prediction: 40 steps of 20 and 22 in turn, median 21.
    StepSeries series;
    series.runs = {steps(14)};
    series.dropped = 3;
    std::vector<double> predicted;
    for (int i = 0; i < 40; ++i)
        predicted.push_back(i % 2 == 0 ? 20 : 22);
    const SeriesComparison c = compareSeries(series, predicted);
    EXPECT_EQ((std::array{c.runs, c.steps, c.dropped}), (std::array{1, 20, 3}));
    EXPECT_NEAR(c.measuredMedianSeconds, 10.2, 1e-12);
    EXPECT_NEAR(c.predictedMedianSeconds, 21, 1e-12);
    EXPECT_NEAR(c.measured.p5, 9.8 / 10.2, 1e-12);
    EXPECT_NEAR(c.measured.p95, (10.2 + 0.05 * 3.8) / 10.2, 1e-9); // at 18.05 of 19
    EXPECT_NEAR(c.measured.p99, (10.2 + 0.81 * 3.8) / 10.2, 1e-9);
    EXPECT_NEAR(c.measured.beyond, 1.0 / 20, 1e-12);
    const double mean = (9 * 9.8 + 10 * 10.2 + 14) / 20;
    EXPECT_NEAR(c.measured.cv,
                std::sqrt((9 * std::pow(9.8 - mean, 2) + 10 * std::pow(10.2 - mean, 2) + std::pow(14 - mean, 2)) / 19) / mean, 1e-9);
    EXPECT_NEAR(c.predicted.p95, 22.0 / 21, 1e-12);
    EXPECT_NEAR(c.predicted.beyond, 0, 1e-12);
    EXPECT_NEAR(c.p50.error, 21 / 10.2 - 1, 1e-12);
    EXPECT_NEAR(c.p95.error, c.predicted.p95 - c.measured.p95, 1e-12);
    EXPECT_NEAR(c.p99.error, c.predicted.p99 - c.measured.p99, 1e-12);
    EXPECT_NEAR(c.beyond.error, -0.05, 1e-12);
    EXPECT_NEAR(c.ks, 0.5, 1e-12); // at 0.96 of the median all measured lie above 0.952, where half of the predicted are
    for (const double end : {c.ksLow, c.ksHigh})
        EXPECT_NEAR(end, c.ks, 1e-12);
    for (const MetricError* e : {&c.p50, &c.p95, &c.p99, &c.beyond}) {
        EXPECT_NEAR(e->low, e->error, 1e-12);
        EXPECT_NEAR(e->high, e->error, 1e-12);
        EXPECT_EQ(e->halves, 0);
    }
    EXPECT_EQ(c.ksHalves, 0) << "one block makes no two halves";
    EXPECT_EQ(c.medianSpread, 0);
    EXPECT_NEAR(c.predictedLag1, -39.0 / 40, 0.03);
    const double independent = std::floor(20 * (1 - c.lag1) / (1 + c.lag1));
    EXPECT_NEAR(c.ksSamplingBound, std::sqrt(-0.5 * std::log(0.025) * (1 / independent + 1.0 / 40)), 1e-12);
    ASSERT_EQ(c.notes.size(), 2U) << "neighbours correlate more than those of the model, and the slowest step is slower";
    EXPECT_NE(c.notes[1].find("slowest measured steps"), std::string::npos);
    // 97.5 % of pairs of blocks, each of 21 places of which 20 hold the slow step, have at least one of the two.
    series.runs[0].insert(series.runs[0].end(), 20, 10.2);
    const SeriesComparison longer = compareSeries(series, predicted);
    EXPECT_NEAR(longer.beyond.error, -1.0 / 40, 1e-12);
    EXPECT_NEAR(longer.beyond.low, -2.0 / 40, 1e-12);
    EXPECT_NEAR(longer.beyond.high, -1.0 / 40, 1e-12);
}

TEST(StepSeries, TwoBlocksMakeTwoHalves)
{
    StepSeries series;
    series.runs = {steps(14), steps(10.2)};
    const SeriesComparison c = compareSeries(series, std::vector<double>(40, 10.0));
    std::vector<double> a = series.runs[0], b = series.runs[1];
    for (std::vector<double>* run : {&a, &b}) {
        for (double& x : *run)
            x /= 10.2;
        std::sort(run->begin(), run->end());
    }
    EXPECT_EQ(c.steps, 40);
    EXPECT_NEAR(c.ksHalves, 1.0 / 20, 1e-12); // the one slow step
    EXPECT_NEAR(c.p50.halves, 0, 1e-12);
    EXPECT_NEAR(c.p95.halves, 0.05 * 3.8 / 10.2, 1e-9);
    EXPECT_NEAR(c.p99.halves, 0.81 * 3.8 / 10.2, 1e-9);
    EXPECT_NEAR(c.beyond.halves, 1.0 / 20, 1e-12);
    EXPECT_NEAR(c.medianSpread, 0, 1e-12);
    EXPECT_NEAR(c.beyond.low, -1.0 / 40, 1e-12) << "blocks stay in their run";
    EXPECT_NEAR(c.beyond.high, -1.0 / 40, 1e-12);
}

TEST(StepSeries, RunsWeighByTheirStepsAndDifferencesAreNoted)
{
    StepSeries series;
    std::vector<double> rising; // equal neighbours
    for (int i = 0; i < 40; ++i)
        rising.push_back(20 + 0.01 * i);
    series.runs = {steps(10.2), rising};
    const SeriesComparison c = compareSeries(series, std::vector<double>(40, 10.0));
    const double own = -1, other = 1 - 3.0 / 40; // of an alternating and of a rising series, nearly
    EXPECT_NEAR(c.lag1, (20 * own + 40 * other) / 60, 0.05);
    EXPECT_NEAR(c.measuredMedianSeconds, (10.2 + 20.195) / 2, 1e-9);
    const double middle = (10.2 + 20.195) / 2, half = (20.195 - 10.2) / 2 / middle;
    EXPECT_NEAR(c.medianSpread, half * std::sqrt(2.0), 1e-9);
    EXPECT_NEAR(c.ksSamplingBound, std::sqrt(-0.5 * std::log(0.025) * (1.0 / std::floor(60 * (1 - c.lag1) / (1 + c.lag1)) + 1.0 / 40)),
                1e-12);
    EXPECT_EQ(c.notes.size(), 2U) << "neighbours that correlate more than predicted, and medians that differ";
}

TEST(StepSeries, SeriesOfCleanRunsCountWhatIsMissing)
{
    std::vector<CleanRun> runs(3);
    runs[0].seconds.assign(20, 1.0);
    runs[1].seconds.assign(19, 1.0);
    runs[2].seconds.assign(25, 1.0);
    const auto series = seriesOf(runs, 70);
    ASSERT_TRUE(series.ok());
    EXPECT_EQ(series->runs.size(), 2U);
    EXPECT_EQ(series->dropped, 25);
    EXPECT_EQ(seriesOf(runs, 40)->dropped, 0);
    runs.erase(runs.begin());
    runs.pop_back();
    EXPECT_FALSE(seriesOf(runs, 19).ok());
}

} // namespace
} // namespace prism
