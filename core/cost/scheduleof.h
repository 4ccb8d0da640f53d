// SPDX-License-Identifier: GPL-3.0-or-later
// The pipeline schedule of a scenario.
#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/schedule/schedule.h"

namespace prism {

/// The name of a scenario's schedule for makeSchedule: "1f1b" with virtual stages is the interleaved schedule, "interleaved" without
/// them is 1f1b.
[[nodiscard]] std::string scheduleName(const ParallelismConfig& parallelism);

/// The schedule by that name for `numMicrobatches` of a replica (of each direction, where it runs in two), or the custom lists. `times`
/// matter for the planned schedules only. Errors: those of makeSchedule or of the custom lists.
[[nodiscard]] Result<Schedule> scheduleOf(const Scenario& scenario, int numMicrobatches, const PassTimes& times);

/// The same where it has a name: with expert communication overlapped DualPipe runs its pairs in one piece (dualpipe.h).
[[nodiscard]] Result<Schedule> namedSchedule(const ParallelismConfig& parallelism, int numMicrobatches, const PassTimes& times = {});

/// Lists such as "F0 F1 B0 B1 W0"; "F0.1" is micro-batch 0 of chunk 1.
[[nodiscard]] Result<Schedule> scheduleFromLists(const std::vector<std::string>& lists, int numChunks, int numMicrobatches);

} // namespace prism
