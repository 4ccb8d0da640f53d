// SPDX-License-Identifier: GPL-3.0-or-later
// Moves: a goal for p95 and the single changes that come near it; beneath, the waterfall of p95 from the baseline by edits.
#pragma once

#include "core/insight/compare/compare.h"
#include "ui/findings/goalmoves.h"
#include "ui/pages/insightpage.h"
#include "ui/pages/levelled.h"
#include "ui/plot/stepcurves.h"
#include "ui/plot/waterfall.h"

class QCheckBox;
class QFrame;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;

namespace prism::ui {

class EmptyNote;
class MovesModel;

/// The waterfall of a comparison: baseline, every edit, remainder hatched, scenario. Seconds shown in the unit that fits the total.
[[nodiscard]] WaterfallData whyItMoved(const Comparison& comparison, int series);

/// GUI thread only.
class MovesPage final : public InsightPage {
    Q_OBJECT
public:
    explicit MovesPage(const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] QString id() const override { return QStringLiteral("moves"); }
    [[nodiscard]] QString title() const override { return tr("Moves"); }
    [[nodiscard]] QString answer() const override;
    [[nodiscard]] QString group() const override { return tr("Decide"); }
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] QStringList paperNotes() const override;
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;

    void setGoal(double seconds); ///< 0 drops it
    /// Makes a scenario of the move in a row.
    void apply(int row);

    [[nodiscard]] double goal() const { return m_goal; }
    [[nodiscard]] QLineEdit& goalField() { return *m_goalField; }
    [[nodiscard]] MovesModel& moves() { return *m_model; }
    [[nodiscard]] QTableView& table() { return *m_table; }
    [[nodiscard]] StepCurveChart& curves() { return *m_curves; }
    [[nodiscard]] WaterfallChart& why() { return *m_why; }

protected:
    void contextChanged() override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void buildTools();
    [[nodiscard]] QWidget* buildTable();
    void ask();
    [[nodiscard]] GoalQuery query() const;
    [[nodiscard]] const GoalMoves* found() const;       ///< on the headline's level
    [[nodiscard]] const Comparison* comparison() const; ///< on the level of both headlines
    void refresh() override;
    void statesShown() override;
    void refreshCurves();
    void refreshWhy();
    void typeGoal();

    QLineEdit* m_goalField;
    QCheckBox *m_pairs, *m_hardware;
    StepCurveChart* m_curves;
    WaterfallChart* m_why;
    MovesModel* m_model;
    QFrame* m_card;
    QTableView* m_table;
    EmptyNote* m_nothing = nullptr;
    QLabel *m_title, *m_note;
    QPushButton* m_apply;
    double m_goal = 0, m_dragged = 0; ///< seconds; dragged: 0 = not being dragged
    std::pair<int, double> m_listed;  ///< answer and goal that the table shows
    mutable Levelled<GoalMoves> m_levelledMoves;
    mutable Levelled<Comparison> m_levelledComparison;
    InsightSlot<GoalMoves> m_moves{QStringLiteral("moves")};
    InsightSlot<Comparison> m_comparison{QStringLiteral("why")};
};

} // namespace prism::ui
