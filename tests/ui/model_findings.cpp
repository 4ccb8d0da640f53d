// SPDX-License-Identifier: GPL-3.0-or-later
// The findings of a report on a study: the advised scenario, its sentence, and the caveats.
#include "ui/findings/findings.h"

#include "core/insight/guarantee/guarantee.h"
#include "tests/ui/studies.h"
#include "ui/look/format.h"
#include "ui/look/textruns.h"

#include <QRegularExpression>

#include <gtest/gtest.h>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

namespace {

FindingsQuery smallQuery(double limitSeconds = 0)
{
    FindingsQuery query;
    query.state = smallStudy();
    query.state.limitSeconds = limitSeconds;
    query.currentId = 1;
    query.samples = 1'000;
    return query;
}

Findings found(const FindingsQuery& query)
{
    Evaluator evaluator;
    Result<Findings> result = findings(evaluator, query);
    EXPECT_TRUE(result.ok());
    return result.ok() ? std::move(result).value() : Findings{};
}

} // namespace

TEST(FindingsOfAStudy, TakeTheFasterScenarioAndReportByHowMuch)
{
    const Findings f = found(smallQuery());
    ASSERT_EQ(f.scenarios.size(), 2U);
    EXPECT_EQ(f.best().name, u"base"_s); // the other one is the same with a slow node
    EXPECT_TRUE(f.answer.sentence.startsWith(u"Keep base: 19 of 20 of its steps end within "_s)) << f.answer.sentence.toStdString();
    EXPECT_TRUE(f.answer.sentence.contains(u"base + slow node"_s));
    EXPECT_FALSE(f.hasTarget);
    EXPECT_NEAR(f.scenarios[0].misses.value, 0.05, 0.005) << "the mark is the baseline's p95";
    EXPECT_GT(f.scenarios[1].misses.value, 3 * f.scenarios[0].misses.value);
    ASSERT_FALSE(f.causes.empty());
    for (std::size_t i = 1; i < f.causes.size(); ++i)
        EXPECT_GE(f.causes[i - 1].rise.value, f.causes[i].rise.value);
    ASSERT_TRUE(f.places);
    ASSERT_TRUE(f.slow);
    EXPECT_EQ(f.slowName, u"base + slow node"_s);
}

TEST(FindingsOfAStudy, AnswerTheTargetThatIsSet)
{
    const double p50 = found(smallQuery()).scenarios[0].snapshot->across.p50;
    const Findings f = found(smallQuery(p50));
    EXPECT_TRUE(f.hasTarget);
    EXPECT_NEAR(f.scenarios[0].misses.value, 0.5, 0.02);
    EXPECT_TRUE(f.answer.sentence.startsWith(u"No scenario meets the limit "_s) && f.answer.sentence.contains(u"The nearest is base: "_s))
        << f.answer.sentence.toStdString();
    EXPECT_TRUE(f.question.startsWith(u"Which scenario keeps a training step under"_s));
    // The share over systems is guarantee's, from the same steps.
    Evaluator evaluator;
    InsightOptions options;
    options.samples = 1'000;
    GuaranteeQuery query;
    query.limitsSeconds = {p50};
    const Result<Guarantee> own = guarantee(evaluator, f.best().snapshot->scenario, query, options);
    ASSERT_TRUE(own.ok());
    const Estimate over = own->exceedances[0].overSystems.probability;
    EXPECT_GT(over.value, f.best().misses.value / 3);
    EXPECT_TRUE(f.answer.certainty.contains(
        u"With the error of the mean and how systems differ, %1 of the steps miss %2; nine of ten systems %3 to %4."_s.arg(
            shareRuns(over.value, over.halfWidth).front().text, format::seconds(p50).text(),
            format::percent(own->exceedances[0].overSystems.low), format::percent(own->exceedances[0].overSystems.high))))
        << f.answer.certainty.join(u'|').toStdString();
    EXPECT_TRUE(missedOverSystems(*f.best().snapshot, 0).sentence.isEmpty()) << "no limit";
    FindingsQuery requested = smallQuery(p50);
    requested.question = u"Shall we buy?"_s;
    EXPECT_EQ(found(requested).question, requested.question);
}

TEST(FindingsOfAStudy, KeepTheBaselineWhereNoDifferenceIsFound)
{
    FindingsQuery query = smallQuery();
    Scenario same = *query.state.entries[0].scenario;
    same.name = "the same";
    query.state.entries[1].scenario = std::make_shared<const Scenario>(same);
    const Findings f = found(query);
    EXPECT_TRUE(f.best().baseline);
    EXPECT_TRUE(f.answer.sentence.contains(u"tie within the sampling error"_s)) << f.answer.sentence.toStdString();
}

TEST(FindingsOfAStudy, NeverTakeWhatDoesNotFit)
{
    FindingsQuery query = smallQuery();
    Scenario large = *setParameter(*query.state.entries[0].scenario, "cluster.gpu.memory_gib", "1");
    query.state.entries[0].scenario = std::make_shared<const Scenario>(large);
    const Findings f = found(query);
    EXPECT_EQ(f.best().name, u"base + slow node"_s);
    EXPECT_FALSE(f.scenarios[0].possible);
    query.state.entries[1].scenario = query.state.entries[0].scenario;
    EXPECT_TRUE(found(query).answer.sentence.contains(u"can run"_s));
}

TEST(FindingsOfAStudy, OmitWhatCannotBeComputedAndReportWhy)
{
    FindingsQuery query = smallQuery();
    Scenario broken = *query.state.entries[1].scenario;
    broken.parallelism.pipelineModelParallelSize = 3;
    query.state.entries[1].scenario = std::make_shared<const Scenario>(broken);
    const Findings f = found(query);
    EXPECT_EQ(f.scenarios.size(), 1U);
    ASSERT_FALSE(f.notes.isEmpty());
    EXPECT_TRUE(f.notes.front().startsWith(u"base + slow node is omitted: "_s));
    FindingsQuery nothing;
    Evaluator evaluator;
    EXPECT_FALSE(findings(evaluator, nothing).ok());
}

TEST(FindingsOfAStudy, EverySentenceIsFinishedAndHoldsNoMissingNumber)
{
    FindingsQuery query = smallQuery();
    for (ScenarioEntry& e : query.state.entries)
        e.scenario = std::make_shared<const Scenario>(*setParameter(*e.scenario, "training.train_tokens", "1e11"));
    const Findings f = found(query);
    ASSERT_TRUE(f.best().job);
    QStringList all{f.answer.sentence};
    all << f.answer.certainty << assumptionSentences(f) << limitSentences(f);
    static const QRegularExpression missing(u"%[0-9]|nan|inf\\b|–"_s);
    for (const QString& line : all)
        EXPECT_FALSE(line.isEmpty() || line.contains(missing)) << line.toStdString();
    EXPECT_TRUE(f.jobAssumed);
    EXPECT_FALSE(f.assumptions.empty());
}

} // namespace prism::ui::test
