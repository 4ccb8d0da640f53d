// SPDX-License-Identifier: GPL-3.0-or-later
// The standard normal distribution.
#pragma once

#include <cmath>
#include <numbers>

namespace prism {

[[nodiscard]] inline double normalDensity(double z)
{
    return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
}

[[nodiscard]] inline double normalCdf(double z)
{
    return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

/// For a probability in (0, 1).
[[nodiscard]] double normalQuantile(double probability);

} // namespace prism
