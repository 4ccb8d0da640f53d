// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/compare/changes.h"

#include "core/insight/paired.h"

#include <cmath>

namespace prism {

namespace {

HeadlineChange change(double a, double b, double halfWidth = 0)
{
    HeadlineChange c;
    c.delta = {b - a, halfWidth};
    if (a != 0)
        c.relative = {(b - a) / a, std::abs(halfWidth / a)};
    return c;
}

/// Share of the draws in which b is the shorter one; ties count half.
Estimate probabilityShorter(const std::vector<double>& a, const std::vector<double>& b)
{
    double shorter = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        shorter += b[i] < a[i] ? 1.0 : b[i] == a[i] ? 0.5 : 0.0;
    return proportion(shorter, static_cast<double>(a.size()));
}

double peakMemory(const Snapshot& s)
{
    return s.costed ? s.costed->memory.peakGib : 0;
}

} // namespace

HeadlineChanges headlineChanges(const Snapshot& baseline, const Snapshot& scenario, bool within)
{
    HeadlineChanges c;
    const DistributionSummary& a = within ? baseline.within : baseline.across;
    const DistributionSummary& b = within ? scenario.within : scenario.across;
    const SampleSeries series = within ? SampleSeries::withinJob : SampleSeries::acrossJobs;
    // Independent runs: errors add in quadrature.
    MetricChange width{{0, std::hypot(a.ciMean, b.ciMean)}, {}, {0, std::hypot(a.ciP50, b.ciP50)}, {0, std::hypot(a.ciP95, b.ciP95)},
                       {0, std::hypot(a.ciP99, b.ciP99)},   {}};
    if (baseline.samples && scenario.samples) {
        const PairedSample x(baseline.samples, series), y(scenario.samples, series);
        c.paired = !x.sorted.empty() && x.sorted.size() == y.sorted.size() && baseline.seed == scenario.seed;
        if (c.paired) {
            width = pairedTimes(x, y);
            c.probabilityFaster = probabilityShorter(x.seconds(), y.seconds());
        }
    }
    const double widthP50 = width.p50.halfWidth;
    c.mean = change(a.mean, b.mean, width.mean.halfWidth);
    c.p50 = change(a.p50, b.p50, widthP50);
    c.p95 = change(a.p95, b.p95, width.p95.halfWidth);
    c.p99 = change(a.p99, b.p99, width.p99.halfWidth);
    // Metrics of the median step move with it: the same relative half-width.
    const double share = a.p50 > 0 ? widthP50 / a.p50 : 0;
    c.slowdownP50 = change(baseline.slowdownP50, scenario.slowdownP50, baseline.slowdownP50 * share);
    c.tokensPerSecond = change(baseline.tokensPerSecond, scenario.tokensPerSecond, baseline.tokensPerSecond * share);
    c.mfu = change(baseline.mfu, scenario.mfu, baseline.mfu * share);
    c.peakMemoryGib = change(peakMemory(baseline), peakMemory(scenario));
    c.daysToTrain = change(baseline.daysToTrain, scenario.daysToTrain, baseline.daysToTrain * share);
    c.costUsd = change(baseline.costUsd, scenario.costUsd, baseline.costUsd * share);
    return c;
}

} // namespace prism
