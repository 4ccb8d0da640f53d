// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/pairedbars.h"

#include "ui/look/format.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

bool PairedRow::isClear() const
{
    constexpr double kPrinted = 0.0005;
    return std::abs(difference()) > std::max(std::hypot(allHalfWidth, slowHalfWidth), kPrinted);
}

TableData PairedBarChart::asTable() const
{
    TableData table;
    table.header = {u"id"_s,
                    u"label"_s,
                    m_data.allLabel + u" [share]"_s,
                    u"half-width 95 % [share]"_s,
                    m_data.slowLabel + u" [share]"_s,
                    u"half-width 95 % [share]"_s,
                    u"difference [share]"_s};
    for (const PairedRow& row : m_data.rows)
        table.rows << QStringList{row.id,
                                  row.label,
                                  tableNumber(row.all),
                                  tableNumber(row.allHalfWidth),
                                  tableNumber(row.slow),
                                  tableNumber(row.slowHalfWidth),
                                  tableNumber(row.difference())};
    return table;
}

QStringList PairedBarChart::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const PairedRow& row = m_data.rows[static_cast<std::size_t>(item)];
    return {row.label, u"%1: %2 (%3)"_s.arg(m_data.allLabel, format::percent(row.all), format::plainInterval(row.allHalfWidth * 100)),
            u"%1: %2 (%3)"_s.arg(m_data.slowLabel, format::percent(row.slow), format::plainInterval(row.slowHalfWidth * 100)),
            u"Difference: "_s + format::pointsDelta(row.difference())};
}

QList<LegendEntry> PairedBarChart::legend(const Look& look) const
{
    return {{LegendEntry::Mark::box, look[Role::grey], {}, {}, m_data.allLabel},
            {LegendEntry::Mark::box, look.palette().seriesAt(m_data.series), {}, {}, m_data.slowLabel}};
}

PairedBarChart::Layout PairedBarChart::layout(const Canvas& canvas, const QRectF& area) const
{
    Layout at = rows(canvas, area);
    double labels = 0, differences = 0, low = 0, high = 0;
    for (const PairedRow& row : m_data.rows) {
        labels = std::max(labels, canvas.width(row.label, Type::bodyStrong));
        differences = std::max(differences, canvas.width(format::pointsDelta(row.difference()), Type::smallStrong));
        low = std::min({low, row.all, row.slow});
        high = std::max({high, row.all, row.slow});
    }
    if (!(high > low))
        high = 0.01;
    at.labelWidth = std::min(labels + canvas.px(10), area.width() * 0.36);
    const double metric = canvas.width(u"00.0"_s, Type::tick) + canvas.px(6);
    at.left = area.left() + at.labelWidth + (low < 0 ? metric : 0);
    at.right = std::max(area.right() - differences - canvas.px(10) - metric, at.left + canvas.px(40));
    at.scale(low, high);
    return at;
}

void PairedBarChart::paintRow(Canvas& canvas, const QRectF& area, const Layout& at, int item) const
{
    const PairedRow& row = m_data.rows[static_cast<std::size_t>(item)];
    const Look& look = canvas.look;
    const double middle = at.middle(item), thick = std::round(std::min(canvas.px(9), at.rowHeight * 0.25)), gap = canvas.px(1);
    paintName(canvas, area, at, item, row.label);
    const auto bar = [&](double share, double top, const QColor& fill, Role metric) {
        const double x = at.zero + share * at.perUnit;
        canvas.fill(QRectF(QPointF(std::min(x, at.zero), std::round(top)), QPointF(std::max(x, at.zero), std::round(top) + thick)), fill);
        const bool left = share < 0;
        canvas.text({left ? x - canvas.px(5) : x + canvas.px(5), top + thick / 2}, format::fixed(share * 100, 1), Type::tick, metric,
                    (left ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    };
    bar(row.all, middle - thick - gap, look[Role::grey], Role::textTertiary);
    bar(row.slow, middle + gap, look.palette().seriesAt(m_data.series), Role::text);
    const bool clear = row.isClear() && row.difference() > 0;
    canvas.text({area.right(), middle}, format::pointsDelta(row.difference()), clear ? Type::smallStrong : Type::small,
                clear ? Role::bad : Role::textSecondary, Qt::AlignRight | Qt::AlignVCenter);
}

void PairedBarChart::paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const
{
    if (m_data.rows.empty())
        return;
    const Layout at = layout(canvas, area);
    canvas.text({area.right(), at.top - canvas.px(12)}, u"Difference"_s, Type::tick, Role::textSecondary,
                Qt::AlignRight | Qt::AlignVCenter);
    paintBands(canvas, area, at, interactive);
    const Ticks ticks = niceTicks((at.left - at.zero) / at.perUnit * 100, (at.right - at.zero) / at.perUnit * 100,
                                  std::max(2, static_cast<int>((at.right - at.left) / canvas.px(80))));
    paintAxis(canvas, at, {ticks, 100, false, m_data.quantity});
    canvas.vertical(at.zero, at.top, at.bottom, canvas.look.pen(Role::axis));
    for (int item = 0; item < itemCount(); ++item)
        paintRow(canvas, area, at, item);
}

} // namespace prism::ui
