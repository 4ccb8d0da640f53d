// SPDX-License-Identifier: GPL-3.0-or-later
// Which scenario is advised, and why: comparisons, computed by hand, on both sides of every condition.
#include "handmade.h"

#include "ui/findings/goalmoves.h"
#include "ui/findings/logcomparison.h"

#include <limits>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

namespace {

HeadlineChange byHand(double value, double halfWidth)
{
    HeadlineChange change;
    change.delta = {value, halfWidth};
    return change;
}

std::shared_ptr<Snapshot> changedResult(const FoundScenario& s)
{
    return std::make_shared<Snapshot>(*s.snapshot);
}

void setTokens(FoundScenario& s, double tokens)
{
    auto snapshot = changedResult(s);
    auto costed = std::make_shared<CostedStep>(*snapshot->costed);
    costed->tokensPerStep = tokens;
    snapshot->costed = costed;
    s.snapshot = snapshot;
}

/// Two scenarios whose p95 tie; days and cost as given, and their changes from the first to the second.
struct Tie {
    double days[2], daysChange, daysHalf, cost[2], costChange, costHalf;
    std::size_t advised;
};

Findings tied(const Tie& t)
{
    Findings f = found();
    f.scenarios.resize(2);
    f.scenarios[1].snapshot = stepsFrom(6, false, 2, 70);
    for (std::size_t i = 0; i < 2; ++i) {
        auto s = changedResult(f.scenarios[i]);
        s->daysToTrain = t.days[i];
        s->costUsd = t.cost[i];
        f.scenarios[i].snapshot = s;
        f.scenarios[i].changes = {};
    }
    f.compare = [t](const SnapshotPtr& a, const SnapshotPtr& b) {
        const double sign = a->hash == b->hash ? 0 : a->hash.value == 1 ? 1 : -1;
        HeadlineChanges c;
        c.daysToTrain = byHand(sign * t.daysChange, t.daysHalf);
        c.costUsd = byHand(sign * t.costChange, t.costHalf);
        return c;
    };
    f.advised = advisedScenario(f);
    return f;
}

TEST(AdviceAnswers, DaysThenCostDecideATie)
{
    const Tie cases[] = {
        {{20, 19}, -1, 0.5, {5e6, 5.1e6}, 1e5, 1e4, 1},   // days, at any cost
        {{20, 21}, 0.5, 0.1, {5e6, 4.9e6}, -1e5, 1e4, 0}, // half a day more
        {{20, 19}, -1, 1.5, {5e6, 5.1e6}, 1e5, 1e4, 0},   // the days are within their interval: cost
        {{20, 19}, -1, 1.5, {5e6, 4.9e6}, -1e5, 1e4, 1},  {{20, 19}, -1, 1.5, {5e6, 4.9e6}, -1e5, 2e5, 0},     // and so is the cost
        {{0, 19}, -1, 0.5, {5e6, 5.1e6}, 1e5, 1e4, 0},                                                         // days of one are not known
        {{20, 0}, -1, 0.5, {5e6, 5.1e6}, 1e5, 1e4, 0},    {{0.5, 0.4}, -0.1, 0.05, {5e6, 5.1e6}, 1e5, 1e4, 1}, // less than a day
        {{0, 0}, -1, 0.5, {0, 4.9e6}, -1e5, 1e4, 0},                                                           // costs of one are not known
        {{0, 0}, -1, 0.5, {5e6, 0}, -1e5, 1e4, 0},        {{0, 0}, -1, 0.5, {0.5, 0.4}, -0.1, 0.05, 1},        // less than a dollar
        {{0, 0}, -1, 0.5, {5, 5.5}, 0.5, 0.1, 0},                                                              // half a dollar more
    };
    for (const Tie& t : cases)
        EXPECT_EQ(tied(t).advised, t.advised) << t.days[0] << ' ' << t.days[1] << ' ' << t.daysChange << ' ' << t.costChange;
    const QString tie = u"Take other: other and base tie within the sampling error: 19 of 20 of their steps end within 6.95 s"_s;
    EXPECT_EQ(answerOf(tied(cases[0])).sentence, tie + u", and it trains in 19.0 d, not 20.0 d."_s);
    EXPECT_EQ(answerOf(tied(cases[3])).sentence, tie + u", and it costs 4.90 M$, not 5.00 M$."_s);
}

TEST(AdviceAnswers, StepsOfDifferentTokensAreComparedByTheirIntervalsPerToken)
{
    Findings f = found();
    f.scenarios.resize(2);
    const auto set = [&f](std::size_t i, double p95, double half, double tokens) {
        auto s = changedResult(f.scenarios[i]);
        s->across.p95 = p95;
        s->across.ciP95 = half;
        s->daysToTrain = s->costUsd = 0;
        f.scenarios[i].snapshot = s;
        setTokens(f.scenarios[i], tokens);
    };
    set(0, 2.1, 0.05, 1e6); // 2.1 s ± 0.05 per million tokens
    set(1, 8, 0.2, 4e6);    // 2.0 s ± 0.05: 0.1 is more than 0.0707
    EXPECT_EQ(advisedScenario(f), 1U);
    set(1, 8, 0.36, 4e6); // ± 0.09: 0.1 is less than 0.103
    EXPECT_EQ(advisedScenario(f), 0U);
    set(0, 2.1, 0.09, 1e6);
    set(1, 8, 0.2, 4e6);
    EXPECT_EQ(advisedScenario(f), 0U);
    set(0, 2.1, 0.05, 3e6); // of equal tokens a step's own seconds are given
    set(1, 8, 0.2, 3e6);
    f.advised = 0;
    EXPECT_TRUE(answerOf(f).sentence.contains(u"2.10 s"_s)) << answerOf(f).sentence.toStdString();
}

TEST(AdviceAnswers, OneScenarioInTheMiddleWithOtherTokensOrGpusIsNamed)
{
    Findings f = found();
    f.advised = 0;
    setTokens(f.scenarios[1], 2e6);
    EXPECT_TRUE(answerOf(f).certainty.contains(u"The scenarios differ in tokens per step: they are compared per token."_s));
    setTokens(f.scenarios[1], 1e6);
    auto wide = changedResult(f.scenarios[1]);
    wide->scenario.cluster.numGpus = 128;
    f.scenarios[1].snapshot = wide;
    EXPECT_TRUE(answerOf(f).certainty.contains(u"The scenarios differ in GPUs: they are compared per token."_s));
    auto deep = changedResult(f.scenarios[0]);
    deep->scenario.model.numLayers = 32;
    f.scenarios[1].snapshot = deep;
    EXPECT_TRUE(answerOf(f).certainty.contains(u"The scenarios differ in model: they are compared per token."_s));
}

TEST(AdviceAnswers, ThePairedChangeCountsWhereItContradictsTheMetrics)
{
    Findings f = found();
    for (std::size_t i = 0; i < 3; ++i) {
        f.scenarios[i].snapshot = stepsFrom(i == 0 ? 5 : 6, false, i + 1, 61);
        f.scenarios[i].possible = true;
        f.scenarios[i].baseline = i == 1;
    }
    f.scenarios[1].changes = {};
    f.scenarios[0].changes.p95 = byHand(0.5, 0.1);  // the one of the smallest p95 is slower job by job
    f.scenarios[2].changes.p95 = byHand(-0.3, 0.1); // and the third one faster
    f.compare = [](const SnapshotPtr&, const SnapshotPtr&) {
        HeadlineChanges c;
        c.p95 = byHand(0.2, 0.1);
        return c;
    };
    EXPECT_EQ(advisedScenario(f), 2U);
    f.scenarios[2].changes.p95 = byHand(0.3, 0.1);
    EXPECT_EQ(advisedScenario(f), 1U) << "nothing is faster than the baseline";
}

TEST(AdviceAnswers, WithoutABaselineTheSmallestP95IsAdvised)
{
    Findings f = found();
    for (std::size_t i = 0; i < 3; ++i) {
        f.scenarios[i].snapshot = stepsFrom(i == 1 ? 5.5 : 6 + 0.1 * static_cast<double>(i), false, i + 1, 61);
        f.scenarios[i].baseline = false;
        f.scenarios[i].possible = true;
    }
    f.compare = [](const SnapshotPtr&, const SnapshotPtr&) { return HeadlineChanges(); };
    EXPECT_EQ(advisedScenario(f), 1U);
    for (FoundScenario& s : f.scenarios)
        s.possible = false;
    EXPECT_EQ(advisedScenario(f), 0U);
    f.scenarios[1].baseline = true;
    EXPECT_EQ(advisedScenario(f), 1U) << "nothing can run: the baseline";
}

TEST(AdviceAnswers, TheRivalOfTheBaselineIsTheNextBest)
{
    Findings f = found();
    f.scenarios[0].snapshot = stepsFrom(5, false, 1, 61);
    f.scenarios[1].snapshot = stepsFrom(7, false, 2, 61);
    f.scenarios[2].snapshot = stepsFrom(6.8, false, 3, 61);
    f.scenarios[2].possible = true;
    f.scenarios[1].changes.p95 = byHand(2, 0.1);
    f.scenarios[2].changes.p95 = byHand(1.8, 0.1);
    f.advised = advisedScenario(f);
    EXPECT_EQ(f.advised, 0U);
    EXPECT_EQ(answerOf(f).sentence, u"Keep base: 19 of 20 of its steps end within 5.95 s; with full it would be 7.75 s."_s);
}

TEST(AdviceAnswers, ALimitHoldsWhereOneOfTwentyMissesItWithinTheInterval)
{
    Findings f = found();
    f.scenarios.resize(1);
    f.hasTarget = true;
    f.advised = 0;
    const double half = 0.01;
    f.scenarios[0].misses = {0.05 + half, half};
    EXPECT_EQ(answerOf(f).sentence, u"base meets the limit 6.70 s: as predicted 6.0 % of its steps miss it."_s);
    f.scenarios[0].misses = {std::nextafter(0.05 + half, 1.0), half};
    EXPECT_EQ(answerOf(f).sentence, u"base does not meet the limit 6.70 s: as predicted 6.0 % of its steps miss it."_s);
    const QString rule = u"A scenario meets the limit if 19 of 20 of its steps end within it."_s;
    EXPECT_FALSE(answerOf(f).certainty.contains(rule)) << "there is one scenario";
    f.scenarios.push_back(found().scenarios[1]);
    EXPECT_TRUE(answerOf(f).certainty.contains(rule));
    f.hasTarget = false;
    EXPECT_FALSE(answerOf(f).certainty.contains(rule));
}

TEST(AdviceAnswers, SentencesOfWhatIsKnownAlone)
{
    Scenario s = smallScenario("s");
    s.training.trainTokens = 0.5;
    EXPECT_EQ(assumptionSentences(s).size(), 3);
    Findings f = found();
    const QString energy = u"Energy and emissions are not stated: the power of a node is not given."_s;
    f.scenarios[0].job->energyMwhMean = 0.5;
    EXPECT_FALSE(limitSentences(f).contains(energy));
    f.scenarios[0].job->energyMwhMean = 0;
    EXPECT_TRUE(limitSentences(f).contains(energy));
    f.scenarios[0].job.reset();
    EXPECT_FALSE(limitSentences(f).contains(energy)) << "there is no job";
    LogComparison held;
    held.comparison.p50 = {-0.02, -0.03, -0.01, 0.01};
    held.comparison.p95 = {-0.02, -0.03, 0, 0.01};
    held.comparison.p99 = {0.02, 0, 0.03, 0.01};
    LogComparison same = held;
    same.comparison.p50.error = -4.5e-8;
    EXPECT_TRUE(verdictSentence(same).startsWith(u"The median was right (0.0 %)"_s)) << verdictSentence(same).toStdString();
    EXPECT_EQ(verdictSentence(held), u"The median was 2.0 % too fast, and the slow steps are as predicted."_s)
        << "an interval may end at zero";
}

} // namespace
} // namespace prism::ui::test
