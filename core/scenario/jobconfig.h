// SPDX-License-Identifier: GPL-3.0-or-later
// What affects a whole training run besides its steps: failures, checkpoints, spares, slow episodes, pauses, power.
#pragma once

#include <string>
#include <vector>

namespace prism {

/// One kind of failure: how often it stops a job, and whether the node leaves the job for a repair.
struct FailureCause {
    std::string name;
    double per1000NodeDays = 0; ///< >= 0
    bool replacesNode = false;  ///< true: a spare takes over and the node is repaired; false: the job restarts where it was
    bool operator==(const FailureCause&) const = default;
};

/// Value of a field that the user did not set: it follows the job (core/job/jobdefaults.h).
inline constexpr int kFollowsJob = -1;
/// Storage of a large training cluster: 405B in 51.1 s (ByteCheckpoint, arXiv 2407.20143, table 8) at 14 bytes a parameter.
inline constexpr double kCheckpointGbPerS = 111;

/// Section `job` of a scenario. Times in the unit of the name; every entry is in the parameter table.
struct JobConfig {
    std::string preset; ///< name of the preset that it started from; empty = none

    std::vector<FailureCause> failures; ///< empty without a preset: those of the default preset of the GPU
    double failureScale = 1;            ///< factor on all rates

    double detectionS = kFollowsJob;  ///< from the failure until its detection, when the restart begins
    double restartS = kFollowsJob;    ///< from then until the first step: nodes, processes, loading
    double repairHours = kFollowsJob; ///< until a node that left is back
    int spareNodes = kFollowsJob;
    std::string withoutSpare = "wait"; ///< wait | shrink (continue with whole replicas of the nodes left)

    double checkpointIntervalS = 0;              ///< 0 = the best one
    double checkpointBlockS = kFollowsJob;       ///< how long training stands still for one
    double checkpointPersistS = kFollowsJob;     ///< how much later it is safe (asynchronous); 0 = synchronous
    double checkpointGbPerS = kCheckpointGbPerS; ///< write rate of the storage, all nodes together

    double slowPer1000NodeDays = 0; ///< fail-slow episodes
    double slowFactor = 1.2;        ///< step time of the job while one lasts
    double slowHours = 1.2;         ///< mean length without mitigation, exponential
    double slowMitigationS = 0;     ///< after this the cause is moved out at the cost of a restart; 0 = no mitigation

    double evaluationIntervalSteps = 0; ///< 0 = none
    double evaluationS = 0;
    double maintenanceEveryDays = kFollowsJob; ///< planned stops; 0 = none
    double maintenanceHours = 0;

    double nodePowerKw = kFollowsJob;    ///< mean draw of a node while training; 0 = unknown: no energy is stated
    double pue = kFollowsJob;            ///< facility over IT energy
    double gridGCo2PerKwh = kFollowsJob; ///< 0 = unknown: no emissions are stated
    double deadlineDays = 0;             ///< 0 = none
    std::string startDate;               ///< YYYY-MM-DD; empty = days are counted from the start
    bool operator==(const JobConfig&) const = default;
};

} // namespace prism
