// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/headline.h"

#include "ui/look/change.h"
#include "ui/look/format.h"
#include "ui/workspace/distributiondata.h"

#include <algorithm>
#include <cmath>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

/// The cells in their order; besides the step, those from `days` on depend only on tokens and prices.
enum Cell { p50, p95, p99, slowdown, tokens, mfu, memory, days, cost, kCells };

Role roleOf(const HeadlineChange& change, bool lowerIsBetter, bool known)
{
    if (!known || change.delta.value == 0)
        return Role::textSecondary;
    return (change.delta.value < 0) == lowerIsBetter ? Role::good : Role::bad;
}

/// "+25 k": a difference with the prefix that fits it.
QString signedSi(double value, const format::Quantity& magnitude)
{
    return (value < 0 ? QString(QChar(0x2212)) : value > 0 ? u"+"_s : QString()) + magnitude.text();
}

/// "−1.6 %, −140 ms"
QString relativeAnd(const HeadlineChange& change, const QString& absolute)
{
    return u"%1, %2"_s.arg(format::percentChange(change.relative), absolute);
}

QList<HeadlineCell> emptyCells()
{
    QList<HeadlineCell> cells;
    for (const auto& [key, label] : {std::pair{u"step_time_s.p50"_s, QObject::tr("Step time p50")},
                                     {u"step_time_s.p95"_s, QObject::tr("Step time p95")},
                                     {u"step_time_s.p99"_s, QObject::tr("Step time p99")},
                                     {u"slowdown_p50"_s, QObject::tr("Slowdown p50")},
                                     {u"tokens_per_s"_s, QObject::tr("Tokens/s")},
                                     {u"mfu"_s, QObject::tr("MFU")},
                                     {u"memory_gib.peak"_s, QObject::tr("Peak memory")},
                                     {u"days_to_train"_s, QObject::tr("Days to train")},
                                     {u"cost_usd"_s, QObject::tr("Cost")}}) {
        HeadlineCell cell;
        cell.key = key;
        cell.label = label;
        cell.number = u"–"_s;
        cells << cell;
    }
    return cells;
}

void setMetric(HeadlineCell& cell, const format::Quantity& metric, const QString& note)
{
    cell.number = metric.number;
    cell.unit = metric.unit;
    cell.note = note;
}

/// Relative half-width of the median step; throughput, MFU, days and cost move with it.
double medianShare(const Snapshot& s)
{
    return s.across.p50 > 0 ? s.across.ciP50 / s.across.p50 : 0;
}

void fillTimes(QList<HeadlineCell>& cells, const Snapshot& s)
{
    setMetric(cells[p50], format::seconds(s.across.p50), format::intervalNextTo(s.across.p50, s.across.ciP50));
    setMetric(cells[p95], format::seconds(s.across.p95), format::intervalNextTo(s.across.p95, s.across.ciP95));
    setMetric(cells[p99], format::seconds(s.across.p99), format::intervalNextTo(s.across.p99, s.across.ciP99));
    if (s.costed && s.costed->errorBandHigh > s.costed->errorBandLow)
        for (const Cell cell : {p50, p95, p99})
            cells[cell].model = QObject::tr("%1 model").arg(format::band(s.costed->errorBandLow, s.costed->errorBandHigh));
}

void fillMemory(HeadlineCell& cell, const MemoryReport& report)
{
    setMetric(cell, format::gib(report.peakGib),
              report.fits ? QObject::tr("of %1, fits").arg(format::number(report.capacityGib))
                          : QObject::tr("%1 too much").arg(format::number(report.peakGib - report.capacityGib)));
    if (!report.fits)
        cell.noteRole = Role::error;
}

/// The values without a comparison.
void fillValues(QList<HeadlineCell>& cells, const Snapshot& s)
{
    fillTimes(cells, s);
    setMetric(cells[slowdown], {format::number(s.slowdownP50), u"×"_s},
              s.samples ? QObject::tr("noise-free %1").arg(format::seconds(s.samples->noiseFreeSeconds).text()) : QString());
    const double share = medianShare(s);
    const auto plusMinus = [share](double half, const QString& unit) {
        return share > 0 ? u"± %1%2"_s.arg(format::number(half, 1), unit) : QString();
    };
    setMetric(cells[tokens], format::si(s.tokensPerSecond), plusMinus(s.tokensPerSecond * share / 1000, u" k"_s));
    setMetric(cells[mfu], {format::number(s.mfu * 100), u"%"_s}, plusMinus(s.mfu * share * 100, {}));
    if (s.costed)
        fillMemory(cells[memory], s.costed->memory);
    cells[days].note = cells[cost].note = s.daysToTrain > 0 ? QString() : QObject::tr("no token target");
    if (s.daysToTrain > 0) {
        const format::Quantity value = format::days(s.daysToTrain);
        setMetric(cells[days], value, value.unit == u"d" ? plusMinus(s.daysToTrain * share, u" d"_s) : QString());
    }
    if (s.costUsd > 0)
        setMetric(cells[cost], format::dollars(s.costUsd), s.costUsd >= 1e6 ? plusMinus(s.costUsd * share / 1e6, u" M$"_s) : QString());
}

/// The change of one metric. Without an interval that excludes zero it has neither a number nor a colour.
struct ChangeText {
    const HeadlineChange& change;
    bool lowerIsBetter;
    QString text;
};

void setChange(HeadlineCell& cell, const ChangeText& c, bool known)
{
    cell.delta = known ? c.text : QObject::tr("no difference");
    cell.deltaRole = roleOf(c.change, c.lowerIsBetter, known);
}

/// The changes to the baseline next to the values.
void fillChanges(QList<HeadlineCell>& cells, const Snapshot& s, const HeadlineChanges& c)
{
    const auto time = [&](Cell cell, const HeadlineChange& change) {
        const QString delta = format::timeChange(change.delta), half = format::intervalNextTo(change.delta.value, change.delta.halfWidth);
        setChange(cells[cell], {change, true, relativeAnd(change, u"%1 %2"_s.arg(delta, half))}, change.delta.significant());
        if (!change.delta.significant())
            cells[cell].delta = format::noDifference();
    };
    time(p50, c.p50);
    time(p95, c.p95);
    time(p99, c.p99);
    const auto size = [](const HeadlineChange& ch) { return std::abs(ch.delta.value); };
    const auto si = [&](const HeadlineChange& ch, const format::Quantity& magnitude) { return signedSi(ch.delta.value, magnitude); };
    const bool known = c.p50.delta.significant(); // these move with the median step
    setChange(cells[slowdown], {c.slowdownP50, true, format::signedNumber(c.slowdownP50.delta.value, 2) + u"×"_s},
              c.slowdownP50.delta.significant());
    if (!known || (c.p50.delta.value < 0) != (c.slowdownP50.delta.value < 0))
        cells[slowdown].deltaRole = Role::textSecondary; // a smaller ratio is not a gain if the noise-free step became slower
    setChange(cells[tokens],
              {c.tokensPerSecond, false, relativeAnd(c.tokensPerSecond, si(c.tokensPerSecond, format::si(size(c.tokensPerSecond))))},
              known);
    setChange(cells[mfu], {c.mfu, false, format::pointsDelta(c.mfu.delta.value)}, c.mfu.delta.significant());
    setChange(cells[memory], {c.peakMemoryGib, true, si(c.peakMemoryGib, format::gib(size(c.peakMemoryGib)))}, size(c.peakMemoryGib) > 0);
    if (s.daysToTrain > 0)
        setChange(cells[days], {c.daysToTrain, true, relativeAnd(c.daysToTrain, si(c.daysToTrain, format::days(size(c.daysToTrain))))},
                  c.daysToTrain.delta.significant());
    if (s.costUsd > 0)
        setChange(cells[cost], {c.costUsd, true, relativeAnd(c.costUsd, si(c.costUsd, format::dollars(size(c.costUsd))))},
                  c.costUsd.delta.significant());
}

/// A job that cannot run is never good news, and has neither days nor a price.
void denyImpossible(QList<HeadlineCell>& cells)
{
    for (HeadlineCell& cell : cells)
        if (cell.deltaRole == Role::good)
            cell.deltaRole = Role::textSecondary;
    for (const Cell cell : {days, cost})
        if (cells[cell].number != u"–"_s) {
            cells[cell].struck = true;
            cells[cell].delta.clear();
            cells[cell].note = QObject::tr("does not fit");
            cells[cell].noteRole = Role::error;
        }
}

QString labelOf(Caveat::Kind kind)
{
    switch (kind) {
    case Caveat::Kind::doesNotFit:
        return QObject::tr("Does not fit");
    case Caveat::Kind::outsideCalibration:
        return QObject::tr("Outside calibration");
    case Caveat::Kind::unheardOf:
        return QObject::tr("Too good");
    }
    return {};
}

/// Whether a wrong input leaves this cell without an answer.
bool isTouched(int cell, const ScenarioResult& result, const QStringList& fieldProblems)
{
    static const QStringList kMoneyOnly{u"training.train_tokens"_s, u"cluster.gpu_hour_price_usd"_s};
    QStringList invalid = fieldProblems;
    if (result.invalid)
        for (const Diagnostic& d : result.diagnostics)
            if (d.severity == Severity::error)
                invalid << QString::fromStdString(d.path);
    return std::any_of(invalid.begin(), invalid.end(), [cell](const QString& path) { return !kMoneyOnly.contains(path) || cell >= days; });
}

} // namespace

HeadlineBadge headlineBadge(const Snapshot& snapshot)
{
    const Verdict verdict = verdictOf(snapshot);
    HeadlineBadge badge;
    badge.impossible = !verdict.possible();
    for (const Caveat& caveat : verdict.caveats)
        badge.reasons << QString::fromStdString(caveat.sentence);
    if (!verdict.sound())
        badge.label = labelOf(verdict.caveats.front().kind);
    return badge;
}

TextRuns comparisonRuns(const Snapshot& baseline, const Snapshot& scenario, const HeadlineChanges& changes)
{
    if (baseline.hash == scenario.hash)
        return {{QObject::tr("Identical to the baseline"), Type::body, Role::textSecondary}};
    if (!changes.paired)
        return {};
    const Estimate& faster = changes.probabilityFaster;
    if (!changes.p50.delta.significant() && std::abs(faster.value - 0.5) <= faster.halfWidth)
        return {{QObject::tr("No difference found"), Type::body, Role::textSecondary}};
    return {{QObject::tr("Faster in "), Type::body, Role::textSecondary},
            {plainText(shareRuns(faster.value, faster.halfWidth)), Type::bodyStrong},
            {QObject::tr(" of steps"), Type::body, Role::textSecondary}};
}

QString HeadlineCell::reading() const
{
    QStringList parts{label + u' ' + number + (unit.isEmpty() ? QString() : u' ' + unit)};
    for (const QString& part : {delta, note, model, stale ? staleNote : QString()})
        if (!part.isEmpty())
            parts << part;
    return parts.join(u", "_s);
}

QList<HeadlineCell> headlineCells(const PageContext& context, ChangesCache& cache, const ScenarioResult& result,
                                  const QStringList& fieldProblems)
{
    QList<HeadlineCell> cells = emptyCells();
    const ShownScenario* current = context.current();
    if (!current || !current->snapshot)
        return cells;
    fillValues(cells, *current->snapshot);
    const ShownScenario* baseline = context.baseline();
    if (baseline && baseline->snapshot && !current->isBaseline) {
        if (baseline->snapshot->hash == current->snapshot->hash)
            for (HeadlineCell& cell : cells)
                cell.delta = QObject::tr("same");
        else
            fillChanges(cells, *current->snapshot, cache.changes(baseline->snapshot, current->snapshot, false));
    }
    if (baseline && baseline->snapshot && !hasEqualTokens(*baseline->snapshot, *current->snapshot))
        for (const Cell cell : {p50, p95, p99})
            cells[cell].deltaRole = Role::textSecondary;
    if (!verdictOf(*current->snapshot).possible())
        denyImpossible(cells);
    for (int i = 0; i < cells.size(); ++i) {
        const bool touched = isTouched(i, result, fieldProblems);
        cells[i].stale = result.computing || result.cancelled || touched;
        cells[i].staleNote = touched            ? QObject::tr("last valid input")
                             : result.cancelled ? QObject::tr("stopped")
                                                : QObject::tr("computing");
    }
    return cells;
}

} // namespace prism::ui
