// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/paired.h"

#include "core/insight/empirical.h"
#include "core/stats/moments.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

/// Half-width of the 95 % interval of the mean of value(0) ... value(n - 1), of steps of the series of `sample`.
template <class Value>
double halfWidthOf(const PairedSample& sample, std::size_t n, const Value& value)
{
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i)
        values[i] = value(i);
    return sample.series == SampleSeries::withinJob ? halfWidthOfSeriesMean(values) : halfWidthOfMean(values);
}

/// A standard error that the across-job samples of one run share; steps of one job have none.
double shared(const PairedSample& sample, SharedError::Part SharedError::*part)
{
    return sample.series == SampleSeries::withinJob ? 0.0 : (sample.samples->acrossShared.*part).stdErr;
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
    return normalReach() * std::sqrt(std::max(0.0, a * a + b * b - 2 * rho * a * b));
}

struct QuantileView {
    double value, sparsity, p, shared;
    [[nodiscard]] double influence(double x) const { return sparsity * (p - (x <= value ? 1.0 : 0.0)); }
};

/// p = 0.5, 0.95 or 0.99.
QuantileView view(const PairedSample& s, double p)
{
    if (p == 0.5)
        return {s.p50, s.sparsityP50, p, shared(s, &SharedError::p50)};
    if (p == 0.95)
        return {s.p95, s.sparsityP95, p, shared(s, &SharedError::p95)};
    return {s.p99, s.sparsityP99, 0.99, shared(s, &SharedError::p99)};
}

Estimate quantileChange(const PairedSample& base, const PairedSample& changed, double p, std::size_t n, double rho)
{
    const QuantileView a = view(base, p), b = view(changed, p);
    const double own =
        halfWidthOf(base, n, [&](std::size_t i) { return b.influence(changed.seconds()[i]) - a.influence(base.seconds()[i]); });
    return {b.value - a.value, std::hypot(own, sharedHalfWidth(a.shared, b.shared, rho))};
}

double sharedExceedance(const PairedSample& sample, double limit)
{
    return sample.series == SampleSeries::withinJob ? 0.0 : sharedExceedanceStdErr(*sample.samples, sample.sorted, limit);
}

Estimate exceedanceChange(const PairedSample& base, const PairedSample& changed, double limit, std::size_t n, double rho)
{
    const double a = sharedExceedance(base, limit), b = sharedExceedance(changed, limit);
    const double own = halfWidthOf(
        base, n, [&](std::size_t i) { return (changed.seconds()[i] > limit ? 1.0 : 0.0) - (base.seconds()[i] > limit ? 1.0 : 0.0); });
    return {exceedance(changed.sorted, limit).value - exceedance(base.sorted, limit).value, std::hypot(own, sharedHalfWidth(a, b, rho))};
}

} // namespace

PairedSample::PairedSample(std::shared_ptr<const StepSamples> given, SampleSeries which) : samples(std::move(given)), series(which)
{
    sorted = seconds();
    if (sorted.empty())
        return;
    sortAscending(sorted);
    mean = meanOf(sorted);
    variance = varianceOf(sorted);
    std = std::sqrt(variance);
    p50 = quantileOfSorted(sorted, 0.5);
    p95 = quantileOfSorted(sorted, 0.95);
    p99 = quantileOfSorted(sorted, 0.99);
    sparsityP50 = sparsity(sorted, 0.5);
    sparsityP95 = sparsity(sorted, 0.95);
    sparsityP99 = sparsity(sorted, 0.99);
}

SimOptions pairedSampling(const InsightOptions& options, int samples)
{
    SimOptions sim = simOptions(options);
    sim.numSamples = samples;
    sim.numWithinSamples = -1;
    return sim;
}

MetricChange pairedTimes(const PairedSample& base, const PairedSample& changed)
{
    const std::size_t n = std::min(base.seconds().size(), changed.seconds().size());
    const double rho = correlation(base, changed, n);
    MetricChange change;
    change.mean = {changed.mean - base.mean,
                   std::hypot(halfWidthOf(base, n, [&](std::size_t i) { return changed.seconds()[i] - base.seconds()[i]; }),
                              sharedHalfWidth(shared(base, &SharedError::mean), shared(changed, &SharedError::mean), rho))};
    change.p50 = quantileChange(base, changed, 0.5, n, rho);
    change.p95 = quantileChange(base, changed, 0.95, n, rho);
    change.p99 = quantileChange(base, changed, 0.99, n, rho);
    return change;
}

MetricChange pairedChange(const PairedSample& base, const PairedSample& changed, double limitSeconds)
{
    const std::size_t n = std::min(base.seconds().size(), changed.seconds().size());
    MetricChange change = pairedTimes(base, changed);
    const auto stdInfluence = [](const PairedSample& s, double x) {
        return s.std > 0 ? ((x - s.mean) * (x - s.mean) - s.variance) / (2 * s.std) : 0.0;
    };
    change.std = {changed.std - base.std, halfWidthOf(base, n, [&](std::size_t i) {
                      return stdInfluence(changed, changed.seconds()[i]) - stdInfluence(base, base.seconds()[i]);
                  })};
    const double limit = limitSeconds > 0 ? limitSeconds : base.p95;
    change.exceedance = exceedanceChange(base, changed, limit, n, correlation(base, changed, n));
    return change;
}

Estimate exceedance(const PairedSample& sample, double limitSeconds)
{
    const Estimate own = exceedance(sample.sorted, limitSeconds);
    return {own.value, std::hypot(own.halfWidth, normalReach() * sharedExceedance(sample, limitSeconds))};
}

Estimate elasticity(const PairedSample& down, const PairedSample& up, double downFactor, double upFactor, double p)
{
    const QuantileView a = view(down, p), b = view(up, p);
    if (a.value <= 0 || b.value <= 0)
        return {};
    const std::size_t n = std::min(down.seconds().size(), up.seconds().size());
    const double width = std::log(upFactor / downFactor);
    const double own = halfWidthOf(
        down, n, [&](std::size_t i) { return b.influence(up.seconds()[i]) / b.value - a.influence(down.seconds()[i]) / a.value; });
    const double shared = sharedHalfWidth(a.shared / a.value, b.shared / b.value, correlation(down, up, n));
    return {std::log(b.value / a.value) / width, std::hypot(own, shared) / std::abs(width)};
}

Estimate varianceRatio(const PairedSample& part, const PairedSample& whole)
{
    if (whole.variance <= 0)
        return {};
    const std::size_t n = std::min(part.seconds().size(), whole.seconds().size());
    const double ratio = part.variance / whole.variance;
    const double half = halfWidthOf(part, n, [&](std::size_t i) {
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
    const double own = halfWidthOf(numerator, n, [&](std::size_t i) {
        return (a.influence(numerator.seconds()[i]) - ratio * b.influence(denominator.seconds()[i])) / b.value;
    });
    const double shared = sharedHalfWidth(a.shared / b.value, ratio * b.shared / b.value, correlation(numerator, denominator, n));
    return {ratio, std::hypot(own, shared)};
}

Estimate relativeGainP95(const PairedSample& better, const PairedSample& worse)
{
    const Estimate ratio = quantileRatio(better, worse, 0.95);
    return {1 - ratio.value, ratio.halfWidth};
}

} // namespace prism
