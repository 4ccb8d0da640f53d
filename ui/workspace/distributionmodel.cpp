// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/distributionmodel.h"

#include "core/engine/verdict.h"
#include "core/insight/empirical.h"
#include "ui/look/change.h"
#include "ui/look/format.h"
#include "ui/workspace/changedrows.h"
#include "ui/workspace/pagestate.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

using Units = DistributionModel::ColumnUnits;

QString columnTime(double seconds, const format::TimeUnit& unit)
{
    return format::number(seconds * unit.perSecond) + u' ' + unit.name;
}

FigureRuns comparedRuns(const Estimate& value, const HeadlineChange* change, bool possible, const Units& units)
{
    FigureRuns runs{{columnTime(value.value, units.value), Type::bodyStrong}};
    if (!change)
        return runs << FigureRun{u"   "_s + format::plainInterval(value.halfWidth * units.change.perSecond) + u' ' + units.change.name,
                                 Type::small, Role::textTertiary};
    if (!change->delta.significant())
        return runs << FigureRun{u"   "_s + format::noDifference(), Type::small, Role::textTertiary};
    return runs << FigureRun{
               u"   (%1, %2)"_s.arg(format::percentChange(change->relative), format::timeChange(change->delta, 0, units.change)),
               Type::small,
               change->delta.value > 0 ? Role::bad
               : possible              ? Role::good
                                       : Role::textSecondary};
}

Estimate percentileOf(const DistributionSummary& d, int column)
{
    return column == DistributionModel::p50Column   ? Estimate{d.p50, d.ciP50}
           : column == DistributionModel::p95Column ? Estimate{d.p95, d.ciP95}
                                                    : Estimate{d.p99, d.ciP99};
}

const HeadlineChange& percentileChange(const HeadlineChanges& c, int column)
{
    return column == DistributionModel::p50Column ? c.p50 : column == DistributionModel::p95Column ? c.p95 : c.p99;
}

/// Whether the texts of a row are those of the other scenario too.
bool hasEqualTexts(const ShownScenario& a, const ShownScenario& b)
{
    return a.id == b.id && a.snapshot == b.snapshot && a.name == b.name && a.visible == b.visible && a.isBaseline == b.isBaseline
           && a.isCurrent == b.isCurrent && a.invalid == b.invalid && (a.snapshot || stateOf(&a) == stateOf(&b));
}

constexpr int kCurvePercents[] = {1, 10, 20, 25, 30, 40, 60, 70, 75, 80, 90}; // beside p5, p50, p95 and p99

QString digits(double value)
{
    return std::isfinite(value) ? QString::number(value, 'g', 17) : QString();
}

} // namespace

QString outsideCalibration(const Snapshot& snapshot)
{
    QStringList sentences;
    for (const Doubt& doubt : verdictOf(snapshot).doubts)
        if (doubt.kind == Doubt::Kind::outsideCalibration)
            sentences << format::sentence(QString::fromStdString(doubt.sentence));
    return sentences.join(u"; "_s);
}

void DistributionModel::setContext(const PageContext& context, const StepLimits& limits, bool within)
{
    const ShownScenario* baseline = context.baseline();
    const SnapshotPtr compared = baseline ? baseline->snapshot : nullptr;
    bool othersStay = compared == m_baseline && limits == m_limits && within == m_within;
    const bool otherLimits = limits != m_limits;
    m_baseline = compared;
    m_limits = limits;
    m_within = within;
    const bool reset = context.scenarios.size() != m_scenarios.size();
    if (reset)
        beginResetModel();
    const QList<ShownScenario> before = std::exchange(m_scenarios, context.scenarios);
    for (const int column : {p50Column, p95Column, p99Column}) {
        const ColumnUnits units = unitsOf(column);
        ColumnUnits& known = m_units[static_cast<std::size_t>(column - p50Column)];
        othersStay = othersStay && units.value.perSecond == known.value.perSecond && units.change.perSecond == known.change.perSecond;
        known = units;
    }
    if (!othersStay)
        m_runs.clear();
    std::erase_if(m_runs,
                  [this](const auto& row) { return row.first >= rowCount() || !hasEqualTexts(row.second.of, m_scenarios[row.first]); });
    if (reset)
        endResetModel();
    else
        emitChanges(before, othersStay);
    if (otherLimits)
        Q_EMIT headerDataChanged(Qt::Horizontal, exceedColumn, exceedColumn);
}

void DistributionModel::emitChanges(const QList<ShownScenario>& before, bool othersStay)
{
    QList<int> changed;
    for (int row = 0; row < rowCount(); ++row) {
        const ShownScenario &was = before[row], &is = m_scenarios[row];
        if (!othersStay || !hasEqualTexts(was, is) || was.stale != is.stale || was.colour != is.colour)
            changed << row;
    }
    emitChangedRows(*this, changed);
}

bool DistributionModel::isCompared(const ShownScenario& s) const
{
    return m_baseline && s.snapshot && !s.isBaseline && m_baseline->hash != s.snapshot->hash;
}

const HeadlineChanges* DistributionModel::changesOf(const ShownScenario& s) const
{
    return isCompared(s) ? &m_cache.changes(m_baseline, s.snapshot, m_within) : nullptr;
}

const QList<FigureRuns>& DistributionModel::rowRuns(int row) const
{
    RowRuns& known = m_runs[row];
    if (known.runs.isEmpty())
        known.of = m_scenarios[row];
    for (int c = 0; known.runs.size() < kColumns; ++c)
        known.runs << runs(m_scenarios[row], c);
    return known.runs;
}

DistributionModel::ColumnUnits DistributionModel::unitsOf(int column) const
{
    const auto figureOf = [&](const SnapshotPtr& s) { return percentileOf(m_within ? s->within : s->across, column); };
    double value = 0, change = 0;
    for (const ShownScenario& s : m_scenarios) {
        if (!s.snapshot)
            continue;
        const Estimate figure = figureOf(s.snapshot);
        value = std::max(value, figure.value);
        change = std::max(change, isCompared(s) ? std::abs(figure.value - figureOf(m_baseline).value) : figure.halfWidth);
    }
    return {format::timeUnit(value), format::timeUnit(change)};
}

FigureRuns DistributionModel::runs(const ShownScenario& s, int column) const
{
    if (column == nameColumn)
        return {{s.name, s.isCurrent ? Type::bodyStrong : Type::body, s.visible ? Role::text : Role::textTertiary, false, true}};
    if (!s.snapshot) // one word in the first column says why
        return {{column == p50Column ? wordOf(stateOf(&s)) : QString(), Type::small, s.invalid ? Role::error : Role::textTertiary}};
    const DistributionSummary& d = m_within ? s.snapshot->within : s.snapshot->across;
    const bool compare = m_baseline && !s.isBaseline;
    const bool same = compare && m_baseline->hash == s.snapshot->hash;
    const HeadlineChanges* c = changesOf(s);
    switch (column) {
    case p50Column:
    case p95Column:
    case p99Column:
        return comparedRuns(percentileOf(d, column), c ? &percentileChange(*c, column) : nullptr, verdictOf(*s.snapshot).possible(),
                            m_units[static_cast<std::size_t>(column - p50Column)]);
    case exceedColumn: {
        if (m_limits.upper <= 0)
            return {};
        const Estimate p = m_cache.share(s.snapshot, m_within, m_limits);
        return shareRuns(p.value, p.halfWidth);
    }
    case fasterColumn:
        if (s.isBaseline)
            return {{tr("baseline"), Type::small, Role::textSecondary}};
        if (same)
            return {{tr("identical"), Type::small, Role::textSecondary}};
        if (!c || !c->paired)
            return {{u"–"_s, Type::small, Role::textTertiary}};
        if (!c->p50.delta.significant() && std::abs(c->probabilityFaster.value - 0.5) <= c->probabilityFaster.halfWidth)
            return {{tr("no difference"), Type::small, Role::textTertiary}};
        return shareRuns(c->probabilityFaster.value, c->probabilityFaster.halfWidth);
    }
    return {};
}

QVariant DistributionModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= m_scenarios.size())
        return {};
    const ShownScenario& s = m_scenarios[index.row()];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
        return plainText(rowRuns(index.row())[index.column()]);
    case kRunsRole: {
        FigureRuns runs = rowRuns(index.row())[index.column()];
        if (s.stale && index.column() != nameColumn)
            for (FigureRun& run : runs)
                run.role = Role::textTertiary;
        return QVariant::fromValue(runs);
    }
    case kSampleRole:
        return index.column() == nameColumn ? QVariant::fromValue(SeriesSample{s.colour, s.isBaseline, !s.visible}) : QVariant();
    case kBrushedRole:
        return s.isCurrent;
    case Qt::ToolTipRole:
        if (index.column() == fasterColumn && !s.isBaseline)
            return tr("Share of random jobs in which this scenario's step is shorter than the baseline's, with the same draws in both.");
        return plainText(rowRuns(index.row())[index.column()]);
    default:
        return {};
    }
}

QVariant DistributionModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return {Qt::AlignLeft | Qt::AlignVCenter};
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case nameColumn:
        return tr("Scenario");
    case p50Column:
        return u"p50"_s;
    case p95Column:
        return u"p95"_s;
    case p99Column:
        return u"p99"_s;
    case exceedColumn:
        return m_limits.upper > 0 ? shareName(m_limits) : tr("P(step > limit)");
    case fasterColumn:
        return tr("P(faster)");
    default:
        return {};
    }
}

QString DistributionModel::figureKey(int column)
{
    switch (column) {
    case p50Column:
        return u"step_time_s.p50"_s;
    case p95Column:
        return u"step_time_s.p95"_s;
    case p99Column:
        return u"step_time_s.p99"_s;
    case exceedColumn:
        return u"guarantee:exceedance"_s;
    case fasterColumn:
        return u"compare:probability_better"_s;
    default:
        return {};
    }
}

TableData DistributionModel::table() const
{
    TableData t;
    t.header = QStringList{u"scenario"_s,
                           u"samples"_s,
                           u"seed"_s,
                           u"mean_s"_s,
                           u"p5_s"_s,
                           u"p50_s"_s,
                           u"p50_half_width_s"_s,
                           u"p95_s"_s,
                           u"p95_half_width_s"_s,
                           u"p99_s"_s,
                           u"p99_half_width_s"_s,
                           u"limit_s"_s,
                           u"p_step_over_limit"_s,
                           u"p_faster_than_baseline"_s,
                           u"noise_free_s"_s};
    for (const int percent : kCurvePercents) // the curve itself
        t.header << u"p%1_s"_s.arg(percent);
    t.header << u"outside_calibration"_s;
    if (m_limits.between())
        t.header << u"lower_limit_s"_s << u"p_step_between_limits"_s;
    t.names = {0};
    for (const ShownScenario& s : m_scenarios) {
        if (!s.snapshot)
            continue;
        const DistributionSummary& d = m_within ? s.snapshot->within : s.snapshot->across;
        const auto& sorted = m_within ? s.snapshot->sortedWithinSeconds : s.snapshot->sortedAcrossSeconds;
        const HeadlineChanges* c = m_baseline && !s.isBaseline ? &m_cache.changes(m_baseline, s.snapshot, m_within) : nullptr;
        t.rows << QStringList{s.name,
                              QString::number(d.samples),
                              QString::number(s.snapshot->seed),
                              digits(d.mean),
                              digits(d.p5),
                              digits(d.p50),
                              digits(d.ciP50),
                              digits(d.p95),
                              digits(d.ciP95),
                              digits(d.p99),
                              digits(d.ciP99),
                              m_limits.upper > 0 ? digits(m_limits.upper) : QString(),
                              m_limits.upper > 0 ? digits(exceedance(sorted, m_limits.upper).value) : QString(),
                              c && c->paired ? digits(c->probabilityFaster.value) : QString(),
                              s.snapshot->samples ? digits(s.snapshot->samples->noiseFreeSeconds) : QString()};
        for (const int percent : kCurvePercents)
            t.rows.back() << (sorted.empty() ? QString() : digits(quantileOfSorted(sorted, percent / 100.0)));
        t.rows.back() << outsideCalibration(*s.snapshot);
        if (m_limits.between())
            t.rows.back() << digits(m_limits.lower) << digits(m_cache.share(s.snapshot, m_within, m_limits).value);
    }
    return t;
}

} // namespace prism::ui
