// SPDX-License-Identifier: GPL-3.0-or-later
// Predicts the steps of a measured job from a part of them and compares with the rest.
#pragma once

#include "core/trace/tracejob.h"

#include <cstdint>
#include <string>

namespace prism {

struct HeldOutOptions {
    /// Steps to train on: "even" or "odd" places in the series, "first-half", a fraction in (0, 1) drawn with the seed (at least
    /// one step), or step numbers "17,20". The others are held out.
    std::string train = "even";
    bool excludeStartup = false; ///< exclude start-up steps (startup.h) from both parts
    int trainReplicas = 0;       ///< train on this many first replicas only; 0 = all
    std::uint64_t seed = 1;
    int samples = 4000; ///< steps to draw, 100 to 1,000,000
};

/// A distribution of step times compared with the held-out steps. Errors are relative: predicted / measured - 1.
struct DistributionScore {
    double mean = 0, p50 = 0, p95 = 0; ///< seconds
    double meanError = 0, p50Error = 0, p95Error = 0;
    double ks = 0, wassersteinSeconds = 0;
};

struct HeldOut {
    int trainSteps = 0, heldOutSteps = 0, startupSteps = 0, replicas = 0, trainReplicas = 0;
    double measuredMean = 0, measuredP50 = 0, measuredP95 = 0; ///< of the held-out steps, seconds
    DistributionScore predicted;
    DistributionScore baseline;         ///< the plain distribution of the training steps
    double ksFloor = 0;                 ///< mean KS between random parts of the measured steps, of the same sizes
    double meanFloor = 0, p95Floor = 0; ///< mean relative difference of their means and of their p95
    double ksCritical = 0;              ///< 5 % critical value for the held-out steps against a known distribution
    double replicaPhaseKs = 0;          ///< of the ends of each replica's computations
    double workerNoiseShare = 0, stepNoiseShare = 0, microBatchCorrelation = 0; ///< computeFactors
    std::vector<std::string> barriers;
    std::vector<std::string> assumptions;
    std::vector<double> predictedSeconds; ///< ascending
    Diagnostics notes;
};

/// Errors: options out of range, no step to learn from or to hold out. Same job, options and version: the same bits. Any thread.
[[nodiscard]] Result<HeldOut> heldOutPrediction(const TraceJob& whole, const HeldOutOptions& options);

struct RandomParts {
    int parts = 0, trainSteps = 0, heldOutSteps = 0;
    DistributionScore predicted, baseline; ///< means over the parts: of absolute errors, of distances
    double ksFloor = 0, meanFloor = 0, p95Floor = 0, replicaPhaseKs = 0;
};

inline constexpr int kMaxParts = 1'000;

/// heldOutPrediction with the seeds options.seed, options.seed + 1, ...; options.train must be a fraction. Errors: those of
/// heldOutPrediction, and no fraction, or parts outside 1 to kMaxParts.
[[nodiscard]] Result<RandomParts> randomParts(const TraceJob& job, HeldOutOptions options, int parts);

} // namespace prism
