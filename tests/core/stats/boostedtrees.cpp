// SPDX-License-Identifier: GPL-3.0-or-later
// Boosted trees: a constant stays a constant, steps and slopes are followed, noise is not, and unseen rows are predicted better than by
// their mean.
#include "core/stats/boostedtrees.h"

#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

using Features = BoostedTrees::Features;

std::vector<Features> scattered(std::size_t count, std::uint64_t stream)
{
    std::vector<Features> rows(count);
    std::uint64_t index = 0;
    for (Features& row : rows)
        for (double& x : row)
            x = 10 * uniform(7, StreamId{stream}, index++);
    return rows;
}

std::vector<double> of(const std::vector<Features>& rows, double (*f)(const Features&))
{
    std::vector<double> values;
    for (const Features& row : rows)
        values.push_back(f(row));
    return values;
}

double meanError(const BoostedTrees& trees, const std::vector<Features>& rows, double (*f)(const Features&))
{
    double sum = 0;
    for (const Features& row : rows)
        sum += std::abs(trees.at(row) - f(row)) / static_cast<double>(rows.size());
    return sum;
}

TEST(BoostedTrees, AConstantIsThatConstantEverywhere)
{
    const std::vector<Features> rows = scattered(200, 1);
    const BoostedTrees trees(rows, std::vector<double>(rows.size(), 0.25));
    EXPECT_DOUBLE_EQ(trees.at({-100, 0, 1e9}), 0.25);
    EXPECT_DOUBLE_EQ(BoostedTrees().at({1, 2, 3}), 0.0);
}

TEST(BoostedTrees, FewRowsGiveTheirMean)
{
    EXPECT_DOUBLE_EQ(BoostedTrees({{1, 1, 1}, {2, 2, 2}}, {1, 3}).at({1, 1, 1}), 2.0);
}

/// A step of 1 at x0 = 5: all but (1 - 0.1)^80 = 0.0002 of it is found.
TEST(BoostedTrees, AStepIsFound)
{
    const auto step = [](const Features& x) { return x[0] < 5 ? 0.0 : 1.0; };
    const std::vector<Features> rows = scattered(400, 2);
    const BoostedTrees trees(rows, of(rows, step));
    EXPECT_NEAR(trees.at({1, 5, 5}), 0.0, 0.01);
    EXPECT_NEAR(trees.at({9, 5, 5}), 1.0, 0.01);
}

TEST(BoostedTrees, UnseenRowsOfASmoothFunctionAreFittedFiveTimesCloserThanByTheMean)
{
    const auto smooth = [](const Features& x) { return 0.1 * x[0] + 0.02 * x[1] * x[2]; };
    const std::vector<Features> rows = scattered(1000, 3), unseen = scattered(300, 4);
    const std::vector<double> targets = of(rows, smooth);
    const BoostedTrees trees(rows, targets), mean({rows.front()}, {0.1 * 5 + 0.02 * 25});
    EXPECT_LT(meanError(trees, unseen, smooth), meanError(mean, unseen, smooth) / 5);
}

TEST(BoostedTrees, TheSameRowsGiveTheSameBits)
{
    const auto f = [](const Features& x) { return std::sin(x[0]) + x[1]; };
    const std::vector<Features> rows = scattered(300, 5);
    const BoostedTrees a(rows, of(rows, f)), b(rows, of(rows, f));
    for (const Features& row : scattered(50, 6))
        EXPECT_EQ(a.at(row), b.at(row));
}

} // namespace
} // namespace prism
