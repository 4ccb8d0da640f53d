// SPDX-License-Identifier: GPL-3.0-or-later
// Grids, moments and distances of a few values, by hand.
#include "core/stats/confidence.h"
#include "core/stats/distance.h"
#include "core/stats/griddist.h"
#include "core/stats/intervals.h"
#include "core/stats/moments.h"
#include "core/stats/sharederror.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace prism {
namespace {

/// 0.2 at 10, 0.5 at 12, none at 14, 0.3 at 16.
const GridDist kGrid{10, 2, {0.2, 0.5, 0, 0.3}};

double total(const std::vector<double>& x)
{
    return std::accumulate(x.begin(), x.end(), 0.0);
}

} // namespace

TEST(GridDist, MomentsAndQuantilesOfFourCells)
{
    EXPECT_DOUBLE_EQ(kGrid.mean(), 0.2 * 10 + 0.5 * 12 + 0.3 * 16);
    EXPECT_NEAR(kGrid.variance(), 0.2 * 2.8 * 2.8 + 0.5 * 0.8 * 0.8 + 0.3 * 3.2 * 3.2, 1e-12);
    // A cell spreads over one step around its point.
    const GridQuantiles quick(kGrid);
    for (const auto& [p, x] : {std::pair{0.05, 9.5}, {0.1, 10.0}, {0.3, 11.4}, {0.45, 12.0}, {0.85, 16.0}, {0.97, 16.8}}) {
        EXPECT_NEAR(kGrid.quantile(p), x, 1e-12) << p;
        EXPECT_NEAR(quick.at(p), x, 1e-12) << p;
    }
    EXPECT_NEAR(quick.at(0), 9, 1e-12);
    EXPECT_NEAR(quick.at(1.1), 17, 1e-12) << "at most the end of the last cell";
    EXPECT_EQ(kGrid.quantile(1.1), 18);
}

TEST(GridDist, SumsOfConstantsAreOnePointAndRangesHoldTheJumps)
{
    const QuantilePoints constant = quantilePoints({});
    const Summand two[] = {{&constant, 3, 2}};
    const GridDist point = sumDistribution(two, 1);
    EXPECT_EQ(point.origin, 7);
    EXPECT_EQ(point.mass, std::vector<double>{1.0});
    EXPECT_DOUBLE_EQ(point.step, 7e-12);
    // Three normals of 2 and cv 0.1: standard deviation s = 0.2 sqrt(3), 18 s wide, 3/8 of the cells below the mean.
    const QuantilePoints normal = quantilePoints({Family::normal, 0.1});
    const Summand three[] = {{&normal, 2, 3}, {&constant, 5, 1}};
    const double sigma = 0.2 * std::sqrt(3);
    const GridDist sum = sumDistribution(three, 1);
    ASSERT_EQ(sum.mass.size(), 1'024U);
    EXPECT_NEAR(sum.step, 18 * sigma / 1'024, 1e-9);
    EXPECT_NEAR(sum.origin, 12 - 384 * sum.step, 1e-9);
    EXPECT_NEAR(sum.mean(), 12, 1e-9);
    EXPECT_NEAR(sum.quantile(0.975), 12 + 1.959964 * sigma, 2e-3 * sigma);
    EXPECT_NEAR(total(sum.mass), 1, 1e-12);
    EXPECT_EQ(sumDistribution(three, 1, 256).mass.size(), 512U) << "24 cells per standard deviation";
    // A rare factor of 100 jumps by 99 times the scale: 1.6 (jump + 6 s) wide, with 24 cells per standard deviation of the bulk.
    Distribution d{Family::normal, 0.1};
    d.rareProbability = 1e-4;
    d.rareMultiplier = 100;
    const QuantilePoints rare = withRareEvent(normal, d);
    const Summand one[] = {{&rare, 1, 1}};
    const double all = std::sqrt(rare.variance), range = 1.6 * (rare.largest - rare.mean + 6 * all);
    const GridDist wide = sumDistribution(one, 0);
    EXPECT_NEAR(wide.step * static_cast<double>(wide.mass.size()), range, 1e-6 * range);
    EXPECT_EQ(wide.mass.size(), static_cast<std::size_t>(std::exp2(std::ceil(std::log2(24 * range / 0.1)))));
    EXPECT_NEAR(wide.mean(), d.mean(), 1e-6);
}

TEST(GridDist, PointsHaveTheMomentsAndTheWeightsOfTheirTails)
{
    const QuantilePoints p = quantilePoints({Family::lognormal, 0.3});
    ASSERT_EQ(p.value.size(), 2U * (4 * 48 + 6 * 16 + 15 * 4));
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < p.value.size(); ++i)
        mean += p.weight[i] * p.value[i];
    for (std::size_t i = 0; i < p.value.size(); ++i)
        variance += p.weight[i] * (p.value[i] - mean) * (p.value[i] - mean);
    EXPECT_NEAR(total(p.weight), 1, 1e-12);
    EXPECT_NEAR(mean, 1, 1e-12);
    EXPECT_NEAR(variance, 0.09, 1e-12);
    EXPECT_NEAR(p.bulkVariance, 0.09, 1e-12);
    // The outermost octave is [2^-26, 2^-25), a quarter of it per point; the innermost [1/4, 1/2) has 48.
    const double all = 1 - std::ldexp(1.0, -25);
    EXPECT_NEAR(p.weight[0], std::ldexp(1.0, -28) / all, 1e-18);
    EXPECT_NEAR(p.weight[p.weight.size() / 2], 0.25 / 48 / all, 1e-12);
    const double s = std::sqrt(std::log(1.09));
    EXPECT_NEAR(p.value.back(), std::exp(s * 5.52 - s * s / 2), 0.02 * p.value.back()); // the 1 - 1.125 x 2^-26 quantile
    EXPECT_EQ(p.largest, p.value.back());
    const QuantilePoints pool = quantilePoints(empiricalDistribution({0.5, 1.0, 1.5}));
    EXPECT_EQ(pool.weight, (std::vector<double>(3, 1.0 / 3)));
    EXPECT_NEAR(pool.value[2], 1.5, 1e-12);
    EXPECT_NEAR(pool.variance, 0.5 / 3, 1e-12);
}

TEST(Distance, TwoSmallSamplesByHand)
{
    const std::vector<double> a{1, 2, 4}, b{2, 3};
    EXPECT_NEAR(ksDistance(a, b), 1.0 / 3, 1e-12); // between 1 and 2; from 3 to 4: 2/3 against 1
    // Up to 1/3: |1 - 2|, to 1/2: |2 - 2|, to 2/3: |2 - 3|, to 1: |4 - 3|.
    EXPECT_NEAR(wassersteinDistance(a, b), 1.0 / 3 + 0 + 1.0 / 6 + 1.0 / 3, 1e-12);
    EXPECT_NEAR(wassersteinDistance(b, a), wassersteinDistance(a, b), 1e-12);
    EXPECT_NEAR(ksDistance(std::vector<double>{0.2, 0.9}, [](double x) { return x; }), 0.4, 1e-12); // just below 0.9
    EXPECT_NEAR(ksCritical(8, 4, 0.05), std::sqrt(0.5 * std::log(40.0) * (0.125 + 0.25)), 1e-12);
    EXPECT_NEAR(ksCritical(8, 0, 0.1), std::sqrt(0.5 * std::log(20.0) / 8), 1e-12);
    double p = 0; // 2 sum of (-1)^(k-1) exp(-2 k^2 n d^2)
    for (int k = 1; k < 20; ++k)
        p += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * 50 * 0.01);
    EXPECT_NEAR(ksPValue(0.1, 50), p, 1e-12);
    EXPECT_EQ(ksPValue(0.01, 50), 1);
    EXPECT_NEAR(lag1Correlation(std::vector<double>{1, 2, 4, 5}), (2 * 1 - 1 * 1 + 1 * 2) / 10.0, 1e-12); // about the mean of 3
    EXPECT_EQ(lag1Correlation(std::vector<double>{3, 3, 3}), 0);
    EXPECT_EQ(lag1Correlation(std::vector<double>{3}), 0);
}

TEST(Moments, CorrelationTimesSumNeighbouringLags)
{
    // +1 four times, -1 four times, again and again: covariances of lags 1 to 4 over that of 0 are 1/2, 0, -1/2, -1, less what the ends
    // lack; the sum of the first pair is positive, that of the second is not.
    std::vector<double> x;
    for (int i = 0; i < 80; ++i)
        x.push_back(i / 4 % 2 == 0 ? 1 : -1);
    double pair = 0;
    for (std::size_t lag : {1U, 2U})
        for (std::size_t i = lag; i < x.size(); ++i)
            pair += x[i] * x[i - lag];
    EXPECT_NEAR(correlationTime(x), 1 + 2 * pair / 80, 1e-12);
    EXPECT_EQ(correlationTime({1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1}), 1) << "at least 1";
    EXPECT_EQ(correlationTime(std::vector<double>(50, 2.0)), 1);
    EXPECT_EQ(varianceOf({1, 2, 6}), 7);
    EXPECT_EQ(varianceOf({1}), 0);
    EXPECT_EQ(medianOf({5, 1, 3}), 3);
    EXPECT_EQ(medianOf({5, 1, 3, 4}), 3.5);
    EXPECT_EQ(quantileOfSorted({1, 2, 4}, 0.75), 3);
    EXPECT_EQ(quantileOfSorted({1, 2, 4}, 1.5), 4);
    EXPECT_EQ(quantileOfSorted({1, 2, 4}, -1), 1);
}

TEST(SharedError, DegreesAreThoseOfSatterthwaite)
{
    const SharedError::Part both = together(SharedError::Part{3, 8}, SharedError::Part{4, 16});
    EXPECT_DOUBLE_EQ(both.stdErr, 5);
    EXPECT_DOUBLE_EQ(both.degrees, 625 / (81 / 8.0 + 256 / 16.0));
    EXPECT_DOUBLE_EQ(together(SharedError::Part{3, 8}, SharedError::Part{4, 0}).degrees, 625 / (81 / 8.0));
    EXPECT_EQ(together(SharedError::Part{3, 0}, SharedError::Part{4, 0}).degrees, 0);
}

} // namespace prism
