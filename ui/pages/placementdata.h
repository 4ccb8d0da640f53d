// SPDX-License-Identifier: GPL-3.0-or-later
// Core's results for the Placement page: places of a node, texts of a cell, and the map as a heat map.
#pragma once

#include "core/insight/placement/placement.h"
#include "ui/plot/heatmap.h"

namespace prism::ui {

/// A position on the map.
struct NodePlace {
    int replica = 0, stage = 0;
    bool operator==(const NodePlace&) const = default;
};
/// Positions of a node's GPUs, each once.
using NodePlaces = std::vector<NodePlace>;
inline constexpr std::size_t kMaxSlowNodes = 50; ///< listed and marked on the map

/// Cells of the map on which a node is now; by the rank layout of the scenario. Empty for nodes that it does not have.
[[nodiscard]] NodePlaces placesOf(const Scenario& scenario, int node);
[[nodiscard]] QString placeText(const NodePlace& place);
/// Speeds or marks that the nodes can be ordered by.
[[nodiscard]] inline bool hasOrder(const Scenario& s)
{
    return !s.measured.speeds.empty() || !s.variability.slow.empty();
}

/// Row that a replica belongs to; -1 = none.
[[nodiscard]] int rowOf(const PlacementMap& map, int replica);
/// The same map with its rows in the order of their replicas.
[[nodiscard]] PlacementMap inReplicaOrder(const PlacementMap& map);

/// A percentile of the step time on the map; the order is that of the choices on the page.
enum class PlaceMetric { p50, p95, p99 };
[[nodiscard]] QString nameOf(PlaceMetric metric);
/// The ratio of that percentile with a slow node at the cell to the one without.
[[nodiscard]] const Estimate& ratioOf(const PlacementCell& cell, PlaceMetric metric);
[[nodiscard]] double secondsOf(const PlacementCell& cell, PlaceMetric metric);
[[nodiscard]] double secondsOf(const DistributionSummary& base, PlaceMetric metric);
/// "p95 1.32 s (+4.1 %, +52 ms)": the step with the slow node there, against the one without it.
[[nodiscard]] QString comparedText(const PlacementCell& cell, const DistributionSummary& base, PlaceMetric metric);
/// The cells with the least and the largest ratio; -1 = no node can be anywhere.
struct ExtremePlaces {
    int best = -1, worst = -1;
    std::vector<int> asGood, asBad; ///< other cells within the error of the best alone, of the worst alone
    bool equal = false;             ///< best and worst are within their error
};
[[nodiscard]] ExtremePlaces extremePlaces(const PlacementMap& map, PlaceMetric metric);
[[nodiscard]] HeatData heatDataOf(const PlacementMap& map, PlaceMetric metric);

} // namespace prism::ui
