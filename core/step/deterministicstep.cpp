// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/step/deterministicstep.h"

#include "core/base/index.h"
#include "core/step/passes.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace prism {

namespace {

double latestOf(const TailTimes::Ends& ends)
{
    double latest = 0.0;
    for (const auto& e : ends)
        latest = std::max(latest, *std::max_element(e.begin(), e.end()));
    return latest;
}

} // namespace

DeterministicStep::DeterministicStep(const StepGraph& graph) : m_graph(graph), m_sweep(sweepOf(graph)), m_lockstep(lockstepSize(graph))
{
    m_slotCost.resize(index(m_sweep.numSlots));
    std::vector<Cost> byProgram(graph.programs.size());
    for (std::size_t p = 0; p < byProgram.size(); ++p)
        byProgram[p] = programCost(static_cast<int>(p), 1.0);
    std::size_t slot = 0;
    for (const auto& stage : graph.programOf)
        for (const auto& chunk : stage)
            for (const int program : chunk) {
                if (program >= 0)
                    m_slotCost[slot] = byProgram[index(program)];
                ++slot;
            }
}

DeterministicStep::Cost DeterministicStep::programCost(int program, double link) const
{
    Cost cost;
    for (const Block& block : m_graph.programs[index(program)].blocks) {
        Cost once;
        for (const Op& op : block.ops) {
            const KernelClass& kernel = m_graph.classes[index(op.kernelClass)];
            if (kernel.scope == Scope::none) {
                once.base += op.meanSeconds;
                once.perSpatial += kernel.spatialSensitivity * op.meanSeconds;
            } else {
                const double seconds = op.meanSeconds * (kernel.scope == Scope::interNode ? link : 1.0);
                once.base += std::max(0.0, seconds - op.hiddenSeconds);
            }
        }
        cost.base += block.repeat * once.base;
        cost.perSpatial += block.repeat * once.perSpatial;
    }
    return cost;
}

double DeterministicStep::exposed(const StepOp& op, double link) const
{
    if (op.kernelClass < 0)
        return 0.0;
    const double factor = m_graph.classes[index(op.kernelClass)].scope == Scope::interNode ? link : 1.0;
    return exposedSeconds(op, factor);
}

double DeterministicStep::linkOfStage(int stage) const
{
    // Only replicas that a spot names can differ from the rest.
    double link = m_graph.numReplicas > static_cast<int>(m_graph.slow.size()) ? cellLinkFactor(m_graph, -2, stage) : 0.0;
    for (const SlowSpot& spot : m_graph.slow)
        if (spot.replica >= 0)
            link = std::max(link, cellLinkFactor(m_graph, spot.replica, stage));
    if (link == 0.0)
        for (int d = 0; d < m_graph.numReplicas; ++d)
            link = std::max(link, cellLinkFactor(m_graph, d, stage));
    return link;
}

double DeterministicStep::fixedSlowest(int replica, int stage) const
{
    const int ranks = m_graph.cellRanks();
    if (m_graph.slow.empty() && m_graph.fixedSpatial.empty())
        return 1.0;
    double largest = 0.0;
    for (int r = 0; r < ranks; ++r) {
        double g = slowComputeFactor(m_graph, replica, stage, r);
        if (!m_graph.fixedSpatial.empty())
            g *= m_graph.fixedSpatial[(index(replica) * index(m_sweep.numStages) + index(stage)) * index(ranks) + index(r)];
        largest = std::max(largest, g);
    }
    return largest;
}

CategorySeconds DeterministicStep::slotSeconds(int slot, double slowest, double link) const
{
    CategorySeconds seconds{};
    const int program = programInSlot(m_graph, slot);
    if (program < 0)
        return seconds;
    for (const Block& block : m_graph.programs[index(program)].blocks)
        for (const Op& op : block.ops) {
            const KernelClass& kernel = m_graph.classes[index(op.kernelClass)];
            const double once = kernel.scope == Scope::none
                                    ? op.meanSeconds * (1.0 + kernel.spatialSensitivity * (slowest - 1.0))
                                    : std::max(0.0, op.meanSeconds * (kernel.scope == Scope::interNode ? link : 1.0) - op.hiddenSeconds);
            seconds[static_cast<std::size_t>(kernel.category)] += block.repeat * once;
        }
    return seconds;
}

std::vector<double> DeterministicStep::slotDurations(int replica, const SlowestOfCell& slowest, const std::vector<double>& link) const
{
    const int slotsPerStage = m_sweep.numSlots / m_sweep.numStages;
    std::vector<double> duration(index(m_sweep.numSlots), 0.0);
    for (int stage = 0; stage < m_sweep.numStages; ++stage) {
        // In lockstep the slowest member of the set decides.
        double g = slowest ? 0.0 : 1.0;
        for (int d = firstOfSet(replica); slowest && d < firstOfSet(replica) + m_lockstep; ++d)
            g = std::max(g, slowest(d, stage));
        for (int slot = stage * slotsPerStage; slot < (stage + 1) * slotsPerStage; ++slot) {
            if (g == 1.0 && link[index(stage)] == 1.0) { // as the rest of the job
                duration[index(slot)] = m_slotCost[index(slot)].base;
                continue;
            }
            const int program = programInSlot(m_graph, slot);
            if (program < 0)
                continue;
            const Cost cost = link[index(stage)] == 1.0 ? m_slotCost[index(slot)] : programCost(program, link[index(stage)]);
            duration[index(slot)] = cost.base + (g - 1.0) * cost.perSpatial;
        }
    }
    return duration;
}

std::vector<double> DeterministicStep::stageEnds(int replica, const SlowestOfCell& slowest, NodeTimes* times) const
{
    std::vector<double> link(index(m_sweep.numStages), 1.0);
    const int first = firstOfSet(replica);
    for (int stage = 0; !m_graph.slow.empty() && stage < m_sweep.numStages; ++stage) {
        link[index(stage)] = cellLinkFactor(m_graph, first, stage);
        for (int d = first + 1; d < first + m_lockstep; ++d)
            link[index(stage)] = std::max(link[index(stage)], cellLinkFactor(m_graph, d, stage));
    }
    const std::vector<double> duration = slotDurations(replica, slowest, link);
    std::vector<double> transfer(m_sweep.sends.size(), 0.0);
    for (std::size_t i = 0; i < transfer.size(); ++i)
        transfer[i] = exposed(m_sweep.sends[i].op, std::max(link[index(m_sweep.sends[i].from)], link[index(m_sweep.sends[i].to)]));
    std::vector<double> arrival(m_sweep.numArrivals, 0.0);
    std::vector<double> clock(index(m_sweep.numStages), 0.0);
    if (times != nullptr)
        for (auto* each : {&times->start, &times->end, &times->free, &times->arrives})
            each->reserve(m_sweep.nodes.size());
    for (const SweepNode& n : m_sweep.nodes) {
        const double start = n.input < 0 ? clock[index(n.stage)] : std::max(clock[index(n.stage)], arrival[index(n.input)]);
        const double end = n.slot < 0 ? start : start + duration[index(n.slot)];
        const double arrives = n.send < 0 ? end : end + transfer[index(n.send)];
        clock[index(n.stage)] = m_sweep.transferOccupiesSender ? arrives : end;
        if (n.output >= 0)
            arrival[index(n.output)] = arrives;
        if (times != nullptr) {
            times->start.push_back(start);
            times->end.push_back(end);
            times->free.push_back(clock[index(n.stage)]);
            times->arrives.push_back(arrives);
        }
    }
    return clock;
}

void DeterministicStep::joinEmbedding(const std::vector<int>& replicas, TailTimes::Ends& ends) const
{
    if (m_graph.embeddingAllReduce.kernelClass < 0)
        return;
    const auto first = index(m_sweep.firstStage), last = index(m_sweep.lastStage);
    for (std::size_t d = 0; d < ends.size(); ++d) {
        const double link = m_graph.slow.empty() ? 1.0
                                                 : std::max(cellLinkFactor(m_graph, replicas[d], m_sweep.firstStage),
                                                            cellLinkFactor(m_graph, replicas[d], m_sweep.lastStage));
        ends[d][first] = ends[d][last] = std::max(ends[d][first], ends[d][last]) + exposed(m_graph.embeddingAllReduce, link);
    }
}

void DeterministicStep::synchronise(const std::vector<StepOp>& ops, TailTimes::Ends& ends) const
{
    for (int s = 0; s < m_sweep.numStages; ++s) {
        if (ops[index(s)].kernelClass < 0)
            continue;
        double latest = 0.0;
        for (const auto& e : ends)
            latest = std::max(latest, e[index(s)]);
        latest += exposed(ops[index(s)], m_graph.slow.empty() ? 1.0 : linkOfStage(s));
        for (auto& e : ends)
            e[index(s)] = latest;
    }
}

void DeterministicStep::normalise(TailTimes::Ends& ends) const
{
    if (m_graph.gradNorm.kernelClass < 0)
        return;
    double link = 1.0;
    for (int s = 0; !m_graph.slow.empty() && s < m_sweep.numStages; ++s)
        link = s == 0 ? linkOfStage(s) : std::max(link, linkOfStage(s));
    const double end = latestOf(ends) + exposed(m_graph.gradNorm, link);
    for (auto& e : ends)
        std::fill(e.begin(), e.end(), end);
}

void DeterministicStep::optimise(const std::vector<int>& replicas, const SlowestOfCell& slowest, TailTimes::Ends& ends) const
{
    for (std::size_t d = 0; d < ends.size(); ++d)
        for (int s = 0; s < m_sweep.numStages; ++s) {
            const StepOp& op = m_graph.optimizer[index(s)];
            if (op.kernelClass < 0)
                continue;
            const double sensitivity = m_graph.classes[index(op.kernelClass)].spatialSensitivity;
            ends[d][index(s)] += op.meanSeconds * (1.0 + sensitivity * (slowest ? slowest(replicas[d], s) - 1.0 : 0.0));
        }
}

double DeterministicStep::seconds(const std::vector<int>& replicas, const SlowestOfCell& slowest, TailTimes* times) const
{
    TailTimes::Ends ends;
    ends.reserve(replicas.size());
    for (std::size_t i = 0; i < replicas.size(); ++i) {
        const bool sameSet = i > 0 && firstOfSet(replicas[i]) == firstOfSet(replicas[i - 1]);
        ends.push_back(sameSet ? ends.back() : stageEnds(replicas[i], slowest));
    }
    return secondsAfter(std::move(ends), replicas, slowest, times);
}

double DeterministicStep::secondsAfter(TailTimes::Ends ends, const std::vector<int>& replicas, const SlowestOfCell& slowest,
                                       TailTimes* times) const
{
    const auto keep = [&](TailTimes::Ends TailTimes::*part) {
        if (times != nullptr)
            times->*part = ends;
    };
    keep(&TailTimes::pipeline);
    joinEmbedding(replicas, ends);
    keep(&TailTimes::embedding);
    synchronise(m_graph.gradSync, ends);
    keep(&TailTimes::gradSync);
    normalise(ends);
    keep(&TailTimes::gradNorm);
    optimise(replicas, slowest, ends);
    keep(&TailTimes::optimizer);
    synchronise(m_graph.paramGather, ends);
    keep(&TailTimes::paramGather);
    return latestOf(ends);
}

double DeterministicStep::seconds(const SlowestOfCell& slowest) const
{
    std::vector<int> replicas(index(m_graph.numReplicas));
    std::iota(replicas.begin(), replicas.end(), 0);
    return seconds(replicas, slowest);
}

std::vector<int> DeterministicStep::distinctReplicas() const
{
    if (!m_graph.fixedSpatial.empty()) {
        std::vector<int> all(index(m_graph.numReplicas));
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
    // Replicas without a slow spot take equally long: one of them represents all.
    std::set<int> replicas;
    for (const SlowSpot& spot : m_graph.slow)
        if (spot.replica >= 0)
            replicas.insert(spot.replica);
    for (int d = 0; d < m_graph.numReplicas; ++d)
        if (replicas.insert(d).second)
            break;
    return {replicas.begin(), replicas.end()};
}

double DeterministicStep::fixedSeconds() const
{
    if (m_graph.slow.empty() && m_graph.fixedSpatial.empty())
        return seconds(distinctReplicas(), {}); // no question: 1 everywhere, also among the thousands of a lockstep set
    return seconds(distinctReplicas(), [this](int replica, int stage) { return fixedSlowest(replica, stage); });
}

double deterministicStepSeconds(const StepGraph& graph)
{
    return DeterministicStep(graph).fixedSeconds();
}

} // namespace prism
