// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/lockstep.h"

#include <cmath>

namespace prism {

namespace {

std::size_t index(int i)
{
    return static_cast<std::size_t>(i);
}

/// Slow spots in the numbers of the sets.
std::vector<SlowSpot> slowSpots(const StepGraph& graph, int members)
{
    std::vector<SlowSpot> out;
    const int ranks = graph.cellRanks();
    for (const SlowSpot& spot : graph.slow) {
        if (spot.replica < 0 && spot.rank < 0) {
            out.push_back(spot);
            continue;
        }
        for (int m = 0; m < members; ++m) {
            if (spot.replica >= 0 && spot.replica % members != m)
                continue;
            for (int r = spot.rank < 0 ? 0 : spot.rank; r < (spot.rank < 0 ? ranks : spot.rank + 1); ++r) {
                out.push_back(spot);
                out.back().replica = spot.replica < 0 ? -1 : spot.replica / members;
                out.back().rank = m * ranks + r;
            }
        }
    }
    return out;
}

/// Measured factors, [set][stage][member][rank].
std::vector<double> fixedSpatial(const StepGraph& graph, int members)
{
    std::vector<double> out;
    const int ranks = graph.cellRanks(), stages = graph.schedule.numStages;
    out.reserve(graph.fixedSpatial.size());
    for (int set = 0; set < graph.numReplicas && !graph.fixedSpatial.empty(); set += members)
        for (int s = 0; s < stages; ++s)
            for (int d = set; d < set + members; ++d)
                for (int r = 0; r < ranks; ++r)
                    out.push_back(graph.fixedSpatial[(index(d) * index(stages) + index(s)) * index(ranks) + index(r)]);
    return out;
}

/// Members draw their layers' routing apart: it becomes part of the kernels' own spread.
void takeInRouting(StepGraph& graph)
{
    if (graph.routing.isDeterministic())
        return;
    const std::size_t known = graph.classes.size();
    for (std::size_t c = 0; c < known; ++c) {
        KernelClass routed = graph.classes[c];
        const double own = routed.temporal.cv, more = graph.routing.cv;
        const Distribution before = routed.temporal;
        routed.temporal = graph.routing;
        if (routed.temporal.family != Family::empirical)
            routed.temporal.cv = std::sqrt((1.0 + own * own) * (1.0 + more * more) - 1.0);
        if (routed.temporal.rareProbability == 0.0) {
            routed.temporal.rareProbability = before.rareProbability;
            routed.temporal.rareMultiplier = before.rareMultiplier;
        }
        graph.classes.push_back(std::move(routed));
    }
    for (Program& p : graph.programs)
        for (Block& b : p.blocks)
            for (Op& op : b.ops)
                if (op.routed) {
                    op.kernelClass += static_cast<int>(known);
                    op.routed = false;
                }
    graph.routing = {};
}

} // namespace

StepGraph inLockstep(const StepGraph& graph)
{
    const int members = lockstepSize(graph);
    StepGraph out = graph;
    const bool oneGroup = graph.groupsPerCell == 1;
    for (Program& p : out.programs)
        for (Block& b : p.blocks)
            for (Op& op : b.ops) {
                if (op.sync == Sync::cell && oneGroup)
                    op.sync = Sync::group;
                if (op.sync == Sync::replicas)
                    op.sync = Sync::cell;
            }
    if (members == 1)
        return out;
    out.numReplicas = graph.numReplicas / members;
    out.groupsPerCell = graph.groupsPerCell * members;
    out.lockstepReplicas = 0;
    out.dataScope = DataScope::group;
    out.slow = slowSpots(graph, members);
    out.fixedSpatial = fixedSpatial(graph, members);
    for (auto* transfers : {&out.sendForward, &out.sendBackward})
        for (StepOp& op : *transfers)
            op.groups *= members;
    out.embeddingAllReduce.groups *= members;
    takeInRouting(out);
    return out;
}

} // namespace prism
