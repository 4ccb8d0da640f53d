// SPDX-License-Identifier: GPL-3.0-or-later
// Tail probabilities and quantiles of a sampled distribution, with their intervals.
#pragma once

#include "core/insight/insight.h"

#include <vector>

namespace prism {

/// P(X > x) from ascending samples with the 95 % interval of the score test (Wilson 1927). Cheap: for dragging a limit in a chart.
[[nodiscard]] Estimate exceedance(const std::vector<double>& sorted, double x);

/// P(low < X <= high) from ascending samples with the same interval; 0 where high <= low.
[[nodiscard]] Estimate probabilityBetween(const std::vector<double>& sorted, double low, double high);

/// Quantile with the order-statistic interval: the ranks n p +- z sqrt(n p (1 - p)), half their distance.
[[nodiscard]] Estimate quantileEstimate(const std::vector<double>& sorted, double p);

/// dQ/dp around p by a symmetric difference of ascending samples.
[[nodiscard]] double sparsity(const std::vector<double>& sorted, double p);

/// The shared error of the quantile at p, seconds: linear between those of p50, p95 and p99.
[[nodiscard]] SharedError::Part sharedPart(const SharedError& shared, double p);
/// The same of P(X > x): from the distribution shifted by the shared error to either side; `sorted` are the run's ascending samples.
[[nodiscard]] SharedError::Part sharedExceedancePart(const SharedError& shared, const std::vector<double>& sorted, double x);
/// Standard errors of the same across jobs.
[[nodiscard]] double sharedExceedanceStdErr(const StepSamples& samples, const std::vector<double>& sorted, double x);

/// Steps of one run, for intervals: sampling error, correlation of consecutive steps, and shared error.
class RunMetrics final {
public:
    /// Across jobs, or within one; keeps references.
    static RunMetrics across(const StepSamples& samples, const std::vector<double>& sorted)
    {
        return {samples.acrossShared, sorted, nullptr};
    }
    static RunMetrics within(const StepSamples& samples, const std::vector<double>& sorted)
    {
        return {samples.withinShared, sorted, &samples.withinSeconds};
    }
    [[nodiscard]] Estimate exceedance(double x) const;
    /// P(low < X <= high); the shared error moves both ends together.
    [[nodiscard]] Estimate between(double low, double high) const;
    [[nodiscard]] Estimate quantile(double p) const;

private:
    RunMetrics(const SharedError& shared, const std::vector<double>& sorted, const std::vector<double>* series)
        : m_shared(shared),
          m_sorted(sorted),
          m_series(series)
    {
    }
    /// Correlation time of the share of the steps in (low, high], for consecutive steps.
    [[nodiscard]] double correlationTimeWithin(double low, double high) const;
    const SharedError& m_shared;
    const std::vector<double>& m_sorted;
    const std::vector<double>* m_series; ///< in draw order; null = independent
};

} // namespace prism
