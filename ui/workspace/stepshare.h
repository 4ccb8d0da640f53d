// SPDX-License-Identifier: GPL-3.0-or-later
// The limits of the step time that are in force, and the share of steps that they ask for.
#pragma once

#include "core/engine/evaluator.h"
#include "core/stats/intervals.h"

#include <QString>

namespace prism::ui {

/// The limits in force, seconds; 0 = none. With a lower one P between the two is requested, else P beyond the upper one.
struct StepLimits {
    double lower = 0, upper = 0;
    [[nodiscard]] bool between() const { return lower > 0 && upper > lower; }
    bool operator==(const StepLimits&) const = default;
};

/// P(lower < step <= upper), or P(step > upper) without a lower limit.
/// The interval includes the error common to all samples, as those of the percentiles do. Half a millisecond: `ChangesCache` keeps them.
[[nodiscard]] Estimate shareAt(const Snapshot& snapshot, bool within, const StepLimits& limits);
/// "P(step > 9.30 s)", "P(9.10 s < step ≤ 9.30 s)".
[[nodiscard]] QString shareName(const StepLimits& limits);

} // namespace prism::ui
