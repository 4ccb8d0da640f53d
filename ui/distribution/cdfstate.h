// SPDX-License-Identifier: GPL-3.0-or-later
// The state of the chart of step times: curves, axes, and positions of values on the plot.
#pragma once

#include "ui/distribution/cdfdata.h"
#include "ui/look/format.h"
#include "ui/plot/axes.h"
#include "ui/theme/theme.h"

#include <QtCharts/QChart>
#include <QtCharts/QLineSeries>

#include <vector>

class QLineEdit;

namespace prism::ui {

inline constexpr double kSmallestTail = 1e-4; ///< exceedance axis: one step in 10,000

/// One curve as it is drawn: its series, which the chart owns, and its band, which the view fills.
struct Drawn {
    QLineSeries* line = nullptr;
    QPolygonF band; ///< in shares of the plot; empty = none
    QBrush fill;
};

/// The time that a reduced curve gives a probability; 0 without points.
[[nodiscard]] double quantileOn(const std::vector<CurvePoint>& curve, double probability);

/// A curve and the edges of its band.
struct CurveLines {
    QList<QPointF> line, upper, lower;
};

/// All that the chart and its view share.
struct CdfState {
    const Theme& theme;
    QChart* chart = nullptr; ///< holds shares of the plot: other ranges of the axes are one change of each series, not one for each axis
    AxisRange xAxis, yAxis;  ///< seconds; percent, percent per second, or the logarithm of the exceedance
    std::vector<Drawn> drawn;
    QList<ChartCurve> curves;
    CdfMode mode = CdfMode::cdf;
    LimitReading limit;
    ChartGhost ghost;
    QList<ChartMark> marks;
    double goal = 0; ///< seconds, while the mark of p95 is pulled
    int brushed = -1;
    QString notice;
    bool paper = false;
    bool fixed = false;    ///< limits and marks stay as they are
    format::TimeUnit unit; ///< of ticksX
    Ticks ticksX, ticksY;
    double zoomLow = 0, zoomHigh = 0; // seconds; equal = everything
    QRectF plot;
    QLineEdit* editor = nullptr;
    int paints = 0;
    bool labelsMoved = true; ///< lines, limit or sizes changed since the labels were placed

    [[nodiscard]] double secondsAt(double x) const; ///< of a pixel of the plot
    [[nodiscard]] double xAt(double seconds) const;
    [[nodiscard]] bool hasHandles() const { return !paper && !fixed; }
    [[nodiscard]] const ChartCurve* readCurve() const;
    [[nodiscard]] const ChartCurve* currentCurve() const;
    /// The mark of the current scenario's p95 at the foot of the plot; empty where none is drawn.
    [[nodiscard]] QRectF goalRect() const;
    [[nodiscard]] double markedSeconds() const; ///< where that mark is: p95, or where it is pulled to
    /// On the y axis: percent, or the logarithm of the exceedance.
    [[nodiscard]] double yValue(double probability) const;
    [[nodiscard]] double yPixel(double value) const;
    [[nodiscard]] CurveLines lines(const ChartCurve& curve) const;    ///< as many points as can be seen, in shares of the plot, y upwards
    [[nodiscard]] CurveLines allLines(const ChartCurve& curve) const; ///< every point, in values of the axes
    [[nodiscard]] QPolygonF onPlot(const QPolygonF& shares) const;    ///< in pixels
};

} // namespace prism::ui
