// SPDX-License-Identifier: GPL-3.0-or-later
// One bar whose parts add up to a total, with a key of values under it.
#pragma once

#include "ui/plot/waterfall.h"

namespace prism::ui {

/// Shows the first value and the steps of a waterfall next to each other; rows of the group have the colour of bad news. GUI thread only.
class StackedBarChart final : public PlotBase {
    Q_OBJECT
public:
    using PlotBase::PlotBase;
    void setData(const WaterfallData& data);

    [[nodiscard]] const WaterfallData& data() const { return m_data; }
    [[nodiscard]] TableData asTable() const override { return waterfallTable(m_data); }
    [[nodiscard]] int itemCount() const override; ///< the parts, without the total
    [[nodiscard]] QStringList itemReading(int item) const override;
    /// Rectangle of a part of the bar; the parts fill the width.
    [[nodiscard]] QRectF partRect(const QRectF& area, int item) const;

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;
    [[nodiscard]] double minPlotHeight() const override;

private:
    [[nodiscard]] QColor colourOf(const Look& look, int item) const;
    [[nodiscard]] int keyColumns(double width) const;
    [[nodiscard]] QRectF keyRect(const Canvas& canvas, const QRectF& area, int item) const;

    WaterfallData m_data;
};

} // namespace prism::ui
