// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/coverage.h"

#include "core/base/memo.h"
#include "core/engine/summary.h"
#include "core/insight/empirical.h"
#include "core/sim/graphs.h"
#include "core/stats/moments.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace prism::test {

namespace {

/// Long runs whose mean is the truth: of a single one the error would be half of what an interval at many replicas says, because the
/// common sample grows less than the steps.
constexpr int kSteps = 1000, kTimesLonger = 100, kLongRuns = 16;
using Figures = std::array<Estimate, kCoveredFigures.size()>;

StepGraph smallJob(int replicas, bool rare)
{
    JobShape s;
    s.microbatches = 4;
    s.replicas = replicas;
    s.groupRanks = 2;
    s.layers = 2;
    s.collectiveSeconds = 0.02;
    s.gradSyncSeconds = 0.1;
    s.compute = {Family::gamma, 0.15};
    s.intra = s.inter = {Family::lognormal, 0.1};
    // 64 kernels in a replica: events in about a quarter of the steps.
    if (rare) {
        s.compute.rareProbability = 0.3 / (64.0 * replicas);
        s.compute.rareMultiplier = 20.0;
    }
    StepGraph g = jobGraph(s);
    g.spatial = {Family::normal, 0.02};
    g.interRegime = {Family::lognormal, 0.1};
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

/// Figures across jobs, known ten times better than a run of kSteps knows them.
DistributionSummary longRuns(const StepGraph& graph)
{
    DistributionSummary out;
    for (std::uint64_t run = 0; run < kLongRuns; ++run) {
        Memo memo(0);
        const DistributionSummary s = summarize(sampled(graph, 1'000'003 + run, kTimesLonger * kSteps, -1, memo).acrossSeconds);
        out.p50 += s.p50 / kLongRuns;
        out.p95 += s.p95 / kLongRuns;
        out.p99 += s.p99 / kLongRuns;
        out.mean += s.mean / kLongRuns;
    }
    return out;
}

void addCells(std::vector<CoverageCell>& cells, int replicas, bool rare, int seeds)
{
    const StepGraph graph = smallJob(replicas, rare);
    const std::string name = std::to_string(replicas) + (rare ? " replicas, rare" : " replicas");
    Memo memo(std::size_t{24} << 20);
    const DistributionSummary truth = longRuns(graph);
    const double limitAcross = truth.p95;
    // Where P(> x) is asked within a job: the p95 of one of them.
    const double limitWithin = quantileOfSorted(ascending(sampled(graph, 1'000'100, 0, 4 * kSteps, memo).withinSeconds), 0.95);
    std::vector<Figures> across, within;
    std::array<double, kCoveredFigures.size()> typical{};
    for (int seed = 1; seed <= seeds; ++seed) {
        const StepSamples s = sampled(graph, static_cast<std::uint64_t>(seed), kSteps, kSteps, memo);
        const std::vector<double> sortedAcross = ascending(s.acrossSeconds), sortedWithin = ascending(s.withinSeconds);
        across.push_back(figures(summarize(s.acrossSeconds, &s), RunFigures::across(s, sortedAcross), limitAcross));
        within.push_back(figures(summarizeWithin(s), RunFigures::within(s, sortedWithin), limitWithin));
        for (std::size_t f = 0; f < typical.size(); ++f)
            typical[f] += within.back()[f].value / seeds;
    }
    cells.push_back(counted(name + ", across", across, {truth.p50, truth.p95, truth.p99, truth.mean, 0.05}));
    cells.push_back(counted(name + ", within", within, typical));
}

} // namespace

std::vector<CoverageCell> coverage(const std::vector<int>& replicas, int seeds)
{
    std::vector<CoverageCell> cells;
    for (const int count : replicas)
        for (const bool rare : {false, true})
            addCells(cells, count, rare, seeds);
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
