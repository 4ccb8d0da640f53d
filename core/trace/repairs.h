// SPDX-License-Identifier: GPL-3.0-or-later
// Gains of repairs of a measured job: its steps run again with one thing repaired, compared with the steps as they were.
#pragma once

#include "core/stats/intervals.h"
#include "core/trace/stepmodel.h"

#include <string>
#include <vector>

namespace prism {

/// Step times, seconds.
struct StepTimes {
    double mean = 0, p50 = 0, p95 = 0, p99 = 0;
};
[[nodiscard]] StepTimes stepTimes(std::vector<double> seconds);

/// A worker whose computations persistently take longer than those of its stage's median worker.
struct SlowWorker {
    int replica = 0, stage = 0;
    double factor = 1; ///< over the median, of the factors without sampling noise
};

/// Worker factors over the median of their stage; [replicas * stages].
[[nodiscard]] std::vector<double> overMedian(std::vector<double> factors, int stages);

inline constexpr double kSlowWorker = 1.03; ///< healthy workers of production jobs lie within 2 % of each other
/// Workers at least kSlowWorker over the median of their stage, slowest first; none with one replica.
[[nodiscard]] std::vector<SlowWorker> slowWorkers(const RegularJob& job, const ComputeFactors& factors);

/// Mean time of one micro-batch in a stage, forward and backward over all its chunks.
struct StageLoad {
    int stage = 0;
    double seconds = 0;
    double overMean = 1; ///< over the mean of the stages
};

/// One thing repaired and the steps that follow from it.
struct Repair {
    std::string id; ///< "worker:REPLICA:STAGE" (of profiles "worker:RANK"), "slow_workers", "even_stages", "even_micro_batches", "no_gaps",
                    ///< "steady_transfers"
    std::string text; ///< what is done, for people
    StepTimes after;
    Estimate saved; ///< seconds a step, mean over the steps, each against itself
    double savedP95Seconds = 0;
    std::vector<double> seconds; ///< [steps]
};

/// Differs from the published ideal (whatif.h). There one mean replaces every duration, and the slow worker is still in
/// that mean; here a slow worker becomes as fast as the median of its stage, and everything else (other durations, gaps, the wait for
/// the last one) stays as it was measured. The measured steps themselves are run again, so that the answer is a distribution.
struct Repairs {
    StepTimes before;       ///< of the steps run again without a repair
    double replayError = 0; ///< largest |run again / measured - 1|
    std::vector<double> beforeSeconds;
    std::vector<SlowWorker> slow;  ///< slowWorkers
    std::vector<StageLoad> stages; ///< [stages]
    std::vector<Repair> repairs;   ///< by their mean saving, largest first
    Diagnostics notes;             ///< what cannot be determined
};
inline constexpr double kUnevenStage = 0.03; ///< from the mean of the stages: from there on evening them out is a repair

/// Puts a repair with its steps into its place by mean saving; beforeSeconds and before are there.
void addRepair(Repairs& repairs, std::string id, std::string text, std::vector<double> seconds);

/// `job` and its TraceJob as given; steps in their order. Error: a step whose operations cannot be put in order. Any thread; one run of
/// every step for each repair.
[[nodiscard]] Result<Repairs> repairsOf(const RegularJob& job);

} // namespace prism
