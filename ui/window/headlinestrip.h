// SPDX-License-Identifier: GPL-3.0-or-later
// The strip at the top: the answer of the page in one sentence, and the metrics of the current scenario that the page needs.
#pragma once

#include "ui/findings/findings.h"
#include "ui/theme/theme.h"
#include "ui/window/headlineforms.h"
#include "ui/workspace/headline.h"
#include "ui/workspace/workspace.h"

#include <QWidget>

class QToolButton;

namespace prism::ui {

class AssumptionStrip;
class Page;

/// GUI thread only. Metrics that the page does not need, or that do not fit, are in the "more" menu.
class HeadlineStrip final : public QWidget {
    Q_OBJECT
public:
    HeadlineStrip(Workspace& workspace, ChangesCache& cache, const Theme& theme, QWidget* parent = nullptr);
    [[nodiscard]] const QList<HeadlineCell>& cells() const { return m_cells; }
    [[nodiscard]] const HeadlineBadge& badge() const { return m_badge; }
    void setPage(const Page* page); ///< whose answer and metrics are shown; null: the study's
    [[nodiscard]] QString answer() const { return m_answer; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] int paintCount() const { return m_paints; }
    [[nodiscard]] QString metricAt(const QPoint& at) const; ///< key of the metric there; empty = none

Q_SIGNALS:
    void metricRequested(const QString& key); ///< where it comes from
    void whyRequested();                      ///< a change against the baseline was clicked: which edits made it?

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
    /// In presentation mode: next to the second row of values, else beneath them; returns the height that they take on their own.
    int placeAssumptions(int rows);
    /// The values after the first `nextTo` ones: in the first row, from `from` to `right`, or in a separate row; returns how many rows.
    int layoutRest(int nextTo, double from, double right);
    void paintCell(QPainter& painter, const QRectF& rect, const HeadlineCell& cell, bool large) const;
    void paintScenario(QPainter& painter, const QRectF& rect);
    void paintAnswer(QPainter& painter, const QRectF& rect) const; ///< on two lines, in the largest type that has room
    [[nodiscard]] ScenarioLines linesOf(const PageContext& context) const;
    [[nodiscard]] QString badgeText() const;
    [[nodiscard]] double badgeWidth() const;                          ///< with the gap before it; 0 without a badge
    double paintBadge(QPainter& painter, const QRectF& line);         ///< returns the width that it takes at the right
    [[nodiscard]] const HeadlineCell* cellAt(const QPoint& at) const; ///< null: none of the cells
    [[nodiscard]] bool hasChangeAt(const QPoint& at) const;
    [[nodiscard]] QString tipAt(const QPoint& at) const;

    Workspace& m_workspace;
    ChangesCache& m_cache;
    const Theme& m_theme;
    AssumptionStrip* m_assumptions; ///< while the window presents
    QList<HeadlineCell> m_cells;
    HeadlineBadge m_badge;
    ScenarioLines m_lines;
    MissedOverSystems m_systems; ///< of the current scenario
    QRectF m_badgeRect;
    QList<QRectF> m_rects; ///< of the cells that fit
    const Page* m_page = nullptr;
    QString m_answer;
    bool m_answerIsStale = false;
    int m_ownWidth = 0; ///< of the answer
    QToolButton* m_more;
    int m_paints = 0;
};

} // namespace prism::ui
