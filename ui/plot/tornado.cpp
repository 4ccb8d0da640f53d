#include "ui/plot/tornado.h"

#include "ui/plot/ticks.h"
#include "ui/theme/format.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr double kLabelShare = 0.4; // of the width, at most
}

void TornadoChart::setData(const TornadoData& data)
{
    m_data = data;
    dataChanged();
}

void TornadoChart::setHighlighted(const QString& id)
{
    m_data.highlighted = id;
    update();
}

QString TornadoChart::changeText(double change) const
{
    return m_data.isShare ? format::pointsDelta(change) : format::secondsDelta(change);
}

TableData TornadoChart::asTable() const
{
    const QString unit = m_data.isShare ? u"share"_s : u"s"_s;
    TableData table;
    table.header = {u"cause"_s, u"label"_s, u"input, spread removed"_s, u"%1 change, spread removed [%2]"_s.arg(m_data.figure, unit),
                    u"half-width 95 % [%1]"_s.arg(unit), u"input, spread doubled"_s, u"%1 change, spread doubled [%2]"_s.arg(m_data.figure, unit),
                    u"half-width 95 % [%1]"_s.arg(unit), u"non-monotonic"_s, u"missing calibration"_s};
    for (const TornadoRow& row : m_data.rows)
        table.rows << QStringList{row.id, row.label, row.removed.input, tableNumber(row.removed.change), tableNumber(row.removed.halfWidth), row.doubled.input,
                                  tableNumber(row.doubled.change), tableNumber(row.doubled.halfWidth), row.nonMonotonic ? u"yes"_s : u"no"_s, row.missing};
    return table;
}

QStringList TornadoChart::itemReading(int item) const
{
    if (item < 0 || item >= itemCount())
        return {};
    const TornadoRow& row = m_data.rows[static_cast<std::size_t>(item)];
    const auto end = [&](const QString& what, const TornadoEnd& e) {
        const QString interval = m_data.isShare ? format::plainInterval(e.halfWidth * 100) + u" points"_s : format::interval(e.halfWidth);
        return u"%1: %2 %3 (%4)"_s.arg(what, m_data.figure, changeText(e.change), interval) + (e.input.isEmpty() ? QString() : u", "_s + e.input);
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
        entries << LegendEntry{LegendEntry::Mark::hatchedBox, look.palette().tint(full), look[Role::text], kUncalibratedHatch, u"Outside calibration"_s};
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
    Layout at;
    at.top = area.top() + canvas.px(28);
    at.bottom = area.bottom() - canvas.px(40);
    const auto rows = std::max<std::size_t>(m_data.rows.size(), 1);
    at.rowHeight = std::clamp((at.bottom - at.top) / static_cast<double>(rows), canvas.px(24), canvas.px(46));
    at.bottom = std::min(at.bottom, at.top + at.rowHeight * static_cast<double>(rows));

    double labels = 0, texts = 0;
    for (const TornadoRow& row : m_data.rows) {
        labels = std::max({labels, canvas.width(row.label, Type::bodyStrong), canvas.width(row.id, Type::tick)});
        for (const TornadoEnd& end : {row.removed, row.doubled})
            texts = std::max({texts, canvas.width(changeText(end.change), Type::smallStrong), canvas.width(end.input, Type::tick)});
    }
    Reach all = ownReach().value_or(Reach{});
    if (reach())
        all = {std::min(all.low, reach()->low), std::max(all.high, reach()->high)};
    const double low = all.low;
    double high = all.high;
    if (!(high - low > 0))
        high = m_data.isShare ? 0.01 : 1e-3;
    labels = std::min(labels + canvas.px(16), area.width() * kLabelShare);
    at.plotLeft = area.left() + labels + texts + canvas.px(12);
    at.plotRight = std::max(area.right() - texts - canvas.px(12), at.plotLeft + canvas.px(40));
    at.perUnit = (at.plotRight - at.plotLeft) / (high - low);
    at.zero = at.plotLeft - low * at.perUnit;
    return at;
}

void TornadoChart::paintAxis(Canvas& canvas, const Layout& at) const
{
    const double low = (at.plotLeft - at.zero) / at.perUnit, high = (at.plotRight - at.zero) / at.perUnit;
    const format::TimeUnit unit = m_data.isShare ? format::TimeUnit{100, u"points"_s} : format::timeUnit(std::max(-low, high));
    const Ticks ticks = niceTicks(low * unit.perSecond, high * unit.perSecond, std::max(3, static_cast<int>((at.plotRight - at.plotLeft) / canvas.px(72))));
    for (const double value : ticks.values) {
        const double x = at.zero + value / unit.perSecond * at.perUnit;
        if (value != 0)
            canvas.vertical(x, at.top, at.bottom, canvas.look.pen(Role::grid));
        canvas.vertical(x, at.bottom, at.bottom + canvas.px(4), canvas.look.pen(Role::axis));
        canvas.text({x, at.bottom + canvas.px(8)}, ticks.signedLabel(value), Type::tick, Role::textSecondary, Qt::AlignHCenter | Qt::AlignTop);
    }
    canvas.horizontal(at.plotLeft, at.plotRight, at.bottom, canvas.look.pen(Role::axis));
    canvas.text({(at.plotLeft + at.plotRight) / 2, at.bottom + canvas.px(24)}, u"Change of %1, %2"_s.arg(m_data.figure, unit.name), Type::tick,
                Role::textSecondary, Qt::AlignHCenter | Qt::AlignTop);
}

void TornadoChart::paintRow(Canvas& canvas, const QRectF& area, const Layout& at, int item) const
{
    const TornadoRow& row = m_data.rows[static_cast<std::size_t>(item)];
    const Look& look = canvas.look;
    const double middle = at.top + at.rowHeight * (item + 0.5), half = std::round(std::min(at.rowHeight * 0.28, canvas.px(12)));
    const bool brushed = row.id == m_data.highlighted && !row.id.isEmpty();
    const bool roomy = at.rowHeight >= canvas.px(30);

    const QString name = row.label + (row.nonMonotonic ? u" *"_s : QString());
    const double labelWidth = area.width() * kLabelShare - canvas.px(8);
    const double shift = roomy ? canvas.px(8) : 0;
    canvas.text({area.left(), middle - shift}, canvas.elided(name, Type::body, labelWidth), brushed ? Type::bodyStrong : Type::body, Role::text,
                Qt::AlignLeft | Qt::AlignVCenter);
    if (roomy)
        canvas.text({area.left(), middle + canvas.px(8)}, canvas.elided(row.id, Type::tick, labelWidth), Type::tick, Role::textTertiary, Qt::AlignLeft | Qt::AlignVCenter);

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
        const bool twoLines = roomy && !end.input.isEmpty();
        canvas.text({x, middle - (twoLines ? canvas.px(8) : 0)}, changeText(end.change), Type::smallStrong, Role::text, side | Qt::AlignVCenter);
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
    const double pad = canvas.px(metric::cardPadding);
    for (int item = 0; item < itemCount(); ++item) {
        const TornadoRow& row = m_data.rows[static_cast<std::size_t>(item)];
        const QRectF band(area.left() - pad + 1, at.top + at.rowHeight * item, area.width() + 2 * pad - 2, at.rowHeight);
        if (interactive && row.id == m_data.highlighted && !row.id.isEmpty()) {
            canvas.fill(band, canvas[Role::selection]);
            canvas.fill(QRectF(band.topLeft(), QSizeF(canvas.px(metric::brushBar), band.height())), canvas[Role::accent]);
        }
        if (interactive && hasFocus() && item == focusItem())
            canvas.outline(band.adjusted(2, 1, -2, -1), canvas.look.pen(Role::accent, metric::focusRing));
    }
    paintAxis(canvas, at);
    for (int item = 0; item < itemCount(); ++item)
        paintRow(canvas, area, at, item);
    canvas.vertical(at.zero, at.top - canvas.px(6), at.bottom, canvas.look.pen(Role::text, metric::limitLine));
    canvas.flag(at.zero, at.top - canvas.px(4), m_data.baseline, area.left(), area.right());
}

int TornadoChart::itemAt(const Canvas& canvas, const QRectF& area, QPointF at) const
{
    const Layout l = layout(canvas, area);
    const int item = static_cast<int>(std::floor((at.y() - l.top) / l.rowHeight));
    return item >= 0 && item < itemCount() ? item : -1;
}

QPointF TornadoChart::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    const Layout l = layout(canvas, area);
    return {l.zero, l.top + l.rowHeight * (item + 0.6)};
}

} // namespace prism::ui
