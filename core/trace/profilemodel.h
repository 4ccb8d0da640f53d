// SPDX-License-Identifier: GPL-3.0-or-later
// The step of profiled ranks as segments between the collectives that all of them enter: its step graph.
#pragma once

#include "core/step/stepgraph.h"
#include "core/trace/kinetorank.h"

namespace prism {

/// From the end of one barrier (or the begin of the step) to the arrival of each rank at the next one.
/// `transfer` is from the last arrival to the end of the collective. Seconds.
struct ProfileSegment {
    std::string collective;                   ///< signature of the barrier behind it; empty: the end of the step
    std::vector<std::vector<double>> seconds; ///< [step][rank]
    std::vector<double> transfer;             ///< [step]
};

struct ProfileModel {
    std::vector<int> ranks;               ///< that have a profile, by number
    std::vector<std::string> steps;       ///< that every rank has
    std::vector<double> stepSeconds;      ///< measured: from the first kernel of all ranks to that of the next step
    std::vector<ProfileSegment> segments; ///< in the order of the step
    std::vector<std::string> assumptions;
    bool isComplete = false; ///< every rank of the job has a profile: else transfers contain waiting for the others
};

/// A collective call is a barrier if every profiled rank has it in every step and ranks wait for it idle in more than half of the
/// recorded cases. Other collectives are kernels like any other. Times are compared after clockOffsets. Pure; any thread.
/// Error: the ranks have no step with kernels in common.
[[nodiscard]] Result<ProfileModel> profileModel(const std::vector<KinetoRank>& ranks);

/// The graph of one cell with this number of ranks (0 = the profiled ones). A segment draws from an empirical pool of all ranks and steps,
/// scaled so that the mean of the last of the profiled ranks is the measured one. What the segments of a step share is the compute regime.
/// The name of a class states its source: position, collective, ranks and steps, with or without waiting.
/// Pure; any thread. Error: what check(StepGraph) finds.
[[nodiscard]] Result<StepGraph> profileGraph(const ProfileModel& model, int ranks = 0);

} // namespace prism
