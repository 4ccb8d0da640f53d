// SPDX-License-Identifier: GPL-3.0-or-later
// Draws step curves; the card around them is in stepcurvechart.cpp.
#include "ui/plot/stepcurves.h"

#include "ui/look/format.h"
#include "ui/plot/curvelabels.h"

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kGhostOpacity = 0.68;
constexpr double kLane = 34; ///< above the plot, for the flag; at scale 1

struct Span {
    double low = 0, high = 1;
};

/// Seconds that the axis holds: all curves between their 0.1 % and 99.9 %, the lines, and a little air.
Span spanOf(const StepCurves& d)
{
    if (d.largest > d.smallest)
        return {d.smallest, d.largest};
    double low = 1e300, high = -1e300;
    const auto hold = [&](double seconds) {
        low = std::min(low, seconds);
        high = std::max(high, seconds);
    };
    for (const StepCurve& c : d.curves)
        for (const CurvePoint& p : c.points)
            if (p.probability >= 0.001 && p.probability <= 0.999)
                hold(p.seconds);
    if (d.noiseFreeSeconds > 0)
        hold(d.noiseFreeSeconds);
    if (d.flag && d.flag->seconds > 0)
        hold(d.flag->seconds);
    if (!(high > low))
        return high > 0 ? Span{high * 0.95, high * 1.05} : Span{};
    const double air = 0.04 * (high - low);
    return {std::max(0.0, low - air), high + air};
}

format::TimeUnit unitOf(const Span& span)
{
    return format::timeUnit(span.high);
}

QPen penOf(const Canvas& canvas, const StepCurve& c, bool highlighted)
{
    if (c.measured)
        return canvas.look.pen(Role::text, 1.5);
    QPen pen = canvas.look.seriesPen(c.series, c.baseline && !c.ghost);
    if (c.ghost && !highlighted) {
        QColor colour = pen.color();
        colour.setAlphaF(kGhostOpacity);
        pen = QPen(colour, canvas.px(1.4));
    }
    return pen;
}

/// One of the curve's shares over its seconds, in pixels.
QPolygonF lineOf(const Axes& axes, const StepCurve& c, double CurvePoint::*share = &CurvePoint::probability)
{
    QPolygonF line;
    for (const CurvePoint& p : c.points)
        line << axes.place(p.seconds, p.*share);
    return line;
}

void paintCurve(Canvas& canvas, const Axes& axes, const StepCurve& c, bool highlighted)
{
    QPolygonF line = lineOf(axes, c);
    if (line.isEmpty())
        return;
    line.prepend({axes.plot.left(), axes.py(0)});
    line << QPointF(axes.plot.right(), axes.py(1));
    if (!c.ghost && !c.measured)
        paintBand(canvas, axes, lineOf(axes, c, &CurvePoint::high), lineOf(axes, c, &CurvePoint::low),
                  blend(canvas.look.palette().seriesAt(c.series), canvas[Role::panel], metric::bandOpacity));
    paintLine(canvas, axes, line, penOf(canvas, c, highlighted));
}

/// Where the number of a ghost is: on its curve, clear of what is written already, as near as it can be to its height. Those of
/// neighbouring curves have different heights. Where nothing along the curve is free it is next to it, and `leader` leads there.
QPointF numberPlace(const Axes& axes, const StepCurve& c, std::size_t place, const QList<QRectF>& written, double radius, QLineF& leader)
{
    constexpr double kStep = 0.03, kLowest = 0.05, kHighest = 0.93; // shares of steps
    const auto centreAt = [&](double share) {
        const auto at =
            std::lower_bound(c.points.begin(), c.points.end(), share, [](const CurvePoint& p, double s) { return p.probability < s; });
        const CurvePoint& p = at == c.points.end() ? c.points.back() : *at;
        return axes.place(p.seconds, p.probability);
    };
    const auto isFree = [&](const QPointF& centre) {
        const QRectF around(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius);
        return std::none_of(written.begin(), written.end(), [&](const QRectF& box) { return box.intersects(around); });
    };
    const double own = 0.62 - 0.12 * static_cast<double>(place % 4);
    for (double elsewhere = 0; elsewhere < 1; elsewhere += kStep)
        for (const double share : {own - elsewhere, own + elsewhere})
            if (share >= kLowest && share <= kHighest)
                if (const QPointF centre = centreAt(share); isFree(centre))
                    return centre;
    const QPointF onCurve = centreAt(own); // nothing along the curve is free: next to it, as near as may be
    for (double aside = radius; aside < axes.plot.width(); aside += radius / 2)
        for (const double x : {onCurve.x() - aside, onCurve.x() + aside})
            if (const QPointF centre(x, onCurve.y()); x - radius >= axes.plot.left() && x + radius <= axes.plot.right() && isFree(centre)) {
                leader = QLineF(onCurve, centre);
                return centre;
            }
    return onCurve;
}

void paintNumber(Canvas& canvas, const Axes& axes, const StepCurve& c, std::size_t place, QList<QRectF>& written)
{
    if (c.number.isEmpty() || c.points.empty())
        return;
    const double radius = canvas.px(8.5);
    QLineF leader;
    const QPointF centre = numberPlace(axes, c, place, written, radius + canvas.px(1), leader);
    written << QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius);
    canvas.painter.setPen(QPen(canvas.look.palette().seriesAt(c.series), canvas.px(1.5)));
    canvas.painter.setBrush(canvas[Role::panel]);
    if (!leader.isNull())
        canvas.painter.drawLine(leader);
    canvas.painter.drawEllipse(centre, radius, radius);
    canvas.text(centre, c.number, Type::tickStrong, canvas.look.palette().seriesAt(c.series), Qt::AlignHCenter | Qt::AlignVCenter);
}

/// Paints the mark of the noise-free step. Rectangle of its text, which no line crosses where there is room; empty where it is not drawn.
QRectF paintNoiseFree(Canvas& canvas, const Axes& axes, const StepCurves& data)
{
    const double seconds = data.noiseFreeSeconds, x = axes.px(seconds);
    if (seconds <= 0 || x < axes.plot.left() || x > axes.plot.right())
        return {};
    QPen pen = canvas.look.pen(Role::textSecondary, metric::limitLine);
    pen.setDashPattern({4, 3});
    canvas.vertical(x, axes.plot.top(), axes.plot.bottom(), pen);
    const QString words = QObject::tr("Noise-free"), metric = format::seconds(seconds).text();
    const double line = canvas.lineHeight(Type::small),
                 width = std::max(canvas.width(words, Type::tick), canvas.width(metric, Type::smallStrong));
    LabelObstacles around;
    around.plot = axes.plot;
    around.mayCover = true;
    for (const StepCurve& c : data.curves)
        around.lines.push_back(lineOf(axes, c));
    if (data.flag)
        around.taken.emplace_back(axes.px(data.flag->seconds) - canvas.px(3), axes.plot.top(), canvas.px(6), axes.plot.height());
    if (data.markedShare > 0) // its line, and its name at the left
        around.taken.emplace_back(axes.plot.left(), axes.py(data.markedShare), axes.plot.width(), canvas.px(1));
    const QPolygonF mark{{x - 0.5, axes.plot.bottom()}, {x + 0.5, axes.plot.top()}}; // its bounds are not empty
    const LabelPlace place = placeLabels({{{width, 2 * line}, mark}}, around, canvas.px(8)).front();
    if (place.isOver)
        canvas.fill(place.rect, canvas[Role::panel]);
    const bool left = place.rect.center().x() < x;
    const Qt::Alignment side = left ? Qt::AlignRight : Qt::AlignLeft;
    const double at = left ? place.rect.right() : place.rect.left();
    canvas.text({at, place.rect.top() + line / 2}, words, Type::tick, Role::textSecondary, side | Qt::AlignVCenter);
    canvas.text({at, place.rect.bottom() - line / 2}, metric, Type::smallStrong, Role::text, side | Qt::AlignVCenter);
    return place.rect;
}

void paintFlag(Canvas& canvas, const QRectF& area, const Axes& axes, const StepFlag& flag, double titleWidth)
{
    const double x = axes.px(flag.seconds);
    if (x < axes.plot.left() - 1 || x > axes.plot.right() + 1)
        return;
    const double lane = axes.plot.top() - canvas.px(10);
    canvas.vertical(x, lane, axes.plot.bottom(), canvas.look.pen(Role::text, metric::limitLine));
    canvas.fill(QRectF(x - canvas.px(3), axes.plot.bottom() - 1, canvas.px(6), canvas.px(5)), canvas[Role::text]);
    if (flag.probability >= 0) {
        canvas.painter.setPen(QPen(canvas[Role::text], canvas.px(2)));
        canvas.painter.setBrush(canvas[Role::panel]);
        canvas.painter.drawEllipse(axes.place(flag.seconds, flag.probability), canvas.px(5), canvas.px(5));
    }
    const QRectF box = canvas.flag(x, lane, flag.reading(), area.left() + titleWidth + canvas.px(10), area.right(), Type::bodyStrong);
    const double room = area.right() - box.right() - canvas.px(10);
    if (!flag.note.isEmpty() && canvas.width(flag.note, Type::tick) <= room)
        canvas.text({box.right() + canvas.px(10), box.center().y()}, flag.note, Type::tick, Role::textSecondary,
                    Qt::AlignLeft | Qt::AlignVCenter);
}

void paintMarkedShare(Canvas& canvas, const Axes& axes, double share)
{
    QPen dots = canvas.look.pen(Role::text, 1);
    dots.setDashPattern({1, 2});
    canvas.horizontal(axes.plot.left(), axes.plot.right(), axes.py(share), dots);
    canvas.text({axes.plot.left() + canvas.px(6), axes.py(share) + canvas.px(3)}, u"p%1"_s.arg(qRound(share * 100)), Type::tick,
                Role::textSecondary, Qt::AlignLeft | Qt::AlignTop);
}

} // namespace

Axes stepAxes(const Canvas& canvas, const QRectF& area, const StepCurves& data)
{
    const Span span = spanOf(data);
    const Ticks shares = niceTicks(0, 100, 5);
    Axes axes;
    const double head = data.flag ? canvas.px(kLane) : yAxisHead(canvas);
    axes.plot = area.adjusted(yAxisWidth(canvas, shares), head, -canvas.px(4), -xAxisHeight(canvas));
    axes.x = {span.low, span.high, false};
    axes.y = {0, 1, false};
    return axes;
}

void paintStepCurves(Canvas& canvas, const QRectF& area, const StepCurves& data, const QString& highlighted)
{
    const Axes axes = stepAxes(canvas, area, data);
    if (data.flag && data.flag->beyondShaded) {
        const double x = std::clamp(axes.px(data.flag->seconds), axes.plot.left(), axes.plot.right());
        canvas.fill(QRectF(QPointF(x, axes.plot.top()), axes.plot.bottomRight()), canvas[Role::beyondLimit]);
    }
    const format::TimeUnit unit = unitOf({axes.x.low, axes.x.high});
    const int largest = std::max(2, static_cast<int>(axes.plot.width() / canvas.px(64)));
    paintYAxis(canvas, axes, {niceTicks(0, 100, 5), data.shareTitle, 100}, area.left());
    paintXAxis(canvas, axes,
               {niceTicks(axes.x.low * unit.perSecond, axes.x.high * unit.perSecond, largest), u"%1, %2"_s.arg(data.axisTitle, unit.name),
                unit.perSecond});
    if (data.envelope)
        paintBand(canvas, axes, lineOf(axes, *data.envelope, &CurvePoint::high), lineOf(axes, *data.envelope, &CurvePoint::low),
                  blend(canvas.look.palette().seriesAt(data.envelope->series), canvas[Role::panel], 0.14));
    if (data.markedShare > 0)
        paintMarkedShare(canvas, axes, data.markedShare);
    for (const bool baselines : {false, true})
        for (const StepCurve& c : data.curves)
            if (c.baseline == baselines)
                paintCurve(canvas, axes, c, !highlighted.isEmpty() && c.id == highlighted);
    QList<QRectF> written{paintNoiseFree(canvas, axes, data)};
    for (std::size_t i = 0; i < data.curves.size(); ++i)
        paintNumber(canvas, axes, data.curves[i], i, written);
    if (data.flag)
        paintFlag(canvas, area, axes, *data.flag, canvas.width(data.shareTitle, Type::tick));
}

} // namespace prism::ui
