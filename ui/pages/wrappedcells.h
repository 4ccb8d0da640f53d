// SPDX-License-Identifier: GPL-3.0-or-later
// Cells whose words continue beneath where a column ends.
#pragma once

#include "ui/theme/theme.h"

#include <QStyledItemDelegate>

class QTableView;
class QTreeView;

namespace prism::ui {

/// Gives the height that a cell needs for all its words. Qt's own hint forgets the padding of the style sheet, and shortens what needs it.
class WrappedCells final : public QStyledItemDelegate {
    Q_OBJECT
public:
    WrappedCells(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const Theme& m_theme;
};

/// Gives the view such cells, and rows that follow the widths of its columns.
void wrapCells(QTableView& table, const Theme& theme);
void wrapCells(QTreeView& tree, const Theme& theme);

} // namespace prism::ui
