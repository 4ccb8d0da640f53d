// SPDX-License-Identifier: GPL-3.0-or-later
// Two logs or two recordings of one job, before and after a change: what changed beyond noise, and the effect on the step.
#pragma once

#include "core/insight/change/changedmetrics.h"
#include "core/insight/change/recording.h"
#include "core/measured/steplog.h"

namespace prism {

/// The step; then for each class of operations (gaps between them are one more), by its effect, the number in a step, total and median
/// duration, and the effect on mean and p95 of the step: its steps before run again with the durations of this class after, value by value
/// at the same probability of each pool. The effect's interval is that of the class's total, run likewise. "remainder": what the step
/// changed less all effects: what classes do together, other numbers of operations, and what no class holds. Two runs of every step for
/// each class. Pure; any thread.
[[nodiscard]] ChangeReport recordingChanges(const Recording& before, const Recording& after);

/// Warm-up and steps after pauses (seriesshape.h) are excluded everywhere but in the warm-up itself; a trend and level shifts stay in the
/// level. Stalls as in stallsteps.h: beyond noise where their number is outside of stallRange for the rate of the other log.
/// Errors, of each log: no run of 20 steps is left. Any thread.
[[nodiscard]] Result<ChangeReport> logChanges(const StepLog& before, const StepLog& after);

} // namespace prism
