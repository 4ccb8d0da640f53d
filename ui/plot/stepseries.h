// SPDX-License-Identifier: GPL-3.0-or-later
// A series of steps in their order: dots, what was omitted as marks, level shifts, and the predicted range behind them. And the quantiles
// of both against each other.
#pragma once

#include "ui/findings/logcomparison.h"
#include "ui/plot/axes.h"
#include "ui/plot/plotbase.h"

namespace prism::ui {

struct SeriesData {
    std::vector<SeriesStep> steps;
    std::vector<double> shifts;
    double low = 0, high = 0; ///< predicted p5 to p95, seconds; equal = none
    int series = 0;
};

/// GUI thread only.
class SeriesChart final : public DataChart<SeriesData> {
    Q_OBJECT
public:
    using DataChart::DataChart;
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_data.steps.size()); }
    [[nodiscard]] QStringList itemReading(int item) const override;

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF place) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;
    [[nodiscard]] QList<LegendEntry> legend(const Look& look) const override;
    [[nodiscard]] bool legendNextToTitle() const override { return true; }
    [[nodiscard]] double minPlotHeight() const override { return 130; }

private:
    [[nodiscard]] Axes axes(const Canvas& canvas, const QRectF& area) const;
};

struct QuantileData {
    std::vector<QuantilePair> pairs;
    int series = 0;
};

/// Measured over predicted quantiles with the line of equality. GUI thread only.
class QuantileChart final : public DataChart<QuantileData> {
    Q_OBJECT
public:
    using DataChart::DataChart;
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_data.pairs.size()); }
    [[nodiscard]] QStringList itemReading(int item) const override;

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF place) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;
    [[nodiscard]] double minPlotHeight() const override { return 150; }

private:
    [[nodiscard]] Axes axes(const Canvas& canvas, const QRectF& area) const;
};

} // namespace prism::ui
