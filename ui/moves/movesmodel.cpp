// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/moves/movesmodel.h"

#include "core/base/valuetext.h"
#include "ui/look/change.h"
#include "ui/look/format.h"
#include "ui/plot/plotbase.h"

#include <QFont>

#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr std::size_t kMaxRows = 60;

/// "−593 ± 3 ms": both in the unit of the column.
QString gainText(const Estimate& gain, const format::TimeUnit& unit)
{
    const double change = -gain.value * unit.perSecond, half = gain.halfWidth * unit.perSecond;
    return u"%1 ± %2 %3"_s.arg(format::signedMetric(change, half), QString::fromStdString(halfWidthText(change, half)), unit.name);
}

/// A number and its unit stay on one line.
QString keptTogether(QString text)
{
    return text.replace(u" %"_s, u"\u00A0%"_s);
}
} // namespace

void MovesModel::setMoves(const Moves& moves, double goalSeconds)
{
    beginResetModel();
    m_moves = moves;
    // Moves without a significant gain are counted in the notes, not listed.
    std::erase_if(m_moves.moves, [](const Move& m) { return !m.improves; });
    if (m_moves.moves.size() > kMaxRows)
        m_moves.moves.resize(kMaxRows);
    m_goal = goalSeconds;
    endResetModel();
}

const Move* MovesModel::moveAt(int row) const
{
    return row >= 0 && row < rowCount() ? &m_moves.moves[static_cast<std::size_t>(row)] : nullptr;
}

int MovesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_moves.moves.size());
}

QString MovesModel::text(const Move& m, int row, int column) const
{
    switch (column) {
    case numberColumn:
        return QString::number(row + 1);
    case moveColumn:
        return keptTogether(moveText(m));
    case gainColumn:
        return gainText(m.p95Gain, format::timeUnit(m_moves.moves.front().p95Gain.value)); // the largest is first
    case p95Column:
        return format::number((m_moves.p95 - m.p95Gain.value) * format::timeUnit(m_moves.p95).perSecond) + u' '
               + format::timeUnit(m_moves.p95).name;
    case memoryColumn:
        return std::abs(m.memoryChangeGib) < 0.05 ? u"0"_s : format::signedNumber(m.memoryChangeGib, 2);
    case goalColumn:
        return m_goal <= 0                ? QString()
               : m.reachesGoal >= 0.975   ? tr("reaches")
               : m.shortOfGoalSeconds > 0 ? tr("%1 short").arg(format::seconds(m.shortOfGoalSeconds).text())
                                          : tr("just, %1").arg(format::percent(m.reachesGoal));
    default:
        return {};
    }
}

QVariant MovesModel::data(const QModelIndex& index, int role) const
{
    const Move* move = index.isValid() ? moveAt(index.row()) : nullptr;
    if (!move)
        return {};
    const bool left = index.column() == moveColumn || index.column() == goalColumn;
    if (role == Qt::DisplayRole)
        return text(*move, index.row(), index.column());
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return tr("%1. Gain in p50 %2, in p99 %3; %4 $ per billion tokens.")
            .arg(moveText(*move), format::secondsDelta(move->p50Gain.value), format::secondsDelta(move->p99Gain.value),
                 format::signedNumber(move->usdPerBillionTokensChange, 2));
    if (role == Qt::FontRole && index.column() == gainColumn) {
        QFont font;
        font.setWeight(QFont::DemiBold);
        return font;
    }
    return {};
}

QVariant MovesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    const QString names[kColumns] = {QString(), tr("One change"), tr("Change of p95"),
                                     u"p95"_s,  tr("GiB"),        m_goal > 0 ? tr("Goal") : QString()};
    if (role == Qt::DisplayRole)
        return names[section];
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((section == moveColumn || section == goalColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    return {};
}

TableData MovesModel::table() const
{
    TableData table;
    table.header = {u"change"_s,       u"p50 gain [s]"_s,           u"p95 gain [s]"_s,    u"half-width 95 % [s]"_s,
                    u"memory [GiB]"_s, u"USD per billion tokens"_s, u"reaches the goal"_s};
    for (const Move& m : m_moves.moves)
        table.rows << QStringList{moveText(m),
                                  tableNumber(m.p50Gain.value),
                                  tableNumber(m.p95Gain.value),
                                  tableNumber(m.p95Gain.halfWidth),
                                  tableNumber(m.memoryChangeGib),
                                  tableNumber(m.usdPerBillionTokensChange),
                                  m_goal > 0 ? tableNumber(m.reachesGoal) : QString()};
    return table;
}

} // namespace prism::ui
