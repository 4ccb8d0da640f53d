// SPDX-License-Identifier: GPL-3.0-or-later
// Draws made once: they have the distribution of their table, in every lane, and no two lanes follow each other.
#include "core/sim/kernel/drawpool.h"

#include "core/stats/quantile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace prism {
namespace {

RegisterTable tableOf(const Distribution& distribution)
{
    const QuantileFunction q(distribution);
    return registerTable([&](double lower, double upper) { return q.fromTails(lower, upper); }, 1.0, distribution.baseVariance());
}

double correlation(const float* draws, std::size_t a, std::size_t b)
{
    double ab = 0.0, aa = 0.0, bb = 0.0;
    for (std::size_t i = 0; i < kPoolLines; ++i) {
        const double x = static_cast<double>(draws[i * kPoolLanes + a]) - 1.0, y = static_cast<double>(draws[i * kPoolLanes + b]) - 1.0;
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    return ab / std::sqrt(aa * bb);
}

TEST(DrawPool, HoldsEachPartOfTheDistributionOnce)
{
    const Distribution d{Family::lognormal, 0.2};
    const QuantileFunction q(d);
    const DrawPool pool(tableOf(d));
    std::vector<double> sorted(pool.lines(), pool.lines() + kPoolLines * kPoolLanes);
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); i += 97) {
        const auto n = static_cast<double>(sorted.size());
        EXPECT_GT(sorted[i], q(std::max(1e-6, static_cast<double>(i) / n)) - 1e-3) << i;
        EXPECT_LT(sorted[i], q(static_cast<double>(i + 1) / n) + 1e-3) << i;
    }
    EXPECT_GT(sorted.back(), q(1.0 - 7e-5));
}

TEST(DrawPool, EveryLaneHasTheTablesMeanAndVariance)
{
    for (const Family family : {Family::lognormal, Family::gamma, Family::weibull}) {
        const DrawPool pool(tableOf({family, 0.8}));
        for (std::size_t lane = 0; lane < kPoolLanes; ++lane) {
            double mean = 0.0, square = 0.0;
            for (std::size_t i = 0; i < kPoolLines; ++i) {
                const auto x = static_cast<double>(pool.lines()[i * kPoolLanes + lane]);
                mean += x / kPoolLines;
                square += (x - 1.0) * (x - 1.0) / kPoolLines;
            }
            EXPECT_NEAR(mean, 1.0, 1e-6);
            EXPECT_NEAR(square, 0.64, 1e-6);
        }
    }
}

TEST(DrawPool, LanesAreUncorrelated)
{
    const DrawPool pool(tableOf({Family::normal, 0.1}));
    double squares = 0.0;
    for (std::size_t a = 0; a < kPoolLanes; ++a)
        for (std::size_t b = 0; b < a; ++b) {
            const double r = correlation(pool.lines(), a, b);
            EXPECT_LT(std::abs(r), 4.0 / std::sqrt(static_cast<double>(kPoolLines))) << a << " " << b;
            squares += r * r;
        }
    const double pairs = kPoolLanes * (kPoolLanes - 1) / 2.0;
    EXPECT_NEAR(squares / pairs * kPoolLines, 1.0, 4.0 * std::sqrt(2.0 / pairs)); // as of independent lanes: chi-squared
}

TEST(DrawPool, AllPoolsHaveOneOrder)
{
    const DrawPool a(tableOf({Family::normal, 0.1})), b(tableOf({Family::lognormal, 0.5}));
    for (std::size_t lane = 0; lane < kPoolLanes; ++lane) {
        std::vector<std::pair<float, float>> both;
        for (std::size_t i = lane; i < kPoolLines * kPoolLanes; i += kPoolLanes)
            both.emplace_back(a.lines()[i], b.lines()[i]);
        std::sort(both.begin(), both.end());
        for (std::size_t i = 1; i < both.size(); ++i)
            EXPECT_GE(both[i].second, both[i - 1].second) << lane;
    }
}

} // namespace
} // namespace prism
