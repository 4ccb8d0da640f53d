// SPDX-License-Identifier: GPL-3.0-or-later
// The places of a slow node as a heat map: by replica and stage, by node, or by rack; and which node each cell stands for.
#pragma once

#include "ui/pages/placementdata.h"

#include <map>

namespace prism::ui {

/// Arrangement of the cells; the order is that of the choices on the page.
enum class PlaceGrouping { replicaAndStage, node, rack };
[[nodiscard]] QString nameOf(PlaceGrouping grouping);

/// Names of nodes where a table gave them; "node 17" elsewhere.
using HostNames = std::vector<std::string>;
[[nodiscard]] QString nodeName(int node, const HostNames& hosts);

/// A heat map, and what its cells are.
struct GroupedPlaces {
    HeatData data;
    std::vector<int> nodeOf;                ///< [cell] -> the node of the cell, of a rack the one that hurts most there; -1 = none
    std::vector<std::vector<int>> nodesOf;  ///< [cell] -> every node of it; only where cells are nodes or racks
    std::map<int, std::vector<int>> slowAt; ///< cell -> the slow nodes of the scenario that are there

    [[nodiscard]] int node(int cell) const
    {
        return cell >= 0 && cell < static_cast<int>(nodeOf.size()) ? nodeOf[static_cast<std::size_t>(cell)] : -1;
    }
    [[nodiscard]] int cellOfNode(int node) const; ///< -1 = it has none here
};

/// Racks are the pods of the cluster (`cluster.nodes_per_pod`). A node has the largest ratio of the cells that its GPUs work in, a rack
/// the largest of its nodes. `scenario` is the one that the map was made of.
[[nodiscard]] GroupedPlaces placesBy(PlaceGrouping grouping, const PlacementMap& map, PlaceMetric metric, const Scenario& scenario,
                                     const HostNames& hosts);

} // namespace prism::ui
