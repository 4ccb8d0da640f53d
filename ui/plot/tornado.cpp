// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/tornado.h"

#include "ui/look/change.h"
#include "ui/look/format.h"

#include <QPushButton>

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kLabelShare = 0.3; // of the width, at most
constexpr double kColumnGap = 16;   // between columns, at scale 1

QString nameOf(const TornadoRow& row)
{
    return row.label + (row.nonMonotonic ? u" *"_s : QString());
}

} // namespace

void TornadoChart::setData(const TornadoData& data)
{
    const auto sameButton = [](const TornadoRow& a, const TornadoRow& b) { return a.label == b.label && a.tried == b.tried; };
    const bool isKept = theme().isEditable() != m_buttons.isEmpty()
                        && std::equal(data.rows.begin(), data.rows.end(), m_data.rows.begin(), m_data.rows.end(), sameButton);
    m_data = data;
    if (!isKept)
        makeButtons();
    dataChanged();
    placeButtons();
}

void TornadoChart::makeButtons()
{
    for (QPushButton* button : std::as_const(m_buttons)) { // one of them may be what was pressed
        button->hide();
        button->deleteLater();
    }
    m_buttons.clear();
    m_buttonWidth = 0;
    for (int item = 0; item < itemCount() && theme().isEditable(); ++item) {
        const TornadoRow& row = m_data.rows[static_cast<std::size_t>(item)];
        if (row.tried.isEmpty())
            continue;
        auto* button = new QPushButton(tr("Try half"), this);
        button->setProperty("item", item);
        button->setToolTip(row.tried);
        button->setAccessibleName(tr("Try half: %1").arg(row.label));
        connect(button, &QPushButton::clicked, this, [this, item] { Q_EMIT halfRequested(item); });
        m_buttons << button;
        button->show();
    }
}

void TornadoChart::setButtonsEnabled(bool enabled)
{
    for (QPushButton* button : std::as_const(m_buttons))
        button->setEnabled(enabled);
}

void TornadoChart::resizeEvent(QResizeEvent* event)
{
    RowChart::resizeEvent(event);
    placeButtons();
}

void TornadoChart::placeButtons()
{
    if (m_buttons.isEmpty())
        return;
    m_buttonWidth = m_buttons.front()->sizeHint().width() + look().pxF(kColumnGap);
    const QList<QPointF> places = measured([this](const Canvas& canvas, const QRectF& area) {
        QList<QPointF> ends;
        const Layout at = layout(canvas, area);
        for (const QPushButton* button : m_buttons)
            ends << QPointF(area.right(), at.middle(button->property("item").toInt()));
        return ends;
    });
    for (qsizetype i = 0; i < places.size(); ++i) {
        const QSize size = m_buttons[i]->sizeHint();
        m_buttons[i]->setGeometry(QRect(QPoint(qRound(places[i].x()) - size.width(), qRound(places[i].y()) - size.height() / 2), size));
    }
}

QString TornadoChart::changeText(double change) const
{
    return m_data.isShare ? format::pointsDelta(change) : format::secondsDelta(change);
}

format::DeltaScale TornadoChart::scaleOfChanges() const
{
    double largest = 0;
    for (const TornadoRow& row : m_data.rows)
        if (!row.isOthers)
            largest = std::max({largest, std::abs(row.removed.change), std::abs(row.doubled.change)});
    return m_data.isShare ? format::DeltaScale{{100, u"points"_s}, 1} : format::deltaScale(largest);
}

QString TornadoChart::endText(const TornadoEnd& end) const
{
    const format::DeltaScale column = scaleOfChanges();
    if (!(end.halfWidth > 0))
        return m_data.isShare ? format::pointsDelta(end.change) : format::secondsDelta(end.change, column);
    const double change = end.change * column.unit.perSecond, half = end.halfWidth * column.unit.perSecond;
    if (std::abs(change) <= half)
        return format::plainInterval(half) + u' ' + column.unit.name; // as large as it may be
    const double shown = std::pow(10, -column.decimals);              // as the others of the column, where that leaves a digit
    return format::signedMetric(change, std::abs(change) < shown / 2 ? half : std::max(half, shown)) + u' ' + column.unit.name;
}

QString TornadoChart::intervalText(const TornadoEnd& end) const
{
    const bool isFound = end.halfWidth > 0 && std::abs(end.change) > end.halfWidth; // else the number shown is the interval itself
    return isFound ? format::plainInterval(end.halfWidth * scaleOfChanges().unit.perSecond) : QString();
}

TableData TornadoChart::asTable() const
{
    const QString unit = m_data.isShare ? u"share"_s : u"s"_s;
    TableData table;
    table.header = {u"cause"_s,
                    u"label"_s,
                    u"input, spread removed"_s,
                    u"%1 change, spread removed [%2]"_s.arg(m_data.metric, unit),
                    u"half-width 95 % [%1]"_s.arg(unit),
                    u"input, spread doubled"_s,
                    u"%1 change, spread doubled [%2]"_s.arg(m_data.metric, unit),
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
            m_data.isShare ? format::plainInterval(e.halfWidth * 100) + u" points"_s : format::intervalNextTo(e.change, e.halfWidth);
        return u"%1: %2 %3 (%4)"_s.arg(what, m_data.metric, changeText(e.change), interval)
               + (e.input.isEmpty() ? QString() : u", "_s + e.input);
    };
    if (row.isOthers)
        return {row.label};
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
        for (const TornadoEnd& end : {row.isOthers ? TornadoEnd() : row.removed, row.isOthers ? TornadoEnd() : row.doubled})
            own = {std::min(own.low, end.change - end.halfWidth), std::max(own.high, end.change + end.halfWidth)};
    return own;
}

TornadoChart::Columns TornadoChart::columns(const Canvas& canvas, const QRectF& area) const
{
    double removed = canvas.width(tr("Removed"), Type::tick), doubled = canvas.width(tr("Doubled"), Type::tick), interval = 0;
    for (const TornadoRow& row : m_data.rows) {
        if (row.isOthers)
            continue;
        removed = std::max(removed, canvas.width(endText(row.removed), Type::smallStrong));
        doubled = std::max(doubled, canvas.width(endText(row.doubled), Type::smallStrong));
        interval = std::max(interval, canvas.width(intervalText(row.doubled), Type::small));
    }
    Columns at;
    at.interval = area.right() - m_buttonWidth;
    at.doubled = at.interval - (interval > 0 ? interval + canvas.px(6) : 0);
    at.removed = at.doubled - doubled - canvas.px(kColumnGap);
    return at;
}

TornadoChart::Layout TornadoChart::layout(const Canvas& canvas, const QRectF& area) const
{
    Layout at = rows(canvas, area);
    const Columns metrics = columns(canvas, area);
    double labels = 0, removed = canvas.width(tr("Removed"), Type::tick);
    for (const TornadoRow& row : m_data.rows) {
        if (row.isOthers)
            continue;
        labels = std::max(labels, canvas.width(nameOf(row), Type::bodyStrong));
        removed = std::max(removed, canvas.width(endText(row.removed), Type::smallStrong));
    }
    Reach all = ownReach().value_or(Reach{});
    if (reach())
        all = {std::min(all.low, reach()->low), std::max(all.high, reach()->high)};
    const double low = all.low;
    double high = all.high;
    if (!(high - low > 0))
        high = m_data.isShare ? 0.01 : 1e-3;
    at.labelWidth = std::min(labels + canvas.px(16), area.width() * kLabelShare);
    at.left = area.left() + at.labelWidth + canvas.px(8);
    at.right = std::max(metrics.removed - removed - canvas.px(2 * kColumnGap), at.left + canvas.px(40));
    at.scale(low, high);
    return at;
}

void TornadoChart::paintChangeAxis(Canvas& canvas, const Layout& at) const
{
    const double low = (at.left - at.zero) / at.perUnit, high = (at.right - at.zero) / at.perUnit;
    const format::TimeUnit unit = m_data.isShare ? format::TimeUnit{100, u"points"_s} : format::timeUnit(std::max(-low, high));
    const Ticks ticks =
        niceTicks(low * unit.perSecond, high * unit.perSecond, std::max(3, static_cast<int>((at.right - at.left) / canvas.px(44))));
    paintAxis(canvas, at, {ticks, unit.perSecond, true, u"Change of %1, %2"_s.arg(m_data.metric, unit.name)});
    for (const double value : ticks.values) {
        const double x = at.zero + value / unit.perSecond * at.perUnit;
        canvas.vertical(x, at.bottom, at.bottom + canvas.px(4), canvas.look.pen(Role::axis));
    }
    canvas.horizontal(at.left, at.right, at.bottom, canvas.look.pen(Role::axis));
}

void TornadoChart::paintBars(Canvas& canvas, const Layout& at, int item) const
{
    const TornadoRow& row = m_data.rows[static_cast<std::size_t>(item)];
    const Look& look = canvas.look;
    const double middle = at.middle(item), half = std::round(std::min(at.rowHeight * 0.22, canvas.px(8)));
    const QColor full = look.palette().seriesAt(m_data.series);
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
        if (end.halfWidth > 0) {
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
    const QColor tint = look.palette().tint(full);
    if (sameSide) {
        bar(row.doubled, full, false, half);
        bar(row.removed, tint, true, std::round(half * 0.5));
    } else {
        bar(row.removed, tint, true, half);
        bar(row.doubled, full, false, half);
    }
}

void TornadoChart::paintMetrics(Canvas& canvas, const Layout& at, const Columns& columns, int item) const
{
    const TornadoRow& row = m_data.rows[static_cast<std::size_t>(item)];
    const double y = at.middle(item);
    const auto write = [&](const TornadoEnd& end, double right) {
        const Role role = !(std::abs(end.change) > end.halfWidth) ? Role::textTertiary : end.change < 0 ? Role::good : Role::bad;
        canvas.text({right, y}, endText(end), Type::smallStrong, role, Qt::AlignRight | Qt::AlignVCenter);
    };
    write(row.removed, columns.removed);
    write(row.doubled, columns.doubled);
    canvas.text({columns.interval, y}, intervalText(row.doubled), Type::small, Role::textTertiary, Qt::AlignRight | Qt::AlignVCenter);
}

void TornadoChart::paintRow(Canvas& canvas, const QRectF& area, const Layout& at, int item) const
{
    const TornadoRow& row = m_data.rows[static_cast<std::size_t>(item)];
    const double middle = at.middle(item), width = at.labelWidth - canvas.px(8);
    if (row.isOthers) { // over the lines of the grid
        canvas.fill({area.left(), middle - at.rowHeight / 2, area.width(), at.rowHeight - 1}, canvas[Role::panel]);
        canvas.text({area.left(), middle}, canvas.elided(row.label, Type::small, area.width()), Type::small, Role::textSecondary,
                    Qt::AlignLeft | Qt::AlignVCenter);
        return;
    }
    const double up = canvas.px(8);
    canvas.text({area.left(), middle - up}, canvas.elided(nameOf(row), Type::bodyStrong, width), Type::bodyStrong, Role::text,
                Qt::AlignLeft | Qt::AlignVCenter);
    canvas.text({area.left(), middle + up}, canvas.elided(row.input, Type::small, width), Type::small, Role::textSecondary,
                Qt::AlignLeft | Qt::AlignVCenter);
    paintBars(canvas, at, item);
    paintMetrics(canvas, at, columns(canvas, area), item);
}

void TornadoChart::paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const
{
    if (m_data.rows.empty())
        return;
    const Layout at = layout(canvas, area);
    paintBands(canvas, area, at, interactive);
    paintChangeAxis(canvas, at);
    const Columns heads = columns(canvas, area);
    const double head = at.top - canvas.px(14);
    canvas.text({heads.removed, head}, tr("Removed"), Type::tick, Role::textSecondary, Qt::AlignRight | Qt::AlignVCenter);
    canvas.text({heads.doubled, head}, tr("Doubled"), Type::tick, Role::textSecondary, Qt::AlignRight | Qt::AlignVCenter);
    for (int item = 0; item < itemCount(); ++item)
        paintRow(canvas, area, at, item);
    const double lineEnd = at.bottom - (m_data.rows.back().isOthers ? at.rowHeight : 0);
    canvas.vertical(at.zero, at.top - canvas.px(6), lineEnd, canvas.look.pen(Role::text, metric::limitLine));
    canvas.flag(at.zero, at.top - canvas.px(4), m_data.baseline, area.left(), at.right);
}

} // namespace prism::ui
