// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/look/look.h"

#include <QImage>
#include <QPainter>
#include <QPainterPath>

#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

struct TypeSpec {
    double points;
    QFont::Weight weight;
};

TypeSpec specOf(Type type)
{
    switch (type) {
    case Type::headline:
        return {18, QFont::DemiBold};
    case Type::value:
        return {13.5, QFont::DemiBold};
    case Type::title:
        return {11.25, QFont::DemiBold};
    case Type::body:
        return {9.75, QFont::Normal};
    case Type::bodyStrong:
        return {9.75, QFont::DemiBold};
    case Type::small:
        return {9, QFont::Normal};
    case Type::smallStrong:
        return {9, QFont::DemiBold};
    case Type::tick:
        return {8.25, QFont::Normal};
    case Type::tickStrong:
        return {8.25, QFont::DemiBold};
    }
    return {9.75, QFont::Normal};
}

} // namespace

int Look::px(double size) const
{
    return static_cast<int>(std::lround(size * m_scale));
}

QFont Look::font(Type type) const
{
    const TypeSpec spec = specOf(type);
    QFont font;
    font.setFamilies({u"Inter Tabular"_s, u"Inter"_s, u"Noto Sans"_s, QFont().defaultFamily()});
    font.setPointSizeF(spec.points * m_scale);
    font.setWeight(spec.weight);
    return font;
}

QPen Look::seriesPen(int series, bool baseline) const
{
    QPen pen(m_palette.seriesAt(series), pxF(baseline ? metric::baselineCurve : metric::curve));
    const QList<qreal> dash = seriesDash(series);
    if (!dash.isEmpty())
        pen.setDashPattern(dash);
    pen.setCapStyle(Qt::FlatCap);
    pen.setJoinStyle(Qt::RoundJoin);
    return pen;
}

QPen Look::pen(Role role, double width, Qt::PenStyle style) const
{
    QPen pen(m_palette[role], pxF(width), style);
    pen.setCapStyle(Qt::FlatCap);
    pen.setJoinStyle(Qt::MiterJoin);
    return pen;
}

void Look::drawHatch(QPainter& painter, const QRectF& rect, const Hatch& hatch, const QColor& color, bool asLines) const
{
    if (rect.isEmpty())
        return;
    if (!asLines) {
        const double ratio = painter.device() ? painter.device()->devicePixelRatioF() : 1.0;
        painter.fillRect(rect, hatchBrush(hatch, color, ratio));
        return;
    }
    painter.save();
    painter.setClipRect(rect, Qt::IntersectClip);
    painter.setPen(QPen(color, pxF(hatch.width)));
    const double step = pxF(hatch.spacing), height = rect.height();
    // Lines x + y = k * step (rising) or x - y = k * step (falling): the same lines in every rectangle.
    const double low = hatch.rising ? rect.left() + rect.top() : rect.left() - rect.bottom();
    const double high = hatch.rising ? rect.right() + rect.bottom() : rect.right() - rect.top();
    QPainterPath lines;
    for (double k = std::ceil(low / step) * step; k <= high; k += step) {
        const double topX = hatch.rising ? k - rect.top() : k + rect.top();
        lines.moveTo(topX, rect.top());
        lines.lineTo(hatch.rising ? topX - height : topX + height, rect.bottom());
    }
    painter.drawPath(lines);
    painter.restore();
}

QBrush Look::hatchBrush(const Hatch& hatch, const QColor& color, double devicePixelRatio) const
{
    const int side = std::max(2, static_cast<int>(std::lround(pxF(hatch.spacing) * devicePixelRatio)));
    QImage tile(side, side, QImage::Format_ARGB32_Premultiplied);
    tile.fill(Qt::transparent);
    QPainter painter(&tile);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, pxF(hatch.width) * devicePixelRatio, Qt::SolidLine, Qt::SquareCap));
    for (int shift = -side; shift <= side; shift += side) {
        if (hatch.rising)
            painter.drawLine(QPointF(shift - side, 2 * side), QPointF(shift + 2 * side, -side));
        else
            painter.drawLine(QPointF(shift - side, -side), QPointF(shift + 2 * side, 2 * side));
    }
    painter.end();
    QBrush brush(tile);
    brush.setTransform(QTransform::fromScale(1 / devicePixelRatio, 1 / devicePixelRatio));
    return brush;
}

QList<qreal> seriesDash(int series)
{
    static const QList<QList<qreal>> kDashes{{}, {6, 3}, {1.5, 2}, {8, 3, 1.5, 3}, {3.5, 2.5}, {10, 2.5}, {6, 2, 1.5, 2, 1.5, 2}, {1, 3}};
    // The ninth scenario has the first colour again, and another dash with it.
    const int round = std::abs(series) / kSeriesCount, next = ((series % kSeriesCount) + kSeriesCount) + round;
    if (round < kSeriesCount)
        return kDashes[next % kSeriesCount];
    // Each colour has had each dash: the dashes at half their size, then at twice, three times their size.
    const int size = (round - kSeriesCount) / (kSeriesCount - 1);
    QList<qreal> dash = kDashes[1 + next % (kSeriesCount - 1)];
    for (qreal& part : dash)
        part *= size == 0 ? 0.5 : size + 1;
    return dash;
}

} // namespace prism::ui
