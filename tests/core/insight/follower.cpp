// SPDX-License-Identifier: GPL-3.0-or-later
// A run that is followed: no alarm on predicted series, a slow node found within ten steps, stalls and drift distinguished.
#include "core/insight/follow/follower.h"

#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace prism {
namespace {

std::vector<double> series(std::uint64_t which, int steps)
{
    std::vector<double> out;
    for (int i = 0; i < steps; ++i)
        out.push_back(20 * (1 + 0.004 * (uniform(9, stream(which), static_cast<std::uint64_t>(i)) - 0.5)));
    return out;
}

struct Alarm {
    int at = -1;
    DeviationKind kind = DeviationKind::level;
};

Alarm firstAlarm(const std::vector<double>& steps, const FollowOptions& options = {})
{
    StepFollower follower(series(1, 2'000), options);
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (const auto found = follower.take({steps[i]}); !found.empty())
            return {static_cast<int>(i), found.front().kind};
    return {};
}

TEST(StepFollower, LeavesAQuietRunWithItsWarmUpAlone)
{
    std::vector<double> steps = series(2, 3'000);
    steps[0] = 60;
    steps[1] = 25;
    for (std::size_t i = 100; i < steps.size(); i += 300)
        steps[i] *= 1.4; // an occasional stall is not a change of level
    FollowOptions options;
    options.gpus = 512;
    options.stallsPerGpuHour = 0.002;
    EXPECT_EQ(firstAlarm(steps, options).at, -1);
}

TEST(StepFollower, FindsASlowNodeWithinTenSteps)
{
    for (const int from : {40, 111, 500}) {
        std::vector<double> steps = series(3, 600);
        for (std::size_t i = static_cast<std::size_t>(from); i < steps.size(); ++i)
            steps[i] *= 1.08;
        const Alarm alarm = firstAlarm(steps);
        EXPECT_EQ(alarm.kind, DeviationKind::level);
        EXPECT_GE(alarm.at, from);
        EXPECT_LT(alarm.at, from + 10);
    }
}

TEST(StepFollower, AnEpisodeOfSixStepsIsNoShift)
{
    std::vector<double> steps = series(4, 400);
    for (std::size_t i = 200; i < 206; ++i)
        steps[i] *= 1.3;
    EXPECT_EQ(firstAlarm(steps).at, -1);
}

TEST(StepFollower, DriftAndStallsAreNoShift)
{
    std::vector<double> drift = series(5, 1'000), stalls = series(6, 400);
    for (std::size_t i = 0; i < drift.size(); ++i)
        drift[i] *= 1 + 0.1 * static_cast<double>(i) / 1'000;
    EXPECT_EQ(firstAlarm(drift).kind, DeviationKind::drift);
    EXPECT_NEAR(firstAlarm(drift).at, 279, 25); // 2.5 % over the level of step 10, and half of the window
    for (std::size_t i = 100; i < 300; i += 4)
        stalls[i] *= 1.06; // a quarter of the steps lose 5 % beyond the allowance: no time to speak of
    EXPECT_EQ(firstAlarm(stalls).kind, DeviationKind::stalls);
}

TEST(StepFollower, PlacesStepsInThePrediction)
{
    StepFollower follower(series(1, 2'000), {});
    for (const double s : series(7, 60))
        (void)follower.take({s});
    (void)follower.take({20.0, 61});
    EXPECT_FALSE(follower.last().learning);
    EXPECT_EQ(follower.last().number, 61);
    EXPECT_NEAR(follower.last().overLevel, 1, 0.001);
    EXPECT_NEAR(follower.last().probability, 0.5, 0.2);
    EXPECT_NEAR(*follower.levelOverPredicted(), 1, 0.001);
}

/// Blocks of eight equal steps: the statistic of a block is its level over the median of the five blocks before it, less 1.
std::vector<double> blocks(const std::vector<double>& levels)
{
    std::vector<double> steps;
    for (const double level : levels)
        steps.insert(steps.end(), 8, level);
    return steps;
}

TEST(StepFollower, TheThresholdIsTheNormalTailOfThePredictedStatistic)
{
    std::vector<double> levels(10, 100.0);
    levels[5] = 110; // statistics: block 5 is 110 over 100, block 8 95 over 100, the others are level
    levels[8] = 95;
    FollowOptions options;
    options.minShift = 0;
    options.falseAlarmsPerWeek = 0.05 * 7 * 86'400 / 100; // 5 % of the steps, half of it for levels
    const double mean = 0.05 / 5, variance = (0.09 * 0.09 + 0.06 * 0.06 + 3 * 0.01 * 0.01) / 4;
    EXPECT_NEAR(StepFollower(blocks(levels), options).levelThreshold(), mean + 1.959963985 * std::sqrt(variance), 1e-9);
    options.minShift = 0.2;
    EXPECT_EQ(StepFollower(blocks(levels), options).levelThreshold(), 0.2);
    options.minShift = 0;
    EXPECT_EQ(StepFollower(std::vector<double>(48, 100.0), options).levelThreshold(), 0.03) << "one value has no spread";
}

TEST(StepFollower, SevenOfEightStepsBeyondTheThresholdRaiseTheLevel)
{
    const auto alarm = [](double slow, int fast, int quiet = 40) -> std::optional<Deviation> {
        StepFollower follower(std::vector<double>(200, 100.0), {}); // threshold 3 % while the run's own wander is unknown
        for (int i = 0; i < quiet; ++i)
            EXPECT_TRUE(follower.take({100.0}).empty());
        for (int i = 0; i < 8; ++i)
            if (const auto found = follower.take({i < fast ? 100.0 : slow}); !found.empty())
                return found.front();
        return std::nullopt;
    };
    EXPECT_FALSE(alarm(103.0, 0));
    EXPECT_FALSE(alarm(110.0, 2));
    const std::optional<Deviation> found = alarm(104.5, 1);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, DeviationKind::level);
    EXPECT_EQ(found->step, 48);
    EXPECT_NEAR(found->ratio, 1.045, 1e-12);
    EXPECT_EQ(found->text, "the level rose by 4.5 %: 7 of the last 8 steps lie more than 3.0 % above those before");
    EXPECT_EQ(alarm(104.5, 0)->step, 47);
    // Twenty steps are learnt; the 48th value of the statistic after them is the 32nd that is 16 steps old.
    EXPECT_FALSE(alarm(101.4, 0, 80));
    EXPECT_EQ(alarm(101.6, 0, 80)->step, 87);
    EXPECT_FALSE(alarm(101.6, 0, 60));
    EXPECT_EQ(alarm(101.6, 0, 61)->step, 69);
}

TEST(StepFollower, LearnsFromTwentyStepsAndChecksAtOnce)
{
    StepFollower follower(std::vector<double>(200, 80.0), {});
    for (int i = 0; i < 19; ++i) {
        (void)follower.take({100.0});
        EXPECT_TRUE(follower.last().learning);
        EXPECT_FALSE(follower.levelOverPredicted());
    }
    (void)follower.take({100.0});
    EXPECT_NEAR(follower.levelOverPredicted().value(), 1.25, 1e-12);
    (void)follower.take({120.0});
    EXPECT_FALSE(follower.last().learning);
    EXPECT_EQ(follower.last().number, 21);
    EXPECT_NEAR(follower.last().overLevel, 1.2, 1e-12);
    EXPECT_EQ(follower.last().probability, 1);
    EXPECT_EQ(follower.steps(), 21U);
}

TEST(StepFollower, AStepIsPlacedAmongThePredictedOverTheirMedian)
{
    std::vector<double> predicted;
    for (int i = 1; i <= 101; ++i)
        predicted.push_back(i + 149); // median 200, that of 0.9 and less: 150 to 179
    StepFollower follower(predicted, {});
    for (int i = 0; i < 20; ++i)
        (void)follower.take({100.0});
    (void)follower.take({90.0}); // 0.9 of the level, as 180 of 200
    EXPECT_NEAR(follower.last().probability, 30.0 / 101, 1e-12);
}

TEST(StepFollower, ADriftIsTheMedianOfFortyStepsOverTheFirstLevel)
{
    // Twenty steps of 100, then 0.03 more with each: the median of forty after step i is that of i - 19.5: 100 + 0.03 (i - 39.5).
    StepFollower follower(std::vector<double>(200, 100.0), {});
    const auto step = [](int i) { return LoggedStep{100 + 0.03 * std::max(0, i - 20)}; };
    for (int i = 0; i < 123; ++i)
        ASSERT_TRUE(follower.take(step(i)).empty()) << i;
    const auto found = follower.take(step(123)); // 102.505 is more than 2.5 % of it, 102.475 was not
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].kind, DeviationKind::drift);
    EXPECT_NEAR(found[0].ratio, 1.02505, 1e-9);
    EXPECT_EQ(found[0].step, 124);
    EXPECT_EQ(found[0].text, "the level has drifted to 2.5 % above that of the first steps");
    EXPECT_FALSE(follower.levelOverPredicted()) << "it is learnt again";
}

TEST(StepFollower, StallsAreCountedAgainstTheirNegativeBinomial)
{
    // Half an event is expected at least, and without a spread of rates a geometric number: P(N >= k) = (1/3)^k. At 3 % four raise it.
    const auto alarm = [](double perGpuHour, double rateCv) -> std::optional<Deviation> {
        FollowOptions options;
        options.falseAlarmsPerWeek = 4 * 0.03 * 7 * 86'400 / 100; // a quarter for stalls
        options.minShift = options.minDrift = 1;
        options.gpus = 36; // 100 s of 36 GPUs are one GPU hour
        options.stallsPerGpuHour = perGpuHour;
        options.stallRateCv = rateCv;
        StepFollower follower(std::vector<double>(200, 100.0), options);
        for (int i = 0; i < 20; ++i)
            (void)follower.take({100.0});
        for (int i = 1; i <= 100; ++i)
            if (const auto found = follower.take({i % 10 == 0 || i % 10 == 1 ? 106.0 : i % 10 == 5 ? 105.0 : 100.0}); !found.empty())
                return found.front();
        return std::nullopt;
    };
    const std::optional<Deviation> found = alarm(0.01, 0);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, DeviationKind::stalls);
    EXPECT_EQ(found->events, 4);
    EXPECT_EQ(found->step, 20 + 30); // steps 1, 10, 20, 30: two slow steps in a row are one stall
    EXPECT_NEAR(found->expectedEvents, 0.3, 1e-9);
    // Rates that spread by 2: P(N >= 4) = 0.034 at half an event, P(N >= 5) = 0.020.
    EXPECT_EQ(alarm(0.01, 2)->events, 5);
    EXPECT_FALSE(alarm(0.1, 0)) << "one in ten steps is what the scenario expects";
}

TEST(StepFollower, LostTimeIsACusumOverAnAllowance)
{
    // A predicted series without stalls: the allowance is 1 % of a step, the limit two step times. A step counts for one at most.
    const auto alarm = [](const std::vector<double>& predicted, double slow, int every) -> std::optional<Deviation> {
        FollowOptions options;
        options.minShift = options.minDrift = 1;
        options.stallsPerGpuHour = 10; // any number of stalls is expected
        StepFollower follower(predicted, options);
        for (int i = 0; i < 20; ++i)
            (void)follower.take({100.0});
        for (int i = 0; i < 200; ++i)
            if (const auto found = follower.take({i % every == 0 ? slow : 100.0}); !found.empty())
                return found.front();
        return std::nullopt;
    };
    const std::vector<double> steady(2'000, 100.0);
    const std::optional<Deviation> found = alarm(steady, 150, 15);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, DeviationKind::lostTime);
    EXPECT_EQ(found->step, 20 + 76); // the fifth stall makes it 5 x 0.5 - 61 x 0.01 = 1.89, the sixth 6 x 0.5 - 76 x 0.01 = 2.24
    EXPECT_EQ(found->text, "2.2 step times were lost in 76 steps beyond what stalls of the scenario explain");
    EXPECT_NEAR(found->ratio, 1 + 6 * 0.5 / 76, 1e-9);
    EXPECT_EQ(alarm(steady, 1'000, 1'000), std::nullopt) << "one long stop";
    EXPECT_FALSE(alarm(steady, 115, 15)) << "1 % of the time";
    // Lundberg: 1 in 10 steps at 1.5 is 0.05 a step, twice that is allowed (rates of systems spread by 1), and the limit follows.
    std::vector<double> stalling = steady;
    for (std::size_t i = 0; i < stalling.size(); i += 10)
        stalling[i] = 150;
    EXPECT_FALSE(alarm(stalling, 150, 10));
    EXPECT_TRUE(alarm(stalling, 150, 2));
}

/// 200 steps of the character of measured runs: noise of a step, a level that wanders (lag-1 correlation 0.97) and
/// rises by 0.5 % (measured: 0.3 to 0.8 %), rare stalls.
std::vector<double> madeWindow(std::uint64_t which)
{
    const double noise = 0.001 + 0.0025 * uniform(31, stream(which), 0), wander = 0.002 * uniform(31, stream(which), 1);
    std::vector<double> out;
    double level = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
        const auto draw = [&](std::uint64_t k) { return 2 * uniform(32, stream(which, i), k) - 1; }; // variance 1/3
        level = 0.97 * level + std::sqrt(3 * (1 - 0.97 * 0.97)) * wander * draw(0);
        const bool stalls = uniform(32, stream(which, i), 1) < 0.005;
        out.push_back(30
                      * (1 + 0.005 * static_cast<double>(i) / 200 + level + std::sqrt(3.0) * noise * draw(2)
                         + (stalls ? 0.05 + 0.2 * uniform(32, stream(which, i), 3) : 0)));
    }
    return out;
}

TEST(StepFollower, SmallInjectionsAreFoundAndQuietRunsAreLeftAlone)
{
    const auto found = [](const std::function<double(int)>& factor) {
        int runs = 0;
        for (std::uint64_t w = 0; w < 60; ++w) {
            std::vector<double> steps = madeWindow(w);
            for (int i = 100; i < 200; ++i)
                steps[static_cast<std::size_t>(i)] *= factor(i - 100);
            runs += firstAlarm(steps).at >= 100;
        }
        return runs;
    };
    EXPECT_LE(found([](int) { return 1.0; }), 1);
    EXPECT_GE(found([](int) { return 1.02; }), 50);
    EXPECT_EQ(found([](int) { return 1.03; }), 60);
    EXPECT_GE(found([](int i) { return i % 15 == 0 ? 1.5 : 1.0; }), 50);
    EXPECT_GE(found([](int i) { return 1 + 0.03 * i / 100; }), 30);
}

} // namespace
} // namespace prism
