// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/cellkind.h"

#include "core/step/slowspots.h"
#include "core/sim/draw/nodeshare.h"
#include "core/stats/quantile.h"
#include "core/stats/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

namespace prism {

namespace {

/// Between cells that lie on the nodes, cells are placed by (mean g^p)^(1/p): between the mean of the ranks, which counts where the
/// kernels' own noise is large, and their maximum, which counts where it is small. p = 64 belongs to noise of 1 / 64.
double slowness(const std::vector<double>& cell)
{
    constexpr double kPower = 64.0;
    const double most = *std::max_element(cell.begin(), cell.end());
    double sum = 0.0;
    for (const double g : cell)
        sum += std::pow(g / most, kPower);
    return most * std::pow(sum / static_cast<double>(cell.size()), 1.0 / kPower);
}

/// Factors of a cell's ranks; cells that differ only in the order of ranks or groups become equal.
std::vector<double> cellFactors(const StepGraph& graph, int replica, int stage)
{
    const auto ranks = static_cast<std::size_t>(graph.cellRanks()), group = static_cast<std::size_t>(graph.groupRanks);
    const std::size_t first =
        (static_cast<std::size_t>(replica) * static_cast<std::size_t>(graph.schedule.numStages) + static_cast<std::size_t>(stage)) * ranks;
    std::vector<std::vector<double>> groups;
    for (std::size_t r = 0; r < ranks; ++r) {
        if (r % group == 0)
            groups.emplace_back();
        const double slow = graph.slow.empty() ? 1.0 : slowComputeFactor(graph, replica, stage, static_cast<int>(r));
        groups.back().push_back(graph.fixedSpatial[first + r] * slow);
    }
    for (std::vector<double>& g : groups)
        std::sort(g.begin(), g.end());
    std::sort(groups.begin(), groups.end());
    std::vector<double> out;
    for (const std::vector<double>& g : groups)
        out.insert(out.end(), g.begin(), g.end());
    return out;
}

float scoreOfNode(double node)
{
    return static_cast<float>(-kScoreLimit + 2.0 * kScoreLimit * node / (kScoreNodes - 1));
}

ContentHash hashOf(const StepGraph& graph, const CellKind& kind, const MeasuredCells& measured)
{
    Hasher h;
    graph.spatial.addTo(h);
    h.add(graph.groupRanks).add(graph.groupsPerCell);
    if (graph.spatialNodeShare > 0.0)
        h.add(graph.spatialNodeShare).add(graph.nodeRanks);
    for (const double f : kind.computeFactor)
        h.add(f);
    h.add(static_cast<std::uint64_t>(measured.factor.size()));
    for (const double f : measured.factor)
        h.add(f);
    return h.result();
}

} // namespace

CellKind cellKind(const StepGraph& graph, int replica, int stage)
{
    CellKind kind;
    if (graph.slow.empty())
        return kind;
    kind.linkFactor = cellLinkFactor(graph, replica, stage);
    if (!graph.fixedSpatial.empty())
        return kind; // slow ranks are part of the measured factors then
    std::vector<double> factors;
    bool slow = false;
    for (int r = 0; r < graph.cellRanks(); ++r) {
        factors.push_back(slowComputeFactor(graph, replica, stage, r));
        slow = slow || factors.back() != 1.0;
    }
    if (slow)
        kind.computeFactor = std::move(factors);
    return kind;
}

SpatialSamples spatialSamples(const StepGraph& graph, const CellKind& kind, const MeasuredCells& measured)
{
    const int ranks = graph.cellRanks();
    if (!measured.factor.empty()) {
        SpatialSamples out{{}, measured.factor, true, hashOf(graph, kind, measured)};
        out.weight.assign(measured.factor.size() / static_cast<std::size_t>(ranks), 1.0);
        return out;
    }
    const auto factorOf = [&](int r) { return kind.computeFactor.empty() ? 1.0 : kind.computeFactor[static_cast<std::size_t>(r)]; };
    SpatialSamples out;
    out.hash = hashOf(graph, kind, measured);
    if (graph.spatial.cv <= 0.0 || graph.spatial.family == Family::deterministic) {
        out.weight = {1.0};
        for (int r = 0; r < ranks; ++r)
            out.factor.push_back(factorOf(r));
        return out;
    }
    const SpatialFactors shared(graph);
    const QuantileFunction base(graph.spatial);
    // A rare event of the spatial factor takes the top of the probability scale.
    const auto quantile = [&](double lower, double upper) {
        const double p = graph.spatial.rareProbability;
        if (p <= 0.0)
            return base.fromTails(lower, upper);
        if (upper < p)
            return graph.spatial.rareMultiplier * base.fromTails(1.0 - upper / p, upper / p);
        return base.fromTails(lower / (1.0 - p), 1.0 - lower / (1.0 - p));
    };
    // Octaves of the tail probability of the slowest rank's rank statistic, both tails.
    std::vector<std::array<double, 2>> strata; // upper tail probability, weight
    for (int side = 0; side < 2; ++side)
        for (int k = 1; k <= 24; ++k) {
            const int count = side == 0 ? (k <= 4 ? 20 : 5) : (k <= 4 ? 14 : (k <= 10 ? 3 : 1));
            const double low = std::ldexp(1.0, -(k + 1)), width = low / count;
            for (int j = 0; j < count; ++j) {
                const double tail = low + (j + 0.5) * width;
                strata.push_back({side == 0 ? tail : 1.0 - tail, width});
            }
        }
    const double total = std::accumulate(strata.begin(), strata.end(), 0.0, [](double s, const auto& x) { return s + x[1]; });
    for (std::size_t i = 0; i < strata.size(); ++i) {
        // P(max <= x) = u^n: the slowest of n has 1 - u = 1 - (1 - tail)^(1/n); the others lie uniformly below it.
        const double tailOfMax = -std::expm1(std::log1p(-strata[i][0]) / ranks);
        const auto slowest = static_cast<int>(uniform(0x51, stream(1), i) * ranks);
        out.weight.push_back(strata[i][1] / total);
        if (shared.sharesNodes()) {
            const auto draw = [i](int k) { return uniform(0x51, stream(3, static_cast<std::uint64_t>(k)), i); };
            const std::vector<double> scores = shared.cellGivenLargest(shared.largestAt(strata[i][0]), draw);
            for (int r = 0; r < ranks; ++r)
                out.factor.push_back(factorOf(r) * shared.atScore(scores[static_cast<std::size_t>(r)]));
            continue;
        }
        for (int r = 0; r < ranks; ++r) {
            double tail = tailOfMax;
            if (r != slowest)
                tail = 1.0 - (1.0 - tailOfMax) * uniform(0x51, stream(2, static_cast<std::uint64_t>(r)), i);
            out.factor.push_back(factorOf(r) * quantile(1.0 - tail, tail));
        }
    }
    return out;
}

MeasuredCells measuredCells(const StepGraph& graph)
{
    MeasuredCells out;
    if (graph.fixedSpatial.empty())
        return out;
    struct Distinct {
        double slowness = 0.0;
        float score = 0.0F;
    };
    std::map<std::vector<double>, Distinct> known;
    std::vector<const Distinct*> cells;
    for (int d = 0; d < graph.numReplicas; ++d)
        for (int s = 0; s < graph.schedule.numStages; ++s)
            cells.push_back(&known.try_emplace(cellFactors(graph, d, s)).first->second);
    std::vector<std::pair<const std::vector<double>, Distinct>*> order;
    for (auto& cell : known) {
        cell.second.slowness = slowness(cell.first);
        order.push_back(&cell);
    }
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->second.slowness < b->second.slowness; });
    const auto at = [&](std::size_t i) { return order[i]->second.slowness; };
    std::vector<std::size_t> node(order.size());
    std::iota(node.begin(), node.end(), std::size_t{0});
    if (order.size() > kScoreNodes) {
        node.resize(kScoreNodes);
        for (std::size_t j = 0, i = 0; j < kScoreNodes; ++j) {
            const double wanted = at(0) + (at(order.size() - 1) - at(0)) * static_cast<double>(j) / (kScoreNodes - 1);
            while (i + 1 < order.size() && std::abs(at(i + 1) - wanted) <= std::abs(at(i) - wanted))
                ++i;
            node[j] = i;
        }
    }
    for (const std::size_t i : node)
        out.factor.insert(out.factor.end(), order[i]->first.begin(), order[i]->first.end());
    for (std::size_t i = 0, j = 0; i < order.size(); ++i) {
        while (j + 1 < node.size() && node[j + 1] <= i)
            ++j;
        const double width = j + 1 < node.size() ? at(node[j + 1]) - at(node[j]) : 0.0;
        order[i]->second.score = scoreOfNode(static_cast<double>(j) + (width > 0.0 ? (at(i) - at(node[j])) / width : 0.0));
    }
    for (const Distinct* cell : cells)
        out.score.push_back(cell->score);
    return out;
}

} // namespace prism
