// SPDX-License-Identifier: GPL-3.0-or-later
// The noise-free step as the parts of a bar: exposed times, and next to them those hidden behind compute.
#pragma once

#include "core/cost/costedstep.h"
#include "ui/plot/waterfall.h"

namespace prism::ui {

/// Rows in the order of `Breakdown`, parts of no length omitted; waiting belongs to the group. The id of a communication's row is its
/// kernel class with the most seconds ("tp.reduce_scatter"), others have none.
[[nodiscard]] WaterfallData stepBreakdown(const CostedStep& costed, double noiseFreeSeconds);

} // namespace prism::ui
