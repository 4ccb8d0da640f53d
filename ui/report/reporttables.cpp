// SPDX-License-Identifier: GPL-3.0-or-later
// The tables and sentences of a report.
#include "ui/look/dates.h"
#include "ui/look/change.h"
#include "ui/look/format.h"
#include "ui/report/reportcharts.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

QString text(const std::string& s)
{
    return QString::fromStdString(s);
}

/// Of a job's assumption, as people write it.
QString words(const std::string& s)
{
    return format::sentence(text(s)).replace(u"CO2"_s, u"CO₂"_s);
}

TextRuns plain(const QString& s, Type type = Type::body, Role role = Role::text)
{
    return {{s, type, role}};
}

/// A value in bold with its change behind it; a change without an interval that excludes zero has no colour.
TextRuns changed(const QString& metric, const HeadlineChange* change)
{
    TextRuns runs = plain(metric, Type::bodyStrong);
    if (change && change->delta.significant())
        runs << TextRun{u"   (%1)"_s.arg(format::percentChange(change->relative)), Type::body,
                        change->delta.value < 0 ? Role::good : Role::bad};
    else if (change)
        runs << TextRun{QObject::tr("   no difference"), Type::small, Role::textTertiary};
    return runs;
}

/// The difference of two sampled runs of a job; its intervals are those of their medians.
TextRuns changedDays(const JobReport& job, const JobReport* base)
{
    TextRuns runs = plain(format::number(job.p50Days.value), Type::bodyStrong);
    if (!base || &job == base)
        return runs;
    const double difference = job.p50Days.value - base->p50Days.value;
    if (std::abs(difference) > std::hypot(job.p50Days.halfWidth, base->p50Days.halfWidth))
        runs << TextRun{u"   (%1)"_s.arg(format::percentDelta(difference / base->p50Days.value)), Type::body,
                        difference < 0 ? Role::good : Role::bad};
    return runs;
}

const JobReport* baseJob(const Findings& f)
{
    for (const FoundScenario& s : f.scenarios)
        if (s.baseline)
            return s.job ? &*s.job : nullptr;
    return nullptr;
}

QString wordOf(JobAssumption::Word word)
{
    switch (word) {
    case JobAssumption::Word::published:
        return QObject::tr("published");
    case JobAssumption::Word::assumed:
        return QObject::tr("assumed");
    case JobAssumption::Word::scenario:
        return QObject::tr("scenario");
    }
    return {};
}

} // namespace

ReportTable scenarioTable(const Findings& f)
{
    ReportTable table;
    table.header = {QObject::tr("Scenario"), QObject::tr("Median step"), QObject::tr("p95 step"), QObject::tr("Days until done"),
                    QObject::tr("Cost")};
    table.widths = {0.30, 0.20, 0.20, 0.17, 0.13};
    for (const FoundScenario& s : f.scenarios) {
        const DistributionSummary& step = s.snapshot->across;
        const HeadlineChange* p50 = s.baseline ? nullptr : &s.changes.p50;
        const HeadlineChange* p95 = s.baseline ? nullptr : &s.changes.p95;
        const TextRuns none = plain(s.possible ? u"–"_s : QObject::tr("does not fit"), Type::body, s.possible ? Role::text : Role::error);
        table.rows << QList<TextRuns>{plain(s.name, s.baseline ? Type::bodyStrong : Type::body),
                                      changed(format::seconds(step.p50).text(), p50), changed(format::seconds(step.p95).text(), p95),
                                      s.job ? changedDays(*s.job, baseJob(f)) : none,
                                      s.job ? plain(format::dollars(s.job->costUsdMean).text(), Type::bodyStrong) : none};
    }
    return table;
}

ReportTable jobTable(const Findings& f)
{
    ReportTable table;
    table.title = QObject::tr("What it takes");
    table.widths = {0.19, 0.15, 0.66};
    table.header = {QString(), QString(), QString()};
    if (!f.best().job)
        return table;
    const JobReport& job = *f.best().job;
    const auto row = [&](const QString& name, const QString& metric, const QString& note) {
        table.rows << QList<TextRuns>{plain(name), plain(metric, Type::bodyStrong), plain(note, Type::small, Role::textSecondary)};
    };
    row(QObject::tr("Productive time"), format::percent(job.effectiveRatio.value),
        QObject::tr("nine of ten runs between %1 and %2").arg(format::percent(job.ratioP5), format::percent(job.ratioP95)));
    if (std::isfinite(job.plan.mtbfHours))
        row(QObject::tr("Failures"), format::number(job.failuresP50),
            QObject::tr("nine of ten runs between %1 and %2; one every %3 hours")
                .arg(format::number(job.failuresP5), format::number(job.failuresP95), format::number(job.plan.mtbfHours)));
    if (!job.spares.empty())
        row(QObject::tr("Spare nodes"), format::count(job.config.spareNodes),
            QObject::tr("of %1 nodes; with %2 a failing node finds one in 99 % of the cases")
                .arg(format::count(std::llround(job.plan.nodes)), format::count(job.sparesFor99)));
    row(QObject::tr("Cost"), format::dollars(job.costUsdMean).text(),
        QObject::tr("19 of 20 runs cost less than %1; spares are paid for, too").arg(format::dollars(job.costUsdP95).text()));
    if (job.energyMwhMean > 0)
        row(QObject::tr("Energy"), format::energy(job.energyMwhMean).text(),
            QObject::tr("%1 kW to a node, %2 with the building")
                .arg(format::number(job.config.nodePowerKw), format::number(job.config.nodePowerKw * job.config.pue)));
    if (job.co2TonnesMean > 0)
        row(QObject::tr("CO₂"), format::tonnes(job.co2TonnesMean).text(),
            QObject::tr("%1 g per kWh").arg(format::number(job.config.gridGCo2PerKwh)));
    return table;
}

ReportTable sourceTable(const Findings& f)
{
    ReportTable table;
    table.title = QObject::tr("Sources of the inputs");
    table.header = {QObject::tr("Input of the job"), QObject::tr("Value"), QObject::tr("Origin"), QObject::tr("Source")};
    table.widths = {0.19, 0.19, 0.11, 0.51};
    for (const JobAssumption& a : f.assumptions) {
        if (!table.rows.isEmpty() && !a.source.empty() && table.rows.back()[3].front().text == words(a.source)) {
            table.rows.back()[0].front().text += u", "_s + words(a.label).toLower(); // one source for both
            table.rows.back()[1].front().text += u", "_s + words(a.value);
            continue;
        }
        table.rows << QList<TextRuns>{
            plain(words(a.label), Type::small), plain(words(a.value), Type::smallStrong),
            plain(wordOf(a.word), Type::small, a.word == JobAssumption::Word::assumed ? Role::warning : Role::textSecondary),
            plain(words(a.source), Type::tick, Role::textTertiary)};
    }
    return table;
}

ReportTable metadataTable(const Findings& f)
{
    ReportTable table;
    table.title = QObject::tr("To make this again");
    table.header = {QObject::tr("Scenario"), QObject::tr("Hash"), QObject::tr("Steps"), QObject::tr("Seed")};
    table.widths = {0.34, 0.42, 0.12, 0.12};
    for (const FoundScenario& s : f.scenarios)
        table.rows << QList<TextRuns>{plain(s.name, Type::small), plain(text(s.snapshot->hash.text()), Type::tick, Role::textSecondary),
                                      plain(format::count(static_cast<qint64>(s.snapshot->across.samples)), Type::small),
                                      plain(QString::number(s.snapshot->seed), Type::small)};
    return table;
}

QString jobSentence(const Findings& f)
{
    if (!f.best().job)
        return {};
    const JobReport& job = *f.best().job;
    const std::string& start = job.config.startDate;
    const QString cost = format::dollars(job.costUsdMean).text();
    if (start.empty())
        return QObject::tr("Half of all runs are done within %1 days, nine of ten between %2 and %3 days, for %4.")
            .arg(format::number(job.p50Days.value), format::number(job.p5Days), format::number(job.p95Days.value), cost);
    return QObject::tr("Half of all runs end by %1, nine of ten between %2 and %3, for %4.")
        .arg(format::dayOfRun(start, job.p50Days.value), format::dayOfRun(start, job.p5Days), format::dayOfRun(start, job.p95Days.value),
             cost);
}

QString costSentence(const Findings& f)
{
    if (!f.best().job)
        return {};
    const JobReport& job = *f.best().job;
    const QString cost = format::dollars(job.costUsdMean).text();
    return std::isfinite(job.plan.mtbfHours)
               ? QObject::tr("Until it is done, the job has %1 failures and costs %2.").arg(format::number(job.failuresP50), cost)
               : QObject::tr("Until it is done, the job costs %1; nothing fails.").arg(cost);
}

QString scenarioSentence(const Findings& f)
{
    const auto p95 = [](const FoundScenario& s) { return s.snapshot->across.p95; };
    const auto [smallest, largest] = std::minmax_element(f.scenarios.begin(), f.scenarios.end(),
                                                         [&](const FoundScenario& a, const FoundScenario& b) { return p95(a) < p95(b); });
    const QString shortest = format::seconds(p95(*smallest)).text(), longest = format::seconds(p95(*largest)).text();
    if (f.scenarios.size() == 1)
        return QObject::tr("Half of the steps end within %1, 19 of 20 within %2.")
            .arg(format::seconds(smallest->snapshot->across.p50).text(), shortest);
    if (shortest == longest)
        return QObject::tr("In every scenario 19 of 20 steps end within %1.").arg(shortest);
    return QObject::tr("19 of 20 steps end within %1 with %2, and within %3 with %4.")
        .arg(shortest, smallest->name, longest, largest->name);
}

QStringList placeSentences(const Findings& f)
{
    QStringList lines;
    if (f.places && f.places->rows > 0) {
        const PlacementMap& map = *f.places;
        const PlacementCell &best = map.at(map.bestRow, map.bestColumn), &worst = map.at(map.worstRow, map.worstColumn);
        const QString slow = format::number(100 * (map.probe.computeFactor - 1), 2);
        if (map.withinNoise)
            lines << QObject::tr("A node that is %1 % slow adds %2 to p95 at any place.")
                         .arg(slow, format::percent(worst.p95Ratio.value - 1));
        else
            lines << QObject::tr("A node that is %1 % slow adds %2 to p95 in its worst place (%3) and %4 in its best (%5).")
                         .arg(slow, format::percent(worst.p95Ratio.value - 1), text(map.columnLabels[std::size_t(map.worstColumn)]),
                              format::percent(best.p95Ratio.value - 1), text(map.columnLabels[std::size_t(map.bestColumn)]));
    }
    if (f.slow)
        for (const SlowNodesReport::Row& row : f.slow->rows)
            if (lines.size() < 4)
                lines << QObject::tr("%1, %2: at full speed p95 would change by %3 %4.")
                             .arg(f.slowName, text(row.label), format::timeChange(row.repaired.p95),
                                  format::intervalNextTo(row.repaired.p95.value, row.repaired.p95.halfWidth));
    return lines;
}

QString metadataLine(const Findings& f)
{
    return QObject::tr("%1 sampled steps per scenario, seed %2. PRISM Explorer %3, scenario %4.")
        .arg(format::count(static_cast<qint64>(f.best().snapshot->across.samples)), QString::number(f.seed), f.version,
             text(f.best().snapshot->hash.text()).left(8));
}

ExportMetadata exportMetadataOf(const Findings& f)
{
    const Snapshot& s = *f.best().snapshot;
    return {.scenario = f.best().name,
            .hash = text(s.hash.text()),
            .seed = f.seed,
            .samples = static_cast<std::int64_t>(s.across.samples),
            .version = f.version,
            .page = u"distribution"_s,
            .scenarioJson = text(toJson(s.scenario))};
}

} // namespace prism::ui
