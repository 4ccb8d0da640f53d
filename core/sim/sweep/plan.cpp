// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/sweep/plan.h"

#include "core/schedule/pieces.h"
#include "core/sim/draw/draws.h"
#include "core/step/passes.h"

#include <algorithm>

namespace prism {

namespace {

/// Positions along the path, and which message each item waits for and sends.
class Messages final {
public:
    explicit Messages(const StepGraph& graph) : m_graph(graph), m_hops(static_cast<int>(graph.schedule.path.size()) - 1)
    {
        const Schedule& s = graph.schedule;
        m_position.assign(static_cast<std::size_t>(s.numStages * s.numChunks), 0);
        for (std::size_t i = 0; i < s.path.size(); ++i)
            m_position[static_cast<std::size_t>(s.path[i][0] * s.numChunks + s.path[i][1])] = static_cast<int>(i);
        const auto messages = static_cast<std::size_t>(2 * std::max(0, m_hops)) * static_cast<std::size_t>(s.numMicrobatches);
        m_slot.assign(messages, -1);
    }

    [[nodiscard]] int hops() const { return std::max(0, m_hops); }

    /// Index of the hop whose message the step needs: forward hops first, then backward ones; -1 = none.
    [[nodiscard]] int needs(int stage, const PassStep& step) const
    {
        const ScheduleItem& item = step.item;
        if (!step.waits)
            return -1;
        const int p = position(stage, item.chunk);
        if (item.phase == Phase::forward)
            return p > 0 ? p - 1 : -1;
        if (item.phase == Phase::backward)
            return p < m_hops ? m_hops + p : -1;
        return -1;
    }
    [[nodiscard]] int sends(int stage, const PassStep& step) const
    {
        const ScheduleItem& item = step.item;
        if (!step.handsOn)
            return -1;
        const int p = position(stage, item.chunk);
        if (item.phase == Phase::forward)
            return p < m_hops ? p : -1;
        if (item.phase == Phase::backward)
            return p > 0 ? m_hops + p - 1 : -1;
        return -1;
    }
    int& slot(int hop, std::uint32_t microbatch)
    {
        return m_slot[static_cast<std::size_t>(hop) * static_cast<std::size_t>(m_graph.schedule.numMicrobatches) + microbatch];
    }

private:
    [[nodiscard]] int position(int stage, int chunk) const
    {
        return m_position[static_cast<std::size_t>(stage * m_graph.schedule.numChunks + chunk)];
    }
    const StepGraph& m_graph;
    int m_hops;
    std::vector<int> m_position, m_slot;
};

ContentHash planHash(const StepGraph& graph)
{
    Hasher h;
    h.add("plan");
    graph.schedule.addTo(h);
    for (const StepOp& op : transfersOf(graph))
        h.add(op.kernelClass >= 0);
    if (programRows(graph) > graph.schedule.numChunks)
        h.add("pieces");
    return h.result();
}

} // namespace

std::size_t Plan::nodeCount() const
{
    return nodes.size()
           + static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), [](const PlanNode& n) { return n.transfer >= 0; }));
}

Plan makePlan(const StepGraph& graph)
{
    const Schedule& schedule = graph.schedule;
    Plan plan;
    plan.numStages = schedule.numStages;
    plan.numRows = programRows(graph);
    plan.numMicrobatches = schedule.numMicrobatches;
    plan.hash = planHash(graph);
    const std::vector<StepOp> transfers = transfersOf(graph);
    Messages messages(graph);
    const std::vector<StageSteps> steps(schedule.order.begin(), schedule.order.end());
    std::vector<std::size_t> next(static_cast<std::size_t>(schedule.numStages), 0);
    std::vector<int> freeSlots;
    // One item of every ready stage per round: close to the order in time, which keeps the number of open messages small.
    for (bool moved = true; moved;) {
        moved = false;
        for (int stage = 0; stage < schedule.numStages; ++stage) {
            const StageSteps& order = steps[static_cast<std::size_t>(stage)];
            std::size_t& at = next[static_cast<std::size_t>(stage)];
            if (at >= order.size())
                continue;
            const PassStep step = order[at];
            const ScheduleItem& item = step.item;
            PlanNode node;
            const int needed = messages.needs(stage, step), sent = messages.sends(stage, step);
            if (needed >= 0) {
                node.waitSlot = messages.slot(needed, item.microbatch);
                if (node.waitSlot < 0)
                    continue;
            }
            node.stage = stage;
            node.microbatch = static_cast<std::int32_t>(item.microbatch);
            const int phase = static_cast<int>(item.phase);
            node.place = stage * schedule.numChunks + item.chunk;
            node.cell = step.runs ? (stage * plan.numRows + programRow(graph, item, step.paired)) * kPhases + phase : -1;
            if (node.waitSlot >= 0)
                freeSlots.push_back(node.waitSlot); // read before it is written again
            if (sent >= 0) {
                if (freeSlots.empty())
                    freeSlots.push_back(plan.numSlots++);
                node.sendSlot = freeSlots.back();
                freeSlots.pop_back();
                messages.slot(sent, item.microbatch) = node.sendSlot;
                node.transfer = transfers[static_cast<std::size_t>(sent)].kernelClass >= 0 ? sent : -1;
            }
            node.key = laneKey(static_cast<std::uint64_t>(Purpose::temporal), static_cast<std::uint64_t>(node.place * kPhases + phase),
                               item.microbatch);
            plan.nodes.push_back(node);
            ++at;
            moved = true;
        }
    }
    return plan;
}

std::shared_ptr<const Plan> planOf(const StepGraph& graph, Recall& recall)
{
    return recall.node<Plan>(
        "plan", planHash(graph), [&] { return makePlan(graph); },
        [](const Plan& p) { return sizeof p + sizeof(PlanNode) * p.nodes.size(); });
}

std::vector<StepOp> transfersOf(const StepGraph& graph)
{
    std::vector<StepOp> out = graph.sendForward;
    out.insert(out.end(), graph.sendBackward.begin(), graph.sendBackward.end());
    return out;
}

} // namespace prism
