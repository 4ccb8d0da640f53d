// SPDX-License-Identifier: GPL-3.0-or-later
// Delays added to the sampled time of whole steps: jitter of the hosts and stalls. Both simulators use it.
#pragma once

#include "core/sim/draw/draws.h"

#include <vector>

namespace prism {

/// Shape of the step jitter: a gamma variable of this coefficient of variation, shifted to mean 0 and scaled. Its skew, 0.7, is that of
/// the detrended bulk of twelve 405B runs on four systems (MLPerf Training 5.0 and 5.1 result logs: 5 %, 95 % and 99 % points at
/// -1.4, 1.9 and 2.8 standard deviations).
inline constexpr double kJitterShapeCv = 0.35;
/// Maximum number of stalls in one step: with more, the step is lost, which the job model covers.
inline constexpr int kMaxStalls = 64;

/// Delays of the steps of one run, each a pure function of the step's number and the seconds of its graph. Immutable; any thread.
class StepDelayModel final {
public:
    StepDelayModel(const StepGraph& graph, std::uint64_t seed, Run run);

    /// Seconds that the hosts add to or save of a step; mean 0 over steps, at most half of the step is saved.
    [[nodiscard]] double jitter(std::uint64_t step, double seconds) const;
    /// Seconds of the stalls of a step: their number is Poisson with mean rate x ranks x seconds / 3600, their sizes are lognormal.
    /// Across jobs each step has the gamma factor of its job on the rate; the median job has the factor's median.
    [[nodiscard]] double stalls(std::uint64_t step, double seconds) const;

private:
    StepDelays m_delays;
    std::uint64_t m_seed;
    Run m_run;
    double m_gpus;
    FactorSampler m_size, m_rate;
};

/// Adds the delays to steps 0, 1, ... of a run.
void addStepDelays(const StepGraph& graph, std::uint64_t seed, Run run, std::vector<double>& seconds);

} // namespace prism
