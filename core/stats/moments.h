// SPDX-License-Identifier: GPL-3.0-or-later
// Mean, variance, median and quantiles of samples, and the pair of moments that represents a distribution.
#pragma once

#include <vector>

namespace prism {

/// Mean and variance of one quantity; the variance in the square of the mean's unit.
struct Moments {
    double mean = 0.0, variance = 0.0;
};

/// 0 without samples.
[[nodiscard]] double meanOf(const std::vector<double>& x);
/// Unbiased; 0 with fewer than two samples.
[[nodiscard]] double varianceOf(const std::vector<double>& x);

/// Sorts with Highway's vector quicksort, some four times as fast as std::sort; -0 is before 0. Any thread.
void sortAscending(std::vector<double>& x);
/// Quantile by linear interpolation between order statistics (Hyndman and Fan type 7); `sorted` ascending; 0 without samples.
[[nodiscard]] double quantileOfSorted(const std::vector<double>& sorted, double probability);
/// The middle value, or half-way between the two; 0 without samples.
[[nodiscard]] double medianOf(std::vector<double> x);

/// Standard deviations of a normal variable in one median absolute deviation: 1 / its 75 % point.
inline constexpr double kNormalOverMad = 1.4826;

/// How many times the variance of the mean of a stationary series exceeds that of independent values: 1 + 2 (sum of its autocorrelations),
/// up to the first pair of neighbouring lags whose sum is not positive (Geyer 1992, "Practical Markov chain Monte Carlo"); at least 1.
[[nodiscard]] double correlationTime(const std::vector<double>& series);

} // namespace prism
