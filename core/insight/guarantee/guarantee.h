// SPDX-License-Identifier: GPL-3.0-or-later
// Guarantees about the steps alone: exceedance, limits, time to train. Deadlines of the whole job: core/job/jobsection.h.
#pragma once

#include "core/insight/insight.h"
#include "core/insight/guarantee/trainingtime.h"

namespace prism {

struct GuaranteeQuery {
    std::vector<double> limitsSeconds; ///< P(step > x) for each
    std::vector<double> probabilities; ///< x with P(step > x) = this, for each, in (0, 1)
    double trainTokens = 0;            ///< 0 = the scenario's train_tokens; 0 there too = no training time
    /// Relative change of the step time from the first to the last step of the run, as fit and validate steps name it; the scenario is
    /// for the middle. In (-1, 1).
    double trend = 0;
    bool asPredicted = false; ///< without the error of the mean and how systems differ
};

/// P(step > x). `resolved` false: too few samples in the tail for more than an upper bound (value 0, halfWidth = bound).
struct Exceedance {
    double limitSeconds = 0;
    Estimate acrossProbability, withinProbability;
    bool resolved = true;
    ExceedanceOverSystems overSystems; ///< the answer: with the error of the mean and how systems differ; the other two are as predicted
};
/// The limit that is exceeded with a given probability, seconds.
struct LimitFor {
    double probability = 0;
    Estimate acrossSeconds, withinSeconds;
    bool resolved = true;
    double overSystemsSeconds = 0;
};

struct Guarantee {
    DistributionSummary across, within; ///< seconds
    std::vector<double> sortedAcross, sortedWithin;
    std::vector<Exceedance> exceedances;
    std::vector<LimitFor> limits;
    std::shared_ptr<const SystemsRange> systems; ///< null where the query is asPredicted
    bool hasTraining = false;
    TrainingTime training; ///< of the steps alone
    double deadlineDays = 0;
    Estimate deadlineProbability; ///< of the whole job (jobsection.h); 0 days = not requested
    int samples = 0;
    std::uint64_t seed = 1;
    double elapsedSeconds = 0;
    std::vector<std::string> notes; ///< assumptions: no failures, no episodes, no checkpoints
};

/// Default 2,000 samples. Errors: invalid scenario, probabilities outside (0, 1), negative limits, cancelled.
[[nodiscard]] Result<Guarantee> guarantee(Evaluator& evaluator, const Scenario& scenario, const GuaranteeQuery& query,
                                          const InsightOptions& options = {});

[[nodiscard]] std::string toJson(const Guarantee& guarantee);
[[nodiscard]] std::string toCsv(const Guarantee& guarantee, TableText texts = TableText::forSheets);

} // namespace prism
