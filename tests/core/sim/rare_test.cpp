// SPDX-License-Identifier: GPL-3.0-or-later
// Rare events apart from the body they hit: maxima of ranks, what one event adds, cells that jump, events that are looked for.
#include "core/base/memo.h"
#include "core/sim/chunk/classmodel.h"
#include "core/sim/chunk/maximum.h"
#include "core/sim/graphs.h"
#include "core/sim/simulate.h"
#include "core/sim/step/parts.h"
#include "core/stats/moments.h"
#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism::test {
namespace {

Distribution factor(double cv, double rare, double multiplier)
{
    Distribution d{Family::lognormal, cv};
    d.rareProbability = rare;
    d.rareMultiplier = multiplier;
    return d;
}

TEST(RareMaximum, AnEventThatDwarfsTheBodyCountsInFull)
{
    // Eight ranks, one kernel of 1 s: with probability 1 - (1 - p)^8 the slowest takes 100 s instead of the slowest body.
    for (const double p : {1e-5, 1e-3, 1e-2}) {
        const Distribution d = factor(0.02, p, 100.0);
        const QuantilePoints bulk = quantilePoints(d), all = withRareEvent(bulk, d);
        const Summand without[] = {{&bulk, 1.0, 1}}, with[] = {{&all, 1.0, 1}};
        const GridDist body = sumDistribution(without, 0.0), whole = sumDistribution(with, 0.0);
        const std::vector<double> mean(8, all.mean), sigma(8, std::sqrt(all.variance)), bodyMean(8, 1.0), bodySigma(8, 0.02);
        const Moments slow = maximumMoments(StandardCdf(whole, body, 8), mean.data(), sigma.data(), 8);
        const Moments usual = maximumMoments(StandardCdf(body), bodyMean.data(), bodySigma.data(), 8);
        const double hit = -std::expm1(8.0 * std::log1p(-p)), extra = 100.0 - usual.mean;
        EXPECT_NEAR(slow.mean, usual.mean + hit * extra, 0.003 * hit * extra + 2e-4) << p;
        EXPECT_NEAR(slow.variance, hit * (1.0 - hit) * extra * extra, 0.01 * hit * extra * extra) << p;
    }
}

TEST(RareMaximum, WithoutEventsNothingChanges)
{
    const QuantilePoints bulk = quantilePoints(factor(0.05, 0.0, 1.0));
    const Summand sum[] = {{&bulk, 1.0, 3}};
    const GridDist dist = sumDistribution(sum, 0.0);
    const double mean[] = {3.0, 3.1}, sigma[] = {0.05 * std::sqrt(3.0), 0.06 * std::sqrt(3.0)};
    const Moments plain = maximumMoments(StandardCdf(dist), mean, sigma, 2),
                  split = maximumMoments(StandardCdf(dist, dist, 2), mean, sigma, 2);
    EXPECT_NEAR(plain.mean, split.mean, 1e-5);
    EXPECT_NEAR(plain.variance, split.variance, 1e-5);
}

TEST(RareMaximum, UnlikeRanksMeetAsTheProductOfTheirDistributions)
{
    // Against the integral of 1 - product of the CDFs in steps far below every lump.
    for (const double p : {0.01, 0.1, 0.3})
        for (const double apart : {0.0, 0.01, 0.05, 0.15}) {
            const Distribution d = factor(0.02, p, 2.0);
            const QuantilePoints bulk = quantilePoints(d), all = withRareEvent(bulk, d);
            const Summand without[] = {{&bulk, 1.0, 2}}, with[] = {{&all, 1.0, 2}};
            const GridDist body = sumDistribution(without, 0.0), whole = sumDistribution(with, 0.0);
            const StandardCdf shape(whole, body, 8);
            std::vector<double> mean, sigma;
            for (int r = 0; r < 8; ++r) {
                const double g = 1.0 + apart * (r - 3.5) / 3.5;
                mean.push_back(g * whole.mean());
                sigma.push_back(g * std::sqrt(whole.variance()));
            }
            double first = 0.0, second = 0.0;
            constexpr double kStep = 2e-4;
            for (double x = 0.5 * kStep; x < 8.0; x += kStep) {
                double below = 1.0;
                shape.multiply(mean[0], sigma[0], &x, &below, 1);
                for (std::size_t r = 1; r < 8; ++r)
                    shape.multiply(mean[r], sigma[r], &x, &below, 1);
                first += kStep * (1.0 - below);
                second += 2.0 * kStep * x * (1.0 - below);
            }
            const Moments slowest = maximumMoments(shape, mean.data(), sigma.data(), 8);
            EXPECT_NEAR(slowest.mean, first, 0.002 * first) << p << " " << apart;
            EXPECT_NEAR(slowest.variance, second - first * first, 0.03 * (second - first * first)) << p << " " << apart;
        }
}

/// One stage, TP 2, one kernel of a second in each direction.
StepGraph oneStage(double rare, double multiplier)
{
    JobShape s;
    s.groupRanks = 2;
    s.compute = factor(0.02, rare, multiplier);
    return jobGraph(s);
}

TEST(RareExtras, ASlowGpuHidesEventsOfTheOthers)
{
    StepGraph g = oneStage(1e-3, 1.5);
    g.spatial = factor(0.0, 0.01, 2.0);
    g.spatial.family = Family::deterministic;
    Memo memo(std::size_t{8} << 20);
    Recall recall(memo);
    const auto prepared = prepare(g, recall, {});
    const RareEvent& rare = prepared->models[0]->rare.at(0); // half of a kernel of 0.6 or 0.4 s, the other rank takes 1 or 2 s
    ASSERT_EQ(prepared->luckRanges.size(), 2U);
    ASSERT_EQ(rare.atLuck.size(), 2U);
    const auto meanOf = [](const std::vector<float>& x) {
        return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
    };
    // Half a kernel, less what the slower of two ranks is late by in the mean: 0.02 sqrt(0.6^2 + 0.4^2) / sqrt(pi).
    EXPECT_NEAR(meanOf(rare.atLuck[0].extra), 0.25 - 0.0081, 0.002);
    // A hit of the slow one lasts twice as long and counts in full, one of the other is hidden: (0.5 + 0) / 2 but for both slow.
    EXPECT_NEAR(meanOf(rare.atLuck[1].extra), 0.25, 0.01);
    const auto hidden =
        static_cast<double>(std::count_if(rare.atLuck[1].extra.begin(), rare.atLuck[1].extra.end(), [](float x) { return x < 0.01F; }));
    EXPECT_NEAR(hidden / static_cast<double>(rare.atLuck[1].extra.size()), 0.5, 0.03);
    EXPECT_GT(*std::min_element(rare.atLuck[0].extra.begin(), rare.atLuck[0].extra.end()), 0.05F);
}

TEST(RareExtras, OneEventDelaysByWhatItExceedsTheOtherRank)
{
    Memo memo(std::size_t{8} << 20);
    Recall recall(memo);
    const auto prepared = prepare(oneStage(1e-3, 11.0), recall, {});
    const ChunkModel& forward = *prepared->models[0]; // kernels of 0.6 and 0.4 s on two ranks
    ASSERT_EQ(forward.rare.size(), 1U);
    const RareEvent& rare = forward.rare[0];
    EXPECT_NEAR(rare.chance.probability, 1.0 - std::pow(0.999, 4.0), 1e-9);
    EXPECT_EQ(rare.scope, static_cast<int>(kComputeRegimeRow));
    EXPECT_TRUE(rare.followsData);
    double mean = 0.0;
    for (const float x : rare.extra)
        mean += static_cast<double>(x) / static_cast<double>(rare.extra.size());
    // Ten times 0.6 or 0.4 s, less what the late rank was ahead by: half of the mean difference of two sums of deviation s.
    const double s = 0.02 * std::sqrt(0.6 * 0.6 + 0.4 * 0.4);
    EXPECT_NEAR(mean, 5.0 - s / std::sqrt(M_PI), 0.02);
}

/// Seconds that the slowest of n ranks or groups has from its events, each of kernels of 0.6 and 0.4 s with probability p of ten times
/// more.
double slowestOf(int n, double p)
{
    const double seconds[] = {0.0, 4.0, 6.0, 10.0}, at[] = {(1 - p) * (1 - p), 1 - p, 1 - p * p, 1.0}; // and P(no more than that)
    double mean = 0.0;
    for (int k = 0; k < 4; ++k)
        mean += seconds[k] * (std::pow(at[k], n) - (k > 0 ? std::pow(at[k - 1], n) : 0.0));
    return mean;
}

/// Several events in one chunk hit different kernels, ranks and groups: each place once.
TEST(RareExtras, SeveralEventsHitSeveralPlaces)
{
    constexpr double kChance = 0.03;
    for (const bool groups : {false, true}) {
        JobShape s;
        (groups ? s.groups : s.groupRanks) = 4;
        s.compute = factor(0.001, kChance, 11.0);
        Memo memo(std::size_t{8} << 20);
        Recall recall(memo);
        const auto prepared = prepare(jobGraph(s), recall, {});
        ASSERT_EQ(prepared->models[0]->rare.size(), 1U) << groups;
        const RareEvent& rare = prepared->models[0]->rare[0];
        double mean = 0.0;
        for (const float x : rare.extra)
            mean += static_cast<double>(x) / static_cast<double>(rare.extra.size());
        EXPECT_NEAR(rare.chance.probability, 1.0 - std::pow(1.0 - kChance, 8.0), 1e-9) << groups;
        EXPECT_NEAR(mean * rare.chance.probability / slowestOf(4, kChance), 1.0, 0.01) << groups; // 4,096 samples; a place hit twice: 0.025
    }
}

TEST(ScoreScale, CellsWithAnEventHaveNodesOfTheirOwn)
{
    StepGraph g = oneStage(0.0, 1.0);
    EXPECT_EQ(scoreScale(g).firstHit, kScoreNodes);
    g.spatial = factor(0.02, 1e-3, 1.5);
    const ScoreScale scale = scoreScale(g);
    ASSERT_LT(scale.firstHit, kScoreNodes);
    // Upper tail probability of the jump: a rank of two is hit.
    EXPECT_NEAR(0.5 * std::erfc(scale.jump / std::sqrt(2.0)), 1.0 - 0.999 * 0.999, 1e-9);
    for (int node = 0; node < kScoreNodes; ++node)
        EXPECT_NEAR(scale.place(scale.scoreOf(node) + (node == scale.firstHit ? 1e-9 : (node == scale.firstHit - 1 ? -1e-9 : 0.0))), node,
                    1e-6);
    EXPECT_LT(scale.nodeBelow(scale.place(scale.jump - 1e-9)) + 1, static_cast<std::size_t>(scale.firstHit));
    EXPECT_GE(scale.nodeBelow(scale.place(scale.jump)), static_cast<std::size_t>(scale.firstHit));
}

TEST(ScoreScale, TheTableJumpsWhereTheCellsDo)
{
    Memo memo(std::size_t{8} << 20);
    Recall recall(memo);
    StepGraph g = oneStage(0.0, 1.0);
    g.spatial = factor(0.02, 1e-3, 1.5);
    const auto prepared = prepare(g, recall, {});
    const auto first = static_cast<std::size_t>(prepared->scoreScale.firstHit);
    const std::vector<float>& mean = prepared->models[0]->computeMean;
    EXPECT_LT(mean[first - 1], 1.12F);
    EXPECT_GT(mean[first], 1.40F);
}

TEST(RareSearch, WeightsUndoWhatWasLookedFor)
{
    Memo memo(std::size_t{16} << 20);
    Recall recall(memo);
    const auto prepared = prepare(oneStage(1e-4, 100.0), recall, {});
    constexpr std::size_t kBlocks = 64;
    const Series series = makeSeries(*prepared, 1, 1, Run::across, kBlocks * kLanes);
    std::uint64_t nodeSamples = 0;
    const auto parts = replicaParts(series, {{"common sample", {{0, 1'000'000, LuckSource::tilted, {}}}, true, nullptr}}, 0, kBlocks,
                                    recall, {}, nodeSamples);
    double weights = 0.0, late = 0.0, found = 0.0;
    for (std::size_t i = 0; i < kBlocks * kLanes; ++i) {
        const double w = static_cast<double>(parts[0]->weights.row(0)[i]);
        const bool isLate = parts[0]->ends.row(0)[i] > 10.0F;
        weights += w / (kBlocks * kLanes);
        late += isLate ? w / (kBlocks * kLanes) : 0.0;
        found += isLate ? 1.0 : 0.0;
    }
    // Four kernels on two ranks each.
    EXPECT_NEAR(weights, 1.0, 0.05);
    EXPECT_NEAR(late, 8e-4, 0.05 * 8e-4);
    EXPECT_GT(found, 0.2 * kBlocks * kLanes);
}

TEST(CorrelationTime, OfAnAutoregressiveSeries)
{
    std::vector<double> x, white;
    double z = 0.0;
    for (std::uint64_t t = 0; t < 40'000; ++t) {
        const double fresh = uniform(1, stream(2), t) - 0.5;
        white.push_back(fresh);
        x.push_back(z = 0.35 * z + fresh);
    }
    EXPECT_NEAR(correlationTime(x), 1.35 / 0.65, 0.15);
    EXPECT_NEAR(correlationTime(white), 1.0, 0.05);
    EXPECT_EQ(correlationTime({1.0, 1.0, 1.0}), 1.0);
}

TEST(SharedErrors, TogetherKeepTheDegreesOfTheOneThatCounts)
{
    const SharedError::Part many{3.0, 0.0}, few{4.0, 8.0};
    EXPECT_DOUBLE_EQ(together(many, few).stdErr, 5.0);
    EXPECT_DOUBLE_EQ(together(many, few).degrees, 25.0 * 25.0 / (256.0 / 8.0));
    EXPECT_DOUBLE_EQ(together({0.0, 0.0}, few).degrees, 8.0);
    EXPECT_DOUBLE_EQ(together(many, many).degrees, 0.0);
}

} // namespace
} // namespace prism::test
