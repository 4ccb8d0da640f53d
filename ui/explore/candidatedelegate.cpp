// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/explore/candidatedelegate.h"

#include "ui/look/textruns.h"

#include <QPainter>

#include <algorithm>

namespace prism::ui {

namespace {

constexpr double kBarWidth = 36, kBarHeight = 8, kPad = 8; // at scale 1
constexpr double kTight = 0.97;                            // of the capacity: a few per cent more and it does not fit

} // namespace

void CandidateDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Look& look = m_theme.look();
    painter->save();
    painter->fillRect(option.rect, look[option.state & QStyle::State_Selected ? Role::selection : Role::panel]);
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), look[Role::separator]);
    QRectF rect = QRectF(option.rect).adjusted(look.px(kPad), 0, -look.px(kPad), 0);
    const auto runs = index.data(kRunsRole).value<TextRuns>();
    const bool isLeft = index.data(Qt::TextAlignmentRole).value<Qt::Alignment>() & Qt::AlignLeft;
    if (!isLeft)
        rect.setLeft(std::max(rect.left(), rect.right() - widthOf(runs, look)));
    drawRuns(*painter, rect, runs, look);
    const QVariant memory = index.data(kMemoryRole);
    if (memory.isValid() && rect.left() - option.rect.left() > look.px(kBarWidth + 2 * kPad)) {
        const auto share = memory.value<MemoryShare>();
        const double full = std::clamp(share.used / share.capacity, 0.0, 1.0);
        const QRectF bar(rect.left() - look.px(kPad + kBarWidth), rect.center().y() - look.pxF(kBarHeight / 2), look.pxF(kBarWidth),
                         look.pxF(kBarHeight));
        painter->fillRect(bar, look[Role::separator]);
        painter->fillRect(QRectF(bar.topLeft(), QSizeF(bar.width() * full, bar.height())), look[full > kTight ? Role::bad : Role::grey]);
    }
    painter->restore();
}

QSize CandidateDelegate::sizeHint(const QStyleOptionViewItem& /*option*/, const QModelIndex& index) const
{
    const Look& look = m_theme.look();
    const double bar = index.data(kMemoryRole).isValid() ? look.px(kBarWidth + 2 * kPad) : 0;
    const auto text = widthOf(index.data(kRunsRole).value<TextRuns>(), look);
    return {static_cast<int>(text + bar) + 2 * look.px(kPad) + 2, look.px(metric::row)};
}

} // namespace prism::ui
