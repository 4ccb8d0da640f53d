// SPDX-License-Identifier: GPL-3.0-or-later
// GPU speeds that nodes share: marginal distribution, correlation, drawn one by one and in rows of lanes.
#include "core/sim/graphs.h"
#include "core/sim/draw/draws.h"
#include "core/sim/passes/speeds.h"
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
    for (std::uint64_t rank = 0; rank < 8; ++rank)
        EXPECT_EQ(spatial(1, 5, 2, 0, rank), drawFactor(plain, 1, Purpose::spatial, {2, 0, rank}, 5));
}

TEST(NodeShare, RowsOfLanesHaveTheSameSpreadAndCorrelation)
{
    for (const double rare : {0.0, 0.01}) {
        StepGraph g = sharedGraph(0.3, 4);
        g.spatial.rareProbability = rare;
        g.spatial.rareMultiplier = 3.0;
        const JobUnits job = jobUnits(g);
        const Speeds speeds(g, job);
        Rows rows(8);
        const std::vector<int> units(kLanes, 0);
        std::vector<double> first, second, other;
        for (std::uint64_t block = 0; block < 600; ++block) {
            LaneSeeds seeds;
            for (std::size_t l = 0; l < kLanes; ++l)
                seeds.set(l, laneSeed(1, 2, block, l));
            speeds.draw(seeds, units.data(), 0, rows);
            for (std::size_t l = 0; l < kLanes; ++l) {
                first.push_back(rows.row(0)[l]);
                second.push_back(rows.row(3)[l]);
                other.push_back(rows.row(4)[l]);
            }
        }
        EXPECT_NEAR(meanOf(first), g.spatial.mean(), 0.004);
        EXPECT_NEAR(std::sqrt(varianceOf(first) / g.spatial.variance()), 1.0, 0.05);
        if (rare == 0.0) {
            EXPECT_NEAR(correlation(first, second), 0.3, 0.02);
        } else {
            EXPECT_GT(correlation(first, second), 0.05) << "rare GPUs come in nodes";
        }
        EXPECT_NEAR(correlation(first, other), 0.0, 0.02);
    }
}

} // namespace
} // namespace prism::test
