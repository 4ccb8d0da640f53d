// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/poolchart.h"

#include "ui/look/format.h"

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

TableData PoolChart::asTable() const
{
    TableData table;
    table.header = {u"from [s]"_s, u"to [s]"_s, u"share of values"_s, u"share by the family"_s};
    const PoolHistogram& h = m_data.histogram;
    for (int bin = 0; bin < itemCount(); ++bin) {
        const auto i = static_cast<std::size_t>(bin);
        table.rows << QStringList{tableNumber(from(bin)), tableNumber(from(bin + 1)), tableNumber(h.shares[i]),
                                  i < h.familyShares.size() ? tableNumber(h.familyShares[i]) : QString()};
    }
    return table;
}

QStringList PoolChart::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const auto i = static_cast<std::size_t>(item);
    const PoolHistogram& h = m_data.histogram;
    QStringList lines{tr("%1 to %2").arg(format::seconds(from(item)).text(), format::seconds(from(item + 1)).text()),
                      tr("%1 of the values").arg(format::percent(h.shares[i]))};
    if (i < h.familyShares.size())
        lines << tr("%1 by the family").arg(format::percent(h.familyShares[i]));
    return lines;
}

Axes PoolChart::axes(const Canvas& canvas, const QRectF& area) const
{
    const PoolHistogram& h = m_data.histogram;
    double largest = 0;
    for (const double share : h.shares)
        largest = std::max(largest, share);
    for (const double share : h.familyShares)
        largest = std::max(largest, share);
    Axes axes;
    const Ticks ticks = niceTicks(0, std::max(largest * 100, 1e-6), 4);
    axes.plot = area.adjusted(yAxisWidth(canvas, ticks), yAxisHead(canvas), -canvas.px(4), -xAxisHeight(canvas));
    const double width = h.width > 0 ? h.width : std::max(h.low * 0.01, 1e-9);
    axes.x = {h.low, h.low + width * std::max(1, itemCount()), false};
    axes.y = {0, std::max(largest * 100, 1e-6) * 1.05, false};
    return axes;
}

void PoolChart::paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const
{
    const PoolHistogram& h = m_data.histogram;
    if (h.shares.empty())
        return;
    const Axes at = axes(canvas, area);
    const format::TimeUnit unit = format::timeUnit(at.x.high);
    paintYAxis(canvas, at, {niceTicks(0, at.y.high, 4), tr("Share of values, %"), 1}, area.left());
    paintXAxis(canvas, at,
               {niceTicks(at.x.low * unit.perSecond, at.x.high * unit.perSecond, 6), tr("Duration, %1").arg(unit.name), unit.perSecond});
    const QColor own = canvas.look.palette().seriesAt(m_data.series);
    const double binWidth = at.plot.width() / itemCount();
    for (int bin = 0; bin < itemCount(); ++bin) {
        const double y = at.py(h.shares[static_cast<std::size_t>(bin)] * 100), x = at.plot.left() + bin * binWidth;
        const bool focused = interactive && (bin == focusItem() || bin == hoverItem());
        canvas.fill(QRectF(x + 0.5, y, std::max(1.0, binWidth - 1), at.plot.bottom() - y),
                    blend(own, canvas[Role::panel], focused ? 0.7 : 0.37));
    }
    QPolygonF family;
    for (std::size_t bin = 0; bin < h.familyShares.size(); ++bin)
        family << QPointF(at.plot.left() + (static_cast<double>(bin) + 0.5) * binWidth, at.py(h.familyShares[bin] * 100));
    paintLine(canvas, at, family, QPen(canvas[Role::text], canvas.px(metric::limitLine)));
}

int PoolChart::itemAt(const Canvas& canvas, const QRectF& area, QPointF at) const
{
    const Axes where = axes(canvas, area);
    if (itemCount() == 0 || !where.plot.contains(at))
        return -1;
    return std::clamp(static_cast<int>((at.x() - where.plot.left()) / where.plot.width() * itemCount()), 0, itemCount() - 1);
}

QPointF PoolChart::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    const Axes at = axes(canvas, area);
    return {at.plot.left() + (item + 0.5) * at.plot.width() / std::max(1, itemCount()),
            at.py(m_data.histogram.shares[static_cast<std::size_t>(item)] * 100)};
}

QList<LegendEntry> PoolChart::legend(const Look& look) const
{
    if (m_data.histogram.shares.empty())
        return {};
    QList<LegendEntry> entries{
        {LegendEntry::Mark::box, blend(look.palette().seriesAt(m_data.series), look[Role::panel], 0.37), {}, {}, tr("Measured")}};
    if (!m_data.family.isEmpty())
        entries << LegendEntry{LegendEntry::Mark::line, look[Role::text], {}, {}, m_data.family};
    return entries;
}

} // namespace prism::ui
