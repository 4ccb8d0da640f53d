// SPDX-License-Identifier: GPL-3.0-or-later
// Limits on a training log, besides those of its lines and steps (steplog.h). On the help page "limits".
#pragma once

#include <cstddef>
#include <cstdint>

namespace prism {

inline constexpr std::size_t kMaxLoggedRuns = 1'000;                    ///< steps of further runs count as unusable
inline constexpr std::uint64_t kLogPartBytes = std::uint64_t{64} << 20; ///< the next two limits are per this many bytes of the log
inline constexpr std::int64_t kMaxLogLines = 10'000'000;                ///< of a whole log
inline constexpr std::int64_t kMaxLinesBefore = 1'000'000; ///< before the first line that reports a step, or the header of a table

} // namespace prism
