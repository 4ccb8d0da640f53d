// SPDX-License-Identifier: GPL-3.0-or-later
// Best assignment of nodes with measured speeds to positions, and what it is worth.
#include "core/base/diagnostictext.h"
#include "core/base/valuetext.h"
#include "core/insight/placement/assignment.h"
#include "core/insight/paired.h"
#include "core/insight/placement/placement.h"
#include "core/insight/variation.h"
#include "core/insight/placement/tailsample.h"
#include "core/step/deterministicstep.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>

namespace prism {

namespace {

constexpr int kDefaultSamples = 500, kNoiseSamples = 2'000;
constexpr int kBudget = 20'000; ///< replica evaluations per search
constexpr std::size_t kExhaustiveNodes = 6;
constexpr double kSmallestGain = 5e-5; ///< half of the last digit that is shown

/// What distinguishes nodes: a time factor per GPU (1 / measured speed times what is marked slow), then the link factor.
class NodeTraits final {
public:
    NodeTraits(const Scenario& scenario, const std::vector<int>& order, int perNode)
        : m_perNode(perNode),
          m_values(order.size() * static_cast<std::size_t>(perNode + 1), 1.0)
    {
        for (const MeasuredSpeed& speed : scenario.measured.speeds)
            for (int gpu = 0; gpu < perNode; ++gpu)
                if ((speed.gpu < 0 || speed.gpu == gpu) && speed.relativeSpeed > 0 && holds(speed.node))
                    at(speed.node, gpu) = 1 / speed.relativeSpeed;
        for (const SlowEntry& entry : scenario.variability.slow) {
            const int node = entry.node >= 0 ? entry.node : order[static_cast<std::size_t>(entry.rank / perNode)];
            if (!holds(node))
                continue;
            for (int gpu = 0; gpu < perNode; ++gpu)
                if (entry.node >= 0 || entry.rank % perNode == gpu)
                    at(node, gpu) *= entry.computeFactor;
            at(node, perNode) = std::max(at(node, perNode), entry.linkFactor);
        }
    }

    [[nodiscard]] double slowness(int node, int gpu) const { return m_values[index(node, gpu)]; }
    [[nodiscard]] double link(int node) const { return m_values[index(node, m_perNode)]; }
    [[nodiscard]] double slowest(int node) const { return *std::max_element(of(node), of(node) + m_perNode); }
    [[nodiscard]] bool same(int a, int b) const { return std::equal(of(a), of(a) + m_perNode + 1, of(b)); }
    [[nodiscard]] std::vector<double> all(int node) const { return {of(node), of(node) + m_perNode + 1}; }

private:
    [[nodiscard]] bool holds(int node) const { return node >= 0 && index(node, m_perNode) < m_values.size(); }
    [[nodiscard]] std::size_t index(int node, int value) const
    {
        return static_cast<std::size_t>(node) * static_cast<std::size_t>(m_perNode + 1) + static_cast<std::size_t>(value);
    }
    [[nodiscard]] std::vector<double>::const_iterator of(int node) const
    {
        return m_values.begin() + static_cast<std::ptrdiff_t>(index(node, 0));
    }
    double& at(int node, int value) { return m_values[index(node, value)]; }
    int m_perNode;
    std::vector<double> m_values;
};

/// One replica with its own noise only: what a job shares (regimes) does not separate replicas. Measured speeds are known; others
/// are drawn and count as noise.
StepGraph loneReplica(StepGraph graph)
{
    graph.numReplicas = 1;
    graph.lockstepReplicas = 0;
    graph.slow.clear();
    if (!graph.fixedSpatial.empty())
        graph.fixedSpatial.assign(static_cast<std::size_t>(graph.schedule.numStages) * static_cast<std::size_t>(graph.cellRanks()), 1.0);
    graph.intraRegime = graph.interRegime = {};
    return graph;
}

std::vector<int> orderOf(const Scenario& scenario, int nodes)
{
    std::vector<int> order = scenario.measured.nodeOrder;
    if (order.empty()) {
        order.resize(static_cast<std::size_t>(nodes));
        std::iota(order.begin(), order.end(), 0);
    }
    return order;
}

/// The scenario with its nodes in another order. Slow ranks stay with their GPU.
Scenario reordered(Scenario scenario, const std::vector<int>& given, const std::vector<int>& order, int perNode)
{
    std::vector<int> positionOf(given.size(), 0);
    for (std::size_t p = 0; p < order.size(); ++p)
        positionOf[static_cast<std::size_t>(order[p])] = static_cast<int>(p);
    for (SlowEntry& entry : scenario.variability.slow)
        if (entry.rank >= 0)
            entry.rank = positionOf[static_cast<std::size_t>(given[static_cast<std::size_t>(entry.rank / perNode)])] * perNode
                         + entry.rank % perNode;
    scenario.measured.nodeOrder = order;
    return scenario;
}

/// Equal nodes are interchangeable: each stays at its place where an equal one may be there, so that as few as possible move.
void keepInPlace(const std::vector<int>& given, const NodeTraits& traits, std::vector<int>& order)
{
    std::map<std::vector<double>, std::vector<int>> spare; // nodes of a kind that find no place at home
    std::vector<bool> stays(given.size(), false);
    for (std::size_t p = 0; p < given.size(); ++p) {
        stays[p] = traits.same(given[p], order[p]);
        if (!stays[p])
            spare[traits.all(given[p])].push_back(given[p]);
    }
    for (auto& [kind, nodes] : spare)
        std::reverse(nodes.begin(), nodes.end());
    for (std::size_t p = 0; p < given.size(); ++p) {
        if (stays[p]) {
            order[p] = given[p];
            continue;
        }
        std::vector<int>& nodes = spare[traits.all(order[p])];
        order[p] = nodes.back();
        nodes.pop_back();
    }
}

/// Positions whose node changes, the slowest nodes first.
std::vector<NodeMove> movesOf(const std::vector<int>& given, const std::vector<int>& order, const NodeTraits& traits,
                              const std::vector<RankPosition>& ranks, int perNode)
{
    std::vector<int> from(given.size(), 0);
    for (std::size_t p = 0; p < given.size(); ++p)
        from[static_cast<std::size_t>(given[p])] = static_cast<int>(p);
    std::vector<NodeMove> moves;
    for (std::size_t p = 0; p < order.size(); ++p) {
        if (order[p] == given[p])
            continue;
        const int left = from[static_cast<std::size_t>(order[p])];
        const RankPosition &a = ranks[static_cast<std::size_t>(left * perNode)], &b = ranks[p * static_cast<std::size_t>(perNode)];
        moves.push_back({order[p], left, static_cast<int>(p), a.replica, a.stage, b.replica, b.stage, traits.slowest(order[p])});
    }
    std::stable_sort(moves.begin(), moves.end(), [](const NodeMove& a, const NodeMove& b) { return a.slowness > b.slowness; });
    return moves;
}

AssignmentProblem problemOf(const StepGraph& graph, const std::vector<RankPosition>& ranks, const std::vector<int>& given,
                            const NodeTraits& traits, int perNode)
{
    // In terms of positions and nodes in the given order: node i of the problem is given[i].
    AssignmentProblem problem;
    problem.replicas = graph.numReplicas;
    problem.stages = graph.schedule.numStages;
    problem.gpusPerNode = perNode;
    for (const RankPosition& r : ranks)
        problem.cellOfGpu.push_back(r.replica * problem.stages + r.stage);
    for (const int node : given) {
        for (int gpu = 0; gpu < perNode; ++gpu)
            problem.slowness.push_back(traits.slowness(node, gpu));
        problem.link.push_back(traits.link(node));
    }
    return problem;
}

/// The p95 of the slowest of independent replicas: the x at which the product of F(x - T) over the replicas is 0.95, F being the sampled
/// distribution of what a replica takes beyond its noise-free seconds T. Rare events are in it as they are.
class ExpectedP95 final {
public:
    ExpectedP95(const StepSamples& lone)
    {
        for (const double x : lone.acrossSeconds)
            m_excess.push_back(x - lone.noiseFreeSeconds);
        m_tail = TailSample(m_excess);
    }

    [[nodiscard]] double operator()(const std::vector<double>& seconds) const
    {
        std::vector<std::pair<double, int>> distinct; // most replicas take equally long
        for (const double t : seconds) {
            const auto it = std::find_if(distinct.begin(), distinct.end(), [t](const auto& d) { return d.first == t; });
            if (it == distinct.end())
                distinct.emplace_back(t, 1);
            else
                ++it->second;
        }
        const double longest = *std::max_element(seconds.begin(), seconds.end());
        const auto surprise = [&](double x) { // -ln P(max <= x)
            double sum = 0;
            for (const auto& [t, count] : distinct)
                sum -= count * std::log1p(-std::min(m_tail.tailAt(x - t), 1 - 1e-12));
            return sum;
        };
        double low = longest + m_tail.upperQuantile(1 - 1e-9), high = longest + m_tail.upperQuantile(1e-9);
        for (int i = 0; i < 40; ++i) {
            const double middle = 0.5 * (low + high);
            (surprise(middle) > -std::log(0.95) ? low : high) = middle;
        }
        return 0.5 * (low + high);
    }

private:
    std::vector<double> m_excess;
    TailSample m_tail{{}};
};

std::string gainSentence(const PlacementResult& r)
{
    if (r.bestOrder == r.givenOrder)
        return "No order was found that is predicted to be faster than the given one: leave the nodes where they are.";
    if (r.withinNoise)
        return "The gain over the given order is within noise or too small to show: moving nodes is not worth it.";
    const auto percent = [](const Estimate& gain) { return plusMinus(100 * gain.value, 100 * gain.halfWidth) + " %"; };
    return fmt::format("The best order found lowers p95 by {} against the given one and by {} against the worst.", percent(r.gainOverGiven),
                       percent(r.gainOverWorst));
}

/// The order with the nodes of slow links back where they were.
std::vector<int> withLinksInPlace(const std::vector<int>& given, std::vector<int> order, const NodeTraits& traits)
{
    for (std::size_t p = 0; p < given.size(); ++p)
        if (traits.link(given[p]) > 1)
            std::iter_swap(order.begin() + static_cast<std::ptrdiff_t>(p), std::find(order.begin(), order.end(), given[p]));
    return order;
}

/// Predicts the given order and the candidates in full; the best and the worst of them all become those of the result.
Diagnostics predictOrders(Evaluator& evaluator, const Scenario& scenario, int perNode, std::vector<std::vector<int>> candidates,
                          const InsightOptions& options, PlacementResult& result)
{
    candidates.insert(candidates.begin(), result.givenOrder);
    std::vector<StepGraph> graphs;
    for (const std::vector<int>& order : candidates) {
        Result<CostedStep> placed = costStep(reordered(scenario, result.givenOrder, order, perNode));
        if (!placed.ok())
            return placed.errors();
        graphs.push_back(std::move(placed).value().graph);
    }
    auto sampled = sampleAll(
        evaluator, graphs.size(), [&](std::size_t i) { return graphs[i]; }, result.samples, options, 0.5, 0.9,
        "placement: predicting the orders");
    if (!sampled.ok())
        return sampled.errors();
    std::vector<PairedSample> predicted;
    std::size_t best = 0, worst = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        predicted.emplace_back(sampled.value()[i]);
        best = predicted[i].p95 < predicted[best].p95 ? i : best;
        worst = predicted[i].p95 > predicted[worst].p95 ? i : worst;
    }
    const auto summary = [&](std::size_t i) { return summarize(predicted[i].seconds(), predicted[i].samples.get()); };
    result.bestOrder = candidates[best];
    result.worstOrder = candidates[worst];
    result.given = summary(0);
    result.best = summary(best);
    result.worst = summary(worst);
    result.gainOverGiven = relativeGainP95(predicted[best], predicted[0]);
    result.gainOverWorst = relativeGainP95(predicted[best], predicted[worst]);
    // With common draws even a gain too small to be printed would be significant.
    result.withinNoise = !(result.gainOverGiven.value > std::max(result.gainOverGiven.halfWidth, kSmallestGain));
    return {};
}

/// The orders after one, two, ... exchanges on the way from the given to the best one, in the order of the moves.
std::vector<ExchangeGain> exchangesOf(const PlacementResult& result)
{
    std::vector<ExchangeGain> exchanges;
    std::vector<int> order = result.givenOrder;
    for (const NodeMove& move : result.moves) {
        const auto to = static_cast<std::size_t>(move.toPosition);
        if (exchanges.size() == kMaxExchanges)
            break;
        if (order[to] == move.node)
            continue; // came there as the partner of an earlier one
        const int partner = order[to];
        std::iter_swap(std::find(order.begin(), order.end(), move.node), order.begin() + move.toPosition);
        exchanges.push_back({move, partner, order, 0, {}});
    }
    return exchanges;
}

/// Predicts them in full, with the random numbers of the given order.
Diagnostics predictExchanges(Evaluator& evaluator, const Scenario& scenario, int perNode, const InsightOptions& options,
                             PlacementResult& result)
{
    std::vector<StepGraph> graphs;
    std::vector<ExchangeGain> exchanges = exchangesOf(result);
    for (std::size_t i = 0; i <= exchanges.size(); ++i) {
        const std::vector<int>& order = i == 0 ? result.givenOrder : exchanges[i - 1].order;
        Result<CostedStep> placed = costStep(reordered(scenario, result.givenOrder, order, perNode));
        if (!placed.ok())
            return placed.errors();
        graphs.push_back(std::move(placed).value().graph);
    }
    auto sampled = sampleAll(
        evaluator, graphs.size(), [&](std::size_t i) { return graphs[i]; }, result.samples, options, 0.9, 1,
        "placement: predicting the first moves");
    if (!sampled.ok())
        return sampled.errors();
    const PairedSample given(sampled.value()[0]);
    for (std::size_t i = 0; i < exchanges.size(); ++i) {
        const PairedSample after(sampled.value()[i + 1]);
        exchanges[i].p95Seconds = after.p95;
        exchanges[i].gain = relativeGainP95(after, given);
    }
    result.exchanges = std::move(exchanges);
    return {};
}

Diagnostic nothingToOrderBy()
{
    return errorAt("measured.speeds", "There are no measured speeds and no slow places to order the nodes by.", "none",
                   "a speed table, or nodes that are marked slow");
}

Diagnostic partlyFilledNodes(std::size_t gpus, int perNode)
{
    return errorAt("cluster.gpus_per_node", "The job does not fill whole nodes.", std::to_string(gpus) + " GPUs",
                   "a multiple of " + std::to_string(perNode));
}

void addNotes(bool measured, PlacementResult& result)
{
    result.notes.push_back(gainSentence(result));
    result.notes.emplace_back(
        "The order was searched by the p95 of the slowest replica, from each replica's noise-free step and the sampled "
        "distribution of what comes on top, and the orders found were then predicted in full; none that is predicted to be "
        "slower than the given one is proposed.");
    if (!measured)
        result.notes.emplace_back("Speeds of nodes that are not marked slow are unknown and drawn.");
}

/// What a search of orders reads: the scenario's nodes, what distinguishes them, and the problem as the search sees it.
struct Search {
    const Scenario& scenario;
    std::vector<RankPosition> ranks;
    std::vector<int> givenOrder;
    int perNode;
    NodeTraits traits;
    AssignmentProblem problem;
    StepGraph lone;
    DeterministicStep step; ///< of `lone`

    Search(const Scenario& s, const StepGraph& graph, std::vector<RankPosition> layout, int gpusPerNode)
        : scenario(s),
          ranks(std::move(layout)),
          givenOrder(orderOf(s, static_cast<int>(ranks.size()) / gpusPerNode)),
          perNode(gpusPerNode),
          traits(s, givenOrder, perNode),
          problem(problemOf(graph, ranks, givenOrder, traits, perNode)),
          lone(loneReplica(graph)),
          step(lone)
    {
        problem.replicaSeconds = [this](const double* slowness, const double* links) {
            lone.slow.clear(); // the deterministic step reads them from its graph
            for (int stage = 0; stage < problem.stages; ++stage)
                if (links[stage] > 1)
                    lone.slow.push_back({0, stage, -1, 1.0, links[stage]});
            return step.seconds([slowness](int, int stage) { return slowness[stage]; });
        };
    }
    Search(const Search&) = delete; // the problem reads the step
    Search& operator=(const Search&) = delete;

    /// The nodes of an assignment; equal nodes stay where they are.
    [[nodiscard]] std::vector<int> physical(const std::vector<int>& nodeAt) const
    {
        std::vector<int> order;
        for (const int node : nodeAt)
            order.push_back(givenOrder[static_cast<std::size_t>(node)]);
        keepInPlace(givenOrder, traits, order);
        return order;
    }
};

/// Teaches the problem what noise adds to a replica's noise-free seconds; false when stopped.
bool addNoise(Evaluator& evaluator, const InsightOptions& options, Search& search)
{
    search.lone.slow.clear();
    const auto noise = evaluator.samples(search.lone, pairedSampling(options, kNoiseSamples));
    if (noise->complete)
        search.problem.stepSeconds = ExpectedP95(*noise);
    return noise->complete;
}

/// Orders worth a full prediction: the best and the worst found first, then the best with slow links at home and slow nodes gathered.
/// Empty when stopped.
std::vector<std::vector<int>> candidateOrders(const Search& search, const InsightOptions& options, PlacementResult& result)
{
    const auto found = [&](bool worst) {
        const AssignmentSearch assignment = result.exhaustive
                                                ? exhaustiveAssignment(search.problem, worst)
                                                : searchAssignment(search.problem, worst, options.seed, kBudget, options.stop);
        result.objectiveEvaluations += assignment.evaluations;
        return search.physical(assignment.nodeAt);
    };
    std::vector<std::vector<int>> candidates{found(false)};
    if (options.progress)
        options.progress(0.3, "placement: best order");
    candidates.push_back(found(true));
    if (options.stop.stop_requested())
        return {};
    const auto consider = [&](std::vector<int> order) {
        if (order != search.givenOrder && std::find(candidates.begin(), candidates.end(), order) == candidates.end())
            candidates.push_back(std::move(order));
    };
    consider(withLinksInPlace(search.givenOrder, candidates[0], search.traits));
    for (const std::vector<int>& gathered : gatheredOrders(search.problem))
        consider(search.physical(gathered));
    return candidates;
}

} // namespace

Result<PlacementResult> searchPlacement(Evaluator& evaluator, const Scenario& scenario, const InsightOptions& options)
{
    const auto begin = std::chrono::steady_clock::now();
    const bool measured = !scenario.measured.speeds.empty();
    if (!measured && scenario.variability.slow.empty())
        return nothingToOrderBy();
    const Result<CostedStep> costed = costStep(scenario);
    if (!costed.ok())
        return costed.errors();
    std::vector<RankPosition> ranks = rankLayout(scenario);
    const int perNode = std::max(1, scenario.cluster.gpusPerNode);
    if (ranks.empty() || ranks.size() % static_cast<std::size_t>(perNode) != 0)
        return partlyFilledNodes(ranks.size(), perNode);
    Search search(scenario, costed->graph, std::move(ranks), perNode);
    if (!addNoise(evaluator, options, search))
        return cancelled();
    PlacementResult result;
    result.seed = options.seed;
    result.samples = options.samples > 0 ? options.samples : kDefaultSamples;
    result.givenOrder = search.givenOrder;
    result.exhaustive = search.givenOrder.size() <= kExhaustiveNodes;
    std::vector<std::vector<int>> candidates = candidateOrders(search, options, result);
    if (candidates.empty())
        return cancelled();
    if (Diagnostics errors = predictOrders(evaluator, scenario, perNode, std::move(candidates), options, result); !errors.empty())
        return errors;
    result.moves = movesOf(result.givenOrder, result.bestOrder, search.traits, search.ranks, perNode);
    result.movedNodes = static_cast<int>(result.moves.size());
    if (!result.withinNoise)
        if (Diagnostics errors = predictExchanges(evaluator, scenario, perNode, options, result); !errors.empty())
            return errors;
    addNotes(measured, result);
    result.elapsedSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

} // namespace prism
