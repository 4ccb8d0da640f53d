// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/card.h"

#include "ui/theme/plaintext.h"

#include <QAbstractItemView>
#include <QEvent>
#include <QFrame>
#include <QGraphicsOpacityEffect>
#include <QHeaderView>
#include <QLabel>
#include <QStyle>
#include <QTableView>
#include <QTableWidget>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

using namespace Qt::StringLiterals;

QVBoxLayout* makeCard(QFrame& frame, const Theme& theme)
{
    frame.setProperty("card", true);
    auto* layout = new QVBoxLayout(&frame);
    const int pad = theme.px(metric::cardPadding);
    layout->setContentsMargins(pad, theme.px(12), pad, theme.px(12));
    layout->setSpacing(theme.px(4));
    return layout;
}

QLabel* cardText(const QString& type, const QString& role, const QString& text)
{
    auto* label = plainLabel(text, role, type);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

void dim(QWidget& part, bool on)
{
    auto* effect = on ? new QGraphicsOpacityEffect : nullptr;
    if (effect)
        effect->setOpacity(metric::staleOpacity);
    part.setGraphicsEffect(effect);
}

void setCardStale(QWidget& card, const QString& note)
{
    auto* label = card.findChild<QLabel*>(u"staleNote"_s, Qt::FindDirectChildrenOnly);
    const bool wasStale = label && !label->isHidden();
    if (note.isEmpty() && !wasStale)
        return;
    if (!label) {
        label = cardText(u"small"_s, u"tertiary"_s);
        label->setObjectName(u"staleNote"_s);
        label->setWordWrap(false);
        label->setParent(&card);
        label->setProperty("surface", u"panel"_s);
    }
    label->setVisible(!note.isEmpty());
    label->setText(note);
    label->adjustSize();
    const int around = label->fontMetrics().height() / 2;
    label->move(std::max(0, card.width() - label->width() - around), around);
    label->raise();
    if (wasStale != note.isEmpty())
        return; // dimmed already
    for (QWidget* part : card.findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
        dim(*part, part != label && !note.isEmpty());
}

void keepColumnsFitted(QTableView& table, const Theme& theme)
{
    QObject::connect(&theme, &Theme::changed, &table, [&table] {
        table.resizeColumnsToContents();
        QHeaderView& header = *table.horizontalHeader();
        for (int column = 0; column < header.count(); ++column)
            if (header.sectionResizeMode(column) == QHeaderView::Stretch)
                header.setSectionResizeMode(column, QHeaderView::Stretch); // takes what the others leave again
    });
}

void showAllRows(QTableView& table)
{
    table.setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
    table.setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    table.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

void alignHeadings(QTableWidget& table, const QList<int>& words)
{
    for (int column = 0; column < table.columnCount(); ++column)
        if (QTableWidgetItem* heading = table.horizontalHeaderItem(column))
            heading->setTextAlignment((words.contains(column) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

EmptyNote::EmptyNote(QAbstractItemView& table) : QLabel(table.viewport()), m_table(table)
{
    setTextFormat(Qt::PlainText);
    setWordWrap(true);
    setAlignment(Qt::AlignCenter);
    setProperty("role", u"secondary"_s);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setContentsMargins(8, 0, 8, 0);
    const QAbstractItemModel* model = table.model();
    connect(model, &QAbstractItemModel::rowsInserted, this, &EmptyNote::follow);
    connect(model, &QAbstractItemModel::rowsRemoved, this, &EmptyNote::follow);
    connect(model, &QAbstractItemModel::modelReset, this, &EmptyNote::follow);
    table.viewport()->installEventFilter(this);
    follow();
}

void EmptyNote::showMessage(const QString& sentence)
{
    if (sentence == text())
        return;
    setText(sentence);
    follow();
}

bool EmptyNote::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        follow();
    return QLabel::eventFilter(watched, event);
}

void EmptyNote::follow()
{
    const bool empty = m_table.model()->rowCount() == 0;
    setVisible(empty && !text().isEmpty());
    setGeometry(m_table.viewport()->rect());
    m_table.setAccessibleDescription(empty ? text() : QString());
    m_table.setHorizontalScrollBarPolicy(empty ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
}

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
