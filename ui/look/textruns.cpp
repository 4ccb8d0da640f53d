// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/look/textruns.h"

#include "ui/look/format.h"

#include <QFontMetricsF>
#include <QObject>
#include <QPainter>

#include <algorithm>

namespace prism::ui {

void drawSeriesSample(QPainter& painter, const QRectF& rect, const Look& look, int colour, bool baseline, bool hidden)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QPen pen = look.seriesPen(colour, baseline);
    pen.setCapStyle(Qt::FlatCap);
    if (hidden)
        pen.setColor(look[Role::textTertiary]);
    painter.setPen(pen);
    const double y = rect.center().y();
    painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y));
    painter.restore();
}

double widthOf(const TextRuns& runs, const Look& look)
{
    double width = 0;
    for (const TextRun& run : runs)
        width += QFontMetricsF(look.font(run.type)).horizontalAdvance(run.text);
    return width;
}

double drawRuns(QPainter& painter, const QRectF& rect, const TextRuns& runs, const Look& look, bool dimmed)
{
    double x = rect.left(), baseline = 0;
    for (const TextRun& run : runs) // all runs are on the line of the largest
        baseline = std::max(baseline, QFontMetricsF(look.font(run.type)).ascent() - QFontMetricsF(look.font(run.type)).descent());
    const double y = rect.center().y() + baseline / 2;
    for (const TextRun& run : runs) {
        QFont font = look.font(run.type);
        font.setStrikeOut(run.struck);
        const QFontMetricsF metrics(font);
        painter.setFont(font);
        painter.setPen(look[dimmed ? Role::textTertiary : run.role]);
        const double room = rect.right() - x;
        if (room <= 0)
            break;
        painter.drawText(QPointF(x, y), metrics.elidedText(run.text, run.isName ? Qt::ElideMiddle : Qt::ElideRight, room + 0.5));
        x += metrics.horizontalAdvance(run.text);
    }
    return x - rect.left();
}

TextRuns shareRuns(double share, double halfWidth)
{
    if (share < 0.001)
        return {{QObject::tr("< 0.1 %"), Type::bodyStrong}};
    if (share > 0.999)
        return {{QObject::tr("> 99.9 %"), Type::bodyStrong}};
    return {{format::percent(share), Type::bodyStrong},
            {QStringLiteral("   ± %1").arg(format::number(halfWidth * 100, 1)), Type::small, Role::textTertiary}};
}

QString plainText(const TextRuns& runs)
{
    QString text;
    for (const TextRun& run : runs)
        text += run.text;
    return text.simplified();
}

} // namespace prism::ui
