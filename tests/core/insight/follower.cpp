// SPDX-License-Identifier: GPL-3.0-or-later
// A run that is followed: no alarm on predicted series, a slow node found within ten steps, stalls and drift told apart.
#include "core/insight/follow/follower.h"

#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <cmath>

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
        steps[i] *= 1.4; // a stall now and then is no change of level
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
    EXPECT_NEAR(firstAlarm(drift).at, 620, 60); // 6 % after 600 steps, and the window
    for (std::size_t i = 100; i < 300; i += 4)
        stalls[i] *= 1.5;
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
    levels[5] = 102; // statistics: block 5 is 102 over 100, block 8 99 over 100, the others are level
    levels[8] = 99;
    FollowOptions options;
    options.leastShift = 0;
    options.falseAlarmsPerWeek = 0.05 * 7 * 86'400 / 100; // 5 % of the steps, half of it for levels
    const double mean = 0.01 / 5, variance = (0.018 * 0.018 + 0.012 * 0.012 + 3 * 0.002 * 0.002) / 4;
    EXPECT_NEAR(StepFollower(blocks(levels), options).levelThreshold(), mean + 1.959963985 * std::sqrt(variance), 1e-9);
    options.leastShift = 0.2;
    EXPECT_EQ(StepFollower(blocks(levels), options).levelThreshold(), 0.2);
    options.leastShift = 0;
    EXPECT_EQ(StepFollower(std::vector<double>(48, 100.0), options).levelThreshold(), 0) << "one value has no spread";
}

TEST(StepFollower, SevenOfEightStepsBeyondTheThresholdRaiseTheLevel)
{
    const auto alarm = [](double slow, int fast) -> std::optional<Deviation> {
        StepFollower follower(std::vector<double>(200, 100.0), {}); // threshold 3 %
        for (int i = 0; i < 60; ++i)
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
    EXPECT_EQ(found->step, 68);
    EXPECT_NEAR(found->ratio, 1.045, 1e-12);
    EXPECT_EQ(found->text, "the level rose by 4.5 %: 7 of the last 8 steps lie more than 3.0 % above those before");
    EXPECT_EQ(alarm(104.5, 0)->step, 67);
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
    // Twenty steps of 100, then 0.1 more with each: after step i the reference is that of i - 27.5, 100 + 0.1 (i - 47.5) from zero on.
    StepFollower follower(std::vector<double>(200, 100.0), {});
    const auto step = [](int i) { return LoggedStep{100 + 0.1 * std::max(0, i - 20)}; };
    for (int i = 0; i < 108; ++i)
        ASSERT_TRUE(follower.take(step(i)).empty()) << i;
    const auto found = follower.take(step(108)); // 106.05 is more than 6 % of it, 105.95 was not
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].kind, DeviationKind::drift);
    EXPECT_NEAR(found[0].ratio, 1.0605, 1e-9);
    EXPECT_EQ(found[0].step, 109);
    EXPECT_EQ(found[0].text, "the level has drifted to 6.0 % above that of the first steps");
    EXPECT_FALSE(follower.levelOverPredicted()) << "it is learnt again";
}

TEST(StepFollower, StallsAreCountedAgainstTheirNegativeBinomial)
{
    // Half an event is expected at least, and without a spread of rates a geometric number: P(N >= k) = (1/3)^k. At 3 % four raise it.
    const auto alarm = [](double perGpuHour, double rateCv) -> std::optional<Deviation> {
        FollowOptions options;
        options.falseAlarmsPerWeek = 4 * 0.03 * 7 * 86'400 / 100; // a quarter for stalls
        options.leastShift = options.leastDrift = 1;
        options.gpus = 36; // 100 s of 36 GPUs are one GPU hour
        options.stallsPerGpuHour = perGpuHour;
        options.stallRateCv = rateCv;
        StepFollower follower(std::vector<double>(200, 100.0), options);
        for (int i = 0; i < 20; ++i)
            (void)follower.take({100.0});
        for (int i = 1; i <= 100; ++i)
            if (const auto found = follower.take({i % 10 == 0 || i % 10 == 1 ? 150.0 : i % 10 == 5 ? 105.0 : 100.0}); !found.empty())
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

} // namespace
} // namespace prism
