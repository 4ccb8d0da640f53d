// What the pages with insights have in common: context, tool row, cards that wrap, stale notes, exports of several charts.
#pragma once

#include "ui/bridge/insightrunner.h"
#include "ui/model/selection.h"
#include "ui/model/studymodel.h"
#include "ui/pages/insightslot.h"
#include "ui/pages/page.h"
#include "ui/plot/plotbase.h"

#include <map>

class QBoxLayout;
class QGridLayout;

namespace prism::ui {

class FlowLayout;

/// Derived pages make their cards, answer `contextChanged` and `selectionChanged`, and list their charts. GUI thread only.
class InsightPage : public Page {
    Q_OBJECT
public:
    explicit InsightPage(const Theme& theme, QWidget* parent = nullptr);

    void setContext(const PageContext& context) final;
    [[nodiscard]] QWidget* tools() final { return m_tools; }
    void paintExport(QPainter& painter) override;
    [[nodiscard]] QSize exportSize() const override;

protected:
    /// Ask for insights and show what is there.
    virtual void contextChanged() = 0;
    virtual void selectionChanged() {}

    /// Main cards at left, side cards at right; under 980 px the side goes beneath.
    void setCards(QWidget* main, QWidget* side, double sideShare);
    /// Charts in the order of the export, each with its size relative to the page.
    void setExported(const QList<PlotBase*>& charts) { m_exported = charts; }
    /// Tools that stay on one line together, after those before; groups go on beneath where the row ends.
    void addTools(const QList<QWidget*>& group);
    /// A tool at the right end of the row.
    void addEndTool(QWidget* tool);
    [[nodiscard]] const PageContext& context() const { return m_context; }
    [[nodiscard]] const ShownScenario* scenario() const { return m_context.current(); }
    /// The scenario's snapshot if it can be asked about; null otherwise.
    [[nodiscard]] SnapshotPtr snapshot() const;
    /// Why a chart is dimmed; empty when it shows the answer to the present input.
    [[nodiscard]] QString staleNote(bool computing, bool hasAnswer) const;
    /// Hash of the scenario plus seed: what an answer belongs to.
    [[nodiscard]] QString question(const QString& what) const;
    /// After new data: remembers what the current scenario needs of this axis and, with "same scale" on, puts every scenario
    /// of the table that this page has shown in the same `mode` (figure and unit) on it.
    void shareScale(PlotBase& chart, const QString& mode);
    [[nodiscard]] const Theme& theme() const { return m_theme; }
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();

    const Theme& m_theme;
    PageContext m_context;
    QWidget* m_tools;
    FlowLayout* m_toolGroups;
    QGridLayout* m_grid;
    QWidget *m_main = nullptr, *m_side = nullptr;
    double m_sideShare = 0.36;
    bool m_beside = true, m_arranged = false;
    QList<PlotBase*> m_exported;
    std::map<std::pair<const PlotBase*, QString>, std::map<int, Reach>> m_reaches; ///< by chart and mode, by scenario
    QPointer<Selection> m_selection;
    QPointer<InsightRunner> m_insights;
};

} // namespace prism::ui
