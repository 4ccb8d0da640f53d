// SPDX-License-Identifier: GPL-3.0-or-later
// The right half of File > New: the proposed layout with its reasons, its memory, the step times of other layouts, and its first curve.
#pragma once

#include "core/explore/layoutproposal.h"
#include "ui/theme/theme.h"

#include <QWidget>

class QGridLayout;
class QLabel;
class QTableWidget;

namespace prism::ui {

class MemoryChart;
class StepCurveChart;

/// "TP8 PP16 DP128 VPP8": sizes that are not 1, tensor, pipeline and data parallel always.
[[nodiscard]] QString layoutName(const Scenario& scenario);
/// "TP 4: +3.1 % without noise"; "TP 4 does not fit, 11.2 GiB over"
[[nodiscard]] QString reasonText(const LayoutReason& reason);

/// GUI thread only. Rows of the table: the proposal, the script's own layout where there is one, then the alternatives.
class ProposalView final : public QWidget {
    Q_OBJECT
public:
    explicit ProposalView(const Theme& theme, QWidget* parent = nullptr);

    // change it
    void setMessage(const QString& text, bool isError); ///< in place of the proposal
    void setStale(bool stale);                          ///< dims a proposal that is not for the present answers
    void setProposal(const LayoutProposal& proposal, const std::vector<LayoutOption>& rows, bool firstAlternativeIsOwn);
    void setSampled(int row, const SnapshotPtr& snapshot); ///< p50 and p95 of a row; of the chosen one its curve and memory too

    // look at it
    [[nodiscard]] int chosen() const;
    [[nodiscard]] QTableWidget& table() { return *m_table; }
    [[nodiscard]] StepCurveChart& curve() { return *m_curve; }
    [[nodiscard]] MemoryChart& memory() { return *m_memory; }
    [[nodiscard]] QString headline() const;

Q_SIGNALS:
    void chosenChanged(int row);

private:
    void fillReasons(const LayoutProposal& proposal);
    void fillRow(int row, bool own);
    void showChosen();
    void clearCharts();
    void showRows(); ///< charts and table, where there are any
    [[nodiscard]] QString against(int row, bool own) const;

    const Theme& m_theme;
    QLabel *m_state, *m_checked, *m_name, *m_peak;
    QWidget* m_reasonBox;
    QGridLayout* m_reasons;
    QTableWidget* m_table;
    MemoryChart* m_memory;
    StepCurveChart* m_curve;
    std::vector<LayoutOption> m_rows;
    std::vector<SnapshotPtr> m_sampled;
    bool m_ownSecond = false;
};

} // namespace prism::ui
