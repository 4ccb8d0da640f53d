// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/coverage.h"

#include "core/base/memo.h"
#include "core/engine/summary.h"
#include "core/insight/empirical.h"
#include "core/sim/graphs.h"
#include "core/sim/step/seriesends.h"
#include "core/stats/moments.h"
#include "core/stats/quantile.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace prism::test {

namespace {

constexpr int kSteps = 1000;
constexpr double kSyncSeconds = 0.1, kSyncCv = 0.1;
using Figures = std::array<Estimate, kCoveredFigures.size()>;

StepGraph smallJob(int replicas, bool rare)
{
    JobShape s;
    s.microbatches = 4;
    s.replicas = replicas;
    s.groupRanks = 2;
    s.layers = 2;
    s.collectiveSeconds = 0.02;
    s.gradSyncSeconds = kSyncSeconds;
    s.compute = {Family::gamma, 0.15};
    s.intra = s.inter = {Family::lognormal, kSyncCv};
    // 64 kernels in a replica: events in about a quarter of the steps.
    if (rare) {
        s.compute.rareProbability = 0.3 / (64.0 * replicas);
        s.compute.rareMultiplier = 20.0;
    }
    StepGraph g = jobGraph(s);
    g.spatial = {Family::normal, 0.02};
    g.interRegime = {Family::lognormal, kSyncCv};
    g.regimeLag1 = 0.35;
    return g;
}

Figures figures(const DistributionSummary& s, const RunFigures& run, double limit)
{
    return {Estimate{s.p50, s.ciP50}, {s.p95, s.ciP95}, {s.p99, s.ciP99}, {s.mean, s.ciMean}, run.exceedance(limit)};
}

StepSamples sampled(const StepGraph& graph, std::uint64_t seed, int across, int within, Memo& memo)
{
    SimOptions options;
    options.seed = seed;
    options.numSamples = across;
    options.numWithinSamples = within;
    options.memo = &memo;
    return simulate(graph, options);
}

std::vector<double> ascending(std::vector<double> x)
{
    std::sort(x.begin(), x.end());
    return x;
}

CoverageCell counted(std::string name, const std::vector<Figures>& runs, const std::array<double, kCoveredFigures.size()>& truth)
{
    CoverageCell cell{std::move(name), static_cast<int>(runs.size()), {}, {}};
    for (std::size_t f = 0; f < truth.size(); ++f) {
        std::vector<double> values;
        double width = 0.0;
        for (const Figures& run : runs) {
            cell.covered[f] += std::abs(run[f].value - truth[f]) <= run[f].halfWidth ? 1 : 0;
            values.push_back(run[f].value);
            width += run[f].halfWidth / static_cast<double>(runs.size());
        }
        cell.width[f] = width / (1.96 * std::sqrt(varianceOf(values)));
    }
    return cell;
}

/// The step as the slowest of independent replicas and a synchronisation, each known by a sample of its own.
class KnownAnswer final {
public:
    /// Replicas of the graph's own model, drawn one at a time.
    KnownAnswer(StepGraph graph, int millions) : m_count(graph.numReplicas)
    {
        graph.gradSync.assign(graph.gradSync.size(), {});
        Memo memo(std::size_t{4} << 20);
        Recall recall(memo);
        const auto prepared = prepare(graph, recall, {});
        ReplicaLayout one;
        one.single.push_back({0, 0, LuckSource::fresh, {}});
        for (int run = 0; run < millions; ++run) {
            const std::uint64_t seed = 1'000'003 + static_cast<std::uint64_t>(run);
            std::uint64_t nodeSamples = 0;
            const SeriesEnds ends = seriesEnds(makeSeries(*prepared, seed, seed, Run::across, 1'000'000), one, recall, {}, nodeSamples);
            m_replicas.insert(m_replicas.end(), ends.seconds.begin(), ends.seconds.end());
        }
        std::sort(m_replicas.begin(), m_replicas.end());
        // Regime times own draw: two lognormals of mean 1 are one with (1 + cv^2)^2 - 1.
        const double each = 1.0 + kSyncCv * kSyncCv;
        const QuantileFunction sync({Family::lognormal, std::sqrt(each * each - 1.0)});
        for (int k = 0; k < kSyncs; ++k)
            m_syncs.push_back(kSyncSeconds * sync((k + 0.5) / kSyncs));
    }

    /// P(step <= s) = E F(s - sync)^n.
    [[nodiscard]] double below(double seconds) const
    {
        double sum = 0.0;
        for (const double sync : m_syncs) {
            const auto above = m_replicas.end() - std::upper_bound(m_replicas.begin(), m_replicas.end(), seconds - sync);
            sum += std::pow(1.0 - static_cast<double>(above) / static_cast<double>(m_replicas.size()), m_count);
        }
        return sum / kSyncs;
    }
    [[nodiscard]] double quantile(double p) const
    {
        double low = m_replicas.front(), high = m_replicas.back() + m_syncs.back();
        for (int i = 0; i < 60; ++i) {
            const double middle = 0.5 * (low + high);
            (below(middle) < p ? low : high) = middle;
        }
        return high;
    }
    [[nodiscard]] double mean() const
    {
        double sum = kSyncSeconds, last = 0.0;
        for (std::size_t i = 0; i < m_replicas.size(); ++i) {
            const double now = std::pow(static_cast<double>(i + 1) / static_cast<double>(m_replicas.size()), m_count);
            sum += m_replicas[i] * (now - last);
            last = now;
        }
        return sum;
    }

private:
    static constexpr int kSyncs = 200;
    int m_count;
    std::vector<double> m_replicas, m_syncs; ///< ascending
};

/// The middle of a figure over the runs.
double typical(const std::vector<Figures>& runs, std::size_t figure)
{
    std::vector<double> values;
    for (const Figures& run : runs)
        values.push_back(run[figure].value);
    return medianOf(std::move(values));
}

void addCells(std::vector<CoverageCell>& cells, int replicas, bool rare, const CoverageSize& size)
{
    const StepGraph graph = smallJob(replicas, rare);
    const std::string name = std::to_string(replicas) + (rare ? " replicas, rare" : " replicas");
    Memo memo(std::size_t{24} << 20);
    const KnownAnswer known(graph, size.truthMillions);
    const double limitAcross = known.quantile(0.95);
    // Where P(> x) is asked within a job: the p95 of one of them.
    const double limitWithin = quantileOfSorted(ascending(sampled(graph, 1'000'100, 0, 4 * kSteps, memo).withinSeconds), 0.95);
    std::vector<Figures> across, within;
    for (int seed = 1; seed <= size.seeds; ++seed) {
        const StepSamples s = sampled(graph, static_cast<std::uint64_t>(seed), kSteps, kSteps, memo);
        const std::vector<double> sortedAcross = ascending(s.acrossSeconds), sortedWithin = ascending(s.withinSeconds);
        across.push_back(figures(summarize(s.acrossSeconds, &s), RunFigures::across(s, sortedAcross), limitAcross));
        within.push_back(figures(summarizeWithin(s), RunFigures::within(s, sortedWithin), limitWithin));
    }
    cells.push_back(counted(name + ", across", across, {known.quantile(0.5), limitAcross, known.quantile(0.99), known.mean(), 0.05}));
    std::array<double, kCoveredFigures.size()> middle{};
    for (std::size_t f = 0; f < middle.size(); ++f)
        middle[f] = typical(within, f);
    cells.push_back(counted(name + ", within", within, middle));
}

} // namespace

std::vector<CoverageCell> coverage(const std::vector<int>& replicas, const CoverageSize& size)
{
    std::vector<CoverageCell> cells;
    for (const int count : replicas)
        for (const bool rare : {false, true})
            addCells(cells, count, rare, size);
    return cells;
}

std::string coverageTable(const std::vector<CoverageCell>& cells)
{
    char line[160];
    std::snprintf(line, sizeof line, "%-28s %7s %7s %7s %7s %7s\n", "covered, %", kCoveredFigures[0], kCoveredFigures[1],
                  kCoveredFigures[2], kCoveredFigures[3], kCoveredFigures[4]);
    std::string text = line;
    for (const CoverageCell& c : cells) {
        std::snprintf(line, sizeof line, "%-28s %7.1f %7.1f %7.1f %7.1f %7.1f\n", c.name.c_str(), 100 * c.share(0), 100 * c.share(1),
                      100 * c.share(2), 100 * c.share(3), 100 * c.share(4));
        text += line;
        std::snprintf(line, sizeof line, "%-28s %7.2f %7.2f %7.2f %7.2f %7.2f\n", "  width over deviation", c.width[0], c.width[1],
                      c.width[2], c.width[3], c.width[4]);
        text += line;
    }
    return text;
}

} // namespace prism::test
