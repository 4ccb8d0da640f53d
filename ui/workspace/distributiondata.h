// SPDX-License-Identifier: GPL-3.0-or-later
// The statistics of all scenarios' distributions: as a table of plain numbers, and as lines of text for one scenario.
#pragma once

#include "ui/look/tabledata.h"
#include "ui/workspace/changescache.h"
#include "ui/workspace/context.h"

namespace prism::ui {

/// The missing measurements where a result is outside of the calibrated range, in sentences; empty = none.
[[nodiscard]] QString outsideCalibration(const Snapshot& snapshot);

/// Percentiles, changes against the baseline, P(step > limit) and P(faster) of each scenario that has a result.
[[nodiscard]] TableData distributionTable(const PageContext& context, ChangesCache& cache, const StepLimits& limits, bool within);

/// Whether a scenario is compared: there is a baseline, and it is neither that nor a copy of it.
[[nodiscard]] bool isCompared(const SnapshotPtr& baseline, const SnapshotPtr& snapshot);
/// Whether a step of both trains equally many tokens; else a shorter step is not a gain, and has no colour.
[[nodiscard]] bool hasEqualTokens(const Snapshot& a, const Snapshot& b);

/// p50, p95 and p99 with intervals and changes, P(step > limit) and P(faster), a line each; across jobs.
[[nodiscard]] QStringList metricLines(const SnapshotPtr& snapshot, const SnapshotPtr& baseline, ChangesCache& cache,
                                      const StepLimits& limits);

} // namespace prism::ui
