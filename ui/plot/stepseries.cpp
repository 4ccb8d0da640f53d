// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/stepseries.h"

#include "ui/plot/curvelabels.h"

#include "ui/look/format.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

QString kindText(SeriesStep::Kind kind)
{
    switch (kind) {
    case SeriesStep::Kind::compared:
        return QObject::tr("compared");
    case SeriesStep::Kind::warmUp:
        return QObject::tr("warm-up");
    case SeriesStep::Kind::afterPause:
        return QObject::tr("after a pause");
    case SeriesStep::Kind::stall:
        return QObject::tr("stall");
    }
    return {};
}

void cross(Canvas& canvas, QPointF at, const QColor& colour)
{
    const double r = canvas.px(3);
    canvas.painter.setPen(QPen(colour, canvas.px(1.3)));
    canvas.painter.drawLine(at + QPointF(-r, -r), at + QPointF(r, r));
    canvas.painter.drawLine(at + QPointF(-r, r), at + QPointF(r, -r));
}

void triangle(Canvas& canvas, QPointF at, const QColor& colour)
{
    const double r = canvas.px(4);
    canvas.painter.setPen(Qt::NoPen);
    canvas.painter.setBrush(colour);
    canvas.painter.drawPolygon(QPolygonF{at + QPointF(-r, r), at + QPointF(r, r), at + QPointF(0, -r)});
}

} // namespace

TableData SeriesChart::asTable() const
{
    TableData table;
    table.header = {u"step"_s, u"step time [s]"_s, u"kind"_s};
    for (const SeriesStep& s : m_data.steps)
        table.rows << QStringList{tableNumber(s.number), tableNumber(s.seconds), kindText(s.kind)};
    return table;
}

QStringList SeriesChart::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const SeriesStep& s = m_data.steps[static_cast<std::size_t>(item)];
    return {tr("Step %1").arg(format::count(std::llround(s.number))), format::seconds(s.seconds).text(), kindText(s.kind)};
}

QList<LegendEntry> SeriesChart::legend(const Look& look) const
{
    const QColor own = look.palette().seriesAt(m_data.series);
    return {{LegendEntry::Mark::box, look[Role::grey], {}, {}, tr("Step; × omitted, ▲ stall")},
            {LegendEntry::Mark::box, blend(own, look[Role::panel], 0.22), {}, {}, tr("Predicted p5 to p95")}};
}

Axes SeriesChart::axes(const Canvas& canvas, const QRectF& area) const
{
    std::vector<double> seconds;
    double first = 1e300, last = -1e300;
    for (const SeriesStep& s : m_data.steps) {
        first = std::min(first, s.number);
        last = std::max(last, s.number);
        if (s.kind == SeriesStep::Kind::compared)
            seconds.push_back(s.seconds);
    }
    std::sort(seconds.begin(), seconds.end());
    double low = m_data.low > 0 ? m_data.low : 1e300, high = m_data.high;
    if (!seconds.empty()) { // outliers are drawn at the upper end: on the full scale they would flatten the rest
        low = std::min(low, seconds[seconds.size() / 200]);
        high = std::max(high, seconds[seconds.size() - 1 - seconds.size() / 200]);
    }
    const double air = 0.25 * std::max(high - low, 1e-6 * high);
    Axes at;
    const format::TimeUnit unit = format::timeUnit(high);
    const Ticks ticks = niceTicks((low - air) * unit.perSecond, (high + air) * unit.perSecond, 4);
    at.plot = area.adjusted(yAxisWidth(canvas, ticks), yAxisHead(canvas) + canvas.px(14), -canvas.px(4), -xAxisHeight(canvas));
    at.x = {first, std::max(last, first + 1), false};
    at.y = {low - air, high + air, false};
    return at;
}

void SeriesChart::paintPlot(Canvas& canvas, const QRectF& area, bool /*paper*/) const
{
    if (m_data.steps.empty())
        return;
    const Axes at = axes(canvas, area);
    const format::TimeUnit unit = format::timeUnit(at.y.high);
    const QColor own = canvas.look.palette().seriesAt(m_data.series);
    paintYAxis(canvas, at, {niceTicks(at.y.low * unit.perSecond, at.y.high * unit.perSecond, 4), QString(), unit.perSecond}, area.left());
    canvas.text({area.left(), area.top() + canvas.px(10)}, tr("Step time, %1").arg(unit.name), Type::tick, Role::textSecondary);
    paintXAxis(canvas, at,
               {niceTicks(at.x.low, at.x.high, std::max(2, static_cast<int>(at.plot.width() / canvas.px(80)))), tr("Training step"), 1});
    if (m_data.high > m_data.low)
        canvas.fill(QRectF(QPointF(at.plot.left(), at.py(m_data.high)), QPointF(at.plot.right(), at.py(m_data.low))),
                    blend(own, canvas[Role::panel], 0.22));
    const double lane = at.plot.top() - canvas.px(8), radius = canvas.px(1.6);
    for (const SeriesStep& s : m_data.steps) {
        const double x = at.px(s.number);
        if (s.kind == SeriesStep::Kind::stall)
            triangle(canvas, {x, lane}, canvas[Role::bad]);
        else if (s.kind != SeriesStep::Kind::compared)
            cross(canvas, {x, lane}, canvas[Role::textTertiary]);
        else {
            canvas.painter.setPen(Qt::NoPen);
            canvas.painter.setBrush(canvas[Role::textTertiary]);
            canvas.painter.drawEllipse(QPointF(x, std::clamp(at.py(s.seconds), at.plot.top(), at.plot.bottom())), radius, radius);
        }
    }
    QPen dashed = canvas.look.pen(Role::text, metric::limitLine);
    dashed.setDashPattern({4, 3});
    for (const double shift : m_data.shifts)
        canvas.vertical(at.px(shift), at.plot.top(), at.plot.bottom(), dashed);
}

int SeriesChart::itemAt(const Canvas& canvas, const QRectF& area, QPointF place) const
{
    if (m_data.steps.empty())
        return -1;
    const Axes at = axes(canvas, area);
    const double number = at.xAt(place.x());
    const auto near =
        std::lower_bound(m_data.steps.begin(), m_data.steps.end(), number, [](const SeriesStep& s, double n) { return s.number < n; });
    if (!at.plot.adjusted(0, -canvas.px(20), 0, 0).contains(place) || near == m_data.steps.end())
        return -1;
    return static_cast<int>(near - m_data.steps.begin());
}

QPointF SeriesChart::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    const SeriesStep& s = m_data.steps[static_cast<std::size_t>(item)];
    return axes(canvas, area).place(s.number, s.seconds);
}

TableData QuantileChart::asTable() const
{
    TableData table;
    table.header = {u"probability"_s, u"predicted [s]"_s, u"measured [s]"_s};
    for (const QuantilePair& p : m_data.pairs)
        table.rows << QStringList{tableNumber(p.probability), tableNumber(p.predicted), tableNumber(p.measured)};
    return table;
}

QStringList QuantileChart::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const QuantilePair& p = m_data.pairs[static_cast<std::size_t>(item)];
    return {u"p%1"_s.arg(format::number(100 * p.probability, 2)), tr("measured %1").arg(format::seconds(p.measured).text()),
            tr("predicted %1").arg(format::seconds(p.predicted).text())};
}

Axes QuantileChart::axes(const Canvas& canvas, const QRectF& area) const
{
    double low = 1e300, high = -1e300;
    for (const QuantilePair& p : m_data.pairs) {
        low = std::min({low, p.predicted, p.measured});
        high = std::max({high, p.predicted, p.measured});
    }
    const double air = 0.06 * std::max(high - low, 1e-6 * std::abs(high));
    const format::TimeUnit unit = format::timeUnit(high);
    const Ticks ticks = niceTicks((low - air) * unit.perSecond, (high + air) * unit.perSecond, 4);
    Axes at;
    at.plot = area.adjusted(yAxisWidth(canvas, ticks), yAxisHead(canvas), -canvas.px(4), -xAxisHeight(canvas));
    at.x = at.y = {low - air, high + air, false};
    return at;
}

void QuantileChart::paintPlot(Canvas& canvas, const QRectF& area, bool /*paper*/) const
{
    if (m_data.pairs.empty())
        return;
    const Axes at = axes(canvas, area);
    const format::TimeUnit unit = format::timeUnit(at.y.high);
    const Ticks ticks = niceTicks(at.x.low * unit.perSecond, at.x.high * unit.perSecond, 4);
    const QColor own = canvas.look.palette().seriesAt(m_data.series);
    paintYAxis(canvas, at, {ticks, tr("Measured, %1").arg(unit.name), unit.perSecond}, area.left());
    paintXAxis(canvas, at, {ticks, tr("Predicted, %1").arg(unit.name), unit.perSecond});
    QPen equal = canvas.look.pen(Role::textTertiary);
    equal.setDashPattern({4, 3});
    paintLine(canvas, at, {at.place(at.x.low, at.x.low), at.place(at.x.high, at.x.high)}, equal);
    LabelObstacles obstacles{at.plot, {{at.place(at.x.low, at.x.low), at.place(at.x.high, at.x.high)}}, {}};
    const auto isNamed = [](const QuantilePair& p) { return p.probability == 0.5 || p.probability == 0.95 || p.probability == 0.99; };
    for (const QuantilePair& p : m_data.pairs) {
        const double radius = canvas.px(isNamed(p) ? 4 : 2.5);
        canvas.painter.setPen(isNamed(p) ? QPen(canvas[Role::text], canvas.px(1.5)) : QPen(Qt::NoPen));
        canvas.painter.setBrush(isNamed(p) ? canvas[Role::panel] : own);
        canvas.painter.drawEllipse(at.place(p.predicted, p.measured), radius, radius);
    }
    for (const QuantilePair& p : m_data.pairs) {
        const QString name = isNamed(p) ? u"p%1"_s.arg(qRound(100 * p.probability)) : QString();
        const QPointF place = at.place(p.predicted, p.measured);
        const QSizeF size(canvas.width(name, Type::tickStrong), canvas.lineHeight(Type::tickStrong));
        if (!name.isEmpty())
            obstacles.taken.push_back(placeReadings({{size, {place}}}, obstacles, place.x(), canvas.px(8)).front().rect);
        if (!name.isEmpty() && !obstacles.taken.back().isNull())
            canvas.text(obstacles.taken.back().center(), name, Type::tickStrong, Role::text, Qt::AlignCenter);
    }
}

int QuantileChart::itemAt(const Canvas& canvas, const QRectF& area, QPointF place) const
{
    if (m_data.pairs.empty())
        return -1;
    const Axes at = axes(canvas, area);
    int nearest = -1;
    double smallest = canvas.px(9);
    for (int i = 0; i < itemCount(); ++i) {
        const QuantilePair& p = m_data.pairs[static_cast<std::size_t>(i)];
        const QPointF elsewhere = at.place(p.predicted, p.measured) - place;
        if (const double distance = std::hypot(elsewhere.x(), elsewhere.y()); distance < smallest) {
            smallest = distance;
            nearest = i;
        }
    }
    return nearest;
}

QPointF QuantileChart::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    const QuantilePair& p = m_data.pairs[static_cast<std::size_t>(item)];
    return axes(canvas, area).place(p.predicted, p.measured);
}

} // namespace prism::ui
