// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/wrappedcells.h"

#include <QHeaderView>
#include <QStyle>
#include <QTableView>
#include <QTreeView>

#include <algorithm>
#include <optional>

namespace prism::ui {

namespace {

/// Indentation of an item of the tree's first column.
int indentOf(const QTreeView& tree, QModelIndex index)
{
    int depth = tree.rootIsDecorated() ? 1 : 0;
    while ((index = index.parent()).isValid())
        ++depth;
    return depth * tree.indentation();
}

/// The width of a cell of a view that wraps words; nothing where it does not.
std::optional<int> wrappedWidth(const QWidget* view, const QModelIndex& index)
{
    if (const auto* table = qobject_cast<const QTableView*>(view); table && table->wordWrap())
        return table->columnWidth(index.column());
    if (const auto* tree = qobject_cast<const QTreeView*>(view); tree && tree->wordWrap())
        return tree->columnWidth(index.column()) - (index.column() == 0 ? indentOf(*tree, index) : 0);
    return std::nullopt;
}

} // namespace

QSize WrappedCells::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QSize hint = QStyledItemDelegate::sizeHint(option, index);
    const std::optional<int> width = wrappedWidth(option.widget, index);
    if (!width)
        return hint;
    constexpr int kPadding = 8, kAround = 10, kTall = 10'000; // next to the words of a cell, at scale 1; over and under them
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    const int own = option.widget->style()->pixelMetric(QStyle::PM_FocusFrameHMargin, &option, option.widget) + 1; // as the style paints it
    const int box = cell.features & QStyleOptionViewItem::HasCheckIndicator
                        ? option.widget->style()->pixelMetric(QStyle::PM_IndicatorWidth, &option, option.widget) + 2 * own
                        : 0;
    const int room = std::max(*width - box - 2 * m_theme.px(kPadding), 2);
    const QFontMetrics metrics(cell.font);
    const QSize whole = metrics.size(0, cell.text); // a column that was fitted to its words has just this room
    const int words =
        whole.width() <= room ? whole.height() : metrics.boundingRect(QRect(0, 0, room - 1, kTall), Qt::TextWordWrap, cell.text).height();
    return {hint.width(), std::max(m_theme.px(metric::row), words + m_theme.px(kAround))};
}

void wrapCells(QTableView& table, const Theme& theme)
{
    table.setWordWrap(true);
    table.setItemDelegate(new WrappedCells(theme, &table));
    table.verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    QObject::connect(table.horizontalHeader(), &QHeaderView::sectionResized, &table, [&table] { table.resizeRowsToContents(); });
}

void wrapCells(QTreeView& tree, const Theme& theme)
{
    tree.setWordWrap(true);
    tree.setItemDelegate(new WrappedCells(theme, &tree));
    QObject::connect(tree.header(), &QHeaderView::sectionResized, &tree, [&tree] { tree.doItemsLayout(); });
}

} // namespace prism::ui
