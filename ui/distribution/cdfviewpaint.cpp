// SPDX-License-Identifier: GPL-3.0-or-later
// The painted parts of the view: ticks, limit with its flag, noise-free line, crosshair.
#include "ui/distribution/cdfview.h"
#include "ui/look/format.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

void CdfChart::View::drawBackground(QPainter* painter, const QRectF& rect)
{
    QChartView::drawBackground(painter, rect);
    Impl& d = *m_owner->m_impl;
    const Look& look = d.theme.look();
    if (d.limit.seconds > 0) {
        const double x = std::clamp(m_owner->xAt(d.limit.seconds), d.plot.left(), d.plot.right());
        painter->fillRect(QRectF(QPointF(x, d.plot.top()), d.plot.bottomRight()), look[Role::beyondLimit]);
    }
    painter->setPen(look.pen(Role::grid));
    for (const double value : d.ticksY.values) {
        const double y = std::round(d.yPixel(value)) + 0.5;
        painter->drawLine(QPointF(d.plot.left(), y), QPointF(d.plot.right(), y));
    }
}

void CdfChart::View::drawForeground(QPainter* painter, const QRectF& rect)
{
    QChartView::drawForeground(painter, rect);
    Impl& d = *m_owner->m_impl;
    const Look& look = d.theme.look();
    ++d.paints;
    drawTicks(*painter, look);
    drawNoiseFree(*painter, look);
    drawLimit(*painter, look);
    if (!m_dragging)
        drawHover(*painter, look);
    if (!d.notice.isEmpty()) {
        painter->setFont(look.font(Type::small));
        const QRectF box(d.plot.left(), d.plot.center().y() - look.px(14), d.plot.width(), look.px(28));
        QRectF text = painter->boundingRect(box, Qt::AlignCenter, d.notice).adjusted(-look.px(12), -look.px(6), look.px(12), look.px(6));
        painter->setPen(look.pen(Role::separator));
        painter->setBrush(look[Role::panel]);
        painter->drawRoundedRect(text, look.px(4), look.px(4));
        painter->setPen(look[Role::textSecondary]);
        painter->drawText(text, Qt::AlignCenter, d.notice);
    }
    if (m_owner->hasFocus()) {
        painter->setPen(look.pen(Role::accent, metric::focusRing));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(QRectF(viewport()->rect()).adjusted(1, 1, -1, -1));
    }
}

void CdfChart::View::drawTicks(QPainter& p, const Look& look) const
{
    const Impl& d = *m_owner->m_impl;
    p.setPen(look.pen(Role::axis));
    p.drawLine(QPointF(d.plot.left(), std::round(d.plot.bottom()) + 0.5), QPointF(d.plot.right(), std::round(d.plot.bottom()) + 0.5));
    p.setFont(look.font(Type::tick));
    const QFontMetricsF metrics(p.font());
    for (const double value : d.ticksX.values) {
        const double x = m_owner->xAt(value);
        if (x < d.plot.left() - 1 || x > d.plot.right() + 1)
            continue;
        p.setPen(look.pen(Role::axis));
        p.drawLine(QPointF(x, d.plot.bottom()), QPointF(x, d.plot.bottom() + look.px(4)));
        p.setPen(look[Role::textSecondary]);
        p.drawText(QRectF(x - 60, d.plot.bottom() + look.px(6), 120, metrics.height()), Qt::AlignHCenter | Qt::AlignTop,
                   format::fixed(value, d.ticksX.decimals));
    }
    p.setPen(look[Role::textSecondary]);
    p.drawText(QRectF(d.plot.left(), d.plot.bottom() + look.px(24), d.plot.width(), metrics.height()), Qt::AlignHCenter,
               tr("Step time, s"));
    for (const double value : d.ticksY.values) {
        const QString text = d.mode == Mode::exceedance ? format::number(std::pow(10.0, value) * 100, value > -2 ? 3 : 1)
                                                        : format::fixed(value, d.mode == Mode::density ? d.ticksY.decimals : 0);
        p.drawText(QRectF(0, d.yPixel(value) - metrics.height() / 2, d.plot.left() - look.px(8), metrics.height()),
                   Qt::AlignRight | Qt::AlignVCenter, text);
    }
    const QString title = d.mode == Mode::cdf       ? tr("Share of steps, %")
                          : d.mode == Mode::density ? tr("Density, % of steps per second")
                                                    : tr("Share of steps that take longer, % (log)");
    p.drawText(QPointF(0, d.plot.top() - look.px(12)), title);
}

void CdfChart::View::drawNoiseFree(QPainter& p, const Look& look) const
{
    const Impl& d = *m_owner->m_impl;
    const ChartCurve* read = d.readCurve();
    if (!read || read->noiseFreeSeconds <= 0)
        return;
    const double x = m_owner->xAt(read->noiseFreeSeconds);
    if (x < d.plot.left() || x > d.plot.right())
        return;
    QPen pen = look.pen(Role::textSecondary, metric::limitLine);
    pen.setDashPattern({4, 3});
    p.setPen(pen);
    p.drawLine(QPointF(x, d.plot.top()), QPointF(x, d.plot.bottom()));
    // The label stands where no curve is: right of the line when there is room before the curves, else at its left.
    const double y = d.plot.top() + d.plot.height() * (d.mode == Mode::cdf ? 0.16 : 0.04);
    p.setFont(look.font(Type::tick));
    const double width = QFontMetricsF(p.font()).horizontalAdvance(tr("Noise-free step"));
    const bool leftSide = x - d.plot.left() > width + look.px(24) && d.mode != Mode::cdf;
    const QRectF box(leftSide ? x - width - look.px(8) : x + look.px(8), y, width + 2, look.px(16));
    p.setPen(look[Role::textSecondary]);
    p.drawText(box, leftSide ? Qt::AlignRight : Qt::AlignLeft, tr("Noise-free step"));
    p.setFont(look.font(Type::smallStrong));
    p.setPen(look[Role::text]);
    p.drawText(box.translated(0, look.px(15)), leftSide ? Qt::AlignRight : Qt::AlignLeft, format::seconds(read->noiseFreeSeconds).text());
}

void CdfChart::View::drawLimit(QPainter& p, const Look& look)
{
    const Impl& d = *m_owner->m_impl;
    m_flag = {};
    if (d.limit.seconds <= 0)
        return;
    const double x = m_owner->xAt(d.limit.seconds);
    const bool inside = x >= d.plot.left() - 1 && x <= d.plot.right() + 1;
    const double shown = std::clamp(x, d.plot.left(), d.plot.right());
    const double y =
        d.mode == Mode::density ? d.plot.bottom() : std::clamp(d.yPixel(d.yValue(d.limit.probability)), d.plot.top(), d.plot.bottom());
    if (inside && d.mode != Mode::density) {
        QPen dots = look.pen(Role::text, 1);
        dots.setDashPattern({1, 2});
        p.setPen(dots);
        p.drawLine(QPointF(d.plot.left(), y), QPointF(x, y));
        const double shownPercent = d.limit.probability * 100;
        if (x - d.plot.left() > look.px(60)) {
            p.setFont(look.font(Type::tick));
            p.setPen(look[Role::text]);
            p.drawText(QPointF(d.plot.left() + look.px(8), y - look.px(4)),
                       u"p%1"_s.arg(format::number(shownPercent, shownPercent > 99                                          ? 4
                                                                 : std::abs(shownPercent - std::round(shownPercent)) < 0.05 ? 2
                                                                                                                            : 3)));
        }
    }
    p.setPen(look.pen(Role::text, metric::limitLine));
    if (inside)
        p.drawLine(QPointF(x, d.plot.top() - look.px(8)), QPointF(x, d.plot.bottom()));
    p.fillRect(QRectF(shown - look.px(3), d.plot.bottom() - 1, look.px(6), look.px(5)), look[Role::text]);
    if (inside && d.mode != Mode::density) {
        const ChartCurve* read = d.readCurve();
        p.setPen(QPen(look.palette().seriesAt(read ? read->colour : 0), look.pxF(2.5)));
        p.setBrush(look[Role::panel]);
        p.drawEllipse(QPointF(x, y), look.pxF(5), look.pxF(5));
    }
    // The flag stands in the lane above the plot.
    p.setFont(look.font(Type::title));
    const double width = QFontMetricsF(p.font()).horizontalAdvance(d.limit.sentence) + look.px(34);
    const double left = std::clamp(shown - look.px(13), d.plot.left(), std::max(d.plot.left(), d.plot.right() - width));
    m_flag = QRectF(left, look.px(4), width, look.px(32));
    p.setPen(Qt::NoPen);
    p.setBrush(look[Role::text]);
    p.drawRoundedRect(m_flag, look.px(4), look.px(4));
    for (int i = 0; i < 6; ++i) // the grip
        p.fillRect(QRectF(left + look.px(8) + (i % 2) * look.px(4), m_flag.center().y() + (i / 2 - 1) * look.px(4) - 1, 2, 2),
                   look[Role::panel]);
    p.setPen(look[Role::panel]);
    p.drawText(m_flag.adjusted(look.px(22), 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, d.limit.sentence);
    p.setFont(look.font(Type::tick));
    p.setPen(look[Role::textSecondary]);
    const QStringList lines{d.limit.note, tr("drag, or type a value")};
    double noteWidth = 0;
    for (const QString& line : lines)
        noteWidth = std::max(noteWidth, QFontMetricsF(p.font()).horizontalAdvance(line));
    const bool rightSide = m_flag.right() + noteWidth + look.px(12) < static_cast<double>(m_owner->width());
    for (int i = 0; i < 2; ++i) {
        const QRectF box(rightSide ? m_flag.right() + look.px(10) : m_flag.left() - noteWidth - look.px(10),
                         m_flag.top() + look.px(2) + i * look.px(14), noteWidth, look.px(14));
        if (box.left() > look.px(110) || rightSide)
            p.drawText(box, (rightSide ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, lines[i]);
    }
}

void CdfChart::View::drawHover(QPainter& p, const Look& look) const
{
    const Impl& d = *m_owner->m_impl;
    if (!d.plot.contains(m_hover) || d.mode == Mode::density || nearLimit(m_hover))
        return;
    const double seconds = m_owner->secondsAt(m_hover.x());
    p.setPen(look.pen(Role::controlOutline, 1));
    p.drawLine(QPointF(m_hover.x(), d.plot.top()), QPointF(m_hover.x(), d.plot.bottom()));
    QStringList lines{format::seconds(seconds).text()};
    QList<int> colours{-1};
    for (const ChartCurve& c : d.curves) {
        if (c.cdf.empty())
            continue;
        const auto at = std::lower_bound(c.cdf.begin(), c.cdf.end(), seconds, [](const CurvePoint& a, double s) { return a.seconds < s; });
        double probability = 1;
        if (at == c.cdf.begin())
            probability = seconds < at->seconds ? 0 : at->probability;
        else if (at != c.cdf.end())
            probability = (at - 1)->probability
                          + (at->probability - (at - 1)->probability) * (seconds - (at - 1)->seconds) / (at->seconds - (at - 1)->seconds);
        lines << u"%1  %2"_s.arg(format::percent(d.mode == Mode::exceedance ? 1 - probability : probability), c.name);
        colours << c.colour;
    }
    p.setFont(look.font(Type::tick));
    const QFontMetricsF metrics(p.font());
    double width = 0;
    for (const QString& line : lines)
        width = std::max(width, metrics.horizontalAdvance(line));
    const double row = look.px(16);
    QRectF box(m_hover.x() + look.px(12), m_hover.y() + look.px(12), width + look.px(34),
               row * static_cast<double>(lines.size()) + look.px(10));
    if (box.right() > d.plot.right())
        box.moveRight(m_hover.x() - look.px(12));
    if (box.bottom() > d.plot.bottom())
        box.moveBottom(m_hover.y() - look.px(12));
    p.setBrush(look[Role::panel]);
    p.setPen(look.pen(Role::controlOutline));
    p.drawRoundedRect(box, look.px(4), look.px(4));
    for (int i = 0; i < lines.size(); ++i) {
        const QRectF line(box.left() + look.px(8), box.top() + look.px(5) + row * i, box.width(), row);
        if (colours[i] >= 0)
            p.fillRect(QRectF(line.left(), line.center().y() - look.px(4), look.px(8), look.px(8)), look.palette().seriesAt(colours[i]));
        p.setPen(look[Role::text]);
        p.drawText(line.adjusted(colours[i] >= 0 ? look.px(14) : 0, 0, 0, 0), Qt::AlignVCenter, lines[i]);
    }
}

} // namespace prism::ui
