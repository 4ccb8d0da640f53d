// SPDX-License-Identifier: GPL-3.0-or-later
// Axis ticks at round numbers, and their labels with as many decimals as the step needs.
#pragma once

#include <QString>

#include <vector>

namespace prism::ui {

struct Ticks {
    std::vector<double> values;
    double step = 1;
    int decimals = 0;
    [[nodiscard]] QString label(double value) const;
    /// With a sign, for axes of changes; zero has none.
    [[nodiscard]] QString signedLabel(double value) const;
};

/// Multiples of 1, 2, 2.5 or 5 times a power of ten inside [low, high], at most `most` (2 to 20). Empty for empty, non-finite
/// or reversed ranges.
[[nodiscard]] Ticks niceTicks(double low, double high, int largest);
/// The same multiples from the last one at or below `low` to the first one at or above `high`, at least two of them; a range
/// without width is widened, one that is not finite gives 0 and 1.
[[nodiscard]] Ticks coveringTicks(double low, double high, int largest);
/// The smallest round number (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten) at or above value > 0.
[[nodiscard]] double niceCeiling(double value);

} // namespace prism::ui
