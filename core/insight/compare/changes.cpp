// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/compare/changes.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

constexpr int kBatches = 25;
constexpr double kStudent24 = 2.0639; // 97.5 % quantile of Student's t with 24 degrees of freedom
constexpr double kNormal = 1.959964;

using Samples = std::vector<double>;

double quantileOf(Samples part, double probability)
{
    std::sort(part.begin(), part.end());
    return quantileOfSorted(part, probability);
}

/// Half-width of the 95 % interval of quantile(b) - quantile(a) from batches of the same draws.
double batchHalfWidth(const Samples& a, const Samples& b, double probability)
{
    const std::size_t length = a.size() / kBatches;
    if (length < 20)
        return 0;
    double sum = 0, square = 0;
    for (int i = 0; i < kBatches; ++i) {
        const auto from = static_cast<std::ptrdiff_t>(length) * i, to = from + static_cast<std::ptrdiff_t>(length);
        const double d =
            quantileOf({b.begin() + from, b.begin() + to}, probability) - quantileOf({a.begin() + from, a.begin() + to}, probability);
        sum += d;
        square += d * d;
    }
    const double variance = std::max(0.0, (square - sum * sum / kBatches) / (kBatches - 1));
    return kStudent24 * std::sqrt(variance / kBatches);
}

HeadlineChange change(double a, double b, double halfWidth = 0)
{
    HeadlineChange c;
    c.delta = {b - a, halfWidth};
    if (a != 0)
        c.relative = {(b - a) / a, std::abs(halfWidth / a)};
    return c;
}

Estimate wilson(double hits, double n)
{
    const double z2 = kNormal * kNormal, p = hits / n;
    const double half = kNormal / (1 + z2 / n) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
    return {p, half};
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
    static const Samples kNone;
    const auto draws = [within](const Snapshot& s) -> const Samples& {
        return !s.samples ? kNone : within ? s.samples->withinSeconds : s.samples->acrossSeconds;
    };
    const Samples& x = draws(baseline);
    const Samples& y = draws(scenario);
    c.paired = !x.empty() && x.size() == y.size() && baseline.seed == scenario.seed;
    const auto width = [&](double probability, double ciA, double ciB) {
        const double paired = c.paired ? batchHalfWidth(x, y, probability) : 0;
        return paired > 0 ? paired : std::hypot(ciA, ciB); // independent runs: errors add in quadrature
    };
    const double widthP50 = width(0.5, a.ciP50, b.ciP50);
    c.p50 = change(a.p50, b.p50, widthP50);
    c.p95 = change(a.p95, b.p95, width(0.95, a.ciP95, b.ciP95));
    c.p99 = change(a.p99, b.p99, width(0.99, a.ciP99, b.ciP99));
    c.mean = change(a.mean, b.mean, std::hypot(a.ciMean, b.ciMean));
    // Figures at the median step move with it: the same relative half-width.
    const double share = a.p50 > 0 ? widthP50 / a.p50 : 0;
    c.slowdownP50 = change(baseline.slowdownP50, scenario.slowdownP50, baseline.slowdownP50 * share);
    c.tokensPerSecond = change(baseline.tokensPerSecond, scenario.tokensPerSecond, baseline.tokensPerSecond * share);
    c.mfu = change(baseline.mfu, scenario.mfu, baseline.mfu * share);
    c.peakMemoryGib = change(peakMemory(baseline), peakMemory(scenario));
    c.daysToTrain = change(baseline.daysToTrain, scenario.daysToTrain, baseline.daysToTrain * share);
    c.costUsd = change(baseline.costUsd, scenario.costUsd, baseline.costUsd * share);
    if (c.paired) {
        double faster = 0, square = 0;
        const auto n = static_cast<double>(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            faster += y[i] < x[i] ? 1.0 : y[i] == x[i] ? 0.5 : 0.0;
            square += (y[i] - x[i] - c.mean.delta.value) * (y[i] - x[i] - c.mean.delta.value);
        }
        c.probabilityFaster = wilson(faster, n);
        c.mean = change(a.mean, b.mean, kNormal * std::sqrt(square / (n - 1) / n));
    }
    return c;
}

} // namespace prism
