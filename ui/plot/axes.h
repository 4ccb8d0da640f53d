// SPDX-License-Identifier: GPL-3.0-or-later
// Two axes over a rectangle, linear or logarithmic: from values to places and back, and how axes, curves and bands are drawn on them.
#pragma once

#include "ui/plot/canvas.h"
#include "ui/plot/ticks.h"

#include <QPolygonF>

namespace prism::ui {

/// The values of one axis. Logarithmic ones are positive.
struct AxisRange {
    double low = 0, high = 1;
    bool logarithmic = false;
    /// 0 at `low`, 1 at `high`; outside of them beyond.
    [[nodiscard]] double share(double value) const;
    [[nodiscard]] double value(double share) const;
};

/// Values to places of the canvas; y grows upwards.
struct Axes {
    QRectF plot;
    AxisRange x, y;
    [[nodiscard]] double px(double value) const { return plot.left() + x.share(value) * plot.width(); }
    [[nodiscard]] double py(double value) const { return plot.bottom() - y.share(value) * plot.height(); }
    [[nodiscard]] QPointF place(double xValue, double yValue) const { return {px(xValue), py(yValue)}; }
    [[nodiscard]] double xAt(double place) const { return x.value((place - plot.left()) / std::max(plot.width(), 1.0)); }
};

/// 1, 2, 5 times powers of ten inside a logarithmic range.
[[nodiscard]] Ticks logTicks(double low, double high);
/// The logarithmic range from the last such number at or below `low` > 0 to the first one at or above `high`, of two numbers at least.
[[nodiscard]] AxisRange coveringLogRange(double low, double high);

/// Texts along an axis; labels are at value * perUnit.
struct AxisText {
    Ticks ticks;
    QString title;
    double perUnit = 1; ///< shown = value * perUnit; ticks are in shown units
};

/// The base line, ticks, labels and title under the plot.
void paintXAxis(Canvas& canvas, const Axes& axes, const AxisText& text);
/// Grid lines, labels at the left, and the title over the plot's upper left corner (`left`: where it begins).
void paintYAxis(Canvas& canvas, const Axes& axes, const AxisText& text, double left);
/// Height that paintXAxis takes beneath the plot, and paintYAxis above it.
[[nodiscard]] double xAxisHeight(const Canvas& canvas, bool hasTitle = true);
[[nodiscard]] double yAxisHead(const Canvas& canvas);
/// Width of the widest label with its gap.
[[nodiscard]] double yAxisWidth(const Canvas& canvas, const Ticks& ticks);

/// A line through places, clipped to the plot.
void paintLine(Canvas& canvas, const Axes& axes, const QPolygonF& places, const QPen& pen);
/// The area between two lines of equal length, clipped to the plot.
void paintBand(Canvas& canvas, const Axes& axes, const QPolygonF& upper, const QPolygonF& lower, const QColor& fill);

} // namespace prism::ui
