// SPDX-License-Identifier: GPL-3.0-or-later
// How much of a training log is read, besides the bounds of its lines and steps (steplog.h). Stands on the help page "limits".
#pragma once

#include <cstddef>

namespace prism {

inline constexpr std::size_t kMaxLoggedRuns = 1'000; ///< steps of further runs count as unusable

} // namespace prism
