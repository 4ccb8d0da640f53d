// SPDX-License-Identifier: GPL-3.0-or-later
// Tells a view which rows of a table changed, so that it draws no others.
#pragma once

#include <QAbstractTableModel>
#include <QList>

namespace prism::ui {

/// Cell by cell where the rows are few, as a view draws all that it shows for a range; GUI thread only. Rows ascend.
void emitChangedRows(QAbstractTableModel& model, const QList<int>& rows);

} // namespace prism::ui
