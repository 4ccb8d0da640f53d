// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of CdfChart: its state, and the view that draws what Qt Charts does not and takes the mouse.
#pragma once

#include "ui/distribution/cdfchart.h"
#include "ui/plot/ticks.h"

#include <QtCharts/QAreaSeries>
#include <QtCharts/QChart>
#include <QtCharts/QChartView>
#include <QtCharts/QLineSeries>
#include <QtCharts/QValueAxis>

namespace prism::ui {

inline constexpr double kSmallestTail = 1e-4; ///< exceedance axis: one step in 10,000

/// The series of one curve; owned by the chart, except the edges of the area.
struct Drawn {
    QLineSeries* line = nullptr;
    QAreaSeries* band = nullptr;
    std::unique_ptr<QLineSeries> upper, lower;
};

/// The time that a reduced curve gives a probability; 0 without points.
[[nodiscard]] double quantileOn(const std::vector<CurvePoint>& curve, double probability);

/// A curve and its band in axis values.
struct CurveLines {
    QList<QPointF> line, upper, lower;
};

struct CdfChart::Impl {
    const Theme& theme;
    QChart* chart = nullptr;
    View* view = nullptr;
    QValueAxis *axisX = nullptr, *axisY = nullptr;
    std::vector<Drawn> drawn;
    QList<ChartCurve> curves;
    Mode mode = Mode::cdf;
    LimitReading limit;
    ChartGhost ghost;
    double goal = 0; ///< seconds, while the mark of p95 is pulled
    int brushed = -1;
    QString notice;
    bool paper = false;
    Ticks ticksX, ticksY;
    double zoomLow = 0, zoomHigh = 0; // seconds; equal = everything
    QRectF plot;
    QLineEdit* editor = nullptr;
    int paints = 0;

    [[nodiscard]] const ChartCurve* readCurve() const;
    [[nodiscard]] const ChartCurve* currentCurve() const;
    /// The mark of the current scenario's p95 at the foot of the plot; empty where none is drawn.
    [[nodiscard]] QRectF goalRect() const;
    [[nodiscard]] double markedSeconds() const; ///< where that mark stands: p95, or where it is pulled to
    /// On the y axis: percent, or the logarithm of the exceedance.
    [[nodiscard]] double yValue(double probability) const;
    [[nodiscard]] double yPixel(double value) const;
    [[nodiscard]] CurveLines lines(const ChartCurve& curve) const;
};

/// Draws what Qt Charts does not: ticks, limit, noise-free line, flags; and takes the mouse.
class CdfChart::View final : public QChartView {
public:
    View(CdfChart* owner, QChart* chart);
    [[nodiscard]] QRectF flagRect() const { return m_flag; }

protected:
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void drawTicks(QPainter& p, const Look& look) const;
    void drawNoiseFree(QPainter& p, const Look& look) const;
    void drawLimits(QPainter& p, const Look& look);
    /// One limit's line with its mark on the curve that is read.
    void drawLimitLine(QPainter& p, const Look& look, double seconds, double probability) const;
    void drawFlag(QPainter& p, const Look& look);
    void drawFlagNotes(QPainter& p, const Look& look) const;
    void drawNotice(QPainter& p, const Look& look) const;
    void drawGhost(QPainter& p, const Look& look) const;
    void drawGoal(QPainter& p, const Look& look) const;
    void drawHover(QPainter& p, const Look& look) const;
    [[nodiscard]] QString axisTitle() const;
    enum class Grip { none, upper, lower, goal };
    void moveLimit(double x, bool free);
    [[nodiscard]] Grip gripAt(const QPointF& at) const;

    CdfChart* m_owner;
    QRectF m_flag;
    QPointF m_hover{-1, -1};
    Grip m_dragged = Grip::none;
};

} // namespace prism::ui
