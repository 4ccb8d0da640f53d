// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/intervalchart.h"

#include "ui/look/dates.h"
#include "ui/look/format.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kLane = 26; ///< above the plot, for the flag; at scale 1

/// The title of the axis in a unit.
QString titleOf(const format::SpanUnit& unit)
{
    return unit.seconds < 60     ? QObject::tr("Seconds between checkpoints, log scale")
           : unit.seconds < 3600 ? QObject::tr("Minutes between checkpoints, log scale")
                                 : QObject::tr("Hours between checkpoints, log scale");
}

Axes axesOf(const Canvas& canvas, const QRectF& area, const IntervalCost& cost)
{
    Axes axes;
    double low = cost.used.intervalSeconds, high = low, largest = cost.used.lostDays;
    for (const IntervalDays& p : cost.curve) {
        low = std::min(low, p.intervalSeconds);
        high = std::max(high, p.intervalSeconds);
        largest = std::max(largest, p.lostDays);
    }
    const Ticks ticks = niceTicks(0, std::max(largest, 1e-3), 4);
    axes.plot = area.adjusted(yAxisWidth(canvas, ticks), canvas.px(kLane) + canvas.px(8), -canvas.px(4), -xAxisHeight(canvas));
    axes.x = {low, std::max(high, low * 1.01), true};
    axes.y = {0, std::max(largest, 1e-3) * 1.05, false};
    return axes;
}

QString titleOfDays()
{
    return QObject::tr("Days");
}

void paintPoints(Canvas& canvas, const QRectF& area, const IntervalData& d, const Axes& axes)
{
    const QColor own = canvas.look.palette().seriesAt(d.series);
    const IntervalCost& c = d.cost;
    const QPointF best = axes.place(c.best.intervalSeconds, c.best.lostDays);
    canvas.painter.setPen(Qt::NoPen);
    canvas.painter.setBrush(own);
    canvas.painter.drawEllipse(best, canvas.px(4), canvas.px(4));
    const bool same = std::abs(std::log(c.used.intervalSeconds / c.best.intervalSeconds)) < 0.02;
    const auto lost = [](const IntervalDays& p) {
        return QObject::tr("%1, %2 d").arg(format::span(p.intervalSeconds), format::number(p.lostDays, 2));
    };
    if (!same) {
        const QString bestText = QObject::tr("best %1").arg(lost(c.best));
        const double half = canvas.width(bestText, Type::tickStrong) / 2;
        canvas.text({std::clamp(best.x(), axes.plot.left() + half, axes.plot.right() - half), best.y() - canvas.px(9)}, bestText,
                    Type::tickStrong, Role::text, Qt::AlignHCenter | Qt::AlignBaseline);
    }
    const QPointF used = axes.place(c.used.intervalSeconds, c.used.lostDays);
    const double lane = axes.plot.top() - canvas.px(6);
    canvas.vertical(used.x(), lane, axes.plot.bottom(), canvas.look.pen(Role::text, metric::limitLine));
    if (!same) {
        canvas.painter.setPen(QPen(own, canvas.px(2)));
        canvas.painter.setBrush(canvas[Role::panel]);
        canvas.painter.drawEllipse(used, canvas.px(4.5), canvas.px(4.5));
    }
    const double pairedTitle = area.left() + canvas.width(titleOfDays(), Type::tick) + canvas.px(8);
    canvas.flag(used.x(), lane, (same ? QObject::tr("in use, the best: %1") : QObject::tr("in use %1")).arg(lost(c.used)),
                std::max(axes.plot.left(), pairedTitle), area.right());
}

} // namespace

void paintIntervals(Canvas& canvas, const QRectF& area, const IntervalData& d)
{
    if (d.cost.curve.empty())
        return;
    const Axes axes = axesOf(canvas, area, d.cost);
    const format::SpanUnit unit = format::spanUnit(std::sqrt(axes.x.low * axes.x.high));
    const QColor own = canvas.look.palette().seriesAt(d.series);
    if (d.cost.closeHigh > d.cost.closeLow) {
        const QRectF close(QPointF(axes.px(d.cost.closeLow), axes.plot.top()), QPointF(axes.px(d.cost.closeHigh), axes.plot.bottom()));
        canvas.fill(close, blend(own, canvas[Role::panel], 0.12));
    }
    paintYAxis(canvas, axes, {niceTicks(0, axes.y.high / 1.05, 4), QString(), 1}, area.left());
    canvas.text({area.left(), axes.plot.top() - canvas.px(8)}, titleOfDays(), Type::tick, Role::textSecondary);
    paintXAxis(canvas, axes, {logTicks(axes.x.low / unit.seconds, axes.x.high / unit.seconds), titleOf(unit), 1 / unit.seconds});
    QPolygonF line;
    for (const IntervalDays& p : d.cost.curve)
        line << axes.place(p.intervalSeconds, p.lostDays);
    paintLine(canvas, axes, line, QPen(own, canvas.px(metric::curve)));
    paintPoints(canvas, area, d, axes);
}

TableData IntervalChart::asTable() const
{
    TableData table;
    table.header = {u"checkpoint interval [s]"_s, u"lost [days]"_s};
    for (const IntervalDays& p : m_data.cost.curve)
        table.rows << QStringList{tableNumber(p.intervalSeconds), tableNumber(p.lostDays)};
    return table;
}

QStringList IntervalChart::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const IntervalDays& p = m_data.cost.curve[static_cast<std::size_t>(item)];
    return {tr("Every %1").arg(format::span(p.intervalSeconds)),
            tr("%1 days lost to checkpoints and to work done twice").arg(format::number(p.lostDays, 2))};
}

void IntervalChart::paintPlot(Canvas& canvas, const QRectF& area, bool /*paper*/) const
{
    paintIntervals(canvas, area, m_data);
}

int IntervalChart::itemAt(const Canvas& canvas, const QRectF& area, QPointF at) const
{
    const Axes axes = axesOf(canvas, area, m_data.cost);
    int nearest = -1;
    double smallest = canvas.px(12);
    for (int i = 0; i < itemCount(); ++i) {
        const IntervalDays& p = m_data.cost.curve[static_cast<std::size_t>(i)];
        if (const double elsewhere = std::abs(axes.px(p.intervalSeconds) - at.x()); elsewhere < smallest && axes.plot.contains(at)) {
            smallest = elsewhere;
            nearest = i;
        }
    }
    return nearest;
}

QPointF IntervalChart::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    const IntervalDays& p = m_data.cost.curve[static_cast<std::size_t>(item)];
    return axesOf(canvas, area, m_data.cost).place(p.intervalSeconds, p.lostDays);
}

} // namespace prism::ui
