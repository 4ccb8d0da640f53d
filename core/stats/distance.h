// SPDX-License-Identifier: GPL-3.0-or-later
// Distances of two distributions, and of two samples of one distribution by sampling noise.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace prism {

/// Two-sample Kolmogorov-Smirnov distance sup |F_a - F_b|, in [0, 1]; NaN where a value is. Both ascending, not empty.
[[nodiscard]] double ksDistance(std::span<const double> sortedA, std::span<const double> sortedB);
/// One-sample distance sup |F_n - cdf|; `cdf` is continuous and non-decreasing.
[[nodiscard]] double ksDistance(std::span<const double> sorted, const std::function<double(double)>& cdf);
/// Distance that two samples of one distribution exceed with probability alpha: sqrt(-ln(alpha / 2) / 2) sqrt((n + m) / (n m)),
/// Smirnov's asymptotic form (N. Smirnov, Ann. Math. Statist. 19, 1948). m = 0: one sample against a known distribution.
[[nodiscard]] double ksCritical(std::size_t n, std::size_t m, double alpha);
/// Probability of a distance of at least d by sampling noise for effective size n (n m / (n + m) for two samples): Kolmogorov's
/// series 2 sum (-1)^(k-1) exp(-2 k^2 n d^2).
[[nodiscard]] double ksPValue(double d, double effectiveSize);
/// 1-Wasserstein distance, the integral of |Q_a - Q_b|, in the unit of the values. Both ascending, not empty; sizes may differ.
[[nodiscard]] double wassersteinDistance(std::span<const double> sortedA, std::span<const double> sortedB);
/// Lag-1 autocorrelation of a series in its order; 0 for fewer than two values or no variance.
[[nodiscard]] double lag1Correlation(std::span<const double> series);

} // namespace prism
