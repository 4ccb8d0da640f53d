// SPDX-License-Identifier: GPL-3.0-or-later
// Durations of one pool as a histogram, with the fitted family as a line over it.
#pragma once

#include "core/trace/pools.h"
#include "ui/plot/axes.h"
#include "ui/plot/plotbase.h"

namespace prism::ui {

struct PoolData {
    PoolHistogram histogram;
    QString family; ///< "lognormal, CV 3.1 %"; empty = none fitted
    int series = 0;
};

/// Items are the bins. GUI thread only.
class PoolChart final : public DataChart<PoolData> {
    Q_OBJECT
public:
    using DataChart::DataChart;
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_data.histogram.shares.size()); }
    [[nodiscard]] QStringList itemReading(int item) const override;

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF at) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;
    [[nodiscard]] QList<LegendEntry> legend(const Look& look) const override;
    [[nodiscard]] bool legendNextToTitle() const override { return true; }

private:
    [[nodiscard]] Axes axes(const Canvas& canvas, const QRectF& area) const;
    [[nodiscard]] double from(int bin) const { return m_data.histogram.low + bin * m_data.histogram.width; }
};

} // namespace prism::ui
