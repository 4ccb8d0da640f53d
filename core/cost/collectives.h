// SPDX-License-Identifier: GPL-3.0-or-later
// Seconds of a collective on the links of a cluster: calibrated curves inside a node, rings and trees between nodes.
#pragma once

#include "core/cost/calibration.h"
#include "core/step/layout.h"
#include "core/workload/kernel.h"

namespace prism {

/// Share of a GPU's links inside a node that a group of `ranks` can use: all behind a switch; in a mesh those between its members.
/// `hybrid_cube_mesh` is the DGX-1 (its V100 white paper, WP-08437): of a GPU's six NVLinks one leads to its neighbour, four to the
/// other three of its quad.
[[nodiscard]] double linkShare(const ClusterConfig& cluster, std::int64_t ranks);

/// Everything that collectives depend on, resolved once. Immutable; any thread.
class CollectiveModel final {
public:
    CollectiveModel(const ClusterConfig& cluster, const GpuCalibration& gpu, const NetworkCalibration& network);

    /// Mean seconds; `bytes` as nccl-tests counts them (the full buffer of one rank).
    [[nodiscard]] double seconds(CollectiveOp op, const GroupGeometry& group, double bytes) const;
    /// Bytes per second as nccl-tests' bus bandwidth, inside a node.
    [[nodiscard]] double intraBusBandwidth(CollectiveOp op, std::int64_t ranks, double bytes) const;

private:
    [[nodiscard]] double shareAt(CollectiveOp op, std::int64_t ranks, double bytes) const;
    [[nodiscard]] double pairInsideNode(double bytes) const;
    [[nodiscard]] double insideNode(CollectiveOp op, std::int64_t ranks, double bytes) const;
    /// Share of its NICs' bandwidth that a group gets on the spine when it leaves its pod.
    [[nodiscard]] double spineShare(const GroupGeometry& group) const;
    [[nodiscard]] double betweenNodes(CollectiveOp op, const GroupGeometry& group, double bytes) const;

    ClusterConfig m_cluster;
    BusShare m_share;
    NetworkCalibration m_network;
    double m_efficiency = 1;
};

} // namespace prism
