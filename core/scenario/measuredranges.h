// SPDX-License-Identifier: GPL-3.0-or-later
// Where a measured job's factors may lie. The parameter table checks them, fits stay inside.
#pragma once

namespace prism {

inline constexpr double kMinComputeLevel = 0.01,
                        kMaxComputeLevel = 100.0; ///< measured.compute_level, 1 = as predicted; far from 1 a trace of another model
inline constexpr double kMaxFittedLag1 = 0.95;    ///< beyond it a regime cannot be told from a trend

} // namespace prism
