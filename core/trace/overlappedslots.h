// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the operations of a worker that overlap its computations, decided once for all steps of a job.
#pragma once

#include "core/trace/tracejob.h"

#include <set>
#include <tuple>

namespace prism {

/// Stage, type, and the number of operations of that type and worker before it.
using OverlappedSlots = std::set<std::tuple<int, TraceOp, int>>;

/// Error of a trace's timestamps, seconds: the longest overlap of two successive computations of one worker, which cannot overlap. An
/// overlap above 5 % of the shorter computation is not a clock error and is not used.
[[nodiscard]] double clockGrain(const TraceJob& job);

/// Transfers, data-parallel collectives and garbage collections that overlap with computations in most steps and replicas: by more than
/// 5 % of their duration, 0.1 ms and two clock grains (start and end may each be off by one). One decision per slot gives all steps the
/// same graph. O(n) in the operations, for overlaps that span few of them.
[[nodiscard]] OverlappedSlots overlappedSlots(const TraceJob& job);

} // namespace prism
