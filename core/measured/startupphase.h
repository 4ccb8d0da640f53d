// SPDX-License-Identifier: GPL-3.0-or-later
// The start-up of a job beyond its warm-up: first steps among which long ones are more frequent than later, in all runs together.
#pragma once

#include <vector>

namespace prism {

/// Steps of one run in which long ones are counted.
struct CountedSteps {
    std::vector<double> seconds;
    std::vector<bool> counts; ///< [steps]; not those of the warm-up or after a pause
    double minExcess = 0;     ///< seconds over the median of its nine neighbours from which on a step is long
};

/// Number of first steps until the last of the frequent long ones; 0 where they are not significant. Given how many long steps there are,
/// those among the first w follow a binomial distribution if none are more frequent; the w of least probability counts, at most
/// kMostStartUp and a fifth of the shortest run, where that probability is below 0.001. Pure; any thread.
[[nodiscard]] int startUpSteps(const std::vector<CountedSteps>& runs);
inline constexpr int kMaxStartUp = 50;

} // namespace prism
