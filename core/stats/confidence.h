// SPDX-License-Identifier: GPL-3.0-or-later
// Symmetric intervals from what a sample says about where the true value lies: confidence distributions.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace prism {

/// The least half-width of an interval around an estimate that holds 95 % of a confidence distribution (Xie and Singh, Int. Stat. Rev. 81,
/// 2013): held(h) is what the interval of half-width h holds, rising with h. At most `most`. Where one side of an estimate is known better
/// than the other, half the distance of two ends would hold less, and the larger side more.
[[nodiscard]] double minHalfWidth(double largest, const std::function<double(double)>& held);

/// Half-width for the quantile at p in (0, 1) of ascending values, in their unit: holds 95 % of what order statistics say, P(true <= r-th
/// of n) = P(binomial(n, p) < r) (David and Nagaraja, Order Statistics, 2003, sec. 7.1), between ranks by its continuous form. Values that
/// follow one another count as n / correlationTime independent ones. 0 with fewer than two values.
[[nodiscard]] double halfWidthOfQuantile(const std::vector<double>& sorted, double p, double correlationTime = 1.0);

/// Standard errors from an estimate to either end of its interval, one of `together` intervals with a joint coverage of 95 % (Bonferroni).
/// Student's t with `degrees` > 0 degrees of freedom.
[[nodiscard]] double jointReach(double degrees, std::size_t together);

/// Probability that an error lies below so many of its standard errors, known with so many degrees of freedom (Student's t); 0 = many.
[[nodiscard]] double errorCdf(double standardErrors, double degrees);

} // namespace prism
