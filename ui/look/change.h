// SPDX-License-Identifier: GPL-3.0-or-later
// A change as text: with the digits that its interval leaves, or in words where no difference was found.
#pragma once

#include "core/stats/intervals.h"
#include "ui/look/format.h"

#include <QString>

namespace prism::ui::format {

/// Whether a change is to be shown: its interval excludes zero, and it is more than rounding of the changed metric (`of`, in the
/// same unit; 0 = not known).
[[nodiscard]] bool isFound(const Estimate& change, double of = 0);
/// "no difference found"
[[nodiscard]] QString noDifference();

/// "−593", "+0.28": a change with its sign and the digits that its half-width leaves, both in the unit that is written after it.
[[nodiscard]] QString signedMetric(double change, double halfWidth);
/// "−142 ms", three digits at most and none that the interval does not leave; in words where no difference was found. Seconds.
[[nodiscard]] QString timeChange(const Estimate& seconds, double of = 0);
[[nodiscard]] QString timeChange(const Estimate& seconds, double of, const TimeUnit& unit); ///< in the unit of a column
/// "+4.1 %", "−0.02 %" of a share, "12.3×" from ten times on; in words where no difference was found.
[[nodiscard]] QString percentChange(const Estimate& share);

/// "± 4 ms" next to "8.86 s", "± 0.1 ms" next to "399 ms": of what is shorter than a second in the unit of the value itself. Seconds.
[[nodiscard]] QString intervalNextTo(double metric, double halfWidth);

/// "1.32 s (+4.1 %, +52 ms)": a value in seconds against its baseline; half-width of their difference, 0 = exact.
[[nodiscard]] QString comparedSeconds(double value, double baseline, double halfWidth = 0);

} // namespace prism::ui::format
