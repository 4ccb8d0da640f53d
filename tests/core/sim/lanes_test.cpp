// SPDX-License-Identifier: GPL-3.0-or-later
// Tables that lanes draw from, against the quantile functions; rows against single lanes, on every instruction set.
#include "core/sim/lanes/lanes.h"
#include "core/sim/lanetargets.h"
#include "core/sim/passes/passlengths.h"
#include "core/stats/moments.h"
#include "core/stats/quantile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

std::uint32_t wordAt(double u)
{
    // Above the median a draw counts from its tail.
    return u < 0.5 ? static_cast<std::uint32_t>(u * 0x1.0p32) : 0x80000000U + static_cast<std::uint32_t>((1.0 - u) * 0x1.0p32);
}

/// All values of a table at equally likely draws.
std::vector<double> valuesOf(const QuantileTable& table)
{
    std::vector<double> out;
    for (std::uint64_t word = 1U << 13; word < std::uint64_t{1} << 32; word += 1U << 14)
        out.push_back(static_cast<double>(table.at(static_cast<std::uint32_t>(word))));
    return out;
}

LaneSeeds someSeeds()
{
    LaneSeeds out;
    for (std::size_t l = 0; l < kLanes; ++l)
        out.set(l, laneSeed(7, 1, 3, l));
    return out;
}

TEST(QuantileTable, FollowsEachFamilyFarIntoItsTails)
{
    for (const Distribution& d :
         {Distribution{Family::lognormal, 0.3}, {Family::gamma, 0.5}, {Family::weibull, 0.2}, {Family::normal, 0.1}}) {
        const QuantileTable table = drawTable(d).body;
        const QuantileFunction quantile(d);
        ASSERT_TRUE(table.steps.empty());
        for (const double u : {1e-6, 1e-4, 0.01, 0.1, 0.3, 0.49, 0.51, 0.8, 0.95, 0.999, 1.0 - 1e-5, 1.0 - 1e-6})
            EXPECT_NEAR(static_cast<double>(table.at(wordAt(u))), quantile(u), 0.02 * d.cv) << static_cast<int>(d.family) << ' ' << u;
        const std::vector<double> values = valuesOf(table);
        EXPECT_NEAR(meanOf(values), 1.0, 1e-4);
        EXPECT_NEAR(std::sqrt(varianceOf(values)), d.cv, 0.01 * d.cv);
    }
}

TEST(QuantileTable, AFewMeasuredValuesComeAsOftenAsTheyWereMeasured)
{
    const Distribution d = empiricalDistribution({1.0, 1.0, 1.0, 5.0});
    const QuantileTable table = drawTable(d).body;
    ASSERT_FALSE(table.steps.empty());
    std::vector<double> values = valuesOf(table);
    EXPECT_NEAR(meanOf(values), 1.0, 1e-3);
    EXPECT_NEAR(static_cast<double>(std::count_if(values.begin(), values.end(), [](double x) { return std::abs(x - 2.5) < 0.01; }))
                    / static_cast<double>(values.size()),
                0.25, 0.002);
}

TEST(DrawTable, TheSlowestOfGroupsHasTheProductOfTheirDistributions)
{
    const Distribution d{Family::gamma, 0.2};
    const DrawTable slowest = slowestMeanTable(d, 8, 1);
    const QuantileFunction quantile(d);
    for (const double u : {0.05, 0.3, 0.6, 0.9, 0.99})
        EXPECT_NEAR(static_cast<double>(slowest.body.at(wordAt(u))), quantile(std::pow(u, 1.0 / 8.0)), 0.005) << u;
    const DrawTable mean = slowestMeanTable(d, 1, 4);
    EXPECT_NEAR(mean.body.mean, 1.0, 1e-6);
    EXPECT_NEAR(mean.body.variance, 0.04 / 4.0, 1e-5);
}

TEST(DrawTable, RareDrawsOfGroupsAndBucketsAreSeparate)
{
    Distribution d{Family::deterministic, 0.0};
    d.rareProbability = 0.001;
    d.rareMultiplier = 11.0;
    const DrawTable table = slowestMeanTable(d, 4, 5);
    EXPECT_NEAR(table.rareProbability, -std::expm1(20.0 * std::log1p(-0.001)), 1e-12);
    EXPECT_NEAR(static_cast<double>(table.rare.at(wordAt(0.3))), 1.0 + 10.0 / 5.0, 1e-3) << "one of a group's five buckets";
    EXPECT_NEAR(table.mean, 1.0 + table.rareProbability * (table.rare.mean - 1.0), 1e-9);
    const DrawTable usual = slowestMeanTable(d, 100, 10);
    EXPECT_EQ(usual.rareBelow, 0U) << "some draw is nearly always rare";
    EXPECT_GT(usual.mean, 1.5);
}

TEST(DrawTable, ASlowLinkAmongMembersRulesTheirSlowest)
{
    const DrawTable one = drawTable({Family::lognormal, 0.1});
    const DrawTable uneven = slowestScaledTable(one, {1.0F, 0.3F, 0.3F}), even = slowestScaledTable(one, {1.0F, 1.0F, 1.0F});
    EXPECT_NEAR(uneven.mean, 1.0, 0.003);
    EXPECT_NEAR(even.mean, 1.0 + 0.846 * 0.1, 0.004) << "expected largest of three normal variables";
}

TEST(Lanes, RowsAreTheDrawsOfTheirLanesOnEveryInstructionSet)
{
    Distribution d{Family::lognormal, 0.4};
    d.rareProbability = 0.2;
    d.rareMultiplier = 7.0;
    const DrawTable table = drawTable(d);
    const LaneSeeds seeds = someSeeds();
    const LaneKey key = laneKey(5, 1, 2);
    for (const LaneTarget& target : laneTargets()) {
        useLaneTarget(target.id);
        Rows row(1);
        RowsOf<std::uint32_t> words(1);
        drawRow(table, seeds, key, row.row(0));
        drawWords(seeds, key, words.row(0));
        int rare = 0;
        for (std::size_t l = 0; l < kLanes; ++l) {
            EXPECT_EQ(words.row(0)[l], laneWord(seeds.at(l), key)) << target.name;
            const std::uint32_t other = laneWord(seeds.at(l), {key.low + 0x9e3779b9U, key.high});
            rare += other < table.rareBelow ? 1 : 0;
            const float expected = table.at(words.row(0)[l], other);
            EXPECT_NEAR(row.row(0)[l], expected, 1e-5F * expected) << target.name;
        }
        EXPECT_GT(rare, 4);
        EXPECT_LT(rare, 26);
    }
    useLaneTarget(0);
}

TEST(Lanes, DrawsOfNeighbouringKeysAndLanesAreIndependent)
{
    std::vector<double> x, y, z;
    for (std::uint64_t i = 0; i < 60'000; ++i) {
        x.push_back(uniformOf(laneWord(laneSeed(1, 2, i / 100, i % 100), laneKey(3, 4))));
        y.push_back(uniformOf(laneWord(laneSeed(1, 2, i / 100, i % 100), laneKey(3, 5))));
        z.push_back(uniformOf(laneWord(laneSeed(1, 2, i / 100, i % 100 + 1), laneKey(3, 4))));
    }
    EXPECT_NEAR(meanOf(x), 0.5, 4.0 / std::sqrt(12.0 * 60'000));
    EXPECT_NEAR(varianceOf(x), 1.0 / 12.0, 0.001);
    for (const auto* other : {&y, &z}) {
        double both = 0.0;
        for (std::size_t i = 0; i < x.size(); ++i)
            both += (x[i] - 0.5) * ((*other)[i] - 0.5) * 12.0 / static_cast<double>(x.size());
        EXPECT_NEAR(both, 0.0, 4.0 / std::sqrt(60'000.0));
    }
}

TEST(Lanes, SoftMaximumLiesBetweenMeanAndMaximum)
{
    Rows rows(2), out(1);
    for (std::size_t l = 0; l < kLanes; ++l) {
        rows.row(0)[l] = 1.0F;
        rows.row(1)[l] = 1.1F;
    }
    softMaximum(rows.row(0), 2, kSharp, out.row(0));
    EXPECT_EQ(out.row(0)[5], 1.1F);
    softMaximum(rows.row(0), 2, 20.0F, out.row(0));
    EXPECT_NEAR(out.row(0)[5], 1.1 + std::log(0.5 * (1.0 + std::exp(-2.0))) / 20.0, 1e-6);
}

} // namespace
} // namespace prism
