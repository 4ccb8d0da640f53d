// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/distribution/cdfview.h"

#include <QMouseEvent>

#include <algorithm>
#include <cmath>
#include <utility>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr double kSnapPixels = 6; // a limit this close to a marked percentile jumps onto it

} // namespace

double quantileOn(const std::vector<CurvePoint>& curve, double probability)
{
    for (std::size_t i = 0; i < curve.size(); ++i)
        if (curve[i].probability >= probability) {
            if (i == 0)
                return curve[0].seconds;
            const CurvePoint &a = curve[i - 1], &b = curve[i];
            return a.seconds + (b.seconds - a.seconds) * (probability - a.probability) / (b.probability - a.probability);
        }
    return curve.empty() ? 0 : curve.back().seconds;
}

CdfChart::View::View(CdfChart* owner, QChart* chart) : QChartView(chart, owner), m_owner(owner)
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

void CdfChart::View::leaveEvent(QEvent*)
{
    m_hover = {-1, -1};
    viewport()->update();
}

CdfChart::View::Grip CdfChart::View::gripAt(const QPointF& at) const
{
    constexpr double kReach = 7; // pixels beside a line
    const Impl& d = *m_owner->m_impl;
    if (d.goalRect().contains(at))
        return Grip::goal;
    if (d.limit.seconds <= 0)
        return Grip::none;
    if (m_flag.contains(at))
        return Grip::upper;
    const bool height = at.y() > m_flag.top() && at.y() < d.plot.bottom() + 8;
    const double upper = std::abs(m_owner->xAt(d.limit.seconds) - at.x());
    const double lower = d.limit.lowerSeconds > 0 ? std::abs(m_owner->xAt(d.limit.lowerSeconds) - at.x()) : kReach;
    if (!height || std::min(upper, lower) >= kReach)
        return Grip::none;
    return lower < upper ? Grip::lower : Grip::upper;
}

void CdfChart::View::mousePressEvent(QMouseEvent* event)
{
    m_owner->m_impl->editor->hide(); // a click beside it ends typing
    m_owner->setFocus(Qt::MouseFocusReason);
    if (event->button() != Qt::LeftButton)
        return;
    m_dragged = gripAt(event->position());
    if (m_dragged != Grip::none)
        return;
    const Impl& d = *m_owner->m_impl;
    if (d.mode == Mode::density)
        return;
    double best = 12; // pixels from a curve
    int hit = -1;
    for (const ChartCurve& c : d.curves)
        for (const CurvePoint& point : c.cdf) {
            const double distance = std::hypot(m_owner->xAt(point.seconds) - event->position().x(),
                                               d.yPixel(d.yValue(point.probability)) - event->position().y());
            if (distance < best) {
                best = distance;
                hit = c.id;
            }
        }
    Q_EMIT m_owner->curveClicked(hit);
}

void CdfChart::View::mouseMoveEvent(QMouseEvent* event)
{
    m_hover = event->position();
    if (m_dragged == Grip::goal)
        m_owner->m_impl->goal = m_owner->secondsAt(m_hover.x());
    else if (m_dragged != Grip::none)
        moveLimit(m_hover.x(), event->modifiers() & Qt::AltModifier);
    viewport()->setCursor(m_dragged != Grip::none || gripAt(m_hover) != Grip::none ? Qt::SizeHorCursor : Qt::ArrowCursor);
    viewport()->update();
}

void CdfChart::View::mouseReleaseEvent(QMouseEvent*)
{
    const Grip dropped = m_dragged;
    m_dragged = Grip::none;
    const double goal = std::exchange(m_owner->m_impl->goal, 0.0);
    if (dropped == Grip::goal && goal > 0)
        Q_EMIT m_owner->goalDropped(goal);
    else if (dropped != Grip::none && dropped != Grip::goal)
        Q_EMIT m_owner->limitReleased();
    viewport()->update();
}

void CdfChart::View::mouseDoubleClickEvent(QMouseEvent* event)
{
    m_dragged = Grip::none;
    if (m_flag.contains(event->position()))
        m_owner->editLimit();
    else
        m_owner->resetZoom();
}

void CdfChart::View::wheelEvent(QWheelEvent* event)
{
    Impl& d = *m_owner->m_impl;
    if (!(event->modifiers() & Qt::ControlModifier) || !d.plot.contains(event->position())) {
        event->ignore();
        return;
    }
    const double at = m_owner->secondsAt(event->position().x()), factor = std::pow(0.999, event->angleDelta().y());
    d.zoomLow = at + (d.axisX->min() - at) * factor;
    d.zoomHigh = at + (d.axisX->max() - at) * factor;
    m_owner->refresh();
}

void CdfChart::View::moveLimit(double x, bool free)
{
    Impl& d = *m_owner->m_impl;
    const double seconds = m_owner->secondsAt(std::clamp(x, d.plot.left(), d.plot.right()));
    double probability = -1, nearest = kSnapPixels;
    if (const ChartCurve* read = free ? nullptr : d.readCurve())
        for (const double mark : {0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99})
            if (const double distance = std::abs(m_owner->xAt(quantileOn(read->cdf, mark)) - x); distance < nearest) {
                nearest = distance;
                probability = mark;
            }
    if (m_dragged == Grip::lower)
        Q_EMIT m_owner->lowerLimitMoved(seconds, probability);
    else
        Q_EMIT m_owner->limitMoved(seconds, probability);
}

} // namespace prism::ui
