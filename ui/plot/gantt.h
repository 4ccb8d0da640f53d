// SPDX-License-Identifier: GPL-3.0-or-later
// Gantt chart of one sampled step: a row per stage, fills and hatches by kind, the critical path as the only outline.
// gantt.cpp holds what it shows and reads, ganttpaint.cpp how it looks, ganttinput.cpp pointer and keys, ganttfind.cpp the
// search and the sum over a range.
#pragma once

#include "core/insight/onestep/rangesum.h"
#include "ui/plot/plotbase.h"

#include <set>

namespace prism::ui {

/// A stretch of the step, seconds.
struct StepRange {
    double start = 0, end = 0;
    bool operator==(const StepRange&) const = default;
};

/// End of another step, for comparison.
struct StepMark {
    double seconds = 0;
    QString label;
};

/// Wheel and + - zoom, drag pans, 0 or double click shows the whole step; arrows read span after span. Shift and drag, or [ and ] on the
/// span that is read, choose a stretch; Esc drops it. GUI thread.
class GanttChart final : public PlotBase {
    Q_OBJECT
public:
    using PlotBase::PlotBase;

    // change it
    void setTimeline(std::shared_ptr<const Timeline> timeline);
    void setBrushed(int stage, const QString& kernelClass);
    /// Shown time range in seconds; clamped to the step.
    void setView(double startSeconds, double endSeconds);
    void resetView();
    /// Spans with kernels of these classes (indices into Timeline::classNames) stand out from the others; empty = all equal.
    void setFound(const std::set<int>& classes);
    /// The reading goes to the next span that stands out, on through the stages, and the view goes with it.
    void readNextFound();
    void setRange(const std::optional<StepRange>& range);
    void setMark(const std::optional<StepMark>& mark); ///< what the step takes beyond it is tinted
    void setLegendShown(bool shown);                   ///< not on the second of two charts

    // look at it
    [[nodiscard]] int foundSpans() const; ///< spans that stand out
    [[nodiscard]] const std::optional<StepRange>& range() const { return m_range; }
    /// The stretch as sentences for the footer; empty without one.
    [[nodiscard]] QString rangeText() const;
    [[nodiscard]] const std::shared_ptr<const Timeline>& timeline() const { return m_timeline; }
    [[nodiscard]] double viewStart() const { return m_start; }
    [[nodiscard]] double viewEnd() const { return m_end; }
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] int itemCount() const override { return m_timeline ? static_cast<int>(m_timeline->spans.size()) : 0; }
    [[nodiscard]] QStringList itemReading(int item) const override;
    [[nodiscard]] std::optional<Reach> ownReach() const override;
    /// Rectangles that the last paint needed, after merging what is under a pixel.
    [[nodiscard]] int paintedRectangles() const { return m_painted; }

Q_SIGNALS:
    void viewChanged();
    void rangeChanged();

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;
    [[nodiscard]] int neighbour(int item, int key) const override;
    [[nodiscard]] QList<LegendEntry> legend(const Look& look) const override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

    [[nodiscard]] double minPlotHeight() const override;
    void reachChanged() override { resetView(); }

private:
    struct Layout {
        QRectF rows;
        double rowHeight = 0, perSecond = 0, start = 0;
        [[nodiscard]] double x(double seconds) const { return rows.left() + (seconds - start) * perSecond; }
        [[nodiscard]] QRectF row(int stage) const { return {rows.left(), rows.top() + rowHeight * stage, rows.width(), rowHeight}; }
    };
    [[nodiscard]] Layout layout(const Canvas& canvas, const QRectF& area) const;
    void paintRows(Canvas& canvas, const Layout& at, bool interactive) const;
    void paintStage(Canvas& canvas, const Layout& at, int stage) const;
    void paintPieces(Canvas& canvas, const Layout& at, int stage) const;
    void paintSends(Canvas& canvas, const Layout& at, int stage) const;
    void paintCritical(Canvas& canvas, const Layout& at) const;
    void paintAxis(Canvas& canvas, const QRectF& area, const Layout& at) const;
    void paintRange(Canvas& canvas, const Layout& at) const;
    void paintMark(Canvas& canvas, const Layout& at) const;
    [[nodiscard]] bool hasItem(int item) const { return item >= 0 && item < itemCount(); }
    [[nodiscard]] const TimelineSpan& spanOf(int item) const { return m_timeline->spans[static_cast<std::size_t>(item)]; }
    /// Range of an unzoomed view: the step, or the longest step of those on the same scale.
    [[nodiscard]] double wholeSeconds() const;
    void zoom(double factor, double aroundSeconds);
    [[nodiscard]] bool isDimmed(const TimelineSpan& span) const;
    [[nodiscard]] bool isFound(const TimelineSpan& span) const;
    [[nodiscard]] double secondsAt(double x) const; ///< of a place in the widget

    std::shared_ptr<const Timeline> m_timeline;
    std::vector<std::pair<std::size_t, std::size_t>> m_stageSpans; ///< [first, last) by stage
    double m_start = 0, m_end = 1;
    int m_brushedStage = -1, m_brushedClass = -1;
    QString m_brushedName;
    std::set<int> m_found;
    std::optional<StepRange> m_range;
    std::optional<StepMark> m_mark;
    bool m_legendShown = true;
    std::optional<double> m_rangeFrom; ///< where the pointer began to choose a stretch, seconds
    std::optional<QPointF> m_panFrom;
    double m_panStart = 0;
    bool m_panned = false;
    mutable int m_painted = 0;
};

} // namespace prism::ui
