// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/cellkind.h"

#include "core/step/slowspots.h"
#include "core/sim/draw/nodeshare.h"
#include "core/stats/quantile.h"
#include "core/stats/random.h"
#include "core/stats/normal.h"

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

/// Every cell counts where there are few: then more samples keep their lumps below what 10,000 steps show.
int samplesPerStratum(const StepGraph& graph)
{
    const int cells = graph.numReplicas * graph.schedule.numStages;
    return cells <= 4 ? 8 : (cells <= 32 ? 3 : 1);
}

ContentHash hashOf(const StepGraph& graph, const CellKind& kind, const MeasuredCells& measured)
{
    Hasher h;
    graph.spatial.addTo(h);
    h.add(graph.groupRanks).add(graph.groupsPerCell).add(samplesPerStratum(graph));
    if (graph.spatialNodeShare > 0.0)
        h.add(graph.spatialNodeShare).add(graph.nodeRanks);
    for (const double f : kind.computeFactor)
        h.add(f);
    h.add(static_cast<std::uint64_t>(measured.factor.size()));
    for (const double f : measured.factor)
        h.add(f);
    return h.result();
}

/// Probability that a rank of a cell has the spatial factor's rare event.
double hitProbability(const StepGraph& graph)
{
    if (const SpatialFactors shared(graph); shared.sharesNodes() && graph.spatial.rareProbability > 0.0) {
        const double score = normalQuantile(1.0 - graph.spatial.rareProbability);
        return shared.someAbove(std::vector<double>(static_cast<std::size_t>(graph.cellRanks()), score));
    }
    return -std::expm1(graph.cellRanks() * std::log1p(-graph.spatial.rareProbability));
}

/// Draws the spatial factors of cells whose slowest rank lies in given strata.
class SpatialSampler final {
public:
    SpatialSampler(const StepGraph& graph, const CellKind& kind) : m_graph(graph), m_kind(kind), m_base(graph.spatial), m_shared(graph)
    {
        // Octaves of the tail probability of the slowest rank's rank statistic, both tails.
        double total = 0.0;
        for (int side = 0; side < 2; ++side)
            for (int k = 1; k <= 24; ++k) {
                const int count = (side == 0 ? (k <= 4 ? 20 : 5) : (k <= 4 ? 14 : (k <= 10 ? 3 : 1))) * samplesPerStratum(graph);
                const double low = std::ldexp(1.0, -(k + 1)), width = low / count;
                for (int j = 0; j < count; ++j) {
                    const double tail = low + (j + 0.5) * width;
                    m_strata.push_back({side == 0 ? tail : 1.0 - tail, width});
                    total += width;
                }
            }
        for (auto& stratum : m_strata)
            stratum[1] /= total;
    }

    void fill(SpatialSamples& out) const
    {
        const double p = m_graph.spatial.rareMultiplier == 1.0 ? 0.0 : m_graph.spatial.rareProbability;
        const double hit = p > 0.0 ? hitProbability(m_graph) : 0.0;
        if (m_shared.sharesNodes())
            return fillShared(hit, out);
        for (std::size_t i = 0; i < m_strata.size(); ++i)
            add(i, 1.0 - hit, 0, out);
        if (hit <= 0.0)
            return;
        out.firstHit = out.weight.size();
        const auto ranks = static_cast<double>(m_graph.cellRanks());
        for (std::size_t i = 0; i < m_strata.size(); ++i) {
            // How many ranks are hit, given that one is: binomial.
            const double u = fraction(0.5 + kEven[3] * static_cast<double>(i)) * hit;
            double chance = std::exp(ranks * std::log1p(-p)), sum = 0.0;
            int hits = 0;
            for (; hits < m_graph.cellRanks() && (hits == 0 || sum <= u); ++hits) {
                chance *= (ranks - hits) / (hits + 1.0) * p / (1.0 - p);
                sum += chance;
            }
            add(i, hit, hits, out);
        }
    }

private:
    /// The same where ranks of a node share a part: the rare event is the top of the scale, so that cells with one are those whose
    /// largest score lies above a bound.
    void fillShared(double hit, SpatialSamples& out) const
    {
        for (std::size_t i = 0; i < m_strata.size(); ++i)
            addShared(i, 1.0 - hit, hit + (1.0 - hit) * m_strata[i][0], out);
        if (hit <= 0.0)
            return;
        out.firstHit = out.weight.size();
        for (std::size_t i = 0; i < m_strata.size(); ++i)
            addShared(i, hit, hit * m_strata[i][0], out);
    }
    void addShared(std::size_t i, double share, double tail, SpatialSamples& out) const
    {
        const auto draw = [i](int k) { return uniform(0x51, stream(3, static_cast<std::uint64_t>(k)), i); };
        const std::vector<double> scores = m_shared.cellGivenLargest(m_shared.largestAt(tail), draw);
        out.weight.push_back(share * m_strata[i][1]);
        for (std::size_t r = 0; r < scores.size(); ++r)
            out.factor.push_back(m_shared.atScore(scores[r]) * (m_kind.computeFactor.empty() ? 1.0 : m_kind.computeFactor[r]));
    }

    static constexpr double kEven[4] = {0.8566748838545029, 0.7338918566271260, 0.6287067210378087, 0.5385972572236101};
    static double fraction(double x) { return x - std::floor(x); }

    /// A cell in stratum i of its slowest rank: of those with the rare event, where there are any, else of all. The next slowest ones
    /// fill their range evenly from stratum to stratum (the generalised golden ratio in four dimensions, Roberts 2018, "The unreasonable
    /// effectiveness of quasirandom sequences"), so that neighbouring strata do not stand for lumps.
    void add(std::size_t i, double share, int hits, SpatialSamples& out) const
    {
        const int ranks = m_graph.cellRanks(), top = hits > 0 ? hits : ranks;
        std::vector<double> factor;
        // P(max <= x) = u^n: the slowest of n has 1 - u = 1 - (1 - tail)^(1/n), and so on among those below it.
        double lower = std::exp(std::log1p(-m_strata[i][0]) / top), upper = -std::expm1(std::log1p(-m_strata[i][0]) / top);
        for (int r = 0; r < ranks; ++r) {
            if (r == hits && hits > 0)
                lower = 1.0;
            if (r > 0) {
                const double u = r <= 3 ? fraction(0.5 + kEven[r - 1] * static_cast<double>(i + 1))
                                        : uniform(0x51, stream(2, static_cast<std::uint64_t>(r)), i);
                lower *= std::pow(u, 1.0 / (r < top ? top - r : ranks - r));
                upper = 1.0 - lower;
            }
            factor.push_back((r < hits ? m_graph.spatial.rareMultiplier : 1.0) * m_base.fromTails(lower, upper));
        }
        // Which rank is which.
        for (int r = ranks - 1; r > 0; --r)
            std::swap(factor[static_cast<std::size_t>(r)],
                      factor[static_cast<std::size_t>(uniform(0x51, stream(1, static_cast<std::uint64_t>(r)), i) * (r + 1))]);
        out.weight.push_back(share * m_strata[i][1]);
        for (int r = 0; r < ranks; ++r)
            out.factor.push_back(factor[static_cast<std::size_t>(r)]
                                 * (m_kind.computeFactor.empty() ? 1.0 : m_kind.computeFactor[static_cast<std::size_t>(r)]));
    }

    const StepGraph& m_graph;
    const CellKind& m_kind;
    QuantileFunction m_base;
    SpatialFactors m_shared;
    std::vector<std::array<double, 2>> m_strata; ///< upper tail probability, weight
};

} // namespace

bool variesSpatially(const StepGraph& graph)
{
    const Distribution& d = graph.spatial;
    return graph.fixedSpatial.empty()
           && ((d.family != Family::deterministic && d.cv > 0.0) || (d.rareProbability > 0.0 && d.rareMultiplier != 1.0));
}

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
        SpatialSamples out{{}, 0, measured.factor, true, hashOf(graph, kind, measured)};
        out.weight.assign(measured.factor.size() / static_cast<std::size_t>(ranks), 1.0);
        return out;
    }
    const auto factorOf = [&](int r) { return kind.computeFactor.empty() ? 1.0 : kind.computeFactor[static_cast<std::size_t>(r)]; };
    SpatialSamples out;
    out.hash = hashOf(graph, kind, measured);
    if (!variesSpatially(graph)) {
        out.weight = {1.0};
        for (int r = 0; r < ranks; ++r)
            out.factor.push_back(factorOf(r));
        return out;
    }
    SpatialSampler(graph, kind).fill(out);
    return out;
}

ScoreScale scoreScale(const StepGraph& graph)
{
    ScoreScale out;
    if (!graph.fixedSpatial.empty() || graph.spatial.rareProbability <= 0.0 || graph.spatial.rareMultiplier == 1.0)
        return out;
    const double tail = hitProbability(graph);
    const double jump = normalQuantile(1.0 - tail);
    const double share = (jump + kScoreLimit) / (2.0 * kScoreLimit);
    if (!(share > 0.0 && share < 1.0))
        return out;
    out.jump = jump;
    out.firstHit = std::clamp(static_cast<int>(std::lround(share * kScoreNodes)), 2, kScoreNodes - 2);
    out.perBelow = (out.firstHit - 1) / (jump + kScoreLimit);
    out.perAbove = (kScoreNodes - 1 - out.firstHit) / (kScoreLimit - jump);
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
        order[i]->second.score =
            static_cast<float>(ScoreScale().scoreOf(static_cast<double>(j) + (width > 0.0 ? (at(i) - at(node[j])) / width : 0.0)));
    }
    for (const Distinct* cell : cells)
        out.score.push_back(cell->score);
    return out;
}

} // namespace prism
