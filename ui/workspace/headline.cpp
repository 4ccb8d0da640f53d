#include "ui/workspace/headline.h"

#include "ui/look/format.h"

#include <cmath>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

/// The cells in their order; those from `days` on depend on tokens and prices alone beside the step.
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
    return u"%1, %2"_s.arg(format::percentDelta(change.relative.value), absolute);
}

QList<HeadlineCell> emptyCells()
{
    QList<HeadlineCell> cells;
    for (const QString& label : {QObject::tr("Step time p50"), QObject::tr("Step time p95"), QObject::tr("Step time p99"),
                                 QObject::tr("Slowdown p50"), QObject::tr("Tokens per second"), QObject::tr("MFU"),
                                 QObject::tr("Peak memory"), QObject::tr("Days to train"), QObject::tr("Cost")})
        cells << HeadlineCell{label, u"–"_s};
    return cells;
}

void setFigure(HeadlineCell& cell, const format::Quantity& figure, const QString& note)
{
    cell.number = figure.number;
    cell.unit = figure.unit;
    cell.note = note;
}

/// Relative half-width of the median step; throughput, MFU, days and cost move with it.
double medianShare(const Snapshot& s)
{
    return s.across.p50 > 0 ? s.across.ciP50 / s.across.p50 : 0;
}

/// The values without a comparison.
void fillValues(QList<HeadlineCell>& cells, const Snapshot& s)
{
    setFigure(cells[p50], format::seconds(s.across.p50), format::interval(s.across.ciP50));
    setFigure(cells[p95], format::seconds(s.across.p95), format::interval(s.across.ciP95));
    setFigure(cells[p99], format::seconds(s.across.p99), format::interval(s.across.ciP99));
    setFigure(cells[slowdown], {format::number(s.slowdownP50), u"×"_s},
              s.samples ? QObject::tr("noise-free %1").arg(format::seconds(s.samples->noiseFreeSeconds).text()) : QString());
    const double share = medianShare(s);
    const auto plusMinus = [share](double half, const QString& unit) {
        return share > 0 ? u"± %1%2"_s.arg(format::number(half, 1), unit) : QString();
    };
    setFigure(cells[tokens], format::si(s.tokensPerSecond), plusMinus(s.tokensPerSecond * share / 1000, u" k"_s));
    setFigure(cells[mfu], {format::number(s.mfu * 100), u"%"_s}, plusMinus(s.mfu * share * 100, {}));
    if (s.costed) {
        const MemoryReport& report = s.costed->memory;
        setFigure(cells[memory], format::gib(report.peakGib),
                  QObject::tr("of %1, %2")
                      .arg(format::number(report.capacityGib), report.fits ? QObject::tr("fits") : QObject::tr("does not fit")));
    }
    cells[days].note = cells[cost].note = s.daysToTrain > 0 ? QString() : QObject::tr("no token target");
    if (s.daysToTrain > 0) {
        const format::Quantity value = format::days(s.daysToTrain);
        setFigure(cells[days], value, value.unit == u"d" ? plusMinus(s.daysToTrain * share, u" d"_s) : QString());
    }
    if (s.costUsd > 0)
        setFigure(cells[cost], format::dollars(s.costUsd), s.costUsd >= 1e6 ? plusMinus(s.costUsd * share / 1e6, u" M$"_s) : QString());
}

/// The changes to the baseline beside the values.
void fillChanges(QList<HeadlineCell>& cells, const Snapshot& s, const HeadlineChanges& c)
{
    const auto time = [&](Cell cell, const HeadlineChange& change) {
        cells[cell].delta = relativeAnd(change, format::secondsDelta(change.delta.value));
        cells[cell].deltaRole = roleOf(change, true, change.delta.significant());
        cells[cell].note = format::interval(change.delta.halfWidth);
    };
    time(p50, c.p50);
    time(p95, c.p95);
    time(p99, c.p99);
    const auto change = [&](Cell cell, const HeadlineChange& ch, bool lowerIsBetter, const QString& text) {
        cells[cell].delta = text;
        cells[cell].deltaRole = roleOf(ch, lowerIsBetter, ch.delta.halfWidth == 0 || ch.delta.significant());
    };
    const auto size = [](const HeadlineChange& ch) { return std::abs(ch.delta.value); };
    const auto si = [&](const HeadlineChange& ch, const format::Quantity& magnitude) { return signedSi(ch.delta.value, magnitude); };
    change(slowdown, c.slowdownP50, true, format::signedNumber(c.slowdownP50.delta.value, 2) + u"×"_s);
    change(tokens, c.tokensPerSecond, false, relativeAnd(c.tokensPerSecond, si(c.tokensPerSecond, format::si(size(c.tokensPerSecond)))));
    change(mfu, c.mfu, false, format::pointsDelta(c.mfu.delta.value));
    change(memory, c.peakMemoryGib, true, si(c.peakMemoryGib, format::gib(size(c.peakMemoryGib))));
    if (s.daysToTrain > 0)
        change(days, c.daysToTrain, true, relativeAnd(c.daysToTrain, si(c.daysToTrain, format::days(size(c.daysToTrain)))));
    if (s.costUsd > 0)
        change(cost, c.costUsd, true, relativeAnd(c.costUsd, si(c.costUsd, format::dollars(size(c.costUsd)))));
}

/// Whether a wrong input leaves this cell without an answer.
bool isTouched(int cell, const ScenarioResult& result, const QStringList& fieldProblems)
{
    static const QStringList kMoneyOnly{u"training.train_tokens"_s, u"cluster.gpu_hour_price_usd"_s};
    QStringList wrong = fieldProblems;
    if (result.invalid)
        for (const Diagnostic& d : result.diagnostics)
            if (d.severity == Severity::error)
                wrong << QString::fromStdString(d.path);
    return std::any_of(wrong.begin(), wrong.end(), [cell](const QString& path) { return !kMoneyOnly.contains(path) || cell >= days; });
}

} // namespace

QString HeadlineCell::reading() const
{
    QStringList parts{label + u' ' + number + (unit.isEmpty() ? QString() : u' ' + unit)};
    for (const QString& part : {delta, note, stale ? staleNote : QString()})
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
    if (baseline && baseline->snapshot && !current->isBaseline)
        fillChanges(cells, *current->snapshot, cache.changes(baseline->snapshot, current->snapshot, false));
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
