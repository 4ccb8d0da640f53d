// SPDX-License-Identifier: GPL-3.0-or-later
// The labels of the view: the name of each curve next to its line, and its share at the limit.
#include "ui/distribution/cdfview.h"
#include "ui/look/textruns.h"

#include <QPainter>

#include <algorithm>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {
constexpr double kName = 220, kShortName = 96, kGap = 8; // at scale 1; a longer name is shortened in its middle
}

QString CdfView::labelOf(const ChartCurve& c, const Look& look, double widestName) const
{
    QStringList all;
    for (const ChartCurve& other : m_state.curves)
        all << other.name;
    QStringList parts{elidedAmong(c.name, all, QFontMetricsF(look.font(Type::smallStrong)), look.px(widestName))};
    if (m_state.paper)
        parts << c.metric;
    parts << c.change;
    parts.removeAll(QString());
    return parts.join(u"  "_s);
}

LabelObstacles CdfView::obstacles(const Look& look) const
{
    const CdfState& d = m_state;
    LabelObstacles all;
    all.plot = d.plot.adjusted(2, 2, -2, -2);
    all.mayCover = d.paper; // on screen the table at the left names every line
    const double nextTo = look.pxF(3);
    const auto upright = [&](double seconds) {
        if (seconds > 0)
            all.taken.emplace_back(d.xAt(seconds) - nextTo, d.plot.top(), 2 * nextTo, d.plot.height());
    };
    upright(d.limit.seconds);
    upright(d.limit.lowerSeconds);
    if (const ChartCurve* read = d.readCurve()) {
        upright(read->noiseFreeSeconds);
        const double y = d.yPixel(d.yValue(d.limit.probability));
        if (d.limit.seconds > 0 && d.mode != CdfMode::density) // the dots that lead to the axis
            all.taken.emplace_back(d.plot.left(), y - 1, std::max(0.0, d.xAt(d.limit.seconds) - d.plot.left()), 2);
    }
    for (const ChartMark& mark : d.marks)
        upright(mark.seconds);
    all.taken.push_back(d.goalRect());
    if (!d.notice.isEmpty())
        all.taken.push_back(noticeRect(look));
    return all;
}

std::vector<QPolygonF> CdfView::bandEdges() const
{
    std::vector<QPolygonF> edges;
    for (const Drawn& drawn : m_state.drawn) {
        const QPolygonF band = m_state.onPlot(drawn.band);
        const qsizetype upper =
            std::max_element(band.begin(), band.end(), [](QPointF a, QPointF b) { return a.x() < b.x(); }) - band.begin();
        QPolygonF lower(band.mid(upper));
        std::reverse(lower.begin(), lower.end());
        edges.push_back(QPolygonF(band.mid(0, upper + 1)));
        edges.push_back(lower);
    }
    return edges;
}

void CdfView::layoutLabels(const Look& look)
{
    const CdfState& d = m_state;
    m_labels.clear();
    LabelObstacles around = obstacles(look);
    std::vector<CurveLabel> readings, names;
    const QFontMetricsF metrics(look.font(Type::smallStrong));
    const auto sizeOf = [&](const QString& text) { return QSizeF(metrics.horizontalAdvance(text) + 2, metrics.height()); };
    const bool isLimited = d.limit.seconds > d.xAxis.low && d.limit.seconds < d.xAxis.high;
    QList<PaintedLabel> named;
    for (const ChartCurve& c : d.curves) {
        if (c.cdf.empty())
            continue;
        const QPolygonF line = d.onPlot(QPolygonF(d.lines(c).line));
        if (line.isEmpty())
            continue;
        around.lines.push_back(line);
        named << PaintedLabel{c.id, labelOf(c, look, kName), labelOf(c, look, kShortName), {}, false};
        names.push_back({sizeOf(named.back().text), line, sizeOf(named.back().shortText).width()});
        if (const QString share = d.limit.shares.value(c.id); isLimited && !share.isEmpty()) {
            m_labels << PaintedLabel{c.id, share, share, {}, true};
            readings.push_back({sizeOf(share), line, 0});
        }
    }
    for (const ChartMark& mark : d.marks) {
        if (mark.seconds <= d.xAxis.low || mark.seconds >= d.xAxis.high)
            continue;
        const QString text = metrics.elidedText(mark.text, Qt::ElideRight, look.px(kName));
        const double x = d.xAt(mark.seconds);
        named << PaintedLabel{-1, text, text, {}, false};
        names.push_back({sizeOf(text), QPolygonF{{x - 0.5, d.plot.bottom()}, {x + 0.5, d.plot.top()}}, 0}); // its bounds are not empty
    }
    std::vector<LabelPlace> places = placeReadings(readings, around, d.xAt(d.limit.seconds), look.pxF(kGap));
    for (const LabelPlace& place : places)
        around.taken.push_back(place.rect);
    std::ranges::copy(bandEdges(), std::back_inserter(around.lines));
    std::ranges::copy(placeLabels(names, around, look.pxF(kGap)), std::back_inserter(places));
    m_labels << named;
    for (std::size_t i = 0; i < places.size(); ++i)
        m_labels[static_cast<qsizetype>(i)].place = places[i];
}

void CdfView::drawLabels(QPainter& p, const Look& look)
{
    CdfState& d = m_state;
    if (d.labelsMoved && (m_dragged == Grip::none || m_labels.isEmpty())) {
        layoutLabels(look);
        d.labelsMoved = false;
    }
    p.save();
    p.setFont(look.font(Type::smallStrong));
    for (const PaintedLabel& label : std::as_const(m_labels)) {
        const auto curve = std::ranges::find(d.curves, label.scenario, &ChartCurve::id);
        const bool isMark = curve == d.curves.end();
        const bool back = !isMark && (curve->stale || (d.brushed >= 0 && d.brushed != curve->id));
        const QColor colour = isMark ? look[Role::text] : look.palette().seriesAt(curve->colour);
        const QRectF& rect = label.place.rect;
        p.setOpacity(back ? metric::staleOpacity : 1);
        if (label.isReading && d.mode != CdfMode::density) {
            p.setPen(QPen(colour, look.pxF(2)));
            p.setBrush(look[Role::panel]);
            p.drawEllipse(QPointF(d.xAt(d.limit.seconds), label.place.anchor.y()), look.pxF(4), look.pxF(4));
        }
        if (rect.isNull())
            continue;
        if (label.place.isFar) {
            p.setPen(QPen(colour, look.pxF(1)));
            const bool isRight = label.place.anchor.x() < rect.center().x();
            p.drawLine(QPointF(isRight ? rect.left() - 2 : rect.right() + 2, rect.center().y()), label.place.anchor);
        }
        if (label.place.isOver)
            p.fillRect(rect, look[Role::panel]);
        p.setPen(colour);
        p.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, label.place.isShort ? label.shortText : label.text);
    }
    p.restore();
}

} // namespace prism::ui
