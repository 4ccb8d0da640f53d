// SPDX-License-Identifier: GPL-3.0-or-later
// Intervals against tables, hand-worked examples and their coverage.
#include "core/stats/intervals.h"

#include "core/stats/moments.h"
#include "core/stats/quantile.h"
#include "core/stats/random.h"

#include <boost/math/distributions/binomial.hpp>
#include <gtest/gtest.h>

#include <algorithm>
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

TEST(Intervals, ProportionsHoldNinetyFivePerCentOfTheScoreTest)
{
    // No hits in ten: all of it lies above, so its one end is where the score test of 5 % ends, z^2 / (n + z^2).
    const double z2 = 1.6448536269514722 * 1.6448536269514722;
    EXPECT_EQ(proportion(0, 10).value, 0.0);
    EXPECT_NEAR(proportion(0, 10).halfWidth, z2 / (10 + z2), 1e-9);
    EXPECT_NEAR(proportion(10, 10).halfWidth, z2 / (10 + z2), 1e-9);
    // Five of ten: both sides of the interval have the same length, as in Wilson's interval, z / (2 sqrt(n + z^2)).
    const double z = normalReach();
    EXPECT_NEAR(proportion(5, 10).halfWidth, z / (2 * std::sqrt(10 + z * z)), 1e-9);
    EXPECT_EQ(proportion(0, 0).halfWidth, 0.0);
}

TEST(Intervals, ProportionsCoverAsOftenAsStated)
{
    // Exactly: the binomial probability of the counts whose interval covers p, over places of p within one step of the lattice.
    for (const double expected : {5.0, 10.0, 50.0, 500.0}) {
        double covered = 0.0;
        constexpr int kPlaces = 20, kTrials = 1000;
        for (int i = 0; i < kPlaces; ++i) {
            const boost::math::binomial_distribution<> hits(kTrials, (expected + static_cast<double>(i) / kPlaces) / kTrials);
            const double p = hits.success_fraction(), far = 12 * std::sqrt(kTrials * p);
            for (int k = std::max(0, static_cast<int>(kTrials * p - far)); k <= std::min<int>(kTrials, kTrials * p + far); ++k)
                if (const Estimate e = proportion(k, kTrials); std::abs(e.value - p) <= e.halfWidth)
                    covered += boost::math::pdf(hits, k) / kPlaces;
        }
        EXPECT_GT(covered, 0.94) << expected;
        EXPECT_LT(covered, 0.97) << expected;
    }
}

TEST(Intervals, MeanOfIndependentValues)
{
    EXPECT_NEAR(halfWidthOfMean({1, 2, 3, 4, 5}), normalReach() * std::sqrt(2.5 / 5), 1e-14);
    EXPECT_EQ(halfWidthOfMean({7}), 0.0);
    EXPECT_EQ(halfWidthOfSeriesMean({1, 2, 3}), halfWidthOfMean({1, 2, 3})); // too short for batches
}

TEST(Intervals, BatchesCoverTheMeanOfASeriesThatRemembers)
{
    // x_t = 0.8 x_{t-1} + n_t: the mean of 2,500 has three times the standard error of independent values.
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
