// Flattening of the schedule and the deterministic step.
#include "core/sim/sweep.h"

#include "core/sim/simulate.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace prism {

namespace {

bool matches(const SlowSpot& spot, int replica, int stage)
{
    return (spot.replica < 0 || spot.replica == replica) && (spot.stage < 0 || spot.stage == stage);
}

std::size_t index(int i)
{
    return static_cast<std::size_t>(i);
}

} // namespace

Sweep sweepOf(const StepGraph& graph)
{
    const Schedule& s = graph.schedule;
    const int hops = static_cast<int>(s.path.size()) - 1;
    const auto microbatches = static_cast<std::int32_t>(s.numMicrobatches);
    const auto slots = static_cast<std::int32_t>(s.path.size()) * microbatches;
    Sweep sweep;
    sweep.numStages = s.numStages;
    sweep.numSlots = s.numStages * s.numChunks * kPhases;
    sweep.numArrivals = 2 * index(slots);
    sweep.transferOccupiesSender = graph.transferOccupiesSender;
    sweep.firstStage = s.path.front()[0];
    sweep.lastStage = s.path.back()[0];
    for (int i = 0; i < hops; ++i)
        sweep.sends.push_back({graph.sendForward[index(i)], s.path[index(i)][0], s.path[index(i) + 1][0]});
    for (int i = 0; i < hops; ++i)
        sweep.sends.push_back({graph.sendBackward[index(i)], s.path[index(i) + 1][0], s.path[index(i)][0]});

    const auto order = executionOrder(s);
    sweep.nodes.reserve(order.size());
    for (const ScheduleNode& n : order) {
        SweepNode node;
        node.stage = n.stage;
        node.slot = (n.stage * s.numChunks + n.item.chunk) * kPhases + static_cast<int>(n.item.phase);
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
        if (node.send >= 0 && sweep.sends[index(node.send)].op.kernelClass < 0)
            node.send = -1;
        sweep.nodes.push_back(node);
    }
    return sweep;
}

double slowComputeFactor(const StepGraph& graph, int replica, int stage, int rank)
{
    double factor = 1.0;
    for (const SlowSpot& spot : graph.slow)
        if (matches(spot, replica, stage) && (spot.rank < 0 || spot.rank == rank))
            factor *= spot.computeFactor;
    return factor;
}

double cellLinkFactor(const StepGraph& graph, int replica, int stage)
{
    double whole = 1.0; // spots on every rank of the cell
    std::map<int, double> single;
    for (const SlowSpot& spot : graph.slow) {
        if (!matches(spot, replica, stage))
            continue;
        if (spot.rank < 0)
            whole *= spot.linkFactor;
        else
            single.try_emplace(spot.rank, 1.0).first->second *= spot.linkFactor;
    }
    double most = static_cast<int>(single.size()) < graph.cellRanks() ? 1.0 : 0.0;
    for (const auto& [rank, factor] : single)
        most = std::max(most, factor);
    return whole * most;
}

bool anySlow(const StepGraph& graph, int replica)
{
    return std::any_of(graph.slow.begin(), graph.slow.end(),
                       [replica](const SlowSpot& spot) { return spot.replica < 0 || spot.replica == replica; });
}

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
    return std::max(op.minExposedSeconds * factor, op.meanSeconds * factor - op.hiddenSeconds);
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
    double most = 0.0;
    for (int r = 0; r < ranks; ++r) {
        double g = slowComputeFactor(m_graph, replica, stage, r);
        if (!m_graph.fixedSpatial.empty())
            g *= m_graph.fixedSpatial[(index(replica) * index(m_sweep.numStages) + index(stage)) * index(ranks) + index(r)];
        most = std::max(most, g);
    }
    return most;
}

std::vector<double> DeterministicStep::stageEnds(int replica, const std::function<double(int, int)>& slowest) const
{
    const int slotsPerStage = m_sweep.numSlots / m_sweep.numStages;
    std::vector<double> duration(index(m_sweep.numSlots), 0.0);
    std::vector<double> link(index(m_sweep.numStages), 1.0);
    for (int stage = 0; stage < m_sweep.numStages; ++stage) {
        // In lockstep the slowest member of the set decides.
        const int first = replica / m_lockstep * m_lockstep;
        double g = 0.0;
        for (int d = first; d < first + m_lockstep; ++d)
            g = std::max(g, slowest(d, stage));
        for (int d = first; d < first + m_lockstep && !m_graph.slow.empty(); ++d)
            link[index(stage)] = std::max(d == first ? 0.0 : link[index(stage)], cellLinkFactor(m_graph, d, stage));
        for (int k = 0; k < slotsPerStage; ++k) {
            const int slot = stage * slotsPerStage + k;
            const int program = m_graph.programOf[index(stage)][index(k / kPhases)][index(k % kPhases)];
            if (program < 0)
                continue;
            const Cost cost = link[index(stage)] == 1.0 ? m_slotCost[index(slot)] : programCost(program, link[index(stage)]);
            duration[index(slot)] = cost.base + (g - 1.0) * cost.perSpatial;
        }
    }
    std::vector<double> transfer(m_sweep.sends.size(), 0.0);
    for (std::size_t i = 0; i < transfer.size(); ++i)
        transfer[i] = exposed(m_sweep.sends[i].op, std::max(link[index(m_sweep.sends[i].from)], link[index(m_sweep.sends[i].to)]));
    std::vector<double> arrival(m_sweep.numArrivals, 0.0);
    std::vector<double> clock(index(m_sweep.numStages), 0.0);
    for (const SweepNode& n : m_sweep.nodes) {
        const double start = n.input < 0 ? clock[index(n.stage)] : std::max(clock[index(n.stage)], arrival[index(n.input)]);
        const double end = start + duration[index(n.slot)];
        const double arrives = n.send < 0 ? end : end + transfer[index(n.send)];
        clock[index(n.stage)] = m_sweep.transferOccupiesSender ? arrives : end;
        if (n.output >= 0)
            arrival[index(n.output)] = arrives;
    }
    return clock;
}

double DeterministicStep::tail(const std::vector<int>& replicas, std::vector<std::vector<double>>& ends,
                               const std::function<double(int, int)>& slowest) const
{
    const int stages = m_sweep.numStages;
    const bool named = !m_graph.slow.empty();
    const auto first = index(m_sweep.firstStage);
    const auto last = index(m_sweep.lastStage);
    if (m_graph.embeddingAllReduce.kernelClass >= 0)
        for (std::size_t d = 0; d < ends.size(); ++d) {
            const double link = named ? std::max(cellLinkFactor(m_graph, replicas[d], m_sweep.firstStage),
                                                 cellLinkFactor(m_graph, replicas[d], m_sweep.lastStage))
                                      : 1.0;
            ends[d][first] = ends[d][last] = std::max(ends[d][first], ends[d][last]) + exposed(m_graph.embeddingAllReduce, link);
        }
    const auto synchronise = [&](const std::vector<StepOp>& ops) {
        for (int s = 0; s < stages; ++s) {
            if (ops[index(s)].kernelClass < 0)
                continue;
            double latest = 0.0;
            for (const auto& e : ends)
                latest = std::max(latest, e[index(s)]);
            latest += exposed(ops[index(s)], named ? linkOfStage(s) : 1.0);
            for (auto& e : ends)
                e[index(s)] = latest;
        }
    };
    const auto latestOfAll = [&] {
        double latest = 0.0;
        for (const auto& e : ends)
            latest = std::max(latest, *std::max_element(e.begin(), e.end()));
        return latest;
    };
    synchronise(m_graph.gradSync);
    if (m_graph.gradNorm.kernelClass >= 0) {
        double link = 1.0;
        for (int s = 0; named && s < stages; ++s)
            link = s == 0 ? linkOfStage(s) : std::max(link, linkOfStage(s));
        const double end = latestOfAll() + exposed(m_graph.gradNorm, link);
        for (auto& e : ends)
            std::fill(e.begin(), e.end(), end);
    }
    for (std::size_t d = 0; d < ends.size(); ++d)
        for (int s = 0; s < stages; ++s) {
            const StepOp& op = m_graph.optimizer[index(s)];
            if (op.kernelClass < 0)
                continue;
            const double sensitivity = m_graph.classes[index(op.kernelClass)].spatialSensitivity;
            ends[d][index(s)] += op.meanSeconds * (1.0 + sensitivity * (slowest(replicas[d], s) - 1.0));
        }
    synchronise(m_graph.paramGather);
    return latestOfAll();
}

double DeterministicStep::seconds(const std::vector<int>& replicas, const std::function<double(int, int)>& slowest) const
{
    std::vector<std::vector<double>> ends;
    ends.reserve(replicas.size());
    for (std::size_t i = 0; i < replicas.size(); ++i) {
        const bool sameSet = i > 0 && replicas[i] / m_lockstep == replicas[i - 1] / m_lockstep;
        ends.push_back(sameSet ? ends.back() : stageEnds(replicas[i], slowest));
    }
    return tail(replicas, ends, slowest);
}

double DeterministicStep::seconds(const std::function<double(int, int)>& slowest) const
{
    std::vector<int> replicas(index(m_graph.numReplicas));
    std::iota(replicas.begin(), replicas.end(), 0);
    return seconds(replicas, slowest);
}

double deterministicStepSeconds(const StepGraph& graph)
{
    const DeterministicStep step(graph);
    const auto slowest = [&step](int replica, int stage) { return step.fixedSlowest(replica, stage); };
    if (!graph.fixedSpatial.empty())
        return step.seconds(slowest);
    // Replicas that no spot names are equal: one of them stands for all.
    std::set<int> replicas;
    for (const SlowSpot& spot : graph.slow)
        if (spot.replica >= 0)
            replicas.insert(spot.replica);
    for (int d = 0; d < graph.numReplicas; ++d)
        if (replicas.insert(d).second)
            break;
    return step.seconds(std::vector<int>(replicas.begin(), replicas.end()), slowest);
}

} // namespace prism
