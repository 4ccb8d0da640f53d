// SPDX-License-Identifier: GPL-3.0-or-later
// The statistics of a sampled step-time distribution, each with its interval.
#pragma once

#include "core/sim/simulate.h"
#include "core/stats/moments.h"

namespace prism {

/// Half-widths are of 95 % intervals, in seconds.
struct DistributionSummary {
    double mean = 0, std = 0, cv = 0, p5 = 0, p10 = 0, p25 = 0, p50 = 0, p75 = 0, p90 = 0, p95 = 0, p99 = 0;
    double ciMean = 0, ciP50 = 0, ciP95 = 0, ciP99 = 0;
    std::size_t samples = 0;
};

/// Half-width of the 95 % interval of an error: Student's t for its degrees of freedom.
[[nodiscard]] double halfWidth95(const SharedError::Part& error);
/// Statistics of independent samples; the shared error of a run across jobs is added to those of order statistics.
[[nodiscard]] DistributionSummary summarize(std::vector<double> samplesSeconds, const StepSamples* sharedErrors = nullptr);
/// Statistics of the steps within a job. They follow one another: the intervals count their correlation, and which job was drawn.
[[nodiscard]] DistributionSummary summarizeWithin(const StepSamples& samples);

/// Shares of the variance of the step time across jobs: variance with only this cause active over the total; `interaction`
/// is what is left (may be negative). Half-widths of 95 % intervals next to them.
struct VarianceShare {
    double spatial = 0, temporal = 0, regime = 0, data = 0, rare = 0, jitter = 0, stall = 0, interaction = 0;
    double ciSpatial = 0, ciTemporal = 0, ciRegime = 0, ciData = 0, ciRare = 0, ciJitter = 0, ciStall = 0;
};

} // namespace prism
