// SPDX-License-Identifier: GPL-3.0-or-later
// The step of profiled ranks as segments between the collectives that all of them enter: its step graph.
#pragma once

#include "core/step/stepgraph.h"
#include "core/trace/kinetorank.h"
#include "core/trace/repairs.h"

#include <map>

namespace prism {

/// Kernels of one signature (collectivecalls.h) without those of barriers. A time in which several kernels run counts for the first one.
struct ProfilePool {
    std::string signature;
    bool computes = false;
};
inline constexpr std::size_t kIdlePool = 0; ///< the time without a kernel

/// From the end of one barrier (or the begin of the step) to the arrival of each rank at the next one; at the end of the step to the end of
/// its last kernel. `transfer` is from the last arrival to the end of the collective, or of the step. Seconds.
struct ProfileSegment {
    std::string collective;                                        ///< signature of the barrier behind it; empty: the end of the step
    std::vector<std::vector<double>> seconds;                      ///< [step][rank]
    std::vector<double> transfer;                                  ///< [step]
    std::vector<std::vector<std::map<std::size_t, double>>> pools; ///< [step][rank]: parts of `seconds` by ProfileModel::pools
};

struct ProfileModel {
    std::vector<int> ranks;               ///< that have a profile, by number
    std::vector<std::string> steps;       ///< that every rank has
    std::vector<double> stepSeconds;      ///< measured: from the first kernel of all ranks to that of the next step
    std::vector<ProfileSegment> segments; ///< in the order of the step
    std::vector<ProfilePool> pools;
    std::vector<std::string> assumptions;
    bool isComplete = false; ///< every rank of the job has a profile: else transfers contain waiting for the others
};

/// A collective call is a barrier if every profiled rank has it in every step and ranks wait for it idle in more than half of the
/// recorded cases. Other collectives are kernels like any other. Times are compared after clockOffsets; ranks without a call in common with
/// others begin their first step with them. Pure; any thread.
/// Error: the ranks have no step with kernels in common.
[[nodiscard]] Result<ProfileModel> profileModel(const std::vector<KinetoRank>& ranks);

/// What each step takes: every segment until its last rank arrives, and the transfers. Seconds; [steps].
[[nodiscard]] std::vector<double> stepSeconds(const ProfileModel& model);

/// Computing time of each rank over the median of the ranks that have the same pools in the same segments; [ranks].
[[nodiscard]] std::vector<double> rankFactors(const ProfileModel& model);

/// The model with these repairs, in their order: "worker:RANK", "slow_workers", "no_gaps", "steady_transfers" and "half_jitter" as
/// profileRepairs describes them; "faster:WORDS=FACTOR": kernels and transfers with these words in their signature take 1 / FACTOR of their
/// time. Pure; any thread. Error: an id that is
/// none of these, or nothing to which it applies.
[[nodiscard]] Result<ProfileModel> repaired(ProfileModel model, const std::vector<std::string>& repairs);

/// The measured steps run again with each repair alone, and with each of `more`. Slow workers are numbered by their rank. Errors as above.
[[nodiscard]] Result<Repairs> profileRepairs(const ProfileModel& model, const std::vector<std::string>& more = {});

/// The graph of one cell with this number of ranks (0 = the profiled ones). A segment draws from an empirical pool of all ranks and steps,
/// scaled so that the mean of the last of the profiled ranks is the measured one. What the segments of a step share is the compute regime.
/// The name of a class states its source: position, collective, ranks and steps, with or without waiting.
/// Pure; any thread. Error: what check(StepGraph) finds.
[[nodiscard]] Result<StepGraph> profileGraph(const ProfileModel& model, int ranks = 0);

} // namespace prism
