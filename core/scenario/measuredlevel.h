// SPDX-License-Identifier: GPL-3.0-or-later
// The level of a step as it was measured, and the jobs for which that measurement holds.
#pragma once

#include "core/scenario/scenario.h"

#include <string>

namespace prism {

/// What the level of compute depends on besides the chip, as "precision=bf16, fusion=auto, ...": also attention, clock, power limit.
[[nodiscard]] std::string levelSettings(const Scenario& scenario);

/// The job of a measured level (MeasuredConfig::levelJob): levelSettings, a hash of all else that the mean step depends on, GPUs and
/// global batch.
[[nodiscard]] std::string measuredJob(const Scenario& scenario);

/// How much a measured level says about a scenario.
struct MeasuredLevel {
    double error = 0;           ///< relative, nine of ten lie within: the mean step of this job was measured; 0 = it was not
    bool otherSettings = false; ///< a level is in use that was measured with other levelSettings
};

/// The same job on another number of GPUs or with another global batch keeps the level with kScaleError in addition; any other job has
/// none. Pure.
[[nodiscard]] MeasuredLevel measuredLevel(const Scenario& scenario);

/// Nine of ten levels of a run lie within this of its other steps': the median of the last four fifths against that of the first fifth,
/// root mean square 0.7 % over 12 runs of Llama 3.1 405B on four systems (MLPerf Training 5.0 and 5.1 result logs), times 1.64.
inline constexpr double kRunLevelError = 0.012;
/// The same for another number of GPUs: predicted over measured change of the step between two sizes of one job, 25 of 28 pairs of
/// published rows of tiers A and B that differ in GPUs and global batch alone (LLM Foundry, InternEvo, MegaScale, MLPerf 3.1; 8 to 4,096
/// GPUs).
inline constexpr double kScaleError = 0.08;

} // namespace prism
