// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates with their 95 % intervals: normal and Student quantiles, proportions and means, for all layers.
#pragma once

#include <cstddef>
#include <vector>

namespace prism {

/// A value with the half-width of its 95 % interval, in the unit of the field that holds it.
struct Estimate {
    double value = 0, halfWidth = 0;
    /// True where the interval does not contain 0.
    [[nodiscard]] bool significant() const { return value > halfWidth || value < -halfWidth; }
};

/// Standard errors of a normal estimate from its value to either end of the 95 % interval: the 97.5 % point of the standard normal.
[[nodiscard]] double normalReach();
/// The same of an estimate whose standard error has `degrees` > 0 degrees of freedom (Student's t).
[[nodiscard]] double studentReach(double degrees);

/// A probability from `hits` of `n` independent trials with the half-width that covers 95 % of the score test (Wilson, J. Am. Stat. Assoc.
/// 22, 1927): P(true <= q) = Phi((q - hits / n) / sqrt(q (1 - q) / n)). Half hits (ties) may be counted. n = 0 gives 0.
[[nodiscard]] Estimate proportion(double hits, double n);

/// Half-width for the mean of independent values; 0 with fewer than two.
[[nodiscard]] double halfWidthOfMean(const std::vector<double>& values);
/// The same for consecutive values that depend on their neighbours: kSeriesBatches batch means as the sample (Law and Kelton; Asmussen and
/// Glynn, Stochastic Simulation, 2007, IV.5), Student's t. Values that do not fill batches of 20 are taken as independent.
[[nodiscard]] double halfWidthOfSeriesMean(const std::vector<double>& values);
inline constexpr std::size_t kSeriesBatches = 25;

} // namespace prism
