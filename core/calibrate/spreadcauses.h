// SPDX-License-Identifier: GPL-3.0-or-later
// Step times of a system as named causes: jitter, stalls, a compute regime; and a joint model of several systems.
#pragma once

#include "core/measured/seriesshape.h"
#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace prism {

/// A fitted value with its 95 % interval.
struct Bounded {
    double value = 0, low = 0, high = 0;
};

/// Causes of the spread of one system's steps, in the vocabulary of the variability section.
struct SpreadCauses {
    int runs = 0, steps = 0, stalls = 0;
    double gpus = 0, gpuHours = 0, medianSeconds = 0;
    Bounded jitterSeconds;    ///< fresh in every step; intervals by redrawing blocks of 20 steps
    Bounded regimeCv;         ///< of the part that persists from step to step; 0 where its interval covers 0
    double regimeLag1 = 0;    ///< of that part, from the ratio of the covariances at lags 2 and 1
    Bounded stallsPerGpuHour; ///< exact Poisson interval (Garwood 1936, Biometrika 28)
    Bounded stallMeanSeconds;
    double stallCv = 0;             ///< from the logarithms of the sizes; 0 with fewer than two stalls
    double runMedianSpread = 0;     ///< relative standard deviation of the runs' medians; 0 with one run
    std::vector<std::string> notes; ///< what had to be assumed and which causes the data cannot distinguish
};

/// `gpus` of the job; `explainedCv`: the part of the spread between neighbouring steps that other causes of the model explain. Stalls as
/// in stallsteps.h. Pure; any thread.
[[nodiscard]] SpreadCauses spreadCauses(const std::vector<CleanRun>& runs, double gpus, double explainedCv);

/// One system among several.
struct SystemSpread {
    std::string name, generation; ///< generation: of the GPU, as text that is equal for GPUs of the same chip
    SpreadCauses causes;
};

/// Prediction for another system of a generation. Jitter: median of the systems. Stalls: all events over all GPU-hours, with the
/// spread of the rate of a system that was not seen: between systems beyond Poisson (method of moments), and what few events leave open of
/// the mean. Regime: mean over all systems in which one of the generation counts kOwnWeight times; none where no system of the generation
/// shows one.
struct PooledSpread {
    Bounded jitterSeconds, regimeCv, stallsPerGpuHour;
    double regimeLag1 = 0, stallMeanSeconds = 0, stallCv = 0, stallRateCv = 0;
    int systems = 0, ofGeneration = 0;
};
[[nodiscard]] PooledSpread pooledSpread(const std::vector<SystemSpread>& systems, const std::string& generation);
inline constexpr double kOwnWeight = 6.0;

void useSpread(VariabilityConfig& variability, const SpreadCauses& causes);

/// 95 % of the number of stalls in a job of `gpuHours` GPU-hours, where the rate of its system is gamma distributed around the mean:
/// a negative binomial variable.
struct CountRange {
    int low = 0, high = 0;
};
[[nodiscard]] CountRange stallRange(double perGpuHour, double rateCv, double gpuHours);

} // namespace prism
