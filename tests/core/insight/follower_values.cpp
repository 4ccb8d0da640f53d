// SPDX-License-Identifier: GPL-3.0-or-later
// Thresholds of a followed run bracketed from both sides: lost time, stalls, the wander of the level, and what is learnt.
#include "core/insight/follow/follower.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace prism {
namespace {

/// The last step's alarms; none before it.
std::vector<Deviation> alarmsAtEnd(StepFollower& follower, const std::vector<double>& steps)
{
    for (std::size_t i = 0; i + 1 < steps.size(); ++i)
        EXPECT_TRUE(follower.take({steps[i]}).empty()) << i;
    return follower.take({steps.back()});
}

/// Levels and drifts never raise an alarm.
FollowOptions withoutLevels()
{
    FollowOptions options;
    options.minShift = options.minDrift = 1;
    return options;
}

/// Twenty steps of 100 s, which are learnt, and those that follow.
std::vector<double> learntThen(const std::vector<double>& steps)
{
    std::vector<double> all(20, 100.0);
    all.insert(all.end(), steps.begin(), steps.end());
    return all;
}

TEST(FollowerValues, LostTimeHasTheHeightOfLundbergsInequality)
{
    // Of 200 predicted steps 20 lose half of one, 10 are at 1.04 (no stall), 5 lose more than one and count one: 15 / 200 a step. Allowed
    // are 0.01 and (1 + max(1, cv)) times that. The height -ln(0.25 x 100 / 604,800) / theta with the mean of exp(theta x increment) at 1,
    // by another program with 30 digits.
    std::vector<double> predicted(200, 100.0);
    for (std::size_t i = 0; i < 200; ++i)
        predicted[i] = i % 10 == 0 ? 150 : i % 20 == 5 ? 104 : i % 40 == 7 ? 270 : 100;
    for (const auto& [cv, allowance, height] : {std::tuple(0.5, 0.16, 4.390206487298171), std::tuple(1.5, 0.1975, 3.439690212994448)}) {
        FollowOptions options = withoutLevels();
        options.stallsPerGpuHour = 1e6; // any number of stalls is expected
        options.stallRateCv = cv;
        // Pairs of a slow and a plain step add 1 - 2 x allowance each, until one more slow step would reach the height.
        std::vector<double> steps;
        double lost = 0;
        while (lost + 1 - allowance < height) {
            steps.insert(steps.end(), {200.0, 100.0});
            lost += 1 - 2 * allowance;
        }
        steps.push_back(0);
        for (const double beyond : {-1e-6, 1e-6}) {
            steps.back() = 100 * (1 + height + beyond - lost + allowance);
            StepFollower follower(predicted, options);
            const auto found = alarmsAtEnd(follower, learntThen(steps));
            ASSERT_EQ(found.size(), beyond > 0 ? 1U : 0U) << cv;
            if (found.empty())
                continue;
            EXPECT_EQ(found[0].kind, DeviationKind::lostTime);
            EXPECT_NEAR(found[0].ratio, 1 + allowance + (height + beyond) / static_cast<double>(steps.size()), 1e-9);
            EXPECT_EQ(found[0].step, static_cast<std::int64_t>(20 + steps.size()));
        }
    }
}

TEST(FollowerValues, AnAlarmIsRaisedBeyondTwoStepTimes)
{
    const std::vector<double> steady(200, 100.0);
    FollowOptions options = withoutLevels();
    options.stallsPerGpuHour = 1e6;
    // Three steps lose 0.5 - 0.01 each, the fourth 0.53. A step of three times the level counts for one: 2 x 0.99 + 0.02.
    for (const auto& [steps, last] :
         {std::pair(std::vector<double>{150, 150, 150}, 154.0), std::pair(std::vector<double>{300, 300}, 103.0)})
        for (const double beyond : {-1e-6, 1e-6}) {
            std::vector<double> all = learntThen(steps);
            all.push_back(last + 100 * beyond);
            StepFollower follower(steady, options);
            const auto found = alarmsAtEnd(follower, all);
            ASSERT_EQ(found.size(), beyond > 0 ? 1U : 0U) << last;
            if (found.empty())
                continue;
            EXPECT_NEAR(found[0].ratio, 1 + 0.01 + 2 / static_cast<double>(steps.size() + 1), 1e-6);
            // The count starts again, and the level stays as it was learnt.
            EXPECT_TRUE(follower.levelOverPredicted());
            EXPECT_TRUE(follower.take({250.0}).empty());
            EXPECT_TRUE(follower.take({199.0}).empty()); // 0.99 + 0.98
            const auto next = follower.take({106.0});
            ASSERT_EQ(next.size(), 1U);
            EXPECT_NEAR(next[0].ratio, 1 + 0.01 + (0.99 + 0.98 + 0.05) / 3, 1e-9);
        }
    // A loss that is made up for starts at 0 again: after 0.39, forty plain steps; then 1.96 and one more.
    StepFollower follower(steady, options);
    std::vector<double> all = learntThen({140});
    all.insert(all.end(), 40, 100.0);
    all.insert(all.end(), {300, 300, 110});
    const auto found = alarmsAtEnd(follower, all);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found[0].ratio, 1 + 0.01 + (2 * 0.99 + 0.09) / 3, 1e-9);
}

/// Alarms where steps at these places behind the learnt ones are at 1.06 times the level; `tail` of a number of stalls, a quarter of the
/// false alarms.
std::vector<Deviation> stallAlarms(const std::vector<int>& stalls, double tail, double rateCv = 0, double perGpuHour = 0)
{
    FollowOptions options = withoutLevels();
    options.falseAlarmsPerWeek = 4 * tail * 604'800 / 100;
    options.gpus = 36; // 100 s of 36 GPUs are one GPU hour
    options.stallsPerGpuHour = perGpuHour;
    options.stallRateCv = rateCv;
    StepFollower follower(std::vector<double>(200, 100.0), options);
    std::vector<double> steps(static_cast<std::size_t>(stalls.back()), 100.0);
    for (const int i : stalls)
        steps[static_cast<std::size_t>(i - 1)] = 106;
    return alarmsAtEnd(follower, learntThen(steps));
}

TEST(FollowerValues, StepsAfterALoggedPauseAreNotTested)
{
    const auto alarms = [](double pause) {
        StepFollower follower(std::vector<double>(200, 100.0), {});
        std::size_t found = 0;
        for (int i = 0; i < 300; ++i) {
            const bool isAfter = i % 10 == 9;
            LoggedStep step{isAfter ? 150.0 : 100.0};
            step.pauseSeconds = isAfter ? pause : 0;
            found += follower.take(step).size();
        }
        return found;
    };
    EXPECT_EQ(alarms(30), 0U) << "longer by its evaluation, as for fit";
    EXPECT_GT(alarms(0), 0U) << "a stall in every tenth step";
    EXPECT_GT(alarms(4), 0U) << "5 % of a step is not a pause";
}

TEST(FollowerValues, StallsAreTestedByTheTailOfTheirNumber)
{
    // Half an event expected: P(N >= k) = 3^-k without a spread of rates beyond 1. Rates that spread by 2: shape 1/4, 0.020084591739251166
    // for five. 3 expected in 60 GPU hours of 0.05: 0.75^4; three of 2.6 at step 52 are likelier.
    struct Case {
        std::vector<int> stalls;
        double tail, rateCv, perGpuHour;
    };
    const std::vector<int> four = {1, 10, 20, 30}, five = {1, 10, 20, 30, 40};
    for (const Case& c : {Case{{3, 9}, 1.0 / 9, 0, 0}, Case{four, 1.0 / 81, 0, 0}, Case{four, 1.0 / 81, 0.9, 0},
                          Case{five, 0.020084591739251166, 2, 0}, Case{{41, 50, 52, 60}, 0.31640625, 0, 0.05}}) {
        EXPECT_TRUE(stallAlarms(c.stalls, c.tail * (1 - 1e-5), c.rateCv, c.perGpuHour).empty()) << c.tail;
        const auto found = stallAlarms(c.stalls, c.tail * (1 + 1e-5), c.rateCv, c.perGpuHour);
        ASSERT_EQ(found.size(), 1U) << c.tail;
        EXPECT_EQ(found[0].kind, DeviationKind::stalls);
        EXPECT_EQ(found[0].events, static_cast<int>(c.stalls.size()));
        EXPECT_NEAR(found[0].expectedEvents, c.perGpuHour * c.stalls.back(), 1e-9);
        EXPECT_EQ(found[0].ratio, 1);
    }
    // Four in 200 steps are counted, not in 201.
    EXPECT_EQ(stallAlarms({1, 50, 100, 200}, 0.03).size(), 1U);
    EXPECT_TRUE(stallAlarms({1, 50, 100, 201}, 0.03).empty());
}

TEST(FollowerValues, AfterAnAlarmStallsAreCountedAgain)
{
    FollowOptions options = withoutLevels();
    options.falseAlarmsPerWeek = 4 * 0.03 * 604'800 / 100;
    StepFollower follower(std::vector<double>(200, 100.0), options);
    std::vector<double> steps(40, 100.0);
    for (const std::size_t i : {9U, 19U, 29U, 39U})
        steps[i] = 106;
    EXPECT_EQ(alarmsAtEnd(follower, learntThen(steps)).size(), 1U);
    EXPECT_NEAR(follower.levelOverPredicted().value_or(0), 1, 1e-12) << "the level is as it was";
    EXPECT_EQ(alarmsAtEnd(follower, steps).size(), 1U) << "the next four";
}

TEST(FollowerValues, TheThresholdIsTheTailOfTheRunsOwnWander)
{
    // The second lowest of eight steps over the median of the forty before, from the 48th value on without the last 16, of the last 400.
    // Standard deviations times 3.766814265278129, by another program.
    FollowOptions options;
    options.minShift = 0;
    options.minDrift = 1;
    StepFollower follower(std::vector<double>(200, 100.0), options);
    const std::pair<int, double> expected[] = {{67, 0.03},
                                               {68, 0.008058505962782288},
                                               {69, 0.008051693023454726},
                                               {201, 0.012738644296604816},
                                               {419, 0.009072099639029428},
                                               {420, 0.009068809999953527},
                                               {436, 0.008426718367725546},
                                               {437, 0.008313044846044532},
                                               {501, 0.004766989985267699},
                                               {560, 0.0047252976663319825}};
    const double pattern[] = {0, 0.3, 0.1, 0.7, 0.2, 0.5, 0.4};
    std::size_t next = 0;
    for (int i = 0; i < 560; ++i) {
        ASSERT_TRUE(follower.take({100 + pattern[i % 7] * (i < 20 ? 0 : i < 60 ? 3 : 1) + ((i / 30) % 2 == 1 ? 0.2 : 0)}).empty()) << i;
        if (expected[next].first == i + 1) {
            EXPECT_NEAR(follower.levelThreshold(), expected[next].second, 1e-12) << i;
            next = std::min(next + 1, std::size(expected) - 1);
        }
    }
    EXPECT_EQ(next, std::size(expected) - 1);
}

TEST(FollowerValues, FalseAlarmsAreAtMostHalfOfTheSteps)
{
    // Blocks of eight at 100, but one of 110 and one of 95 (follower.cpp): the mean of the statistic is 0.01; half of all steps is its
    // median.
    std::vector<double> predicted(80, 100.0);
    std::fill_n(predicted.begin() + 40, 8, 110.0);
    std::fill_n(predicted.begin() + 64, 8, 95.0);
    FollowOptions options;
    options.minShift = 0;
    options.falseAlarmsPerWeek = 1e9;
    EXPECT_NEAR(StepFollower(predicted, options).levelThreshold(), 0.03, 1e-12) << "3 % is the smallest";
    std::fill_n(predicted.begin() + 40, 8, 150.0); // 0.5, and 0.05 below it: 0.45 / 5
    EXPECT_NEAR(StepFollower(predicted, options).levelThreshold(), 0.09, 1e-12);
}

TEST(FollowerValues, AWarmUpIsFollowedByTenCalmSteps)
{
    FollowOptions options;
    options.minShift = 0.012;
    StepFollower follower(std::vector<double>(200, 80.0), options);
    const std::set<int> slow = {1, 2, 3, 6, 9, 12, 15}; // never three calm ones in between
    for (int i = 1; i <= 80; ++i) {
        ASSERT_TRUE(follower.take({slow.contains(i) ? 150.0 : 100.0}).empty()) << i;
        EXPECT_EQ(follower.last().learning, i <= 25) << i;
        EXPECT_EQ(follower.last().number, i);
        EXPECT_EQ(follower.levelOverPredicted().has_value(), i >= 25) << i;
        EXPECT_EQ(follower.last().overLevel, 1);
        EXPECT_EQ(follower.last().probability, i <= 25 ? 0.5 : 0.0) << "every predicted step is as long";
        // Ten steps are left: the window of eight and ten before are full at step 33; 48 values of the wander at step 80.
        EXPECT_EQ(follower.levelThreshold(), i < 80 ? 0.03 : 0.012) << i;
    }
    EXPECT_NEAR(follower.levelOverPredicted().value(), 1.25, 1e-12);
    EXPECT_EQ(follower.steps(), 80U);
    (void)follower.take({90.0, 0});
    EXPECT_EQ(follower.last().number, 0) << "as logged";
    EXPECT_EQ(follower.last().seconds, 90);
}

TEST(FollowerValues, ADriftExceedsTheThresholdOfTheLevelToo)
{
    // 40 steps of 100 and then of 102 s: with a threshold of 3 % neither a level nor a drift above 1 %, though the median of forty moves.
    FollowOptions options;
    options.minShift = 0.03;
    options.minDrift = 0.01;
    StepFollower follower(std::vector<double>(200, 100.0), options);
    for (int i = 0; i < 200; ++i)
        ASSERT_TRUE(follower.take({i < 40 ? 100.0 : 102.0}).empty()) << i;
    options.minShift = 0.0199; // the eighth of the faster ones is beyond it first
    StepFollower sharper(std::vector<double>(200, 100.0), options);
    std::vector<Deviation> found;
    int at = 0;
    for (; at < 200 && found.empty(); ++at)
        found = sharper.take({at < 80 ? 100.0 : at % 8 < 3 ? 100.0 : 102.0});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].kind, DeviationKind::drift);
    EXPECT_NEAR(found[0].ratio, 1.02, 1e-12);
    for (int i = 0; i < 200; ++i)
        ASSERT_TRUE(sharper.take({102.0}).empty()) << "the first level is learnt again";
}

} // namespace
} // namespace prism
