// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/stackedbar.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr double kBar = 36, kKeyRow = 24, kKeyGap = 12, kKeyColumn = 230, kKeySpace = 24; // at scale 1
}

void StackedBarChart::setData(const WaterfallData& data)
{
    m_data = data;
    dataChanged();
}

int StackedBarChart::itemCount() const
{
    return static_cast<int>(std::ranges::count_if(m_data.rows, [](const WaterfallRow& r) { return r.kind != WaterfallRow::Kind::total; }));
}

QStringList StackedBarChart::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const WaterfallRow& row = m_data.rows[static_cast<std::size_t>(item)];
    QStringList lines{row.label, u"%1 %2, %3 %"_s.arg(row.metric, m_data.axisTitle, row.note)};
    for (const QString& more : {row.interval, row.detail})
        if (!more.isEmpty())
            lines << more;
    return lines;
}

QColor StackedBarChart::colourOf(const Look& look, int item) const
{
    constexpr double kStrengths[] = {1, 0.68, 0.52, 0.4, 0.3, 0.22};
    const bool isGrouped = m_data.rows[static_cast<std::size_t>(item)].grouped;
    int before = 0; // parts of the same kind
    for (int i = 0; i < item; ++i)
        before += m_data.rows[static_cast<std::size_t>(i)].grouped == isGrouped ? 1 : 0;
    const QColor full = isGrouped ? look[Role::bad] : look.palette().seriesAt(m_data.series);
    return blend(full, look[Role::panel], kStrengths[std::min<std::size_t>(static_cast<std::size_t>(before), std::size(kStrengths) - 1)]);
}

QRectF StackedBarChart::partRect(const QRectF& area, int item) const
{
    double from = 0, to = 0, all = 0;
    for (int i = 0; i < itemCount(); ++i) {
        const double value = std::max(0.0, m_data.rows[static_cast<std::size_t>(i)].value);
        from += i < item ? value : 0;
        to += i <= item ? value : 0;
        all += value;
    }
    const double unit = all > 0 ? area.width() / all : 0;
    return {QPointF(area.left() + from * unit, area.top()), QPointF(area.left() + to * unit, area.top() + look().pxF(kBar))};
}

int StackedBarChart::keyColumns(double width) const
{
    return std::clamp(static_cast<int>(width / look().pxF(kKeyColumn)), 1, 4);
}

double StackedBarChart::minPlotHeight() const
{
    const int columns = keyColumns(width() - 2 * look().pxF(metric::cardPadding));
    return kBar + kKeyGap + kKeyRow * std::ceil(std::max(1, itemCount()) / static_cast<double>(columns));
}

QRectF StackedBarChart::keyRect(const Canvas& canvas, const QRectF& area, int item) const
{
    const int columns = keyColumns(area.width());
    const double wide = area.width() / columns;
    return {area.left() + wide * (item % columns), area.top() + canvas.px(kBar + kKeyGap) + canvas.px(kKeyRow) * (item / columns),
            wide - canvas.px(kKeySpace), canvas.px(kKeyRow)};
}

void StackedBarChart::paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const
{
    for (int item = 0; item < itemCount(); ++item) {
        const WaterfallRow& row = m_data.rows[static_cast<std::size_t>(item)];
        const QColor colour = colourOf(canvas.look, item);
        const QRectF part = partRect(area, item);
        canvas.fill(part.adjusted(0, 0, item + 1 < itemCount() && part.width() > 3 ? -1 : 0, 0), colour);
        const QString inside = tr("%1 %2, %3 %").arg(row.metric, m_data.axisTitle, row.note);
        if (canvas.width(inside, Type::smallStrong) + canvas.px(20) < part.width())
            canvas.text({part.left() + canvas.px(10), part.center().y()}, inside, Type::smallStrong, readableOn(colour),
                        Qt::AlignLeft | Qt::AlignVCenter);
        const QRectF key = keyRect(canvas, area, item);
        const double y = key.center().y(), box = canvas.px(10);
        canvas.fill({key.left(), y - box / 2, box, box}, colour);
        if (interactive && item == (hasFocus() ? focusItem() : hoverItem()))
            canvas.outline(part.adjusted(0.5, 0.5, -0.5, -0.5), canvas.look.pen(Role::text));
        const QString metric = row.metric + u' ' + m_data.axisTitle;
        canvas.text({key.right(), y}, metric, Type::smallStrong, Role::text, Qt::AlignRight | Qt::AlignVCenter);
        const double left = key.left() + box + canvas.px(8);
        const double room = key.right() - canvas.width(metric, Type::smallStrong) - canvas.px(8) - left;
        canvas.text({left, y}, canvas.elided(row.label, Type::small, room), Type::small, Role::text, Qt::AlignLeft | Qt::AlignVCenter);
    }
}

int StackedBarChart::itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const
{
    for (int item = 0; item < itemCount(); ++item)
        if (partRect(area, item).contains(point) || keyRect(canvas, area, item).contains(point))
            return item;
    return -1;
}

QPointF StackedBarChart::itemAnchor(const Canvas& /*canvas*/, const QRectF& area, int item) const
{
    return partRect(area, item).center();
}

} // namespace prism::ui
