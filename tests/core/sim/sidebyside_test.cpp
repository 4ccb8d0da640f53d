// SPDX-License-Identifier: GPL-3.0-or-later
// Factors of groups and buckets, and meetings of groups, against answers worked out by hand.
#include "core/sim/chunk/meeting.h"
#include "core/sim/chunk/sidebyside.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace prism {
namespace {

ClassModelPtr model(const Distribution& d, int groups, int buckets)
{
    Memo memo(std::size_t{1} << 24);
    Recall recall(memo);
    return sideBySide(d, groups, buckets, recall);
}

/// Mean over all draws of the table.
double tableMean(const ClassModel& m)
{
    double sum = 0.0;
    for (std::uint32_t i = 0; i < 65536; ++i)
        sum += static_cast<double>(m.table.at(static_cast<std::uint16_t>(i)));
    return sum / 65536;
}

TEST(SideBySide, OneGroupAndBucketIsTheClass)
{
    const ClassModelPtr m = model({Family::gamma, 0.2}, 1, 1);
    EXPECT_NEAR(m->mean, 1.0, 1e-9);
    EXPECT_NEAR(tableMean(*m), 1.0, 1e-6);
}

TEST(SideBySide, TheLargestOfNormalsHasItsKnownMeanAndSpread)
{
    // Order statistics of the standard normal (Harter 1961): largest of 8: mean 1.42360, variance 0.37290; of 64: 2.3440 (mean).
    const ClassModelPtr eight = model({Family::normal, 0.01}, 8, 1);
    EXPECT_NEAR(eight->mean, 1 + 0.01 * 1.42360, 2e-6);
    EXPECT_NEAR(eight->variance, 1e-4 * 0.37290, 1e-7);
    EXPECT_NEAR(tableMean(*eight), eight->mean, 1e-6);
    EXPECT_NEAR(model({Family::normal, 0.01}, 64, 1)->mean, 1 + 0.01 * 2.3440, 1e-5);
    // Ten buckets: a tenth of the variance, then the largest of eight.
    const ClassModelPtr buckets = model({Family::normal, 0.01}, 8, 10);
    EXPECT_NEAR(buckets->mean, 1 + 0.01 / std::sqrt(10.0) * 1.42360, 2e-6);
    EXPECT_NEAR(buckets->variance, 1e-5 * 0.37290, 2e-8);
}

TEST(SideBySide, BucketsOfAnExponentialAddUpToAGamma)
{
    // The mean of 4 exponentials is a gamma of shape 4: cv 1/2, P(mean > 2) = e^-8 (1 + 8 + 32 + 512/6).
    const ClassModelPtr m = model({Family::gamma, 1.0}, 1, 4);
    EXPECT_NEAR(m->variance, 0.25, 2e-4);
    const double tail = std::exp(-8.0) * (1 + 8 + 32 + 512.0 / 6);
    int above = 0;
    for (std::uint32_t i = 0; i < 65536; ++i)
        above += m->table.at(static_cast<std::uint16_t>(i)) > 2.0F ? 1 : 0;
    EXPECT_NEAR(above / 65536.0, tail, 0.02 * tail);
}

TEST(SideBySide, RareDrawsAreCountedOverAllGroupsAndBuckets)
{
    // A factor of 1 that is 11 with 1 %: with 5 buckets a rare one adds 10 / 5 to its group's mean.
    const Distribution d{Family::deterministic, 0.0, 0.01, 11.0};
    const ClassModelPtr m = model(d, 2, 5);
    EXPECT_NEAR(m->rare.chance.probability, 1 - std::pow(0.99, 10), 1e-12);
    EXPECT_TRUE(m->rare.replaces);
    // One group: P(k rare of 5); the larger of two groups' counts.
    double mean = 0.0, below = 0.0, binomial = std::pow(0.99, 5), before = 0.0;
    for (int k = 0; k <= 5; ++k) {
        below += binomial;
        mean += (below * below - before * before) * (1 + 2.0 * k);
        before = below;
        binomial *= (5.0 - k) / (k + 1) * 0.01 / 0.99;
    }
    EXPECT_NEAR(m->mean, mean, 2e-3);
    // Likely ones are in the table.
    const ClassModelPtr likely = model(d, 20, 10);
    EXPECT_EQ(likely->rare.chance.probability, 0.0);
    EXPECT_NEAR(tableMean(*likely), likely->mean, 2e-3);
}

TEST(Meeting, SeparatesWhatMeetingsShare)
{
    // Two participants of mean 1 with normal data (cv 0.002), lucks (sd 0.001) and noise (sd 0.002): times are normal with variance
    // 9e-6 (their product is almost their sum); the larger of two normals has mean sigma / sqrt(pi) and variance sigma^2 (1 - 1 / pi).
    MeetingInput input;
    QuantilePoints data = quantilePoints({Family::normal, 0.002});
    QuantilePoints luck = quantilePoints({Family::normal, 0.001});
    input.data = coarsePoints(data.value, data.weight, 2);
    const WeightedPoints lucks = coarsePoints(luck.value, luck.weight, 2);
    input.who.push_back({2.0, lucks.weight, lucks.value, {}});
    for (const double inside : lucks.inside)
        input.who[0].variance.push_back(4e-6 + inside);
    const MeetingMoments m = meeting(input, StandardCdf());
    EXPECT_NEAR(m.time.mean, 1 + 0.003 / std::sqrt(std::numbers::pi), 3e-6);
    EXPECT_NEAR(m.time.variance, 9e-6 * (1 - 1 / std::numbers::pi), 4e-8);
    // With max(a, b) = (a + b) / 2 + |a - b| / 2 the covariance of two meetings whose times have correlation r is
    // s^2 (r / 2 + (sqrt(1 - r^2) + r asin r - 1) / pi).
    const auto covariance = [](double r) { return 9e-6 * (r / 2 + (std::sqrt(1 - r * r) + r * std::asin(r) - 1) / std::numbers::pi); };
    EXPECT_NEAR(m.sameData, covariance(5.0 / 9), 0.02 * covariance(5.0 / 9));
    EXPECT_NEAR(m.sameLuck, covariance(1.0 / 9), 0.03 * covariance(1.0 / 9));
}

TEST(Meeting, TheWorkDoesNotGrowWithTheNumberWhoMeet)
{
    // The largest of 4,096 standard normals has mean 3.5886 (numerical integration of 1 - Phi^n).
    MeetingInput input;
    input.data = {{1.0}, {1.0}, {0.0}};
    input.who.push_back({4096.0, {1.0}, {100.0}, {1.0}});
    double mean = 0.0;
    for (double x = -8; x < 10; x += 1e-3) {
        const double f = std::pow(0.5 * std::erfc(-x / std::numbers::sqrt2), 4096);
        mean += 1e-3 * (x > 0 ? 1 - f : -f);
    }
    EXPECT_NEAR(meeting(input, StandardCdf()).time.mean, 100 + mean, 2e-3);
}

} // namespace
} // namespace prism
