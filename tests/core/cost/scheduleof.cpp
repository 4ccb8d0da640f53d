// SPDX-License-Identifier: GPL-3.0-or-later
// The schedule of a scenario, and where its errors point to.
#include "core/cost/scheduleof.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

Scenario listed(std::vector<std::string> lists)
{
    Scenario s;
    s.parallelism.pipelineModelParallelSize = static_cast<int>(lists.size());
    s.parallelism.pipelineSchedule = "custom";
    s.parallelism.customSchedule = std::move(lists);
    return s;
}

TEST(ScheduleOf, ListsOfAScenarioBecomeItsSchedule)
{
    const auto schedule = scheduleOf(listed({"F0 F1 B0 W0 B1 W1", "F0 B0 F1 B1 W0 W1"}), 2, {});
    ASSERT_TRUE(schedule.ok());
    EXPECT_TRUE(schedule->splitsWeight);
    EXPECT_EQ(schedule->order[1][4], (ScheduleItem{Phase::weight, 0, 0}));
}

TEST(ScheduleOf, EveryErrorNamesItsListAndPlace)
{
    const auto twice = scheduleOf(listed({"F0 F1 B0 B1 B1", "F0 B0 F1"}), 2, {}).errors();
    ASSERT_EQ(twice.size(), 2U);
    EXPECT_EQ(twice[0].path, "parallelism.custom_schedule[0][4]");
    EXPECT_EQ(twice[0].message, "Stage 0 runs B1 of chunk 0 twice.");
    EXPECT_EQ(twice[1].path, "parallelism.custom_schedule[1]");
    EXPECT_EQ(twice[1].message, "Stage 1 never runs B1 of chunk 0.");

    const auto stuck = scheduleOf(listed({"F0 B0 F1 B1", "F1 F0 B0 B1"}), 2, {}).errors();
    ASSERT_EQ(stuck.size(), 2U);
    EXPECT_EQ(stuck[0].message, "Deadlock: stage 0 waits at B0 of chunk 0 for F0 of stage 0 chunk 0 and B0 of stage 1 chunk 0.");
    EXPECT_EQ(stuck[1].path, "parallelism.custom_schedule[1][0]");

    const auto outside = scheduleOf(listed({"F0 F1 B0 B1 W0", "F0 B0 F1 B1 F2"}), 2, {}).errors();
    ASSERT_EQ(outside.size(), 4U); // with one W all are separate items: W1 of stage 0 and both of stage 1 are missing; F2 does not exist
    EXPECT_EQ(outside.back().accepted, "every item once");
}

} // namespace
} // namespace prism
