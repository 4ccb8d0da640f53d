// SPDX-License-Identifier: GPL-3.0-or-later
// The strip of figures of the current scenario: nine values with change to the baseline and interval, always in view.
#pragma once

#include "ui/theme/theme.h"
#include "ui/window/headlineforms.h"
#include "ui/workspace/headline.h"
#include "ui/workspace/workspace.h"

#include <QWidget>

class QToolButton;

namespace prism::ui {

class AssumptionStrip;

/// GUI thread only. Cells that do not fit (cost, days, memory first) are in the "more" menu.
class HeadlineStrip final : public QWidget {
    Q_OBJECT
public:
    HeadlineStrip(Workspace& workspace, ChangesCache& cache, const Theme& theme, QWidget* parent = nullptr);
    [[nodiscard]] const QList<HeadlineCell>& cells() const { return m_cells; }
    [[nodiscard]] const HeadlineBadge& badge() const { return m_badge; }
    void setDockWidth(int width); ///< the scenario cell is as wide as the left dock
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] int paintCount() const { return m_paints; }
    [[nodiscard]] QString figureAt(const QPoint& at) const; ///< key of the figure there; empty = none

Q_SIGNALS:
    void figureWanted(const QString& key); ///< where it comes from
    void whyWanted();                      ///< a change against the baseline was clicked: which edits made it?

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void refresh();
    void layoutCells();
    /// Before an audience: beside the second row of figures, else beneath them; returns the height that they take on their own.
    int placeAssumptions(int rows);
    /// The figures after the `beside` ones of the first row: from one edge to the other, or on a row of their own; returns how many rows.
    int layoutRest(int beside, double from, double right);
    void paintCell(QPainter& painter, const QRectF& rect, const HeadlineCell& cell, bool large) const;
    void paintScenario(QPainter& painter, const QRectF& rect);
    [[nodiscard]] ScenarioLines linesOf(const PageContext& context) const;
    [[nodiscard]] QString badgeText() const;
    [[nodiscard]] double badgeWidth() const;                  ///< with the gap before it; 0 without a badge
    double paintBadge(QPainter& painter, const QRectF& line); ///< returns the width that it takes at the right
    [[nodiscard]] bool hasChangeAt(const QPoint& at) const;
    [[nodiscard]] QString tipAt(const QPoint& at) const;

    Workspace& m_workspace;
    ChangesCache& m_cache;
    const Theme& m_theme;
    AssumptionStrip* m_assumptions; ///< while the window presents
    QList<HeadlineCell> m_cells;
    HeadlineBadge m_badge;
    ScenarioLines m_lines;
    QRectF m_badgeRect;
    QList<QRectF> m_rects;       ///< of the cells that fit
    int m_dockWidth, m_ownWidth; ///< of the dock; of the scenario's cell, which gives way to the figures
    QToolButton* m_more;
    int m_paints = 0;
};

} // namespace prism::ui
