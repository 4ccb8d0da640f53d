// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/curvelabels.h"

#include <algorithm>
#include <span>

namespace prism::ui {

namespace {

constexpr double kLevels[] = {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82, 0.1, 0.9}; // of the height of a line
constexpr double kNear[] = {0, 8, 16}, kFar[] = {32, 56, 96, 144, 200, 270, 360};             // pixels beyond the gap; far: with a leader

bool isFree(const QRectF& rect, const LabelObstacles& o)
{
    return o.plot.contains(rect) && std::none_of(o.taken.begin(), o.taken.end(), [&](const QRectF& r) { return r.intersects(rect); })
           && std::none_of(o.lines.begin(), o.lines.end(), [&](const QPolygonF& line) { return passesThrough(line, rect); });
}

/// Where the line crosses `y`, the first time or the last time; the nearest point where it does not.
QPointF crossing(const QPolygonF& line, double y, bool last)
{
    QPointF found = line.front();
    for (qsizetype i = 1; i < line.size(); ++i) {
        const QPointF a = line[i - 1], b = line[i];
        if ((a.y() - y) * (b.y() - y) > 0 || a.y() == b.y())
            continue;
        found = a + (b - a) * ((y - a.y()) / (b.y() - a.y()));
        if (!last)
            break;
    }
    return found;
}

/// Some place that covers no other label, from the top at the right edge, for a line that is seen; else none.
LabelPlace stacked(const CurveLabel& label, const LabelObstacles& o)
{
    const QRectF around = label.line.boundingRect().intersected(o.plot);
    const auto seen = std::find_if(std::begin(kLevels), std::end(kLevels), [&](double level) {
        return o.plot.contains(crossing(label.line, around.bottom() - level * around.height(), true));
    });
    QRectF rect(QPointF(o.plot.right() - label.size.width(), o.plot.top()), label.size);
    const auto covers = [&] { return std::any_of(o.taken.begin(), o.taken.end(), [&](const QRectF& r) { return r.intersects(rect); }); };
    while (covers() && rect.bottom() <= o.plot.bottom())
        rect.translate(0, label.size.height());
    if (seen == std::end(kLevels) || rect.bottom() > o.plot.bottom())
        return {};
    return {rect, crossing(label.line, around.bottom() - *seen * around.height(), true), true, false, true};
}

/// The first free place at one of these distances.
LabelPlace freePlace(const CurveLabel& label, const LabelObstacles& o, double gap, std::span<const double> distances)
{
    const QRectF around = label.line.boundingRect().intersected(o.plot);
    for (const double farther : distances)
        for (const double level : kLevels)
            for (const bool right : {true, false}) {
                const double y = around.bottom() - level * around.height();
                const QPointF anchor = crossing(label.line, y, right);
                const double x = right ? anchor.x() + gap + farther : anchor.x() - gap - farther - label.size.width();
                const QRectF rect(QPointF(x, y - label.size.height() / 2), label.size);
                if (isFree(rect, o))
                    return {rect, anchor, false, false, false};
            }
    return {};
}

LabelPlace placeOf(const CurveLabel& label, const LabelObstacles& o, double gap)
{
    LabelPlace place = freePlace(label, o, gap, kNear);
    if (place.rect.isNull() && label.shortWidth > 0) {
        place = freePlace({{label.shortWidth, label.size.height()}, label.line}, o, gap, kNear);
        place.isShort = true;
    }
    if (place.rect.isNull()) {
        place = freePlace(label, o, gap, kFar);
        place.isFar = true;
    }
    return place.rect.isNull() && o.mayCover ? stacked(label, o) : place;
}

} // namespace

double heightOn(const QPolygonF& line, double x)
{
    if (line.isEmpty())
        return 0;
    const auto after = std::upper_bound(line.begin(), line.end(), x, [](double value, const QPointF& p) { return value < p.x(); });
    if (after == line.begin())
        return line.front().y();
    const QPointF a = *(after - 1);
    if (after == line.end() || after->x() <= a.x())
        return a.y();
    return a.y() + (after->y() - a.y()) * (x - a.x()) / (after->x() - a.x());
}

bool passesThrough(const QPolygonF& line, const QRectF& rect)
{
    if (line.size() < 2 || line.back().x() < rect.left() || line.front().x() > rect.right())
        return false;
    double top = std::min(heightOn(line, rect.left()), heightOn(line, rect.right()));
    double bottom = std::max(heightOn(line, rect.left()), heightOn(line, rect.right()));
    auto at = std::lower_bound(line.begin(), line.end(), rect.left(), [](const QPointF& p, double value) { return p.x() < value; });
    for (; at != line.end() && at->x() <= rect.right(); ++at) {
        top = std::min(top, at->y());
        bottom = std::max(bottom, at->y());
    }
    return bottom >= rect.top() && top <= rect.bottom();
}

std::vector<LabelPlace> placeLabels(const std::vector<CurveLabel>& labels, LabelObstacles obstacles, double gap)
{
    std::vector<LabelPlace> places;
    for (const CurveLabel& label : labels) {
        places.push_back(placeOf(label, obstacles, gap));
        obstacles.taken.push_back(places.back().rect);
    }
    return places;
}

std::vector<LabelPlace> placeReadings(const std::vector<CurveLabel>& labels, LabelObstacles obstacles, double x, double gap)
{
    std::vector<LabelPlace> places;
    for (const CurveLabel& label : labels) {
        const QPointF anchor(x, heightOn(label.line, x));
        const double height = label.size.height();
        LabelPlace place{{}, anchor};
        const auto largest = static_cast<int>(obstacles.plot.height() / height);
        for (int shift = 0; shift <= 2 * largest && place.rect.isNull(); ++shift)
            for (const bool right : {true, false}) {
                const double elsewhere = (shift % 2 == 1 ? -1 : 1) * ((shift + 1) / 2) * height;
                const QRectF rect(QPointF(right ? x + gap : x - gap - label.size.width(), anchor.y() - height / 2 + elsewhere), label.size);
                if (place.rect.isNull() && isFree(rect, obstacles))
                    place = {rect, anchor, false, false, false};
            }
        obstacles.taken.push_back(place.rect);
        places.push_back(place);
    }
    return places;
}

} // namespace prism::ui
