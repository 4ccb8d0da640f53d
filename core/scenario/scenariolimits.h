// SPDX-License-Identifier: GPL-3.0-or-later
// The largest sizes that a scenario file and its importers take. Each is on the help page "limits".
#pragma once

#include <cstddef>
#include <cstdint>

namespace prism {

inline constexpr std::size_t kMaxListEntries = 100'000;                         ///< of a list in a scenario (pools, measured rows, speeds)
inline constexpr std::size_t kMaxNameBytes = 200, kMaxNoteBytes = 20'000;       ///< of a scenario
inline constexpr std::int64_t kMaxNodes = 1 << 20, kMaxMeasuredRanks = 1 << 20; ///< more than any cluster has
inline constexpr std::int64_t kMaxMeasuredSize = std::int64_t{1} << 50;         ///< m, n, k and bytes of a measured row
inline constexpr std::size_t kMaxImportBytes = std::size_t{4} << 20;            ///< of a Hugging Face configuration or a launch script
inline constexpr std::size_t kMaxImportValues = 200'000;                        ///< of a Hugging Face configuration
inline constexpr std::size_t kMaxLayoutPlaces = 8'192;                          ///< of a pipeline layout, repeats written out

inline constexpr double kMinComputeLevel = 0.01,
                        kMaxComputeLevel = 100.0; ///< measured.compute_level, 1 = as predicted; far from 1 a trace of another model
inline constexpr double kMaxFittedLag1 = 0.95;    ///< beyond it a regime cannot be distinguished from a trend

} // namespace prism
