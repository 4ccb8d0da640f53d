// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of a side card and its texts, the text of an empty table, and cells whose words continue beneath.
#pragma once

#include "ui/theme/theme.h"

#include <QLabel>
#include <QStyledItemDelegate>

class QFrame;
class QLabel;
class QTableView;
class QTableWidget;
class QVBoxLayout;
class QWidget;
class QAbstractItemView;
class QTreeView;

namespace prism::ui {

/// Makes a frame a card; the layout that its parts go into.
QVBoxLayout* makeCard(QFrame& frame, const Theme& theme);
/// A text that wraps and can be selected; type and role as the style sheet reads them.
[[nodiscard]] QLabel* cardText(const QString& type, const QString& role = {}, const QString& text = {});

void dim(QWidget& part, bool on);
/// Dims a card and shows the reason at its upper right; an empty note ends it.
void setCardStale(QWidget& card, const QString& note);
/// Keeps the columns as wide as their contents when the size of the type changes.
void keepColumnsFitted(QTableView& table, const Theme& theme);
/// Makes the table as high as its rows: what is around it scrolls.
void showAllRows(QTableView& table);
/// Headings are over what they head: words at the left, numbers at the right. `words`: columns of words.
void alignHeadings(QTableWidget& table, const QList<int>& words);

/// GUI thread only. Follows the rows and the size of its table, which owns it.
class EmptyNote final : public QLabel {
    Q_OBJECT
public:
    explicit EmptyNote(QAbstractItemView& table);
    void showMessage(const QString& sentence); ///< empty = nothing

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void follow();
    QAbstractItemView& m_table;
};

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
