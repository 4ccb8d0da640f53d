// SPDX-License-Identifier: GPL-3.0-or-later
// A metric over the number of GPUs (log axis): p50 thick, p95 and p99 thinner, the band between them, intervals as whiskers.
#pragma once

#include "ui/plot/axes.h"
#include "ui/plot/plotbase.h"

namespace prism::ui {

/// One GPU count. Values are in the unit that the chart names; NaN = not known.
struct ScaleSample {
    double gpus = 0;
    double low = 0, middle = 0, high = 0, top = 0; ///< p5, p50, p95, p99 of step time, or only `middle`
    double middleHalfWidth = 0, highHalfWidth = 0;
    bool valid = true, possible = true; ///< valid and not possible: it does not fit into the memory
    bool outside = false;               ///< outside of the calibrated range
    QStringList reading;                ///< further lines of the read-out; the reason if it is not valid
};

struct ScaleSeries {
    QString name;
    int series = 0;
    bool baseline = false;
    std::vector<ScaleSample> samples; ///< ascending gpus
};

struct ScaleData {
    QString quantity, unit; ///< "Step time", "s"
    double perUnit = 1;     ///< of the values; reaches are without it, so that charts in different units can share one
    bool hasSpread = true;  ///< low, high and top are drawn
    bool fromZero = true;
    bool logarithmic = false; ///< values too: equal factors are equal lengths, linear scaling is a straight line
    QList<QPointF> ideal;     ///< GPUs and value of linear scaling from the first size that fits; empty = not drawn
    double currentGpus = 0;   ///< marked by a vertical line; 0 = none
    QString currentLabel;     ///< "now 16,384"
    std::vector<ScaleSeries> series;
};

class ScaleChart final : public PlotBase {
    Q_OBJECT
public:
    using PlotBase::PlotBase;
    void setData(const ScaleData& data);

    [[nodiscard]] const ScaleData& data() const { return m_data; }
    [[nodiscard]] TableData asTable() const override;
    /// Items are the distinct GPU counts.
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_gpus.size()); }
    [[nodiscard]] QStringList itemReading(int item) const override;
    [[nodiscard]] std::optional<Reach> ownReach() const override;

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;
    [[nodiscard]] QList<LegendEntry> legend(const Look& look) const override;
    [[nodiscard]] double minPlotHeight() const override { return 200; }

private:
    [[nodiscard]] AxisRange valueRange() const;
    [[nodiscard]] Ticks valueTicks(const AxisRange& range, int largest) const;
    [[nodiscard]] Axes layout(const Canvas& canvas, const QRectF& area) const;
    void paintAxes(Canvas& canvas, const QRectF& area, const Axes& at) const;
    void paintSeries(Canvas& canvas, const Axes& at, const ScaleSeries& series) const;
    /// Marks the impossible sizes and those outside of the calibrated range, under the curves.
    static void paintReservations(Canvas& canvas, const Axes& at, const ScaleSeries& series);
    [[nodiscard]] bool any(bool (*is)(const ScaleSample&)) const;

    ScaleData m_data;
    std::vector<double> m_gpus;
};

} // namespace prism::ui
