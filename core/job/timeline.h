// SPDX-License-Identifier: GPL-3.0-or-later
// One training run from start to end: work, checkpoints, failures, repairs, slow episodes and planned stops as events in time.
#pragma once

#include <cstdint>

namespace prism {

/// Events and delays of one run, all rates of the whole job. Seconds; rates per second.
struct TimelineInputs {
    double workSeconds = 0; ///< productive time: steps times the mean step of this run
    double nodes = 1, nodesPerReplica = 1;
    double softFailureRate = 0, nodeFailureRate = 0; ///< that restart in place, and that take a node away
    double detection = 0, restart = 0, repair = 0;
    int spareNodes = 0;
    bool shrinks = false;                                ///< without a spare: continue with whole replicas of the nodes left, else wait
    double interval = 0, block = 0, persist = 0;         ///< checkpoints; interval > 0, may be infinite
    double slowRate = 0, slowFactor = 1, slowLength = 0; ///< fail-slow episodes, exponential length
    double slowMitigation = 0;                           ///< 0 = they run their length
    double maintenanceEvery = 0, maintenanceLength = 0;  ///< 0 = none
    double longestSeconds = 0;                           ///< a run that is not done by then is given up; > 0
};

/// The wall time of one run by activity. Seconds; they sum to `wall`.
struct RunLedger {
    double wall = 0, productive = 0;
    double checkpoint = 0, rework = 0, detection = 0, restart = 0, waiting = 0, shrunk = 0, slow = 0, maintenance = 0;
    int failures = 0, interruptions = 0; ///< unplanned stops; these and the planned ones
    bool finished = true;
};

/// One run; a pure function of its arguments, so runs with the same number use the same uniforms (common random numbers). Any thread.
/// Assumes exponential times between failures and a fixed repair time; failures during a restart start it again; a checkpoint that is not
/// yet safe at a failure is lost; slow episodes do not add up: the job is as slow as one; a planned stop waits for a checkpoint, so it
/// costs its length and a restart but no work.
[[nodiscard]] RunLedger sampledRun(const TimelineInputs& inputs, std::uint64_t seed, std::uint64_t run);

} // namespace prism
