// SPDX-License-Identifier: GPL-3.0-or-later
// One attempt at the order of a zero-bubble schedule: every stage chooses its next item by a policy.
#pragma once

#include "core/schedule/schedule.h"

#include <limits>
#include <tuple>
#include <vector>

namespace prism {

/// One choice of the planner's free parameters.
struct PlanPolicy {
    double idleBudget = 0.0;  ///< a stage may wait next to pending weight items until its idle time reaches this
    double forwardWait = 0.0; ///< a forward is put off for a backward that arrives within this time
    bool oldestFirst = false; ///< among ready backwards: oldest micro-batch first, else the one closest to the loss
    double warmupShare = 1.0; ///< part of the limit that early chunks may fill; the rest belongs to the last chunk
    bool fillsUp = false;     ///< an early chunk may take all places while a deeper one is on its way back and will make room
    bool alternates = false;  ///< after a backward a forward comes first, if need be after the weight item that makes room for it
};

/// Common inputs of all attempts. `shape` gives sizes and path, its order is ignored; it outlives the planner.
struct PlanTask {
    const Schedule& shape;
    PassTimes times;     ///< that a plan is judged by
    int maxInFlight = 1; ///< chunk activations per stage
};

/// A policy and the pass times that it plans for.
struct PlanAttempt {
    PassTimes planned;
    PlanPolicy policy;
};

/// Longest stage, end, in the unit of the pass times; shorter is better.
using PlanTime = std::tuple<double, double>;
inline constexpr double kNeverPlanned = std::numeric_limits<double>::infinity();

struct PlannedOrder {
    PlanTime time{kNeverPlanned, kNeverPlanned}; ///< as scheduleTiming finds them for the task's times
    std::vector<std::vector<ScheduleItem>> order;
};

/// Without an order where the policy runs into a deadlock, or where the longest stage would take more than `mostSeconds` and a billionth.
/// Cost: items x log(stages). Pure.
[[nodiscard]] PlannedOrder plannedOrder(const PlanTask& task, const PlanAttempt& attempt, double maxSeconds = kNeverPlanned);

} // namespace prism
