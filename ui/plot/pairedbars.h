// SPDX-License-Identifier: GPL-3.0-or-later
// Paired bars: the share of something in all steps (grey) against the slowest steps (colour), sorted by the difference.
#pragma once

#include "ui/plot/rowchart.h"

namespace prism::ui {

/// Shares in [0, 1] with half-widths of their 95 % intervals; causes may be negative.
struct PairedRow {
    QString id, label;
    double all = 0, slow = 0, allHalfWidth = 0, slowHalfWidth = 0;
    [[nodiscard]] double difference() const { return slow - all; }
    /// The difference exceeds its interval and prints as 0.1 points or more.
    [[nodiscard]] bool isClear() const;
};

struct PairedData {
    QString quantity; ///< "Share of the critical path, %"
    QString allLabel = QStringLiteral("All steps"), slowLabel = QStringLiteral("Slowest 5 %");
    int series = 0;
    std::vector<PairedRow> rows;
};

class PairedBarChart final : public DataChart<PairedData, RowChart> {
    Q_OBJECT
public:
    using DataChart::DataChart;
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_data.rows.size()); }
    [[nodiscard]] QStringList itemReading(int item) const override;

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] QList<LegendEntry> legend(const Look& look) const override;

    [[nodiscard]] Layout layout(const Canvas& canvas, const QRectF& area) const override;
    [[nodiscard]] double headHeight() const override { return 20; }
    [[nodiscard]] double minRow() const override { return 32; } // two bars with their values
    [[nodiscard]] const QString& rowId(int item) const override { return m_data.rows[static_cast<std::size_t>(item)].id; }

private:
    void paintRow(Canvas& canvas, const QRectF& area, const Layout& at, int item) const;
};

} // namespace prism::ui
