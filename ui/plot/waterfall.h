// SPDX-License-Identifier: GPL-3.0-or-later
// A waterfall: from a first value over signed steps to a total, a row each, with values at the right; the axis is drawn broken where it
// does not begin at zero.
#pragma once

#include "ui/plot/plotbase.h"
#include "ui/plot/ticks.h"

namespace prism::ui {

/// One row. `value` is absolute for the first row and totals, else the signed change.
struct WaterfallRow {
    enum class Kind { first, step, remainder, total };
    QString id, label, detail; ///< detail: a second line
    double value = 0;
    Kind kind = Kind::step;
    QString metric, interval, note;         ///< columns at the right; interval next to the value
    bool grouped = false;                   ///< belongs to the group whose sum is printed
    double whiskerLow = 0, whiskerHigh = 0; ///< equal = none
    bool clear = true;                      ///< false: a change within its interval, which has no colour
};

struct WaterfallData {
    std::vector<WaterfallRow> rows;
    int series = 0;
    bool judged = false;             ///< steps are good (down) or bad (up) news
    QString axisTitle;               ///< "days"
    double perUnit = 1;              ///< shown = value * perUnit
    QString metricTitle, noteTitle;  ///< heads of the columns
    QString groupLabel, groupMetric; ///< "failures", "+8.1 days"; empty = no group
};

/// Height at which every row can be read, at scale 1.
[[nodiscard]] double waterfallHeight(const WaterfallData& data);
[[nodiscard]] TableData waterfallTable(const WaterfallData& data);
void paintWaterfall(Canvas& canvas, const QRectF& area, const WaterfallData& data);

/// The same as a card; items are rows. GUI thread only.
class WaterfallChart final : public DataChart<WaterfallData> {
    Q_OBJECT
public:
    using DataChart::DataChart;
    [[nodiscard]] TableData asTable() const override { return waterfallTable(m_data); }
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_data.rows.size()); }
    [[nodiscard]] QStringList itemReading(int item) const override;

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;
    [[nodiscard]] double minPlotHeight() const override { return waterfallHeight(m_data); }
    [[nodiscard]] bool showsReadout() const override { return false; }
};

} // namespace prism::ui
