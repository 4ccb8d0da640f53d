// Best assignment of nodes with measured speeds to positions, and what it is worth.
#include "core/insight/assignment.h"
#include "core/insight/paired.h"
#include "core/insight/placement.h"
#include "core/insight/variation.h"
#include "core/sim/sweep.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

namespace prism {

namespace {

constexpr int kDefaultSamples = 2'000, kNoiseSamples = 500;
constexpr int kBudget = 20'000; ///< replica evaluations per search

/// GPUs' time factors by physical node: 1 / relative speed.
std::vector<double> slownessOfNodes(const Scenario& scenario, int nodes, int perNode)
{
    std::vector<double> slowness(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(perNode), 1.0);
    for (const MeasuredSpeed& speed : scenario.measured.speeds)
        for (int i = 0; i < perNode; ++i)
            if (speed.node >= 0 && speed.node < nodes && (speed.gpu < 0 || speed.gpu == i) && speed.relativeSpeed > 0)
                slowness[static_cast<std::size_t>(speed.node * perNode + i)] = 1 / speed.relativeSpeed;
    return slowness;
}

/// One replica with its own noise only: what a job shares (regimes) does not separate replicas.
StepGraph loneReplica(StepGraph graph)
{
    graph.numReplicas = 1;
    graph.slow.clear();
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

/// Nodes of one speed are interchangeable: those that may stay where they were do, so that as few as possible move.
void keepInPlace(const std::vector<int>& given, const std::vector<double>& slowness, int perNode, std::vector<int>& order)
{
    const auto speedOf = [&](int node) {
        const auto begin = slowness.begin() + static_cast<std::ptrdiff_t>(node) * perNode;
        return std::vector<double>(begin, begin + perNode);
    };
    std::map<std::vector<double>, std::vector<int>> spare; // nodes of a speed that find no place at home
    std::vector<bool> stays(given.size(), false);
    for (std::size_t p = 0; p < given.size(); ++p) {
        stays[p] = speedOf(given[p]) == speedOf(order[p]);
        if (!stays[p])
            spare[speedOf(given[p])].push_back(given[p]);
    }
    for (auto& [speed, nodes] : spare)
        std::reverse(nodes.begin(), nodes.end());
    for (std::size_t p = 0; p < given.size(); ++p) {
        if (stays[p]) {
            order[p] = given[p];
            continue;
        }
        std::vector<int>& nodes = spare[speedOf(order[p])];
        order[p] = nodes.back();
        nodes.pop_back();
    }
}

std::string gainSentence(const PlacementResult& r)
{
    if (r.withinNoise)
        return fmt::format("The gain over the given order, {:.2f} % ± {:.2f} %, is within noise: moving nodes is not worth it.",
                           100 * r.gainOverGiven.value, 100 * r.gainOverGiven.halfWidth);
    return fmt::format("The best order found lowers p95 by {:.2f} % ± {:.2f} % against the given one and by {:.2f} % ± {:.2f} % against the worst.",
                       100 * r.gainOverGiven.value, 100 * r.gainOverGiven.halfWidth, 100 * r.gainOverWorst.value, 100 * r.gainOverWorst.halfWidth);
}

} // namespace

Result<PlacementResult> searchPlacement(Evaluator& evaluator, const Scenario& scenario, const InsightOptions& options)
{
    const auto begin = std::chrono::steady_clock::now();
    if (scenario.measured.speeds.empty())
        return Diagnostic{Severity::error, "measured.speeds", "There are no measured speeds to place nodes by.", "none", "a speed table", "", ""};
    const Result<CostedStep> costed = costStep(scenario);
    if (!costed.ok())
        return costed.errors();
    const StepGraph& graph = costed->graph;
    const std::vector<RankPosition> ranks = rankLayout(scenario);
    const int perNode = std::max(1, scenario.cluster.gpusPerNode);
    const int nodes = static_cast<int>(ranks.size()) / perNode;
    if (nodes < 1 || ranks.size() % static_cast<std::size_t>(perNode) != 0)
        return Diagnostic{Severity::error, "cluster.gpus_per_node", "The job does not fill whole nodes.", std::to_string(ranks.size()) + " GPUs",
                          "a multiple of " + std::to_string(perNode), "", ""};
    PlacementResult result;
    result.seed = options.seed;
    result.samples = options.samples > 0 ? options.samples : kDefaultSamples;
    result.givenOrder = orderOf(scenario, nodes);
    // The problem in terms of positions and nodes in the given order: node i of the problem is givenOrder[i].
    AssignmentProblem problem;
    problem.replicas = graph.numReplicas;
    problem.stages = graph.schedule.numStages;
    problem.gpusPerNode = perNode;
    for (const RankPosition& r : ranks)
        problem.cellOfGpu.push_back(r.replica * problem.stages + r.stage);
    const std::vector<double> slowness = slownessOfNodes(scenario, nodes, perNode);
    for (const int node : result.givenOrder)
        for (int i = 0; i < perNode; ++i)
            problem.slowness.push_back(slowness[static_cast<std::size_t>(node * perNode + i)]);
    const StepGraph lone = loneReplica(graph);
    const DeterministicStep step(lone);
    problem.replicaSeconds = [&step](const double* stages) { return step.seconds([stages](int, int stage) { return stages[stage]; }); };
    SimOptions sim;
    sim.seed = options.seed;
    sim.numSamples = kNoiseSamples;
    sim.numWithinSamples = -1;
    sim.stop = options.stop;
    const auto noise = evaluator.samples(lone, sim);
    // A Gumbel variable of scale b has the standard deviation b pi / sqrt(6).
    problem.noiseSeconds = PairedSample(noise).std * std::sqrt(6.0) / std::numbers::pi;
    const bool exhaustive = nodes <= 6;
    const auto search = [&](bool worst) {
        return exhaustive ? exhaustiveAssignment(problem, worst) : searchAssignment(problem, worst, options.seed, kBudget, options.stop);
    };
    const AssignmentSearch best = search(false);
    if (options.progress)
        options.progress(0.3, "placement: best order");
    const AssignmentSearch worst = search(true);
    if (options.stop.stop_requested())
        return cancelled();
    result.exhaustive = exhaustive;
    result.objectiveEvaluations = best.evaluations + worst.evaluations;
    for (std::size_t p = 0; p < result.givenOrder.size(); ++p) {
        result.bestOrder.push_back(result.givenOrder[static_cast<std::size_t>(best.nodeAt[p])]);
        result.worstOrder.push_back(result.givenOrder[static_cast<std::size_t>(worst.nodeAt[p])]);
    }
    keepInPlace(result.givenOrder, slowness, perNode, result.bestOrder);
    keepInPlace(result.givenOrder, slowness, perNode, result.worstOrder);
    for (std::size_t p = 0; p < result.givenOrder.size(); ++p)
        result.movedNodes += result.bestOrder[p] != result.givenOrder[p] ? 1 : 0;
    if (options.progress)
        options.progress(0.5, "placement: predicting the orders");
    Scenario variant = scenario;
    std::vector<StepGraph> graphs;
    for (const std::vector<int>* order : {&result.givenOrder, &result.bestOrder, &result.worstOrder}) {
        variant.measured.nodeOrder = *order;
        Result<CostedStep> placed = costStep(variant);
        if (!placed.ok())
            return placed.errors();
        graphs.push_back(std::move(placed).value().graph);
    }
    auto sampled = sampleAll(evaluator, graphs.size(), [&](std::size_t i) { return graphs[i]; }, result.samples, options, 0.5, 1,
                             "placement: predicting the orders");
    if (!sampled.ok())
        return sampled.errors();
    const PairedSample given(sampled.value()[0]), bestSample(sampled.value()[1]), worstSample(sampled.value()[2]);
    result.given = summarize(given.seconds(), given.samples.get());
    result.best = summarize(bestSample.seconds(), bestSample.samples.get());
    result.worst = summarize(worstSample.seconds(), worstSample.samples.get());
    result.gainOverGiven = relativeGainP95(bestSample, given);
    result.gainOverWorst = relativeGainP95(bestSample, worstSample);
    result.withinNoise = !(result.gainOverGiven.value > result.gainOverGiven.halfWidth);
    result.notes.push_back(gainSentence(result));
    result.notes.push_back("The order was searched on the noise-free step of each replica with an allowance for its own noise, and all three orders were then predicted in full.");
    result.elapsedSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

} // namespace prism
