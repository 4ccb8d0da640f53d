// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules: closed-form lengths, activation counts, and the errors of an invalid list.
#include "core/schedule/schedule.h"
#include "core/schedule/generators.h"
#include "core/schedule/lists.h"
#include "core/schedule/pieces.h"

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

Schedule lists(std::initializer_list<const char*> orders, int chunks, int microbatches)
{
    Schedule s;
    s.numStages = static_cast<int>(orders.size());
    s.numChunks = chunks;
    s.numMicrobatches = microbatches;
    for (const char* order : orders) {
        auto items = itemsFromText(order, "order");
        EXPECT_TRUE(items.ok()) << order;
        s.order.push_back(items.ok() ? *items : std::vector<ScheduleItem>{});
    }
    return s;
}

TEST(Schedule, APieceStartsWithTheLastInputAndHandsOnAtItsEnd)
{
    // Two stages, F = 1, B = 2, transfers 0. Stage 0: F0 0-1, F1 1-2, then F2+B0 waits for B0 of stage 1.
    // Stage 1: F0 1-2, B0 2-4, F1 4-5, B1 5-7, F2 when it arrives.
    const Schedule s = *customSchedule(lists({"F0 F1 F2+B0 B1 B2", "F0 B0 F1 B1 F2 B2"}, 1, 3));
    const ScheduleTiming plain = scheduleTiming(*customSchedule(lists({"F0 F1 F2 B0 B1 B2", "F0 B0 F1 B1 F2 B2"}, 1, 3)), {1, 1, 1, 0});
    const ScheduleTiming joined = scheduleTiming(s, {1, 1, 1, 0}); // not split: B takes 2
    EXPECT_EQ(plain.stageEnd, (std::vector<double>{12, 10}));      // B0 4-6, B1 7-9, B2 10-12
    // F2+B0 4-7 hands F2 on at 7, when stage 1 is through with B1: nothing is lost. B1 7-9, F2 7-8, B2 8-10 and 10-12.
    EXPECT_EQ(joined.stageEnd, (std::vector<double>{12, 10}));
    EXPECT_EQ(scheduleTiming(s, {1, 1, 1, 0, 1, 0.5}).stageEnd, (std::vector<double>{12, 10}));
    // With slow transfers the piece decides: F0 1, at stage 1 at 2, B0 3-5, back at 6, the piece 6-9, F2 there at 10 and not at 4.
    EXPECT_EQ(scheduleTiming(s, {1, 1, 1, 1}).stageEnd, (std::vector<double>{16, 13}));
}

TEST(Schedule, ItemsThatMakeNoPieceAreNamed)
{
    const auto mentions = [](const char* first, int microbatches) {
        const auto made = customSchedule(lists({first}, 1, microbatches));
        return made.ok() ? std::string() : made.errors().front().path + " " + made.errors().front().found;
    };
    EXPECT_EQ(mentions("F0 F1+B0 B1", 2), "");
    EXPECT_EQ(mentions("F0 F1+B0+W0 B1+W1", 2), "");
    EXPECT_EQ(mentions("F0+B0", 1), "schedule.order[0][0] F0+B0");             // of one and the same micro-batch
    EXPECT_EQ(mentions("F0+F1 B0 B1", 2), "schedule.order[0][0] F0+F1");       // no backward
    EXPECT_EQ(mentions("F0 B0+F1 B1", 2), "schedule.order[0][1] B0+F1");       // the forward comes first
    EXPECT_EQ(mentions("F0 F1 B0+W1 B1 W0", 2), "schedule.order[0][2] B0+W1"); // the weights of another
    EXPECT_FALSE(itemsFromText("F0+", "p").ok());
    EXPECT_FALSE(itemsFromText("+F0", "p").ok());
    EXPECT_FALSE(itemsFromText("F0++B1", "p").ok());
    const auto items = itemsFromText("F3.0+B1.1+W1.1 F4.0", "p");
    ASSERT_TRUE(items.ok());
    EXPECT_EQ(itemsText(*items, 2), "F3.0+B1.1+W1.1 F4.0");
}

TEST(Schedule, APieceWhoseInputsWaitForEachOtherIsADeadlock)
{
    // F1+B0 of stage 0 needs B0 of stage 1, which comes after the F1 that the piece sends.
    const auto made = customSchedule(lists({"F0 F1+B0 B1", "F0 F1 B0 B1"}, 1, 2));
    ASSERT_FALSE(made.ok());
    EXPECT_NE(made.errors().front().message.find("stage 0 waits at B0"), std::string::npos) << made.errors().front().message;
    EXPECT_EQ(made.errors().front().path, "schedule.order[0][1]");
}

TEST(Schedule, InvalidRequestsAreExplained)
{
    EXPECT_EQ(makeSchedule("zb-h3", 4, 1, 8).errors()[0].path, "schedule.name");
    EXPECT_EQ(makeSchedule("interleaved", 4, 2, 6).errors()[0].accepted, "a multiple of 4");
    EXPECT_FALSE(makeSchedule("zb-v", 4, 1, 8).ok());
    EXPECT_FALSE(makeSchedule("1f1b", 4, 2, 8).ok());
    EXPECT_EQ(makeSchedule("1f1b", 0, 0, -1).errors().size(), 3U);
    EXPECT_FALSE(makeSchedule("1f1b", 1024, 1, 65536).ok());
}

TEST(Schedule, SizesAreTakenUpToTheirLimits)
{
    const auto outOfRange = [](int stages, int chunks, int microbatches) {
        Schedule s;
        s.numStages = stages;
        s.numChunks = chunks;
        s.numMicrobatches = microbatches;
        const Diagnostics found = checkSchedule(s, "s");
        return std::count_if(found.begin(), found.end(), [](const Diagnostic& d) { return d.message == "The size is out of range."; });
    };
    EXPECT_EQ(outOfRange(kMaxStages, 1, 1) + outOfRange(1, kMaxChunks, 1) + outOfRange(1, 1, kMaxMicrobatches), 0);
    EXPECT_EQ(outOfRange(kMaxStages + 1, kMaxChunks + 1, kMaxMicrobatches + 1), 3);
    EXPECT_EQ(outOfRange(0, 0, 0), 3);
}

TEST(Schedule, APieceEndsWithTheOrder)
{
    std::vector<ScheduleItem> order = *itemsFromText("F0+B1 F2", "p");
    EXPECT_EQ(pieceEnd(order, 0), 2U);
    EXPECT_EQ(pieceEnd(order, 2), 3U);
    order.back().withNext = true; // nothing follows
    EXPECT_EQ(pieceEnd(order, 2), 3U);
}

/// Length of the plans found by the search, over the work of a stage: a worse plan is a defect, a better one a new bound.
TEST(Schedule, PlansAreAsGoodAsKnown)
{
    const auto over = [](const char* name, int stages, int chunks, int microbatches, PassTimes t) {
        const Schedule s = *makeSchedule(name, stages, chunks, microbatches, t);
        return scheduleTiming(s, t).longestStageSeconds / (chunks * microbatches * (t.forward + t.backward + t.weight));
    };
    const PassTimes uneven{1, 1.4, 0.5, 0.05}, heavy{1, 1, 1.6, 0.02};
    EXPECT_LE(over("zb-v", 4, 2, 12, uneven), 1.1423);
    EXPECT_LE(over("zb-v", 6, 2, 24, heavy), 1.0503);
    EXPECT_LE(over("zb-v", 3, 2, 60, uneven), 1.0322); // ranked on a shorter step first
    EXPECT_LE(over("zb-1p", 4, 1, 12, uneven), 1.1811);
    EXPECT_LE(over("zb-2p", 4, 1, 12, uneven), 1.1150);
    EXPECT_LE(over("zb-2p", 3, 1, 50, heavy), 1.0003);
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
    const auto isOutside = [&] {
        const Diagnostics all = customSchedule(outside).errors();
        return std::any_of(all.begin(), all.end(),
                           [](const Diagnostic& d) { return d.message == "The item does not exist in this schedule."; });
    };
    outside.order[0][0].chunk = 1;
    EXPECT_TRUE(isOutside());
    outside = lists;
    outside.order[0][0].microbatch = 3;
    EXPECT_TRUE(isOutside());
    outside = lists;
    outside.order[0][0].microbatch = 7;
    EXPECT_FALSE(customSchedule(outside).ok());
    outside.path = {{0, 0}, {0, 0}};
    EXPECT_GE(customSchedule(outside).errors().size(), 2U);
}

} // namespace
} // namespace prism
