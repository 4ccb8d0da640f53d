// SPDX-License-Identifier: GPL-3.0-or-later
// Differences of two sampled distributions that share their random numbers, with intervals that use the pairing.
#pragma once

#include "core/insight/insight.h"

#include <memory>
#include <vector>

namespace prism {

/// Which steps of a run are compared: of fresh jobs, which are independent of each other, or in sequence of one job, which are not.
enum class SampleSeries { acrossJobs, withinJob };

/// The samples of one variation with what every comparison needs from them. Built once per variation; any thread reads it.
struct PairedSample {
    explicit PairedSample(std::shared_ptr<const StepSamples> given, SampleSeries which = SampleSeries::acrossJobs);

    std::shared_ptr<const StepSamples> samples; ///< in draw order
    SampleSeries series = SampleSeries::acrossJobs;
    std::vector<double> sorted; ///< those of the series, ascending
    double mean = 0, variance = 0, std = 0, p50 = 0, p95 = 0, p99 = 0;
    double sparsityP50 = 0, sparsityP95 = 0, sparsityP99 = 0; ///< dQ/dp, seconds
    [[nodiscard]] const std::vector<double>& seconds() const
    {
        return series == SampleSeries::withinJob ? samples->withinSeconds : samples->acrossSeconds;
    }
};

/// How paired samples are drawn: across jobs alone, with an insight's seed, threads and stop.
[[nodiscard]] SimOptions pairedSampling(const InsightOptions& options, int samples);

/// changed - base of each statistic; `limitSeconds` is that of the exceedance, 0 = the base's p95. The interval is that of the mean of the
/// paired influence values: for a quantile (p - 1{x <= q}) dQ/dp (Bahadur 1966), for the standard deviation ((x - m)^2 - v) / (2 s). The
/// shared error of a run (of its sampled pass tables) enters with the correlation of the pairs. Steps of one job depend on their
/// neighbours: there the mean's interval is that of batches (halfWidthOfSeriesMean). Both samples are of the same series.
[[nodiscard]] MetricChange pairedChange(const PairedSample& base, const PairedSample& changed, double limitSeconds = 0);
/// Mean and percentiles of the same alone, the rest zero: the exceedance takes longer than all of them.
[[nodiscard]] MetricChange pairedTimes(const PairedSample& base, const PairedSample& changed);

/// P(X > limit) with its 95 % interval: that of the score test, plus the shared error of the run.
[[nodiscard]] Estimate exceedance(const PairedSample& sample, double limitSeconds);

/// ln(up / down) / ln(upFactor / downFactor) of a quantile, p = 0.5 or 0.95.
[[nodiscard]] Estimate elasticity(const PairedSample& down, const PairedSample& up, double downFactor, double upFactor, double p);

/// Variance of `part` over the variance of `whole`.
[[nodiscard]] Estimate varianceRatio(const PairedSample& part, const PairedSample& whole);

/// 1 - p95(better) / p95(worse), paired.
[[nodiscard]] Estimate relativeGainP95(const PairedSample& better, const PairedSample& worse);

/// p(numerator) / p(denominator) of a quantile, paired; p = 0.5, 0.95 or 0.99.
[[nodiscard]] Estimate quantileRatio(const PairedSample& numerator, const PairedSample& denominator, double p);

} // namespace prism
