// SPDX-License-Identifier: GPL-3.0-or-later
// Where ranks are: the role of each global rank, and the placement of a communication group's ranks on nodes.
#pragma once

#include "core/scenario/scenario.h"
#include "core/step/stepgraph.h"

namespace prism {

/// The shape of a communication group on the machine. All groups of one kind have the same shape when sizes divide.
struct GroupGeometry {
    std::int64_t size = 1;         ///< ranks
    std::int64_t ranksPerNode = 1; ///< of them on one node
    std::int64_t nodes = 1;
    std::int64_t stride = 1;     ///< distance of neighbouring ranks
    std::int64_t nodesInPod = 0; ///< of them in one pod, where the group leaves it; 0 = it does not
    [[nodiscard]] Scope scope() const { return nodes > 1 ? Scope::interNode : Scope::intraNode; }
};
/// `ranks` neighbours at the distance `stride`, of which `inNode` (at least 1) share a node: as many nodes as that takes.
[[nodiscard]] GroupGeometry groupOf(std::int64_t ranks, std::int64_t inNode, std::int64_t stride = 1);

/// Geometry of every group of a scenario, by its rank order ("tp-cp-ep-dp-pp": leftmost varies fastest). Dense groups order
/// tp, cp, dp, pp; expert groups order expert-TP, ep, expert-DP, pp, as Megatron-LM's rank generator does.
struct Layout {
    GroupGeometry tensor, context, data, expert, expertTensor, expertData;
    std::int64_t tp = 1, cp = 1, dp = 1, pp = 1;
    std::int64_t tpStride = 1, cpStride = 1, dpStride = 1, ppStride = 1;
    std::int64_t gpusPerNode = 8, gpusPerPod = 256;

    /// Global rank of a coordinate.
    [[nodiscard]] std::int64_t rank(std::int64_t t, std::int64_t c, std::int64_t d, std::int64_t p) const
    {
        return t * tpStride + c * cpStride + d * dpStride + p * ppStride;
    }
    /// Whether some ranks of pipeline stages p and p + 1 (mod pp) are on different nodes.
    [[nodiscard]] bool hopLeavesNode(std::int64_t fromStage, std::int64_t toStage) const;
    /// Sender and receiver of a transfer between two stages.
    [[nodiscard]] GroupGeometry hop(std::int64_t fromStage, std::int64_t toStage) const;
};

[[nodiscard]] Layout layoutOf(const Scenario& scenario);

/// Whether tensor-parallel traffic can be overlapped with neighbouring matrix products: user buffers need CUDA multicast, which one NVLink
/// domain has (Transformer Engine, issue 1071, 2024, and pull request 1470 for NVLink over several nodes, 2025).
[[nodiscard]] inline bool tensorOverlapReaches(const Layout& layout)
{
    return layout.tensor.nodes == 1;
}

} // namespace prism
