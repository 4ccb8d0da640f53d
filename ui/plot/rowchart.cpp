// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/rowchart.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

namespace {
constexpr double kHighestRow = 46, kAxisHeight = 40;
}

void RowChart::setHighlighted(const QString& id)
{
    m_highlighted = id;
    update();
}

void RowChart::Layout::scale(double low, double high)
{
    perUnit = (right - left) / (high - low);
    zero = left - low * perUnit;
}

double RowChart::minPlotHeight() const
{
    return headHeight() + minRow() * itemCount() + kAxisHeight;
}

RowChart::Layout RowChart::rows(const Canvas& canvas, const QRectF& area) const
{
    Layout at;
    const int count = std::max(itemCount(), 1);
    at.top = area.top() + canvas.px(headHeight());
    at.bottom = area.bottom() - canvas.px(kAxisHeight);
    at.rowHeight = std::clamp((at.bottom - at.top) / count, canvas.px(minRow()), canvas.px(kHighestRow));
    at.bottom = std::min(at.bottom, at.top + at.rowHeight * count);
    return at;
}

void RowChart::paintBands(Canvas& canvas, const QRectF& area, const Layout& at, bool interactive) const
{
    if (!interactive)
        return;
    const double pad = canvas.px(metric::cardPadding);
    for (int item = 0; item < itemCount(); ++item) {
        const QRectF band(area.left() - pad + 1, at.top + at.rowHeight * item, area.width() + 2 * pad - 2, at.rowHeight);
        if (isHighlighted(item)) {
            canvas.fill(band, canvas[Role::selection]);
            canvas.fill(QRectF(band.topLeft(), QSizeF(canvas.px(metric::brushBar), band.height())), canvas[Role::accent]);
        }
        if (hasFocus() && item == focusItem())
            canvas.outline(band.adjusted(2, 1, -2, -1), canvas.look.pen(Role::accent, metric::focusRing));
    }
}

void RowChart::paintAxis(Canvas& canvas, const Layout& at, const Axis& axis)
{
    for (const double value : axis.ticks.values) {
        const double x = at.zero + value / axis.perUnit * at.perUnit;
        if (value != 0)
            canvas.vertical(x, at.top, at.bottom, canvas.look.pen(Role::grid));
        canvas.text({x, at.bottom + canvas.px(8)}, axis.isSigned ? axis.ticks.signedLabel(value) : axis.ticks.label(value), Type::tick,
                    Role::textSecondary, Qt::AlignHCenter | Qt::AlignTop);
    }
    canvas.text({(at.left + at.right) / 2, at.bottom + canvas.px(24)}, axis.title, Type::tick, Role::textSecondary,
                Qt::AlignHCenter | Qt::AlignTop);
}

void RowChart::paintName(Canvas& canvas, const QRectF& area, const Layout& at, int item, const QString& name) const
{
    const Type type = isHighlighted(item) ? Type::bodyStrong : Type::body;
    const double width = at.labelWidth - canvas.px(8);
    const qsizetype largest = isRoomy(canvas, at) ? 2 : 1;
    QStringList lines = canvas.wrapped(name, type, width);
    if (lines.size() > largest) {
        const QString rest = canvas.elided(lines.mid(largest - 1).join(u' '), type, width);
        lines = lines.mid(0, largest - 1) << rest;
    }
    const double line = canvas.lineHeight(type);
    double y = at.middle(item) - line * static_cast<double>(lines.size() - 1) / 2;
    for (const QString& text : lines) {
        canvas.text({area.left(), y}, text, type, Role::text, Qt::AlignLeft | Qt::AlignVCenter);
        y += line;
    }
}

int RowChart::itemAt(const Canvas& canvas, const QRectF& area, QPointF point) const
{
    const Layout at = layout(canvas, area);
    const int item = static_cast<int>(std::floor((point.y() - at.top) / at.rowHeight));
    return item >= 0 && item < itemCount() ? item : -1;
}

QPointF RowChart::itemAnchor(const Canvas& canvas, const QRectF& area, int item) const
{
    const Layout at = layout(canvas, area);
    return {at.zero, at.top + at.rowHeight * (item + 0.6)};
}

} // namespace prism::ui
