// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/summary.h"

#include "core/stats/confidence.h"
#include "core/stats/intervals.h"
#include "core/stats/moments.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

/// Correlation times of the series itself and of its steps above given quantiles.
struct CorrelationTimes {
    double mean = 1, p50 = 1, p95 = 1, p99 = 1;
};

CorrelationTimes correlationTimes(const std::vector<double>& series)
{
    std::vector<double> sorted = series;
    sortAscending(sorted);
    const auto above = [&](double p) {
        const double limit = quantileOfSorted(sorted, p);
        std::vector<double> beyond;
        for (const double x : series)
            beyond.push_back(x > limit ? 1.0 : 0.0);
        return correlationTime(beyond);
    };
    return {correlationTime(series), above(0.50), above(0.95), above(0.99)};
}

DistributionSummary metrics(std::vector<double> samplesSeconds, const SharedError& shared, const CorrelationTimes& times);

} // namespace

double halfWidth95(const SharedError::Part& error)
{
    if (!(error.degrees > 0.0))
        return normalReach() * error.stdErr;
    return studentReach(std::max(1.0, error.degrees)) * error.stdErr;
}

DistributionSummary summarize(std::vector<double> samplesSeconds, const StepSamples* sharedErrors)
{
    return metrics(std::move(samplesSeconds), sharedErrors ? sharedErrors->acrossShared : SharedError{}, {});
}

DistributionSummary summarizeWithin(const StepSamples& samples)
{
    if (samples.withinSeconds.empty())
        return {};
    return metrics(samples.withinSeconds, samples.withinShared, correlationTimes(samples.withinSeconds));
}

namespace {

DistributionSummary metrics(std::vector<double> samplesSeconds, const SharedError& shared, const CorrelationTimes& times)
{
    DistributionSummary out;
    out.samples = samplesSeconds.size();
    if (samplesSeconds.empty())
        return out;
    sortAscending(samplesSeconds);
    const auto n = static_cast<double>(samplesSeconds.size());
    // Around the median first, so that small spreads keep their digits.
    const double center = quantileOfSorted(samplesSeconds, 0.5);
    double first = 0.0, second = 0.0;
    for (const double x : samplesSeconds) {
        first += x - center;
        second += (x - center) * (x - center);
    }
    out.mean = center + first / n;
    out.std = n > 1.0 ? std::sqrt(std::max(0.0, (second - first * first / n) / (n - 1.0))) : 0.0;
    out.cv = out.mean > 0.0 ? out.std / out.mean : 0.0;
    const auto quantile = [&](double p) { return quantileOfSorted(samplesSeconds, p); };
    out.p5 = quantile(0.05);
    out.p10 = quantile(0.10);
    out.p25 = quantile(0.25);
    out.p50 = center;
    out.p75 = quantile(0.75);
    out.p90 = quantile(0.90);
    out.p95 = quantile(0.95);
    out.p99 = quantile(0.99);
    const auto width = [](double own, const SharedError::Part& part) { return halfWidth95(together({own, 0.0}, part)); };
    const auto quantileWidth = [&](double p, double time, const SharedError::Part& part) {
        return width(halfWidthOfQuantile(samplesSeconds, p, time) / normalReach(), part);
    };
    out.ciMean = width(out.std * std::sqrt(times.mean / n), shared.mean);
    out.ciP50 = quantileWidth(0.50, times.p50, shared.p50);
    out.ciP95 = quantileWidth(0.95, times.p95, shared.p95);
    out.ciP99 = quantileWidth(0.99, times.p99, shared.p99);
    return out;
}

} // namespace

} // namespace prism
