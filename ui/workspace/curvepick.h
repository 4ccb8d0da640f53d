// SPDX-License-Identifier: GPL-3.0-or-later
// Selects the curves of a chart when more scenarios are visible than can be distinguished.
#pragma once

#include "ui/workspace/context.h"

namespace prism::ui {

inline constexpr int kMaxCurves = 6; ///< that are drawn together: the chart conventions' limit

/// Of the visible scenarios with a result: all where they are few; else the current one, the baseline, the picked one and the fastest by
/// p95 per token (steps of different batches differ in length), in the order of the table.
[[nodiscard]] QList<ShownScenario> drawnScenarios(const PageContext& context, int pickedId = -1);
/// Visible scenarios with a result.
[[nodiscard]] int drawableCount(const PageContext& context);

} // namespace prism::ui
