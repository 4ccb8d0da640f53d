// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/summary.h"

#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace prism {
namespace {

TEST(Summary, QuantilesInterpolateBetweenOrderStatistics)
{
    const std::vector<double> sorted = {1.0, 2.0, 4.0, 8.0};
    EXPECT_DOUBLE_EQ(quantileOfSorted(sorted, 0.0), 1.0);
    EXPECT_DOUBLE_EQ(quantileOfSorted(sorted, 0.5), 3.0);
    EXPECT_DOUBLE_EQ(quantileOfSorted(sorted, 1.0), 8.0);
    EXPECT_DOUBLE_EQ(quantileOfSorted(sorted, 1.0 / 6.0), 1.5);
}

TEST(Summary, MetricsOfUniformSamples)
{
    std::vector<double> x(10001);
    std::iota(x.begin(), x.end(), 0.0);
    const DistributionSummary s = summarize(x);
    EXPECT_EQ(s.samples, x.size());
    EXPECT_DOUBLE_EQ(s.mean, 5000.0);
    EXPECT_DOUBLE_EQ(s.p5, 500.0);
    EXPECT_DOUBLE_EQ(s.p95, 9500.0);
    EXPECT_NEAR(s.std, 10001.0 / std::sqrt(12.0), 1.0);
    // The interval of a uniform sample's quantile is 1.96 sqrt(p (1 - p) / n) wide on each side.
    EXPECT_NEAR(s.ciP95, 1.96 * std::sqrt(0.95 * 0.05 / 10001.0) * 1e4, 1.0);
}

TEST(Summary, SharedErrorsWidenTheIntervals)
{
    std::vector<double> x(1000);
    std::iota(x.begin(), x.end(), 0.0);
    StepSamples shared;
    shared.acrossShared.p95.stdErr = 100.0;
    const DistributionSummary own = summarize(x), wide = summarize(x, &shared);
    EXPECT_NEAR(wide.ciP95, std::hypot(own.ciP95, 1.959964 * 100.0), 1e-3);
    EXPECT_DOUBLE_EQ(wide.ciP50, own.ciP50);
}

TEST(Summary, IntervalsCoverTheTrueQuantileNineteenTimesInTwenty)
{
    int covered = 0;
    constexpr int kRuns = 400;
    for (std::uint64_t run = 0; run < kRuns; ++run) {
        std::vector<double> x(500);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = -std::log(uniform(run, stream(1), i));
        const DistributionSummary s = summarize(x);
        covered += std::abs(s.p95 - std::log(20.0)) < s.ciP95 ? 1 : 0;
    }
    // Binomial with 400 draws at 0.95: below 0.90 is beyond four standard errors.
    EXPECT_GT(covered, static_cast<int>(0.90 * kRuns));
}

TEST(Summary, NothingFromNothing)
{
    EXPECT_EQ(summarize({}).samples, 0U);
}

} // namespace
} // namespace prism
