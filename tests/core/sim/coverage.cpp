// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/coverage.h"

#include "core/base/memo.h"
#include "core/engine/summary.h"
#include "core/insight/empirical.h"
#include "core/sim/graphs.h"
#include "core/sim/knownanswer.h"
#include "core/stats/moments.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace prism::test {

StepGraph smallJob(int replicas, bool rare)
{
    JobShape s;
    s.microbatches = 4;
    s.replicas = replicas;
    s.layers = 2;
    s.gradSyncSeconds = 0.1;
    s.compute = {Family::gamma, 0.15};
    s.inter = {Family::lognormal, 0.1};
    // 32 kernels in a replica: events in about a quarter of the steps.
    if (rare) {
        s.compute.rareProbability = 0.3 / (32.0 * replicas);
        s.compute.rareMultiplier = 20.0;
    }
    StepGraph g = jobGraph(s);
    g.spatial = {Family::normal, 0.02};
    g.interRegime = {Family::lognormal, 0.1};
    g.regimeLag1 = 0.35;
    return g;
}

namespace {

constexpr int kSteps = 1000;
using Metrics = std::array<Estimate, kCoveredMetrics.size()>;

Metrics metrics(const DistributionSummary& s, const RunMetrics& run, double limit)
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

CoverageCell counted(std::string name, const std::vector<Metrics>& runs, const std::array<double, kCoveredMetrics.size()>& truth)
{
    CoverageCell cell{std::move(name), static_cast<int>(runs.size()), {}, {}};
    for (std::size_t f = 0; f < truth.size(); ++f) {
        std::vector<double> values;
        double width = 0.0;
        for (const Metrics& run : runs) {
            cell.covered[f] += std::abs(run[f].value - truth[f]) <= run[f].halfWidth ? 1 : 0;
            values.push_back(run[f].value);
            width += run[f].halfWidth / static_cast<double>(runs.size());
        }
        cell.width[f] = width / (1.96 * std::sqrt(varianceOf(values)));
    }
    return cell;
}

/// The median of a statistic over the runs.
double typical(const std::vector<Metrics>& runs, std::size_t metric)
{
    std::vector<double> values;
    for (const Metrics& run : runs)
        values.push_back(run[metric].value);
    return medianOf(std::move(values));
}

} // namespace

std::vector<CoverageCell> coverage(int replicas, bool rare, int seeds)
{
    const StepGraph graph = smallJob(replicas, rare);
    const std::string name = std::to_string(replicas) + (rare ? " replicas, rare" : " replicas");
    Memo memo(std::size_t{24} << 20);
    const KnownAnswer known(graph);
    const double limitAcross = known.quantile(0.95);
    // The x of P(> x) within a job: the p95 of one of them.
    const double limitWithin = quantileOfSorted(ascending(sampled(graph, 1, 0, 4 * kSteps, memo).withinSeconds), 0.95);
    std::vector<Metrics> across, within;
    // Jobs share no seed: where the draws of some happen to vary much, only one cell shows it.
    const std::uint64_t first = 100'000 * static_cast<std::uint64_t>(replicas) + (rare ? 50'000 : 0);
    for (int i = 0; i < seeds; ++i) {
        const StepSamples s = sampled(graph, first + static_cast<std::uint64_t>(i), kSteps, kSteps, memo);
        const std::vector<double> sortedAcross = ascending(s.acrossSeconds), sortedWithin = ascending(s.withinSeconds);
        across.push_back(metrics(summarize(s.acrossSeconds, &s), RunMetrics::across(s, sortedAcross), limitAcross));
        within.push_back(metrics(summarizeWithin(s), RunMetrics::within(s, sortedWithin), limitWithin));
    }
    std::array<double, kCoveredMetrics.size()> middle{};
    for (std::size_t f = 0; f < middle.size(); ++f)
        middle[f] = typical(within, f);
    return {counted(name + ", across", across, {known.quantile(0.5), limitAcross, known.quantile(0.99), known.mean(), 0.05}),
            counted(name + ", within", within, middle)};
}

std::string coverageTable(const std::vector<CoverageCell>& cells)
{
    char line[160];
    std::snprintf(line, sizeof line, "%-28s %7s %7s %7s %7s %7s\n", "covered, %", kCoveredMetrics[0], kCoveredMetrics[1],
                  kCoveredMetrics[2], kCoveredMetrics[3], kCoveredMetrics[4]);
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
