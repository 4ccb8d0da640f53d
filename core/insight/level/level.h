// SPDX-License-Identifier: GPL-3.0-or-later
// One level for all statistics. An insight draws few steps: its changes are accurate, the level of its base is not. Here its values are
// put on the level of an evaluation with more steps, the one in the headline.
#pragma once

#include "core/insight/compare/compare.h"
#include "core/insight/placement/placement.h"
#include "core/insight/scale/scale.h"

namespace prism {

// Each takes the snapshot of the scenario that the answer is about, with the same seed. Values that follow from the base are multiplied by
// the known over the base's own statistic: the ratio estimator (Cochran, Sampling Techniques, 3rd ed. 1977, section 6.2), which common
// random numbers make more accurate. Changes and ratios stay. Pure functions; any thread.

/// The base's statistics, and P(step > limit).
[[nodiscard]] SensitivityTable onLevelOf(const Snapshot& known, SensitivityTable table);
/// Seconds of the base and of every cell.
[[nodiscard]] PlacementMap onLevelOf(const Snapshot& known, PlacementMap map);
/// Seconds of every order; `known` has the given one.
[[nodiscard]] PlacementResult onLevelOf(const Snapshot& known, PlacementResult result);
/// The point of the scenario's own number of GPUs has the known values, the others keep their ratio to it. As it was where the curve does
/// not have that point.
[[nodiscard]] ScaleCurve onLevelOf(const Snapshot& known, ScaleCurve curve);
/// Both values of the step time statistics; the difference of their change goes into the waterfall's remainder. a, b: of nameA, nameB.
[[nodiscard]] Comparison onLevelOf(const Snapshot& a, const Snapshot& b, Comparison comparison);
/// Steps of a changed scenario, quantile by quantile. All ascending seconds; `base` and `changed` of the same draws.
[[nodiscard]] std::vector<double> onLevelOf(const std::vector<double>& known, const std::vector<double>& base,
                                            const std::vector<double>& changed);

} // namespace prism
