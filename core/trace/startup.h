// SPDX-License-Identifier: GPL-3.0-or-later
// Start-up steps of a series: outliers or another level among the first steps.
#pragma once

#include <cstddef>
#include <span>

namespace prism {

/// Number of start-up steps: the longest beginning, at most a third of the series, that ends with an outlier and of which
/// at least two thirds are outliers. An outlier lies more than 4 robust standard deviations (1.4826 times the median absolute deviation)
/// and more than 1 % off the median of the later half. 0 for fewer than 6 steps.
[[nodiscard]] std::size_t startupSteps(std::span<const double> seconds);

} // namespace prism
