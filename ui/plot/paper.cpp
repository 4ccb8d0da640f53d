// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/paper.h"

#include "ui/plot/canvas.h"

#include <QImage>

#include <cmath>

namespace prism::ui {

namespace {

constexpr double kPaperMargin = 20, kPaperGap = 12; // at scale 1

double noteHeight(const Canvas& canvas)
{
    return canvas.lineHeight(Type::small) + canvas.px(3);
}

/// The notes as lines of this width; each note starts a new line.
QStringList noteLines(const Canvas& canvas, const QStringList& notes, double width)
{
    QStringList lines;
    for (const QString& note : notes)
        lines << canvas.wrapped(note, Type::small, width);
    return lines;
}

} // namespace

Picture onPaper(const PaperText& text, QSize content, PaintFunction paintContent, const Look& look)
{
    QImage device(1, 1, QImage::Format_ARGB32_Premultiplied);
    device.setDotsPerMeterX(kPictureDotsPerMetre);
    device.setDotsPerMeterY(kPictureDotsPerMetre);
    QPainter measuring(&device);
    const Canvas canvas(measuring, look);
    const double margin = canvas.px(kPaperMargin), gap = canvas.px(kPaperGap);
    const QStringList subtitle = text.subtitle.isEmpty() ? QStringList() : canvas.wrapped(text.subtitle, Type::body, content.width());
    const double head = canvas.lineHeight(Type::headline) + canvas.lineHeight(Type::body) * static_cast<double>(subtitle.size()) + gap;
    const QStringList notes = noteLines(canvas, text.notes, content.width());
    const double foot = notes.isEmpty() ? 0 : gap + noteHeight(canvas) * static_cast<double>(notes.size());
    Picture picture;
    picture.title = text.title;
    picture.size = {content.width() + 2 * static_cast<int>(margin),
                    content.height() + static_cast<int>(std::ceil(2 * margin + head + foot))};
    picture.paint = [=, size = picture.size, paint = std::move(paintContent)](QPainter& painter) {
        painter.fillRect(QRect(QPoint(), size), look[Role::window]);
        Canvas out(painter, look);
        out.text({margin, margin}, text.title, Type::headline, Role::text, Qt::AlignLeft | Qt::AlignTop);
        double under = margin + out.lineHeight(Type::headline);
        for (const QString& line : subtitle) {
            out.text({margin, under}, line, Type::body, Role::textSecondary, Qt::AlignLeft | Qt::AlignTop);
            under += out.lineHeight(Type::body);
        }
        painter.save();
        painter.translate(margin, margin + head);
        paint(painter);
        painter.restore();
        double y = margin + head + content.height() + gap;
        for (const QString& line : notes) {
            out.text({margin, y}, line, Type::small, Role::textSecondary, Qt::AlignLeft | Qt::AlignTop);
            y += noteHeight(out);
        }
    };
    return picture;
}

} // namespace prism::ui
