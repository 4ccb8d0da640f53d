// Mean and variance of samples.
#pragma once

#include <vector>

namespace prism {

/// 0 without samples.
[[nodiscard]] double meanOf(const std::vector<double>& x);
/// Unbiased; 0 with fewer than two samples.
[[nodiscard]] double varianceOf(const std::vector<double>& x);

} // namespace prism
