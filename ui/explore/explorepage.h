// SPDX-License-Identifier: GPL-3.0-or-later
// Explore: ranges in, candidates out as a table and as points; the best by mean and by percentile, what was omitted and why.
#pragma once

#include "core/explore/explore.h"
#include "ui/pages/insightpage.h"
#include "ui/plot/scatter.h"

class QComboBox;
class QFrame;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;

namespace prism::ui {

class CandidateModel;
class EmptyNote;
class SegmentedControl;

/// GUI thread only. A search starts when it is requested; its answer stays while the scenario is the same.
class ExplorePage final : public InsightPage {
    Q_OBJECT
public:
    explicit ExplorePage(const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] QString id() const override { return QStringLiteral("explore"); }
    [[nodiscard]] QString title() const override { return tr("Explore"); }
    [[nodiscard]] QString answer() const override;
    [[nodiscard]] QString group() const override { return tr("Decide"); }
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;

    void startAll() override { search(); }
    void search();
    /// Values of one parameter in the ranges to search; none takes the parameter out.
    void setAxis(const Parameter& parameter, const QStringList& values);
    /// Makes a scenario of a candidate.
    void apply(int candidate);

    [[nodiscard]] QLineEdit& ranges() { return *m_ranges; }
    [[nodiscard]] CandidateModel& candidates() { return *m_model; }
    [[nodiscard]] QTableView& table() { return *m_table; }
    [[nodiscard]] ScatterChart& scatter() { return *m_scatter; }
    [[nodiscard]] QLabel& note() { return *m_note; }
    [[nodiscard]] const Exploration* exploration() const { return m_search.value(); }

protected:
    void contextChanged() override;

private:
    void buildTools();
    [[nodiscard]] QWidget* buildTable();
    [[nodiscard]] QWidget* buildNote();
    void refresh() override;
    void refreshNote();
    void refreshScatter();
    void refreshRejected();
    void statesShown() override;
    void highlight(int point);
    void fitCandidates(); ///< the name takes the width that the values leave, and at least its heading
    void compareBoth();
    [[nodiscard]] ResultToken requested() const; ///< the query of the fields, for the present scenario

    QLineEdit* m_ranges;
    SegmentedControl* m_objective;
    int m_round = 0; ///< of the runner, when the search was requested
    QPushButton *m_start, *m_compare, *m_makeScenario;
    QFrame *m_noteCard, *m_tableCard;
    QLabel *m_note, *m_count, *m_rejected, *m_problem;
    CandidateModel* m_model;
    QTableView* m_table;
    EmptyNote* m_nothing;
    ScatterChart* m_scatter;
    QComboBox *m_xMetric, *m_yMetric;
    std::shared_ptr<const Exploration> m_shown;
    InsightSlot<Exploration> m_search{QStringLiteral("explore")};
};

} // namespace prism::ui
