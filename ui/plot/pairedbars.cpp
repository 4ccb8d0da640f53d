#include "ui/plot/pairedbars.h"

#include "ui/plot/ticks.h"
#include "ui/theme/format.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

/// A difference worth a colour: beyond its interval.
bool isClear(const PairedRow& row)
{
    return std::abs(row.difference()) > std::hypot(row.allHalfWidth, row.slowHalfWidth);
}

} // namespace

void PairedBarChart::setData(const PairedData& data)
{
    m_data = data;
    dataChanged();
}

void PairedBarChart::setHighlighted(const QString& id)
{
    m_data.highlighted = id;
    update();
}

TableData PairedBarChart::asTable() const
{
    TableData table;
    table.header = {u"id"_s, u"label"_s, m_data.allLabel + u" [share]"_s, u"half-width 95 % [share]"_s, m_data.slowLabel + u" [share]"_s,
                    u"half-width 95 % [share]"_s, u"difference [share]"_s};
    for (const PairedRow& row : m_data.rows)
        table.rows << QStringList{row.id, row.label, tableNumber(row.all), tableNumber(row.allHalfWidth), tableNumber(row.slow),
                                  tableNumber(row.slowHalfWidth), tableNumber(row.difference())};
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
    Layout at;
    at.top = area.top() + canvas.px(20);
    at.bottom = area.bottom() - canvas.px(40);
    const auto rows = std::max<std::size_t>(m_data.rows.size(), 1);
    at.rowHeight = std::clamp((at.bottom - at.top) / static_cast<double>(rows), canvas.px(22), canvas.px(46));
    at.bottom = std::min(at.bottom, at.top + at.rowHeight * static_cast<double>(rows));
    double labels = 0, differences = 0, low = 0, high = 0;
    for (const PairedRow& row : m_data.rows) {
        labels = std::max({labels, canvas.width(row.label, Type::bodyStrong), canvas.width(row.id, Type::tick)});
        differences = std::max(differences, canvas.width(format::pointsDelta(row.difference()), Type::smallStrong));
        low = std::min({low, row.all, row.slow});
        high = std::max({high, row.all, row.slow});
    }
    if (!(high > low))
        high = 0.01;
    at.labelWidth = std::min(labels + canvas.px(10), area.width() * 0.36);
    const double figure = canvas.width(u"00.0"_s, Type::tick) + canvas.px(6);
    at.left = area.left() + at.labelWidth + (low < 0 ? figure : 0);
    at.right = std::max(area.right() - differences - canvas.px(10) - figure, at.left + canvas.px(40));
    at.perUnit = (at.right - at.left) / (high - low);
    at.zero = at.left - low * at.perUnit;
    return at;
}

void PairedBarChart::paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const
{
    if (m_data.rows.empty())
        return;
    const Layout at = layout(canvas, area);
    const Look& look = canvas.look;
    const double pad = canvas.px(metric::cardPadding);
    const QColor slow = look.palette().seriesAt(m_data.series);
    canvas.text({area.right(), at.top - canvas.px(12)}, u"Difference"_s, Type::tick, Role::textSecondary, Qt::AlignRight | Qt::AlignVCenter);

    for (int item = 0; item < itemCount(); ++item) {
        const PairedRow& row = m_data.rows[static_cast<std::size_t>(item)];
        const QRectF band(area.left() - pad + 1, at.top + at.rowHeight * item, area.width() + 2 * pad - 2, at.rowHeight);
        if (interactive && !row.id.isEmpty() && row.id == m_data.highlighted) {
            canvas.fill(band, look[Role::selection]);
            canvas.fill(QRectF(band.topLeft(), QSizeF(canvas.px(metric::brushBar), band.height())), look[Role::accent]);
        }
        if (interactive && hasFocus() && item == focusItem())
            canvas.outline(band.adjusted(2, 1, -2, -1), look.pen(Role::accent, metric::focusRing));
    }
    const Ticks ticks = niceTicks((at.left - at.zero) / at.perUnit * 100, (at.right - at.zero) / at.perUnit * 100,
                                  std::max(2, static_cast<int>((at.right - at.left) / canvas.px(52))));
    for (const double value : ticks.values) {
        const double x = at.zero + value / 100 * at.perUnit;
        if (value != 0)
            canvas.vertical(x, at.top, at.bottom, look.pen(Role::grid));
        canvas.text({x, at.bottom + canvas.px(8)}, ticks.label(value), Type::tick, Role::textSecondary, Qt::AlignHCenter | Qt::AlignTop);
    }
    canvas.vertical(at.zero, at.top, at.bottom, look.pen(Role::axis));
    canvas.text({(at.left + at.right) / 2, at.bottom + canvas.px(24)}, m_data.quantity, Type::tick, Role::textSecondary, Qt::AlignHCenter | Qt::AlignTop);

    for (int item = 0; item < itemCount(); ++item) {
        const PairedRow& row = m_data.rows[static_cast<std::size_t>(item)];
        const double middle = at.top + at.rowHeight * (item + 0.5);
        const bool roomy = at.rowHeight >= canvas.px(30) && row.id != row.label;
        const double thick = std::round(std::min(canvas.px(9), at.rowHeight * 0.25)), gap = canvas.px(1);
        const bool brushed = !row.id.isEmpty() && row.id == m_data.highlighted;
        canvas.text({area.left(), middle - (roomy ? canvas.px(8) : 0)}, canvas.elided(row.label, Type::body, at.labelWidth - canvas.px(6)),
                    brushed ? Type::bodyStrong : Type::body, Role::text, Qt::AlignLeft | Qt::AlignVCenter);
        if (roomy)
            canvas.text({area.left(), middle + canvas.px(8)}, canvas.elided(row.id, Type::tick, at.labelWidth - canvas.px(6)), Type::tick, Role::textTertiary,
                        Qt::AlignLeft | Qt::AlignVCenter);
        const auto bar = [&](double share, double top, const QColor& fill, Role figure) {
            const double x = at.zero + share * at.perUnit;
            canvas.fill(QRectF(QPointF(std::min(x, at.zero), std::round(top)), QPointF(std::max(x, at.zero), std::round(top) + thick)), fill);
            const bool left = share < 0;
            canvas.text({left ? x - canvas.px(5) : x + canvas.px(5), top + thick / 2}, format::fixed(share * 100, 1), Type::tick, figure,
                        (left ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        };
        bar(row.all, middle - thick - gap, look[Role::grey], Role::textTertiary);
        bar(row.slow, middle + gap, slow, Role::text);
        const bool clear = isClear(row) && row.difference() > 0;
        canvas.text({area.right(), middle}, format::pointsDelta(row.difference()), clear ? Type::smallStrong : Type::small,
                    clear ? Role::bad : Role::textSecondary, Qt::AlignRight | Qt::AlignVCenter);
    }
}

int PairedBarChart::itemAt(const Canvas& canvas, const QRectF& area, QPointF at) const
{
    const Layout l = layout(canvas, area);
    const int item = static_cast<int>(std::floor((at.y() - l.top) / l.rowHeight));
    return item >= 0 && item < itemCount() ? item : -1;
}

QPointF PairedBarChart::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    const Layout l = layout(canvas, area);
    return {l.zero, l.top + l.rowHeight * (item + 0.6)};
}

} // namespace prism::ui
