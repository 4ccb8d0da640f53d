// SPDX-License-Identifier: GPL-3.0-or-later
// Curves for charts: the empirical distribution with its band, the density, the probabilities that snap.
#include "core/insight/curve.h"

#include "core/stats/quantile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace prism {
namespace {

TEST(CdfCurve, FewSamplesGiveTheirStepsWithTheBandOfMassart)
{
    const std::vector<CurvePoint> curve = cdfCurve({1, 2, 3, 4});
    ASSERT_EQ(curve.size(), 4U);
    const double band = std::sqrt(std::log(40.0) / 8); // sqrt(ln(2 / 0.05) / (2 n)), n = 4
    for (int i = 0; i < 4; ++i) {
        const CurvePoint& p = curve[static_cast<std::size_t>(i)];
        EXPECT_EQ(p.seconds, i + 1.0);
        EXPECT_DOUBLE_EQ(p.probability, (i + 1) / 4.0);
        EXPECT_DOUBLE_EQ(p.low, std::max(0.0, p.probability - band));
        EXPECT_DOUBLE_EQ(p.high, std::min(1.0, p.probability + band));
    }
}

TEST(CdfCurve, PointsInTheTailHaveTheirIntervals)
{
    std::vector<double> samples(10'000);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<double>(i);
    std::vector<CurvePoint> curve = cdfCurve(samples, 10'000);
    addPointIntervals(curve, samples.size());
    for (const CurvePoint& p : curve) {
        EXPECT_LE(p.pointLow, p.probability);
        EXPECT_GE(p.pointHigh, p.probability);
    }
    // One of 10,000 lies beyond: 1 - 0.975^(1/n) and the upper limit of a Poisson count of one, 5.5716, over n.
    const auto last = std::find_if(curve.begin(), curve.end(), [](const CurvePoint& p) { return p.probability == 0.9999; });
    ASSERT_NE(last, curve.end());
    EXPECT_NEAR(1 - last->pointHigh, 1 - std::pow(0.975, 1e-4), 1e-9);
    EXPECT_NEAR(1 - last->pointLow, 5.5716e-4, 2e-6);
    EXPECT_EQ(curve.back().pointHigh, 1.0);
}

TEST(CdfCurve, EqualSamplesAreOneStepAndWhatIsNotFiniteIsCounted)
{
    int dropped = -1;
    const std::vector<CurvePoint> curve = cdfCurve({2, 2, 2, 5, std::numeric_limits<double>::infinity()}, 512, &dropped);
    ASSERT_EQ(curve.size(), 2U);
    EXPECT_EQ(curve[0].probability, 0.75);
    EXPECT_EQ(curve[1].probability, 1.0);
    EXPECT_EQ(dropped, 1);
    EXPECT_TRUE(cdfCurve({}).empty());
}

TEST(CdfCurve, ManySamplesAreThinnedButKeepBothEnds)
{
    std::vector<double> x;
    for (int i = 0; i < 100'000; ++i)
        x.push_back(i);
    const std::vector<CurvePoint> curve = cdfCurve(x, 200);
    ASSERT_LE(curve.size(), 201U);
    EXPECT_EQ(curve.front().seconds, 0.0);
    EXPECT_EQ(curve.back().seconds, 99'999.0);
    for (const CurvePoint& p : curve)
        EXPECT_NEAR(p.probability, (p.seconds + 1) / 100'000, 1e-12); // every point lies on the whole curve
    EXPECT_LT(curve[1].seconds - curve[0].seconds, 20);               // dense where the tail is read
}

TEST(DensityCurve, IsTheNormalDensityOfNormalSamplesAndSumsToOne)
{
    const QuantileFunction normal({Family::normal, 0.1});
    std::vector<double> x;
    for (int i = 0; i < 4'000; ++i)
        x.push_back(normal((i + 0.5) / 4'000));
    const std::vector<DensityPoint> curve = densityCurve(x, 401);
    double area = 0, highest = 0;
    for (std::size_t i = 1; i < curve.size(); ++i) {
        area += 0.5 * (curve[i].perSecond + curve[i - 1].perSecond) * (curve[i].seconds - curve[i - 1].seconds);
        highest = std::max(highest, curve[i].perSecond);
    }
    EXPECT_NEAR(area, 1.0, 2e-3);
    // The kernel of width 0.9 s n^(-1/5) widens the peak 1 / (0.1 sqrt(2 pi)) = 3.989 to s' = sqrt(s^2 + width^2).
    const double width = 0.09 * std::pow(4'000, -0.2);
    EXPECT_NEAR(highest, 1 / (std::sqrt(0.01 + width * width) * std::sqrt(2 * std::acos(-1.0))), 0.02);
    EXPECT_TRUE(densityCurve({3, 3, 3}).empty());
}

TEST(DensityCurve, TwoSamplesAreTwoKernels)
{
    // Standard deviation sqrt(1/2); the middle half is 0.5 wide, which is less: width 0.9 (0.5 / 1.34) 2^(-1/5).
    const double width = 0.9 * 0.5 / 1.34 * std::pow(2, -0.2), root = std::sqrt(2 * std::acos(-1.0));
    const std::vector<DensityPoint> curve = densityCurve({0, 1}, 3);
    ASSERT_EQ(curve.size(), 3U);
    EXPECT_NEAR(curve[0].seconds, 0.0005 - 3 * width, 1e-12);
    EXPECT_NEAR(curve[1].seconds, 0.5, 1e-12);
    EXPECT_NEAR(curve[2].seconds, 0.9995 + 3 * width, 1e-12);
    EXPECT_NEAR(curve[1].perSecond, 2 * std::exp(-0.125 / (width * width)) / (2 * width * root), 1e-12);
    // Five samples of which the middle half does not spread: the standard deviation of 0, 1, 1, 1, 2 is sqrt(1/2).
    const double wide = 0.9 * std::sqrt(0.5) * std::pow(5, -0.2);
    EXPECT_NEAR(densityCurve({0, 1, 1, 1, 2}, 3)[1].perSecond, (3 + 2 * std::exp(-0.5 / (wide * wide))) / (5 * wide * root), 1e-12);
    EXPECT_EQ(densityCurve({0, 1}, 2).size(), 2U);
    EXPECT_TRUE(densityCurve({0, 1}, 1).empty());
    EXPECT_TRUE(densityCurve({1}, 3).empty());
}

TEST(CdfCurve, PlacesFollowASineFromEndToEnd)
{
    std::vector<double> x;
    for (int i = 0; i <= 100; ++i)
        x.push_back(i);
    const std::vector<CurvePoint> curve = cdfCurve(x, 5); // 0.5 - 0.5 cos(k pi / 4) of 100
    ASSERT_EQ(curve.size(), 5U);
    const int expected[] = {0, 15, 50, 85, 100};
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_EQ(curve[i].seconds, expected[i]);
    EXPECT_EQ(cdfCurve(x, 2).size(), 2U);
    EXPECT_TRUE(cdfCurve(x, 1).empty());
    EXPECT_EQ(cdfCurve({7}).front().probability, 1);
}

} // namespace
} // namespace prism
