// SPDX-License-Identifier: GPL-3.0-or-later
// Symmetric intervals from confidence distributions of a sample.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace prism {

/// The least half-width of an interval around an estimate that covers 95 % of a confidence distribution (Xie and Singh, Int. Stat. Rev.
/// 81, 2013): held(h) is the coverage of the interval of half-width h, rising with h. At most `most`. Where one side of an estimate is
/// more certain than the other, half the distance of the two ends would cover less, and the larger side more.
[[nodiscard]] double minHalfWidth(double largest, const std::function<double(double)>& held);

/// Half-width for the quantile at p in (0, 1) of ascending values, in their unit: covers 95 % of the distribution by order statistics,
/// P(true <= r-th of n) = P(binomial(n, p) < r) (David and Nagaraja, Order Statistics, 2003, 7.1), continuous between ranks. Values that
/// follow one another count as n / correlationTime independent ones. 0 with fewer than two values.
[[nodiscard]] double halfWidthOfQuantile(const std::vector<double>& sorted, double p, double correlationTime = 1.0);

/// Standard errors from an estimate to either end of its interval, one of `together` intervals with a joint coverage of 95 % (Bonferroni).
/// Student's t with `degrees` > 0 degrees of freedom.
[[nodiscard]] double jointReach(double degrees, std::size_t together);

/// Probability that an error lies below this many standard errors, which have `degrees` degrees of freedom (Student's t); 0 = normal.
[[nodiscard]] double errorCdf(double standardErrors, double degrees);

} // namespace prism
