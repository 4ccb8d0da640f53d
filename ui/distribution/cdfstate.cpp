// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/distribution/cdfstate.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

namespace {

/// Distance from the line through two points, of which the second may be the first.
double distanceFrom(QPointF first, QPointF second, QPointF point)
{
    const QPointF along = second - first, to = point - first;
    const double length = std::hypot(along.x(), along.y());
    return length > 0 ? std::abs(along.x() * to.y() - along.y() * to.x()) / length : std::hypot(to.x(), to.y());
}

/// The points without those that lie on the line of their neighbours, to a part of a pixel that is not seen: every join that is drawn costs
/// more than such a point shows. In shares of the plot.
QList<QPointF> thinned(const QList<QPointF>& points)
{
    constexpr double kWide = 1600, kHigh = 800; // of a large plot, regardless of this one's size: a picture does not depend on its history
    constexpr double kUnseen = 0.1;
    constexpr qsizetype kMaxSkipped = 24;
    const auto at = [&](qsizetype i) { return QPointF(points[i].x() * kWide, points[i].y() * kHigh); };
    QList<QPointF> out;
    qsizetype from = 0;
    for (qsizetype i = 0; i < points.size(); ++i) {
        bool straight = i > from && i + 1 < points.size() && i - from <= kMaxSkipped;
        for (qsizetype k = from + 1; straight && k <= i; ++k)
            straight = distanceFrom(at(from), at(i + 1), at(k)) < kUnseen;
        if (straight)
            continue;
        out << points[i];
        from = i;
    }
    return out;
}

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

const ChartCurve* CdfState::readCurve() const
{
    const ChartCurve* read = nullptr;
    for (const ChartCurve& c : curves)
        if (c.baseline || (!read && c.current))
            read = &c;
    return read ? read : curves.isEmpty() ? nullptr : &curves.front();
}

double CdfState::yValue(double probability) const
{
    return mode == CdfMode::exceedance ? std::log10(std::max(kSmallestTail / 10, 1 - probability)) : probability * 100;
}

double CdfState::yPixel(double value) const
{
    return plot.bottom() - yAxis.share(value) * plot.height();
}

CurveLines CdfState::lines(const ChartCurve& c) const
{
    CurveLines all = allLines(c);
    for (QList<QPointF>* line : {&all.line, &all.upper, &all.lower}) {
        for (QPointF& point : *line)
            point = {xAxis.share(point.x()), yAxis.share(point.y())};
        *line = thinned(*line);
    }
    return all;
}

QPolygonF CdfState::onPlot(const QPolygonF& shares) const
{
    QPolygonF pixels;
    pixels.reserve(shares.size());
    for (const QPointF& point : shares)
        pixels << QPointF(plot.left() + point.x() * plot.width(), plot.bottom() - point.y() * plot.height());
    return pixels;
}

CurveLines CdfState::allLines(const ChartCurve& c) const
{
    CurveLines out;
    if (mode == CdfMode::density) {
        for (const DensityPoint& point : c.density)
            out.line << QPointF(point.seconds, point.perSecond * 100);
        if (c.outside) // there is no band to hatch
            for (const QPointF& point : out.line) {
                out.upper << point;
                out.lower << QPointF(point.x(), 0);
            }
        return out;
    }
    const CurvePoint &first = c.cdf.front(), &last = c.cdf.back();
    if (mode == CdfMode::cdf) { // the band covers the whole curve
        const double start = std::min(xAxis.low, first.seconds);
        out.line << QPointF(xAxis.low, 0) << QPointF(first.seconds, 0);
        out.upper << QPointF(start, first.high * 100);
        out.lower << QPointF(start, first.low * 100);
    }
    for (const CurvePoint& point : c.cdf) {
        if (mode == CdfMode::exceedance && point.probability >= 1)
            continue; // log 0
        out.line << QPointF(point.seconds, yValue(point.probability));
        // On a log axis a band of one width everywhere would be a block: each point has its own interval.
        const bool tail = mode == CdfMode::exceedance;
        out.upper << QPointF(point.seconds, yValue(tail ? point.pointHigh : point.high));
        out.lower << QPointF(point.seconds, yValue(tail ? point.pointLow : point.low));
    }
    if (mode == CdfMode::cdf) {
        const double end = std::max(xAxis.high, last.seconds);
        out.line << QPointF(end, 100);
        out.upper << QPointF(end, last.high * 100);
        out.lower << QPointF(end, last.low * 100);
    }
    return out;
}

const ChartCurve* CdfState::currentCurve() const
{
    for (const ChartCurve& c : curves)
        if (c.current && !c.cdf.empty())
            return &c;
    return nullptr;
}

double CdfState::markedSeconds() const
{
    const ChartCurve* current = currentCurve();
    return goal > 0 ? goal : current ? quantileOn(current->cdf, 0.95) : 0;
}

QRectF CdfState::goalRect() const
{
    const Look& look = theme.look();
    const double seconds = markedSeconds();
    if (mode != CdfMode::cdf || paper || seconds <= 0 || seconds < xAxis.low || seconds > xAxis.high)
        return {};
    const double x = plot.left() + xAxis.share(seconds) * plot.width();
    const double width = goal > 0 ? look.px(104) : look.px(34);
    return {x - width / 2, plot.bottom() - look.px(22), width, look.pxF(18)};
}

double CdfState::secondsAt(double x) const
{
    return xAxis.value((x - plot.left()) / plot.width());
}

double CdfState::xAt(double seconds) const
{
    return plot.left() + xAxis.share(seconds) * plot.width();
}

} // namespace prism::ui
