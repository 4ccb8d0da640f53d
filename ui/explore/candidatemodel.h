// SPDX-License-Identifier: GPL-3.0-or-later
// The candidates of a search as a table: layout, p95, change against now, memory, cost, probability to be the best.
#pragma once

#include "core/explore/explore.h"
#include "ui/look/textruns.h"
#include "ui/look/format.h"
#include "ui/look/tabledata.h"

#include <QAbstractTableModel>

#include <memory>

namespace prism::ui {

/// GUI thread only. Rows can be sorted by any column; the best by the objective stays findable by its mark.
class CandidateModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { nameColumn, p95Column, changeColumn, memoryColumn, costColumn, probabilityColumn, markColumn, kColumns };

    using QAbstractTableModel::QAbstractTableModel;

    /// `present`: index of the candidate that the scenario is; -1 = none of them. `now`: p95 of the scenario, seconds; 0 = not known; and
    /// the tokens of its step. Where steps have different tokens, times are per million of them.
    void setExploration(const std::shared_ptr<const Exploration>& exploration, int present, const Estimate& now = {}, double nowTokens = 0);
    [[nodiscard]] bool isPerToken() const { return m_isPerToken; }
    [[nodiscard]] Estimate timeOf(const Estimate& seconds, double tokensPerStep) const; ///< of a step, or per million tokens
    /// Index into the exploration's candidates; -1 = no such row.
    [[nodiscard]] int candidateAt(int row) const;
    [[nodiscard]] int rowOf(int candidate) const;
    [[nodiscard]] QString markOf(int candidate) const; ///< "p95-best", "mean-best", "now"
    [[nodiscard]] int present() const { return m_present; }
    [[nodiscard]] Estimate change(const ExploreCandidate& candidate) const; ///< of p95 against now, a share

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : kColumns; }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;
    [[nodiscard]] TableData table() const;

private:
    [[nodiscard]] double sortKey(int candidate, int column) const;
    [[nodiscard]] QString text(int candidate, int column) const;
    [[nodiscard]] TextRuns runs(int candidate, int column) const;

    std::shared_ptr<const Exploration> m_exploration;
    std::vector<int> m_order;
    format::TimeUnit m_unit{1, QStringLiteral("s")}; ///< of a column of times
    int m_present = -1, m_sorted = -1;
    bool m_isPerToken = false;
    Estimate m_now; ///< p95 of the scenario, as timeOf
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace prism::ui
