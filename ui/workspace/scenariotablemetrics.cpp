// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of the scenario table that show a result: range, p95 and change.
#include "ui/workspace/scenariotablemodel.h"

#include "core/engine/verdict.h"
#include "ui/look/change.h"
#include "ui/look/format.h"
#include "ui/workspace/distributiondata.h"

#include <algorithm>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

QVariant ScenarioTableModel::rangeData(std::size_t row, int role) const
{
    const RowState& s = m_states[row];
    const QString word = statusWord(s);
    const bool isShown = word.isEmpty() && m_shared.high > m_shared.low;
    const auto time = [](double seconds) { return format::seconds(seconds).text(); };
    if (role == kRangeRole && isShown) {
        const DistributionSummary& d = s.shown->across;
        return QVariant::fromValue(PercentileRange{m_shared.low, d.p50, d.p95, d.p99, m_shared.high, s.colour, s.isStale()});
    }
    if (role == Qt::DisplayRole)
        return word;
    if (role == Qt::AccessibleTextRole)
        return isShown ? tr("p50 %1, p99 %2").arg(time(s.shown->across.p50), time(s.shown->across.p99)) : word;
    if (role == Qt::UserRole)
        return isInvalid(m_rows[row].id);
    if (role != Qt::ToolTipRole)
        return {};
    QStringList lines;
    for (const Diagnostic& d : m_workspace.bridge().result(m_rows[row].id).diagnostics)
        lines << format::sentence(QString::fromStdString(d.message));
    lines << metricLines(s.shown, m_shared.baseline, m_cache, m_shared.limits);
    if (isShown)
        lines << tr("All rows share the scale from %1 to %2.").arg(time(m_shared.low), time(m_shared.high));
    return lines.join(u'\n');
}

QVariant ScenarioTableModel::p95Data(std::size_t row, int role) const
{
    const RowState& s = m_states[row];
    if (role == Qt::ToolTipRole)
        return metricLines(s.shown, m_shared.baseline, m_cache, m_shared.limits).join(u'\n');
    if (!s.shown || (role != Qt::DisplayRole && role != Qt::AccessibleTextRole && role != kRunsRole))
        return {};
    const format::TimeUnit unit = format::timeUnit(std::max(m_shared.longest, s.shown->across.p95)); // one for the column
    const QString text = format::number(s.shown->across.p95 * unit.perSecond) + u' ' + unit.name;
    if (role != kRunsRole)
        return text;
    const bool back = s.isStale() || !isPossible(*s.shown);
    return QVariant::fromValue(TextRuns{{text, Type::smallStrong, back ? Role::textTertiary : Role::text}});
}

TextRun ScenarioTableModel::changeRun(std::size_t row) const
{
    const RowState& s = m_states[row];
    if (s.baseline)
        return {tr("baseline"), Type::small, Role::textSecondary};
    if (!s.shown || !m_shared.baseline)
        return {};
    if (!isCompared(m_shared.baseline, s.shown))
        return {tr("identical"), Type::small, Role::textSecondary};
    Compared& known = m_compared[m_rows[row].id];
    if (known.baseline != m_shared.baseline || known.scenario != s.shown)
        known = {m_shared.baseline, s.shown, m_cache.changes(m_shared.baseline, s.shown, false).p95};
    if (!known.p95.delta.significant())
        return {tr("no change"), Type::small, Role::textTertiary};
    const Role role = s.isStale()                                     ? Role::textTertiary
                      : !hasEqualTokens(*m_shared.baseline, *s.shown) ? Role::textSecondary
                      : known.p95.delta.value > 0                     ? Role::bad
                      : isPossible(*s.shown)                          ? Role::good
                                                                      : Role::textSecondary;
    return {format::percentChange(known.p95.relative), Type::small, role};
}

QVariant ScenarioTableModel::changeData(std::size_t row, int role) const
{
    if (role == kRunsRole)
        return QVariant::fromValue(TextRuns{changeRun(row)});
    if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole)
        return changeRun(row).text;
    return p95Data(row, role == Qt::ToolTipRole ? Qt::ToolTipRole : Qt::UserRole);
}

QStringList ScenarioTableModel::metricKeys(int column)
{
    switch (column) {
    case rangeColumn:
        return {u"step_time_s.p50"_s, u"step_time_s.p99"_s, u"guarantee:exceedance"_s};
    case p95Column:
        return {u"step_time_s.p95"_s};
    case changeColumn:
        return {u"step_time_s.p95"_s, u"compare:probability_better"_s};
    default:
        return {};
    }
}

} // namespace prism::ui
