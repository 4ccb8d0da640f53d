// SPDX-License-Identifier: GPL-3.0-or-later
// The largest values that a step graph may have: check(StepGraph) rejects larger ones, and a costed scenario must not reach them.
#pragma once

namespace prism {

/// Seconds of one operation: 30 years, more than any training run.
inline constexpr double kMaxOpSeconds = 1.0e9;

} // namespace prism
