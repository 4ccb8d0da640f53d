// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/look/textruns.h"

#include "ui/look/format.h"

#include <QObject>
#include <QPainter>

#include <algorithm>

using namespace Qt::StringLiterals;

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

QString elidedAmong(const QString& name, const QStringList& others, const QFontMetricsF& metrics, double width)
{
    if (metrics.horizontalAdvance(name) <= width)
        return name;
    qsizetype head = 0, tail = 0; // that it shares
    for (const QString& other : others) {
        const qsizetype both = other == name ? 0 : std::min(name.size(), other.size());
        const qsizetype start = std::mismatch(name.begin(), name.begin() + both, other.begin()).first - name.begin();
        const qsizetype end = std::mismatch(name.rbegin(), name.rbegin() + (both - start), other.rbegin()).first - name.rbegin();
        head = std::max(head, name.left(start).lastIndexOf(u' ') + 1);
        if (const qsizetype word = name.indexOf(u' ', name.size() - end); end > 0 && word >= 0)
            tail = std::max(tail, name.size() - word);
    }
    const QString own = name.mid(head, std::max<qsizetype>(0, name.size() - head - tail)) + (tail > 0 ? u"…"_s : QString());
    for (qsizetype kept = head; kept >= 0 && head + tail < name.size(); --kept)
        if (const QString text = name.left(kept) + (kept < head ? u"…"_s : QString()) + own; metrics.horizontalAdvance(text) <= width)
            return text;
    return metrics.elidedText(name, Qt::ElideMiddle, width);
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
