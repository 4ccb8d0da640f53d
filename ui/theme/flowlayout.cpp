// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/flowlayout.h"

#include <algorithm>

namespace prism::ui {

namespace {

int heightOf(const QList<QLayoutItem*>& line)
{
    int height = 0;
    for (const QLayoutItem* item : line)
        height = std::max(height, item->sizeHint().height());
    return height;
}

} // namespace

FlowLayout::~FlowLayout()
{
    qDeleteAll(m_items);
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

QList<QList<QLayoutItem*>> FlowLayout::lines(int width) const
{
    QList<QList<QLayoutItem*>> found;
    int used = 0;
    for (QLayoutItem* item : m_items) {
        if (item->isEmpty())
            continue;
        const int need = item->sizeHint().width();
        if (found.isEmpty() || used + spacing() + need > width) {
            found << QList<QLayoutItem*>{item};
            used = need;
        } else {
            found.back() << item;
            used += spacing() + need;
        }
    }
    return found;
}

QSize FlowLayout::around() const
{
    const QMargins margins = contentsMargins();
    return {margins.left() + margins.right(), margins.top() + margins.bottom()};
}

int FlowLayout::heightForWidth(int width) const
{
    int height = 0;
    for (const auto& line : lines(width - around().width()))
        height += (height > 0 ? spacing() / 2 : 0) + heightOf(line);
    return height + around().height();
}

QSize FlowLayout::sizeHint() const
{
    QSize hint;
    for (const QLayoutItem* item : m_items)
        if (!item->isEmpty())
            hint = {hint.width() + (hint.width() > 0 ? spacing() : 0) + item->sizeHint().width(),
                    std::max(hint.height(), item->sizeHint().height())};
    return hint + around();
}

QSize FlowLayout::minimumSize() const
{
    QSize smallest;
    for (const QLayoutItem* item : m_items)
        if (!item->isEmpty())
            smallest = smallest.expandedTo(item->sizeHint());
    return smallest + around();
}

int FlowLayout::widthIn(const QList<QLayoutItem*>& line, const QLayoutItem& item, int width) const
{
    if (!(item.alignment() & Qt::AlignJustify))
        return item.sizeHint().width();
    int rest = width - spacing() * (static_cast<int>(line.size()) - 1);
    for (const QLayoutItem* other : line)
        rest -= other == &item ? 0 : other->sizeHint().width();
    return rest;
}

void FlowLayout::setGeometry(const QRect& whole)
{
    QLayout::setGeometry(whole);
    const QRect rect = whole.marginsRemoved(contentsMargins());
    const auto all = lines(rect.width());
    int y = rect.top() + std::max(0, (whole.height() - heightForWidth(whole.width())) / 2);
    for (const auto& line : all) {
        const int height = heightOf(line);
        int x = rect.left();
        for (QLayoutItem* item : line) {
            const QSize size(widthIn(line, *item, rect.width()), item->sizeHint().height());
            if ((item->alignment() & Qt::AlignRight) && &line == &all.front()) // on a separate line it would hang in the middle
                x = rect.right() + 1 - size.width();
            const QRect place(QPoint(x, y + (height - size.height()) / 2), size);
            if (QWidget* part = item->widget(); part && (item->alignment() & Qt::AlignJustify))
                part->setGeometry(place); // an item that is aligned is never wider than its hint
            else
                item->setGeometry(place);
            x += size.width() + spacing();
        }
        y += height + spacing() / 2;
    }
}

} // namespace prism::ui
