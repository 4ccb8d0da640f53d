// SPDX-License-Identifier: GPL-3.0-or-later
// One bar whose parts add up to a total, with a key of values under it, and thin bars of the same parts under the key.
#pragma once

#include "ui/plot/waterfall.h"

namespace prism::ui {

/// A thin bar: another total by the same parts. A line under the bar is what overlaps with it.
struct ThinBar {
    QString label, note;                    ///< "Stages 1–14" at the left, "1.2 s hidden" at the right
    int id = 0;                             ///< what it is about: a stage
    std::vector<double> values, overlapped; ///< by part
};

/// Shows the first value and the steps of a waterfall next to each other; rows of the group have the colour of bad news. Items are the
/// parts of the large bar, then those of each thin bar. GUI thread only.
class StackedBarChart final : public PlotBase {
    Q_OBJECT
public:
    using PlotBase::PlotBase;
    void setData(const WaterfallData& data, std::vector<ThinBar> bars = {});

    [[nodiscard]] const WaterfallData& data() const { return m_data; }
    [[nodiscard]] const std::vector<ThinBar>& bars() const { return m_bars; }
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] int partCount() const; ///< of each bar, without the total
    [[nodiscard]] int itemCount() const override { return partCount() * (1 + static_cast<int>(m_bars.size())); }
    [[nodiscard]] QStringList itemReading(int item) const override;
    /// Rectangle of an item; the parts of the large bar fill the width.
    [[nodiscard]] QRectF partRect(const QRectF& area, int item) const;

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;
    [[nodiscard]] double minPlotHeight() const override;

private:
    [[nodiscard]] QString metricOf(const WaterfallRow& row) const; ///< with its unit
    [[nodiscard]] QColor colourOf(const Look& look, int part) const;
    [[nodiscard]] int keyColumns(double width) const;
    [[nodiscard]] QRectF keyRect(const QRectF& area, int part) const;
    [[nodiscard]] double valueOf(int bar, int part) const; ///< bar 0 is the large one
    [[nodiscard]] QRectF barRect(const QRectF& area, int bar) const;
    void paintThinBar(Canvas& canvas, const QRectF& area, int bar) const;

    WaterfallData m_data;
    std::vector<ThinBar> m_bars;
};

} // namespace prism::ui
