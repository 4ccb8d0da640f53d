// SPDX-License-Identifier: GPL-3.0-or-later
// The largest contents that a study file holds. Each stands on the help page "limits".
#pragma once

#include <cstddef>
#include <cstdint>

namespace prism {

inline constexpr std::size_t kMaxScenarioBytes = std::size_t{64} << 20; ///< of one scenario's text
inline constexpr std::size_t kMaxScenarios = 20'000;                    ///< that are not removed
inline constexpr std::size_t kMaxShownBytes = std::size_t{256} << 20;   ///< of the texts of these scenarios together
inline constexpr std::int64_t kMaxRawBytes = std::int64_t{256} << 20;   ///< of one import or result, uncompressed
inline constexpr std::size_t kMaxViewStateBytes = std::size_t{4} << 20; ///< per name
inline constexpr std::size_t kMaxStudyNameBytes = 1000;                 ///< of a study or a scenario, a colour, a line style
inline constexpr std::size_t kMaxScenarioNoteBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxCopiedBytes = std::size_t{4} << 30; ///< of a study with its journal that is salvaged or read from a copy

} // namespace prism
