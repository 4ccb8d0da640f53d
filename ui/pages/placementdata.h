// What the Placement page makes of core's answers: where a node stands, and the map as a heat map.
#pragma once

#include "core/insight/placement.h"
#include "ui/plot/heatmap.h"

namespace prism::ui {

/// Position of a node's GPUs: (replica, stage) pairs, each once.
using NodePlaces = std::vector<std::pair<int, int>>;

/// Cells of the map on which a node stands now; by the rank layout of the scenario. Empty for nodes that it does not have.
[[nodiscard]] NodePlaces placesOf(const Scenario& scenario, int node);
/// The same map with its rows in the order of their replicas.
[[nodiscard]] PlacementMap inReplicaOrder(const PlacementMap& map);

/// A figure of the step time on the map; the order is that of the choices on the page.
enum class PlaceFigure { p50, p95, p99 };
[[nodiscard]] QString nameOf(PlaceFigure figure);
/// What a cell, or the scenario without any slow node, has of a figure.
[[nodiscard]] const Estimate& ratioOf(const PlacementCell& cell, PlaceFigure figure);
[[nodiscard]] double secondsOf(const PlacementCell& cell, PlaceFigure figure);
[[nodiscard]] double secondsOf(const DistributionSummary& base, PlaceFigure figure);
[[nodiscard]] HeatData heatDataOf(const PlacementMap& map, PlaceFigure figure);

} // namespace prism::ui
