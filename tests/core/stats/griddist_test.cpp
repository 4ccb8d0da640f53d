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
