// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/placementdata.h"

#include "ui/look/change.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism::ui {

using namespace Qt::StringLiterals;

NodePlaces placesOf(const Scenario& scenario, int node)
{
    NodePlaces places;
    const std::vector<RankPosition> layout = rankLayout(scenario);
    const auto perNode = static_cast<std::size_t>(std::max(scenario.cluster.gpusPerNode, 1));
    // nodeOrder maps positions to physical nodes; without one they are the same.
    const auto& order = scenario.measured.nodeOrder;
    auto position = static_cast<std::size_t>(std::max(node, 0));
    if (!order.empty())
        position = static_cast<std::size_t>(std::find(order.begin(), order.end(), node) - order.begin());
    for (std::size_t rank = position * perNode; rank < std::min(layout.size(), (position + 1) * perNode); ++rank) {
        const NodePlace place{layout[rank].replica, layout[rank].stage};
        if (std::find(places.begin(), places.end(), place) == places.end())
            places.push_back(place);
    }
    return places;
}

QString placeText(const NodePlace& place)
{
    return QObject::tr("stage %1, replica %2").arg(place.stage).arg(place.replica);
}

int rowOf(const PlacementMap& map, int replica)
{
    return replica >= 0 && replica < static_cast<int>(map.rowOfReplica.size()) ? map.rowOfReplica[static_cast<std::size_t>(replica)] : -1;
}

PlacementMap inReplicaOrder(const PlacementMap& map)
{
    std::vector<int> order(static_cast<std::size_t>(map.rows));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return map.rowFirstReplica[static_cast<std::size_t>(a)] < map.rowFirstReplica[static_cast<std::size_t>(b)];
    });
    PlacementMap sorted = map;
    std::vector<int> place(order.size());
    for (std::size_t row = 0; row < order.size(); ++row)
        place[static_cast<std::size_t>(order[row])] = static_cast<int>(row);
    for (int& row : sorted.rowOfReplica)
        row = row < 0 ? row : place[static_cast<std::size_t>(row)];
    for (std::size_t row = 0; row < order.size(); ++row) {
        const auto from = static_cast<std::size_t>(order[row]);
        sorted.rowLabels[row] = map.rowLabels[from];
        sorted.rowFirstReplica[row] = map.rowFirstReplica[from];
        sorted.rowReplicas[row] = map.rowReplicas[from];
        for (int column = 0; column < map.columns; ++column)
            sorted.cells[row * static_cast<std::size_t>(map.columns) + static_cast<std::size_t>(column)] = map.at(order[row], column);
        if (map.bestRow == order[row])
            sorted.bestRow = static_cast<int>(row);
        if (map.worstRow == order[row])
            sorted.worstRow = static_cast<int>(row);
    }
    return sorted;
}

QString nameOf(PlaceMetric metric)
{
    return metric == PlaceMetric::p50 ? u"p50"_s : metric == PlaceMetric::p95 ? u"p95"_s : u"p99"_s;
}

const Estimate& ratioOf(const PlacementCell& cell, PlaceMetric metric)
{
    return metric == PlaceMetric::p50 ? cell.p50Ratio : metric == PlaceMetric::p95 ? cell.p95Ratio : cell.p99Ratio;
}

double secondsOf(const PlacementCell& cell, PlaceMetric metric)
{
    return metric == PlaceMetric::p50 ? cell.p50Seconds : metric == PlaceMetric::p95 ? cell.p95Seconds : cell.p99Seconds;
}

double secondsOf(const DistributionSummary& base, PlaceMetric metric)
{
    return metric == PlaceMetric::p50 ? base.p50 : metric == PlaceMetric::p95 ? base.p95 : base.p99;
}

QString comparedText(const PlacementCell& cell, const DistributionSummary& base, PlaceMetric metric)
{
    const double without = secondsOf(base, metric);
    return u"%1 %2"_s.arg(nameOf(metric),
                          format::comparedSeconds(secondsOf(cell, metric), without, without * ratioOf(cell, metric).halfWidth));
}

ExtremePlaces extremePlaces(const PlacementMap& map, PlaceMetric metric)
{
    ExtremePlaces places;
    const auto ratio = [&](int cell) -> const Estimate& { return ratioOf(map.cells[static_cast<std::size_t>(cell)], metric); };
    for (int i = 0; i < static_cast<int>(map.cells.size()); ++i) {
        if (!map.cells[static_cast<std::size_t>(i)].present)
            continue;
        places.best = places.best < 0 || ratio(i).value < ratio(places.best).value ? i : places.best;
        places.worst = places.worst < 0 || ratio(i).value > ratio(places.worst).value ? i : places.worst;
    }
    const auto tied = [&](int a, int b) {
        return std::abs(ratio(a).value - ratio(b).value) <= std::hypot(ratio(a).halfWidth, ratio(b).halfWidth);
    };
    for (int i = 0; i < static_cast<int>(map.cells.size()); ++i)
        if (map.cells[static_cast<std::size_t>(i)].present && i != places.best && i != places.worst
            && tied(i, places.best) != tied(i, places.worst))
            (tied(i, places.best) ? places.asGood : places.asBad).push_back(i);
    // Of p95 the map compares the samples of both places themselves.
    places.equal = map.withinNoise || (metric != PlaceMetric::p95 && places.best >= 0 && tied(places.best, places.worst));
    return places;
}

HeatData heatDataOf(const PlacementMap& map, PlaceMetric metric)
{
    HeatData data;
    const ExtremePlaces places = extremePlaces(map, metric);
    data.best = places.best;
    data.worst = places.worst;
    data.rows = map.rows;
    data.columns = map.columns;
    data.columnTitle = QObject::tr("Stage");
    data.rowTitle = QObject::tr("Replica");
    for (int row = 0; row < map.rows; ++row) {
        // Equal replicas need not be neighbours: "any of 16", "4 like 14", "6".
        data.rowLabels << QString::fromStdString(map.rowLabels[static_cast<std::size_t>(row)])
                              .remove(u"replicas "_s)
                              .remove(u" replicas"_s)
                              .remove(u"replica "_s);
    }
    for (int column = 0; column < map.columns; ++column)
        data.columnLabels << QString::number(column);
    for (const PlacementCell& cell : map.cells) {
        const Estimate& ratio = ratioOf(cell, metric);
        HeatCell heat{cell.present, ratio.value, ratio.halfWidth, {}, {}};
        if (cell.present) {
            heat.detail = comparedText(cell, map.base, metric);
            if (cell.node >= 0)
                heat.detail += QObject::tr(", node %1").arg(cell.node);
        }
        data.cells.push_back(std::move(heat));
    }
    return data;
}

} // namespace prism::ui
