// SPDX-License-Identifier: GPL-3.0-or-later
// The slow nodes of a scenario with the gain of each repair, the advice on positions, and actions.
#pragma once

#include "ui/look/format.h"
#include "ui/pages/placementgroups.h"
#include "ui/plot/gaincurve.h"
#include "ui/theme/theme.h"

#include <QFrame>

#include <optional>

class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace prism::ui {

class SegmentedControl;

/// State of the search for better positions.
struct SearchState {
    const PlacementResult* result = nullptr; ///< null: not requested, not there yet, or failed
    bool isComputing = false;
    QString error;
};

/// GUI thread only.
class SlowNodesCard final : public QFrame {
    Q_OBJECT
public:
    explicit SlowNodesCard(const Theme& theme, QWidget* parent = nullptr);

    /// Null: no result of the scenario yet, or of what repairing would give.
    void setNodes(const SnapshotPtr& snapshot, const Scenario& scenario, const SlowNodesReport* report, const HostNames& hosts);
    void setAdvice(const SnapshotPtr& snapshot, const SearchState& search);
    /// Off while what is shown is not the result of the present input: nothing is exported or made from it.
    void setActing(bool on);
    /// Gains of 1, 2, ... exchanges, and of all moves at the end; empty without advice.
    [[nodiscard]] QList<GainPoint> gainPoints() const;
    [[nodiscard]] int chosenExchanges() const; ///< which of these points is chosen; -1 without advice
    void chooseExchanges(int choice);
    /// The order after the chosen number of exchanges; the best one where all are chosen. Empty without a result.
    [[nodiscard]] std::vector<int> chosenOrder() const;
    /// The effect of an action, or why it failed.
    void showMessage(const QString& text, bool isError);

Q_SIGNALS:
    void exchangesChosen(int choice);
    /// The factor typed for a node; 1 = it is not slow.
    void factorChosen(int node, double factor);
    void importRequested();
    void searchRequested();
    void hostfileRequested();
    void applyRequested();

private:
    void addRow(const Scenario& scenario, const SlowEntry& entry, const SlowNodesReport::Row* repaired, const format::DeltaScale& scale);

    void showNextStep(bool measured);
    void reportExchanges();
    [[nodiscard]] QString measuredText(const Scenario& scenario) const;

    const Theme& m_theme;
    std::optional<PlacementResult> m_result; ///< that is shown
    HostNames m_hosts;
    SegmentedControl* m_few;
    QLabel* m_exchanges;
    QLabel *m_note, *m_advice, *m_adviceNote, *m_message;
    QScrollArea* m_list;
    QVBoxLayout* m_rows;
    QPushButton *m_import, *m_find, *m_hostfile, *m_apply;
};

} // namespace prism::ui
