// SPDX-License-Identifier: GPL-3.0-or-later
// The painted parts of the view: ticks, limit with its flag, noise-free line, crosshair.
#include "ui/distribution/cdfview.h"
#include "ui/look/format.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

void CdfView::drawBackground(QPainter* painter, const QRectF& rect)
{
    QChartView::drawBackground(painter, rect);
    CdfState& d = m_state;
    const Look& look = d.theme.look();
    if (d.limit.seconds > 0) { // what lies outside of the limits
        const double x = std::clamp(m_state.xAt(d.limit.seconds), d.plot.left(), d.plot.right());
        painter->fillRect(QRectF(QPointF(x, d.plot.top()), d.plot.bottomRight()), look[Role::beyondLimit]);
        const double lower = d.limit.lowerSeconds > 0 ? m_state.xAt(d.limit.lowerSeconds) : d.plot.left();
        if (lower > d.plot.left())
            painter->fillRect(QRectF(d.plot.topLeft(), QPointF(std::min(lower, d.plot.right()), d.plot.bottom())), look[Role::beyondLimit]);
    }
    painter->setPen(look.pen(Role::grid));
    for (const double value : d.ticksY.values) {
        const double y = std::round(d.yPixel(value)) + 0.5;
        painter->drawLine(QPointF(d.plot.left(), y), QPointF(d.plot.right(), y));
    }
    drawBands(*painter);
}

void CdfView::drawBands(QPainter& p) const
{
    p.save();
    p.setClipRect(m_state.plot);
    p.setPen(Qt::NoPen);
    for (const Drawn& curve : m_state.drawn) {
        p.setBrush(curve.fill);
        p.drawPolygon(m_state.onPlot(curve.band));
    }
    p.restore();
}

void CdfView::drawForeground(QPainter* painter, const QRectF& rect)
{
    QChartView::drawForeground(painter, rect);
    CdfState& d = m_state;
    const Look& look = d.theme.look();
    ++d.paints;
    drawTicks(*painter, look);
    drawNoiseFree(*painter, look);
    drawMarks(*painter, look);
    drawLimits(*painter, look);
    drawLabels(*painter, look);
    if (d.paper)
        return;
    drawGhost(*painter, look);
    drawGoal(*painter, look);
    if (m_dragged == Grip::none)
        drawHover(*painter, look);
    if (!d.notice.isEmpty())
        drawNotice(*painter, look);
    if (parentWidget()->hasFocus()) {
        painter->setPen(look.pen(Role::accent, metric::focusRing));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(QRectF(viewport()->rect()).adjusted(1, 1, -1, -1));
    }
}

QRectF CdfView::noticeRect(const Look& look) const
{
    const QSizeF words = QFontMetricsF(look.font(Type::small)).size(Qt::TextSingleLine, m_state.notice) + QSizeF(look.px(24), look.px(12));
    return {m_state.plot.center() - QPointF(words.width(), words.height()) / 2, words};
}

void CdfView::drawNotice(QPainter& p, const Look& look) const
{
    const CdfState& d = m_state;
    p.setFont(look.font(Type::small));
    const QRectF text = noticeRect(look);
    p.setPen(look.pen(Role::separator));
    p.setBrush(look[Role::panel]);
    p.drawRoundedRect(text, look.px(4), look.px(4));
    p.setPen(look[Role::textSecondary]);
    p.drawText(text, Qt::AlignCenter, d.notice);
}

QString CdfView::axisTitle() const
{
    switch (m_state.mode) {
    case CdfMode::cdf:
        return tr("Share of steps, %");
    case CdfMode::density:
        return tr("Density, % of steps per second");
    case CdfMode::exceedance:
        return tr("Share of steps that take longer, % (log)");
    }
    return {};
}

void CdfView::drawTicks(QPainter& p, const Look& look) const
{
    const CdfState& d = m_state;
    p.setPen(look.pen(Role::axis));
    p.drawLine(QPointF(d.plot.left(), std::round(d.plot.bottom()) + 0.5), QPointF(d.plot.right(), std::round(d.plot.bottom()) + 0.5));
    p.setFont(look.font(Type::tick));
    const QFontMetricsF metrics(p.font());
    for (const double value : d.ticksX.values) {
        const double x = m_state.xAt(value / d.unit.perSecond);
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
               tr("Step time, %1").arg(d.unit.name));
    for (const double value : d.ticksY.values) {
        const QString text = d.mode == CdfMode::exceedance ? format::number(std::pow(10.0, value) * 100, value > -2 ? 3 : 1)
                                                           : format::fixed(value, d.mode == CdfMode::density ? d.ticksY.decimals : 0);
        p.drawText(QRectF(0, d.yPixel(value) - metrics.height() / 2, d.plot.left() - look.px(8), metrics.height()),
                   Qt::AlignRight | Qt::AlignVCenter, text);
    }
    p.drawText(QPointF(0, d.plot.top() - look.px(12)), axisTitle());
}

void CdfView::drawNoiseFree(QPainter& p, const Look& look) const
{
    const CdfState& d = m_state;
    const ChartCurve* read = d.readCurve();
    if (!read || read->noiseFreeSeconds <= 0)
        return;
    const double x = m_state.xAt(read->noiseFreeSeconds);
    if (x < d.plot.left() || x > d.plot.right())
        return;
    QPen pen = look.pen(Role::textSecondary, metric::limitLine);
    pen.setDashPattern({4, 3});
    p.setPen(pen);
    p.drawLine(QPointF(x, d.plot.top()), QPointF(x, d.plot.bottom()));
    // Its name is above the plot, where no curve is, right of the axis title.
    p.setFont(look.font(Type::tick));
    const QFontMetricsF metrics(p.font());
    const QString name = tr("Noise-free %1").arg(format::seconds(read->noiseFreeSeconds).text());
    const double width = metrics.horizontalAdvance(name), smallest = metrics.horizontalAdvance(axisTitle()) + look.px(20);
    const double left = std::max(smallest, std::min(x - width / 2, d.plot.right() - width));
    p.setPen(look[Role::textSecondary]);
    if (left + width <= d.plot.right() + look.px(16))
        p.drawText(QPointF(left, d.plot.top() - look.px(12)), name);
}

void CdfView::drawMarks(QPainter& p, const Look& look) const
{
    const CdfState& d = m_state;
    const double radius = look.pxF(8);
    double free = d.plot.left(); // right end of the letter before
    for (const ChartMark& mark : d.marks) {
        const double x = m_state.xAt(mark.seconds);
        if (x < d.plot.left() || x > d.plot.right())
            continue;
        QPen pen = look.pen(Role::text, 1);
        pen.setDashPattern({1, 4});
        p.setPen(pen);
        p.drawLine(QPointF(x, d.plot.top()), QPointF(x, d.plot.bottom()));
        const QPointF centre(std::max(x, free + radius + 1), d.plot.top() + radius + look.pxF(2)); // letters never cover one another
        free = centre.x() + radius;
        p.setPen(look.pen(Role::text, 1));
        p.setBrush(look[Role::panel]);
        p.drawEllipse(centre, radius, radius);
        p.setFont(look.font(Type::tickStrong));
        p.drawText(QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius), Qt::AlignCenter, mark.letter);
    }
}

void CdfView::drawLimits(QPainter& p, const Look& look)
{
    const CdfState& d = m_state;
    m_flag = {};
    if (d.limit.seconds <= 0)
        return;
    if (d.limit.lowerSeconds > 0)
        drawLimitLine(p, look, d.limit.lowerSeconds, d.limit.lowerProbability);
    drawLimitLine(p, look, d.limit.seconds, d.limit.probability);
    drawFlag(p, look);
    drawFlagNotes(p, look);
}

void CdfView::drawLimitLine(QPainter& p, const Look& look, double seconds, double probability) const
{
    const CdfState& d = m_state;
    const double x = m_state.xAt(seconds), shown = std::clamp(x, d.plot.left(), d.plot.right());
    const bool inside = x >= d.plot.left() - 1 && x <= d.plot.right() + 1;
    const double y = std::clamp(d.yPixel(d.yValue(probability)), d.plot.top(), d.plot.bottom());
    const bool onCurve = inside && d.mode != CdfMode::density;
    if (onCurve) {
        QPen dots = look.pen(Role::text, 1);
        dots.setDashPattern({1, 2});
        p.setPen(dots);
        p.drawLine(QPointF(d.plot.left(), y), QPointF(x, y));
    }
    p.setPen(look.pen(Role::text, metric::limitLine));
    if (inside)
        p.drawLine(QPointF(x, d.plot.top() - look.px(8)), QPointF(x, d.plot.bottom()));
    if (d.hasHandles())
        p.fillRect(QRectF(shown - look.px(3), d.plot.bottom() - 1, look.px(6), look.px(5)), look[Role::text]);
    if (!onCurve)
        return;
    const ChartCurve* read = d.readCurve();
    p.setPen(QPen(look.palette().seriesAt(read ? read->colour : 0), look.pxF(2.5)));
    p.setBrush(look[Role::panel]);
    p.drawEllipse(QPointF(x, y), look.pxF(5), look.pxF(5));
}

void CdfView::drawFlag(QPainter& p, const Look& look)
{
    // In the lane above the plot, over the limit, or over the middle of both.
    const CdfState& d = m_state;
    const double lower = d.limit.lowerSeconds > 0 ? m_state.xAt(d.limit.lowerSeconds) : 0, upper = m_state.xAt(d.limit.seconds);
    p.setFont(look.font(Type::title));
    const double text = QFontMetricsF(p.font()).horizontalAdvance(d.limit.sentence), grip = d.hasHandles() ? look.px(22) : look.px(12);
    const double width = text + grip + look.px(12);
    const double start =
        d.limit.lowerSeconds > 0 ? (lower + upper - width) / 2 : std::clamp(upper, d.plot.left(), d.plot.right()) - look.px(13);
    const double left = std::clamp(start, d.plot.left(), std::max(d.plot.left(), d.plot.right() - width));
    m_flag = QRectF(left, look.px(4), width, look.px(32));
    p.setPen(Qt::NoPen);
    p.setBrush(look[Role::text]);
    p.drawRoundedRect(m_flag, look.px(4), look.px(4));
    for (int i = 0; i < 6 && d.hasHandles(); ++i) {
        const int row = i / 2, column = i % 2;
        p.fillRect(QRectF(left + look.px(8) + column * look.px(4), m_flag.center().y() + (row - 1) * look.px(4) - 1, 2, 2),
                   look[Role::panel]);
    }
    p.setPen(look[Role::panel]);
    p.drawText(m_flag.adjusted(grip, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, d.limit.sentence);
}

void CdfView::drawFlagNotes(QPainter& p, const Look& look) const
{
    const CdfState& d = m_state;
    p.setFont(look.font(Type::tick));
    p.setPen(look[Role::textSecondary]);
    QStringList lines{QFontMetricsF(p.font()).elidedText(d.limit.note, Qt::ElideMiddle, look.px(240))}; // it ends with a name
    if (d.hasHandles())
        lines << tr("drag, or type a value");
    double width = 0;
    for (const QString& line : lines)
        width = std::max(width, QFontMetricsF(p.font()).horizontalAdvance(line));
    const bool right = m_flag.right() + width + look.px(12) < static_cast<double>(parentWidget()->width());
    const double left = right ? m_flag.right() + look.px(10) : m_flag.left() - width - look.px(10);
    if (left < 0)
        return; // the labels at the curves show it too
    const double high = look.px(14), top = m_flag.center().y() - high * static_cast<double>(lines.size()) / 2;
    for (int i = 0; i < lines.size(); ++i)
        p.drawText(QRectF(left, top + i * high, width + 1, high), (right ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, lines[i]);
}

void CdfView::drawGhost(QPainter& p, const Look& look) const
{
    const CdfState& d = m_state;
    if (d.ghost.text.isEmpty())
        return;
    constexpr double kGhostStrength = 0.68; // of its colour over the panel
    p.save();
    p.setClipRect(d.plot);
    QPolygonF line;
    for (const CurvePoint& point : d.ghost.cdf)
        line << QPointF(m_state.xAt(point.seconds), d.yPixel(d.yValue(point.probability)));
    p.setPen(QPen(blend(look.palette().seriesAt(d.ghost.colour), look[Role::panel], kGhostStrength), look.pxF(1)));
    if (d.mode != CdfMode::density)
        p.drawPolyline(line);
    p.restore();
    p.setFont(look.font(Type::small));
    const QFontMetricsF metrics(p.font());
    const QRectF box(d.plot.right() - metrics.horizontalAdvance(d.ghost.text) - look.px(28), d.plot.bottom() - look.px(58),
                     metrics.horizontalAdvance(d.ghost.text) + look.px(20), look.px(24));
    p.setPen(look.pen(Role::separator));
    p.setBrush(look[Role::panel]);
    p.drawRoundedRect(box, look.px(4), look.px(4));
    p.setPen(look[Role::text]);
    p.drawText(box, Qt::AlignCenter, d.ghost.text);
}

void CdfView::drawGoal(QPainter& p, const Look& look) const
{
    const CdfState& d = m_state;
    const QRectF mark = d.goalRect();
    if (mark.isEmpty())
        return;
    const QColor colour = look.palette().seriesAt(d.currentCurve()->colour);
    QPen dots(d.goal > 0 ? look[Role::text] : colour, look.pxF(1));
    dots.setDashPattern({1, 3});
    p.setPen(dots);
    p.drawLine(QPointF(mark.center().x(), d.goal > 0 ? d.plot.top() : d.yPixel(d.yValue(0.95))), QPointF(mark.center().x(), mark.top()));
    p.setPen(QPen(colour, look.pxF(1)));
    p.setBrush(look[Role::panel]);
    p.drawRoundedRect(mark, look.px(4), look.px(4));
    p.setFont(look.font(Type::tickStrong));
    p.setPen(look[Role::text]);
    p.drawText(mark, Qt::AlignCenter, d.goal > 0 ? tr("p95 ≤ %1").arg(format::seconds(d.goal).text()) : u"p95"_s);
}

void CdfView::drawHover(QPainter& p, const Look& look) const
{
    const CdfState& d = m_state;
    if (!d.plot.contains(m_hover) || d.mode == CdfMode::density || gripAt(m_hover) != Grip::none)
        return;
    const double seconds = m_state.secondsAt(m_hover.x());
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
        lines << u"%1  %2"_s.arg(format::percent(d.mode == CdfMode::exceedance ? 1 - probability : probability), c.name);
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
