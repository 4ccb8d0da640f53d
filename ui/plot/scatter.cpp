// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/scatter.h"

#include "ui/look/format.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

AxisRange rangeOf(const std::vector<ScatterPoint>& points, double ScatterPoint::*member)
{
    double low = 1e300, high = -1e300;
    for (const ScatterPoint& p : points)
        if (std::isfinite(p.*member)) {
            low = std::min(low, p.*member);
            high = std::max(high, p.*member);
        }
    if (!(high >= low))
        return {0, 1, false};
    const double air = high > low ? 0.08 * (high - low) : std::max(std::abs(high) * 0.05, 1e-6);
    return {low - air, high + air, false};
}

} // namespace

void ScatterChart::setHighlighted(const QString& id)
{
    if (id == m_highlighted)
        return;
    m_highlighted = id;
    update();
}

TableData ScatterChart::asTable() const
{
    TableData table;
    table.header = {u"point"_s, m_data.xTitle, m_data.yTitle, u"front"_s};
    for (const ScatterPoint& p : m_data.points)
        table.rows << QStringList{p.label, tableNumber(p.x), tableNumber(p.y), p.front ? u"1"_s : u"0"_s};
    return table;
}

QStringList ScatterChart::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const ScatterPoint& p = m_data.points[static_cast<std::size_t>(item)];
    const auto line = [](const QString& title, double value, double half) {
        return u"%1: %2%3"_s.arg(title, format::number(value, 4), half > 0 ? u" "_s + format::plainInterval(half) : QString());
    };
    QStringList lines{p.label, line(m_data.xTitle, p.x, p.xHalfWidth), line(m_data.yTitle, p.y, p.yHalfWidth)};
    return lines + p.reading;
}

QList<LegendEntry> ScatterChart::legend(const Look& look) const
{
    return {{LegendEntry::Mark::line, look.palette().seriesAt(m_data.series), {}, {}, tr("On the front")},
            {LegendEntry::Mark::box, look[Role::textSecondary], {}, {}, tr("Beaten in time, memory and cost")}};
}

Axes ScatterChart::axes(const Canvas& canvas, const QRectF& area) const
{
    Axes at;
    at.x = rangeOf(m_data.points, &ScatterPoint::x);
    at.y = rangeOf(m_data.points, &ScatterPoint::y);
    const Ticks ticks = niceTicks(at.y.low, at.y.high, 6);
    at.plot = area.adjusted(yAxisWidth(canvas, ticks), yAxisHead(canvas), -canvas.px(4), -xAxisHeight(canvas));
    return at;
}

void ScatterChart::paintFront(Canvas& canvas, const Axes& at) const
{
    // The staircase of the front points in these two metrics.
    const double sx = m_data.moreIsBetterX ? -1 : 1, sy = m_data.moreIsBetterY ? -1 : 1;
    std::vector<QPointF> best;
    for (const ScatterPoint& p : m_data.points)
        if (p.front)
            best.emplace_back(sx * p.x, sy * p.y);
    std::sort(best.begin(), best.end(), [](QPointF a, QPointF b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); });
    QPolygonF stairs;
    double lowest = 1e300;
    for (const QPointF& p : best) {
        if (p.y() >= lowest)
            continue;
        stairs << (stairs.isEmpty() ? QPointF(at.px(sx * p.x()), sy > 0 ? at.plot.top() : at.plot.bottom())
                                    : QPointF(at.px(sx * p.x()), stairs.back().y()));
        stairs << at.place(sx * p.x(), sy * p.y());
        lowest = p.y();
    }
    if (!stairs.isEmpty())
        stairs << QPointF(sx > 0 ? at.plot.right() : at.plot.left(), stairs.back().y());
    paintLine(canvas, at, stairs, QPen(canvas.look.palette().seriesAt(m_data.series), canvas.px(1.5)));
}

void ScatterChart::paintPoint(Canvas& canvas, const Axes& at, const ScatterPoint& p, bool highlighted) const
{
    const QPointF place = at.place(p.x, p.y);
    const double radius = canvas.px(p.front ? 4.5 : 3.5);
    canvas.painter.setPen(Qt::NoPen);
    canvas.painter.setBrush(p.front ? canvas.look.palette().seriesAt(m_data.series) : canvas[Role::textSecondary]);
    canvas.painter.drawEllipse(place, radius, radius);
    if (!p.outlined && !highlighted)
        return;
    canvas.painter.setBrush(Qt::NoBrush);
    canvas.painter.setPen(QPen(canvas[highlighted ? Role::accent : Role::text], canvas.px(highlighted ? 2 : 1.5)));
    canvas.painter.drawEllipse(place, radius + canvas.px(3), radius + canvas.px(3));
}

void ScatterChart::paintMarks(Canvas& canvas, const Axes& at) const
{
    QList<QRectF> taken;
    for (const ScatterPoint& p : m_data.points) {
        if (p.mark.isEmpty())
            continue;
        const QPointF place = at.place(p.x, p.y);
        const double roomRight = at.plot.right() - place.x() - canvas.px(10), roomLeft = place.x() - at.plot.left() - canvas.px(10);
        const QString label = canvas.elided(p.label, Type::tick, std::max(roomRight, roomLeft));
        const double width = std::max(canvas.width(p.mark, Type::smallStrong), canvas.width(label, Type::tick));
        const double high = canvas.lineHeight(Type::small) + canvas.lineHeight(Type::tick);
        const bool right = width <= roomRight || roomRight >= roomLeft;
        // Right or left of the point, then above or below, wherever no other name is.
        QRectF box;
        for (const double shift : p.front ? std::array{0.12, -1.12, -2.2, 1.2, -0.5} : std::array{-0.5, -1.4, 0.4, -2.4, 1.4}) {
            box = QRectF(right ? place.x() + canvas.px(10) : place.x() - canvas.px(10) - width, place.y() + shift * high, width, high);
            const bool clear = std::none_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(box); });
            if (clear && box.top() >= at.plot.top() - canvas.px(4) && box.bottom() <= at.plot.bottom())
                break;
        }
        taken << box;
        const Qt::Alignment side = right ? Qt::AlignLeft : Qt::AlignRight;
        const double x = right ? box.left() : box.right();
        canvas.text({x, box.top()}, p.mark, Type::smallStrong, Role::text, side | Qt::AlignTop);
        canvas.text({x, box.top() + canvas.lineHeight(Type::small)}, label, Type::tick, Role::textSecondary, side | Qt::AlignTop);
    }
}

void ScatterChart::paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const
{
    if (m_data.points.empty())
        return;
    const Axes at = axes(canvas, area);
    paintYAxis(canvas, at, {niceTicks(at.y.low, at.y.high, 6), m_data.yTitle, 1}, area.left());
    paintXAxis(canvas, at,
               {niceTicks(at.x.low, at.x.high, std::max(2, static_cast<int>(at.plot.width() / canvas.px(70)))), m_data.xTitle, 1});
    paintFront(canvas, at);
    for (const bool front : {false, true})
        for (std::size_t i = 0; i < m_data.points.size(); ++i) {
            const ScatterPoint& p = m_data.points[i];
            const bool focused = interactive && hasFocus() && static_cast<int>(i) == focusItem();
            if (p.front == front)
                paintPoint(canvas, at, p, interactive && (p.id == m_highlighted || focused));
        }
    paintMarks(canvas, at);
}

int ScatterChart::itemAt(const Canvas& canvas, const QRectF& area, QPointF at) const
{
    if (m_data.points.empty())
        return -1;
    const Axes where = axes(canvas, area);
    int nearest = -1;
    double smallest = canvas.px(9);
    for (int i = 0; i < itemCount(); ++i) {
        const ScatterPoint& p = m_data.points[static_cast<std::size_t>(i)];
        const QPointF elsewhere = where.place(p.x, p.y) - at;
        if (const double distance = std::hypot(elsewhere.x(), elsewhere.y()); distance < smallest) {
            smallest = distance;
            nearest = i;
        }
    }
    return nearest;
}

QPointF ScatterChart::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    const ScatterPoint& p = m_data.points[static_cast<std::size_t>(item)];
    return axes(canvas, area).place(p.x, p.y);
}

int ScatterChart::neighbour(int item, int key) const
{
    std::vector<int> order(m_data.points.size());
    for (int i = 0; i < itemCount(); ++i)
        order[static_cast<std::size_t>(i)] = i;
    const bool along = key == Qt::Key_Left || key == Qt::Key_Right;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        const ScatterPoint &p = m_data.points[static_cast<std::size_t>(a)], &q = m_data.points[static_cast<std::size_t>(b)];
        return along ? p.x < q.x : p.y < q.y;
    });
    const auto at = std::find(order.begin(), order.end(), item) - order.begin();
    const auto next = at + (key == Qt::Key_Right || key == Qt::Key_Up ? 1 : -1);
    return order[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(next, 0, static_cast<std::ptrdiff_t>(order.size()) - 1))];
}

} // namespace prism::ui
