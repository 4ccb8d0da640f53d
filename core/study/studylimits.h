// SPDX-License-Identifier: GPL-3.0-or-later
// The largest contents that a study file holds. Each is on the help page "limits".
#pragma once

#include <cstddef>
#include <cstdint>

namespace prism {

inline constexpr std::size_t kMaxScenarioBytes = std::size_t{64} << 20; ///< of one scenario's text
inline constexpr std::size_t kMaxScenarios = 20'000;                    ///< that are not removed
inline constexpr std::size_t kMaxShownBytes = std::size_t{128} << 20;   ///< of the texts of these scenarios together
inline constexpr std::int64_t kMaxRawBytes = std::int64_t{256} << 20;   ///< of one import or result, uncompressed
inline constexpr std::size_t kMaxViewStateBytes = std::size_t{4} << 20; ///< per name
inline constexpr std::size_t kMaxStudyNameBytes = 1000;                 ///< of a study or a scenario, a colour, a line style
inline constexpr std::size_t kMaxScenarioNoteBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxCopiedBytes = std::size_t{512} << 20; ///< of a study with its journal that is salvaged or read from a copy
inline constexpr std::size_t kMaxTextBytesListed = std::size_t{1} << 20; ///< of one label or name in a list
inline constexpr std::size_t kMaxListBytes = std::size_t{160} << 20;     ///< of a list of imports, revisions or undo steps in memory
inline constexpr std::size_t kMaxRevisionParts = 16'384;                 ///< of one revision: longer than 4,096 bytes each, 64 MiB together
inline constexpr std::int64_t kMaxExportBytes = std::int64_t{2} << 30;   ///< of all files of an exported folder
inline constexpr std::int64_t kMaxExportFiles = 200'000;                 ///< of an exported folder; also rows of one kind
inline constexpr double kMaxSalvageSeconds = 8;                          ///< of processor time for each of its files
inline constexpr double kMaxCheckSeconds = 10; ///< of processor time for a check, and for the process of a salvage

} // namespace prism
