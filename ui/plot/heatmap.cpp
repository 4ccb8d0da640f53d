// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/heatmap.h"

#include "ui/plot/ticks.h"
#include "ui/look/format.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr double kScaleSlack = 0.0005; // a ratio prints as the end of the scale
} // namespace

HeatMap::HeatMap(const Theme& theme, QWidget* parent) : PlotBase(theme, parent)
{
    setAcceptDrops(true);
}

void HeatMap::setData(const HeatData& data)
{
    m_data = data;
    m_dragged = -1;
    if (!m_fitted && !m_data.cells.empty())
        fitScale();
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

void HeatMap::fitScale()
{
    m_scaleEnd = neededEnd();
    m_fitted = !m_data.cells.empty();
    update();
}

void HeatMap::setScaleEnd(double end)
{
    if (!(end > 1) || !std::isfinite(end))
        return;
    m_scaleEnd = end;
    m_fitted = true;
    update();
}

int HeatMap::cellsAboveScale() const
{
    return static_cast<int>(std::count_if(m_data.cells.begin(), m_data.cells.end(),
                                          [this](const HeatCell& cell) { return cell.present && cell.ratio > m_scaleEnd + kScaleSlack; }));
}

void HeatMap::reachChanged()
{
    fitScale(); // the same scale for all, or its end, is the user's change
}

double HeatMap::neededEnd() const
{
    const double highest = std::max(ownReach().value_or(Reach{1, 1}).high, reach() ? reach()->high : 1.0);
    for (const double end : {1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0})
        if (highest <= end + kScaleSlack)
            return end;
    return niceCeiling(highest);
}

double HeatMap::position(double ratio) const
{
    return std::min((ratio - 1) / (scaleEnd() - 1), 1.0);
}

TableData HeatMap::asTable() const
{
    TableData table;
    table.header = {u"row"_s, u"column"_s, u"ratio [×]"_s, u"half-width 95 % [×]"_s, u"detail"_s, u"mark"_s, u"name"_s};
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
                                  marks.join(u", "_s),
                                  cell.name};
    }
    return table;
}

QStringList HeatMap::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const HeatCell& cell = cellOf(item);
    QStringList lines{!cell.name.isEmpty()
                          ? cell.name
                          : u"%1 %2, %3 %4"_s.arg(m_data.columnTitle, m_data.columnLabels.value(item % m_data.columns),
                                                  m_data.rowTitle.toLower(), m_data.rowLabels.value(item / m_data.columns))};
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
        lines << (m_data.markedLabel.isEmpty() ? u"Slow node at this place"_s : m_data.markedLabel);
    return lines;
}

} // namespace prism::ui
