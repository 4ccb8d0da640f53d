// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/step/sweep.h"

#include "core/base/index.h"
#include "core/step/passes.h"

namespace prism {

std::vector<SweepSend> sendsOf(const StepGraph& graph)
{
    const auto& path = graph.schedule.path;
    std::vector<SweepSend> sends;
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
        sends.push_back({graph.sendForward[i], path[i][0], path[i + 1][0]});
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
        sends.push_back({graph.sendBackward[i], path[i + 1][0], path[i][0]});
    return sends;
}

Sweep sweepOf(const StepGraph& graph)
{
    const Schedule& s = graph.schedule;
    const int hops = static_cast<int>(s.path.size()) - 1;
    const auto microbatches = static_cast<std::int32_t>(s.numMicrobatches);
    const auto slots = static_cast<std::int32_t>(s.path.size()) * microbatches;
    const int rows = programRows(graph);
    Sweep sweep;
    sweep.numStages = s.numStages;
    sweep.numSlots = s.numStages * rows * kPhases;
    sweep.numArrivals = 2 * index(slots);
    sweep.transferOccupiesSender = graph.transferOccupiesSender;
    sweep.firstStage = s.path.front()[0];
    sweep.lastStage = s.path.back()[0];
    sweep.sends = sendsOf(graph);
    const auto order = executionOrder(s);
    sweep.nodes.reserve(order.size());
    for (const ScheduleNode& n : order) {
        SweepNode node;
        node.stage = n.stage;
        node.chunk = n.item.chunk;
        node.phase = n.item.phase;
        node.paired = n.paired;
        const int row = programRow(graph, n.item, n.paired);
        node.slot = n.runs ? (n.stage * rows + row) * kPhases + static_cast<int>(n.item.phase) : -1;
        node.microbatch = n.item.microbatch;
        const auto arrival = [&](int pathIndex) { return pathIndex * microbatches + static_cast<std::int32_t>(n.item.microbatch); };
        // A backward's own forward and a weight's own backward come earlier in the same stage's order.
        if (n.item.phase == Phase::forward) {
            node.input = n.pathIndex > 0 ? arrival(n.pathIndex) : -1;
            node.output = n.pathIndex < hops ? arrival(n.pathIndex + 1) : -1;
            node.send = n.pathIndex < hops ? n.pathIndex : -1;
        } else if (n.item.phase == Phase::backward) {
            node.input = n.pathIndex < hops ? slots + arrival(n.pathIndex) : -1;
            node.output = n.pathIndex > 0 ? slots + arrival(n.pathIndex - 1) : -1;
            node.send = n.pathIndex > 0 ? hops + n.pathIndex - 1 : -1;
        }
        if (!n.waits)
            node.input = -1;
        if (!n.handsOn)
            node.output = node.send = -1;
        if (node.send >= 0 && sweep.sends[index(node.send)].op.kernelClass < 0)
            node.send = -1;
        sweep.nodes.push_back(node);
    }
    return sweep;
}

} // namespace prism
