// SPDX-License-Identifier: GPL-3.0-or-later
// Finds permanent changes of the level of a series.
#pragma once

#include <cstddef>
#include <vector>

namespace prism {

/// Median of x[first] to x[last - 1]; `last` beyond the end is the end.
[[nodiscard]] double medianOfRange(const std::vector<double>& x, std::size_t first, std::size_t last);

/// Places in `x`, ascending, where its level changes for long: largest differences of the medians of 40 values before and after first, then
/// those that do not last go. The smallest change is 0.75 % of `level`: healthy runs wander by 0.5 % within as many steps.
[[nodiscard]] std::vector<int> shiftPlaces(const std::vector<double>& x, double level);

/// Medians of the parts of `x` between the shifts; one more than shifts.
[[nodiscard]] std::vector<double> partMedians(const std::vector<double>& x, const std::vector<int>& shifts);

} // namespace prism
