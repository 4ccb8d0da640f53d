// SPDX-License-Identifier: GPL-3.0-or-later
// Intervals against tables, hand-worked examples and their coverage.
#include "core/stats/intervals.h"

#include "core/stats/moments.h"
#include "core/stats/quantile.h"
#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

TEST(Intervals, ReachesAreThoseOfTheTables)
{
    EXPECT_NEAR(normalReach(), 1.959963984540054, 1e-14);
    EXPECT_NEAR(studentReach(1), std::tan(0.475 * std::acos(-1.0)), 1e-9); // Cauchy: tan(pi (p - 1/2))
    EXPECT_NEAR(studentReach(9), 2.262157, 1e-6);
    EXPECT_NEAR(studentReach(24), 2.063899, 1e-6);
    EXPECT_NEAR(studentReach(1e7), normalReach(), 1e-6);
}

TEST(Intervals, ProportionsHaveWilsonsIntervalEvenAtZeroAndOne)
{
    const double z2 = normalReach() * normalReach();
    EXPECT_EQ(proportion(0, 10).value, 0.0);
    EXPECT_NEAR(proportion(0, 10).halfWidth, z2 / (10 + z2), 1e-14); // no hits in ten: up to 27.8 %
    EXPECT_NEAR(proportion(10, 10).halfWidth, z2 / (10 + z2), 1e-14);
    // 8 of 10: 0.4901625 to 0.9433178.
    EXPECT_NEAR(proportion(8, 10).halfWidth, 0.8 - 0.4901625, 1e-6);
    EXPECT_EQ(proportion(0, 0).halfWidth, 0.0);
}

TEST(Intervals, MeanOfIndependentValues)
{
    EXPECT_NEAR(halfWidthOfMean({1, 2, 3, 4, 5}), normalReach() * std::sqrt(2.5 / 5), 1e-14);
    EXPECT_EQ(halfWidthOfMean({7}), 0.0);
    EXPECT_EQ(halfWidthOfSeriesMean({1, 2, 3}), halfWidthOfMean({1, 2, 3})); // too short for batches
}

TEST(Intervals, BatchesCoverTheMeanOfASeriesThatRemembers)
{
    // x_t = 0.8 x_{t-1} + n_t: the mean of 2,500 has three times the standard error that independence would say.
    const QuantileFunction normal({Family::lognormal, std::sqrt(std::expm1(1.0))}); // ln of its quantiles: normal, mean -1/2, variance 1
    int batches = 0, naive = 0;
    constexpr int kTrials = 200;
    for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
        std::vector<double> x(2'500);
        double last = 0;
        for (std::size_t t = 0; t < x.size(); ++t)
            x[t] = last = 0.8 * last + std::log(normal(uniform(trial, stream(3), t))) + 0.5;
        batches += std::abs(meanOf(x)) <= halfWidthOfSeriesMean(x) ? 1 : 0;
        naive += std::abs(meanOf(x)) <= halfWidthOfMean(x) ? 1 : 0;
    }
    EXPECT_GE(batches, 0.90 * kTrials);
    EXPECT_LE(naive, 0.65 * kTrials);
}

TEST(Moments, MedianLiesBetweenTheTwoMiddleValues)
{
    EXPECT_EQ(medianOf({3, 1, 2}), 2.0);
    EXPECT_EQ(medianOf({4, 1, 3, 2}), 2.5);
    EXPECT_EQ(medianOf({}), 0.0);
}

} // namespace
} // namespace prism
