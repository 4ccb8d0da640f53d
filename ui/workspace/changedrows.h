// SPDX-License-Identifier: GPL-3.0-or-later
// Signals which rows of a table changed, so that a view repaints no others.
#pragma once

#include <QAbstractTableModel>
#include <QList>

namespace prism::ui {

/// Cell by cell where the rows are few, as a view draws all that it shows for a range; GUI thread only. Rows ascend.
void emitChangedRows(QAbstractTableModel& model, const QList<int>& rows);

} // namespace prism::ui
