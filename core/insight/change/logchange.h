// SPDX-License-Identifier: GPL-3.0-or-later
// Two logs of one job, before and after a change: level, percentiles, jitter, stalls, trend and warm-up.
#pragma once

#include "core/insight/change/changedmetrics.h"
#include "core/measured/steplog.h"

namespace prism {

/// Warm-up and steps after pauses (seriesshape.h) are excluded everywhere but in the warm-up itself; a trend and level shifts stay in the
/// level. Stalls as in stallsteps.h: beyond noise where their number is outside of stallRange for the rate of the other log.
/// Errors, of each log: no run of 20 steps is left. Any thread.
[[nodiscard]] Result<ChangeReport> logChanges(const StepLog& before, const StepLog& after);

} // namespace prism
