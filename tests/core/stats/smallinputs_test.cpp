// SPDX-License-Identifier: GPL-3.0-or-later
// The smallest and the most extreme inputs of quantiles, intervals, fits and trees, against known answers.
#include "core/stats/boostedtrees.h"
#include "core/stats/confidence.h"
#include "core/stats/distribution.h"
#include "core/stats/fit.h"
#include "core/stats/moments.h"
#include "core/stats/quantile.h"

#include <boost/math/special_functions/gamma.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace prism {
namespace {

TEST(SmallInputs, QuantilesAndIntervalsOfNoneOneAndTwoValues)
{
    EXPECT_EQ(quantileOfSorted({}, 0.0), 0.0);
    EXPECT_EQ(quantileOfSorted({3.0}, 0.7), 3.0);
    EXPECT_EQ(halfWidthOfQuantile({3.0}, 0.5), 0.0);
    // P(binomial(2, 0.5) < 2) - P(binomial(2, 0.5) < 1) = 0.75 - 0.25 < 0.95: the whole distance to either value.
    EXPECT_DOUBLE_EQ(halfWidthOfQuantile({0.0, 1.0}, 0.5), 0.5);
}

TEST(SmallInputs, NumbersThatHardlyDifferAreSorted)
{
    std::mt19937_64 random(5);
    for (const double base : {2e-3, -1e-5, 1e7, 0.0})
        for (const std::size_t n : {2, 63, 64, 144, 2000}) {
            std::vector<double> values; // few of them, which differ by units of the last place
            for (std::size_t i = 0; i < n; ++i)
                values.push_back(base + std::ldexp(std::abs(base), -52) * static_cast<double>(random() % 40));
            values[n / 2] = std::numeric_limits<double>::infinity();
            values[0] = -0.0;
            std::vector<double> expected = values;
            std::sort(expected.begin(), expected.end());
            sortAscending(values);
            EXPECT_EQ(values, expected) << base << " " << n;
        }
}

TEST(SmallInputs, ADeterministicFactorHasNoSpread)
{
    EXPECT_EQ(maxCv(Family::deterministic), 0.0);
    EXPECT_EQ(maxCv(Family::normal), 0.9);
    EXPECT_EQ(maxCv(Family::gamma), 10.0);
}

TEST(SmallInputs, AWeibullWithAHeavyTailIsFitted)
{
    // Shape 0.5 is the square of an exponential: cv^2 = G(5) / G(3)^2 - 1 = 24 / 4 - 1 = 5. A shape above 1 would have a cv below 1.
    constexpr int kValues = 2000;
    std::vector<double> values;
    for (int i = 0; i < kValues; ++i)
        values.push_back(std::pow(-std::log1p(-(i + 0.5) / kValues), 2.0));
    const Result<Fit> fit = fitFamily(Family::weibull, values);
    ASSERT_TRUE(fit.ok());
    EXPECT_NEAR(fit->distribution.cv, std::sqrt(5.0), 0.05);
}

TEST(SmallInputs, TheSlopeOfAGammaQuantileIsOneOverItsDensity)
{
    // ln f(x) = ln(a / 2 pi) / 2 - 1 / (12 a) - ln x + a (ln x - (x - 1)) for shape a and mean 1, by Stirling's series; its next term is
    // 1 / (360 a^3). Next to 1 the logarithm is a series too: ln(1 + d) - d = -d^2 / 2 + d^3 / 3 - ...
    for (const double cv : {1e-3, 1.02e-3}) {
        const double shape = 1.0 / (cv * cv);
        const QuantileFunction quantile(Distribution{Family::gamma, cv});
        for (const double upper : {1e-3, 1e-9, 1e-15}) {
            const double d = quantile.fromTails(1.0 - upper, upper) - 1.0;
            double log = 0.0, power = d;
            for (int k = 2; k < 12; ++k) {
                power *= -d;
                log += power / k;
            }
            const double density =
                std::exp(0.5 * std::log(shape / (2.0 * std::numbers::pi)) - 1.0 / (12.0 * shape) - std::log1p(d) + shape * log);
            EXPECT_NEAR(quantile.slope(1.0 - upper, upper) * density, 1.0, 1e-9) << cv << ' ' << upper;
        }
    }
}

/// A gamma of a cv below 0.001 is an expansion, whose error shows in the tails; from there on both directions are exact.
TEST(SmallInputs, AGammaIsExactFromItsExpansionsEndOn)
{
    for (const double cv : {0.99e-3, 1e-3, 1.02e-3}) {
        const QuantileFunction quantile(Distribution{Family::gamma, cv});
        for (const double lower : {1e-12, 1e-9, 1e-3, 0.5})
            EXPECT_NEAR(quantile.cdf(quantile.fromTails(lower, 1.0 - lower)) / lower, 1.0, 1e-10) << cv << ' ' << lower;
        const double exact = boost::math::gamma_p_inv(1.0 / (cv * cv), 1e-9) * cv * cv, x = quantile.fromTails(1e-9, 1.0);
        EXPECT_EQ(std::abs(x / exact - 1.0) < 1e-12, cv >= 1e-3) << cv;
    }
}

TEST(BoostedTrees, EveryTreeTakesATenthOfAnInteraction)
{
    // 1 where x = y = 1, else 0. The first split is by x; that of x = 1 by y leaves pure leaves although only 10 of 100 rows have y = 0.
    // 80 trees of a tenth each leave 0.9^80 of the distance to the mean.
    std::vector<BoostedTrees::Features> rows;
    std::vector<double> targets;
    for (int i = 0; i < 200; ++i) {
        const double x = i < 100 ? 1 : 0, y = i % 10 == 0 ? 0 : 1;
        rows.push_back({x, y, 0});
        targets.push_back(x * y);
    }
    const BoostedTrees trees(rows, targets);
    const double left = std::pow(0.9, 80);
    EXPECT_NEAR(trees.at({1, 1, 0}), 1 - 0.55 * left, 1e-9);
    EXPECT_NEAR(trees.at({1, 0, 0}), 0.45 * left, 1e-9);
    EXPECT_NEAR(trees.at({0, 1, 0}), 0.45 * left, 1e-9);
}

/// Of a hundred rows, seven or eight differ from the others: eight make a leaf, whichever side of the threshold they are on.
TEST(BoostedTrees, ALeafHasEightRowsAtLeast)
{
    for (const int below : {7, 8, 92, 93}) {
        std::vector<BoostedTrees::Features> rows;
        std::vector<double> targets;
        for (int i = 0; i < 100; ++i) {
            targets.push_back(i < below ? 0 : 1);
            rows.push_back({targets.back(), 0, 0});
        }
        const BoostedTrees trees(rows, targets);
        const double mean = (100 - below) / 100.0, left = below == 8 || below == 92 ? std::pow(0.9, 80) : 1;
        EXPECT_NEAR(trees.at({0, 0, 0}), mean * left, 1e-9) << below;
        EXPECT_NEAR(trees.at({1, 0, 0}), 1 - (1 - mean) * left, 1e-9) << below;
    }
}

/// The values are their own distribution: nothing is fitted, nothing differs.
TEST(SmallInputs, AnEmpiricalFitIsTheValues)
{
    const Result<Fit> fit = fitFamily(Family::empirical, std::vector<double>{4, 1, 1});
    ASSERT_TRUE(fit.ok());
    EXPECT_DOUBLE_EQ(fit->mean, 2);
    EXPECT_EQ(*fit->distribution.pool, (std::vector<double>{0.5, 0.5, 2}));
    EXPECT_EQ(fit->ksDistance, 0);
    EXPECT_EQ(fit->ksPValue, 1);
}

/// Ranks are linear between values, whatever their unit.
TEST(SmallInputs, AnIntervalOfAQuantileIsInTheUnitOfTheValues)
{
    std::vector<double> seconds;
    for (int i = 0; i < 60; ++i)
        seconds.push_back(0.1 * i * i);
    std::vector<double> milliseconds = seconds;
    for (double& x : milliseconds)
        x *= 1000;
    for (const double p : {0.3, 0.5, 0.9})
        for (const double time : {1.0, 2.5})
            EXPECT_NEAR(halfWidthOfQuantile(milliseconds, p, time), 1000 * halfWidthOfQuantile(seconds, p, time), 1e-6) << p << ' ' << time;
}

} // namespace
} // namespace prism
