// Round axis ticks.
#pragma once

#include <QList>

namespace prism::ui {

struct AxisTicks {
    double low = 0, high = 1, step = 1; ///< low and high are multiples of step
    int decimals = 0;                   ///< that tell two neighbours apart
    [[nodiscard]] QList<double> values() const;
};

/// Ticks at 1, 2, 2.5 or 5 times a power of ten, about `count` of them, whose range covers [low, high].
[[nodiscard]] AxisTicks roundTicks(double low, double high, int count);

} // namespace prism::ui
