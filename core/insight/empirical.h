// SPDX-License-Identifier: GPL-3.0-or-later
// What a sampled distribution says about a tail or a quantile, with its interval.
#pragma once

#include "core/insight/insight.h"

#include <vector>

namespace prism {

/// P(X > x) from ascending samples with its Wilson (1927) 95 % interval. Cheap: for dragging a limit in a chart.
[[nodiscard]] Estimate exceedance(const std::vector<double>& sorted, double x);

/// Quantile with the order-statistic interval: the ranks n p +- 1.96 sqrt(n p (1 - p)), half their distance.
[[nodiscard]] Estimate quantileEstimate(const std::vector<double>& sorted, double p);

/// dQ/dp around p by a symmetric difference of ascending samples.
[[nodiscard]] double sparsity(const std::vector<double>& sorted, double p);

/// Standard error of the quantile at p that all samples of a run share, seconds: between those of p50, p95 and p99, linear.
[[nodiscard]] double sharedStdErr(const StepSamples& samples, double p);
/// The same of P(X > x), by the density at x; `sorted` are the run's ascending samples.
[[nodiscard]] double sharedExceedanceStdErr(const StepSamples& samples, const std::vector<double>& sorted, double x);

} // namespace prism
