// SPDX-License-Identifier: GPL-3.0-or-later
// Sums and maxima on a grid against families that are closed under them.
#include "core/stats/griddist.h"

#include "core/stats/quantile.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

TEST(GridDist, SumOfGammasIsAGamma)
{
    // Four gammas of shape 4 (cv 1/2): shape 16, mean 4, cv 1/4. Two summands of two copies each, shifted by 10.
    const QuantilePoints gamma = quantilePoints({Family::gamma, 0.5});
    const Summand parts[] = {{&gamma, 1.0, 2}, {&gamma, 1.0, 2}};
    const GridDist sum = sumDistribution(parts, 10.0);
    EXPECT_NEAR(sum.mean(), 14.0, 1e-6);
    EXPECT_NEAR(sum.variance(), 1.0, 1e-3); // a cell is 18 s / 1,024 wide
    const QuantileFunction closed({Family::gamma, 0.25});
    for (const double p : {0.01, 0.05, 0.5, 0.95, 0.99})
        EXPECT_NEAR(sum.quantile(p), 10 + 4 * closed(p), 0.01) << p;
}

TEST(GridDist, SumsOfSumsAddMeansAndVariances)
{
    const QuantilePoints factor = quantilePoints({Family::lognormal, 0.3});
    const Summand one[] = {{&factor, 2.0, 1}};
    const GridDist part = sumDistribution(one, 1.0); // mean 3, variance 0.36
    const GridPart parts[] = {{&part, 5}};
    const GridDist sum = sumOfGrids(parts);
    EXPECT_NEAR(sum.mean(), 15.0, 1e-3);
    EXPECT_NEAR(sum.variance(), 5 * 0.36, 5e-3);
}

TEST(GridDist, MaximumOfExponentialsIsAHarmonicSum)
{
    // A gamma of cv 1 is exponential: E max of n = 1 + 1/2 + ... + 1/n, variance 1 + 1/4 + ... + 1/n^2.
    const QuantilePoints exponential = quantilePoints({Family::gamma, 1.0});
    const Summand one[] = {{&exponential, 1.0, 1}};
    const GridDist most = maximumOf(sumDistribution(one, 0.0), 4);
    EXPECT_NEAR(most.mean(), 1 + 0.5 + 1.0 / 3 + 0.25, 0.02);
    EXPECT_NEAR(most.variance(), 1 + 0.25 + 1.0 / 9 + 1.0 / 16, 0.02);
}

TEST(GridDist, RareEventsKeepTheirMeanAndVariance)
{
    // One draw in a hundred takes ten times as long: E = 1.09, E X^2 = 0.99 + 100 / 100, variance 1.99 - 1.09^2.
    const Distribution d{Family::deterministic, 0.0, 0.01, 10.0};
    const QuantilePoints points = withRareEvent(quantilePoints({Family::deterministic, 0.0}), d);
    EXPECT_NEAR(points.mean, 1.09, 1e-9);
    EXPECT_NEAR(points.variance, 1.99 - 1.09 * 1.09, 1e-9);
    EXPECT_NEAR(points.largest, 10.0, 1e-9);
}

} // namespace
} // namespace prism
