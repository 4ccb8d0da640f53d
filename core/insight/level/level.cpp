// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/level/level.h"

#include "core/base/valuetext.h"
#include "core/insight/empirical.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

using Summary = DistributionSummary;

constexpr double Summary::*kLevelMetrics[] = {&Summary::mean, &Summary::std, &Summary::cv,  &Summary::p5,  &Summary::p10, &Summary::p25,
                                              &Summary::p50,  &Summary::p75, &Summary::p90, &Summary::p95, &Summary::p99};

/// 1 where one of them is not positive and finite.
double ratio(double known, double base)
{
    return known > 0 && base > 0 && std::isfinite(known) && std::isfinite(base) ? known / base : 1;
}

/// A summary of a changed scenario; its intervals stay.
Summary onLevelOf(const Summary& known, const Summary& base, Summary changed)
{
    for (double Summary::*const metric : kLevelMetrics)
        changed.*metric *= ratio(known.*metric, base.*metric);
    return changed;
}

} // namespace

SensitivityTable onLevelOf(const Snapshot& known, SensitivityTable table)
{
    table.base = known.across;
    if (table.limitSeconds > 0 && known.samples)
        table.exceedance = RunMetrics::across(*known.samples, known.sortedAcrossSeconds).exceedance(table.limitSeconds);
    return table;
}

PlacementMap onLevelOf(const Snapshot& known, PlacementMap map)
{
    const double p50 = ratio(known.across.p50, map.base.p50), p95 = ratio(known.across.p95, map.base.p95),
                 p99 = ratio(known.across.p99, map.base.p99);
    for (PlacementCell& cell : map.cells) {
        cell.p50Seconds *= p50;
        cell.p95Seconds *= p95;
        cell.p99Seconds *= p99;
    }
    map.base = known.across;
    return map;
}

PlacementResult onLevelOf(const Snapshot& known, PlacementResult result)
{
    const Summary given = result.given;
    result.given = known.across;
    result.best = onLevelOf(known.across, given, result.best);
    result.worst = onLevelOf(known.across, given, result.worst);
    for (ExchangeGain& exchange : result.exchanges)
        exchange.p95Seconds *= ratio(known.across.p95, given.p95);
    return result;
}

ScaleCurve onLevelOf(const Snapshot& known, ScaleCurve curve)
{
    const auto own = std::find_if(curve.points.begin(), curve.points.end(),
                                  [&](const ScalePoint& p) { return p.valid && p.gpus == known.scenario.cluster.numGpus; });
    if (own == curve.points.end())
        return curve;
    const ScalePoint here = *own;
    const double tokens = ratio(known.tokensPerSecond, here.tokensPerSecond);
    for (ScalePoint& p : curve.points) {
        if (!p.valid)
            continue;
        p.step = onLevelOf(known.across, here.step, p.step);
        p.tokensPerSecond *= tokens;
        p.tflopsPerGpu *= tokens;
        p.mfu = {p.mfu.value * tokens, p.mfu.halfWidth * tokens};
        p.costPerBillionTokensUsd /= tokens;
        p.costUsd /= tokens;
        p.daysToTrain /= tokens;
    }
    own->step = known.across;
    own->mfu = {known.mfu, known.across.p50 > 0 ? known.mfu * known.across.ciP50 / known.across.p50 : 0};
    return curve;
}

Comparison onLevelOf(const Snapshot& a, const Snapshot& b, Comparison comparison)
{
    const std::pair<const char*, double Summary::*> known[] = {
        {"mean", &Summary::mean}, {"std", &Summary::std}, {"p50", &Summary::p50}, {"p95", &Summary::p95}, {"p99", &Summary::p99}};
    double moved = 0; // by which the change of p95 becomes another
    for (ComparedMetric& f : comparison.metrics)
        for (const auto& [name, metric] : known)
            if (f.name == name) {
                f.a = a.across.*metric;
                f.b = b.across.*metric;
                const double delta = f.b - f.a;
                if (metric == &Summary::p95)
                    moved = delta - f.delta.value;
                f.delta.value = delta;
                f.relative = f.a > 0 ? Estimate{delta / f.a, f.delta.halfWidth / f.a} : Estimate{};
            }
    if (moved == 0 || comparison.waterfall.empty())
        return comparison;
    WaterfallItem& last = comparison.waterfall.back();
    if (last.parameter != "remainder")
        return comparison;
    last.deltaP95.value += moved;
    last.from = countText(comparison.samples);
    last.to = countText(static_cast<std::int64_t>(std::min(a.across.samples, b.across.samples)));
    last.unit = "steps";
    return comparison;
}

std::vector<double> onLevelOf(const std::vector<double>& known, const std::vector<double>& base, const std::vector<double>& changed)
{
    std::vector<double> level = changed;
    if (known.empty() || base.empty())
        return level;
    const auto n = static_cast<double>(changed.size());
    for (std::size_t i = 0; i < level.size(); ++i) {
        const double p = (static_cast<double>(i) + 0.5) / n;
        level[i] *= ratio(quantileOfSorted(known, p), quantileOfSorted(base, p));
    }
    std::sort(level.begin(), level.end()); // neighbours may have passed one another
    return level;
}

} // namespace prism
