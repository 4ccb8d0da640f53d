// SPDX-License-Identifier: GPL-3.0-or-later
// Measured step series: known shapes, the warm-up, bad lines, and a prediction compared with draws of itself.
#include "core/insight/validate/stepseries.h"

#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(StepSeries, TheWarmUpAndShortRunsAreLeftOutAndCounted)
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
    EXPECT_LT(good.ks, good.ksByChance);
    EXPECT_NEAR(good.measured.p95, good.predicted.p95, 0.001);
    EXPECT_NEAR(good.measured.p95, 1.018, 0.002);
    EXPECT_NEAR(good.lag1, 0, 0.1);
    EXPECT_NEAR(good.medianSpread, 0.112, 0.01); // 10, 11, 12, 13
    EXPECT_GT(bad.ksLow, bad.ksByChance);
    EXPECT_LT(bad.ksLow, bad.ks);
    EXPECT_GT(bad.ksHigh, bad.ksLow);
    EXPECT_NEAR(bad.measured.beyond, (0.06 - 0.05) / 0.12, 0.02);
}

} // namespace
} // namespace prism
