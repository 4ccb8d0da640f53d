// SPDX-License-Identifier: GPL-3.0-or-later
// Every family has mean 1 and the cv that was given, by numerical integration of its quantile function.
#include "core/stats/distribution.h"

#include "core/stats/quantile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace prism {
namespace {

struct Moments {
    double mean = 0, variance = 0;
};

/// Integrates Q over (0, 1) by the trapezium rule in z = ln(u / (1 - u)), which converges geometrically.
Moments moments(const Distribution& d)
{
    const QuantileFunction q(d);
    Moments m;
    double second = 0;
    const double h = 1.0 / 64;
    for (double z = -300; z <= 300; z += h) {
        const double lower = 1 / (1 + std::exp(-z));
        const double upper = 1 / (1 + std::exp(z));
        const double weight = h * lower * upper;
        const double x = q.fromTails(lower, upper);
        m.mean += weight * x;
        second += weight * x * x;
    }
    m.variance = second - m.mean * m.mean;
    return m;
}

TEST(Distribution, HasMeanOneAndTheGivenCv)
{
    for (const Family family : {Family::normal, Family::lognormal, Family::gamma, Family::weibull})
        for (const double cv : {1e-5, 5e-4, 2e-3, 0.02, 0.2, 0.5, 0.85}) {
            const Moments m = moments({family, cv});
            EXPECT_NEAR(m.mean, 1.0, 1e-7) << familyName(family) << " cv " << cv;
            EXPECT_NEAR(std::sqrt(m.variance) / cv, 1.0, cv < 1e-3 ? 1e-4 : 1e-6) << familyName(family) << " cv " << cv;
        }
    for (const Family family : {Family::lognormal, Family::gamma, Family::weibull}) {
        const Moments m = moments({family, 2.0});
        EXPECT_NEAR(m.mean, 1.0, 1e-6) << familyName(family);
        EXPECT_NEAR(std::sqrt(m.variance), 2.0, 1e-4) << familyName(family);
    }
}

TEST(Distribution, QuantilesMatchKnownValues)
{
    // Exponential is both the gamma and the Weibull of cv 1: Q(u) = -ln(1 - u).
    for (const double u : {0.01, 0.5, 0.99, 0.999999}) {
        EXPECT_NEAR(baseQuantile(Distribution{Family::gamma, 1.0}, u), -std::log1p(-u), 1e-9 * (1 - std::log1p(-u)));
        EXPECT_NEAR(baseQuantile(Distribution{Family::weibull, 1.0}, u), -std::log1p(-u), 1e-9 * (1 - std::log1p(-u)));
    }
    // z(0.975) = 1.959963984540054; truncation at 0 is 1e-23 away at cv 0.1.
    EXPECT_NEAR(baseQuantile(Distribution{Family::normal, 0.1}, 0.975), 1.1959963984540054, 1e-12);
    const double s = std::sqrt(std::log1p(0.09));
    EXPECT_NEAR(baseQuantile(Distribution{Family::lognormal, 0.3}, 0.975), std::exp(-0.5 * s * s + s * 1.959963984540054), 1e-12);
    EXPECT_EQ(baseQuantile(Distribution{Family::deterministic, 0.3}, 0.9), 1.0);
    EXPECT_EQ(baseQuantile(Distribution{Family::lognormal, 0.0}, 0.9), 1.0);
}

TEST(Distribution, QuantileIsMonotoneAndItsSlopeFits)
{
    for (const Family family : {Family::normal, Family::lognormal, Family::gamma, Family::weibull})
        for (const double cv : {5e-4, 0.1, 0.7}) {
            const QuantileFunction q({family, cv});
            double last = -1;
            for (double u = 0.001; u < 1; u += 0.001) {
                EXPECT_GE(q(u), last);
                last = q(u);
                const double e = 1e-6 * std::min(u, 1 - u);
                EXPECT_NEAR(q.slope(u, 1 - u) / ((q(u + e) - q(u - e)) / (2 * e)), 1.0, 2e-3)
                    << familyName(family) << " " << cv << " u " << u;
            }
        }
}

TEST(Distribution, AWideGammaIsFlatWhereItsDensityHasNoBound)
{
    Distribution d;
    d.family = Family::gamma;
    for (const double cv : {2.0, 5.0, 10.0}) { // shapes 1/4, 1/25, 1/100
        d.cv = cv;
        const QuantileFunction q(d);
        for (const double lower : {0.0, 1e-300, 1e-30, 1e-6, 0.1, 0.4})
            EXPECT_LE(0, q.slope(lower, 1 - lower)) << cv << " " << lower;
        EXPECT_EQ(q.slope(1e-300, 1), 0) << cv;
    }
}

TEST(Distribution, EmpiricalKeepsThePoolsMoments)
{
    const Distribution d = empiricalDistribution({3, 1, 2, 10});
    EXPECT_DOUBLE_EQ(baseQuantile(d, 0.1), 0.25);
    EXPECT_DOUBLE_EQ(baseQuantile(d, 0.99), 2.5);
    EXPECT_DOUBLE_EQ(std::accumulate(d.pool->begin(), d.pool->end(), 0.0), 4.0);
    EXPECT_NEAR(d.cv, std::sqrt((9.0 + 1 + 4 + 36) / 4) / 4, 1e-15);
    EXPECT_TRUE(check(d, "x").empty());
}

TEST(Distribution, RareEventChangesMeanAndVariance)
{
    Distribution d{Family::gamma, 0.2, 0.01, 5.0};
    EXPECT_DOUBLE_EQ(d.mean(), 1.04);
    // Mixture: 0.99 draws of B and 0.01 of 5 B.
    EXPECT_NEAR(d.variance(), 1.04 * (0.99 + 0.01 * 25) - 1.04 * 1.04, 1e-12);
    EXPECT_FALSE(d.isDeterministic());
}

TEST(Distribution, HashAndEqualityFollowContent)
{
    const auto hash = [](const Distribution& d) {
        Hasher h;
        d.addTo(h);
        return h.result();
    };
    const Distribution a = empiricalDistribution({1, 2, 3});
    const Distribution b = empiricalDistribution({2, 4, 6});
    EXPECT_EQ(a, b);
    EXPECT_EQ(hash(a), hash(b));
    const Distribution c = empiricalDistribution({1, 2, 4});
    EXPECT_FALSE(a == c);
    EXPECT_NE(hash(a), hash(c));
    EXPECT_NE(hash({Family::gamma, 0.1}), hash({Family::weibull, 0.1}));
}

/// What follows a pool in a key is not a value of the pool.
TEST(Distribution, TheHashOfAPoolEndsWithIt)
{
    Distribution one{Family::empirical, 0.1}, two = one;
    one.pool = std::make_shared<const std::vector<double>>(1, 0.5);
    two.pool = std::make_shared<const std::vector<double>>(2, 0.5);
    Hasher first, second;
    one.addTo(first);
    first.add(0.5);
    two.addTo(second);
    EXPECT_NE(first.result(), second.result());
}

TEST(Distribution, CheckReportsEveryProblem)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(check({Family::normal, nan, 1.0, -1.0}, "a").size(), 3U);
    EXPECT_EQ(check({Family::normal, 0.95}, "a").size(), 1U);
    EXPECT_EQ(check({Family::normal, 0.95}, "a")[0].path, "a.cv");
    EXPECT_EQ(check({Family::empirical, 0.1}, "a").size(), 1U);
    EXPECT_TRUE(check({Family::lognormal, 2.0, 1e-3, 10.0}, "a").empty());
    for (const auto& [multiplier, problems] : {std::pair{0.0, 1U}, {1e-9, 0U}, {0.5, 0U}, {1e6, 0U}, {1.000001e6, 1U}})
        EXPECT_EQ(check({Family::normal, 0.1, 0.01, multiplier}, "a").size(), problems) << multiplier;
    for (const auto& [probability, problems] : {std::pair{-1e-9, 1U}, {0.0, 0U}, {0.999, 0U}, {1.0, 1U}})
        EXPECT_EQ(check({Family::normal, 0.1, probability, 2.0}, "a").size(), problems) << probability;
    for (const auto& [cv, problems] : {std::pair{-1e-9, 1U}, {0.0, 0U}, {0.9, 0U}, {0.901, 1U}})
        EXPECT_EQ(check({Family::normal, cv}, "a").size(), problems) << cv;
    EXPECT_TRUE(check({Family::gamma, 10.0}, "a").empty());
    EXPECT_EQ(check({Family::gamma, 10.01}, "a").size(), 1U);
}

TEST(Distribution, NamesRoundTrip)
{
    for (int i = 0; i < 6; ++i)
        EXPECT_EQ(familyFromName(familyName(static_cast<Family>(i))), static_cast<Family>(i));
    EXPECT_FALSE(familyFromName("gaussian"));
}

} // namespace
} // namespace prism
