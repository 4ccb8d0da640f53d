// SPDX-License-Identifier: GPL-3.0-or-later
// The start-up of a job beyond its warm-up: first steps among which long ones are more frequent, or neighbours differ more, than later,
// in all runs together.
#pragma once

#include <vector>

namespace prism {

/// Steps of one run in which long ones are counted.
struct CountedSteps {
    std::vector<double> seconds;
    std::vector<bool> counts; ///< [steps]; not those of the warm-up or after a pause
    double leastExcess = 0;   ///< seconds over the median of its nine neighbours from which on a step is long
};

/// Number of first steps until the last of the frequent long ones; 0 where chance explains them. Given how many long steps there are,
/// those among the first w follow a binomial distribution if none are more frequent; the w of least probability counts, at most
/// kMostStartUp and a fifth of the shortest run, where that probability is below 0.001. Pure; any thread.
[[nodiscard]] int startUpSteps(const std::vector<CountedSteps>& runs);
inline constexpr int kMostStartUp = 50;

/// Number of first steps between whose neighbours the differences are larger than later, at most a third of the shortest run; 0 where
/// chance explains them. The absolute differences of neighbours that count are ranked, and the w of the largest rank-sum score counts
/// (Mann and Whitney 1947, doi:10.1214/aoms/1177730491) where it is 3.5 standard deviations or more (many w are looked at: by chance one
/// series in some 250) and the median difference falls to two thirds or less (fewer still). Pure; any thread.
[[nodiscard]] int settlingSteps(const std::vector<CountedSteps>& runs);

} // namespace prism
