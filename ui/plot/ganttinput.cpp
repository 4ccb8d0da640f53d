// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/gantt.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace prism::ui {

namespace {
constexpr double kZoomStep = 1.25;
}

int GanttChart::itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const
{
    if (!m_timeline)
        return -1;
    const Layout at = layout(canvas, area);
    if (!at.rows.contains(point))
        return -1;
    const auto stage = static_cast<std::size_t>((point.y() - at.rows.top()) / at.rowHeight);
    if (stage >= m_stageSpans.size())
        return -1;
    const double seconds = m_start + (point.x() - at.rows.left()) / at.perSecond, slack = 1 / at.perSecond;
    int bubble = -1, near = -1;
    for (std::size_t i = m_stageSpans[stage].first; i < m_stageSpans[stage].second; ++i) {
        const TimelineSpan& span = m_timeline->spans[i];
        if (span.kind == SpanKind::send)
            continue;
        if (seconds >= span.startSeconds && seconds <= span.endSeconds) {
            if (span.kind != SpanKind::bubble)
                return static_cast<int>(i);
            bubble = static_cast<int>(i);
        } else if (span.kind != SpanKind::bubble && seconds >= span.startSeconds - slack && seconds <= span.endSeconds + slack) {
            near = static_cast<int>(i);
        }
    }
    return near >= 0 ? near : bubble;
}

QPointF GanttChart::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    if (!hasItem(item))
        return area.center();
    const Layout at = layout(canvas, area);
    const TimelineSpan& span = spanOf(item);
    return {std::clamp(at.x((span.startSeconds + span.endSeconds) / 2), at.rows.left(), at.rows.right()),
            at.row(span.stage).bottom() - canvas.px(8)};
}

int GanttChart::neighbour(int item, int key) const
{
    const TimelineSpan& span = spanOf(item);
    if (key == Qt::Key_Left || key == Qt::Key_Right) {
        const int next = item + (key == Qt::Key_Left ? -1 : 1);
        return next >= 0 && next < itemCount() && spanOf(next).stage == span.stage ? next : item;
    }
    const int stage = span.stage + (key == Qt::Key_Up ? -1 : 1);
    if (stage < 0 || stage >= static_cast<int>(m_stageSpans.size()))
        return item;
    const double middle = (span.startSeconds + span.endSeconds) / 2;
    int best = item;
    double distance = 1e300;
    for (std::size_t i = m_stageSpans[static_cast<std::size_t>(stage)].first; i < m_stageSpans[static_cast<std::size_t>(stage)].second;
         ++i) {
        const TimelineSpan& other = m_timeline->spans[i];
        const double d = std::abs((other.startSeconds + other.endSeconds) / 2 - middle);
        if (d < distance) {
            distance = d;
            best = static_cast<int>(i);
        }
    }
    return best;
}

void GanttChart::zoom(double factor, double aroundSeconds)
{
    setView(aroundSeconds - (aroundSeconds - m_start) * factor, aroundSeconds + (m_end - aroundSeconds) * factor);
}

double GanttChart::secondsAt(double x) const
{
    const double seconds = measured([&](const Canvas& c, const QRectF& area) {
        const Layout l = layout(c, area);
        return m_start + (x - l.rows.left()) / l.perSecond;
    });
    return std::clamp(seconds, m_start, m_end);
}

void GanttChart::wheelEvent(QWheelEvent* event)
{
    const double turns = event->angleDelta().y() / 120.0;
    if (turns == 0 || !m_timeline)
        return QWidget::wheelEvent(event);
    zoom(std::pow(kZoomStep, -turns), secondsAt(event->position().x()));
    event->accept();
}

void GanttChart::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && event->modifiers() & Qt::ShiftModifier && m_timeline) {
        m_rangeFrom = secondsAt(event->position().x());
        setRange({});
    } else if (event->button() == Qt::LeftButton) {
        m_panFrom = event->position();
        m_panStart = m_start;
        m_panned = false;
    }
    setFocus(Qt::MouseFocusReason);
}

void GanttChart::mouseMoveEvent(QMouseEvent* event)
{
    if (m_rangeFrom && event->buttons() & Qt::LeftButton)
        return setRange(StepRange{*m_rangeFrom, secondsAt(event->position().x())});
    if (m_panFrom && (event->buttons() & Qt::LeftButton)) {
        const double dx = event->position().x() - m_panFrom->x();
        if (m_panned || std::abs(dx) > 4) {
            m_panned = true;
            const double perSecond = measured([&](const Canvas& c, const QRectF& area) { return layout(c, area).perSecond; });
            const double length = m_end - m_start, start = m_panStart - dx / perSecond;
            setView(start, start + length);
            return;
        }
    }
    PlotBase::mouseMoveEvent(event);
}

void GanttChart::mouseReleaseEvent(QMouseEvent* event)
{
    if (std::exchange(m_rangeFrom, std::nullopt))
        return;
    m_panFrom.reset();
    if (!m_panned && event->button() == Qt::LeftButton)
        PlotBase::mousePressEvent(event);
    m_panned = false;
}

void GanttChart::mouseDoubleClickEvent(QMouseEvent* /*event*/)
{
    resetView();
}

void GanttChart::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoom(1 / kZoomStep, (m_start + m_end) / 2);
        return;
    case Qt::Key_Minus:
        zoom(kZoomStep, (m_start + m_end) / 2);
        return;
    case Qt::Key_0:
        resetView();
        return;
    case Qt::Key_BracketLeft:
    case Qt::Key_BracketRight:
        if (hasItem(focusItem())) {
            const TimelineSpan& span = spanOf(focusItem());
            const StepRange now = m_range.value_or(StepRange{span.startSeconds, span.endSeconds});
            setRange(event->key() == Qt::Key_BracketLeft ? StepRange{span.startSeconds, std::max(now.end, span.endSeconds)}
                                                         : StepRange{std::min(now.start, span.startSeconds), span.endSeconds});
        }
        return;
    case Qt::Key_Escape:
        if (m_range)
            return setRange({});
        return PlotBase::keyPressEvent(event);
    default:
        PlotBase::keyPressEvent(event);
    }
}

} // namespace prism::ui
