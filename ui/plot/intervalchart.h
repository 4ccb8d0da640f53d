// SPDX-License-Identifier: GPL-3.0-or-later
// Days lost over the checkpoint interval: the curve, its lowest point, the intervals that are as good, and today's place.
#pragma once

#include "core/job/jobviews.h"
#include "ui/plot/axes.h"
#include "ui/plot/plotbase.h"

namespace prism::ui {

struct IntervalData {
    IntervalCost cost;
    int series = 0;
};

void paintIntervals(Canvas& canvas, const QRectF& area, const IntervalData& data);

/// The same as a card; items are the points of the curve. GUI thread only.
class IntervalChart final : public DataChart<IntervalData> {
    Q_OBJECT
public:
    using DataChart::DataChart;
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_data.cost.curve.size()); }
    [[nodiscard]] QStringList itemReading(int item) const override;

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF at) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;
    [[nodiscard]] double minPlotHeight() const override { return 112; }
};

} // namespace prism::ui
