// SPDX-License-Identifier: GPL-3.0-or-later
// Orders of small schedules written out, limits of sizes and lists, and times of a few passes by hand.
#include "core/schedule/generators.h"
#include "core/schedule/lists.h"
#include "core/schedule/schedule.h"
#include "core/schedule/shape.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

std::vector<std::string> ordersOf(const char* name, int stages, int chunks, int microbatches)
{
    const Schedule s = makeSchedule(name, stages, chunks, microbatches).value();
    std::vector<std::string> texts;
    for (const auto& order : s.order)
        texts.push_back(itemsText(order, chunks));
    return texts;
}

} // namespace

TEST(Orders, SmallSchedulesWrittenOut)
{
    using Texts = std::vector<std::string>;
    EXPECT_EQ(ordersOf("gpipe", 2, 1, 3), (Texts{"F0 F1 F2 B0 B1 B2", "F0 F1 F2 B0 B1 B2"}));
    EXPECT_EQ(ordersOf("1f1b", 3, 1, 4), (Texts{"F0 F1 F2 B0 F3 B1 B2 B3", "F0 F1 B0 F2 B1 F3 B2 B3", "F0 B0 F1 B1 F2 B2 F3 B3"}));
    // Warm-up 2 (P - 1 - s) + (V - 1) P = 4 and 2, then one forward before each backward; chunks go round by groups of P.
    EXPECT_EQ(ordersOf("interleaved", 2, 2, 4), (Texts{"F0.0 F1.0 F0.1 F1.1 F2.0 B0.1 F3.0 B1.1 F2.1 B0.0 F3.1 B1.0 B2.1 B3.1 B2.0 B3.0",
                                                       "F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 F2.0 B0.0 F3.0 B1.0 F2.1 B2.1 F3.1 B3.1 B2.0 B3.0"}));
}

TEST(Orders, SizesEndAtTheirLimits)
{
    EXPECT_TRUE(makeSchedule("dualpipev", 2, 2, 4).ok());
    EXPECT_FALSE(makeSchedule("dualpipev", 2, 2, 3).ok());
    EXPECT_EQ(makeSchedule("dualpipev", 3, 2, 5).errors()[0].accepted, "at least 6");
    // 3 x stages x micro-batches items, at most four million.
    EXPECT_TRUE(scheduleShape("1f1b", 1'000, 1, 1'333).ok());
    EXPECT_FALSE(scheduleShape("1f1b", 1'000, 1, 1'334).ok());
    EXPECT_TRUE(itemsFromText("F0.63", "p").ok());
    EXPECT_FALSE(itemsFromText("F0.64", "p").ok());
    for (const char* bad : {"X0", "F", "F0.", "F0.1x", "F0,1", "F-1"})
        EXPECT_FALSE(itemsFromText(bad, "p").ok()) << bad;
    EXPECT_EQ(virtualStagesOf("interleaved"), 0);
    EXPECT_EQ(virtualStagesOf("zb-v"), 2);
    EXPECT_EQ(virtualStagesOf("dualpipe"), 1);
    EXPECT_EQ(virtualStagesOf("nonsense"), 0);
    EXPECT_EQ(scheduledSize("dualpipe", 8, 1).stages, 4);
    EXPECT_EQ(scheduledSize("1f1b", 8, 1).stages, 8);
}

TEST(Orders, StagesStartLateAndTheLongestCountsFromItsFirstPass)
{
    // Two stages, one micro-batch, F 1, B 2, W 0.5 s (not split), transfers 0.25 s: stage 1 runs 1.25 to 4.75, stage 0 again 5 to 7.5.
    const ScheduleTiming t = scheduleTiming(makeSchedule("1f1b", 2, 1, 1).value(), {1, 2, 0.5, 0.25});
    EXPECT_EQ(t.stageEnd, (std::vector<double>{7.5, 4.75}));
    EXPECT_EQ(t.endSeconds, 7.5);
    EXPECT_EQ(t.longestStageSeconds, 7.5);
    EXPECT_EQ(activationsInFlight(makeSchedule("1f1b", 2, 1, 1).value()), (std::vector<int>{1, 1}));
    // Stage 1 of gpipe: both forwards from 1.25 to 3.25, then both backwards.
    const ScheduleTiming two = scheduleTiming(makeSchedule("gpipe", 2, 1, 2).value(), {1, 2, 0.5, 0.25});
    EXPECT_EQ(two.stageEnd, (std::vector<double>{11, 8.25})); // B0 of stage 1 3.25 to 5.75, B1 to 8.25
}

} // namespace prism
