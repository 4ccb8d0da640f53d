// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of the headline, rows of the table of distributions and conditions of the filter, from results that are written down by hand.
#include "handmade.h"

#include "ui/findings/studyanswer.h"
#include "ui/workspace/curvepick.h"
#include "ui/workspace/distributiondata.h"
#include "ui/workspace/headline.h"
#include "ui/workspace/papernotes.h"
#include "ui/workspace/scenariofilter.h"

namespace prism::ui::test {

using namespace Qt::StringLiterals;

namespace {

enum StripCell { p50Cell, p95Cell, p99Cell, slowdownCell, tokensCell, mfuCell, memoryCell, daysCell, costCell };

/// A result without samples: half-widths of changes are the root of the sum of squares of the two.
std::shared_ptr<Snapshot> plainResult(double p50, double half, std::uint64_t hash)
{
    auto s = std::make_shared<Snapshot>();
    s->scenario = smallScenario("plain");
    s->hash.value = hash;
    s->across = {.mean = p50, .p5 = p50, .p50 = p50, .p95 = p50, .p99 = p50};
    s->across.ciP50 = s->across.ciP95 = s->across.ciP99 = half;
    s->slowdownP50 = 1.25;
    s->tokensPerSecond = 20'008;
    s->mfu = 0.1992;
    s->daysToTrain = 20.008;
    s->costUsd = 20.008e6;
    return s;
}

void setMemory(Snapshot& s, double peakGib)
{
    auto costed = std::make_shared<CostedStep>();
    costed->memory = {{}, peakGib, 80, true};
    s.costed = costed;
}

struct StripOf {
    StripOf(SnapshotPtr baseline, SnapshotPtr current)
    {
        context.scenarios = {{1, u"base"_s, 0, true, true, false, false, std::move(baseline)},
                             {2, u"other"_s, 1, true, false, true, false, std::move(current)}};
        context.baselineId = 1;
        context.currentId = 2;
        cells = headlineCells(context, cache, {}, {});
    }
    PageContext context;
    ChangesCache cache;
    QList<HeadlineCell> cells;
};

TEST(CellAnswers, IntervalsAreTheShareOfTheMedian)
{
    const auto notes = [](const std::shared_ptr<Snapshot>& s) {
        const StripOf strip(plainResult(8, 1, 1), s);
        return QStringList{strip.cells[tokensCell].note, strip.cells[mfuCell].note, strip.cells[daysCell].note, strip.cells[costCell].note};
    };
    // An eighth: 2.501 k tokens, 2.49 points, 2.501 days, 2.501 million dollars.
    EXPECT_EQ(notes(plainResult(8, 1, 2)), (QStringList{u"± 3 k"_s, u"± 2"_s, u"± 3 d"_s, u"± 3 M$"_s}));
    EXPECT_EQ(notes(plainResult(0.5, 0.0625, 2)), notes(plainResult(8, 1, 2))) << "of steps below a second, too";
    EXPECT_EQ(notes(plainResult(8, 0, 2)), QStringList(4)) << "what is exact has no interval";
    EXPECT_EQ(notes(plainResult(0, 1, 2)), QStringList(4));
    auto s = plainResult(8, 1, 2);
    s->costUsd = 1.02e6; // an interval from a million on
    EXPECT_EQ(notes(s)[3], u"± 0.1 M$"_s);
    s->costUsd = 1e6;
    EXPECT_EQ(notes(s)[3], u"± 0.1 M$"_s);
    s->costUsd = 0.99e6;
    EXPECT_EQ(notes(s)[3], QString());
}

TEST(CellAnswers, LessThanADayOrADollarIsShown)
{
    auto base = plainResult(8, 0.01, 1), s = plainResult(7, 0.01, 2);
    base->daysToTrain = 0.75;
    base->costUsd = 0.9;
    s->daysToTrain = 0.5;
    s->costUsd = 0.5;
    const StripOf strip(base, s);
    EXPECT_EQ(strip.cells[daysCell].number, u"12.0"_s);
    EXPECT_TRUE(strip.cells[daysCell].delta.endsWith(u", −6.00 h"_s)) << strip.cells[daysCell].delta.toStdString();
    EXPECT_EQ(strip.cells[costCell].number, u"0.500"_s);
    EXPECT_TRUE(strip.cells[costCell].delta.endsWith(u", −0.400 $"_s)) << strip.cells[costCell].delta.toStdString();
    s->costUsd = 0;
    EXPECT_EQ(StripOf(base, s).cells[costCell].note, QString()) << "there is a token target";
    s->daysToTrain = 0;
    EXPECT_EQ(StripOf(base, s).cells[costCell].note, u"no token target"_s);
    EXPECT_EQ(StripOf(base, s).cells[costCell].number, u"–"_s);
}

TEST(CellAnswers, SignsOfChangesThatAreZeroOrBelowOne)
{
    auto base = plainResult(8, 0.01, 1), s = plainResult(7, 0.01, 2);
    const StripOf equal(base, s); // a shorter step of fewer tokens: the same throughput
    EXPECT_TRUE(equal.cells[tokensCell].delta.endsWith(u", 0.00"_s)) << equal.cells[tokensCell].delta.toStdString();
    EXPECT_EQ(equal.cells[tokensCell].deltaRole, Role::textSecondary);
    EXPECT_EQ(equal.cells[p50Cell].deltaRole, Role::good);
    EXPECT_EQ(equal.cells[memoryCell].delta, u"no difference"_s);
    setMemory(*base, 61);
    for (const auto& [peak, text, role] : {std::tuple{61.5, u"+0.500 GiB"_s, Role::bad}, {60.5, u"−0.500 GiB"_s, Role::good}}) {
        setMemory(*s, peak);
        const StripOf strip(base, s);
        EXPECT_EQ(strip.cells[memoryCell].delta, text);
        EXPECT_EQ(strip.cells[memoryCell].deltaRole, role);
        EXPECT_EQ(strip.cells[p50Cell].model, QString()) << "no error band is known";
    }
}

TEST(CellAnswers, ASlowdownHasAColourWhereTheStepGoesTheSameWay)
{
    auto base = plainResult(8, 0.1, 1); // half-widths: 0.141 s of the median, 0.022 of the slowdown
    const auto roleOf = [&base](double p50, double slowdown) {
        auto s = plainResult(p50, 0.1, 2);
        s->slowdownP50 = slowdown;
        return StripOf(base, s).cells[slowdownCell].deltaRole;
    };
    EXPECT_EQ(roleOf(8.5, 1.3), Role::bad); // half a second longer
    EXPECT_EQ(roleOf(7.5, 1.2), Role::good);
    EXPECT_EQ(roleOf(7.5, 1.3), Role::textSecondary);
    EXPECT_EQ(roleOf(8.5, 1.2), Role::textSecondary);
    EXPECT_EQ(roleOf(7.95, 1.2), Role::textSecondary) << "the step's change is within its interval";
    EXPECT_EQ(roleOf(7.5, 1.24), Role::textSecondary) << "and so is that of the slowdown";
    const auto timeRole = [&base](double p50) { return StripOf(base, plainResult(p50, 0.1, 2)).cells[p95Cell].deltaRole; };
    EXPECT_EQ(timeRole(7.9), Role::textSecondary);
    EXPECT_EQ(timeRole(7.8), Role::good);
    EXPECT_EQ(timeRole(8.2), Role::bad);
}

TEST(CellAnswers, SlowerMoreOftenThanNotIsADifference)
{
    const SnapshotPtr a = stepsFrom(6, false, 1, 61), b = stepsFrom(6, false, 2, 61);
    HeadlineChanges changes;
    changes.paired = true;
    changes.p50.delta = {0.01, 0.02};
    changes.probabilityFaster = {0.4, 0.02};
    EXPECT_EQ(plainText(comparisonRuns(*a, *b, changes)), u"Faster in 40.0 % ± 2 of steps"_s);
    changes.probabilityFaster = {0.49, 0.02};
    EXPECT_EQ(plainText(comparisonRuns(*a, *b, changes)), u"No difference found"_s);
}

TEST(CellAnswers, SevenCurvesAreOneTooMany)
{
    PageContext context;
    for (int id = 0; id <= kMaxCurves; ++id)
        context.scenarios << ShownScenario{id, QString::number(id), id, true, false, false, false, stepsFrom(9 - id, false, 1, 60)};
    QList<int> ids;
    for (const ShownScenario& s : drawnScenarios(context))
        ids << s.id;
    EXPECT_EQ(ids, (QList<int>{1, 2, 3, 4, 5, 6}));
    context.scenarios.removeLast();
    EXPECT_EQ(drawnScenarios(context).size(), kMaxCurves);
}

TEST(CellAnswers, LimitsBelowASecondAndScenariosWithoutAResult)
{
    ChangesCache cache;
    const SnapshotPtr s = stepsFrom(0.25, false, 1, 61); // 0.25 s + i / 400
    EXPECT_EQ(metricLines(s, nullptr, cache, {0, 0.5}).size(), 4);
    EXPECT_TRUE(metricLines(s, nullptr, cache, {0, 0.5})[3].startsWith(u"P(step > 500 ms) 74.8 %"_s)) << "299 of 400";
    PageContext context = twoScenarios();
    context.scenarios[1].snapshot.reset();
    const TableData table = distributionTable(context, cache, {}, false);
    ASSERT_EQ(table.rows.size(), 2);
    EXPECT_EQ(table.rows[1][0], u"full"_s);
    EXPECT_EQ(paperText(context, u"Page"_s).notes.size(), 0);
    auto bare = std::make_shared<Snapshot>(*s);
    bare->costed.reset();
    context.scenarios[1].snapshot = bare;
    EXPECT_TRUE(paperText(context, u"Page"_s).notes[1].endsWith(u"common random numbers."_s)) << "no error band";
    bare->costed = std::make_shared<CostedStep>(); // a band of no width
    EXPECT_TRUE(paperText(context, u"Page"_s).notes[1].endsWith(u"common random numbers."_s));
}

TEST(CellAnswers, TheTargetOfAnAnswerMayBeBelowASecond)
{
    PageContext context = twoScenarios();
    context.scenarios.resize(2);
    context.scenarios[0].snapshot = stepsFrom(0.25, false, 1, 61);
    context.scenarios[1].snapshot = stepsFrom(0.15, false, 2, 61);
    ChangesCache cache;
    EXPECT_TRUE(studyAnswer(context, cache).startsWith(u"Take other: 19 of 20"_s)) << studyAnswer(context, cache).toStdString();
    context.limitSeconds = 0.5;
    EXPECT_TRUE(studyAnswer(context, cache)
                    .startsWith(u"No scenario meets the limit 500 ms. The nearest is other: as predicted 64.8 %"_s)) // 259 of 400
        << studyAnswer(context, cache).toStdString();
}

TEST(CellAnswers, FilterConditionsAtTheirEdges)
{
    ScenarioEntry entry{1, std::make_shared<const Scenario>(smallScenario("filter")), 0, true, false};
    auto s = std::make_shared<Snapshot>(*stepsFrom(6, false, 1, 61));
    const auto holds = [&](const QString& text) { return ScenarioFilter(text).matches(entry, s); };
    s->daysToTrain = s->costUsd = 0.5;
    EXPECT_TRUE(holds(u"days < 1"_s));
    EXPECT_TRUE(holds(u"cost < 1"_s));
    s->across.p50 = 6.5 + 6.6e-9; // 6.5e-9 are a billionth
    EXPECT_FALSE(holds(u"p50 = 6.5"_s));
    s->across.p50 = 6.5 - 6.4e-9;
    EXPECT_TRUE(holds(u"p50 = 6.5"_s));
    s->mfu = 0.4 + 1.02e-9;
    EXPECT_FALSE(holds(u"mfu = 0.4"_s));
    s->across.mean = -6.5 - 5e-9;
    EXPECT_TRUE(holds(u"mean = -6.5"_s));
    for (const QString& name : {u"num_layers"_s, u"Num layers"_s, u"model.num_layers"_s}) {
        const QString label = QString::fromStdString(findParameter("model.num_layers")->label);
        EXPECT_TRUE(holds((name == u"Num layers" ? label : name) + u" = 16"_s)) << name.toStdString();
        EXPECT_FALSE(holds((name == u"Num layers" ? label : name) + u" = 17"_s)) << name.toStdString();
    }
    EXPECT_TRUE(holds(u"pp >= 4"_s) && !holds(u"pp > 4"_s));
    EXPECT_TRUE(holds(u"memory < 100"_s));
    s->costed.reset();
    EXPECT_FALSE(holds(u"memory < 100"_s)) << "it is not known";
    for (const Parameter& p : parameters())
        if (p.type == ParameterType::boolean) {
            const QString id = QString::fromStdString(p.id);
            const bool on = std::get<bool>(p.get(*entry.scenario));
            for (const auto& [typed, value] : {std::pair{u"yes"_s, true}, {u"true"_s, true}, {u"no"_s, false}, {u"false"_s, false}}) {
                EXPECT_EQ(holds(id + u" = "_s + typed), on == value) << p.id << typed.toStdString();
                EXPECT_EQ(holds(id + u" != "_s + typed), on != value) << p.id << typed.toStdString();
            }
        }
}

} // namespace
} // namespace prism::ui::test
