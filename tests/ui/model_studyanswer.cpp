// SPDX-License-Identifier: GPL-3.0-or-later
// The sentence at the top: a clear winner, a tie within the sampling error, nothing that meets the limit, and a stale result.
#include "tests/ui/studies.h"
#include "ui/findings/studyanswer.h"

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

namespace {

/// Two scenarios with the same draws of 6 to 6.8 s; every second draw of the other one differs by `shift` seconds up, the rest by `even`.
PageContext contextOf(double even, double odd)
{
    PageContext context;
    for (const int id : {1, 2}) {
        auto s = std::make_shared<Snapshot>();
        s->scenario = smallScenario(id == 1 ? "base" : "other");
        s->hash.value = static_cast<std::uint64_t>(id);
        auto samples = std::make_shared<StepSamples>();
        for (int i = 0; i < 4000; ++i)
            samples->acrossSeconds.push_back(6.0 + 0.0002 * ((i * 1103) % 4000) + (id == 1 ? 0.0 : i % 2 == 0 ? even : odd));
        s->sortedAcrossSeconds = samples->acrossSeconds;
        std::sort(s->sortedAcrossSeconds.begin(), s->sortedAcrossSeconds.end());
        const auto at = [&s](double p) { return s->sortedAcrossSeconds[static_cast<std::size_t>(p * 3999)]; };
        s->across = {.mean = at(0.5), .p50 = at(0.5), .p95 = at(0.95), .p99 = at(0.99)};
        s->across.ciP50 = s->across.ciP95 = s->across.ciP99 = 0.008;
        s->across.samples = 4000;
        s->samples = samples;
        auto costed = std::make_shared<CostedStep>();
        costed->memory = {{}, 60, 80, true};
        costed->tokensPerStep = 1e6;
        s->costed = costed;
        context.scenarios.push_back({id, QString::fromStdString(s->scenario.name), id - 1, true, id == 1, id == 2, false, s});
    }
    context.baselineId = 1;
    context.currentId = 2;
    return context;
}

QString answerTo(const PageContext& context)
{
    ChangesCache cache;
    return studyAnswer(context, cache);
}

} // namespace

TEST(StudyAnswer, TakesAClearWinnerAndNamesThePriceOfTheOther)
{
    EXPECT_EQ(answerTo(contextOf(-0.5, -0.5)), u"Take other: 19 of 20 of its steps end within 6.26 s; with base it is 6.76 s."_s);
    EXPECT_EQ(answerTo(contextOf(0.5, 0.5)), u"Keep base: 19 of 20 of its steps end within 6.76 s; with other it would be 7.26 s."_s);
}

TEST(StudyAnswer, OfOthersAloneIsNotTheCurrentScenarios)
{
    PageContext context = contextOf(-0.5, -0.5);
    context.scenarios[1].snapshot = nullptr; // the current one is being computed
    EXPECT_EQ(answerTo(context), QString());
    context.scenarios[1].isCurrent = false;
    context.scenarios[0].isCurrent = true;
    context.currentId = 1;
    EXPECT_EQ(answerTo(context), u"19 of 20 steps end within 6.76 s, half of them within 6.40 s."_s);
}

TEST(StudyAnswer, DistinguishesNumbersThatPrintTheSame)
{
    EXPECT_EQ(answerTo(contextOf(0.001, 0.001)),
              u"Keep base: 19 of 20 of its steps end within 6.76 s; with other it would be 1.0 ms more."_s);
    EXPECT_EQ(answerTo(contextOf(-0.001, -0.001)), u"Take other: 19 of 20 of its steps end within 6.76 s; with base it is 1.0 ms more."_s);
    PageContext context = contextOf(0.0001, 0.0001);
    context.limitSeconds = 6.4;
    const QString none = answerTo(context);
    EXPECT_TRUE(none.endsWith(u"50.0 % of its steps miss it; with other it would be the same."_s)) << none.toStdString();
}

TEST(StudyAnswer, CallsATieWhatItIs)
{
    const QString tie = answerTo(contextOf(0.001, -0.001));
    EXPECT_TRUE(tie.startsWith(u"base and other tie within the sampling error"_s)) << tie.toStdString();
}

TEST(StudyAnswer, NamesTheNearestWhereNothingIsWithinTheLimit)
{
    PageContext context = contextOf(0.5, 0.5);
    context.limitSeconds = 6.4; // half of the baseline's steps
    const QString none = answerTo(context);
    EXPECT_TRUE(none.startsWith(u"No scenario meets the limit 6.40 s. The nearest is base: as predicted 50.0 % of its steps miss it"_s))
        << none.toStdString();
}

TEST(StudyAnswer, IsNotCurrentWhileAResultBehindItIsNot)
{
    PageContext context = contextOf(0.5, 0.5);
    EXPECT_TRUE(isAnswerCurrent(context));
    context.scenarios[1].stale = true;
    EXPECT_FALSE(isAnswerCurrent(context));
    EXPECT_EQ(studyAnswer(PageContext(), *std::make_unique<ChangesCache>()), QString());
}

} // namespace prism::ui::test
