// SPDX-License-Identifier: GPL-3.0-or-later
// Valid ranges of a measured job's factors. The parameter table checks them, fits stay inside.
#pragma once

namespace prism {

inline constexpr double kMinComputeLevel = 0.01,
                        kMaxComputeLevel = 100.0; ///< measured.compute_level, 1 = as predicted; far from 1 a trace of another model
inline constexpr double kMaxFittedLag1 = 0.95;    ///< beyond it a regime cannot be distinguished from a trend

} // namespace prism
