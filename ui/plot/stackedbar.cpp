// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/stackedbar.h"

#include "ui/look/format.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr double kBar = 36, kKeyRow = 24, kKeyGap = 12, kKeyColumn = 230, kKeySpace = 24;     // at scale 1
constexpr double kThinGap = 10, kThinRow = 18, kMaxThinRow = 26, kThinBar = 10, kOverlap = 3; // at scale 1
} // namespace

void StackedBarChart::setData(const WaterfallData& data, std::vector<ThinBar> bars)
{
    m_data = data;
    m_bars = std::move(bars);
    dataChanged();
}

int StackedBarChart::partCount() const
{
    return static_cast<int>(std::ranges::count_if(m_data.rows, [](const WaterfallRow& r) { return r.kind != WaterfallRow::Kind::total; }));
}

TableData StackedBarChart::asTable() const
{
    TableData table = waterfallTable(m_data);
    for (const ThinBar& bar : m_bars)
        for (std::size_t part = 0; part < bar.values.size(); ++part)
            table.rows << QStringList{m_data.rows[part].id,
                                      u"%1: %2"_s.arg(bar.label, m_data.rows[part].label),
                                      tableNumber(bar.values[part] * m_data.perUnit),
                                      {},
                                      tableNumber(bar.overlapped[part] * m_data.perUnit)};
    return table;
}

QStringList StackedBarChart::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const int part = item % partCount(), bar = item / partCount();
    const WaterfallRow& row = m_data.rows[static_cast<std::size_t>(part)];
    if (bar > 0) {
        const ThinBar& thin = m_bars[static_cast<std::size_t>(bar - 1)];
        const double hidden = thin.overlapped[static_cast<std::size_t>(part)];
        QStringList lines{u"%1: %2"_s.arg(thin.label, row.label), format::seconds(valueOf(bar, part)).text()};
        if (hidden > 0)
            lines << tr("%1 more overlaps").arg(format::seconds(hidden).text());
        return lines;
    }
    QStringList lines{row.label, row.note.isEmpty() ? metricOf(row) : u"%1, %2 %"_s.arg(metricOf(row), row.note)};
    for (const QString& more : {row.interval, row.detail})
        if (!more.isEmpty())
            lines << more;
    return lines;
}

QString StackedBarChart::metricOf(const WaterfallRow& row) const
{
    return m_data.metricTitle.isEmpty() ? row.metric : row.metric + u' ' + m_data.axisTitle;
}

QColor StackedBarChart::colourOf(const Look& look, int part) const
{
    constexpr double kStrengths[] = {1, 0.68, 0.52, 0.4, 0.3, 0.22};
    const bool isGrouped = m_data.rows[static_cast<std::size_t>(part)].grouped;
    int before = 0; // parts of the same kind
    for (int i = 0; i < part; ++i)
        before += m_data.rows[static_cast<std::size_t>(i)].grouped == isGrouped ? 1 : 0;
    const QColor full = isGrouped ? look[Role::bad] : look.palette().seriesAt(m_data.series);
    return blend(full, look[Role::panel], kStrengths[std::min<std::size_t>(static_cast<std::size_t>(before), std::size(kStrengths) - 1)]);
}

double StackedBarChart::valueOf(int bar, int part) const
{
    const auto p = static_cast<std::size_t>(part);
    return std::max(0.0, bar == 0 ? m_data.rows[p].value : m_bars[static_cast<std::size_t>(bar - 1)].values[p]);
}

QRectF StackedBarChart::barRect(const QRectF& area, int bar) const
{
    if (bar == 0)
        return {area.left(), area.top(), area.width(), look().pxF(kBar)};
    double label = 0, note = 0;
    const QFontMetricsF metrics(look().font(Type::tick));
    for (const ThinBar& thin : m_bars) {
        label = std::max(label, metrics.horizontalAdvance(thin.label) + look().pxF(10));
        note = std::max(note, thin.note.isEmpty() ? 0 : metrics.horizontalAdvance(thin.note) + look().pxF(10));
    }
    const double top = keyRect(area, partCount() - 1).bottom() + look().pxF(kThinGap);
    const double row =
        std::clamp((area.bottom() - top) / static_cast<double>(m_bars.size()), look().pxF(kThinRow), look().pxF(kMaxThinRow));
    return {area.left() + label, top + row * (bar - 1), area.width() - label - note, look().pxF(kThinBar)};
}

QRectF StackedBarChart::partRect(const QRectF& area, int item) const
{
    const int part = item % partCount(), bar = item / partCount();
    const QRectF whole = barRect(area, bar);
    double from = 0, to = 0, all = 0;
    for (int i = 0; i < partCount(); ++i) {
        from += i < part ? valueOf(bar, i) : 0;
        to += i <= part ? valueOf(bar, i) : 0;
        all += valueOf(bar, i);
    }
    const double unit = all > 0 ? whole.width() / all : 0;
    return {QPointF(whole.left() + from * unit, whole.top()), QPointF(whole.left() + to * unit, whole.bottom())};
}

int StackedBarChart::keyColumns(double width) const
{
    return std::clamp(static_cast<int>(width / look().pxF(kKeyColumn)), 1, 4);
}

double StackedBarChart::minPlotHeight() const
{
    const int columns = keyColumns(width() - 2 * look().pxF(metric::cardPadding));
    return kBar + kKeyGap + kKeyRow * std::ceil(std::max(1, partCount()) / static_cast<double>(columns))
           + (m_bars.empty() ? 0 : kThinGap + kThinRow * static_cast<double>(m_bars.size()));
}

QRectF StackedBarChart::keyRect(const QRectF& area, int part) const
{
    const int columns = keyColumns(area.width());
    const double wide = area.width() / columns;
    return {area.left() + wide * (part % columns), area.top() + look().pxF(kBar + kKeyGap) + look().pxF(kKeyRow) * (part / columns),
            wide - look().pxF(kKeySpace), look().pxF(kKeyRow)};
}

void StackedBarChart::paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const
{
    for (int item = 0; item < partCount(); ++item) {
        const WaterfallRow& row = m_data.rows[static_cast<std::size_t>(item)];
        const QColor colour = colourOf(canvas.look, item);
        const QRectF part = partRect(area, item);
        canvas.fill(part.adjusted(0, 0, item + 1 < partCount() && part.width() > 3 ? -1 : 0, 0), colour);
        const QString inside = itemReading(item)[1];
        if (canvas.width(inside, Type::smallStrong) + canvas.px(20) < part.width())
            canvas.text({part.left() + canvas.px(10), part.center().y()}, inside, Type::smallStrong, readableOn(colour),
                        Qt::AlignLeft | Qt::AlignVCenter);
        const QRectF key = keyRect(area, item);
        const double y = key.center().y(), box = canvas.px(10);
        canvas.fill({key.left(), y - box / 2, box, box}, colour);
        const QString metric = metricOf(row);
        canvas.text({key.right(), y}, metric, Type::smallStrong, Role::text, Qt::AlignRight | Qt::AlignVCenter);
        const double left = key.left() + box + canvas.px(8);
        const double room = key.right() - canvas.width(metric, Type::smallStrong) - canvas.px(8) - left;
        canvas.text({left, y}, canvas.elided(row.label, Type::small, room), Type::small, Role::text, Qt::AlignLeft | Qt::AlignVCenter);
    }
    for (int bar = 1; bar <= static_cast<int>(m_bars.size()); ++bar)
        paintThinBar(canvas, area, bar);
    if (const int item = hasFocus() ? focusItem() : hoverItem(); interactive && item >= 0)
        canvas.outline(partRect(area, item).adjusted(0.5, 0.5, -0.5, -0.5), canvas.look.pen(Role::text));
}

void StackedBarChart::paintThinBar(Canvas& canvas, const QRectF& area, int bar) const
{
    const ThinBar& thin = m_bars[static_cast<std::size_t>(bar - 1)];
    const QRectF whole = barRect(area, bar);
    const double y = whole.center().y();
    canvas.text({area.left(), y}, thin.label, Type::tick, Role::textSecondary, Qt::AlignLeft | Qt::AlignVCenter);
    canvas.text({area.right(), y}, thin.note, Type::tick, Role::textSecondary, Qt::AlignRight | Qt::AlignVCenter);
    double all = 0, at = whole.left();
    for (int part = 0; part < partCount(); ++part)
        all += valueOf(bar, part);
    for (int part = 0; part < partCount(); ++part) {
        canvas.fill(partRect(area, bar * partCount() + part), colourOf(canvas.look, part));
        const double wide = all > 0 ? whole.width() * thin.overlapped[static_cast<std::size_t>(part)] / all : 0;
        canvas.fill({at, whole.bottom() + 1, wide, canvas.px(kOverlap)}, colourOf(canvas.look, part));
        at += wide;
    }
}

int StackedBarChart::itemAt(const Canvas& /*canvas*/, const QRectF& area, QPointF point) const
{
    for (int item = 0; item < itemCount(); ++item)
        if (partRect(area, item).contains(point) || (item < partCount() && keyRect(area, item).contains(point)))
            return item;
    return -1;
}

QPointF StackedBarChart::itemAnchor(const Canvas& /*canvas*/, const QRectF& area, int item) const
{
    return partRect(area, item).center();
}

} // namespace prism::ui
