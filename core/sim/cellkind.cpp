#include "core/sim/cellkind.h"

#include "core/sim/sweep.h"
#include "core/stats/quantile.h"
#include "core/stats/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

/// The slowest rank at each score node, the others below it as they are measured.
SpatialSamples fixedSamples(const StepGraph& graph, const FixedRange& fixed)
{
    SpatialSamples out;
    const int ranks = graph.cellRanks();
    for (int j = 0; j < kScoreNodes; ++j) {
        const double slowest = fixed.low + (fixed.high - fixed.low) * j / (kScoreNodes - 1);
        const auto below = static_cast<double>(std::upper_bound(fixed.sorted.begin(), fixed.sorted.end(), slowest) - fixed.sorted.begin());
        out.weight.push_back(1.0);
        out.factor.push_back(slowest);
        for (int r = 1; r < ranks; ++r) {
            const auto at = static_cast<std::size_t>(std::max(0.0, (r - 0.5) / (ranks - 1) * below - 0.5));
            out.factor.push_back(std::min(slowest, fixed.sorted[std::min(at, fixed.sorted.size() - 1)]));
        }
    }
    return out;
}

ContentHash hashOf(const StepGraph& graph, const CellKind& kind, const FixedRange& fixed)
{
    Hasher h;
    graph.spatial.addTo(h);
    h.add(graph.groupRanks).add(graph.groupsPerCell);
    for (const double f : kind.computeFactor)
        h.add(f);
    h.add(static_cast<std::uint64_t>(fixed.sorted.size()));
    for (const double f : fixed.sorted)
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

SpatialSamples spatialSamples(const StepGraph& graph, const CellKind& kind, const FixedRange& fixed)
{
    if (!fixed.sorted.empty()) {
        SpatialSamples measured = fixedSamples(graph, fixed);
        measured.ordered = true;
        measured.hash = hashOf(graph, kind, fixed);
        return measured;
    }
    const int ranks = graph.cellRanks();
    const auto factorOf = [&](int r) {
        return kind.computeFactor.empty() ? 1.0 : kind.computeFactor[static_cast<std::size_t>(r)];
    };
    SpatialSamples out;
    out.hash = hashOf(graph, kind, fixed);
    if (graph.spatial.cv <= 0.0 || graph.spatial.family == Family::deterministic) {
        out.weight = {1.0};
        for (int r = 0; r < ranks; ++r)
            out.factor.push_back(factorOf(r));
        return out;
    }
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
        for (int r = 0; r < ranks; ++r) {
            double tail = tailOfMax;
            if (r != slowest)
                tail = 1.0 - (1.0 - tailOfMax) * uniform(0x51, stream(2, static_cast<std::uint64_t>(r)), i);
            out.factor.push_back(factorOf(r) * quantile(1.0 - tail, tail));
        }
    }
    return out;
}

float FixedRange::score(double slowest) const
{
    if (!(high > low))
        return 0.0F;
    return static_cast<float>(-kScoreLimit + 2.0 * kScoreLimit * std::clamp((slowest - low) / (high - low), 0.0, 1.0));
}

FixedRange fixedRange(const StepGraph& graph)
{
    FixedRange out;
    if (graph.fixedSpatial.empty())
        return out;
    out.sorted = graph.fixedSpatial;
    if (!graph.slow.empty()) {
        std::size_t i = 0;
        for (int d = 0; d < graph.numReplicas; ++d)
            for (int s = 0; s < graph.schedule.numStages; ++s)
                for (int r = 0; r < graph.cellRanks(); ++r)
                    out.sorted[i++] *= slowComputeFactor(graph, d, s, r);
    }
    std::sort(out.sorted.begin(), out.sorted.end());
    out.low = out.sorted.front();
    out.high = std::max(out.sorted.back(), out.low * (1.0 + 1e-9));
    return out;
}

} // namespace prism
