// SPDX-License-Identifier: GPL-3.0-or-later
// One attempt of the planner: its order runs, its time is that of the order, and it is given up only where it is too long.
#include "core/schedule/planner.h"

#include "core/schedule/shape.h"

#include <gtest/gtest.h>

#include <random>

namespace prism {
namespace {

/// Shapes, times and policies of all kinds, from a fixed seed.
struct Case {
    Schedule shape;
    PassTimes times;
    PlanAttempt attempt;
};

Case drawn(std::mt19937& random)
{
    const auto share = [&](double low, double high) { return low + (high - low) * static_cast<double>(random() % 1'000) / 999.0; };
    const bool chunked = random() % 2 == 0;
    const int stages = 1 + static_cast<int>(random() % 8), microbatches = 1 + static_cast<int>(random() % 40);
    Case c{*scheduleShape(chunked ? "zb-v" : "zb-2p", stages, chunked ? 2 : 1, microbatches), {}, {}};
    c.times = {share(0.5, 1.5), share(0.5, 2.0), share(0.3, 1.5), share(0.0, 0.3), share(0.0, 1.0)};
    c.attempt.planned = random() % 4 == 0 ? PassTimes{1, 1, 1, c.times.transfer, c.times.weightShare} : c.times;
    c.attempt.policy = {share(0.0, 4.0), share(0.0, 0.5), random() % 2 == 0, share(0.5, 1.0), random() % 2 == 0, random() % 2 == 0};
    return c;
}

TEST(Planner, ItsTimeIsThatOfItsOrder)
{
    std::mt19937 random(3);
    int planned = 0;
    for (int trial = 0; trial < 300; ++trial) {
        Case c = drawn(random);
        const PlannedOrder plan = plannedOrder({c.shape, c.times, 2 * c.shape.numStages}, c.attempt);
        if (plan.order.empty()) // a deadlock of the policy
            continue;
        ++planned;
        c.shape.order = plan.order;
        EXPECT_TRUE(checkSchedule(c.shape).empty()) << trial;
        const ScheduleTiming timing = scheduleTiming(c.shape, c.times);
        EXPECT_EQ(std::get<0>(plan.time), timing.longestStageSeconds) << trial;
        EXPECT_EQ(std::get<1>(plan.time), timing.endSeconds) << trial;
    }
    EXPECT_GT(planned, 200);
}

TEST(Planner, GivesUpWhatIsTooLongAndNothingElse)
{
    std::mt19937 random(4);
    for (int trial = 0; trial < 100; ++trial) {
        const Case c = drawn(random);
        const PlanTask task{c.shape, c.times, 2 * c.shape.numStages};
        const PlannedOrder plan = plannedOrder(task, c.attempt);
        if (plan.order.empty())
            continue;
        const double longest = std::get<0>(plan.time);
        EXPECT_EQ(plannedOrder(task, c.attempt, longest).order, plan.order) << trial;
        EXPECT_TRUE(plannedOrder(task, c.attempt, longest * (1 - 1e-6)).order.empty()) << trial;
    }
}

} // namespace
} // namespace prism
