// SPDX-License-Identifier: GPL-3.0-or-later
// How often a bootstrap redraws.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace prism {

/// `most` up to 100,000 values or so; of longer series, whose intervals are narrow, as many as draw some 40 million values, but at least 40
/// (the ends of a 95 % interval are then the extremes). Bounds the time of a series of any length.
[[nodiscard]] inline std::uint64_t redrawsOf(std::size_t values, std::uint64_t most)
{
    constexpr std::uint64_t kDrawnValues = 40'000'000, kLeast = 40;
    return std::clamp<std::uint64_t>(kDrawnValues / std::max<std::size_t>(1, values), kLeast, most);
}

} // namespace prism
