// SPDX-License-Identifier: GPL-3.0-or-later
// A measured series of step times compared with the predicted distribution: does a job vary as much as predicted?
#pragma once

#include "core/base/result.h"
#include "core/measured/seriesshape.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace prism {

/// Runs of one job in the order of their steps.
struct StepSeries {
    std::vector<std::vector<double>> runs; ///< seconds; each at least 20 steps
    int dropped = 0;                       ///< steps omitted: what was removed, and runs too short
};

/// Cleaned runs of at least 20 steps, of `logged` steps in all. Errors: none is left.
[[nodiscard]] Result<StepSeries> seriesOf(const std::vector<CleanRun>& runs, std::size_t logged);
/// The runs without what `removal` names (seriesshape.h). Errors: no run of at least 20 steps is left.
[[nodiscard]] Result<StepSeries> cleanSeries(const StepLog& log, const SeriesRemoval& removal);

/// Shape of a series over its median.
struct SeriesMetrics {
    double p5 = 1, p95 = 1, p99 = 1; ///< over the median
    double cv = 0;
    double beyond = 0; ///< share of the steps beyond 1.05 times the median
};

/// Error of a predicted statistic, its 95 % interval from redrawn blocks of the measured steps, and the distance that two halves of
/// the measured steps themselves have in nine of ten splits.
struct MetricError {
    double error = 0, low = 0, high = 0, halves = 0;
};

struct SeriesComparison {
    int runs = 0, steps = 0, dropped = 0;
    double measuredMedianSeconds = 0, predictedMedianSeconds = 0;
    SeriesMetrics measured, predicted;
    double medianSpread = 0;      ///< relative standard deviation of the runs' medians; 0 with one run
    double lag1 = 0;              ///< correlation of neighbouring steps, measured
    double ks = 0;                ///< distance of the two distributions, each over its median
    double ksLow = 0, ksHigh = 0; ///< 95 % of it when blocks of 20 steps are drawn again (Kuensch 1989, doi:10.1214/aos/1176347265)
    double ksSamplingBound =
        0;               ///< 95 % of the distances of as many independent steps (measured correlation taken off) from the prediction itself
    double ksHalves = 0; ///< 90th percentile of the distance between random halves, in blocks of 20 steps, of the measured steps
    MetricError p50, p95, p99;      ///< relative error of the median; errors of p95 and p99 over the median, in shares of the median
    MetricError beyond;             ///< of the share of the steps beyond 1.05 times the median
    double predictedLag1 = 0;       ///< correlation of neighbouring predicted steps
    std::vector<std::string> notes; ///< what the model cannot express
};

/// Compares each step over its run's median with the predicted steps of one median job over theirs. `withinSeconds` in the order of the
/// steps, not empty. Deterministic (fixed seed of the drawing). Any thread.
[[nodiscard]] SeriesComparison compareSeries(const StepSeries& series, const std::vector<double>& withinSeconds);

} // namespace prism

namespace prism::report {

/// All values of the comparison: runs, steps, medians in seconds, errors {error, ci95, between_halves_p90}, shapes over the median, KS.
[[nodiscard]] nlohmann::ordered_json json(const SeriesComparison& comparison);

} // namespace prism::report
