// SPDX-License-Identifier: GPL-3.0-or-later
// The state machine of the pages: from what is known of the step times and of an insight to one state with one text.
#include "ui/workspace/pagestate.h"

#include <gtest/gtest.h>

#include <set>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

ShownScenario computed()
{
    ShownScenario s;
    s.id = 1;
    s.snapshot = std::make_shared<const Snapshot>();
    return s;
}

ShownScenario with(void (*change)(ShownScenario&))
{
    ShownScenario s = computed();
    change(s);
    return s;
}

} // namespace

TEST(PageStates, StepTimesHaveOneStateEach)
{
    EXPECT_EQ(stateOf(nullptr), PageState::empty);
    ShownScenario first;
    EXPECT_EQ(stateOf(&first), PageState::waiting);
    first.stale = true;
    EXPECT_EQ(stateOf(&first), PageState::computing);
    const ShownScenario current = computed();
    EXPECT_EQ(stateOf(&current), PageState::current);
    const ShownScenario stale = with([](ShownScenario& s) { s.stale = true; });
    EXPECT_EQ(stateOf(&stale), PageState::stale);
    const ShownScenario partial = with([](ShownScenario& s) { s.stale = s.partial = true; });
    EXPECT_EQ(stateOf(&partial), PageState::partial);
    const ShownScenario cancelled = with([](ShownScenario& s) { s.stale = s.cancelled = true; });
    EXPECT_EQ(stateOf(&cancelled), PageState::cancelled);
    ShownScenario invalid = with([](ShownScenario& s) { s.stale = s.invalid = true; });
    EXPECT_EQ(stateOf(&invalid), PageState::invalid);
    invalid.snapshot.reset(); // an import that is wrong from the start
    EXPECT_EQ(stateOf(&invalid), PageState::invalid) << "a wrong input is not being computed";
}

TEST(PageStates, AnInsightFollowsTheStepTimes)
{
    const ShownScenario current = computed();
    EXPECT_EQ(stateOf(&current, {.waits = true}), PageState::waiting);
    EXPECT_EQ(stateOf(&current, {.runs = true}), PageState::computing);
    EXPECT_EQ(stateOf(&current, {.hasAnswer = true, .waits = true}), PageState::stale);
    EXPECT_EQ(stateOf(&current, {.hasAnswer = true, .runs = true}), PageState::stale);
    EXPECT_EQ(stateOf(&current, {.hasAnswer = true, .isCurrent = true}), PageState::current);
    EXPECT_EQ(stateOf(&current, {.cancelled = true}), PageState::cancelled);
    EXPECT_EQ(stateOf(&current, {.hasAnswer = true, .cancelled = true}), PageState::cancelled);
    EXPECT_EQ(stateOf(&current, {.error = u"no"_s}), PageState::failed);
    const ShownScenario stale = with([](ShownScenario& s) { s.stale = true; });
    EXPECT_EQ(stateOf(&stale, {}), PageState::waiting);
    EXPECT_EQ(stateOf(&stale, {.hasAnswer = true, .isCurrent = true}), PageState::stale);
    const ShownScenario invalid = with([](ShownScenario& s) { s.stale = s.invalid = true; });
    EXPECT_EQ(stateOf(&invalid, {.runs = true}), PageState::invalid);
    const ShownScenario cancelled = with([](ShownScenario& s) { s.stale = s.cancelled = true; });
    EXPECT_EQ(stateOf(&cancelled, {.hasAnswer = true, .isCurrent = true}), PageState::cancelled);
}

TEST(PageStates, EveryStateIsShownOnceAndOnlyWorkShowsComputing)
{
    std::set<QString> notes;
    for (int i = 0; i <= static_cast<int>(PageState::failed); ++i) {
        const auto state = static_cast<PageState>(i);
        for (const bool hasData : {false, true}) {
            const StateText text = textOf(state, hasData, u"Walking"_s, {.error = u"the reason"_s});
            EXPECT_FALSE(!text.message.isEmpty() && !text.note.isEmpty()) << i << ": a message and a note";
            const bool silent = state == PageState::current || state == PageState::empty;
            EXPECT_EQ(text.message.isEmpty() && text.note.isEmpty(), silent) << i;
            const QString printed = text.message + text.note;
            if (!isUnderWay(state)) {
                EXPECT_FALSE(printed.contains(u"computing"_s, Qt::CaseInsensitive)) << i << ": " << printed.toStdString();
                EXPECT_NE(wordOf(state), u"Computing"_s) << i;
            }
            if (state == PageState::failed) {
                EXPECT_TRUE(printed.contains(u"the reason"_s));
            }
        }
        if (const QString note = textOf(state, true, u"Walking"_s).note; !note.isEmpty()) {
            EXPECT_TRUE(notes.insert(note).second) << "two states say " << note.toStdString();
        }
    }
}

TEST(PageStates, TheWorseOfTwoIsReported)
{
    EXPECT_EQ(worse(PageState::current, PageState::computing), PageState::computing);
    EXPECT_EQ(worse(PageState::cancelled, PageState::computing), PageState::cancelled);
    EXPECT_EQ(worse(PageState::empty, PageState::current), PageState::current);
    EXPECT_EQ(worse(PageState::invalid, PageState::failed), PageState::invalid);
}

} // namespace prism::ui
