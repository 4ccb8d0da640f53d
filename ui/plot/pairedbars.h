// Paired bars: the share of something in all steps (grey) against the slowest steps (colour), sorted by the difference.
#pragma once

#include "ui/plot/plotbase.h"

namespace prism::ui {

/// Shares in [0, 1] with half-widths of their 95 % intervals; causes may be negative.
struct PairedRow {
    QString id, label;
    double all = 0, slow = 0, allHalfWidth = 0, slowHalfWidth = 0;
    [[nodiscard]] double difference() const { return slow - all; }
};

struct PairedData {
    QString quantity;                        ///< "Share of the critical path, %"
    QString allLabel = QStringLiteral("All steps"), slowLabel = QStringLiteral("Slowest 5 %");
    int series = 0;
    std::vector<PairedRow> rows;
    QString highlighted;
};

class PairedBarChart final : public PlotBase {
    Q_OBJECT
public:
    using PlotBase::PlotBase;
    void setData(const PairedData& data);
    void setHighlighted(const QString& id);

    [[nodiscard]] const PairedData& data() const { return m_data; }
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_data.rows.size()); }
    [[nodiscard]] QStringList itemReading(int item) const override;

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF at) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;
    [[nodiscard]] QList<LegendEntry> legend(const Look& look) const override;

private:
    struct Layout {
        double top = 0, rowHeight = 0, bottom = 0, left = 0, right = 0, zero = 0, perUnit = 0, labelWidth = 0;
    };
    [[nodiscard]] Layout layout(const Canvas& canvas, const QRectF& area) const;

    PairedData m_data;
};

} // namespace prism::ui
