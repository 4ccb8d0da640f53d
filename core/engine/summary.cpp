// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/summary.h"

#include "core/stats/intervals.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

/// Half-width of the 95 % interval of a quantile from order statistics: the binomial count below the quantile has the
/// standard deviation sqrt(n p (1 - p)) (David and Nagaraja 2003, sec. 7.1).
double orderStatisticHalfWidth(const std::vector<double>& sorted, double p)
{
    const double n = static_cast<double>(sorted.size());
    const double reach = normalReach() * std::sqrt(p * (1.0 - p) / n);
    const double low = quantileOfSorted(sorted, std::max(0.0, p - reach));
    const double high = quantileOfSorted(sorted, std::min(1.0, p + reach));
    return 0.5 * (high - low);
}

} // namespace

DistributionSummary summarize(std::vector<double> samplesSeconds, const StepSamples* sharedErrors)
{
    DistributionSummary out;
    out.samples = samplesSeconds.size();
    if (samplesSeconds.empty())
        return out;
    std::sort(samplesSeconds.begin(), samplesSeconds.end());
    const double n = static_cast<double>(samplesSeconds.size());
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
    const auto width = [&](double own, double shared) { return std::hypot(own, normalReach() * shared); };
    const StepSamples none;
    const StepSamples& shared = sharedErrors ? *sharedErrors : none;
    out.ciMean = width(normalReach() * out.std / std::sqrt(n), shared.sharedStdErrMean);
    out.ciP50 = width(orderStatisticHalfWidth(samplesSeconds, 0.50), shared.sharedStdErrP50);
    out.ciP95 = width(orderStatisticHalfWidth(samplesSeconds, 0.95), shared.sharedStdErrP95);
    out.ciP99 = width(orderStatisticHalfWidth(samplesSeconds, 0.99), shared.sharedStdErrP99);
    return out;
}

} // namespace prism
