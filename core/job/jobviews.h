// SPDX-License-Identifier: GPL-3.0-or-later
// The sampled runs of a whole job for people: ends by calendar day, losses that add up, probability to be done by a day.
#pragma once

#include "core/job/jobanswer.h"

#include <string>
#include <vector>

namespace prism {

/// The runs that end within one day of the job: from `day` to `day + 1` days after its start.
struct DayShare {
    int day = 0;
    double share = 0; ///< of all runs
    std::string date; ///< ISO; empty without a start date
    bool holdsMedian = false;
};
/// Every day from the first to the last run that ends, gaps too; the shares sum to 1. Wide distributions are put into bins of whole days so
/// that at most `mostBars` (>= 2) are left; `day` is then the first of its bin. Narrow ones get empty days on both sides up to `leastBars`.
/// Empty without runs. Pure; any thread.
[[nodiscard]] std::vector<DayShare> dayShares(const JobReport& report, int maxBars = 60, int minBars = 1);
/// Days of one bin of the same list.
[[nodiscard]] int daysPerBar(const JobReport& report, int maxBars = 60);

/// P(done within `days`) with the interval of the score test.
[[nodiscard]] Estimate doneWithin(const JobReport& report, double days);

/// One part of the mean wall time.
struct JobLoss {
    std::string id;          ///< "noise_free", "step_noise", then the causes of JobReport::shares
    std::string label;       ///< for people
    double days = 0;         ///< mean
    double halfWidth = 0;    ///< 95 %, of the sampled runs, days
    double share = 0;        ///< of the mean wall time
    bool ofFailures = false; ///< there only because something fails
};
/// The wall time from noise-free steps (`noiseFreeStepSeconds` each) over the noise of steps to every loss; days sum to the mean, shares
/// to 1.
[[nodiscard]] std::vector<JobLoss> jobLosses(const JobReport& report, double noiseFreeStepSeconds);

/// Effect of another checkpoint interval on the mean wall time, to first order: productive days over the ratio of the closed form, with
/// the other losses as they are. Days.
struct IntervalDays {
    double intervalSeconds = 0, lostDays = 0; ///< lost to writing checkpoints and to work done twice
};
struct IntervalCost {
    std::vector<IntervalDays> curve; ///< ascending; empty without failures
    IntervalDays used, best;
    double closeLow = 0, closeHigh = 0; ///< intervals between which no more than kCloseDays over the best is lost, seconds
};
inline constexpr double kCloseDays = 0.2;
[[nodiscard]] IntervalCost intervalCost(const JobReport& report);

} // namespace prism
