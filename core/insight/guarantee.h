// What can be promised: exceedance of a step, time to train, probability of a deadline.
#pragma once

#include "core/insight/insight.h"

namespace prism {

struct GuaranteeQuery {
    std::vector<double> limitsSeconds;  ///< P(step > x) for each
    std::vector<double> probabilities;  ///< x with P(step > x) = this, for each, in (0, 1)
    double trainTokens = 0;             ///< 0 = the scenario's train_tokens; 0 there too = no training time
    double deadlineDays = 0;            ///< 0 = none
};

/// P(step > x). `resolved` false: too few samples in the tail to say more than an upper bound (value 0, halfWidth = bound).
struct Exceedance {
    double limitSeconds = 0;
    Estimate acrossProbability, withinProbability;
    bool resolved = true;
};
/// The limit that is exceeded with a given probability, seconds.
struct LimitFor {
    double probability = 0;
    Estimate acrossSeconds, withinSeconds;
    bool resolved = true;
};

/// Time to train N tokens. The mean step of a job differs from job to job (persistent spatial factors); within a job
/// steps fluctuate around it with lag-1 correlation of the regimes, so the sum over n steps has variance
/// n sigma^2 (1 + 2 c rho / (1 - rho)) with c the regime's share of the variance within a job (AR(1)).
struct TrainingTime {
    double tokens = 0;
    double steps = 0;
    double meanDays = 0;
    double p5Days = 0, p50Days = 0, p95Days = 0, p99Days = 0;
    Estimate p50, p95;                  ///< days
    double stdJobDays = 0;              ///< from persistent factors: does not shrink with more steps
    double stdStepsDays = 0;            ///< from steps, with correlation
    double stdIfIndependentDays = 0;    ///< what N independent steps would claim, for contrast
    double effectiveIndependentSteps = 0;
    std::vector<double> sortedDays;     ///< sampled jobs, ascending
    Estimate deadlineProbability;       ///< P(done by the deadline)
    double deadlineDays = 0;
};

struct Guarantee {
    DistributionSummary across, within; ///< seconds
    std::vector<double> sortedAcross, sortedWithin;
    std::vector<Exceedance> exceedances;
    std::vector<LimitFor> limits;
    bool hasTraining = false;
    TrainingTime training;
    int samples = 0;
    std::uint64_t seed = 1;
    double elapsedSeconds = 0;
    std::vector<std::string> notes;     ///< assumptions: no failures, no episodes, no checkpoints
};

/// Default 20,000 samples. Errors: invalid scenario, probabilities outside (0, 1), negative limits, cancelled.
[[nodiscard]] Result<Guarantee> guarantee(Evaluator& evaluator, const Scenario& scenario, const GuaranteeQuery& query,
                                          const InsightOptions& options = {});

/// P(X > x) from ascending samples with its Wilson (1927) 95 % interval. Cheap: for dragging a limit in a chart.
[[nodiscard]] Estimate exceedance(const std::vector<double>& sorted, double x);

[[nodiscard]] std::string toJson(const Guarantee& guarantee);
[[nodiscard]] std::string toCsv(const Guarantee& guarantee);

} // namespace prism
