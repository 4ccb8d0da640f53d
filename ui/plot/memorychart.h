// SPDX-License-Identifier: GPL-3.0-or-later
// Peak memory per stage as stacked bars, with the capacity dashed; in the stage order of the Gantt chart above it.
#pragma once

#include "core/cost/predictor.h"
#include "ui/plot/plotbase.h"

namespace prism::ui {

class MemoryChart final : public PlotBase {
    Q_OBJECT
public:
    using PlotBase::PlotBase;
    void setMemory(const MemoryReport& memory);
    void setBrushed(int stage);

    [[nodiscard]] const MemoryReport& memory() const { return m_memory; }
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_memory.stages.size()); }
    [[nodiscard]] QStringList itemReading(int item) const override;
    [[nodiscard]] std::optional<Reach> ownReach() const override;

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;
    [[nodiscard]] QList<LegendEntry> legend(const Look& look) const override;
    [[nodiscard]] bool legendNextToTitle() const override { return true; }

private:
    struct Layout {
        QRectF plot;
        double slot = 0, barWidth = 0, perGib = 0;
    };
    [[nodiscard]] Layout layout(const Canvas& canvas, const QRectF& area) const;
    /// Grid, tick labels and the line of the capacity.
    void paintScale(Canvas& canvas, const Layout& at) const;
    /// One stage: its parts from the base up, its total above them; where the bar is.
    QRectF paintBar(Canvas& canvas, const Layout& at, std::size_t index) const;

    MemoryReport m_memory;
    int m_brushed = -1;
};

} // namespace prism::ui
