// SPDX-License-Identifier: GPL-3.0-or-later
// Text of a search, and the names of its results; dates and spans of a job; goals.
#include "ui/findings/goalmoves.h"
#include "ui/findings/searchtext.h"
#include "ui/look/dates.h"

#include "tests/ui/studies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

TEST(SearchText, ReadsListsAndRangesAsPeopleTypeThem)
{
    const Scenario s = smallScenario("s");
    for (const QString& text : {u"TP 4, 8; PP 2 … 16"_s, u"tp=4,8\npp: 2..16"_s, u"TP 4,8 ; PP 2 to 16;"_s}) {
        const Result<SearchSpace> space = searchSpaceOf(text, s);
        ASSERT_TRUE(space.ok()) << text.toStdString();
        ASSERT_EQ(space->axes.size(), 2U);
        EXPECT_EQ(space->axes[0].ids.front(), "parallelism.tensor_model_parallel_size");
        EXPECT_EQ(space->axes[0].values.size(), 2U);
        EXPECT_EQ(space->axes[1].values.size(), 4U) << "2, 4, 8, 16";
    }
    EXPECT_EQ(searchSpaceOf(u"schedule 1f1b, interleaved"_s, s)->axes.front().values.size(), 2U);
    EXPECT_GT(searchSpaceOf(u"  "_s, s)->axes.size(), 2U) << "the default space";
}

TEST(SearchText, ReportsAllErrors)
{
    const Result<SearchSpace> space = searchSpaceOf(u"nonsense 4; TP 4; PP 9..2"_s, smallScenario("s"));
    ASSERT_FALSE(space.ok());
    EXPECT_EQ(space.errors().size(), 2U);
    EXPECT_FALSE(searchSpaceOf(QString(5'000, u';') + u"x"_s, smallScenario("s")).ok());
}

TEST(SearchText, ACandidateBecomesAScenarioThatIsIt)
{
    ExploreCandidate c;
    c.values = {{"parallelism.tensor_model_parallel_size", "8"},
                {"parallelism.pipeline_model_parallel_size", "2"},
                {"training.recompute_granularity", "none"}};
    EXPECT_EQ(candidateName(c), u"TP8 PP2"_s);
    const Scenario base = smallScenario("base");
    EXPECT_FALSE(isCandidate(base, c));
    const Result<Scenario> made = candidateScenario(base, c);
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(made->parallelism.tensorModelParallelSize, 8);
    EXPECT_EQ(made->name, "TP8 PP2");
    EXPECT_TRUE(made->note.empty()) << "its parent is the study's to know";
    EXPECT_TRUE(isCandidate(*made, c));
}

TEST(GoalMovesOfAScenario, AMoveBecomesAScenarioUnderItsName)
{
    Scenario base = smallScenario("base");
    base.variability.slow = {{3, -1, 1.2, 1}, {13, -1, 1.1, 1}};
    Move move;
    move.changes = {"Slow node 3 swapped out"};
    move.slow = {{{13, -1, 1.1, 1}}};
    const Result<Scenario> made = namedMove(base, move);
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(made->name, "base, Slow node 3 swapped out");
    ASSERT_EQ(made->variability.slow.size(), 1U);
    EXPECT_EQ(made->variability.slow.front().node, 13);
    Move twice;
    twice.changes = {"Tensor parallel 4 -> 8"};
    twice.settings = {{"parallelism.tensor_model_parallel_size", "8"}};
    EXPECT_EQ(moveText(twice), u"Tensor parallel 4 → 8"_s);
    EXPECT_EQ(namedMove(base, twice)->parallelism.tensorModelParallelSize, 8);
    Move named;
    named.changes = {"CUDA graphs none -> full_iteration", "Micro-batch: spread 2% -> 1%"};
    named.settings = {{"training.cuda_graphs", "full_iteration"}};
    EXPECT_EQ(moveText(named), u"CUDA graphs None → Full iteration; Micro-batch: spread 2 % → 1 %"_s);
}

TEST(Dates, ADeadlineIsTheEndOfItsDay)
{
    using namespace format;
    EXPECT_EQ(deadlineDays(u"80"_s, ""), 80.0);
    EXPECT_EQ(deadlineDays(u"80 days"_s, ""), 80.0);
    EXPECT_EQ(deadlineDays(u"2026-03-14"_s, "2026-03-01"), 14.0) << "fourteen days, the last one counts";
    EXPECT_EQ(deadlineDays(u"14 March 2026"_s, "2026-03-01"), 14.0);
    EXPECT_FALSE(deadlineDays(u"2026-03-14"_s, ""));
    EXPECT_FALSE(deadlineDays(u"2026-02-14"_s, "2026-03-01"));
    EXPECT_FALSE(deadlineDays(u"soon"_s, "2026-03-01"));
    EXPECT_FALSE(deadlineDays(u"-3"_s, ""));
    EXPECT_EQ(dayOfRun("2026-02-24", 5.5), u"1 March"_s); // February of 2026 has 28 days
    EXPECT_EQ(dayOfRun("2026-12-24", 10), u"3 January 2027"_s);
    EXPECT_EQ(dayOfRun("", 80.4), u"day 80"_s);
    EXPECT_EQ(byDeadline("2026-02-24", 6), u"by 1 March"_s) << "the day on which the sixth day falls still counts";
    EXPECT_EQ(byDeadline("", 78), u"within 78 days"_s);
    EXPECT_EQ(byDeadline("", 1), u"within 1 day"_s);
    EXPECT_EQ(span(45), u"45 s"_s);
    EXPECT_EQ(span(492), u"8.2 min"_s);
    EXPECT_EQ(span(std::numeric_limits<double>::infinity()), u"never"_s);
}

} // namespace prism::ui::test
