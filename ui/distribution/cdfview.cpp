// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/distribution/cdfview.h"

#include <QLineEdit>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>
#include <utility>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr double kSnapPixels = 6; // a limit this close to a marked percentile jumps onto it

} // namespace

CdfView::CdfView(CdfState& state, QWidget* parent) : QChartView(state.chart, parent), m_state(state)
{
    setRenderHint(QPainter::Antialiasing);
    setFrameShape(QFrame::NoFrame);
    setMouseTracking(true);
    setFocusPolicy(Qt::NoFocus);
    viewport()->setFocusPolicy(Qt::NoFocus); // the chart itself takes the keyboard
    setBackgroundBrush(Qt::NoBrush);
    viewport()->setAutoFillBackground(false);
    setAcceptDrops(false); // a file that is dropped here is the window's
    setStyleSheet(u"background: transparent"_s);
}

void CdfView::leaveEvent(QEvent* /*event*/)
{
    m_hover = {-1, -1};
    viewport()->update();
}

CdfView::Grip CdfView::gripAt(const QPointF& at) const
{
    constexpr double kReach = 7; // pixels next to a line
    const CdfState& d = m_state;
    if (d.goalRect().contains(at))
        return Grip::goal;
    if (d.limit.seconds <= 0 || d.fixed)
        return Grip::none;
    if (m_flag.contains(at))
        return Grip::upper;
    const bool height = at.y() > m_flag.top() && at.y() < d.plot.bottom() + 8;
    const double upper = std::abs(m_state.xAt(d.limit.seconds) - at.x());
    const double lower = d.limit.lowerSeconds > 0 ? std::abs(m_state.xAt(d.limit.lowerSeconds) - at.x()) : kReach;
    if (!height || std::min(upper, lower) >= kReach)
        return Grip::none;
    return lower < upper ? Grip::lower : Grip::upper;
}

void CdfView::mousePressEvent(QMouseEvent* event)
{
    m_state.editor->hide(); // a click next to it ends typing
    parentWidget()->setFocus(Qt::MouseFocusReason);
    if (event->button() != Qt::LeftButton)
        return;
    m_dragged = gripAt(event->position());
    if (m_dragged != Grip::none)
        return;
    const CdfState& d = m_state;
    if (d.mode == CdfMode::density)
        return;
    double best = 12; // pixels from a curve
    int hit = -1;
    for (const ChartCurve& c : d.curves)
        for (const CurvePoint& point : c.cdf) {
            const double distance = std::hypot(m_state.xAt(point.seconds) - event->position().x(),
                                               d.yPixel(d.yValue(point.probability)) - event->position().y());
            if (distance < best) {
                best = distance;
                hit = c.id;
            }
        }
    Q_EMIT curveClicked(hit);
}

void CdfView::mouseMoveEvent(QMouseEvent* event)
{
    m_hover = event->position();
    if (m_dragged == Grip::goal)
        m_state.goal = m_state.secondsAt(m_hover.x());
    else if (m_dragged != Grip::none)
        moveLimit(m_hover.x(), event->modifiers() & Qt::AltModifier);
    viewport()->setCursor(m_dragged != Grip::none || gripAt(m_hover) != Grip::none ? Qt::SizeHorCursor : Qt::ArrowCursor);
    viewport()->update();
}

void CdfView::mouseReleaseEvent(QMouseEvent* /*event*/)
{
    const Grip dropped = m_dragged;
    m_dragged = Grip::none;
    const double goal = std::exchange(m_state.goal, 0.0);
    if (dropped == Grip::goal && goal > 0)
        Q_EMIT goalDropped(goal);
    else if (dropped != Grip::none && dropped != Grip::goal)
        Q_EMIT limitReleased();
    viewport()->update();
}

void CdfView::mouseDoubleClickEvent(QMouseEvent* event)
{
    m_dragged = Grip::none;
    if (m_flag.contains(event->position()))
        Q_EMIT limitEditRequested();
    else
        Q_EMIT zoomResetRequested();
}

void CdfView::wheelEvent(QWheelEvent* event)
{
    CdfState& d = m_state;
    if (!(event->modifiers() & Qt::ControlModifier) || !d.plot.contains(event->position())) {
        event->ignore();
        return;
    }
    const double at = m_state.secondsAt(event->position().x()), factor = std::pow(0.999, event->angleDelta().y());
    d.zoomLow = at + (d.xAxis.low - at) * factor;
    d.zoomHigh = at + (d.xAxis.high - at) * factor;
    Q_EMIT zoomed();
}

void CdfView::moveLimit(double x, bool free)
{
    CdfState& d = m_state;
    const double seconds = m_state.secondsAt(std::clamp(x, d.plot.left(), d.plot.right()));
    double probability = -1, nearest = kSnapPixels;
    if (const ChartCurve* read = free ? nullptr : d.readCurve())
        for (const double mark : {0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99})
            if (const double distance = std::abs(m_state.xAt(quantileOn(read->cdf, mark)) - x); distance < nearest) {
                nearest = distance;
                probability = mark;
            }
    if (m_dragged == Grip::lower)
        Q_EMIT lowerLimitMoved(seconds, probability);
    else
        Q_EMIT limitMoved(seconds, probability);
}

} // namespace prism::ui
