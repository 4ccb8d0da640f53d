// SPDX-License-Identifier: GPL-3.0-or-later
// Distances between samples, and fits of families to samples of known origin.
#include "core/stats/distance.h"

#include "core/stats/fit.h"
#include "core/stats/quantile.h"
#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace prism {
namespace {

std::vector<double> drawn(const Distribution& d, double scale, std::size_t n, std::uint64_t which)
{
    const QuantileFunction q(d);
    std::vector<double> x;
    for (std::size_t i = 0; i < n; ++i)
        x.push_back(scale * q(uniform(5, stream(which), i)));
    return x;
}

std::vector<double> sorted(std::vector<double> x)
{
    std::sort(x.begin(), x.end());
    return x;
}

TEST(Distance, KnownValues)
{
    const std::vector<double> a = {1, 2, 3, 4};
    const std::vector<double> b = {2.5, 3.5};
    EXPECT_DOUBLE_EQ(ksDistance(a, b), 0.5);
    EXPECT_DOUBLE_EQ(ksDistance(a, a), 0.0);
    EXPECT_DOUBLE_EQ(ksDistance(a, std::vector<double>{9}), 1.0);
    // Uniform on [0, 4]: the steps at 1, 2, 3, 4 reach 0.25 above the line just below them.
    EXPECT_DOUBLE_EQ(ksDistance(a, [](double x) { return x / 4; }), 0.25);
    EXPECT_DOUBLE_EQ(wassersteinDistance(a, b), 0.25 * (1.5 + 0.5 + 0.5 + 0.5));
    EXPECT_DOUBLE_EQ(wassersteinDistance(a, std::vector<double>{2, 3, 4, 5}), 1.0);
    // Tabulated: the 5 % point of Kolmogorov's distribution is 1.3581, the 1 % point 1.6276.
    EXPECT_NEAR(ksCritical(10'000, 0, 0.05), 0.013581, 1e-6);
    EXPECT_NEAR(ksPValue(1.3581 / 100, 1e4), 0.05, 1e-4);
    EXPECT_NEAR(ksPValue(1.6276 / 100, 1e4), 0.01, 1e-4);
    EXPECT_NEAR(lag1Correlation(std::vector<double>{1, -1, 1, -1, 1, -1}), -5.0 / 6, 1e-12);
    EXPECT_EQ(lag1Correlation(std::vector<double>{3}), 0.0);
}

/// Samples of two and of three values: 1/6 of the quantiles differ by 1, 1/3 differ by 2.
TEST(Distance, OfAValueThatIsNotANumberIsNone)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(ksDistance(std::vector{nan, nan}, std::vector{1.0, 2.0})));
    EXPECT_TRUE(std::isnan(ksDistance(std::vector{1.0, 2.0}, std::vector{0.5, nan})));
}

TEST(Distance, SamplesOfUnequalSizesAreComparedByTheirQuantiles)
{
    const std::vector<double> two{0.0, 1.0}, three{0.0, 0.0, 3.0};
    EXPECT_NEAR(wassersteinDistance(two, three), 5.0 / 6.0, 1e-12);
    EXPECT_NEAR(wassersteinDistance(three, two), 5.0 / 6.0, 1e-12);
}

TEST(Distance, LagOneOfAnEvenRiseAndOfNoVariance)
{
    EXPECT_NEAR(lag1Correlation(std::vector<double>{1.0, 2.0, 3.0, 4.0}), 0.25, 1e-12); // 1.25 of 5
    EXPECT_EQ(lag1Correlation(std::vector<double>{2.0, 2.0, 2.0}), 0.0);
}

TEST(Distance, SamplesOfOneDistributionStayBelowTheCriticalValue)
{
    int beyond = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
        const auto a = sorted(drawn({Family::gamma, 0.4}, 1, 500, 1000 + i));
        const auto b = sorted(drawn({Family::gamma, 0.4}, 1, 800, 5000 + i));
        beyond += ksDistance(a, b) > ksCritical(500, 800, 0.05) ? 1 : 0;
    }
    EXPECT_LE(beyond, 22); // 10 expected, 4 standard deviations above
    EXPECT_GE(beyond, 1);
}

TEST(Fit, FindsParametersOfKnownSamples)
{
    constexpr std::size_t n = 20'000;
    for (const Family family : {Family::normal, Family::lognormal, Family::gamma, Family::weibull})
        for (const double cv : {0.02, 0.25}) {
            const auto fit = fitFamily(family, drawn({family, cv}, 3.0, n, 42 + static_cast<std::uint64_t>(family)));
            ASSERT_TRUE(fit.ok());
            EXPECT_NEAR(fit->mean, 3.0, 5 * 3.0 * cv / std::sqrt(n)) << familyName(family);
            EXPECT_NEAR(fit->distribution.cv / cv, 1.0, 5 / std::sqrt(n)) << familyName(family); // se about 1 / sqrt(2 n)
            EXPECT_LT(fit->ksDistance, ksCritical(n, 0, 0.01));
        }
}

TEST(Fit, RanksTheTrueFamilyFirst)
{
    for (const Family family : {Family::lognormal, Family::gamma, Family::weibull}) {
        const auto fits = fitFamilies(drawn({family, 0.5}, 1.0, 20'000, 77));
        ASSERT_TRUE(fits.ok());
        EXPECT_EQ(fits->front().distribution.family, family);
        EXPECT_LT(fits->back().ksPValue, 1e-6);
    }
}

TEST(Fit, BadValuesAreErrors)
{
    EXPECT_FALSE(fitFamily(Family::gamma, std::vector<double>{1}).ok());
    EXPECT_EQ(fitFamily(Family::gamma, std::vector<double>{1, -1}).errors()[0].path, "values[1]");
    EXPECT_FALSE(fitFamily(Family::gamma, std::vector<double>{1, std::numeric_limits<double>::infinity()}).ok());
    for (const Family family : {Family::normal, Family::lognormal, Family::gamma, Family::weibull}) {
        const auto equal = fitFamily(family, std::vector<double>(10, 2.0));
        ASSERT_TRUE(equal.ok());
        EXPECT_TRUE(std::isfinite(equal->distribution.cv) && std::isfinite(equal->mean)) << familyName(family);
        EXPECT_LT(equal->distribution.cv, 1e-5);
    }
}

TEST(Distribution, CdfInvertsTheQuantile)
{
    for (const Family family : {Family::normal, Family::lognormal, Family::gamma, Family::weibull})
        for (const double cv : {5e-4, 0.01, 0.6}) {
            const QuantileFunction q({family, cv});
            for (const double u : {1e-4, 0.2, 0.5, 0.99})
                EXPECT_NEAR(q.cdf(q(u)), u, 1e-9) << familyName(family);
            EXPECT_EQ(q.cdf(-1), 0.0);
        }
}

} // namespace
} // namespace prism
