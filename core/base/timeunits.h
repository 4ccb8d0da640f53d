// SPDX-License-Identifier: GPL-3.0-or-later
// Seconds in the longer units of time that people plan in.
#pragma once

namespace prism {

inline constexpr double kSecondsPerMinute = 60, kSecondsPerHour = 3'600, kSecondsPerDay = 86'400, kSecondsPerWeek = 604'800;

} // namespace prism
