// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks of the same causes at several percentiles, in neighbouring columns, with slopes between them: what matters more in the tail rises.
#pragma once

#include "ui/plot/plotbase.h"

namespace prism::ui {

/// One cause in one column.
struct SlopeCell {
    double change = 0; ///< largest change of the statistic, seconds; its sign is kept
    int rank = 0;      ///< from 1, by the size of the change
};

struct SlopeRow {
    QString id, label, parameter;
    std::vector<SlopeCell> cells; ///< one per column
};

struct SlopeData {
    QStringList columns; ///< "p50", "p95", "p99"
    std::vector<SlopeRow> rows;
    int series = 0;
};

/// Items are the rows. GUI thread only.
class SlopeChart final : public DataChart<SlopeData> {
    Q_OBJECT
public:
    using DataChart::DataChart;
    void setHighlighted(const QString& id);

    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_data.rows.size()); }
    [[nodiscard]] QStringList itemReading(int item) const override;

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF at) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;
    [[nodiscard]] double minPlotHeight() const override { return 180; }

private:
    [[nodiscard]] QPointF place(const Canvas& canvas, const QRectF& area, int item, int column) const;
    void paintRow(Canvas& canvas, const QRectF& area, int item, bool strong) const;

    QString m_highlighted;
};

} // namespace prism::ui
