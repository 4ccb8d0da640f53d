// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/lockstep.h"

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
    out.lockstepReplicas = 0;
    if (members == 1)
        return out;
    out.numReplicas = graph.numReplicas / members;
    out.groupsPerCell = graph.groupsPerCell * members;
    out.lockstepReplicas = members;
    out.slow = slowSpots(graph, members);
    out.fixedSpatial = fixedSpatial(graph, members);
    for (auto* transfers : {&out.sendForward, &out.sendBackward})
        for (StepOp& op : *transfers)
            op.groups *= members;
    out.embeddingAllReduce.groups *= members;
    return out;
}

} // namespace prism
