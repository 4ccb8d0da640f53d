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

TEST(StepFollower, TellsDriftAndStallsFromAShift)
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

} // namespace
} // namespace prism
