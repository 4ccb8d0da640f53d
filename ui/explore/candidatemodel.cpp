// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/explore/candidatemodel.h"

#include "ui/explore/candidatedelegate.h"
#include "ui/findings/searchtext.h"
#include "ui/look/textruns.h"
#include "ui/look/change.h"
#include "ui/look/format.h"
#include "ui/plot/plotbase.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism::ui {

using namespace Qt::StringLiterals;

void CandidateModel::setExploration(const std::shared_ptr<const Exploration>& exploration, int present, const Estimate& now,
                                    double nowTokens)
{
    beginResetModel();
    m_exploration = exploration;
    m_present = present;
    m_isPerToken = exploration && std::ranges::any_of(exploration->candidates, [&](const ExploreCandidate& c) {
                       return c.tokensPerStep != (nowTokens > 0 ? nowTokens : exploration->candidates.front().tokensPerStep);
                   });
    m_now = timeOf(now, nowTokens);
    double largest = 0;
    if (exploration)
        for (const ExploreCandidate& c : exploration->candidates)
            largest = std::max(largest, timeOf(c.p95, c.tokensPerStep).value);
    m_unit = format::timeUnit(largest);
    m_order.resize(exploration ? exploration->candidates.size() : 0);
    std::iota(m_order.begin(), m_order.end(), 0); // best first
    endResetModel();
    if (m_sorted >= 0)
        sort(m_sorted, m_sortOrder);
}

int CandidateModel::candidateAt(int row) const
{
    return row >= 0 && row < static_cast<int>(m_order.size()) ? m_order[static_cast<std::size_t>(row)] : -1;
}

int CandidateModel::rowOf(int candidate) const
{
    const auto at = std::find(m_order.begin(), m_order.end(), candidate);
    return at == m_order.end() ? -1 : static_cast<int>(at - m_order.begin());
}

QString CandidateModel::markOf(int candidate) const
{
    if (!m_exploration)
        return {};
    QStringList marks;
    if (candidate == 0)
        marks << tr("best");
    if (candidate == static_cast<int>(m_exploration->bestByMean))
        marks << tr("mean-best");
    if (candidate == m_present)
        marks << tr("now");
    return marks.join(u", "_s);
}

int CandidateModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

QString CandidateModel::text(int candidate, int column) const
{
    const ExploreCandidate& c = m_exploration->candidates[static_cast<std::size_t>(candidate)];
    switch (column) {
    case nameColumn:
        return candidateName(c);
    case p95Column:
        return format::number(timeOf(c.p95, c.tokensPerStep).value * m_unit.perSecond);
    case changeColumn:
        return m_now.value > 0 ? format::percentChange(change(c)) : QString();
    case memoryColumn:
        return format::number(c.peakMemoryGib);
    case costColumn:
        return format::number(c.usdPerBillionTokens);
    case probabilityColumn:
        return format::percent(c.probabilityBest);
    case markColumn: // the tip and the table for export name the equal ones
        return c.equals.empty() ? markOf(candidate)
                                : QStringList{markOf(candidate), tr("%1 equal").arg(c.equals.size())}.join(u' ').trimmed();
    default:
        return {};
    }
}

Estimate CandidateModel::change(const ExploreCandidate& c) const
{
    const Estimate p95 = timeOf(c.p95, c.tokensPerStep);
    return {p95.value / m_now.value - 1, std::hypot(p95.halfWidth, m_now.halfWidth) / m_now.value};
}

Estimate CandidateModel::timeOf(const Estimate& seconds, double tokensPerStep) const
{
    const double millions = m_isPerToken && tokensPerStep > 0 ? tokensPerStep / 1e6 : 1;
    return {seconds.value / millions, seconds.halfWidth / millions};
}

TextRuns CandidateModel::runs(int candidate, int column) const
{
    const ExploreCandidate& c = m_exploration->candidates[static_cast<std::size_t>(candidate)];
    if (column == nameColumn) {
        const QString mark = text(candidate, markColumn), further = furtherSettings(c);
        TextRuns all{{layoutName(c), candidate == 0 ? Type::bodyStrong : Type::body}};
        if (!further.isEmpty())
            all << TextRun{u"  "_s + further, Type::small, Role::textSecondary};
        if (!mark.isEmpty())
            all << TextRun{u"   "_s + mark, Type::smallStrong, Role::accent};
        return all;
    }
    if (column == changeColumn && m_now.value > 0) {
        const Estimate by = change(c);
        return {{text(candidate, column), Type::body, !by.significant() ? Role::textTertiary : by.value < 0 ? Role::good : Role::bad}};
    }
    return {{text(candidate, column), column == p95Column ? Type::bodyStrong : Type::body}};
}

QVariant CandidateModel::data(const QModelIndex& index, int role) const
{
    const int candidate = index.isValid() ? candidateAt(index.row()) : -1;
    if (candidate < 0)
        return {};
    const ExploreCandidate& c = m_exploration->candidates[static_cast<std::size_t>(candidate)];
    const bool left = index.column() == nameColumn || index.column() == markColumn;
    switch (role) {
    case Qt::DisplayRole: {
        const QString mark = index.column() == nameColumn ? text(candidate, markColumn) : QString();
        return mark.isEmpty() ? text(candidate, index.column()) : text(candidate, nameColumn) + u", "_s + mark;
    }
    case kRunsRole:
        return QVariant::fromValue(runs(candidate, index.column()));
    case CandidateDelegate::kMemoryRole:
        return index.column() == memoryColumn ? QVariant::fromValue(MemoryShare{c.peakMemoryGib, c.capacityGib}) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue((left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ToolTipRole: {
        const QString equal = equalText(c);
        return tr("%1. p95 %2, p99 %3, noise-free %4; %5 of %6 GiB; n = %7%8")
            .arg(text(candidate, nameColumn), format::intervalNextTo(c.p95.value, c.p95.halfWidth), format::seconds(c.p99.value).text(),
                 format::seconds(c.noiseFreeSeconds).text(), format::number(c.peakMemoryGib), format::number(c.capacityGib),
                 format::count(c.samples), c.pareto ? tr("; on the front of time, memory and cost") : QString())
            .append(equal.isEmpty() ? QString() : u'\n' + equal);
    }
    default:
        return {};
    }
}

QVariant CandidateModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    const QString names[kColumns] = {tr("Layout"),    (m_isPerToken ? tr("p95/M tokens, ") : u"p95, "_s) + m_unit.name,
                                     tr("Change"),    tr("GiB"),
                                     tr("$/billion"), tr("P(best)"),
                                     QString()};
    if (role == Qt::DisplayRole)
        return names[section];
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((section == nameColumn || section == markColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    const QString tips[kColumns] = {{},
                                    {},
                                    m_isPerToken ? tr("Change of p95 per token against the present scenario")
                                                 : tr("Change of p95 against the present scenario"),
                                    tr("Peak memory of a GPU; the bar is its capacity"),
                                    tr("Dollars per billion tokens, at the ranked metric"),
                                    tr("How often it wins when every score is drawn from its own interval"),
                                    {}};
    if (role == Qt::ToolTipRole && !tips[section].isEmpty())
        return tips[section];
    return {};
}

double CandidateModel::sortKey(int candidate, int column) const
{
    const ExploreCandidate& c = m_exploration->candidates[static_cast<std::size_t>(candidate)];
    switch (column) {
    case p95Column:
    case changeColumn:
        return timeOf(c.p95, c.tokensPerStep).value;
    case memoryColumn:
        return c.peakMemoryGib;
    case costColumn:
        return c.usdPerBillionTokens;
    case probabilityColumn:
        return c.probabilityBest;
    default:
        return candidate; // by rank
    }
}

void CandidateModel::sort(int column, Qt::SortOrder order)
{
    m_sorted = column;
    m_sortOrder = order;
    Q_EMIT layoutAboutToBeChanged();
    QModelIndexList before = persistentIndexList(), after;
    std::vector<int> candidates;
    for (const QModelIndex& index : before)
        candidates.push_back(candidateAt(index.row()));
    std::stable_sort(m_order.begin(), m_order.end(), [&](int a, int b) {
        if (column == nameColumn) {
            const int compared = QString::compare(text(a, nameColumn), text(b, nameColumn));
            return order == Qt::AscendingOrder ? compared < 0 : compared > 0;
        }
        return order == Qt::AscendingOrder ? sortKey(a, column) < sortKey(b, column) : sortKey(a, column) > sortKey(b, column);
    });
    for (qsizetype i = 0; i < before.size(); ++i)
        after << index(rowOf(candidates[static_cast<std::size_t>(i)]), before[i].column());
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
}

TableData CandidateModel::table() const
{
    TableData table;
    table.header = {u"strategy"_s,    u"p50 [s]"_s, u"p95 [s]"_s,        u"p95 half-width 95 % [s]"_s,
                    u"p99 [s]"_s,     u"GiB"_s,     u"noise-free [s]"_s, u"USD per billion tokens"_s,
                    u"chance best"_s, u"front"_s,   u"mark"_s,           u"the same with"_s};
    for (int row = 0; row < rowCount(); ++row) {
        const int candidate = candidateAt(row);
        const ExploreCandidate& c = m_exploration->candidates[static_cast<std::size_t>(candidate)];
        table.rows << QStringList{candidateName(c),
                                  tableNumber(c.p50.value),
                                  tableNumber(c.p95.value),
                                  tableNumber(c.p95.halfWidth),
                                  tableNumber(c.p99.value),
                                  tableNumber(c.peakMemoryGib),
                                  tableNumber(c.noiseFreeSeconds),
                                  tableNumber(c.usdPerBillionTokens),
                                  tableNumber(c.probabilityBest),
                                  c.pareto ? u"1"_s : u"0"_s,
                                  markOf(candidate),
                                  QString::fromStdString(equalsText(c))};
    }
    return table;
}

} // namespace prism::ui
