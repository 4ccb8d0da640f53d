// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/paired.h"

#include "core/insight/empirical.h"
#include "core/stats/moments.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

constexpr double kNormal95 = 1.959963984540054; // 97.5 % point of the standard normal

/// Half-width of the 95 % interval of a mean of independent values.
template <class Value>
double halfWidthOfMean(std::size_t n, const Value& value)
{
    if (n < 2)
        return 0;
    double sum = 0, squares = 0;
    const double shift = value(0);
    for (std::size_t i = 0; i < n; ++i) {
        const double v = value(i) - shift;
        sum += v;
        squares += v * v;
    }
    const double count = static_cast<double>(n);
    const double variance = std::max(0.0, (squares - sum * sum / count) / (count - 1));
    return kNormal95 * std::sqrt(variance / count);
}

double correlation(const PairedSample& a, const PairedSample& b, std::size_t n)
{
    if (a.std <= 0 || b.std <= 0)
        return 0;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        sum += (a.seconds()[i] - a.mean) * (b.seconds()[i] - b.mean);
    return std::clamp(sum / static_cast<double>(n) / (a.std * b.std), -1.0, 1.0);
}

double sharedHalfWidth(double a, double b, double rho)
{
    return kNormal95 * std::sqrt(std::max(0.0, a * a + b * b - 2 * rho * a * b));
}

struct QuantileView {
    double value, sparsity, p, shared;
    [[nodiscard]] double influence(double x) const { return sparsity * (p - (x <= value ? 1.0 : 0.0)); }
};

/// p = 0.5, 0.95 or 0.99.
QuantileView view(const PairedSample& s, double p)
{
    if (p == 0.5)
        return {s.p50, s.sparsityP50, p, s.samples->sharedStdErrP50};
    if (p == 0.95)
        return {s.p95, s.sparsityP95, p, s.samples->sharedStdErrP95};
    return {s.p99, s.sparsityP99, 0.99, s.samples->sharedStdErrP99};
}

Estimate quantileChange(const PairedSample& base, const PairedSample& changed, double p, std::size_t n, double rho)
{
    const QuantileView a = view(base, p), b = view(changed, p);
    const double own =
        halfWidthOfMean(n, [&](std::size_t i) { return b.influence(changed.seconds()[i]) - a.influence(base.seconds()[i]); });
    return {b.value - a.value, std::hypot(own, sharedHalfWidth(a.shared, b.shared, rho))};
}

Estimate exceedanceChange(const PairedSample& base, const PairedSample& changed, double limit, std::size_t n, double rho)
{
    const double a = sharedExceedanceStdErr(*base.samples, base.sorted, limit),
                 b = sharedExceedanceStdErr(*changed.samples, changed.sorted, limit);
    const double own = halfWidthOfMean(
        n, [&](std::size_t i) { return (changed.seconds()[i] > limit ? 1.0 : 0.0) - (base.seconds()[i] > limit ? 1.0 : 0.0); });
    return {exceedance(changed.sorted, limit).value - exceedance(base.sorted, limit).value, std::hypot(own, sharedHalfWidth(a, b, rho))};
}

} // namespace

PairedSample::PairedSample(std::shared_ptr<const StepSamples> given) : samples(std::move(given))
{
    sorted = samples->acrossSeconds;
    if (sorted.empty())
        return;
    std::sort(sorted.begin(), sorted.end());
    mean = meanOf(sorted);
    for (const double x : sorted)
        variance += (x - mean) * (x - mean);
    variance /= static_cast<double>(std::max<std::size_t>(sorted.size() - 1, 1));
    std = std::sqrt(variance);
    p50 = quantileOfSorted(sorted, 0.5);
    p95 = quantileOfSorted(sorted, 0.95);
    p99 = quantileOfSorted(sorted, 0.99);
    sparsityP50 = sparsity(sorted, 0.5);
    sparsityP95 = sparsity(sorted, 0.95);
    sparsityP99 = sparsity(sorted, 0.99);
}

FigureChange pairedChange(const PairedSample& base, const PairedSample& changed, double limitSeconds)
{
    const std::size_t n = std::min(base.seconds().size(), changed.seconds().size());
    const double rho = correlation(base, changed, n);
    FigureChange change;
    change.mean = {changed.mean - base.mean,
                   std::hypot(halfWidthOfMean(n, [&](std::size_t i) { return changed.seconds()[i] - base.seconds()[i]; }),
                              sharedHalfWidth(base.samples->sharedStdErrMean, changed.samples->sharedStdErrMean, rho))};
    const auto stdInfluence = [](const PairedSample& s, double x) {
        return s.std > 0 ? ((x - s.mean) * (x - s.mean) - s.variance) / (2 * s.std) : 0.0;
    };
    change.std = {changed.std - base.std, halfWidthOfMean(n, [&](std::size_t i) {
                      return stdInfluence(changed, changed.seconds()[i]) - stdInfluence(base, base.seconds()[i]);
                  })};
    change.p50 = quantileChange(base, changed, 0.5, n, rho);
    change.p95 = quantileChange(base, changed, 0.95, n, rho);
    change.p99 = quantileChange(base, changed, 0.99, n, rho);
    change.exceedance = exceedanceChange(base, changed, limitSeconds > 0 ? limitSeconds : base.p95, n, rho);
    return change;
}

Estimate exceedance(const PairedSample& sample, double limitSeconds)
{
    const Estimate own = exceedance(sample.sorted, limitSeconds);
    return {own.value, std::hypot(own.halfWidth, kNormal95 * sharedExceedanceStdErr(*sample.samples, sample.sorted, limitSeconds))};
}

Estimate elasticity(const PairedSample& down, const PairedSample& up, double downFactor, double upFactor, double p)
{
    const QuantileView a = view(down, p), b = view(up, p);
    if (a.value <= 0 || b.value <= 0)
        return {};
    const std::size_t n = std::min(down.seconds().size(), up.seconds().size());
    const double width = std::log(upFactor / downFactor);
    const double own = halfWidthOfMean(
        n, [&](std::size_t i) { return b.influence(up.seconds()[i]) / b.value - a.influence(down.seconds()[i]) / a.value; });
    const double shared = sharedHalfWidth(a.shared / a.value, b.shared / b.value, correlation(down, up, n));
    return {std::log(b.value / a.value) / width, std::hypot(own, shared) / std::abs(width)};
}

Estimate varianceRatio(const PairedSample& part, const PairedSample& whole)
{
    if (whole.variance <= 0)
        return {};
    const std::size_t n = std::min(part.seconds().size(), whole.seconds().size());
    const double ratio = part.variance / whole.variance;
    const double half = halfWidthOfMean(n, [&](std::size_t i) {
        const double a = part.seconds()[i] - part.mean, b = whole.seconds()[i] - whole.mean;
        return (a * a - ratio * b * b) / whole.variance;
    });
    return {ratio, half};
}

Estimate quantileRatio(const PairedSample& numerator, const PairedSample& denominator, double p)
{
    const QuantileView a = view(numerator, p), b = view(denominator, p);
    if (b.value <= 0)
        return {};
    const std::size_t n = std::min(numerator.seconds().size(), denominator.seconds().size());
    const double ratio = a.value / b.value;
    const double own = halfWidthOfMean(
        n, [&](std::size_t i) { return (a.influence(numerator.seconds()[i]) - ratio * b.influence(denominator.seconds()[i])) / b.value; });
    const double shared = sharedHalfWidth(a.shared / b.value, ratio * b.shared / b.value, correlation(numerator, denominator, n));
    return {ratio, std::hypot(own, shared)};
}

Estimate relativeGainP95(const PairedSample& better, const PairedSample& worse)
{
    const Estimate ratio = quantileRatio(better, worse, 0.95);
    return {1 - ratio.value, ratio.halfWidth};
}

} // namespace prism
