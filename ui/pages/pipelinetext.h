// SPDX-License-Identifier: GPL-3.0-or-later
// Texts around the Gantt chart of one step, and the causes of the difference of two steps.
#pragma once

#include "core/insight/onestep/rangesum.h"
#include "ui/plot/plotbase.h"

namespace prism::ui {

/// Title, subtitle and footer of a step; `seed` of the draws among which it was searched for, nothing = not known.
[[nodiscard]] ChartText stepText(const Timeline& step, const DrawChoice& draw, const std::optional<std::uint64_t>& seed);

/// "+82 ms against the p50 step: backward +40 ms, idle +30 ms, forward +12 ms on an average stage. Most of it: MLP first GEMM +21 ms."
[[nodiscard]] QString changeText(const Timeline& from, const Timeline& to);

} // namespace prism::ui
