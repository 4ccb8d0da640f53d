// SPDX-License-Identifier: GPL-3.0-or-later
// Next moves as a table: the change, its gain at p95, the new p95, memory, and whether it reaches the goal.
#pragma once

#include "ui/findings/goalmoves.h"
#include "ui/look/tabledata.h"

#include <QAbstractTableModel>

namespace prism::ui {

/// GUI thread only. Rows are as core ranks them: largest gain first.
class MovesModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { numberColumn, moveColumn, gainColumn, p95Column, memoryColumn, goalColumn, kColumns };

    using QAbstractTableModel::QAbstractTableModel;
    void setMoves(const Moves& moves, double goalSeconds);

    [[nodiscard]] const Move* moveAt(int row) const;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : kColumns; }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] TableData table() const;

private:
    [[nodiscard]] QString text(const Move& move, int row, int column) const;

    Moves m_moves;
    double m_goal = 0;
};

} // namespace prism::ui
