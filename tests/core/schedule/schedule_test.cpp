// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules: closed-form lengths, activation counts, and what a wrong list is told.
#include "core/schedule/schedule.h"
#include "core/schedule/generators.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace prism {
namespace {

Schedule made(const char* name, int stages, int chunks, int microbatches, const PassTimes& times = {})
{
    auto s = makeSchedule(name, stages, chunks, microbatches, times);
    EXPECT_TRUE(s.ok()) << name;
    return s.ok() ? *s : Schedule{};
}

int largest(const std::vector<int>& values)
{
    return *std::max_element(values.begin(), values.end());
}

TEST(Schedule, EveryScheduleRunsEachChunkOnceWithoutDeadlock)
{
    for (const std::string& name : scheduleNames())
        for (const int stages : {1, 2, 3, 4, 8})
            for (const int rounds : {1, 2, 5})
                for (const int chunks : {1, 2, 3}) {
                    const bool fits = name == "interleaved" || chunks == (name == "zb-v" || name.starts_with("dualpipe") ? 2 : 1);
                    if (!fits || (name.starts_with("dualpipe") && rounds < 2))
                        continue;
                    const Schedule s = made(name.c_str(), stages, chunks, stages * rounds, {1.0, 1.1, 0.7, 0.05});
                    const Diagnostics found = checkSchedule(s);
                    EXPECT_TRUE(found.empty()) << name << " " << stages << " x " << chunks << ": " << found[0].message;
                }
}

TEST(Schedule, LengthsFollowTheClosedForms)
{
    const PassTimes t{1.0, 1.25, 0.75, 0.0};
    const double all = t.forward + t.backward + t.weight;
    for (const int p : {2, 4, 8}) {
        const int m = 4 * p;
        EXPECT_NEAR(scheduleTiming(made("gpipe", p, 1, m), t).endSeconds, (p - 1 + m) * all, 1e-9);
        EXPECT_NEAR(scheduleTiming(made("1f1b", p, 1, m), t).endSeconds, (p - 1 + m) * all, 1e-9);
        for (const int v : {2, 3}) // bubble (P - 1) / V of a full pass, arXiv 2104.04473 section 2.2
            EXPECT_NEAR(scheduleTiming(made("interleaved", p, v, m), {t.forward / v, t.backward / v, t.weight / v, 0}).endSeconds,
                        (m + double(p - 1) / v) * all, 1e-9);
        // arXiv 2401.10241, table 1: bubbles (P - 1)(TF + TB - TW) and (P - 1)(TF + TB - 2 TW).
        EXPECT_NEAR(scheduleTiming(made("zb-h1", p, 1, m), t).endSeconds, m * all + (p - 1) * (t.forward + t.backward - t.weight), 1e-9);
        EXPECT_NEAR(scheduleTiming(made("zb-h2", p, 1, m), t).longestStageSeconds,
                    m * all + (p - 1) * (t.forward + t.backward - 2 * t.weight), 1e-9);
        // With equal passes zb-h2 has no bubble.
        EXPECT_NEAR(scheduleTiming(made("zb-h2", p, 1, m), {1, 1, 1, 0}).longestStageSeconds, 3.0 * m, 1e-9);
    }
}

TEST(Schedule, ActivationsInFlight)
{
    EXPECT_EQ(activationsInFlight(made("gpipe", 4, 1, 16)), (std::vector<int>{16, 16, 16, 16}));
    EXPECT_EQ(activationsInFlight(made("1f1b", 4, 1, 16)), (std::vector<int>{4, 3, 2, 1}));
    EXPECT_EQ(activationsInFlight(made("1f1b", 4, 1, 2)), (std::vector<int>{2, 2, 2, 1}));
    // Megatron-LM: warm-up 2 (P - 1 - s) + (V - 1) P, plus the one of the steady state.
    EXPECT_EQ(activationsInFlight(made("interleaved", 4, 2, 16)), (std::vector<int>{11, 9, 7, 5}));
    EXPECT_EQ(activationsInFlight(made("zb-h1", 4, 1, 16)), (std::vector<int>{4, 4, 4, 4}));
    EXPECT_EQ(activationsInFlight(made("zb-h2", 4, 1, 16)), (std::vector<int>{7, 7, 7, 7}));
    EXPECT_LE(largest(activationsInFlight(made("zb-1p", 4, 1, 16))), 4);
    EXPECT_LE(largest(activationsInFlight(made("zb-2p", 4, 1, 16))), 8);
    EXPECT_LE(largest(activationsInFlight(made("zb-v", 4, 2, 16))), 8);
}

TEST(Schedule, WrongRequestsAreExplained)
{
    EXPECT_EQ(makeSchedule("zb-h3", 4, 1, 8).errors()[0].path, "schedule.name");
    EXPECT_EQ(makeSchedule("interleaved", 4, 2, 6).errors()[0].accepted, "a multiple of 4");
    EXPECT_FALSE(makeSchedule("zb-v", 4, 1, 8).ok());
    EXPECT_FALSE(makeSchedule("1f1b", 4, 2, 8).ok());
    EXPECT_EQ(makeSchedule("1f1b", 0, 0, -1).errors().size(), 3U);
    EXPECT_FALSE(makeSchedule("1f1b", 1024, 1, 65536).ok());
}

TEST(Schedule, ZbVNeedsTheMemoryOf1f1bAndLeavesLittleBubble)
{
    for (const int stages : {3, 4, 6, 8}) {
        const int microbatches = 4 * stages;
        const Schedule s = made("zb-v", stages, 2, microbatches);
        EXPECT_TRUE(checkSchedule(s).empty()) << stages;
        for (const int held : activationsInFlight(s))
            EXPECT_LE(held, 2 * stages) << stages;
        const double work = 2.0 * microbatches * 3.0;
        const double bubble = 1.0 - work / scheduleTiming(s, {}).longestStageSeconds;
        // Equal passes: the paper's order has none; 1F1B has (P - 1) / (M + P - 1), 14 to 18 %.
        EXPECT_LE(bubble, stages <= 4 ? 1e-9 : 0.016) << stages;
    }
}

TEST(Schedule, CustomListsAreChecked)
{
    Schedule lists = made("1f1b", 2, 1, 3);
    lists.path.clear();
    const auto good = customSchedule(lists);
    ASSERT_TRUE(good.ok());
    EXPECT_EQ(good->name, "custom");
    EXPECT_FALSE(good->splitsWeight);

    Schedule twice = lists;
    twice.order[1][0] = twice.order[1][2];
    const Diagnostics found = customSchedule(twice).errors();
    ASSERT_EQ(found.size(), 2U); // one item twice, one never
    EXPECT_NE(found[0].message.find("twice"), std::string::npos);
    EXPECT_NE(found[1].message.find("never"), std::string::npos);

    Schedule stuck = lists;
    std::swap(stuck.order[1][0], stuck.order[1][1]); // B0 before F0 on the last stage
    const Diagnostics deadlock = customSchedule(stuck).errors();
    ASSERT_FALSE(deadlock.empty());
    EXPECT_EQ(deadlock[1].message, "Deadlock: stage 1 waits at B0 of chunk 0 for F0 of stage 1 chunk 0.");

    Schedule outside = lists;
    outside.order[0][0].microbatch = 7;
    EXPECT_FALSE(customSchedule(outside).ok());
    outside.path = {{0, 0}, {0, 0}};
    EXPECT_GE(customSchedule(outside).errors().size(), 2U);
}

} // namespace
} // namespace prism
