// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/clock.h"

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

/// No board slows below this: the lowest clock at which the matrix units are run.
constexpr double kLowestClock = 0.25;

} // namespace

double sustainedClock(double boardWatts, const PowerDraw& draw, double load)
{
    const double dynamic = draw.matrixWatts * std::clamp(load, 0.0, 1.0);
    if (boardWatts <= 0 || dynamic <= 0 || draw.idleWatts + dynamic <= boardWatts)
        return 1;
    return std::max(kLowestClock, std::sqrt(std::max(0.0, boardWatts - draw.idleWatts) / dynamic));
}

} // namespace prism
