// SPDX-License-Identifier: GPL-3.0-or-later
// The change of every headline metric from a baseline to a scenario, from two finished snapshots: no new sampling.
#pragma once

#include "core/insight/insight.h"

namespace prism {

/// delta = scenario - baseline in the metric's unit; relative = delta / baseline. Half-widths of 95 % intervals; 0 where
/// the metric has no sampling error.
struct HeadlineChange {
    Estimate delta, relative;
};

struct HeadlineChanges {
    HeadlineChange mean, p50, p95, p99; ///< seconds
    HeadlineChange slowdownP50;         ///< dimensionless
    HeadlineChange tokensPerSecond, mfu, peakMemoryGib, daysToTrain, costUsd;
    Estimate probabilityFaster; ///< P(step of the scenario < step of the baseline), same random job
    bool paired = false;        ///< both have samples of the same seed and length
};

/// Draw i of both is the same random job (common random numbers), so differences are taken draw by draw: pairedChange (paired.h), as in
/// all comparisons. P(faster): proportion (intervals.h). `within`: steps of one job instead of across jobs.
/// Any thread; a few milliseconds for 10,000 draws.
[[nodiscard]] HeadlineChanges headlineChanges(const Snapshot& baseline, const Snapshot& scenario, bool within = false);

} // namespace prism
