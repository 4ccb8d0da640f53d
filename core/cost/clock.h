// SPDX-License-Identifier: GPL-3.0-or-later
// The clock that a kernel can hold under the board's power limit.
#pragma once

namespace prism {

/// Power of the boards of a GPU family, in watts at the boost clock.
struct PowerDraw {
    double idleWatts = 100;   ///< the part that does not depend on the clock: memory, links, leakage
    double matrixWatts = 600; ///< the part of the matrix units when they are always busy, at this precision
};

/// Share of the boost clock, at most 1. Dynamic power goes with f V^2; over the range of clocks that power limits reach the voltage
/// falls with the root of the clock, so P = idle + matrix * load * f^2 (GB300: 617 TFLOP/s at 500 W and 1,600 to 2,174 at 1,400 W,
/// facebookexperimental/triton PR 2023; a fixed voltage would give f^1, one that falls with the clock f^3). `load` is the share of
/// time in which the matrix units work, 0 to 1; `boardWatts` 0 = no limit is known.
[[nodiscard]] double sustainedClock(double boardWatts, const PowerDraw& draw, double load);

} // namespace prism
