// SPDX-License-Identifier: GPL-3.0-or-later
// Samples with tails that follow on paper: tail probabilities of points, and the fitted tail.
#include "core/insight/placement/tailsample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace prism {
namespace {

/// 160, 158, ... : the value at rank i is 160 - 2 i.
std::vector<double> descendingByTwo(int count)
{
    std::vector<double> x;
    for (int i = 0; i < count; ++i)
        x.push_back(160.0 - 2 * i);
    return x;
}

} // namespace

TEST(TailSampleKnown, PointsHaveTheirMiddleTailProbability)
{
    const TailSample s({5, 2, 9}); // 9 has 0.5 of 3, 5 has 1.5, 2 has 2.5
    EXPECT_EQ(s.upperQuantile(0.1), 9);
    EXPECT_EQ(s.upperQuantile(0.5 / 3), 9);
    EXPECT_NEAR(s.upperQuantile(0.5 / 3 * std::pow(3.0, 0.25)), 8, 1e-12); // 1.5 / 0.5 = 3: a quarter of the way from 9 to 5
    EXPECT_NEAR(s.upperQuantile(0.5), 5, 1e-12);
    EXPECT_NEAR(s.upperQuantile(0.5 * std::pow(5.0 / 3, 0.2)), 4.4, 1e-12);
    EXPECT_EQ(s.upperQuantile(2.5 / 3), 2);
    EXPECT_EQ(s.upperQuantile(0.99), 2);
    EXPECT_EQ(s.tailAt(9.001), 0);
    EXPECT_NEAR(s.tailAt(9), 0.5 / 3, 1e-15);
    EXPECT_NEAR(s.tailAt(8), 0.5 / 3 * std::pow(3.0, 0.25), 1e-15);
    EXPECT_NEAR(s.tailAt(5), 0.5, 1e-15);
    EXPECT_NEAR(s.tailAt(4.4), 0.5 * std::pow(5.0 / 3, 0.2), 1e-15);
    EXPECT_EQ(s.tailAt(2), 1);
    EXPECT_NEAR(s.tailAt(2.0001), 2.5 / 3, 1e-4);
    EXPECT_EQ(s.tailAt(-7), 1);
    const TailSample none({});
    EXPECT_EQ(none.upperQuantile(0.3), 0);
    EXPECT_EQ(none.tailAt(0.3), 0);
    EXPECT_NEAR(TailSample({4, 7}).upperQuantile(0.25 * std::sqrt(3.0)), 5.5, 1e-12);
}

TEST(TailSampleKnown, ATailIsFittedFromEightyPointsOn)
{
    std::vector<double> x = descendingByTwo(80);
    x[0] = 400;
    std::rotate(x.begin(), x.begin() + 37, x.end());
    const TailSample s(x);
    // Beyond 152 with 4.5 of 80. Mean excess of the 40 largest over the next, 80: 2 x 20.5, and (400 - 160) / 40 more.
    EXPECT_NEAR(s.upperQuantile(0.001), 152 + 47 * std::log(56.25), 1e-10);
    EXPECT_NEAR(s.upperQuantile(4.5 / 80), 152, 1e-12);
    EXPECT_NEAR(s.upperQuantile(5.5 / 80), 150, 1e-12);
    EXPECT_NEAR(s.tailAt(152 + 47), 0.05625 / std::exp(1.0), 1e-15);
    EXPECT_NEAR(s.tailAt(152), 0.05625, 1e-15);
    EXPECT_NEAR(s.tailAt(1'000), 0.05625 * std::exp(-848.0 / 47), 1e-15);
    EXPECT_NEAR(s.upperQuantile(s.tailAt(170)), 170, 1e-10);
    EXPECT_NEAR(s.upperQuantile(s.tailAt(131)), 131, 1e-10);
    EXPECT_EQ(TailSample(descendingByTwo(79)).upperQuantile(1e-6), 160) << "fewer have no tail";
    const TailSample equal(std::vector<double>(80, 3.0)); // no excess: no tail
    EXPECT_EQ(equal.tailAt(3.1), 0);
    EXPECT_EQ(equal.upperQuantile(0.3), 3);
    EXPECT_EQ(equal.upperQuantile(1e-9), 3);
}

TEST(TailSampleKnown, QuantilesOfAnExponentialSampleAreItsLogarithms)
{
    std::vector<double> x;
    constexpr int kPoints = 100'000;
    for (int i = 0; i < kPoints; ++i)
        x.push_back(-std::log((i + 0.5) / kPoints));
    const TailSample tail(x);
    for (const double t : {0.5, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6})
        EXPECT_NEAR(tail.upperQuantile(t), -std::log(t), 0.05 * -std::log(t)) << t;
}

} // namespace prism
