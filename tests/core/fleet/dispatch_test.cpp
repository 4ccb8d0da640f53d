// SPDX-License-Identifier: GPL-3.0-or-later
// One run of a fleet against schedules computed by hand.
#include "core/fleet/dispatch.h"

#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace prism {
namespace {

FleetTask task(double submit, double duration, int gpus, double p95 = 0)
{
    return {submit, duration, p95 > 0 ? p95 : duration, duration, gpus};
}

/// Two nodes of two GPUs.
const std::vector<FleetTask>& fourTasks()
{
    static const std::vector<FleetTask> tasks = {task(0, 10, 2), task(1, 10, 1), task(2, 4, 4), task(3, 1, 1)};
    return tasks;
}

TEST(Dispatch, FirstComeFirstServedIsTheScheduleWorkedOutByHand)
{
    // 0-10 A on node 0; 1-11 B on node 1; C needs all and waits until 11, ends 15; D is behind C until 15, ends 16.
    const FleetRun run = dispatched(fourTasks(), {1, 1}, 2, FleetPolicy::fifo);
    EXPECT_EQ(run.start, (std::vector<double>{0, 1, 11, 15}));
    EXPECT_EQ(run.end, (std::vector<double>{10, 11, 15, 16}));
    EXPECT_NEAR(run.utilisation, (20 + 10 + 16 + 1) / (16.0 * 4), 1e-12);
}

TEST(Dispatch, TheShortestStartsFirst)
{
    // D is shorter than C and starts at once on the second GPU of node 1.
    const FleetRun run = dispatched(fourTasks(), {1, 1}, 2, FleetPolicy::shortestMean);
    EXPECT_EQ(run.start, (std::vector<double>{0, 1, 11, 3}));
    // By what is kept 95 times in 100 it may be the longer one.
    std::vector<FleetTask> risky = fourTasks();
    risky[3].p95 = 5;
    EXPECT_EQ(dispatched(risky, {1, 1}, 2, FleetPolicy::shortestP95).start, (std::vector<double>{0, 1, 11, 15}));
}

TEST(Dispatch, TheSlowestNodeDecidesAndPlacementKeepsItFromLargeTasks)
{
    // Three nodes, the first half as fast. By number the large task gets it, by speed the small one does.
    const std::vector<FleetTask> tasks = {task(0, 10, 4), task(0, 10, 1)};
    EXPECT_EQ(dispatched(tasks, {2, 1, 1}, 2, FleetPolicy::fifo).end, (std::vector<double>{20, 10}));
    EXPECT_EQ(dispatched(tasks, {2, 1, 1}, 2, FleetPolicy::placement).end, (std::vector<double>{10, 20}));
}

TEST(Dispatch, FastNodesShortenTasksAndNoTasksTakeNoTime)
{
    EXPECT_EQ(dispatched({task(0, 10, 3)}, {0.5, 0.25}, 2, FleetPolicy::fifo).end, (std::vector<double>{5}));
    EXPECT_EQ(dispatched({}, {1}, 2, FleetPolicy::fifo).utilisation, 0);
}

TEST(Dispatch, SmallTasksFillANodeBeforeTheyOpenAnother)
{
    // Two small tasks share node 0, so that the large one still finds node 1 empty.
    const std::vector<FleetTask> tasks = {task(0, 10, 1), task(0, 10, 1), task(0, 10, 2)};
    EXPECT_EQ(dispatched(tasks, {1, 1}, 2, FleetPolicy::fifo).start, (std::vector<double>{0, 0, 0}));
    // A task of a node and a half takes a whole node and half of another.
    EXPECT_EQ(dispatched({task(0, 5, 3), task(0, 5, 1)}, {1, 1}, 2, FleetPolicy::fifo).start, (std::vector<double>{0, 0}));
}

TEST(Dispatch, SpeedOrdersNodesAndThePolicyNamesAreTheirs)
{
    // Up to a node the slowest one with the least room, beyond it the fastest: 1 GPU on node 1, 2 on node 2, 1 on node 1, 3 on nodes 0
    // and 3.
    const std::vector<FleetTask> tasks = {task(0, 10, 1), task(0, 10, 2), task(0, 10, 1), task(0, 10, 3)};
    EXPECT_EQ(dispatched(tasks, {1, 3, 2, 1.5}, 2, FleetPolicy::placement).end, (std::vector<double>{30, 20, 30, 15}));
    EXPECT_EQ(policyName(FleetPolicy::shortestP95), "shortest-p95");
    EXPECT_EQ(policyName(FleetPolicy::p95Placement), "p95-placement");
    // A task that ends when another is submitted leaves its GPUs to it.
    EXPECT_EQ(dispatched({task(0, 5, 4), task(5, 1, 4)}, {1, 1}, 2, FleetPolicy::fifo).start, (std::vector<double>{0, 5}));
    EXPECT_DOUBLE_EQ(dispatched({task(1, 5, 4)}, {2, 1}, 2, FleetPolicy::fifo).utilisation, 40.0 / 44);
}

/// Invariants of every run: no job starts before its submission, no more GPUs are in use than there are, the order is kept.
TEST(Dispatch, NeverGivesMoreThanThereIs)
{
    for (std::uint64_t trial = 1; trial <= 20; ++trial)
        for (int p = 0; p < kFleetPolicies; ++p) {
            std::vector<FleetTask> tasks;
            double at = 0;
            for (std::uint64_t i = 0; i < 60; ++i) {
                at += 3 * uniform(trial, stream(1), i);
                tasks.push_back(task(at, 1 + 20 * uniform(trial, stream(2), i), 1 + static_cast<int>(12 * uniform(trial, stream(3), i))));
            }
            const auto policy = static_cast<FleetPolicy>(p);
            const FleetRun run = dispatched(tasks, {1, 1.5, 1, 1}, 4, policy);
            for (std::size_t i = 0; i < tasks.size(); ++i) {
                EXPECT_GE(run.start[i], tasks[i].submit);
                EXPECT_GE(run.end[i] - run.start[i], tasks[i].actual * (1 - 1e-12));
                int used = 0;
                for (std::size_t j = 0; j < tasks.size(); ++j)
                    used += run.start[j] <= run.start[i] && run.end[j] > run.start[i] ? tasks[j].gpus : 0;
                EXPECT_LE(used, 16) << trial << policyName(policy);
                if (policy == FleetPolicy::fifo && i > 0) {
                    EXPECT_GE(run.start[i], run.start[i - 1]);
                }
            }
        }
}

} // namespace
} // namespace prism
