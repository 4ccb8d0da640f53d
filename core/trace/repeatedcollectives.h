// SPDX-License-Identifier: GPL-3.0-or-later
// Describes collectives that were launched before a recording began by the order in which their stream's collectives repeat.
#pragma once

#include "core/trace/kinetorank.h"

namespace prism {

/// Kernels at the beginning of a stream whose launch is not in the trace have no description. Where the described ones behind them repeat
/// with one period, at least twice over, each takes the description of its place in the period if the kernel's name is the same.
/// Returns how many did. O(n).
std::uint64_t describeByRepetition(KinetoRank& rank);

} // namespace prism
