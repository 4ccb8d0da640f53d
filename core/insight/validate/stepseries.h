// A measured series of step times beside the predicted distribution: does a job vary as much as we say?
#pragma once

#include "core/engine/evaluator.h"

#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// Runs of one job in the order of their steps.
struct StepSeries {
    std::vector<std::vector<double>> runs; ///< seconds; each at least 20 steps
    int dropped = 0;                       ///< steps left out at the beginning of the runs
};

struct StepSeriesQuery {
    std::string timeColumn = "step_time_s"; ///< seconds; or a column that ends in _ms
    std::string runColumn = "run";          ///< where the table has it: lines with one value belong to one run
    int skip = 2;                           ///< first steps of each run that are left out (warm-up), 0-1000
};

/// Reads comma-separated lines with a header, at most 2,000,000 of them. Errors, all at once and each with its line: no such column, a
/// time that is not a positive number, no run of at least 20 steps after the warm-up.
[[nodiscard]] Result<StepSeries> readStepSeries(std::string_view csv, const StepSeriesQuery& query);

/// Shape of a series over its median.
struct SeriesFigures {
    double p5 = 1, p95 = 1, p99 = 1; ///< over the median
    double cv = 0;
    double beyond = 0; ///< share of the steps beyond 1.05 times the median
};

struct SeriesComparison {
    int runs = 0, steps = 0, dropped = 0;
    double measuredMedianSeconds = 0, predictedMedianSeconds = 0;
    SeriesFigures measured, predicted;
    double medianSpread = 0;      ///< relative standard deviation of the runs' medians; 0 with one run
    double lag1 = 0;              ///< correlation of neighbouring steps, measured
    double ks = 0;                ///< distance of the two distributions, each over its median
    double ksLow = 0, ksHigh = 0; ///< 95 % of it when blocks of 20 steps are drawn again (Kuensch 1989, doi:10.1214/aos/1176347265)
    double ksByChance =
        0; ///< 95 % of the distances of as many independent steps (measured correlation taken off) from the prediction itself
};

/// Compares each step over its run's median with the predicted steps of one median job over theirs. `sortedWithinSeconds` ascending,
/// not empty. Deterministic (fixed seed of the drawing). Any thread.
[[nodiscard]] SeriesComparison compareSeries(const StepSeries& series, const std::vector<double>& sortedWithinSeconds);

} // namespace prism
