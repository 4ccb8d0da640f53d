// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/placement/placement.h"

#include "core/base/valuetext.h"
#include "core/base/diagnostictext.h"
#include "core/insight/paired.h"
#include "core/insight/variation.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <map>

namespace prism {

namespace {

constexpr int kDefaultSamples = 500;
constexpr double kMaxFactor = 100;
constexpr std::size_t kMaxRows = 8;

/// Equal replicas: those without a slow spot or a measured speed that distinguishes them.
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
            notes.emplace_back(
                "Replicas have measured speeds; rows are quarters of them by their slowest GPU, each shown by its middle replica.");
        return rows;
    }
    Row equal;
    equal.first = -1;
    std::vector<Row> named;
    for (int r = 0; r < graph.numReplicas; ++r) {
        if (isNamed(graph, r) && named.size() + 1 < kMaxRows) {
            named.push_back({r, 1, {r}});
        } else if (!isNamed(graph, r)) {
            equal.first = equal.first < 0 ? r : equal.first;
            equal.replicas.push_back(r);
            ++equal.count;
        }
    }
    if (equal.count > 0)
        rows.push_back(std::move(equal));
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

/// The slow spots that a node makes at a cell, and which node it is.
struct NodeSpots {
    int node = -1;
    std::vector<SlowSpot> spots;
};
using SpotsOf = std::function<NodeSpots(int replica, int stage)>;

Diagnostics checkProbe(const StepGraph& graph, const SlowProbe& probe)
{
    Diagnostics errors = check(graph);
    for (const auto& [name, factor] : {std::pair{"compute_factor", probe.computeFactor}, std::pair{"link_factor", probe.linkFactor}})
        if (!(factor >= 1 && factor <= kMaxFactor))
            errors.push_back(errorAt(name, "The factor of the slow node is out of range.", fmt::format("{}", factor), "1 to 100"));
    return errors;
}

/// Labels of rows and columns, and what each cell slows down, row by row.
std::vector<NodeSpots> placesOf(const StepGraph& graph, const SpotsOf& spotsOf, PlacementMap& map)
{
    const std::vector<Row> rows = rowsOf(graph, map.notes);
    map.rows = static_cast<int>(rows.size());
    map.columns = graph.schedule.numStages;
    for (int s = 0; s < map.columns; ++s)
        map.columnLabels.push_back("stage " + std::to_string(s));
    std::vector<NodeSpots> places;
    map.rowOfReplica.assign(static_cast<std::size_t>(graph.numReplicas), -1);
    for (const Row& row : rows) {
        for (const int replica : row.replicas)
            map.rowOfReplica[static_cast<std::size_t>(replica)] = static_cast<int>(map.rowLabels.size());
        map.rowLabels.push_back(rowLabel(row, graph));
        map.rowFirstReplica.push_back(row.first);
        map.rowReplicas.push_back(row.count);
        for (int s = 0; s < map.columns; ++s)
            places.push_back(spotsOf(row.first, s));
    }
    return places;
}

/// Cells by place, and which are the best and the worst.
void fillCells(const PairedSample& base, const std::vector<NodeSpots>& places, const std::vector<PairedSample>& samples, PlacementMap& map)
{
    std::size_t best = 0, worst = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const PairedSample& here = samples[i];
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
}

Result<PlacementMap> mapOf(Evaluator& evaluator, const StepGraph& graph, const SlowProbe& probe, const InsightOptions& options,
                           const SpotsOf& spotsOf)
{
    const auto begin = std::chrono::steady_clock::now();
    if (Diagnostics errors = checkProbe(graph, probe); hasErrors(errors))
        return errors;
    PlacementMap map;
    map.probe = probe;
    map.seed = options.seed;
    map.samples = options.samples > 0 ? options.samples : kDefaultSamples;
    const std::vector<NodeSpots> places = placesOf(graph, spotsOf, map);
    auto sampled = sampleAll(
        evaluator, places.size() + 1,
        [&](std::size_t i) {
            StepGraph changed = graph;
            if (i > 0)
                changed.slow.insert(changed.slow.end(), places[i - 1].spots.begin(), places[i - 1].spots.end());
            return changed;
        },
        map.samples, options, 0, 1, "placement");
    if (!sampled.ok())
        return sampled.errors();
    const PairedSample base(sampled.value()[0]);
    map.base = summarize(base.seconds(), base.samples.get());
    std::vector<PairedSample> samples;
    for (std::size_t i = 0; i < places.size(); ++i)
        samples.emplace_back(sampled.value()[i + 1]);
    fillCells(base, places, samples, map);
    map.notes.push_back(map.withinNoise
                            ? fmt::format("The places differ by less than their noise at {} samples.", countText(map.samples))
                            : fmt::format("The worst place costs {:.1f} % more p95 than the best one.", 100 * map.worstOverBest.value));
    map.elapsedSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return map;
}

/// Which global rank is at the first rank of each cell.
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

} // namespace prism
