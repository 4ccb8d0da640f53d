// SPDX-License-Identifier: GPL-3.0-or-later
// Common parts of the pages with insights: context, tool row, cards that wrap, stale notes, exports of several charts.
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
    [[nodiscard]] InsightStatus otherResult() const final;
    [[nodiscard]] QSize exportSize() const override;
    [[nodiscard]] const QWidget* mainChart() const override; ///< the first of those exported
    [[nodiscard]] PageState state() const final;
    [[nodiscard]] bool hasContent() const final; ///< one of the exported charts shows data
    [[nodiscard]] bool isComputing() const final;

protected:
    /// Request insights and show the available results.
    virtual void contextChanged() = 0;
    virtual void selectionChanged() {}

    /// Main cards at left, side cards at right; under 980 px the side goes beneath.
    void setCards(QWidget* main, QWidget* side, double sideShare);
    void showSide(bool shown); ///< without it the main card has all the room
    /// Charts in the order of the export, each with its size relative to the page.
    void setExported(const QList<PlotBase*>& charts) { m_exported = charts; }
    /// Tools that stay on one line together, after those before; groups continue beneath where the row ends.
    void addTools(const QList<QWidget*>& group);
    /// A tool at the right end of the row.
    void addEndTool(QWidget* tool);
    [[nodiscard]] const PageContext& context() const { return m_context; }
    [[nodiscard]] const ShownScenario* scenario() const { return m_context.current(); }
    /// The scenario's snapshot if it can be asked about; null otherwise.
    [[nodiscard]] SnapshotPtr snapshot() const;
    /// State of an insight; called again whenever a job starts, progresses or ends.
    using Status = std::function<InsightStatus()>;
    /// The status texts of a chart, or of a card with words and numbers.
    struct Presented {
        QWidget* view = nullptr;
        Status status;              ///< of the insight behind it; none: it is drawn from the step times alone
        QString doing = {};         ///< "Computing the effect of each cause"
        QString nothingToShow = {}; ///< when the answer has no rows; empty = it has some
    };
    /// From now on this chart or card shows the state of its insight, in the words of all pages, and carries the token of its result.
    void present(const Presented& shown);
    /// An insight of a card without a chart: it counts for the state of the page.
    void alsoAnswers(const Status& status);
    /// Token of the result for these inputs of an insight: a result of the present input of the scenario.
    [[nodiscard]] ResultToken token(const QString& inputs) const;
    /// Wants the result for a token, and requests it once the step times of the present input are there: `work(evaluator, snapshot,
    /// options)`.
    template <class R, class Work>
    void request(InsightSlot<R>& slot, const ResultToken& token, const QString& title, Work work)
    {
        slot.want(token);
        const SnapshotPtr s = snapshot();
        if (!s || !m_context.evaluator || scenario()->stale)
            return;
        slot.ask(
            m_context.insights, this, token, title,
            [evaluator = m_context.evaluator, s, work](const InsightOptions& options) { return work(*evaluator, *s, options); },
            [this] { refresh(); });
    }
    /// Shows the available results.
    virtual void refresh() = 0;
    /// Whether the answer that a slot shows is about the steps that the headline shows.
    template <class R>
    [[nodiscard]] bool isAboutShown(const InsightSlot<R>& slot) const
    {
        const SnapshotPtr s = snapshot();
        return s && slot.shown().scenario == s->hash && slot.shown().seed == s->seed;
    }
    /// Whether what a slot shows is the result for the present input; else nothing may act on it.
    template <class R>
    [[nodiscard]] bool isCurrent(const InsightSlot<R>& slot) const
    {
        return stateOf(scenario(), slot.status()) == PageState::current;
    }
    /// " Level: the headline's, n = 10,000." where it is not that of the steps which were drawn for the insight.
    [[nodiscard]] static QString levelNote(std::size_t known, int drawn);
    /// After new data: remembers what the current scenario needs of this axis and, with "same scale" on, puts every scenario
    /// of the table that this page has shown in the same `mode` (statistic and unit) on it.
    void shareScale(PlotBase& chart, const QString& mode);
    [[nodiscard]] const Theme& theme() const { return m_theme; }
    /// Called when the charts show what is under way, so that other texts can follow.
    virtual void statesShown() {}
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    void arrange();
    /// Side cards beneath the main one get the height that their words take at this width.
    void giveSideItsHeight();
    /// In presentation mode the main card is whole: side cards that are higher than the page's place would stretch it.
    [[nodiscard]] bool fitsNextTo() const;
    void reportStates(); ///< on every chart that was presented
    void showMessage(const Presented& shown) const;
    [[nodiscard]] InsightStatus statusOf(const Presented& shown) const;
    void listenTo(const PageContext& context);

    const Theme& m_theme;
    PageContext m_context;
    QWidget* m_tools;
    FlowLayout* m_toolGroups;
    QGridLayout* m_grid;
    QWidget *m_main = nullptr, *m_side = nullptr;
    double m_sideShare = 0.36;
    bool m_nextTo = true, m_arranged = false;
    QList<PlotBase*> m_exported;
    QList<Presented> m_presented;
    QList<Status> m_others;
    std::map<std::pair<const PlotBase*, QString>, std::map<int, Reach>> m_reaches; ///< by chart and mode, by scenario
    QPointer<Selection> m_selection;
    QPointer<InsightRunner> m_insights;
};

} // namespace prism::ui
