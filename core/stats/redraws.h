// SPDX-License-Identifier: GPL-3.0-or-later
// The block bootstrap of series: number of redraws, and one redraw.
#pragma once

#include "core/stats/random.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace prism {

/// `most` up to 100,000 values or so; of longer series, whose intervals are narrow, as many as draw some 40 million values, but at least 40
/// (the ends of a 95 % interval are then the extremes). Bounds the time of a series of any length.
[[nodiscard]] inline std::uint64_t redrawsOf(std::size_t values, std::uint64_t largest)
{
    constexpr std::uint64_t kDrawnValues = 40'000'000, kMin = 40;
    return std::clamp<std::uint64_t>(kDrawnValues / std::max<std::size_t>(1, values), kMin, largest);
}

using SeriesRuns = std::vector<std::vector<double>>; ///< consecutive values; a run has no neighbours in the others

/// The runs drawn again in blocks of `block` > 0 neighbours, each a separate run (Kuensch 1989, doi:10.1214/aos/1176347265). `draws`
/// names the redraw.
[[nodiscard]] inline SeriesRuns redrawnBlocks(const SeriesRuns& runs, std::size_t block, StreamId draws)
{
    SeriesRuns out;
    std::uint64_t draw = 0;
    for (const std::vector<double>& run : runs)
        for (std::size_t i = 0; i < run.size(); i += block) {
            const std::size_t length = std::min(block, run.size()), places = run.size() - length + 1;
            const auto at = std::min(places - 1, static_cast<std::size_t>(uniform(1, draws, draw++) * static_cast<double>(places)));
            out.emplace_back(run.begin() + static_cast<std::ptrdiff_t>(at), run.begin() + static_cast<std::ptrdiff_t>(at + length));
        }
    return out;
}

} // namespace prism
