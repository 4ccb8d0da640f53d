// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/waterfall.h"

#include "ui/plot/axes.h"

#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kMinRow = 22, kCrampedRow = 17, kHighestRow = 40, kHead = 22, kFoot = 34; // at scale 1

/// Begin and end of each row on the axis.
struct Reached {
    double from = 0, to = 0;
};

std::vector<Reached> reached(const WaterfallData& d)
{
    std::vector<Reached> all;
    double at = 0;
    for (const WaterfallRow& row : d.rows) {
        const bool whole = row.kind == WaterfallRow::Kind::first || row.kind == WaterfallRow::Kind::total;
        const double to = whole ? row.value : at + row.value;
        all.push_back({whole ? 0 : at, to});
        at = to;
    }
    return all;
}

/// The places of rows, columns and values.
struct Columns {
    double top = 0, bottom = 0, rowHeight = 0;
    double labelRight = 0, metricRight = 0, intervalLeft = 0, noteRight = 0;
    Axes axes;
    bool broken = false;
    [[nodiscard]] double middle(std::size_t row) const { return top + rowHeight * (static_cast<double>(row) + 0.5); }
};

void setRange(Columns& at, const WaterfallData& d)
{
    double low = 1e300, high = -1e300;
    for (const Reached& r : reached(d)) {
        low = std::min(low, r.to);
        high = std::max({high, r.from, r.to});
    }
    for (const WaterfallRow& row : d.rows)
        if (row.whiskerHigh > row.whiskerLow) {
            low = std::min(low, row.whiskerLow);
            high = std::max(high, row.whiskerHigh);
        }
    if (!(high > low)) {
        low = std::min(low, 0.0);
        high = std::max(high, low + 1e-9);
    }
    // A first value far above its changes would hide them: the axis then begins below the lowest end, and is drawn broken.
    at.broken = low > 3 * (high - low);
    const double air = 0.12 * (high - low);
    at.axes.x = {at.broken ? low - 2.4 * air : std::min(0.0, low - air), high + air, false};
}

Columns columnsOf(const Canvas& canvas, const QRectF& area, const WaterfallData& d)
{
    Columns at;
    at.top = area.top() + canvas.px(kHead);
    at.bottom = area.bottom() - canvas.px(kFoot);
    at.rowHeight = std::clamp((at.bottom - at.top) / std::max<double>(1, static_cast<double>(d.rows.size())), canvas.px(kCrampedRow),
                              canvas.px(kHighestRow));
    at.bottom = at.top + at.rowHeight * static_cast<double>(d.rows.size());
    double labels = 0, metrics = canvas.width(d.metricTitle, Type::tick), intervals = 0, notes = canvas.width(d.noteTitle, Type::tick);
    for (const WaterfallRow& row : d.rows) {
        labels = std::max({labels, canvas.width(row.label, Type::bodyStrong), canvas.width(row.detail, Type::tick)});
        metrics = std::max(metrics, canvas.width(row.metric, Type::bodyStrong));
        intervals = std::max(intervals, canvas.width(row.interval, Type::tick));
        notes = std::max(notes, canvas.width(row.note, Type::small));
    }
    at.labelRight = area.left() + canvas.px(14) + std::min(labels, area.width() * 0.38);
    at.noteRight = area.right();
    at.intervalLeft = area.right() - (notes > 0 ? notes + canvas.px(14) : 0) - intervals;
    at.metricRight = at.intervalLeft - canvas.px(8);
    const double left = at.labelRight + canvas.px(10), right = std::max(at.metricRight - metrics - canvas.px(14), left + canvas.px(40));
    at.axes.plot = QRectF(QPointF(left, at.top), QPointF(right, at.bottom));
    setRange(at, d);
    return at;
}

void paintBreak(Canvas& canvas, const Columns& at, double y, double height)
{
    const double x = at.axes.plot.left() + canvas.px(10), w = canvas.px(3);
    QPainterPath zigzag(QPointF(x - w, y - height));
    zigzag.lineTo(x + w, y - height * 0.33);
    zigzag.lineTo(x - w, y + height * 0.33);
    zigzag.lineTo(x + w, y + height);
    canvas.painter.setBrush(Qt::NoBrush);
    canvas.painter.setPen(QPen(canvas[Role::panel], canvas.px(3)));
    canvas.painter.drawPath(zigzag);
}

QColor fillOf(const Canvas& canvas, const WaterfallData& d, const WaterfallRow& row)
{
    const QColor own = canvas.look.palette().seriesAt(d.series);
    if (row.kind == WaterfallRow::Kind::first)
        return own;
    if (row.kind == WaterfallRow::Kind::total || !d.judged)
        return canvas.look.palette().tint(own);
    if (!row.clear)
        return canvas[Role::grey];
    return canvas[row.value < 0 ? Role::good : Role::bad];
}

void paintBar(Canvas& canvas, const Columns& at, const WaterfallData& d, std::size_t i, const Reached& reach)
{
    const WaterfallRow& row = d.rows[i];
    const bool whole = row.kind == WaterfallRow::Kind::first || row.kind == WaterfallRow::Kind::total;
    const double middle = at.middle(i), half = std::min(at.rowHeight * 0.28, canvas.px(8));
    const double from = whole ? std::max(at.axes.px(0), at.axes.plot.left()) : at.axes.px(reach.from), to = at.axes.px(reach.to);
    QRectF bar(QPointF(std::min(from, to), middle - half), QPointF(std::max(from, to), middle + half));
    if (bar.width() < canvas.px(1.5))
        bar.setWidth(canvas.px(1.5));
    const QColor fill = fillOf(canvas, d, row);
    if (row.kind == WaterfallRow::Kind::remainder) {
        canvas.fill(bar, canvas[Role::panel]);
        canvas.hatch(bar, kUncalibratedHatch, Role::textTertiary);
        canvas.outline(bar, canvas.look.pen(Role::textTertiary));
    } else {
        canvas.fill(bar, fill);
        if (!d.judged && row.kind != WaterfallRow::Kind::first)
            canvas.outline(bar, QPen(canvas.look.palette().seriesAt(d.series), canvas.px(1)));
    }
    if (whole && at.broken)
        paintBreak(canvas, at, middle, half + canvas.px(3));
    if (row.whiskerHigh > row.whiskerLow) {
        const double a = at.axes.px(row.whiskerLow), b = at.axes.px(row.whiskerHigh);
        canvas.horizontal(a, b, middle, canvas.look.pen(Role::text, metric::limitLine));
        for (const double x : {a, b})
            canvas.vertical(x, middle - canvas.px(4), middle + canvas.px(4), canvas.look.pen(Role::text, metric::limitLine));
    }
}

void paintTexts(Canvas& canvas, const QRectF& area, const Columns& at, const WaterfallData& d, std::size_t i)
{
    const WaterfallRow& row = d.rows[i];
    const bool strong = row.kind == WaterfallRow::Kind::first || row.kind == WaterfallRow::Kind::total;
    const bool twoLines = !row.detail.isEmpty() && at.rowHeight >= canvas.px(28);
    const double y = at.middle(i), left = area.left() + canvas.px(row.grouped ? 14 : 0), width = at.labelRight - left;
    const double shift = twoLines ? canvas.px(7.5) : 0;
    canvas.text({left, y - shift}, canvas.elidedName(row.label, strong ? Type::bodyStrong : Type::body, width),
                strong ? Type::bodyStrong : Type::body, Role::text, Qt::AlignLeft | Qt::AlignVCenter);
    if (twoLines)
        canvas.text({left, y + shift}, canvas.elided(row.detail, Type::tick, width), Type::tick, Role::textTertiary,
                    Qt::AlignLeft | Qt::AlignVCenter);
    canvas.text({at.metricRight, y}, row.metric, Type::bodyStrong, Role::text, Qt::AlignRight | Qt::AlignVCenter);
    canvas.text({at.intervalLeft, y}, row.interval, Type::tick, Role::textTertiary, Qt::AlignLeft | Qt::AlignVCenter);
    canvas.text({at.noteRight, y}, row.note, Type::small, Role::textSecondary, Qt::AlignRight | Qt::AlignVCenter);
    if (i > 0)
        canvas.horizontal(area.left(), area.right(), at.top + at.rowHeight * static_cast<double>(i), canvas.look.pen(Role::grid));
}

void paintGroup(Canvas& canvas, const QRectF& area, const Columns& at, const WaterfallData& d, const std::vector<Reached>& reach)
{
    std::size_t first = d.rows.size(), last = 0;
    for (std::size_t i = 0; i < d.rows.size(); ++i)
        if (d.rows[i].grouped) {
            first = std::min(first, i);
            last = i;
        }
    if (d.groupMetric.isEmpty() || first > last)
        return;
    canvas.vertical(area.left() + canvas.px(3), at.middle(first) - at.rowHeight * 0.36, at.middle(last) + at.rowHeight * 0.36,
                    canvas.look.pen(Role::controlOutline, 2));
    // The sum is right of the group's bars, or left of them where a falling staircase leaves room.
    double left = at.axes.plot.right(), right = 0;
    for (std::size_t i = first; i <= last; ++i) {
        left = std::min(left, at.axes.px(std::min(reach[i].from, reach[i].to)));
        right = std::max(right, at.axes.px(std::max(reach[i].from, reach[i].to)));
    }
    const double width = std::max(canvas.width(d.groupMetric, Type::smallStrong), canvas.width(d.groupLabel, Type::tick));
    const bool after = right + canvas.px(12) + width <= at.axes.plot.right() + canvas.px(10);
    if (!after && left - canvas.px(12) - width < at.axes.plot.left())
        return;
    const double x = after ? right + canvas.px(12) : left - canvas.px(12), y = (at.middle(first) + at.middle(last)) / 2;
    const Qt::Alignment side = (after ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter;
    canvas.fill(QRectF(after ? x : x - width, y - canvas.px(15), width, canvas.px(30)).adjusted(-3, 0, 3, 0), canvas[Role::panel]);
    canvas.text({x, y - canvas.px(7)}, d.groupLabel, Type::tick, Role::textSecondary, side);
    canvas.text({x, y + canvas.px(7)}, d.groupMetric, Type::smallStrong, Role::text, side);
}

} // namespace

double waterfallHeight(const WaterfallData& data)
{
    return kHead + kFoot + kMinRow * static_cast<double>(data.rows.size());
}

void paintWaterfall(Canvas& canvas, const QRectF& area, const WaterfallData& d)
{
    if (d.rows.empty())
        return;
    const Columns at = columnsOf(canvas, area, d);
    const std::vector<Reached> reach = reached(d);
    const double head = at.top - canvas.px(8);
    canvas.text({at.metricRight, head}, d.metricTitle, Type::tick, Role::textSecondary, Qt::AlignRight | Qt::AlignBaseline);
    canvas.text({at.noteRight, head}, d.noteTitle, Type::tick, Role::textSecondary, Qt::AlignRight | Qt::AlignBaseline);
    for (std::size_t i = 0; i < d.rows.size(); ++i)
        paintTexts(canvas, area, at, d, i);
    const Ticks ticks = niceTicks(at.axes.x.low * d.perUnit, at.axes.x.high * d.perUnit,
                                  std::max(2, static_cast<int>(at.axes.plot.width() / canvas.px(56))));
    const double clear = at.broken ? at.axes.plot.left() + canvas.px(22) : at.axes.plot.left() - 1; // no ticks left of the break
    for (const double shown : ticks.values) {
        const double x = at.axes.px(shown / d.perUnit);
        if (x < clear)
            continue;
        canvas.vertical(x, at.top, at.bottom, canvas.look.pen(Role::grid));
        canvas.text({x, at.bottom + canvas.px(7)}, ticks.label(shown), Type::tick, Role::textSecondary, Qt::AlignHCenter | Qt::AlignTop);
    }
    canvas.text({at.axes.plot.right() + canvas.px(16), at.bottom + canvas.px(7)}, d.axisTitle, Type::tick, Role::textSecondary,
                Qt::AlignLeft | Qt::AlignTop);
    canvas.vertical(std::max(at.axes.px(0), at.axes.plot.left()), at.top, at.bottom, canvas.look.pen(Role::axis));
    for (std::size_t i = 0; i < d.rows.size(); ++i) {
        paintBar(canvas, at, d, i, reach[i]);
        if (i + 1 < d.rows.size())
            canvas.vertical(at.axes.px(reach[i].to), at.middle(i), at.middle(i + 1), canvas.look.pen(Role::controlOutline));
    }
    paintGroup(canvas, area, at, d, reach);
}

TableData waterfallTable(const WaterfallData& data)
{
    TableData table;
    table.header = {u"id"_s, u"label"_s, u"value [%1]"_s.arg(data.axisTitle), u"interval"_s, data.noteTitle};
    for (const WaterfallRow& row : data.rows)
        table.rows << QStringList{row.id, row.label, tableNumber(row.value * data.perUnit), row.interval, row.note};
    return table;
}

QStringList WaterfallChart::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const WaterfallRow& row = m_data.rows[static_cast<std::size_t>(item)];
    QStringList lines{row.label, (row.metric + u' ' + row.interval).trimmed()};
    for (const QString& more : {row.detail, row.note})
        if (!more.isEmpty())
            lines << more;
    return lines;
}

void WaterfallChart::paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const
{
    if (interactive && hasFocus() && focusItem() >= 0) {
        const Columns at = columnsOf(canvas, area, m_data);
        canvas.fill(QRectF(area.left() - canvas.px(6), at.top + at.rowHeight * focusItem(), area.width() + canvas.px(12), at.rowHeight),
                    canvas[Role::selection]);
    }
    paintWaterfall(canvas, area, m_data);
}

int WaterfallChart::itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const
{
    const Columns at = columnsOf(canvas, area, m_data);
    const int item = static_cast<int>(std::floor((point.y() - at.top) / at.rowHeight));
    return item >= 0 && item < itemCount() ? item : -1;
}

QPointF WaterfallChart::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    const Columns at = columnsOf(canvas, area, m_data);
    return {at.axes.px(reached(m_data)[static_cast<std::size_t>(item)].to), at.middle(static_cast<std::size_t>(item))};
}

} // namespace prism::ui
