// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/changedrows.h"

namespace prism::ui {

void emitChangedRows(QAbstractTableModel& model, const QList<int>& rows)
{
    constexpr qsizetype kFewRows = 8;
    if (rows.isEmpty())
        return;
    const int columns = model.columnCount();
    if (rows.size() > kFewRows) {
        Q_EMIT model.dataChanged(model.index(rows.front(), 0), model.index(rows.back(), columns - 1));
        return;
    }
    for (const int row : rows)
        for (int column = 0; column < columns; ++column)
            Q_EMIT model.dataChanged(model.index(row, column), model.index(row, column));
}

} // namespace prism::ui
