// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/distribution/figuredelegate.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace prism::ui {

void FigureDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Look& look = m_theme.look();
    painter->save();
    const bool lit = option.state & QStyle::State_Selected || index.data(kBrushedRole).toBool();
    if (lit)
        painter->fillRect(option.rect, look[Role::selection]);
    if (lit && index.column() == 0)
        painter->fillRect(QRect(option.rect.topLeft(), QSize(look.px(metric::brushBar), option.rect.height())), look[Role::accent]);
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), look[Role::separator]);
    QRectF rect = QRectF(option.rect).adjusted(look.px(index.column() == 0 ? 16 : 8), 0, -look.px(8), 0);
    const QVariant sample = index.data(kSampleRole);
    if (sample.canConvert<SeriesSample>()) {
        const auto s = sample.value<SeriesSample>();
        drawSeriesSample(*painter, QRectF(rect.left(), rect.top(), look.px(30), rect.height()), look, s.colour, s.baseline, s.hidden);
        rect.setLeft(rect.left() + look.px(38));
    }
    const QList<FigureRuns> shown = lines(index);
    const double inset = shown.size() > 1 ? look.pxF(4) : 0, height = (rect.height() - 2 * inset) / static_cast<double>(shown.size());
    for (qsizetype i = 0; i < shown.size(); ++i)
        drawRuns(*painter, QRectF(rect.left(), rect.top() + inset + height * static_cast<double>(i), rect.width(), height), shown[i], look);
    painter->restore();
}

QList<FigureRuns> FigureDelegate::lines(const QModelIndex& index) const
{
    const QVariant given = index.data(kRunsRole);
    FigureRuns runs = given.canConvert<FigureRuns>() ? given.value<FigureRuns>() : FigureRuns{{index.data().toString()}};
    if (!m_stacked || runs.size() < 2)
        return {runs};
    FigureRuns under = runs.mid(1);
    under.front().text = under.front().text.trimmed();
    return {{runs.front()}, under};
}

QSize FigureDelegate::sizeHint(const QStyleOptionViewItem& /*option*/, const QModelIndex& index) const
{
    double widest = 0;
    for (const FigureRuns& line : lines(index)) {
        double width = 0;
        for (const FigureRun& run : line)
            width += QFontMetricsF(m_theme.font(run.type)).horizontalAdvance(run.text);
        widest = std::max(widest, width);
    }
    const int around = m_theme.px(24) + (index.data(kSampleRole).isValid() ? m_theme.px(46) : 0);
    return {around + static_cast<int>(widest) + 1, rowHeight()};
}

} // namespace prism::ui
