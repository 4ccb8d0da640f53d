// SPDX-License-Identifier: GPL-3.0-or-later
// The largest tables and logs of measurements that are read. Each is on the help page "limits".
#pragma once

#include <cstddef>
#include <cstdint>

namespace prism {

inline constexpr std::size_t kMaxImportedRows = 20'000; ///< of an nccl-tests log, an operator table, a table of published steps
inline constexpr std::size_t kMaxSpeedRows = 1'000'000; ///< of a table of node speeds
inline constexpr std::size_t kMaxSpeedRowBytes = 4'096; ///< of one line of it
inline constexpr std::size_t kMaxTableRows = 200'000;   ///< of a table that a fit or a check reads: operators, collectives
inline constexpr std::size_t kMaxTableErrors = 50;      ///< reported for one table; then reading ends

inline constexpr std::size_t kMaxLoggedRuns = 1'000;                    ///< steps of further runs count as unusable
inline constexpr std::uint64_t kLogPartBytes = std::uint64_t{64} << 20; ///< the next two limits are per this many bytes of the log
inline constexpr std::int64_t kMaxLogLines = 10'000'000;                ///< of a whole log
inline constexpr std::int64_t kMaxLinesBefore = 1'000'000; ///< before the first line that reports a step, or the header of a table

} // namespace prism
