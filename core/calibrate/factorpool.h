// SPDX-License-Identifier: GPL-3.0-or-later
// The values that represent a measured distribution of factors in a scenario.
#pragma once

#include <cstddef>

namespace prism {

inline constexpr std::size_t kPoolSize = 400; ///< longer series are represented by this many of their quantiles

/// The probability whose quantile is value `index` of a pool, 0 <= index < kPoolSize: the middles of equal parts.
constexpr double poolProbability(std::size_t index)
{
    return (static_cast<double>(index) + 0.5) / static_cast<double>(kPoolSize);
}

} // namespace prism
