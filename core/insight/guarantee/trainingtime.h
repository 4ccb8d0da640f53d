// SPDX-License-Identifier: GPL-3.0-or-later
// Time to train a number of tokens with GPU speeds that stay for the whole job and persistent congestion.
#pragma once

#include "core/insight/empirical.h"

#include <vector>

namespace prism {

/// Time to train N tokens. The mean step of a job differs from job to job (persistent spatial factors); within a job
/// steps fluctuate around it with lag-1 correlation of the regimes, so the sum over n steps has variance
/// n sigma^2 (1 + 2 c rho / (1 - rho)) with c the regime's share of the variance within a job (AR(1)).
struct TrainingTime {
    double tokens = 0;
    double steps = 0;
    double meanDays = 0;
    double p5Days = 0, p50Days = 0, p95Days = 0, p99Days = 0;
    Estimate p50, p95;               ///< days
    double stdJobDays = 0;           ///< from persistent factors: does not shrink with more steps
    double stdStepsDays = 0;         ///< from steps, with correlation
    double stdIfIndependentDays = 0; ///< what N independent steps would claim, for contrast
    double effectiveIndependentSteps = 0;
    std::vector<double> sortedDays; ///< sampled jobs, ascending
    OverSystems overSystems;        ///< days with the error of the mean and how systems differ; 0 where not requested
};

/// Statistics of the steps of a training run. Seconds.
struct TrainingInputs {
    std::vector<double> jobMeans; ///< mean step of sampled jobs
    double meanHalfWidth = 0;     ///< 95 %: of the mean step, which all jobs share
    double p95HalfWidth = 0;      ///< 95 %: of the 95 % quantile of jobMeans beyond that of independent jobs
    double withinVariance = 0;    ///< of the steps of one job
    double regimeShare = 0;       ///< of withinVariance, in [0, 1]
    double regimeLag1 = 0;        ///< lag-1 correlation of the part by regimes; below 1
    double tokens = 0, tokensPerStep = 1;
};

/// Pure; any thread.
[[nodiscard]] TrainingTime trainingTime(const TrainingInputs& inputs);

/// Days of runs 0, 1, ...: each run's stratum of the sampled jobs times its level (runLevels).
[[nodiscard]] std::vector<double> daysOfRuns(const std::vector<double>& sortedDays, const std::vector<double>& levels);

/// Variance of the sum of n steps over n times the variance of one, when a share of it follows an AR(1) with `lag1` and the rest is
/// independent: 1 - c + c (1 + rho) / (1 - rho), up to the ends of the series.
[[nodiscard]] double correlationFactor(double regimeShare, double lag1);

} // namespace prism
