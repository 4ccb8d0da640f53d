// SPDX-License-Identifier: GPL-3.0-or-later
// Histograms of pools, by hand and against the family that drew them.
#include "core/trace/pools.h"

#include "core/stats/quantile.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace prism {
namespace {

TEST(PoolHistogram, CountsByHand)
{
    // n = 8, quartiles of 1 to 8 by linear interpolation 2.75 and 6.25: width 2 x 3.5 / 2 = 3.5, so two bins over a range of 7.
    DurationPool pool{"p", {1, 2, 3, 4, 5, 6, 7, 8}, {}, {}};
    const PoolHistogram h = poolHistogram(pool);
    ASSERT_EQ(h.shares.size(), 2U);
    EXPECT_DOUBLE_EQ(h.low, 1);
    EXPECT_DOUBLE_EQ(h.width, 3.5);
    EXPECT_DOUBLE_EQ(h.shares[0], 0.5);
    EXPECT_DOUBLE_EQ(h.shares[1], 0.5);
    EXPECT_TRUE(h.familyShares.empty()) << "no family was fitted";
    EXPECT_EQ(h.values, 8U);
}

TEST(PoolHistogram, TheFamilyThatDrewTheValuesExpectsTheirShares)
{
    const Distribution gamma{Family::gamma, 0.3};
    const QuantileFunction quantile(gamma);
    std::vector<double> seconds;
    constexpr int kValues = 4000;
    for (int i = 0; i < kValues; ++i)
        seconds.push_back(0.02 * quantile((i + 0.5) / kValues)); // its own quantiles: a sample without sampling error
    const DurationPool pool = fittedPool("p", seconds);
    ASSERT_TRUE(pool.fit);
    const PoolHistogram h = poolHistogram(pool);
    ASSERT_EQ(h.shares.size(), h.familyShares.size());
    EXPECT_GT(h.shares.size(), 10U);
    EXPECT_NEAR(std::accumulate(h.shares.begin(), h.shares.end(), 0.0), 1, 1e-9);
    for (std::size_t bin = 0; bin < h.shares.size(); ++bin)
        EXPECT_NEAR(h.shares[bin], h.familyShares[bin], 0.01) << bin;
}

TEST(PoolHistogram, EqualEmptyAndBrokenValues)
{
    EXPECT_TRUE(poolHistogram({"p", {}, {}, {}}).shares.empty());
    const PoolHistogram same = poolHistogram({"p", {2, 2, 2}, {}, {}});
    ASSERT_EQ(same.shares.size(), 1U);
    EXPECT_NEAR(same.shares[0], 1, 1e-12);
    const PoolHistogram rounded = poolHistogram({"p", {0.3, 0.1 + 0.2, 0.3}, {}, {}});
    ASSERT_EQ(rounded.shares.size(), 1U) << "differences of time stamps that rounding leaves are not a range";
    EXPECT_EQ(rounded.width, 0);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(poolHistogram({"p", {1, nan, 2}, {}, {}}).values, 2U);
    std::vector<double> wide(1000, 1.0);
    wide.push_back(1e9);
    EXPECT_LE(poolHistogram({"p", wide, {}, {}}).shares.size(), static_cast<std::size_t>(kMaxPoolBins));
}

} // namespace
} // namespace prism
