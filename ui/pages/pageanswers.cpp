// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/pageanswers.h"

#include "core/step/breakdown.h"
#include "ui/look/format.h"

#include <QObject>

#include <algorithm>

namespace prism::ui {

namespace {

/// "stage 3 of replica 7"; the stage alone where all replicas share a row.
QString placeOf(const PlacementMap& map, int cell)
{
    const QString stage = QObject::tr("stage %1").arg(cell % map.columns);
    const auto row = static_cast<std::size_t>(cell / map.columns);
    return map.rows == 1 ? stage : QObject::tr("%1 of %2").arg(stage, QString::fromStdString(map.rowLabels[row]));
}

/// The place with those that are within its error: one by name, more as a number.
QString placesOf(const PlacementMap& map, int cell, const std::vector<int>& others)
{
    const QString place = placeOf(map, cell);
    return others.empty()       ? place
           : others.size() == 1 ? QObject::tr("%1 or %2").arg(place, placeOf(map, others.front()))
                                : QObject::tr("%1 or %2 places within its error").arg(place, format::count(std::ssize(others)));
}

} // namespace

QString placementAnswer(const PlacementMap& map, PlaceMetric metric)
{
    const ExtremePlaces places = extremePlaces(map, metric);
    if (places.best < 0)
        return {};
    const QString slow = format::number((map.probe.computeFactor - 1) * 100, 2), name = nameOf(metric);
    const auto cost = [&](int cell) { return format::percentDelta(ratioOf(map.cells[static_cast<std::size_t>(cell)], metric).value - 1); };
    const QString smallest = cost(places.best), maximum = cost(places.worst);
    if (places.equal)
        return QObject::tr("A node that is %1 % slow changes %2 by %3 to %4 at any place: where it is does not matter.")
            .arg(slow, name, smallest, maximum);
    return QObject::tr("Keep a node that is %1 % slow on %2 (%3 %4) and away from %5 (%6).")
        .arg(slow, placesOf(map, places.best, places.asGood), name, smallest, placesOf(map, places.worst, places.asBad), maximum);
}

QString scaleAnswer(const ScaleCurve& curve, std::int64_t gpus)
{
    const ScalePoint *own = nullptr, *larger = nullptr, *smaller = nullptr;
    for (const ScalePoint& p : curve.points) {
        if (p.gpus == gpus)
            own = &p;
        if (!p.valid || !(p.efficiency > 0)) // does not fit
            continue;
        if (p.gpus > gpus && !larger)
            larger = &p;
        if (p.gpus < gpus)
            smaller = &p;
    }
    const ScalePoint* other = larger ? larger : smaller;
    if (!own || !other)
        return {};
    if (!own->valid || !(own->efficiency > 0))
        return QObject::tr("%1 GPUs do not hold this job; %2 would, with p95 %3.")
            .arg(format::count(gpus), format::count(other->gpus), format::seconds(other->step.p95).text());
    const QString now = format::seconds(own->step.p95).text(), then = format::seconds(other->step.p95).text();
    return QObject::tr("%1 GPUs instead of %2 would give %3 times the tokens/s (%4 per GPU); p95 %5.")
        .arg(format::count(other->gpus), format::count(gpus), format::number(other->tokensPerSecond / own->tokensPerSecond),
             format::percent(other->efficiency / own->efficiency),
             now == then ? QObject::tr("stays %1").arg(now) : QObject::tr("goes from %1 to %2").arg(now, then));
}

QString breakdownAnswer(const CostedStep& costed)
{
    const Breakdown& b = costed.breakdown;
    const double all = b.sum();
    if (!(all > 0))
        return {};
    const BreakdownPart& largest = *std::max_element(kBreakdownParts.begin() + 1, kBreakdownParts.end(), // without compute
                                                     [&b](const auto& x, const auto& y) { return b.*x.seconds < b.*y.seconds; });
    const double rest = b.*largest.seconds;
    const QString compute =
        QObject::tr("Compute is %1 of the noise-free %2").arg(format::percent(b.computeSeconds / all), format::seconds(all).text());
    if (!(rest > 0))
        return compute + u'.';
    return QObject::tr("%1; the largest other part is %2, %3 (%4).")
        .arg(compute, QString::fromUtf8(largest.label).toLower(), format::seconds(rest).text(), format::percent(rest / all));
}

} // namespace prism::ui
