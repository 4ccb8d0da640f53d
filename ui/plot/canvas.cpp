// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/canvas.h"

#include <QPaintEngine>

#include <algorithm>
#include <cmath>

namespace prism::ui {

Canvas::Canvas(QPainter& p, const Look& l)
    : painter(p),
      look(l),
      m_vector(p.paintEngine() && p.paintEngine()->type() != QPaintEngine::Raster)
{
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
}

const QFontMetricsF& Canvas::metrics(Type type) const
{
    std::optional<QFontMetricsF>& slot = m_metrics[static_cast<std::size_t>(type)];
    if (!slot)
        slot.emplace(look.font(type), painter.device());
    return *slot;
}

QString Canvas::elided(const QString& text, Type type, double width) const
{
    return metrics(type).elidedText(text, Qt::ElideRight, width);
}

QString Canvas::elidedName(const QString& name, Type type, double width) const
{
    return metrics(type).elidedText(name, Qt::ElideMiddle, width);
}

QStringList Canvas::wrapped(const QString& text, Type type, double width) const
{
    QStringList lines, words;
    for (const QString& word : text.split(u' ')) // a number keeps its unit and its sign: "90 %", "± 3 ms", "n = 500"
        if (!words.isEmpty() && (word.startsWith(u'%') || word == u"=" || words.back().endsWith(u'±') || words.back().endsWith(u" =")))
            words.back() += u' ' + word;
        else
            words << word;
    for (const QString& word : words) {
        const QString longer = lines.isEmpty() ? word : lines.back() + u' ' + word;
        if (!lines.isEmpty() && this->width(longer, type) <= width)
            lines.back() = longer;
        else
            lines << elided(word, type, width);
    }
    return lines;
}

void Canvas::text(QPointF at, const QString& text, Type type, const QColor& color, Qt::Alignment alignment)
{
    const QFontMetricsF& m = metrics(type);
    if (alignment & Qt::AlignRight)
        at.rx() -= m.horizontalAdvance(text);
    else if (alignment & Qt::AlignHCenter)
        at.rx() -= m.horizontalAdvance(text) / 2;
    if (alignment & Qt::AlignTop)
        at.ry() += m.ascent();
    else if (alignment & Qt::AlignVCenter)
        at.ry() += m.capHeight() / 2;
    painter.setFont(look.font(type));
    painter.setPen(color);
    painter.drawText(at, text);
}

void Canvas::rotatedText(QPointF centre, const QString& text, Type type, Role role)
{
    painter.save();
    painter.translate(centre);
    painter.rotate(-90);
    this->text({0, 0}, text, type, role, Qt::AlignHCenter | Qt::AlignVCenter);
    painter.restore();
}

double Canvas::centre(double at) const
{
    return m_vector ? at : std::floor(at) + 0.5;
}

void Canvas::horizontal(double x1, double x2, double y, const QPen& pen)
{
    painter.setPen(pen);
    painter.drawLine(QPointF(x1, centre(y)), QPointF(x2, centre(y)));
}

void Canvas::vertical(double x, double y1, double y2, const QPen& pen)
{
    painter.setPen(pen);
    painter.drawLine(QPointF(centre(x), y1), QPointF(centre(x), y2));
}

void Canvas::outline(const QRectF& rect, const QPen& pen)
{
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect);
}

void Canvas::rounded(const QRectF& rect, const QColor& fill, std::optional<QPen> pen, double radius)
{
    painter.setPen(pen ? *pen : QPen(Qt::NoPen));
    painter.setBrush(fill);
    painter.drawRoundedRect(rect, px(radius), px(radius));
}

QRectF Canvas::flag(double x, double bottom, const QString& label, double left, double right, Type type)
{
    const double width = this->width(label, type) + px(16), height = lineHeight(type) + px(6);
    const double start = std::round(std::clamp(x - width / 2, left, std::max(left, right - width)));
    const QRectF box(start, std::round(bottom - height), width, height);
    rounded(box, look[Role::text], {}, 2);
    text(box.center(), label, type, Role::panel, Qt::AlignHCenter | Qt::AlignVCenter);
    return box;
}

void Canvas::readout(QPointF at, const QStringList& lines, const QRectF& within)
{
    if (lines.isEmpty())
        return;
    double widest = 0;
    for (qsizetype i = 0; i < lines.size(); ++i)
        widest = std::max(widest, width(lines[i], i == 0 ? Type::smallStrong : Type::small));
    const double line = lineHeight(Type::small) + px(2);
    const QSizeF size(widest + px(20), line * static_cast<double>(lines.size()) + px(12));
    QPointF corner = at + QPointF(px(14), px(14));
    if (corner.x() + size.width() > within.right())
        corner.rx() = at.x() - px(14) - size.width();
    if (corner.y() + size.height() > within.bottom())
        corner.ry() = at.y() - px(14) - size.height();
    corner.rx() = std::max(within.left(), corner.x());
    corner.ry() = std::max(within.top(), corner.y());
    const QRectF box(QPointF(std::round(corner.x()), std::round(corner.y())), size);
    rounded(box, look[Role::text]);
    for (qsizetype i = 0; i < lines.size(); ++i)
        text({box.left() + px(10), box.top() + px(6) + line * (static_cast<double>(i) + 0.5)}, lines[i],
             i == 0 ? Type::smallStrong : Type::small, Role::panel, Qt::AlignLeft | Qt::AlignVCenter);
}

} // namespace prism::ui
