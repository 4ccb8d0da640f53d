// SPDX-License-Identifier: GPL-3.0-or-later
// Which attempts at an order are made, and which one is kept.
#include "core/schedule/greedy.h"

#include "core/schedule/planner.h"

#include <algorithm>
#include <utility>

namespace prism {

namespace {

constexpr int kRankedRounds = 8;                  ///< micro-batches per stage: fill, drain and several rounds of the steady state
constexpr std::size_t kMaxDecisions = 20'000'000; ///< of planning: about 1 s at 50 ns
constexpr std::size_t kFullPlans = 2;             ///< the best of a shorter step, planned in full

/// What is tried. With one chunk the order of chunks leaves no choice, and idle budgets are searched more finely.
std::vector<PlanPolicy> policies(const PassTimes& times, bool chunked)
{
    const double unit = times.forward + times.backward + times.weight;
    std::vector<PlanPolicy> out;
    if (!chunked) {
        for (const double budget : {0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 1e9})
            for (const double wait : {0.0, 0.1, 0.5})
                out.push_back({budget * unit, wait * times.forward, false, 1.0, false, false});
        return out;
    }
    for (const auto& [fillsUp, alternates] : {std::pair{false, false}, {true, true}, {true, false}})
        for (const bool oldestFirst : {false, true})
            for (const double share : {0.5, 0.8, 1.0})
                for (const double budget : {0.0, 0.4, 3.0, 1e9})
                    for (const double wait : {0.0, 0.5})
                        if (wait <= budget) // without idle budget nothing is put off
                            out.push_back({budget * unit, wait * times.forward, oldestFirst, share, fillsUp, alternates});
    return out;
}

/// All attempts. With equal passes the plan follows the steps of the handcrafted schedule, which passes of unequal length can
/// often keep.
std::vector<PlanAttempt> attempts(const PassTimes& times, bool chunked)
{
    const double third = (times.forward + times.backward + times.weight) / 3.0;
    const PassTimes even{third, third, third, times.transfer, times.weightShare};
    std::vector<PlanAttempt> out;
    for (const PlanPolicy& policy : policies(times, chunked)) {
        out.push_back({times, policy});
        if (chunked && policy.idleBudget == 0.0)
            out.push_back({even, policy});
    }
    return out;
}

std::size_t itemsOf(const Schedule& shape)
{
    return shape.path.size() * static_cast<std::size_t>(shape.numMicrobatches) * kPhases;
}

/// An attempt's place in the list, and how long its plan of the shorter step takes.
struct Ranked {
    PlanTime time;
    std::size_t attempt = 0;
};

/// Attempts from the best to the worst on a step of at most kRankedRounds micro-batches per stage: what follows repeats the steady state.
/// As many are tried as kMaxDecisions allows, spread over the list. `all`: also those that end in a deadlock; else only those that can be
/// among the best kFullPlans, which saves most of the work.
std::vector<Ranked> rankedAttempts(const PlanTask& task, const std::vector<PlanAttempt>& attempts, bool all)
{
    Schedule shorter = task.shape;
    shorter.numMicrobatches = std::min(shorter.numMicrobatches, kRankedRounds * shorter.numStages);
    const std::size_t affordable = std::clamp(kMaxDecisions / itemsOf(shorter), kFullPlans, attempts.size());
    std::vector<Ranked> ranked;
    std::vector<double> longest(kFullPlans, kNeverPlanned); // of the best plans so far, ascending
    for (std::size_t k = 0; k < affordable; ++k) {
        const std::size_t attempt = k * attempts.size() / affordable;
        const PlannedOrder p =
            plannedOrder({shorter, task.times, task.maxInFlight}, attempts[attempt], all ? kNeverPlanned : longest.back());
        if (p.order.empty() && !all)
            continue;
        ranked.push_back({p.time, attempt});
        longest.insert(std::upper_bound(longest.begin(), longest.end(), std::get<0>(p.time)), std::get<0>(p.time));
        longest.pop_back();
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) { return a.time < b.time; });
    return ranked;
}

/// The best kFullPlans of a shorter step, in full; nothing where one of those ends in a deadlock and not `all` are at hand.
std::vector<std::vector<ScheduleItem>> bestOfRanked(const PlanTask& task, const std::vector<PlanAttempt>& attempts, bool all)
{
    std::vector<Ranked> ranked = rankedAttempts(task, attempts, all);
    if (!all)
        ranked.resize(std::min(ranked.size(), kFullPlans));
    PlannedOrder best;
    std::size_t plans = 0;
    for (const Ranked& r : ranked) {
        if (plans == kFullPlans)
            break;
        PlannedOrder p = plannedOrder(task, attempts[r.attempt]);
        plans += p.order.empty() ? 0 : 1;
        if (p.time < best.time)
            best = std::move(p);
    }
    if (plans < kFullPlans && !all)
        best.order.clear();
    return std::move(best.order);
}

} // namespace

std::vector<std::vector<ScheduleItem>> greedyOrder(const Schedule& shape, const PassTimes& times, int maxInFlight)
{
    const std::vector<PlanAttempt> all = attempts(times, shape.numChunks > 1);
    const PlanTask task{shape, times, maxInFlight};
    if (shape.numMicrobatches <= kRankedRounds * shape.numStages && itemsOf(shape) * all.size() <= kMaxDecisions) {
        PlannedOrder best;
        for (const PlanAttempt& attempt : all)
            if (PlannedOrder p = plannedOrder(task, attempt, std::get<0>(best.time)); p.time < best.time)
                best = std::move(p);
        return std::move(best.order);
    }
    std::vector<std::vector<ScheduleItem>> order = bestOfRanked(task, all, false);
    return order.empty() ? bestOfRanked(task, all, true) : order;
}

} // namespace prism
