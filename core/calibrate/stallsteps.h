// SPDX-License-Identifier: GPL-3.0-or-later
// Noise between neighbouring steps, and the steps that stand out of it: stalls.
#pragma once

#include "core/measured/seriesshape.h"
#include "core/stats/redraws.h"

#include <vector>

namespace prism {

using RelativeRuns = SeriesRuns; ///< steps over the median of their run

/// Robust standard deviation around a value: 1.4826 times the median distance from it.
[[nodiscard]] double robustSpread(const std::vector<double>& x, double around);
/// Standard deviation of a step against its neighbours, from differences inside the runs, robust.
[[nodiscard]] double neighbourSpread(const RelativeRuns& runs);
/// The same of runs in seconds, each over its median.
[[nodiscard]] double stepNoise(const std::vector<CleanRun>& runs);

/// A step stalls where its excess over the median of nine neighbours exceeds both this many robust standard deviations and this time.
inline constexpr double kStallNoises = 10.0, kMinStallSeconds = 0.5;
/// Seconds of the stalls of the runs; neighbours that stall are one event. `noise`: stepNoise of them.
[[nodiscard]] std::vector<double> stallSizes(const std::vector<CleanRun>& runs, double noise);
/// Steps over the medians of their runs, without those of a stall, ascending.
[[nodiscard]] std::vector<double> stepsWithoutStalls(const std::vector<CleanRun>& runs);

} // namespace prism
