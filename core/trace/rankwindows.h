// SPDX-License-Identifier: GPL-3.0-or-later
// Several recordings of one rank put together, and collectives that were launched before a recording began.
#pragma once

#include "core/trace/kinetorank.h"

#include <vector>

namespace prism {

/// Joins the recordings of ranks that their files name: recordings of one rank at different times become one rank with several windows;
/// a recording given twice counts once, with a note. Recordings that overlap without being equal stay separate, with a note; so do
/// ranks that no file names, which come first; the others by their number. Each kernel is copied once.
[[nodiscard]] std::vector<KinetoRank> joinedWindows(std::vector<KinetoRank> ranks);

/// What the recording that holds a kernel has in common with those of other ranks at the same time: its first profiled step, else its
/// number.
[[nodiscard]] std::string windowName(const KinetoRank& rank, std::size_t kernel);

/// Kernels at the beginning of a stream whose launch is not in the trace have no description. Where the described ones behind them repeat
/// with one period, at least twice over, each takes the description of its place in the period if the kernel's name is the same.
/// Returns how many did. O(n).
std::uint64_t describeByRepetition(KinetoRank& rank);

/// Kernels of each of rank.steps by the time of their launch (of their start where it is not known); one list of all where no step is
/// named. Kernels before the first step are omitted. Precondition: rank.steps ascend by start. The rank outlives the result. O(n log n).
[[nodiscard]] std::vector<std::vector<const KinetoKernel*>> kernelsByStep(const KinetoRank& rank);

} // namespace prism
