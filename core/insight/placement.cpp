#include "core/insight/placement.h"

#include "core/insight/paired.h"
#include "core/insight/variation.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

namespace prism {

namespace {

constexpr int kDefaultSamples = 2'000;
constexpr double kMaxFactor = 100;
constexpr std::size_t kMaxRows = 8;

Diagnostic problem(std::string path, std::string message, std::string found, std::string accepted)
{
    return {Severity::error, std::move(path), std::move(message), std::move(found), std::move(accepted), "", ""};
}

/// Replicas that are alike: those that no slow spot and no measured speed tells apart.
struct Row {
    int first = 0, count = 0;
    std::vector<int> replicas;
};

bool isNamed(const StepGraph& graph, int replica)
{
    return std::any_of(graph.slow.begin(), graph.slow.end(), [replica](const SlowSpot& s) { return s.replica == replica; });
}

double slowestOf(const StepGraph& graph, int replica)
{
    const auto size = static_cast<std::ptrdiff_t>(graph.schedule.numStages) * graph.cellRanks();
    const auto begin = graph.fixedSpatial.begin() + replica * size;
    return *std::max_element(begin, begin + size);
}

std::vector<Row> rowsOf(const StepGraph& graph, std::vector<std::string>& notes)
{
    std::vector<Row> rows;
    if (!graph.fixedSpatial.empty()) {
        // Measured speeds make every replica its own kind: quarters by their slowest GPU, each shown by its middle replica.
        std::vector<int> order;
        for (int r = 0; r < graph.numReplicas; ++r)
            order.push_back(r);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return slowestOf(graph, a) < slowestOf(graph, b); });
        const std::size_t groups = std::min<std::size_t>(4, order.size());
        for (std::size_t g = 0; g < groups; ++g) {
            const std::size_t from = g * order.size() / groups, to = (g + 1) * order.size() / groups;
            Row row;
            row.replicas.assign(order.begin() + static_cast<std::ptrdiff_t>(from), order.begin() + static_cast<std::ptrdiff_t>(to));
            row.first = row.replicas[row.replicas.size() / 2];
            row.count = static_cast<int>(row.replicas.size());
            rows.push_back(std::move(row));
        }
        if (graph.numReplicas > 4)
            notes.push_back("Replicas have measured speeds; rows are quarters of them by their slowest GPU, each shown by its middle replica.");
        return rows;
    }
    Row alike;
    alike.first = -1;
    std::vector<Row> named;
    for (int r = 0; r < graph.numReplicas; ++r) {
        if (isNamed(graph, r) && named.size() + 1 < kMaxRows) {
            named.push_back({r, 1, {r}});
        } else if (!isNamed(graph, r)) {
            alike.first = alike.first < 0 ? r : alike.first;
            ++alike.count;
        }
    }
    if (alike.count > 0)
        rows.push_back(std::move(alike));
    rows.insert(rows.end(), named.begin(), named.end());
    return rows;
}

std::string rowLabel(const Row& row, const StepGraph& graph)
{
    if (row.count == 1)
        return fmt::format("replica {}", row.first);
    if (row.count == graph.numReplicas)
        return fmt::format("any of {} replicas", row.count);
    return graph.fixedSpatial.empty() ? fmt::format("any other of {} replicas", row.count)
                                      : fmt::format("{} replicas like {}", row.count, row.first);
}

/// The slow spots that a node standing at a cell makes, and which node it is.
struct NodeSpots {
    int node = -1;
    std::vector<SlowSpot> spots;
};
using SpotsOf = std::function<NodeSpots(int replica, int stage)>;

Result<PlacementMap> mapOf(Evaluator& evaluator, const StepGraph& graph, const SlowProbe& probe, const InsightOptions& options,
                           const SpotsOf& spotsOf)
{
    const auto begin = std::chrono::steady_clock::now();
    Diagnostics errors = check(graph);
    for (const auto& [name, factor] : {std::pair{"compute_factor", probe.computeFactor}, std::pair{"link_factor", probe.linkFactor}})
        if (!(factor >= 1 && factor <= kMaxFactor))
            errors.push_back(problem(name, "The factor of the slow node is out of range.", fmt::format("{}", factor), "1 to 100"));
    if (hasErrors(errors))
        return errors;
    PlacementMap map;
    map.probe = probe;
    map.seed = options.seed;
    map.samples = options.samples > 0 ? options.samples : kDefaultSamples;
    const std::vector<Row> rows = rowsOf(graph, map.notes);
    map.rows = static_cast<int>(rows.size());
    map.columns = graph.schedule.numStages;
    for (int s = 0; s < map.columns; ++s)
        map.columnLabels.push_back("stage " + std::to_string(s));
    std::vector<NodeSpots> places;
    for (const Row& row : rows) {
        map.rowLabels.push_back(rowLabel(row, graph));
        map.rowFirstReplica.push_back(row.first);
        map.rowReplicas.push_back(row.count);
        for (int s = 0; s < map.columns; ++s)
            places.push_back(spotsOf(row.first, s));
    }
    auto sampled = sampleAll(evaluator, places.size() + 1, [&](std::size_t i) {
        StepGraph changed = graph;
        if (i > 0)
            changed.slow.insert(changed.slow.end(), places[i - 1].spots.begin(), places[i - 1].spots.end());
        return changed;
    }, map.samples, options, 0, 1, "placement");
    if (!sampled.ok())
        return sampled.errors();
    const PairedSample base(sampled.value()[0]);
    map.base = summarize(base.seconds(), base.samples.get());
    std::vector<PairedSample> samples;
    std::size_t best = 0, worst = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const PairedSample& here = samples.emplace_back(sampled.value()[i + 1]);
        PlacementCell cell;
        cell.present = true;
        cell.node = places[i].node;
        cell.p95Ratio = quantileRatio(here, base, 0.95);
        cell.p50Ratio = quantileRatio(here, base, 0.5);
        cell.p99Ratio = quantileRatio(here, base, 0.99);
        cell.p95Seconds = here.p95;
        cell.p99Seconds = here.p99;
        cell.p50Seconds = here.p50;
        map.cells.push_back(cell);
        best = here.p95 < samples[best].p95 ? i : best;
        worst = here.p95 > samples[worst].p95 ? i : worst;
    }
    const auto columns = static_cast<std::size_t>(map.columns);
    map.bestRow = static_cast<int>(best / columns);
    map.bestColumn = static_cast<int>(best % columns);
    map.worstRow = static_cast<int>(worst / columns);
    map.worstColumn = static_cast<int>(worst % columns);
    const Estimate ratio = quantileRatio(samples[worst], samples[best], 0.95);
    map.worstOverBest = {ratio.value - 1, ratio.halfWidth};
    map.withinNoise = !map.worstOverBest.significant();
    map.notes.push_back(map.withinNoise ? fmt::format("The places differ by less than their noise at {} samples.", map.samples)
                                        : fmt::format("The worst place costs {:.1f} % more p95 than the best one.", 100 * map.worstOverBest.value));
    map.elapsedSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return map;
}

/// Which global rank stands at the first rank of each cell.
std::map<std::pair<int, int>, std::size_t> firstRanks(const std::vector<RankPosition>& positions)
{
    std::map<std::pair<int, int>, std::size_t> first;
    for (std::size_t rank = 0; rank < positions.size(); ++rank)
        if (positions[rank].rankInCell == 0)
            first.emplace(std::pair{positions[rank].replica, positions[rank].stage}, rank);
    return first;
}

/// Spots of the node at a position; whole cells become one spot.
std::vector<SlowSpot> spotsOfPosition(const std::vector<RankPosition>& positions, std::size_t position, std::size_t perNode, int cellRanks,
                                      const SlowProbe& probe)
{
    std::map<std::pair<int, int>, std::vector<int>> ranksOfCell;
    for (std::size_t i = position * perNode; i < std::min((position + 1) * perNode, positions.size()); ++i)
        ranksOfCell[{positions[i].replica, positions[i].stage}].push_back(positions[i].rankInCell);
    std::vector<SlowSpot> spots;
    for (const auto& [cell, ranks] : ranksOfCell) {
        if (static_cast<int>(ranks.size()) == cellRanks) {
            spots.push_back({cell.first, cell.second, -1, probe.computeFactor, probe.linkFactor});
            continue;
        }
        for (const int rank : ranks)
            spots.push_back({cell.first, cell.second, rank, probe.computeFactor, probe.linkFactor});
    }
    return spots;
}

std::string entryLabel(const SlowEntry& entry)
{
    return entry.node >= 0 ? fmt::format("node {}", entry.node) : fmt::format("rank {}", entry.rank);
}

} // namespace

Result<PlacementMap> placementMap(Evaluator& evaluator, const StepGraph& graph, const SlowProbe& probe, const InsightOptions& options)
{
    return mapOf(evaluator, graph, probe, options, [&](int replica, int stage) {
        return NodeSpots{-1, {{replica, stage, -1, probe.computeFactor, probe.linkFactor}}};
    });
}

Result<PlacementMap> placementMap(Evaluator& evaluator, const Scenario& scenario, const SlowProbe& probe, const InsightOptions& options)
{
    const Result<CostedStep> costed = costStep(scenario);
    if (!costed.ok())
        return costed.errors();
    const std::vector<RankPosition> positions = rankLayout(scenario);
    const auto first = firstRanks(positions);
    const auto perNode = static_cast<std::size_t>(std::max(1, scenario.cluster.gpusPerNode));
    const int cellRanks = costed->graph.cellRanks();
    const std::vector<int>& order = scenario.measured.nodeOrder;
    auto result = mapOf(evaluator, costed->graph, probe, options, [&](int replica, int stage) {
        const auto found = first.find({replica, stage});
        if (found == first.end())
            return NodeSpots{-1, {{replica, stage, -1, probe.computeFactor, probe.linkFactor}}};
        const std::size_t position = found->second / perNode;
        return NodeSpots{position < order.size() ? order[position] : static_cast<int>(position),
                         spotsOfPosition(positions, position, perNode, cellRanks, probe)};
    });
    if (result.ok())
        result.value().probeRanks = static_cast<int>(perNode) < cellRanks ? static_cast<int>(perNode) : 0;
    return result;
}

Result<SlowNodesReport> slowNodes(Evaluator& evaluator, const Scenario& scenario, const std::vector<SlowEntry>& slow, const InsightOptions& options)
{
    if (slow.empty() || slow.size() > 1'000)
        return problem("slow", "The number of slow places is out of range.", std::to_string(slow.size()), "1 to 1,000");
    // Variation 0: all of them; 1: none; 2 + i: all but the i-th.
    std::vector<Scenario> variants(slow.size() + 2, scenario);
    for (std::size_t v = 0; v < variants.size(); ++v) {
        variants[v].variability.slow = v == 1 ? std::vector<SlowEntry>{} : slow;
        if (v >= 2)
            variants[v].variability.slow.erase(variants[v].variability.slow.begin() + static_cast<std::ptrdiff_t>(v - 2));
    }
    if (Diagnostics errors = check(variants[0]); hasErrors(errors))
        return errors;
    std::vector<StepGraph> graphs;
    for (const Scenario& variant : variants) {
        Result<CostedStep> costed = costStep(variant);
        if (!costed.ok())
            return costed.errors();
        graphs.push_back(std::move(costed).value().graph);
    }
    SlowNodesReport report;
    report.samples = options.samples > 0 ? options.samples : kDefaultSamples;
    auto sampled = sampleAll(evaluator, graphs.size(), [&](std::size_t i) { return graphs[i]; }, report.samples, options, 0, 1, "slow nodes");
    if (!sampled.ok())
        return sampled.errors();
    const PairedSample all(sampled.value()[0]), none(sampled.value()[1]);
    report.withAll = summarize(all.seconds(), all.samples.get());
    report.withoutAny = summarize(none.seconds(), none.samples.get());
    report.total = pairedChange(none, all);
    for (std::size_t i = 0; i < slow.size(); ++i)
        report.rows.push_back({slow[i], entryLabel(slow[i]), pairedChange(all, PairedSample(sampled.value()[i + 2]))});
    return report;
}

Result<Scenario> withSpeeds(const Scenario& scenario, const SpeedTable& table)
{
    constexpr std::size_t kMaxErrors = 200;
    const auto perNode = std::max(1, scenario.cluster.gpusPerNode);
    const auto nodes = static_cast<std::size_t>((scenario.cluster.numGpus + perNode - 1) / perNode);
    Diagnostics errors;
    std::size_t dropped = 0;
    const auto add = [&](std::string path, std::string message, std::string found, std::string accepted) {
        if (errors.size() < kMaxErrors)
            errors.push_back(problem(std::move(path), std::move(message), std::move(found), std::move(accepted)));
        else
            ++dropped;
    };
    if (table.hosts.size() != nodes)
        add("speeds", table.hosts.size() < nodes ? "Nodes are missing from the speed table." : "The speed table has more nodes than the cluster.",
            fmt::format("{} nodes", table.hosts.size()), fmt::format("{} nodes of {} GPUs", nodes, perNode));
    std::vector<int> seen(table.hosts.size(), 0);
    Scenario changed = scenario;
    changed.measured.speeds.clear();
    changed.measured.nodeOrder.clear();
    for (const SpeedRow& row : table.rows) {
        if (row.gpu >= perNode)
            add(fmt::format("speeds:{}", row.line), fmt::format("Node {} has fewer GPUs.", table.hosts[static_cast<std::size_t>(row.node)]),
                std::to_string(row.gpu), fmt::format("0 to {}", perNode - 1));
        else
            seen[static_cast<std::size_t>(row.node)] += row.gpu < 0 ? perNode : 1;
        changed.measured.speeds.push_back({row.node, row.gpu, row.relativeSpeed});
    }
    for (std::size_t n = 0; n < seen.size(); ++n)
        if (seen[n] != perNode)
            add("speeds", fmt::format("Not every GPU of node {} has a speed.", table.hosts[n]), fmt::format("{} GPUs", seen[n]),
                fmt::format("{} GPUs, or one row for the node", perNode));
    if (dropped > 0)
        errors.push_back(problem("speeds", "There are more errors than are listed.", fmt::format("{} more", dropped), "a table without errors"));
    if (!errors.empty())
        return errors;
    return changed;
}

std::string hostfile(const std::vector<int>& order, const std::vector<std::string>& hosts, int gpusPerNode, HostfileFormat format)
{
    std::string text;
    for (const int node : order) {
        const auto n = static_cast<std::size_t>(std::max(0, node));
        const std::string host = n < hosts.size() ? hosts[n] : fmt::format("node{}", node);
        if (format == HostfileFormat::mpi)
            text += fmt::format("{} slots={}\n", host, gpusPerNode);
        else
            for (int i = 0; i < (format == HostfileFormat::slurm ? gpusPerNode : 1); ++i)
                text += host + "\n";
    }
    return text;
}

} // namespace prism
