// SPDX-License-Identifier: GPL-3.0-or-later
// The view of the chart of step times: draws the parts that Qt Charts does not, and handles the mouse.
#pragma once

#include "ui/distribution/cdfstate.h"

#include <QtCharts/QChartView>

namespace prism::ui {

/// Draws what Qt Charts does not: ticks, limit, noise-free line, flags; and takes the mouse.
class CdfView final : public QChartView {
    Q_OBJECT
public:
    /// `parent` takes the focus.
    CdfView(CdfState& state, QWidget* parent);
    [[nodiscard]] QRectF flagRect() const { return m_flag; }
    [[nodiscard]] const QList<PaintedLabel>& labels() const { return m_labels; }

Q_SIGNALS:
    void curveClicked(int scenarioId); ///< -1 = none is near
    void limitMoved(double seconds, double probability);
    void lowerLimitMoved(double seconds, double probability);
    void limitReleased();
    void goalDropped(double seconds);
    void limitEditRequested();
    void zoomResetRequested();
    void zoomed();

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
    void drawBands(QPainter& p) const; ///< under the curves, which Qt Charts draws
    void drawTicks(QPainter& p, const Look& look) const;
    void drawNoiseFree(QPainter& p, const Look& look) const;
    void drawLimits(QPainter& p, const Look& look);
    /// One limit's line with its mark on the curve that is read.
    void drawLimitLine(QPainter& p, const Look& look, double seconds, double probability) const;
    void drawFlag(QPainter& p, const Look& look);
    void drawFlagNotes(QPainter& p, const Look& look) const;
    void drawNotice(QPainter& p, const Look& look) const;
    [[nodiscard]] QRectF noticeRect(const Look& look) const;
    void drawMarks(QPainter& p, const Look& look) const;
    void drawGhost(QPainter& p, const Look& look) const;
    void drawGoal(QPainter& p, const Look& look) const;
    void drawHover(QPainter& p, const Look& look) const;
    /// Names of the curves and their shares at the limit; they stay in place while a limit is dragged.
    void drawLabels(QPainter& p, const Look& look);
    void layoutLabels(const Look& look);
    [[nodiscard]] LabelObstacles obstacles(const Look& look) const;
    [[nodiscard]] std::vector<QPolygonF> bandEdges() const; ///< left to right
    [[nodiscard]] QString labelOf(const ChartCurve& curve, const Look& look, double widestName) const;
    [[nodiscard]] QString axisTitle() const;
    enum class Grip { none, upper, lower, goal };
    void moveLimit(double x, bool free);
    [[nodiscard]] Grip gripAt(const QPointF& at) const;

    CdfState& m_state;
    QRectF m_flag;
    QList<PaintedLabel> m_labels;
    QPointF m_hover{-1, -1};
    Grip m_dragged = Grip::none;
};

} // namespace prism::ui
