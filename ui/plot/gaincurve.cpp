// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/gaincurve.h"

#include "ui/look/change.h"
#include "ui/look/format.h"
#include "ui/plot/axes.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

/// Positions of the points: "no move" at 0, point i at i + 1, all of them half a step further.
struct GainCurve::Layout {
    Axes axes;
    AxisText gains;
    double radius = 0;
    [[nodiscard]] double x(const QList<GainPoint>& points, qsizetype item) const
    {
        return axes.px(static_cast<double>(item) + 1 + (points[item].isAll ? 0.5 : 0));
    }
    [[nodiscard]] QPointF place(const QList<GainPoint>& points, qsizetype item) const
    {
        return {x(points, item), axes.py(points[item].gainSeconds)};
    }
};

void GainCurve::setPoints(const QList<GainPoint>& points)
{
    m_points = points;
    m_chosen = std::min(m_chosen, itemCount() - 1);
    dataChanged();
}

void GainCurve::setChosen(int point)
{
    m_chosen = point;
    update();
}

GainCurve::Layout GainCurve::layout(const Canvas& canvas, const QRectF& area) const
{
    double low = 0, high = 0;
    for (const GainPoint& p : m_points) {
        low = std::min(low, p.gainSeconds - p.halfWidth);
        high = std::max(high, p.gainSeconds + p.halfWidth);
    }
    Layout at;
    const format::TimeUnit unit = format::timeUnit(std::max(high, -low));
    constexpr int kMaxTicks = 4;
    at.gains = {coveringTicks(low * unit.perSecond, high * unit.perSecond, kMaxTicks), tr("Gain, %1").arg(unit.name), unit.perSecond};
    at.radius = canvas.px(4.5);
    const double left = area.left() + yAxisWidth(canvas, at.gains.ticks) + canvas.px(6), top = area.top() + yAxisHead(canvas);
    at.axes.plot = QRectF(QPointF(left, top), QPointF(area.right() - canvas.px(24), area.bottom() - xAxisHeight(canvas)));
    at.axes.x = {0, std::max(static_cast<double>(m_points.size()), 1.0) + 0.5, false};
    at.axes.y = {at.gains.ticks.values.front() / unit.perSecond, at.gains.ticks.values.back() / unit.perSecond, false};
    return at;
}

void GainCurve::paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const
{
    if (m_points.isEmpty())
        return;
    const Layout at = layout(canvas, area);
    const Look& look = canvas.look;
    paintYAxis(canvas, at.axes, at.gains, area.left());
    const double base = at.axes.plot.bottom();
    canvas.horizontal(at.axes.plot.left(), at.axes.plot.right(), base, look.pen(Role::axis));
    const auto label = [&](double x, const QString& text, bool strong) {
        canvas.text({x, base + canvas.px(6)}, text, strong ? Type::tickStrong : Type::tick, strong ? Role::text : Role::textSecondary,
                    Qt::AlignHCenter | Qt::AlignTop);
    };
    label(at.axes.px(0), u"0"_s, false);
    canvas.text({at.axes.plot.center().x(), base + canvas.px(22)}, tr("Exchanges of two nodes"), Type::tick, Role::textSecondary,
                Qt::AlignHCenter | Qt::AlignTop);
    QPointF before = at.axes.place(0, 0);
    for (qsizetype i = 0; i < m_points.size(); ++i) {
        const GainPoint& point = m_points[i];
        const QPointF here = at.place(m_points, i);
        QPen pen = look.pen(Role::accent, metric::curve);
        if (point.isAll)
            pen.setStyle(Qt::DashLine);
        canvas.painter.setPen(pen);
        canvas.painter.drawLine(before, here);
        before = here;
    }
    for (qsizetype i = 0; i < m_points.size(); ++i) {
        const GainPoint& point = m_points[i];
        const QPointF here = at.place(m_points, i);
        canvas.vertical(here.x(), at.axes.py(point.gainSeconds + point.halfWidth), at.axes.py(point.gainSeconds - point.halfWidth),
                        look.pen(Role::text));
        const bool chosen = i == m_chosen;
        canvas.painter.setPen(look.pen(Role::accent, metric::limitLine));
        canvas.painter.setBrush(look[chosen ? Role::accent : Role::panel]);
        canvas.painter.drawEllipse(here, at.radius, at.radius);
        if (interactive && hasFocus() && i == focusItem()) {
            canvas.painter.setBrush(Qt::NoBrush);
            canvas.painter.drawEllipse(here, at.radius + canvas.px(3), at.radius + canvas.px(3));
        }
        label(here.x(), point.label, chosen);
    }
}

int GainCurve::itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const
{
    if (m_points.isEmpty() || !area.contains(point))
        return -1;
    const Layout at = layout(canvas, area);
    int nearest = -1;
    double distance = at.axes.plot.width() / static_cast<double>(m_points.size() + 1);
    for (qsizetype i = 0; i < m_points.size(); ++i)
        if (const double elsewhere = std::abs(at.x(m_points, i) - point.x()); elsewhere < distance) {
            distance = elsewhere;
            nearest = static_cast<int>(i);
        }
    return nearest;
}

QPointF GainCurve::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    return item >= 0 && item < itemCount() ? layout(canvas, area).place(m_points, item) : area.center();
}

QStringList GainCurve::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const GainPoint& p = m_points[item];
    return {p.detail,
            u"%1 (%2)"_s.arg(format::timeChange({-p.gainSeconds, p.halfWidth}), format::intervalNextTo(p.gainSeconds, p.halfWidth))};
}

TableData GainCurve::asTable() const
{
    TableData table;
    table.header = {u"exchanges"_s, u"gain of p95 [s]"_s, u"half-width 95 % [s]"_s, u"move"_s};
    for (const GainPoint& p : m_points)
        table.rows << QStringList{p.label, tableNumber(p.gainSeconds), tableNumber(p.halfWidth), p.detail};
    return table;
}

} // namespace prism::ui
