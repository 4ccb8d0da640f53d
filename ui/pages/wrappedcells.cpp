// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/wrappedcells.h"

#include <QTableView>

#include <algorithm>

namespace prism::ui {

QSize WrappedCells::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QSize hint = QStyledItemDelegate::sizeHint(option, index);
    const auto* table = qobject_cast<const QTableView*>(option.widget);
    if (!table || !table->wordWrap())
        return hint;
    constexpr int kPadding = 8, kAround = 6, kTall = 10'000; // of an item in the style sheet, at scale 1; over and under the words
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    const int room = std::max(table->columnWidth(index.column()) - 2 * m_theme.px(kPadding) - 2, 1);
    const int words = QFontMetrics(cell.font).boundingRect(QRect(0, 0, room, kTall), Qt::TextWordWrap, cell.text).height();
    return {hint.width(), std::max(m_theme.px(metric::row), words + m_theme.px(kAround))};
}

} // namespace prism::ui
