// SPDX-License-Identifier: GPL-3.0-or-later
// The causes of a sensitivity table ranked at p50, p95 and p99, in neighbouring columns.
#pragma once

#include "core/insight/sensitivity/sensitivity.h"
#include "ui/plot/slopechart.h"

namespace prism::ui {

/// The ten causes that move p95 most, each with its rank among them at every percentile. A cause weighs as much as the larger of the
/// changes that removing and doubling its spread make.
[[nodiscard]] SlopeData slopesOf(const SensitivityTable& table, int series);

} // namespace prism::ui
