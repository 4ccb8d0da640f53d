// SPDX-License-Identifier: GPL-3.0-or-later
// The noise-free step as the parts of a bar, of the whole step and of each stage: exposed times, and next to them those hidden behind
// compute. The causes of the variance as the parts of another.
#pragma once

#include "core/cost/costedstep.h"
#include "core/engine/summary.h"
#include "ui/plot/stackedbar.h"

namespace prism::ui {

struct StepParts {
    WaterfallData step;
    std::vector<ThinBar> stages; ///< neighbours that are nearly the same share a bar, that of the first one
};

/// Rows in the order of `Breakdown`, parts of no length anywhere omitted; waiting belongs to the group. The id of a row is the kernel class
/// with the most seconds of its category on the busiest stage ("tp.reduce_scatter"); the bubble has none.
[[nodiscard]] StepParts stepBreakdown(const CostedStep& costed, double noiseFreeSeconds);

/// Shares of the variance by cause with their intervals, zero ones omitted; the id is the cause's on Sensitivity, where it is one cause.
[[nodiscard]] WaterfallData varianceShares(const VarianceShare& share);

} // namespace prism::ui
