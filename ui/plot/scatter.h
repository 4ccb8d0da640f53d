// SPDX-License-Identifier: GPL-3.0-or-later
// Points over two metrics with the Pareto front; only the front has colour, marked points have names.
#pragma once

#include "ui/plot/axes.h"
#include "ui/plot/plotbase.h"

namespace prism::ui {

struct ScatterPoint {
    QString id, label;
    double x = 0, y = 0, xHalfWidth = 0, yHalfWidth = 0;
    bool front = false;    ///< nothing is better in every respect
    QString mark;          ///< "p95-best"; written next to the point
    bool outlined = false; ///< a ring: where the present scenario is
    QStringList reading;   ///< further lines
};

struct ScatterData {
    QString xTitle, yTitle;
    bool moreIsBetterX = false, moreIsBetterY = false;
    int series = 0;
    std::vector<ScatterPoint> points;
};

/// GUI thread only.
class ScatterChart final : public DataChart<ScatterData> {
    Q_OBJECT
public:
    using DataChart::DataChart;
    void setHighlighted(const QString& id);

    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_data.points.size()); }
    [[nodiscard]] QStringList itemReading(int item) const override;

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF at) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;
    [[nodiscard]] int neighbour(int item, int key) const override; ///< along x
    [[nodiscard]] QList<LegendEntry> legend(const Look& look) const override;
    [[nodiscard]] double minPlotHeight() const override { return 200; }

private:
    [[nodiscard]] Axes axes(const Canvas& canvas, const QRectF& area) const;
    void paintFront(Canvas& canvas, const Axes& at) const;
    void paintPoint(Canvas& canvas, const Axes& at, const ScatterPoint& p, bool highlighted) const;
    void paintMarks(Canvas& canvas, const Axes& at) const;

    QString m_highlighted;
};

} // namespace prism::ui
