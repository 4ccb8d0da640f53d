// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/axes.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

double AxisRange::share(double v) const
{
    if (!(high > low))
        return 0;
    return logarithmic ? std::log(std::max(v, low * 1e-6) / low) / std::log(high / low) : (v - low) / (high - low);
}

double AxisRange::value(double share) const
{
    return logarithmic ? low * std::pow(high / low, share) : low + share * (high - low);
}

Ticks logTicks(double low, double high)
{
    Ticks ticks;
    if (!(low > 0) || !(high > low) || !std::isfinite(high))
        return ticks;
    double smallest = high;
    for (double power = std::pow(10.0, std::floor(std::log10(low))); power <= high; power *= 10)
        for (const double multiple : {1.0, 2.0, 5.0})
            if (const double value = multiple * power; value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) {
                ticks.values.push_back(value);
                smallest = std::min(smallest, value);
            }
    ticks.step = smallest;
    ticks.decimals = smallest < 1 ? static_cast<int>(std::ceil(-std::log10(smallest) - 1e-9)) : 0;
    return ticks;
}

AxisRange coveringLogRange(double low, double high)
{
    const Ticks below = logTicks(low / 10, low), above = logTicks(high, high * 10); // a decade holds three
    if (below.values.empty() || above.values.size() < 2)
        return {low, std::max(high, 2 * low), true};
    const double first = below.values.back();
    return {first, above.values.front() > first ? above.values.front() : above.values[1], true};
}

double xAxisHeight(const Canvas& canvas, bool hasTitle)
{
    return canvas.px(8) + canvas.lineHeight(Type::tick) * (hasTitle ? 2 : 1) + canvas.px(hasTitle ? 4 : 0);
}

double yAxisHead(const Canvas& canvas)
{
    return canvas.lineHeight(Type::tick) + canvas.px(10);
}

double yAxisWidth(const Canvas& canvas, const Ticks& ticks)
{
    double widest = 0;
    for (const double value : ticks.values)
        widest = std::max(widest, canvas.width(ticks.label(value), Type::tick));
    return widest + canvas.px(10);
}

void paintXAxis(Canvas& canvas, const Axes& axes, const AxisText& text)
{
    const QRectF& plot = axes.plot;
    canvas.horizontal(plot.left(), plot.right(), plot.bottom(), canvas.look.pen(Role::axis));
    double lastRight = -1e9;
    for (const double shown : text.ticks.values) {
        const double x = axes.px(shown / text.perUnit);
        if (x < plot.left() - 1 || x > plot.right() + 1)
            continue;
        canvas.vertical(x, plot.bottom(), plot.bottom() + canvas.px(4), canvas.look.pen(Role::axis));
        const QString label = text.ticks.label(shown);
        const double half = canvas.width(label, Type::tick) / 2;
        if (x - half < lastRight + canvas.px(4))
            continue;
        lastRight = x + half;
        canvas.text({x, plot.bottom() + canvas.px(7)}, label, Type::tick, Role::textSecondary, Qt::AlignHCenter | Qt::AlignTop);
    }
    if (!text.title.isEmpty())
        canvas.text({plot.center().x(), plot.bottom() + canvas.px(10) + canvas.lineHeight(Type::tick)}, text.title, Type::tick,
                    Role::textSecondary, Qt::AlignHCenter | Qt::AlignTop);
}

void paintYAxis(Canvas& canvas, const Axes& axes, const AxisText& text, double left)
{
    const QRectF& plot = axes.plot;
    for (const double shown : text.ticks.values) {
        const double y = axes.py(shown / text.perUnit);
        if (y < plot.top() - 1 || y > plot.bottom() + 1)
            continue;
        canvas.horizontal(plot.left(), plot.right(), y, canvas.look.pen(Role::grid));
        canvas.text({plot.left() - canvas.px(8), y}, text.ticks.label(shown), Type::tick, Role::textSecondary,
                    Qt::AlignRight | Qt::AlignVCenter);
    }
    if (!text.title.isEmpty())
        canvas.text({left, plot.top() - canvas.px(8)}, text.title, Type::tick, Role::textSecondary);
}

void paintLine(Canvas& canvas, const Axes& axes, const QPolygonF& places, const QPen& pen)
{
    canvas.painter.save();
    canvas.painter.setClipRect(axes.plot.adjusted(-1, -pen.widthF(), 1, pen.widthF()), Qt::IntersectClip);
    canvas.painter.setPen(pen);
    canvas.painter.setBrush(Qt::NoBrush);
    canvas.painter.drawPolyline(places);
    canvas.painter.restore();
}

void paintBand(Canvas& canvas, const Axes& axes, const QPolygonF& upper, const QPolygonF& lower, const QColor& fill)
{
    QPolygonF area = upper;
    for (auto p = lower.crbegin(); p != lower.crend(); ++p)
        area << *p;
    canvas.painter.save();
    canvas.painter.setClipRect(axes.plot, Qt::IntersectClip);
    canvas.painter.setPen(Qt::NoPen);
    canvas.painter.setBrush(fill);
    canvas.painter.drawPolygon(area);
    canvas.painter.restore();
}

} // namespace prism::ui
