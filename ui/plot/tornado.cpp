// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/tornado.h"

#include "ui/look/change.h"
#include "ui/look/format.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kLabelShare = 0.4; // of the width, at most

QString nameOf(const TornadoRow& row)
{
    return row.label + (row.nonMonotonic ? u" *"_s : QString());
}

} // namespace

void TornadoChart::setData(const TornadoData& data)
{
    m_data = data;
    dataChanged();
}

QString TornadoChart::changeText(double change) const
{
    return m_data.isShare ? format::pointsDelta(change) : format::secondsDelta(change);
}

QString TornadoChart::columnText(double change) const
{
    if (m_data.isShare)
        return format::pointsDelta(change);
    double largest = 0;
    for (const TornadoRow& row : m_data.rows)
        largest = std::max({largest, std::abs(row.removed.change), std::abs(row.doubled.change)});
    return format::secondsDelta(change, format::deltaScale(largest));
}

QString TornadoChart::endText(const TornadoEnd& end) const
{
    if (!(end.halfWidth > 0))
        return columnText(end.change);
    double largest = 0;
    for (const TornadoRow& row : m_data.rows)
        largest = std::max({largest, std::abs(row.removed.change), std::abs(row.doubled.change)});
    const format::DeltaScale column = m_data.isShare ? format::DeltaScale{{100, u"points"_s}, 1} : format::deltaScale(largest);
    const double change = end.change * column.unit.perSecond, half = end.halfWidth * column.unit.perSecond;
    if (std::abs(change) <= half)
        return format::plainInterval(half) + u' ' + column.unit.name; // as large as it may be
    const double shown = std::pow(10, -column.decimals);              // as the others of the column, where that leaves a figure
    return format::signedFigure(change, std::abs(change) < shown / 2 ? half : std::max(half, shown)) + u' ' + column.unit.name;
}

TableData TornadoChart::asTable() const
{
    const QString unit = m_data.isShare ? u"share"_s : u"s"_s;
    TableData table;
    table.header = {u"cause"_s,
                    u"label"_s,
                    u"input, spread removed"_s,
                    u"%1 change, spread removed [%2]"_s.arg(m_data.figure, unit),
                    u"half-width 95 % [%1]"_s.arg(unit),
                    u"input, spread doubled"_s,
                    u"%1 change, spread doubled [%2]"_s.arg(m_data.figure, unit),
                    u"half-width 95 % [%1]"_s.arg(unit),
                    u"non-monotonic"_s,
                    u"missing calibration"_s};
    for (const TornadoRow& row : m_data.rows)
        table.rows << QStringList{row.id,
                                  row.label,
                                  row.removed.input,
                                  tableNumber(row.removed.change),
                                  tableNumber(row.removed.halfWidth),
                                  row.doubled.input,
                                  tableNumber(row.doubled.change),
                                  tableNumber(row.doubled.halfWidth),
                                  row.nonMonotonic ? u"yes"_s : u"no"_s,
                                  row.missing};
    return table;
}

QStringList TornadoChart::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const TornadoRow& row = m_data.rows[static_cast<std::size_t>(item)];
    const auto end = [&](const QString& what, const TornadoEnd& e) {
        const QString interval =
            m_data.isShare ? format::plainInterval(e.halfWidth * 100) + u" points"_s : format::intervalBeside(e.change, e.halfWidth);
        return u"%1: %2 %3 (%4)"_s.arg(what, m_data.figure, changeText(e.change), interval)
               + (e.input.isEmpty() ? QString() : u", "_s + e.input);
    };
    QStringList lines{row.label, end(u"Spread removed"_s, row.removed), end(u"Spread doubled"_s, row.doubled)};
    if (row.nonMonotonic)
        lines << u"Not monotonic"_s;
    if (!row.missing.isEmpty())
        lines << u"Outside the calibrated range: "_s + row.missing;
    return lines;
}

QList<LegendEntry> TornadoChart::legend(const Look& look) const
{
    const QColor full = look.palette().seriesAt(m_data.series);
    QList<LegendEntry> entries{{LegendEntry::Mark::outlinedBox, look.palette().tint(full), full, {}, u"Spread removed"_s},
                               {LegendEntry::Mark::box, full, {}, {}, u"Spread doubled"_s}};
    if (std::any_of(m_data.rows.begin(), m_data.rows.end(), [](const TornadoRow& r) { return !r.missing.isEmpty(); }))
        entries << LegendEntry{LegendEntry::Mark::hatchedBox, look.palette().tint(full), look[Role::text], kUncalibratedHatch,
                               u"Outside calibration"_s};
    return entries;
}

std::optional<Reach> TornadoChart::ownReach() const
{
    if (m_data.rows.empty())
        return std::nullopt;
    Reach own;
    for (const TornadoRow& row : m_data.rows)
        for (const TornadoEnd& end : {row.removed, row.doubled})
            own = {std::min(own.low, end.change - end.halfWidth), std::max(own.high, end.change + end.halfWidth)};
    return own;
}

TornadoChart::Layout TornadoChart::layout(const Canvas& canvas, const QRectF& area) const
{
    Layout at = rows(canvas, area);
    double labels = 0, texts = 0;
    for (const TornadoRow& row : m_data.rows) {
        labels = std::max(labels, canvas.width(nameOf(row), Type::bodyStrong));
        for (const TornadoEnd& end : {row.removed, row.doubled})
            texts = std::max({texts, canvas.width(endText(end), Type::smallStrong), canvas.width(end.input, Type::tick)});
    }
    Reach all = ownReach().value_or(Reach{});
    if (reach())
        all = {std::min(all.low, reach()->low), std::max(all.high, reach()->high)};
    const double low = all.low;
    double high = all.high;
    if (!(high - low > 0))
        high = m_data.isShare ? 0.01 : 1e-3;
    at.labelWidth = std::min(labels + canvas.px(16), area.width() * kLabelShare);
    at.left = area.left() + at.labelWidth + texts + canvas.px(12);
    at.right = std::max(area.right() - texts - canvas.px(12), at.left + canvas.px(40));
    at.scale(low, high);
    return at;
}

void TornadoChart::paintChangeAxis(Canvas& canvas, const Layout& at) const
{
    const double low = (at.left - at.zero) / at.perUnit, high = (at.right - at.zero) / at.perUnit;
    const format::TimeUnit unit = m_data.isShare ? format::TimeUnit{100, u"points"_s} : format::timeUnit(std::max(-low, high));
    const Ticks ticks =
        niceTicks(low * unit.perSecond, high * unit.perSecond, std::max(3, static_cast<int>((at.right - at.left) / canvas.px(44))));
    paintAxis(canvas, at, {ticks, unit.perSecond, true, u"Change of %1, %2"_s.arg(m_data.figure, unit.name)});
    for (const double value : ticks.values) {
        const double x = at.zero + value / unit.perSecond * at.perUnit;
        canvas.vertical(x, at.bottom, at.bottom + canvas.px(4), canvas.look.pen(Role::axis));
    }
    canvas.horizontal(at.left, at.right, at.bottom, canvas.look.pen(Role::axis));
}

void TornadoChart::paintRow(Canvas& canvas, const QRectF& area, const Layout& at, int item) const
{
    const TornadoRow& row = m_data.rows[static_cast<std::size_t>(item)];
    const Look& look = canvas.look;
    const double middle = at.middle(item), half = std::round(std::min(at.rowHeight * 0.28, canvas.px(12)));
    paintName(canvas, area, at, item, nameOf(row));

    const QColor full = row.isOthers ? look[Role::grey] : look.palette().seriesAt(m_data.series);
    const auto bar = [&](const TornadoEnd& end, const QColor& fill, bool outlined, double thickness) {
        const double x = at.zero + end.change * at.perUnit;
        QRectF rect(QPointF(std::min(x, at.zero), middle - thickness), QPointF(std::max(x, at.zero), middle + thickness));
        if (rect.width() < canvas.px(1))
            rect.setWidth(canvas.px(1));
        canvas.fill(rect, fill);
        if (!row.missing.isEmpty())
            canvas.look.drawHatch(canvas.painter, rect, kUncalibratedHatch, readableOn(fill), canvas.isVector());
        if (outlined)
            canvas.outline(rect.adjusted(0.5, 0.5, -0.5, -0.5), QPen(full, canvas.px(1), Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
        if (end.halfWidth > 0 && !row.isOthers) {
            const double w = end.halfWidth * at.perUnit, cap = canvas.px(3);
            if (w >= 1) {
                canvas.horizontal(x - w, x + w, middle, look.pen(Role::text));
                canvas.vertical(x - w, middle - cap, middle + cap, look.pen(Role::text));
                canvas.vertical(x + w, middle - cap, middle + cap, look.pen(Role::text));
            }
        }
        return x;
    };
    // Both ends on the same side (not monotonic): the removed one lies thinner on top.
    const bool sameSide = row.removed.change * row.doubled.change > 0;
    const QColor tint = row.isOthers ? full : look.palette().tint(full);
    if (sameSide) {
        bar(row.doubled, full, false, half);
        bar(row.removed, tint, true, std::round(half * 0.5));
    } else {
        bar(row.removed, tint, !row.isOthers, half);
        bar(row.doubled, full, false, half);
    }

    const auto write = [&](const TornadoEnd& end, double x, bool left) {
        const Qt::Alignment side = left ? Qt::AlignRight : Qt::AlignLeft;
        const bool twoLines = isRoomy(canvas, at) && !end.input.isEmpty();
        canvas.text({x, middle - (twoLines ? canvas.px(8) : 0)}, endText(end), Type::smallStrong, Role::text, side | Qt::AlignVCenter);
        if (twoLines)
            canvas.text({x, middle + canvas.px(8)}, end.input, Type::tick, Role::textSecondary, side | Qt::AlignVCenter);
    };
    const auto reach = [&](bool left) {
        double x = at.zero;
        for (const TornadoEnd& end : {row.removed, row.doubled}) {
            const double w = row.isOthers ? 0 : end.halfWidth;
            x = left ? std::min(x, at.zero + (end.change - w) * at.perUnit) : std::max(x, at.zero + (end.change + w) * at.perUnit);
        }
        return x;
    };
    const bool removedLeft = row.removed.change < row.doubled.change || (row.removed.change == row.doubled.change);
    write(removedLeft ? row.removed : row.doubled, reach(true) - canvas.px(8), true);
    write(removedLeft ? row.doubled : row.removed, reach(false) + canvas.px(8), false);
}

void TornadoChart::paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const
{
    if (m_data.rows.empty())
        return;
    const Layout at = layout(canvas, area);
    paintBands(canvas, area, at, interactive);
    paintChangeAxis(canvas, at);
    for (int item = 0; item < itemCount(); ++item)
        paintRow(canvas, area, at, item);
    canvas.vertical(at.zero, at.top - canvas.px(6), at.bottom, canvas.look.pen(Role::text, metric::limitLine));
    canvas.flag(at.zero, at.top - canvas.px(4), m_data.baseline, area.left(), area.right());
}

} // namespace prism::ui
