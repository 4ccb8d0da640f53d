// SPDX-License-Identifier: GPL-3.0-or-later
// Searches of a small space on the engine, against all of its configurations sampled to the end.
#pragma once

#include <cstdint>

namespace prism::test {

/// Errors of this many seeded searches.
struct EarlyStops {
    int runs = 0;
    int invalid = 0;      ///< searches that eliminated one of the best before its last sample
    int otherWinners = 0; ///< whose winner is not the best, by more than the error of both searches
    int sampled = 0;      ///< configurations that got samples, all runs
    int toTheEnd = 0;     ///< and all of them
    int fitting = 0;      ///< configurations of one run that could have been sampled
};

/// Searches with seeds 1 to `runs`. What is best is the mean over exhaustive searches with `truthSeeds` other seeds.
[[nodiscard]] EarlyStops earlyStops(int runs, int truthSeeds);

inline constexpr int kKeptOfSpace = 5;
inline constexpr double kStatedConfidence = 0.95;

} // namespace prism::test
