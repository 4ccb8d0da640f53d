// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of the models under the window's views for results made by hand, as recorded in golden/models.txt.
#include "handmade.h"

#include "ui/findings/logcomparison.h"
#include "ui/workspace/distributiondata.h"
#include "ui/workspace/headline.h"
#include "ui/workspace/papernotes.h"

#include <QRegularExpression>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

namespace {

void addContext(Recorded& record)
{
    const PageContext context = twoScenarios();
    ChangesCache cache;
    for (const int current : {1, 2, 3}) {
        PageContext own = context;
        own.currentId = current;
        for (const HeadlineCell& cell : headlineCells(own, cache, {}, {}))
            record.add(u"headline of %1"_s.arg(current), cell.reading()
                                                             + u" ~%1 ~%2%3"_s.arg(static_cast<int>(cell.deltaRole))
                                                                   .arg(static_cast<int>(cell.noteRole))
                                                                   .arg(cell.struck ? u" struck"_s : QString()));
        record.add(u"headline of %1"_s.arg(current),
                   plainText(comparisonRuns(*context.scenarios[0].snapshot, *own.current()->snapshot,
                                            cache.changes(context.scenarios[0].snapshot, own.current()->snapshot, false))));
        const PaperText paper = paperText(own, u"Page"_s);
        record.add(u"paper"_s, paper.subtitle + u" | "_s + paper.notes.filter(QRegularExpression(u"^(Conf|Meth)"_s)).join(u" | "_s));
    }
    for (const StepLimits& limits : {StepLimits{}, StepLimits{0, 6.4}, StepLimits{6.2, 6.7}})
        for (const bool within : {false, true}) {
            const QString name = u"distribution %1 to %2%3"_s.arg(limits.lower).arg(limits.upper).arg(within ? u" within"_s : QString());
            record.add(name, distributionTable(context, cache, limits, within));
            for (const ShownScenario& s : context.scenarios)
                record.add(name, metricLines(s.snapshot, context.scenarios[0].snapshot, cache, limits).join(u" | "_s));
        }
}

void addFindings(Recorded& record)
{
    Findings f = found();
    for (const bool target : {false, true}) {
        f.hasTarget = target;
        f.advised = advisedScenario(f);
        f.answer = answerOf(f);
        record.add(u"findings"_s, u"%1 %2 %3"_s.arg(f.advised).arg(questionOf(f), f.answer.sentence));
        for (const QStringList& lines : {f.answer.certainty, assumptionSentences(f), limitSentences(f)})
            record.add(u"findings"_s, lines.join(u" | "_s));
    }
    Scenario slow = smallScenario("slow");
    slow.variability.slow = {{3, -1, 1.15, 1}, {-1, 9, 1.3, 1}};
    record.add(u"slow places"_s, slowPlaceSentences(slow, {}).join(u" | "_s));
}

void addHeld(Recorded& record)
{
    LogComparison held;
    SeriesComparison& c = held.comparison;
    c.measuredMedianSeconds = 9.05;
    c.predictedMedianSeconds = 8.9;
    c.measured = {.p95 = 1.04, .p99 = 1.09, .beyond = 0.04};
    c.predicted = {.p95 = 1.03, .p99 = 1.05, .beyond = 0.02};
    c.ks = 0.11;
    c.ksLow = 0.08;
    c.ksHigh = 0.15;
    c.ksHalves = 0.06;
    c.ksSamplingBound = 0.04;
    for (const double tail : {-0.011, 0.004, 0.02}) {
        c.p50 = {-0.0166, -0.02, -0.013, 0.002};
        c.p95 = {tail, tail - 0.003, tail + 0.003, 0.005};
        c.p99 = {tail * 2, tail * 2 - 0.02, tail * 2 + 0.002, 0.006};
        c.beyond = {tail * 3, -0.1, 0.1, 0.004};
        for (const Judged& j : judgements(held))
            record.add(u"judged"_s,
                       QStringList{j.name, j.measured, j.predicted, j.error, j.interval, j.floor, j.words, j.explained}.join(u" | "_s)
                           + u" ~%1"_s.arg(static_cast<int>(j.verdict)));
        record.add(u"judged"_s, verdictSentence(held));
    }
}

TEST(Golden, TextsOfModelsAreAsRecorded)
{
    Recorded record;
    addContext(record);
    addFindings(record);
    addHeld(record);
    record.expectAsIn("models.txt", 0);
}

} // namespace
} // namespace prism::ui::test
