// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/sweep/plan.h"

#include "core/base/index.h"
#include "core/sim/draw/draws.h"
#include "core/step/passes.h"

#include <algorithm>
#include <tuple>

namespace prism {

namespace {

/// Numbers of the nodes with one of every ready stage per round: close to the order in time, which keeps the number of open messages small.
std::vector<std::size_t> roundByRound(const Sweep& sweep)
{
    std::vector<int> nextRound(index(sweep.numStages), 0);
    std::vector<std::pair<int, int>> sent(sweep.numArrivals); // round and stage, by arrival
    std::vector<std::tuple<int, int, std::size_t>> order;     // round, stage, node
    for (std::size_t i = 0; i < sweep.nodes.size(); ++i) {
        const SweepNode& n = sweep.nodes[i];
        int round = nextRound[index(n.stage)];
        if (n.input >= 0) {
            const auto [before, stage] = sent[index(n.input)];
            round = std::max(round, stage < n.stage ? before : before + 1);
        }
        if (n.output >= 0)
            sent[index(n.output)] = {round, n.stage};
        nextRound[index(n.stage)] = round + 1;
        order.emplace_back(round, n.stage, i);
    }
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> out;
    for (const auto& [round, stage, node] : order)
        out.push_back(node);
    return out;
}

} // namespace

std::size_t Plan::nodeCount() const
{
    return nodes.size()
           + static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), [](const PlanNode& n) { return n.send >= 0; }));
}

ContentHash planHash(const StepGraph& graph)
{
    Hasher h;
    h.add("plan");
    graph.schedule.addTo(h);
    for (const SweepSend& send : sendsOf(graph))
        h.add(send.op.kernelClass >= 0);
    if (programRows(graph) > graph.schedule.numChunks)
        h.add("pieces");
    return h.result();
}

Plan makePlan(const StepGraph& graph)
{
    const Sweep sweep = sweepOf(graph);
    Plan plan;
    std::vector<int> slotOf(sweep.numArrivals, -1), freeSlots;
    for (const std::size_t i : roundByRound(sweep)) {
        PlanNode node{sweep.nodes[i], {}};
        const int place = (node.stage * graph.schedule.numChunks + node.chunk) * kPhases + static_cast<int>(node.phase);
        node.key = laneKey(Purpose::temporal, index(place), node.microbatch);
        if (node.input >= 0) {
            node.input = slotOf[index(node.input)];
            freeSlots.push_back(node.input); // read before it is written again
        }
        if (node.output >= 0) {
            if (freeSlots.empty())
                freeSlots.push_back(plan.numSlots++);
            node.output = slotOf[index(node.output)] = freeSlots.back();
            freeSlots.pop_back();
        }
        plan.nodes.push_back(node);
    }
    return plan;
}

} // namespace prism
