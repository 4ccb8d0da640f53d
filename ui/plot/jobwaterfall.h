// SPDX-License-Identifier: GPL-3.0-or-later
// The wall time of a run as a waterfall: noise-free steps, then every loss, then the total; its rounded steps add up.
#pragma once

#include "core/job/jobviews.h"
#include "ui/plot/waterfall.h"

namespace prism::ui {

/// Days are rounded to tenths so that first row and steps sum to the printed total (largest remainders).
[[nodiscard]] WaterfallData jobWaterfall(const JobReport& job, double noiseFreeStepSeconds, int series);

/// Values rounded to multiples of `unit` whose sum is the rounded sum: those with the largest remainders are rounded up.
[[nodiscard]] std::vector<double> roundedToSum(const std::vector<double>& values, double unit);

} // namespace prism::ui
