// SPDX-License-Identifier: GPL-3.0-or-later
// The race against a source whose truth is known: what it leaves out early is among the best seldom enough.
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

/// Mean of so many samples of one configuration: later rounds hold those of earlier ones.
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
    int asked = 0;
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
        out.asked += samples;
        return std::optional<SampleRow>(row(seed, index, samples));
    };
    out.result = race({query, maker, fitting, rows, {}});
    return out;
}

TEST(Race, LeavesOutOneOfTheBestInAtMostTheStatedShareOfSeeds)
{
    constexpr int kSeeds = 200, kKeep = 5;
    int wrong = 0;
    std::int64_t asked = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const Ran r = ran(seed, kKeep, false);
        asked += r.asked;
        bool missing = false;
        for (const Runner& runner : r.result.runners)
            missing = missing || (runner.point.index < kKeep && runner.row.samples < kMostSamples);
        wrong += missing ? 1 : 0;
    }
    EXPECT_LE(wrong, kSeeds * 5 / 100); // the confidence is 95 %
    EXPECT_LT(asked, std::int64_t{kSeeds} * kConfigurations * 2 * kMostSamples * 3 / 4);
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

TEST(Race, StopsAtTheMostThatMayBeSampledAndSaysSo)
{
    SearchSpace space;
    space.axes.push_back(*searchAxis("micro_batch_size=1"));
    const PointMaker maker = *PointMaker::make(space, *scenarioPreset("llama2-7b-8-a100"));
    ExploreQuery query;
    query.space = space;
    query.keep = 2;
    query.mostSampled = 4;
    std::vector<QuickPoint> fitting;
    for (std::int64_t i = 0; i < 9; ++i)
        fitting.push_back({i, 1, 1, 80, 1e6, false});
    const RaceResult r = race({query, maker, fitting, [](std::int64_t i, int n) { return std::optional<SampleRow>(row(1, i, n)); }, {}});
    EXPECT_TRUE(r.cut);
    EXPECT_EQ(r.runners.size(), 4U);
}

} // namespace
} // namespace prism
