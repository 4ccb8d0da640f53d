// SPDX-License-Identifier: GPL-3.0-or-later
// When a run ends: one bar per calendar day, the median's in full, grey after a deadline that can be dragged.
#pragma once

#include "core/job/jobviews.h"
#include "ui/plot/axes.h"
#include "ui/plot/plotbase.h"

namespace prism::ui {

struct EndDates {
    std::vector<DayShare> bars; ///< without gaps; dayShares()
    int daysPerBar = 1;
    int series = 0;
    bool cumulative = false; ///< the bars mean "done by then"
    std::string start;       ///< ISO; empty = days are counted
    double deadlineDays = 0; ///< since the start; 0 = none
    QString flag, flagNote;  ///< "P(done by 14 March) = 83 %", "P(done within 78 days) = 70 %", "± 2 points"
};

[[nodiscard]] Axes endDateAxes(const Canvas& canvas, const QRectF& area, const EndDates& data);
void paintEndDates(Canvas& canvas, const QRectF& area, const EndDates& data);

/// The same as a card; items are the bars. GUI thread only.
class EndDateChart final : public DataChart<EndDates> {
    Q_OBJECT
public:
    using DataChart::DataChart;
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_data.bars.size()); }
    [[nodiscard]] QStringList itemReading(int item) const override;

Q_SIGNALS:
    /// The user drags the deadline to the end of a day, or picks one with Shift and an arrow key.
    void deadlineMoved(double days);
    void deadlineReleased();

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF at) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;
    [[nodiscard]] double minPlotHeight() const override { return 122; }
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] bool nearDeadline(QPointF at) const;
    [[nodiscard]] double shareOf(std::size_t bar) const;

    bool m_dragging = false;
};

} // namespace prism::ui
