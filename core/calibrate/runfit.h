// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario fitted to the step times of a run: few named factors, each with an interval, and the causes that the data cannot distinguish.
#pragma once

#include "core/calibrate/clustercalibration.h"
#include "core/calibrate/spreadcauses.h"
#include "core/engine/evaluator.h"

namespace prism {

struct RunFitOptions {
    std::uint64_t seed = 1;
    int samples = 8'000; ///< steps of the prediction that the series is compared with
    int threads = 0;
};

struct RunFit {
    SpreadCauses causes;
    std::vector<RunShape> shapes; ///< of the runs of a log, with the parts that were found and removed
    ShapeCosts costs;             ///< of these parts; pauses are evaluations of the fitted job
    Bounded computeLevel;         ///< measured over predicted time of compute; interval from the runs' medians
    double computeShare = 0;      ///< of the step: how much of a change of all compute reaches it
    double otherSpread = 1;       ///< on the spreads that the scenario had: 1, or less where they alone are wider than the series
    double explainedCv = 0;       ///< of neighbouring steps, from those spreads
    double measuredMedianSeconds = 0, predictedMedianSeconds = 0; ///< before the fit
    Scenario fitted;
    std::vector<std::string> notes;
};

/// Step times of the scenario's median job, without variance shares. Errors: the scenario's diagnostics.
[[nodiscard]] Result<std::vector<double>> withinSteps(Evaluator& evaluator, const Scenario& scenario, const RunFitOptions& options);

/// The steps of a run that a measured series is compared with, in their order.
struct PredictedRun {
    std::vector<double> seconds; ///< of one median job; with the trend of a run on the system in the middle, where it is requested
    std::shared_ptr<const SystemsRange> systems;
};
/// Errors: the scenario's diagnostics; stopped, which has no message.
[[nodiscard]] Result<PredictedRun> predictedRun(Evaluator& evaluator, const Scenario& scenario, EvaluateOptions options, bool hasTrend);

/// Fits the given cleaned runs (trend, shifts, pauses and warm-up removed). Errors: the scenario's diagnostics; no run of 20 steps.
[[nodiscard]] Result<RunFit> fittedRun(Evaluator& evaluator, const Scenario& scenario, const std::vector<CleanRun>& given,
                                       const RunFitOptions& options);

/// The same of a log: removes trend, shifts, pauses and warm-up, takes a part of each run (partOf) and keeps what was removed in `shapes`
/// and `costs`.
[[nodiscard]] Result<RunFit> fittedLog(Evaluator& evaluator, const Scenario& scenario, const std::vector<LoggedRun>& runs,
                                       const std::string& part, const RunFitOptions& options);

/// The fit as part of a calibration of the cluster, with its intervals and assumptions.
[[nodiscard]] ClusterCalibration calibrationOf(const RunFit& fit, const std::string& input);

/// Steps of a cleaned run in alternating blocks of 20 ("odd", "even") or before and after its middle ("first", "second").
[[nodiscard]] CleanRun partOf(const CleanRun& run, const std::string& part);

} // namespace prism
