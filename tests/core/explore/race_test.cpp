// SPDX-License-Identifier: GPL-3.0-or-later
// The race on a source with known truth: the rate at which it eliminates one of the best is as stated.
#include "core/explore/race.h"

#include "core/scenario/presets.h"
#include "core/stats/random.h"

#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace prism {
namespace {

constexpr int kConfigurations = 60;
constexpr double kSpread = 2.0; ///< of one sample, in seconds; neighbours differ by 0.02 s

double truth(std::int64_t index)
{
    return 10 + 0.02 * static_cast<double>(index);
}

/// Mean of `samples` samples of one configuration: later rounds include those of earlier ones.
SampleRow row(std::uint64_t seed, std::int64_t index, int samples)
{
    const boost::math::normal unit;
    double sum = 0;
    for (int have = 0; have < samples; have = std::max(kFirstSamples, 2 * have)) {
        const double next = std::max(kFirstSamples, 2 * have) - have;
        sum += std::sqrt(next)
               * boost::math::quantile(unit, uniform(seed, stream(1, static_cast<std::uint64_t>(index)), static_cast<std::uint64_t>(have)));
    }
    SampleRow r;
    r.index = index;
    r.samples = samples;
    r.noiseFreeSeconds = 1;
    const double error = kSpread / std::sqrt(std::max(1, samples));
    r.p95 = {truth(index) + kSpread * sum / std::max(1, samples), normalReach() * error};
    return r;
}

struct Ran {
    RaceResult result;
    int requested = 0;
};

Ran ran(std::uint64_t seed, int keep, bool bounds)
{
    SearchSpace space;
    space.axes.push_back(*searchAxis("micro_batch_size=1..8"));
    const PointMaker maker = *PointMaker::make(space, *scenarioPreset("llama2-7b-8-a100"));
    ExploreQuery query;
    query.space = space;
    query.keep = keep;
    std::vector<QuickPoint> fitting;
    for (std::int64_t i = 0; i < kConfigurations; ++i)
        fitting.push_back({i, bounds ? 0.5 : 1.0, 1, 80, 1e6, bounds}); // a million tokens: the score is seconds
    Ran out;
    const RowSource rows = [&](std::int64_t index, int samples) {
        out.requested += samples;
        return std::optional<SampleRow>(row(seed, index, samples));
    };
    out.result = race({query, maker, fitting, rows, {}});
    return out;
}

TEST(Race, LeavesOutOneOfTheBestInAtMostTheStatedShareOfSeeds)
{
    constexpr int kSeeds = 200, kKeep = 5;
    int invalid = 0;
    std::int64_t requested = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const Ran r = ran(seed, kKeep, false);
        requested += r.requested;
        bool missing = false;
        for (const Runner& runner : r.result.runners)
            missing = missing || (runner.point.index < kKeep && runner.row.samples < kMaxSamples);
        invalid += missing ? 1 : 0;
    }
    EXPECT_LE(invalid, kSeeds * 5 / 100); // the confidence is 95 %
    EXPECT_LT(requested, std::int64_t{kSeeds} * kConfigurations * 2 * kMaxSamples * 3 / 4);
}

TEST(Race, CostsWhatIsOnlyBoundedBeforeItIsSampled)
{
    const Ran plain = ran(7, 3, false), bounded = ran(7, 3, true);
    ASSERT_EQ(plain.result.runners.size(), bounded.result.runners.size());
    for (const Runner& r : bounded.result.runners) {
        EXPECT_FALSE(r.point.bound);
        EXPECT_EQ(r.point.noiseFreeSeconds, 1);
    }
}

TEST(Race, StopsAtTheMaximumOfSamplesAndReportsIt)
{
    SearchSpace space;
    space.axes.push_back(*searchAxis("micro_batch_size=1"));
    const PointMaker maker = *PointMaker::make(space, *scenarioPreset("llama2-7b-8-a100"));
    ExploreQuery query;
    query.space = space;
    query.keep = 2;
    query.maxSampled = 4;
    std::vector<QuickPoint> fitting;
    for (std::int64_t i = 0; i < 9; ++i)
        fitting.push_back({i, 1, 1, 80, 1e6, false});
    const RaceResult r = race({query, maker, fitting, [](std::int64_t i, int n) { return std::optional<SampleRow>(row(1, i, n)); }, {}});
    EXPECT_TRUE(r.cut);
    EXPECT_EQ(r.runners.size(), 4U);
}

/// Configurations of one token a step: days of their noise-free steps, and the probability to be late.
RaceResult lateRace(const std::vector<double>& days, const std::vector<double>& lateness, int limit)
{
    SearchSpace space;
    space.axes.push_back(*searchAxis("micro_batch_size=1..8"));
    Scenario base = *scenarioPreset("llama2-7b-8-a100");
    base.training.trainTokens = 86'400; // a step of a second for each makes a day
    const PointMaker maker = *PointMaker::make(space, base);
    ExploreQuery query;
    query.space = space;
    query.keep = 3;
    query.maxSampled = limit;
    query.objective = *exploreObjective("deadline:1");
    std::vector<QuickPoint> fitting;
    for (std::size_t i = 0; i < days.size(); ++i)
        fitting.push_back({static_cast<std::int64_t>(i), days[i], 1, 80, 1, false});
    return race({query,
                 maker,
                 fitting,
                 [&](std::int64_t i, int samples) {
                     const auto at = static_cast<std::size_t>(i);
                     SampleRow r{.index = i, .samples = samples, .noiseFreeSeconds = days[at]};
                     r.mean = r.p50 = r.p95 = r.p99 = {1 / days[at], 0}; // another order, which must not matter
                     r.probability = {lateness[at], 0.001};
                     return std::optional<SampleRow>(r);
                 },
                 {}});
}

TEST(Race, OfADeadlineKeepsTheThreeThatAreSeldomLate)
{
    // The one that is nearly always late comes first in the space, and only three may be sampled.
    const RaceResult r = lateRace({1.05, 0.9, 0.95, 0.99}, {0.97, 0.0, 0.001, 0.003}, 3);
    ASSERT_EQ(r.runners.size(), 3U);
    EXPECT_FALSE(r.cut);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(r.runners[i].point.index, static_cast<std::int64_t>(i + 1));
        EXPECT_EQ(r.runners[i].score.value, r.runners[i].row.probability.value);
    }
    // Where the third one is late with probability 0.5, one beyond the deadline may be as good and is sampled.
    EXPECT_EQ(lateRace({1.05, 0.9, 0.95, 0.99}, {0.5, 0.0, 0.001, 0.51}, 4).runners.size(), 4U);
}

TEST(Race, TheLowerBoundIsTheScoreOfTheNoiseFreeStep)
{
    Scenario s = *scenarioPreset("llama2-7b-8-a100");
    s.training.trainTokens = 2e6;
    s.cluster.gpuHourPriceUsd = 3;
    const auto bound = [&](const char* objective, double seconds) {
        return minScore(*exploreObjective(objective), {0, seconds, 1, 80, 4'000, false}, s);
    };
    EXPECT_EQ(bound("over:2", 2), 0);
    EXPECT_EQ(bound("over:2", 2.001), 0.5);
    EXPECT_EQ(bound("deadline:1", 172.8), 0); // 500 steps of 172.8 s are a day
    EXPECT_EQ(bound("deadline:1", 172.9), 0.5);
    EXPECT_NEAR(bound("p95", 2), 2e6 / 4'000, 1e-9); // seconds of a million tokens
    EXPECT_NEAR(bound("cost_mean", 2), 500.0 / 3'600 * 8 * 3, 1e-9);
    SampleRow row;
    row.mean = {1, 0.1}, row.p50 = {2, 0.2}, row.p95 = {3, 0.3}, row.p99 = {4, 0.4}, row.probability = {0.5, 0.05};
    double expected = 250;
    for (const char* name : {"mean", "p50", "p95", "p99"}) {
        EXPECT_NEAR(scoreOf(*exploreObjective(name), row, 4'000, s).value, expected, 1e-9) << name;
        EXPECT_NEAR(scoreOf(*exploreObjective(name), row, 4'000, s).halfWidth, expected / 10, 1e-9) << name;
        expected += 250;
    }
    EXPECT_EQ(scoreOf(*exploreObjective("over:2"), row, 4'000, s).value, 0.5);
}

} // namespace
} // namespace prism
