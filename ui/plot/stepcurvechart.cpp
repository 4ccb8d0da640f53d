// SPDX-License-Identifier: GPL-3.0-or-later
// The card around step curves: legend, reading, table, and the flag that is dragged.
#include "ui/plot/stepcurves.h"

#include "ui/look/format.h"

#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kReach = 8; ///< pixels at scale 1: the pointer picks a line within this distance

/// The quantile by linear interpolation between reduced points; 0 without points.
double secondsOf(const StepCurve& c, double probability)
{
    const auto at =
        std::lower_bound(c.points.begin(), c.points.end(), probability, [](const CurvePoint& p, double s) { return p.probability < s; });
    if (c.points.empty())
        return 0;
    if (at == c.points.begin())
        return c.points.front().seconds;
    if (at == c.points.end())
        return c.points.back().seconds;
    const CurvePoint &a = *(at - 1), &b = *at;
    const double along = b.probability > a.probability ? (probability - a.probability) / (b.probability - a.probability) : 1;
    return a.seconds + along * (b.seconds - a.seconds);
}

} // namespace

void StepCurveChart::setData(const StepCurves& data)
{
    m_data = data;
    dataChanged();
}

void StepCurveChart::setHighlighted(const QString& id)
{
    if (id == m_highlighted)
        return;
    m_highlighted = id;
    update();
}

TableData StepCurveChart::asTable() const
{
    TableData table;
    table.header = {u"curve"_s, u"step time [s]"_s, u"probability"_s, u"lower end of the band"_s, u"upper end of the band"_s};
    table.names = {0};
    for (const StepCurve& c : m_data.curves)
        for (const CurvePoint& p : c.points)
            table.rows << QStringList{c.name, tableNumber(p.seconds), tableNumber(p.probability), tableNumber(p.low), tableNumber(p.high)};
    return table;
}

QStringList StepCurveChart::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const StepCurve& c = m_data.curves[static_cast<std::size_t>(item)];
    QStringList lines{c.name};
    for (const auto& [name, share] : {std::pair{u"p50"_s, 0.5}, {u"p95"_s, 0.95}, {u"p99"_s, 0.99}})
        lines << u"%1  %2"_s.arg(name, format::seconds(secondsOf(c, share)).text());
    return lines;
}

double StepCurveChart::secondsAt(double x) const
{
    return measured([&](const Canvas& canvas, const QRectF& area) { return stepAxes(canvas, area, m_data).xAt(x); });
}

void StepCurveChart::paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const
{
    if (m_data.curves.empty())
        return;
    if (interactive)
        return paintStepCurves(canvas, area, m_data, m_highlighted);
    StepCurves onPaper = m_data;
    if (onPaper.flag)
        onPaper.flag->hint.clear();
    paintStepCurves(canvas, area, onPaper, {});
}

int StepCurveChart::itemAt(const Canvas& canvas, const QRectF& area, QPointF at) const
{
    const Axes axes = stepAxes(canvas, area, m_data);
    if (m_data.curves.empty() || !axes.plot.contains(at))
        return -1;
    const double share = (axes.plot.bottom() - at.y()) / axes.plot.height();
    int nearest = -1;
    double smallest = canvas.px(kReach);
    for (int i = 0; i < itemCount(); ++i)
        if (const double elsewhere = std::abs(axes.px(secondsOf(m_data.curves[static_cast<std::size_t>(i)], share)) - at.x());
            elsewhere < smallest) {
            smallest = elsewhere;
            nearest = i;
        }
    return nearest;
}

QPointF StepCurveChart::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    const StepCurve& c = m_data.curves[static_cast<std::size_t>(item)];
    return stepAxes(canvas, area, m_data).place(secondsOf(c, 0.5), 0.5);
}

QList<LegendEntry> StepCurveChart::legend(const Look& look) const
{
    QList<LegendEntry> entries;
    bool ghosts = false;
    for (const StepCurve& c : m_data.curves) {
        const QColor colour = c.measured ? look[Role::text] : look.palette().seriesAt(c.series);
        if (c.ghost && !c.number.isEmpty()) {
            if (!ghosts)
                entries << LegendEntry{LegendEntry::Mark::line, blend(colour, look[Role::panel], 0.68), {}, {}, tr("with one move")};
            ghosts = true;
            continue;
        }
        entries << LegendEntry{LegendEntry::Mark::line, colour, {}, {}, c.name, c.measured ? QList<qreal>() : seriesDash(c.series)};
    }
    return entries;
}

bool StepCurveChart::nearFlag(QPointF at) const
{
    if (!m_movable || !m_data.flag)
        return false;
    return measured([&](const Canvas& canvas, const QRectF& area) {
        const Axes axes = stepAxes(canvas, area, m_data);
        const double x = axes.px(m_data.flag->seconds), width = canvas.width(m_data.flag->reading(), Type::bodyStrong);
        const bool inLane = at.y() >= area.top() && at.y() <= axes.plot.top() && std::abs(at.x() - x) < width;
        return inLane || (axes.plot.contains(at) && std::abs(at.x() - x) < canvas.px(kReach));
    });
}

void StepCurveChart::mousePressEvent(QMouseEvent* event)
{
    m_dragging = event->button() == Qt::LeftButton && nearFlag(event->position());
    if (!m_dragging)
        PlotBase::mousePressEvent(event);
}

void StepCurveChart::mouseMoveEvent(QMouseEvent* event)
{
    if (m_dragging) {
        if (const double seconds = secondsAt(event->position().x()); seconds > 0)
            Q_EMIT flagMoved(seconds);
        return;
    }
    setCursor(nearFlag(event->position()) ? Qt::SizeHorCursor : Qt::ArrowCursor);
    PlotBase::mouseMoveEvent(event);
}

void StepCurveChart::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_dragging)
        Q_EMIT flagReleased();
    m_dragging = false;
    PlotBase::mouseReleaseEvent(event);
}

void StepCurveChart::keyPressEvent(QKeyEvent* event)
{
    const bool left = event->key() == Qt::Key_Left, right = event->key() == Qt::Key_Right;
    if (!m_movable || !m_data.flag || !(left || right) || !(event->modifiers() & Qt::ShiftModifier))
        return PlotBase::keyPressEvent(event);
    constexpr double kStep = 1.0 / 100; // of the axis
    const Axes axes = measured([&](const Canvas& canvas, const QRectF& area) { return stepAxes(canvas, area, m_data); });
    Q_EMIT flagMoved(m_data.flag->seconds + (right ? kStep : -kStep) * (axes.x.high - axes.x.low));
    Q_EMIT flagReleased();
}

} // namespace prism::ui
