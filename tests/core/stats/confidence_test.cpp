// SPDX-License-Identifier: GPL-3.0-or-later
// Symmetric intervals from confidence distributions against known answers and their coverage.
#include "core/stats/confidence.h"

#include "core/stats/intervals.h"
#include "core/stats/moments.h"
#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

TEST(Confidence, TheSmallestHalfWidthHoldsNinetyFivePerCent)
{
    // An exponential one with the estimate at its start covers 1 - exp(-h).
    EXPECT_NEAR(minHalfWidth(10.0, [](double h) { return -std::expm1(-h); }), -std::log(0.05), 1e-9);
    EXPECT_EQ(minHalfWidth(2.0, [](double) { return 0.5; }), 2.0);
    EXPECT_NEAR(errorCdf(normalReach(), 0), 0.975, 1e-12);
    EXPECT_NEAR(errorCdf(studentReach(7), 7), 0.975, 1e-12);
}

/// Bonferroni: five intervals with a common coverage omit 1 % each.
TEST(Confidence, IntervalsThatHoldTogetherReachFarther)
{
    EXPECT_NEAR(jointReach(9, 1), studentReach(9), 1e-12);
    EXPECT_NEAR(jointReach(9, 5), 3.249836, 1e-6); // t table, 9 degrees, 0.995
    EXPECT_NEAR(jointReach(1e8, 5), 2.575829, 1e-6);
}

TEST(Confidence, QuantilesOfAnExponentialSampleCoverAsOftenAsStated)
{
    // The p-quantile is -ln(1 - p). Ten values lie beyond p99 of a thousand: the ends of its interval are not equally far.
    constexpr int kTrials = 1000, kValues = 1000;
    int covered50 = 0, covered99 = 0;
    for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
        std::vector<double> x;
        for (std::uint64_t i = 0; i < kValues; ++i)
            x.push_back(-std::log(uniform(trial, stream(11), i)));
        std::sort(x.begin(), x.end());
        covered50 += std::abs(quantileOfSorted(x, 0.50) - std::log(2.0)) <= halfWidthOfQuantile(x, 0.50) ? 1 : 0;
        covered99 += std::abs(quantileOfSorted(x, 0.99) - std::log(100.0)) <= halfWidthOfQuantile(x, 0.99) ? 1 : 0;
    }
    EXPECT_NEAR(covered50, 950, 23); // 99.9 % of right ones
    EXPECT_NEAR(covered99, 950, 23);
}

TEST(Confidence, QuantilesOfValuesThatFollowOneAnotherAreLessKnown)
{
    std::vector<double> x;
    for (int i = 0; i < 10'000; ++i)
        x.push_back(i / 10'000.0);
    EXPECT_NEAR(halfWidthOfQuantile(x, 0.5), normalReach() * 0.5 / std::sqrt(10'000.0), 1e-4);
    EXPECT_NEAR(halfWidthOfQuantile(x, 0.5, 4.0), normalReach() / std::sqrt(10'000.0), 2e-4);
    EXPECT_EQ(halfWidthOfQuantile({}, 0.5), 0.0);
}

/// Eight values of 1, then eight of -1: covariances 16, 13 and 10 of lags 0, 1 and 2, the only pair that a quarter of the series holds.
TEST(Confidence, CorrelationTimeAddsTwiceThePairsOfLags)
{
    std::vector<double> series(16, 1.0);
    std::fill(series.begin() + 8, series.end(), -1.0);
    EXPECT_NEAR(correlationTime(series), 1 + 2 * 23.0 / 16, 1e-12);
    EXPECT_EQ(correlationTime(std::vector<double>(16, 3.0)), 1.0);
}

} // namespace
} // namespace prism
