// SPDX-License-Identifier: GPL-3.0-or-later
// The largest traces that are read. Each is on the help page "limits".
#pragma once

#include <cstddef>
#include <cstdint>

namespace prism {

inline constexpr std::size_t kMaxTraceFiles = 65'536;                    ///< of a folder
inline constexpr std::size_t kMaxTraceDevices = 256;                     ///< in one profiler trace: a host has at most 16 today
inline constexpr std::size_t kMaxTraceElement = std::size_t{4} << 20;    ///< bytes of one event of a profiler trace
inline constexpr std::size_t kMaxTraceLine = std::size_t{1} << 20;       ///< bytes of one line of a stage table
inline constexpr std::size_t kMaxTraceOperations = 10'000'000;           ///< of a stage table, of a folder of pipeline events
inline constexpr std::size_t kMaxEventFileBytes = std::size_t{64} << 20; ///< of one file of pipeline events
inline constexpr std::size_t kMaxMetaBytes = std::size_t{1} << 20;       ///< of the sizes of a stage table's job
/// A compressed trace may be this many times larger when decompressed (profiler traces: 10 to 30 times) beyond this content.
inline constexpr std::uint64_t kMaxInflation = 300, kFreelyInflatedBytes = std::uint64_t{64} << 20;

} // namespace prism
