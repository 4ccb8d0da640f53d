// SPDX-License-Identifier: GPL-3.0-or-later
// Gain of a growing number of moves: points with their intervals over 0, 1, 2, ... moves, and all of them separately at the right.
#pragma once

#include "ui/plot/plotbase.h"

namespace prism::ui {

/// The gain after one more move, and those before it; seconds.
struct GainPoint {
    QString label;  ///< of the axis: "1", "all 14"
    QString detail; ///< for the reading: what this move is
    double gainSeconds = 0, halfWidth = 0;
    bool isAll = false; ///< every move at once: drawn separately
};

/// Arrow keys and the pointer choose how many. GUI thread.
class GainCurve final : public PlotBase {
    Q_OBJECT
public:
    using PlotBase::PlotBase;
    void setPoints(const QList<GainPoint>& points);
    void setChosen(int point); ///< drawn as a full dot; -1 = none

    [[nodiscard]] const QList<GainPoint>& points() const { return m_points; }
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_points.size()); }
    [[nodiscard]] QStringList itemReading(int item) const override;

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;
    [[nodiscard]] double minPlotHeight() const override { return 96; }

private:
    struct Layout;
    [[nodiscard]] Layout layout(const Canvas& canvas, const QRectF& area) const;

    QList<GainPoint> m_points;
    int m_chosen = -1;
};

} // namespace prism::ui
