// SPDX-License-Identifier: GPL-3.0-or-later
// Tornado chart: what each cause's spread does to one figure, largest on top, around the baseline value.
#pragma once

#include "ui/plot/rowchart.h"

namespace prism::ui {

/// One end of a row: change of the figure, half-width of its interval, and the input's value there ("CV 12.0 %").
struct TornadoEnd {
    double change = 0, halfWidth = 0;
    QString input;
};

struct TornadoRow {
    QString id, label;
    TornadoEnd removed, doubled;
    bool nonMonotonic = false;
    QString missing;       ///< not empty: outside the calibrated range; says which measurement is missing (hatched)
    bool isOthers = false; ///< the sum of what is not shown
    QString parameter;     ///< that decides the spread; empty = none
};

/// Changes are in seconds, or shares in [-1, 1] when `isShare`.
struct TornadoData {
    QString figure;   ///< "p95"
    QString baseline; ///< "baseline p95 9.30 s"
    bool isShare = false;
    int series = 0; ///< colour of the scenario
    std::vector<TornadoRow> rows;
};

class TornadoChart final : public RowChart {
    Q_OBJECT
public:
    using RowChart::RowChart;
    void setData(const TornadoData& data);

    [[nodiscard]] const TornadoData& data() const { return m_data; }
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_data.rows.size()); }
    [[nodiscard]] QStringList itemReading(int item) const override;
    [[nodiscard]] std::optional<Reach> ownReach() const override;
    /// A change in the unit of the largest, with the digits that its interval leaves; where none was found, the interval alone: "± 0.3 ms".
    [[nodiscard]] QString endText(const TornadoEnd& end) const;

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] QList<LegendEntry> legend(const Look& look) const override;

    [[nodiscard]] Layout layout(const Canvas& canvas, const QRectF& area) const override;
    [[nodiscard]] double headHeight() const override { return 28; }
    [[nodiscard]] double leastRow() const override { return 24; }
    [[nodiscard]] const QString& rowId(int item) const override { return m_data.rows[static_cast<std::size_t>(item)].id; }

private:
    void paintRow(Canvas& canvas, const QRectF& area, const Layout& at, int item) const;
    void paintChangeAxis(Canvas& canvas, const Layout& at) const;
    [[nodiscard]] QString changeText(double change) const;
    [[nodiscard]] QString columnText(double change) const; ///< in the unit of the largest change

    TornadoData m_data;
};

} // namespace prism::ui
