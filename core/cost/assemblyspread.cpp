// SPDX-License-Identifier: GPL-3.0-or-later
// What is measured or varies: custom means, factors, slow places and speeds.
#include "core/cost/assembly.h"

#include "core/cost/classes.h"
#include "core/cost/granularity.h"
#include "core/cost/predictor.h"

#include <algorithm>

namespace prism {

namespace {

/// Ranks fill node positions in order; a node order maps positions to physical nodes.
class NodePositions final {
public:
    NodePositions(const std::vector<int>& order, std::size_t ranks) : m_inOrder(order.empty())
    {
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto node = static_cast<std::size_t>(std::max(0, order[i]));
            if (node >= m_position.size() && node < ranks)
                m_position.resize(node + 1, ranks);
            if (node < m_position.size())
                m_position[node] = i;
        }
    }
    [[nodiscard]] std::size_t of(int node) const
    {
        const auto n = static_cast<std::size_t>(std::max(0, node));
        return m_inOrder || n >= m_position.size() ? n : m_position[n];
    }

private:
    bool m_inOrder;
    std::vector<std::size_t> m_position;
};

} // namespace

/// Kernels of the programs take measured means when they are costed; this does the same for what happens once per step or hop.
void Assembly::useMeasuredMeans()
{
    StepGraph& g = m_out.graph;
    const auto use = [&](StepOp& op) {
        if (op.kernelClass >= 0)
            op.meanSeconds = m_cost.measuredOr(static_cast<KernelId>(op.kernelClass), op.meanSeconds);
    };
    for (auto* ops : {&g.sendForward, &g.sendBackward, &g.gradSync, &g.optimizer, &g.paramGather})
        std::for_each(ops->begin(), ops->end(), use);
    use(g.gradNorm);
    use(g.embeddingAllReduce);
}

/// The levels of a calibrated cluster: longer compute is longer room for what is hidden under it.
void Assembly::useMeasuredLevels()
{
    const MeasuredConfig& measured = m_scenario.measured;
    if (measured.computeLevel == 1 && measured.networkLevel == 1)
        return;
    StepGraph& g = m_out.graph;
    const auto scale = [&](auto& op) {
        if (op.kernelClass < 0)
            return;
        const Scope scope = g.classes[static_cast<std::size_t>(op.kernelClass)].scope;
        op.meanSeconds *= scope == Scope::none ? measured.computeLevel : scope == Scope::interNode ? measured.networkLevel : 1.0;
        op.hiddenSeconds *= measured.computeLevel;
        if constexpr (requires { op.minExposedSeconds; })
            op.minExposedSeconds *= scope == Scope::interNode ? measured.networkLevel : 1.0;
    };
    for (Program& program : g.programs)
        for (Block& block : program.blocks)
            std::for_each(block.ops.begin(), block.ops.end(), scale);
    for (auto* ops : {&g.sendForward, &g.sendBackward, &g.gradSync, &g.optimizer, &g.paramGather})
        std::for_each(ops->begin(), ops->end(), scale);
    scale(g.gradNorm);
    scale(g.embeddingAllReduce);
}

void Assembly::addVariability()
{
    StepGraph& g = m_out.graph;
    const VariabilityConfig& v = m_scenario.variability;
    g.classes = kernelClasses(m_scenario, m_cost.layout());
    g.spatial = v.spatial;
    g.data = v.data;
    g.dataScope = DataScope::group;
    g.routing = m_scenario.model.moeCapacityFactor > 0 ? Distribution{} : v.moeImbalance; // experts with a capacity have equal rows
    g.lockstepReplicas = lockstepReplicas(m_scenario, m_shape);
    g.intraRegime = v.intraRegime;
    g.interRegime = v.interRegime;
    g.regimeLag1 = v.regimeLag1;
    g.computeRegime = v.computeRegime;
    g.computeRegimeLag1 = v.computeRegimeLag1;
    g.routingRegime = m_scenario.model.moeCapacityFactor > 0 ? Distribution{} : v.moeImbalanceRegime;
    g.routingRegimeLag1 = v.moeImbalanceRegimeLag1;
    g.spatialNodeShare = v.spatialNodeShare;
    g.nodeRanks = std::clamp(m_scenario.cluster.gpusPerNode, 1, std::max(1, g.cellRanks()));
    g.delays = {v.stepJitterS, v.stallsPerGpuHour, v.stallMeanS, v.stallCv, v.stallRateCv};
    if (!v.slow.empty() || !m_scenario.measured.speeds.empty())
        addPlaces();
}

/// What is at a place of the cluster: nodes that are marked slow, and measured speeds.
void Assembly::addPlaces()
{
    StepGraph& g = m_out.graph;
    const std::vector<RankPosition> positions = rankLayout(m_scenario);
    const auto perNode = static_cast<std::size_t>(std::max(1, m_scenario.cluster.gpusPerNode));
    const NodePositions nodes(m_scenario.measured.nodeOrder, positions.size());
    for (const SlowEntry& entry : m_scenario.variability.slow) {
        const auto mark = [&](std::size_t rank) {
            if (rank < positions.size())
                g.slow.push_back(
                    {positions[rank].replica, positions[rank].stage, positions[rank].rankInCell, entry.computeFactor, entry.linkFactor});
        };
        if (entry.rank >= 0)
            mark(static_cast<std::size_t>(entry.rank));
        else if (entry.node >= 0)
            for (std::size_t i = 0; i < perNode; ++i)
                mark(nodes.of(entry.node) * perNode + i);
    }
    const auto cell = static_cast<std::size_t>(g.cellRanks()), stages = static_cast<std::size_t>(m_shape.pp);
    if (!m_scenario.measured.speeds.empty())
        g.fixedSpatial.assign(static_cast<std::size_t>(g.numReplicas) * stages * cell, 1.0);
    for (const MeasuredSpeed& speed : m_scenario.measured.speeds) {
        if (!(speed.relativeSpeed > 0))
            continue;
        for (std::size_t i = 0; i < perNode; ++i) {
            const std::size_t rank = nodes.of(speed.node) * perNode + i;
            if ((speed.gpu >= 0 && static_cast<std::size_t>(speed.gpu) != i) || rank >= positions.size())
                continue;
            const RankPosition& r = positions[rank];
            const std::size_t at = (static_cast<std::size_t>(r.replica) * stages + static_cast<std::size_t>(r.stage)) * cell
                                   + static_cast<std::size_t>(r.rankInCell);
            if (at < g.fixedSpatial.size())
                g.fixedSpatial[at] = 1.0 / speed.relativeSpeed;
        }
    }
}

} // namespace prism
