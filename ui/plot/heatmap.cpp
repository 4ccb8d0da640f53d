// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/heatmap.h"

#include "ui/plot/ticks.h"
#include "ui/look/format.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

HeatMap::HeatMap(const Theme& theme, QWidget* parent) : PlotBase(theme, parent)
{
    setAcceptDrops(true);
}

void HeatMap::setData(const HeatData& data)
{
    m_data = data;
    m_dragged = -1;
    growScale();
    dataChanged();
}

void HeatMap::setBrushed(int row, int column)
{
    m_data.brushedRow = row;
    m_data.brushedColumn = column;
    update();
}

std::optional<Reach> HeatMap::ownReach() const
{
    Reach own{1, 1};
    for (const HeatCell& cell : m_data.cells)
        if (cell.present && std::isfinite(cell.ratio))
            own.high = std::max(own.high, cell.ratio);
    return m_data.cells.empty() ? std::nullopt : std::optional(own);
}

void HeatMap::growScale()
{
    if (!m_data.cells.empty())
        m_scaleEnd = std::max(m_scaleEnd, neededEnd());
}

void HeatMap::fitScale()
{
    m_scaleEnd = neededEnd();
    update();
}

void HeatMap::reachChanged()
{
    reach() ? growScale() : fitScale(); // leaving the same scale for all is the user's change
    update();
}

double HeatMap::neededEnd() const
{
    const double highest = std::max(ownReach().value_or(Reach{1, 1}).high, reach() ? reach()->high : 1.0);
    for (const double end : {1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0})
        if (highest <= end + 0.0005)
            return end;
    return niceCeiling(highest);
}

double HeatMap::position(double ratio) const
{
    return (ratio - 1) / (scaleEnd() - 1);
}

TableData HeatMap::asTable() const
{
    TableData table;
    table.header = {u"row"_s, u"column"_s, u"ratio [×]"_s, u"half-width 95 % [×]"_s, u"detail"_s, u"mark"_s};
    for (int item = 0; item < itemCount(); ++item) {
        const HeatCell& cell = cellOf(item);
        QStringList marks;
        if (item == m_data.best)
            marks << u"best"_s;
        if (item == m_data.worst)
            marks << u"worst"_s;
        if (m_data.marked.contains(item))
            marks << u"slow node now"_s;
        table.rows << QStringList{m_data.rowLabels.value(item / m_data.columns),
                                  m_data.columnLabels.value(item % m_data.columns),
                                  cell.present ? tableNumber(cell.ratio) : QString(),
                                  cell.present ? tableNumber(cell.halfWidth) : QString(),
                                  cell.detail,
                                  marks.join(u", "_s)};
    }
    return table;
}

QStringList HeatMap::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const HeatCell& cell = cellOf(item);
    QStringList lines{u"%1 %2, %3 %4"_s.arg(m_data.columnTitle, m_data.columnLabels.value(item % m_data.columns), m_data.rowTitle.toLower(),
                                            m_data.rowLabels.value(item / m_data.columns))};
    if (!cell.present)
        return lines << m_data.missingLabel;
    lines << u"%1 (%2)"_s.arg(format::factor(cell.ratio), format::plainInterval(cell.halfWidth));
    if (!cell.detail.isEmpty())
        lines << cell.detail;
    if (item == m_data.best)
        lines << u"Best place"_s;
    if (item == m_data.worst)
        lines << u"Worst place"_s;
    if (m_data.marked.contains(item))
        lines << (m_data.markedLabel.isEmpty() ? u"A slow node stands here"_s : m_data.markedLabel);
    return lines;
}

} // namespace prism::ui
