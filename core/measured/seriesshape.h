// SPDX-License-Identifier: GPL-3.0-or-later
// Structure of a run besides the noise of its steps: warm-up, steps after evaluations, level shifts, a trend.
#pragma once

#include "core/measured/steplog.h"
#include "core/stats/moments.h"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace prism {

/// From step `index` on the run is at `factor` times the level before.
struct LevelShift {
    int index = 0;
    double factor = 1;
};

/// All of it by index into the steps of the run. Shifts and trend are permanent; what reverts within some 40 steps is noise.
struct RunShape {
    int warmUp = 0;                            ///< outlying first steps, and the start-up
    int startUp = 0;                           ///< first steps among which long ones are more frequent than later; 0 = none
    std::vector<int> afterPause;               ///< steps that follow an evaluation or a checkpoint, ascending
    bool pausesLogged = false;                 ///< pauses are in the log's time stamps; otherwise they show by even spacing alone
    std::vector<LevelShift> shifts;            ///< ascending
    double trend = 0;                          ///< relative change from the first to the last step; 0 = none that stands out of the noise
    std::array<double, 2> trendTerms = {0, 0}; ///< 1 + a u + b u^2, u from -1 at the first step to 1 at the last
    double medianSeconds = 0;                  ///< of the steps after the warm-up
    double noiseSeconds = 0;                   ///< robust standard deviation of a step against its neighbours
    [[nodiscard]] double trendAt(int index, int steps) const;
};

/// Time that runs take besides their steps' noise: medians over the runs.
struct ShapeCosts {
    double warmUpSeconds = 0; ///< of the steps of the warm-up together, over as many later ones
    double pauseEverySteps = 0,
           pauseSeconds = 0; ///< of one pause on average: its length where logged, and how much longer the step after it is
    double trend = 0;
};
[[nodiscard]] ShapeCosts shapeCosts(const std::vector<LoggedRun>& runs, const std::vector<RunShape>& shapes);
/// Whether a step follows an evaluation or a checkpoint by the log's time stamps; `medianSeconds` of a step.
[[nodiscard]] bool followsPause(const LoggedStep& step, double medianSeconds);

/// Finds all of it but a start-up. Needs kMinSteps steps; shorter runs come back with median and noise only. Pure; any thread.
[[nodiscard]] RunShape runShape(const LoggedRun& run);
/// RunShape::warmUp alone, for a run that is followed: of a series of some hundred steps in some microseconds.
[[nodiscard]] int warmUpOf(const std::vector<double>& seconds);
inline constexpr int kMinSteps = 20;
/// The runs of one log: as runShape, and with the start-up that they have in common (startupOf).
[[nodiscard]] std::vector<RunShape> runShapes(const std::vector<LoggedRun>& runs);

/// Parts that are removed before steps are compared.
struct SeriesRemoval {
    bool warmUp = true, pauses = true, shifts = true, trend = true;
};

/// A run without what was removed: seconds at the level of the run's median.
struct CleanRun {
    std::vector<double> seconds;
    std::vector<int> index; ///< of each in the run
    double medianSeconds = 0;
};
[[nodiscard]] CleanRun cleanRun(const LoggedRun& run, const RunShape& shape, const SeriesRemoval& removal);

/// One line for people: "warm-up 2 steps; 5 steps after evaluations; trend +0.6 %".
[[nodiscard]] std::string shapeText(const RunShape& shape);

/// Steps of one run in which long ones are counted.
struct CountedSteps {
    std::vector<double> seconds;
    std::vector<bool> counts; ///< [steps]; not those of the warm-up or after a pause
    double minExcess = 0;     ///< seconds over the median of its nine neighbours from which on a step is long
};

/// Number of first steps until the last of the frequent long ones; 0 where they are not significant. Given how many long steps there are,
/// those among the first w follow a binomial distribution if none are more frequent; the w of least probability counts, at most
/// kMaxStartUp and a fifth of the shortest run, where that probability is below 0.001. Pure; any thread.
[[nodiscard]] int startUpSteps(const std::vector<CountedSteps>& runs);
inline constexpr int kMaxStartUp = 50;

/// Median of x[first] to x[last - 1]; `last` beyond the end is the end.
[[nodiscard]] double medianOfRange(const std::vector<double>& x, std::size_t first, std::size_t last);

/// Places in `x`, ascending, where its level changes for long: largest differences of the medians of 40 values before and after first, then
/// those that do not last go. The smallest change is 0.75 % of `level`, as healthy runs wander by 0.5 % within as many steps, and five
/// standard errors of such a difference.
[[nodiscard]] std::vector<int> shiftPlaces(const std::vector<double>& x, double level);

/// Medians of the parts of `x` between the shifts; one more than shifts.
[[nodiscard]] std::vector<double> partMedians(const std::vector<double>& x, const std::vector<int>& shifts);

} // namespace prism
