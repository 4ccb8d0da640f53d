// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/placementdata.h"

#include "ui/look/format.h"

#include <algorithm>
#include <numeric>

namespace prism::ui {

using namespace Qt::StringLiterals;

NodePlaces placesOf(const Scenario& scenario, int node)
{
    NodePlaces places;
    const std::vector<RankPosition> layout = rankLayout(scenario);
    const auto perNode = static_cast<std::size_t>(std::max(scenario.cluster.gpusPerNode, 1));
    // nodeOrder says which physical node stands at a position; without one they are the same.
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
    for (int row = 0; row < map.rows; ++row) {
        const int first = map.rowFirstReplica[static_cast<std::size_t>(row)];
        if (replica >= first && replica < first + map.rowReplicas[static_cast<std::size_t>(row)])
            return row;
    }
    return -1;
}

namespace {

/// Cell of a place; -1 = not on the map.
int cellOf(const PlacementMap& map, const NodePlace& place)
{
    const int row = rowOf(map, place.replica);
    return row >= 0 && place.stage < map.columns ? row * map.columns + place.stage : -1;
}

} // namespace

QList<int> slowCells(const PlacementMap& map, const Scenario& scenario)
{
    QList<int> cells;
    const std::vector<SlowEntry>& slow = scenario.variability.slow;
    for (std::size_t i = 0; i < std::min(slow.size(), kMostSlowNodes); ++i)
        for (const NodePlace& place : placesOf(scenario, slow[i].node))
            if (const int cell = cellOf(map, place); cell >= 0)
                cells << cell;
    return cells;
}

std::vector<int> slowNodesAt(const PlacementMap& map, const Scenario& scenario, int cell)
{
    std::vector<int> nodes;
    for (const SlowEntry& entry : scenario.variability.slow) {
        const NodePlaces places = placesOf(scenario, entry.node);
        if (std::any_of(places.begin(), places.end(), [&](const NodePlace& place) { return cellOf(map, place) == cell; }))
            nodes.push_back(entry.node);
    }
    return nodes;
}

int nodeAt(const PlacementMap& map, const Scenario& scenario, int cell)
{
    if (cell < 0 || cell >= static_cast<int>(map.cells.size()))
        return -1;
    if (const int node = map.cells[static_cast<std::size_t>(cell)].node; node >= 0)
        return node;
    const NodePlace place{map.rowFirstReplica[static_cast<std::size_t>(cell / map.columns)], cell % map.columns};
    const std::vector<RankPosition> layout = rankLayout(scenario);
    for (std::size_t rank = 0; rank < layout.size(); ++rank)
        if (layout[rank].replica == place.replica && layout[rank].stage == place.stage) {
            const auto position = rank / static_cast<std::size_t>(std::max(scenario.cluster.gpusPerNode, 1));
            const auto& order = scenario.measured.nodeOrder;
            return position < order.size() ? order[position] : static_cast<int>(position);
        }
    return -1;
}

PlacementMap inReplicaOrder(const PlacementMap& map)
{
    std::vector<int> order(static_cast<std::size_t>(map.rows));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return map.rowFirstReplica[static_cast<std::size_t>(a)] < map.rowFirstReplica[static_cast<std::size_t>(b)];
    });
    PlacementMap sorted = map;
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

QString nameOf(PlaceFigure figure)
{
    return figure == PlaceFigure::p50 ? u"p50"_s : figure == PlaceFigure::p95 ? u"p95"_s : u"p99"_s;
}

const Estimate& ratioOf(const PlacementCell& cell, PlaceFigure figure)
{
    return figure == PlaceFigure::p50 ? cell.p50Ratio : figure == PlaceFigure::p95 ? cell.p95Ratio : cell.p99Ratio;
}

double secondsOf(const PlacementCell& cell, PlaceFigure figure)
{
    return figure == PlaceFigure::p50 ? cell.p50Seconds : figure == PlaceFigure::p95 ? cell.p95Seconds : cell.p99Seconds;
}

double secondsOf(const DistributionSummary& base, PlaceFigure figure)
{
    return figure == PlaceFigure::p50 ? base.p50 : figure == PlaceFigure::p95 ? base.p95 : base.p99;
}

HeatData heatDataOf(const PlacementMap& map, PlaceFigure figure)
{
    HeatData data;
    data.rows = map.rows;
    data.columns = map.columns;
    data.columnTitle = QObject::tr("Stage");
    data.rowTitle = QObject::tr("Replica");
    for (int row = 0; row < map.rows; ++row) {
        // Replicas that are alike need not follow one another: "any of 16", "4 like 14", "6".
        data.rowLabels << QString::fromStdString(map.rowLabels[static_cast<std::size_t>(row)])
                              .remove(u"replicas "_s)
                              .remove(u" replicas"_s)
                              .remove(u"replica "_s);
    }
    for (int column = 0; column < map.columns; ++column)
        data.columnLabels << QString::number(column);
    double best = 1e300, worst = -1e300;
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        const PlacementCell& cell = map.cells[i];
        const Estimate& ratio = ratioOf(cell, figure);
        HeatCell heat{cell.present, ratio.value, ratio.halfWidth, {}};
        if (cell.present) {
            heat.detail = u"%1 %2"_s.arg(nameOf(figure), format::comparedSeconds(secondsOf(cell, figure), secondsOf(map.base, figure)));
            if (cell.node >= 0)
                heat.detail += QObject::tr(", node %1").arg(cell.node);
            if (ratio.value < best) {
                best = ratio.value;
                data.best = static_cast<int>(i);
            }
            if (ratio.value > worst) {
                worst = ratio.value;
                data.worst = static_cast<int>(i);
            }
        }
        data.cells.push_back(std::move(heat));
    }
    return data;
}

} // namespace prism::ui
