// SPDX-License-Identifier: GPL-3.0-or-later
// The largest figures that a step graph may hold: what check(StepGraph) refuses, and what a costed scenario must not reach.
#pragma once

namespace prism {

/// Seconds of one operation: 30 years, more than any training run.
inline constexpr double kMaxOpSeconds = 1.0e9;

} // namespace prism
