// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/slopechart.h"

#include "ui/look/format.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kHead = 24, kNames = 132, kMetrics = 96; // at scale 1: above the columns, left and right of them

} // namespace

void SlopeChart::setHighlighted(const QString& id)
{
    if (m_highlighted == id)
        return;
    m_highlighted = id;
    update();
}

TableData SlopeChart::asTable() const
{
    TableData table;
    table.header = {u"cause"_s};
    for (const QString& column : m_data.columns)
        table.header << u"rank at %1"_s.arg(column) << u"change of %1 [s]"_s.arg(column);
    for (const SlopeRow& row : m_data.rows) {
        QStringList cells{row.label};
        for (const SlopeCell& cell : row.cells)
            cells << QString::number(cell.rank) << tableNumber(cell.change);
        table.rows << cells;
    }
    return table;
}

QStringList SlopeChart::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const SlopeRow& row = m_data.rows[static_cast<std::size_t>(item)];
    QStringList lines{row.label};
    for (qsizetype c = 0; c < m_data.columns.size(); ++c) {
        const SlopeCell& cell = row.cells[static_cast<std::size_t>(c)];
        lines << tr("%1: rank %2, %3").arg(m_data.columns[c]).arg(cell.rank).arg(format::secondsDelta(cell.change));
    }
    return lines;
}

QPointF SlopeChart::place(const Canvas& canvas, const QRectF& area, int item, int column) const
{
    const double left = area.left() + canvas.px(kNames), right = area.right() - canvas.px(kMetrics);
    const auto columns = std::max<qsizetype>(2, m_data.columns.size());
    const double height = (area.height() - canvas.px(kHead)) / std::max(1, itemCount());
    const int rank = m_data.rows[static_cast<std::size_t>(item)].cells[static_cast<std::size_t>(column)].rank;
    return {left + (right - left) * column / static_cast<double>(columns - 1), area.top() + canvas.px(kHead) + (rank - 0.5) * height};
}

void SlopeChart::paintRow(Canvas& canvas, const QRectF& area, int item, bool strong) const
{
    const SlopeRow& row = m_data.rows[static_cast<std::size_t>(item)];
    const int last = static_cast<int>(m_data.columns.size()) - 1;
    const bool rises = row.cells.back().rank < row.cells.front().rank;
    const QColor own = canvas.look.palette().seriesAt(m_data.series);
    const QColor line = strong || rises ? own : blend(canvas[Role::textTertiary], canvas[Role::panel], 0.6);
    QPolygonF path;
    for (int column = 0; column <= last; ++column)
        path << place(canvas, area, item, column);
    canvas.painter.setPen(QPen(line, canvas.px(strong ? metric::baselineCurve : metric::limitLine)));
    canvas.painter.setBrush(Qt::NoBrush);
    canvas.painter.drawPolyline(path);
    canvas.painter.setPen(Qt::NoPen);
    canvas.painter.setBrush(line);
    for (const QPointF& at : path)
        canvas.painter.drawEllipse(at, canvas.px(3.5), canvas.px(3.5));
    const Type type = strong ? Type::smallStrong : Type::small;
    canvas.text(path.front() - QPointF(canvas.px(10), 0), canvas.elided(row.label, type, canvas.px(kNames - 14)), type, Role::text,
                Qt::AlignRight | Qt::AlignVCenter);
    canvas.text(path.back() + QPointF(canvas.px(10), 0), format::secondsDelta(row.cells.back().change), type, Role::text,
                Qt::AlignLeft | Qt::AlignVCenter);
}

void SlopeChart::paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const
{
    if (m_data.rows.empty())
        return;
    for (int column = 0; column < static_cast<int>(m_data.columns.size()); ++column) {
        const double x = place(canvas, area, 0, column).x();
        canvas.text({x, area.top() + canvas.px(8)}, m_data.columns[column], Type::tickStrong, Role::textSecondary,
                    Qt::AlignHCenter | Qt::AlignTop);
        canvas.vertical(x, area.top() + canvas.px(kHead), area.bottom(), canvas.look.pen(Role::grid));
    }
    const auto strong = [&](int item) {
        return m_data.rows[static_cast<std::size_t>(item)].id == m_highlighted
               || (interactive && (item == focusItem() || item == hoverItem()));
    };
    for (const bool last : {false, true})
        for (int item = 0; item < itemCount(); ++item)
            if (strong(item) == last)
                paintRow(canvas, area, item, last);
}

int SlopeChart::itemAt(const Canvas& canvas, const QRectF& area, QPointF at) const
{
    int nearest = -1;
    double smallest = canvas.px(14);
    for (int item = 0; item < itemCount(); ++item)
        for (int column = 0; column < static_cast<int>(m_data.columns.size()); ++column) {
            const QPointF mark = place(canvas, area, item, column);
            const bool atName = (column == 0 && at.x() < mark.x()) || (column + 1 == m_data.columns.size() && at.x() > mark.x());
            const double elsewhere = atName ? std::abs(mark.y() - at.y()) : std::hypot(mark.x() - at.x(), mark.y() - at.y());
            if (elsewhere < smallest) {
                smallest = elsewhere;
                nearest = item;
            }
        }
    return nearest;
}

QPointF SlopeChart::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    return place(canvas, area, item, 0);
}

} // namespace prism::ui
