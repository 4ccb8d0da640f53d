// SPDX-License-Identifier: GPL-3.0-or-later
// Limits on a cluster's calibration. On the help page "limits".
#pragma once

#include <cstddef>

namespace prism {

inline constexpr std::size_t kMaxCalibrationPool = 10'000;   ///< factors of the compute regime
inline constexpr std::size_t kMaxCalibrationSources = 1'000; ///< of a file, and facts of each

} // namespace prism
