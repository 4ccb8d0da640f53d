// SPDX-License-Identifier: GPL-3.0-or-later
// GPU speeds that nodes share: marginal distribution, correlation, and the probabilities that the fast simulator uses.
#include "core/sim/graphs.h"
#include "core/sim/draw/nodeshare.h"
#include "core/stats/moments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism::test {
namespace {

StepGraph sharedGraph(double share, int nodeRanks)
{
    JobShape shape;
    shape.groupRanks = 8;
    StepGraph g = jobGraph(shape);
    g.spatial = {Family::lognormal, 0.05};
    g.spatialNodeShare = share;
    g.nodeRanks = nodeRanks;
    return g;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b)
{
    const double ma = meanOf(a), mb = meanOf(b);
    double ab = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        ab += (a[i] - ma) * (b[i] - mb);
    return ab / static_cast<double>(a.size() - 1) / std::sqrt(varianceOf(a) * varianceOf(b));
}

TEST(NodeShare, KeepsTheSpreadOfOneGpuAndCorrelatesThoseOfANode)
{
    const SpatialFactors spatial(sharedGraph(0.3, 4));
    std::vector<double> first, second, other;
    for (std::uint64_t job = 0; job < 40'000; ++job) {
        first.push_back(spatial(1, job, 0, 0, 0));
        second.push_back(spatial(1, job, 0, 0, 3));
        other.push_back(spatial(1, job, 0, 0, 4));
    }
    EXPECT_NEAR(meanOf(first), 1.0, 0.001);
    EXPECT_NEAR(std::sqrt(varianceOf(first)), 0.05, 0.001);
    EXPECT_NEAR(correlation(first, second), 0.3, 0.02);
    EXPECT_NEAR(correlation(first, other), 0.0, 0.02);
}

TEST(NodeShare, WithoutAShareEveryRankDrawsAsBefore)
{
    const StepGraph g = sharedGraph(0.0, 4);
    const SpatialFactors spatial(g);
    const FactorSampler plain(g.spatial);
    EXPECT_FALSE(spatial.sharesNodes());
    for (std::uint64_t rank = 0; rank < 8; ++rank)
        EXPECT_EQ(spatial(1, 5, 2, 0, rank), spatialFactor(plain, 1, 5, 2, 0, rank));
}

TEST(NodeShare, ProbabilityOfALargestScoreIsThatOfItsDraws)
{
    const SpatialFactors spatial(sharedGraph(0.4, 4));
    const std::vector<double> bounds(8, 1.5);
    int above = 0;
    constexpr int kJobs = 40'000;
    for (std::uint64_t job = 0; job < kJobs; ++job) {
        double most = -10;
        for (std::uint64_t rank = 0; rank < 8; ++rank)
            most = std::max(most, spatial.score(2, job, 0, 0, rank));
        above += most > 1.5 ? 1 : 0;
    }
    EXPECT_NEAR(spatial.someAbove(bounds), above / double{kJobs}, 0.01);
    EXPECT_NEAR(spatial.largestAt(spatial.someAbove(bounds)), 1.5, 1e-6);
}

TEST(NodeShare, CellsGivenTheirLargestAreThoseOfTheDraws)
{
    const SpatialFactors spatial(sharedGraph(0.4, 4));
    // Mean of all ranks given that the largest is near 1.5, by draws and by construction.
    std::vector<double> drawn, made;
    for (std::uint64_t job = 0; job < 60'000; ++job) {
        double most = -10, sum = 0;
        for (std::uint64_t rank = 0; rank < 8; ++rank) {
            const double score = spatial.score(3, job, 0, 0, rank);
            most = std::max(most, score);
            sum += score / 8;
        }
        if (std::abs(most - 1.5) < 0.1)
            drawn.push_back(sum);
    }
    for (std::uint64_t i = 0; i < 4'000; ++i) {
        const std::vector<double> cell =
            spatial.cellGivenLargest(1.5, [i](int k) { return uniform(9, stream(1, static_cast<std::uint64_t>(k)), i); });
        EXPECT_DOUBLE_EQ(*std::max_element(cell.begin(), cell.end()), 1.5);
        made.push_back(meanOf(cell));
    }
    EXPECT_NEAR(meanOf(made), meanOf(drawn), 0.02);
    EXPECT_NEAR(std::sqrt(varianceOf(made)), std::sqrt(varianceOf(drawn)), 0.02);
}

} // namespace
} // namespace prism::test
