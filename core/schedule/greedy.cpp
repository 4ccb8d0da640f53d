// SPDX-License-Identifier: GPL-3.0-or-later
// List scheduler for zb-1p, zb-2p and zb-v.
#include "core/schedule/greedy.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <tuple>

namespace prism {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr int kRankedRounds = 8;                   ///< micro-batches per stage: fill, drain and several rounds of the steady state
constexpr std::size_t kMostDecisions = 20'000'000; ///< of planning: about 2 s at 100 ns
constexpr std::size_t kFullPlans = 2;              ///< the best of a shorter step, planned in full

/// One choice of the planner's free parameters.
struct Policy {
    double idleBudget = 0.0;  ///< a stage may wait beside pending weight items until its idle time reaches this
    double forwardWait = 0.0; ///< a forward is put off for a backward that arrives within this time
    bool oldestFirst = false; ///< among ready backwards: oldest micro-batch first, else the one closest to the loss
    double warmupShare = 1.0; ///< part of the limit that early chunks may fill; the rest belongs to the last chunk
    bool fillsUp = false;     ///< an early chunk may take all places while a deeper one is on its way back and will make room
    bool alternates = false;  ///< after a backward a forward comes first, if need be after the weight item that makes room for it
};

struct StageState {
    double clock = 0.0;
    double idle = 0.0;
    bool started = false;
    bool owesForward = false; ///< its last forward or backward was a backward
    double inFlight = 0.0;
    std::vector<int> nextForward, nextBackward; ///< per chunk
    std::deque<ScheduleItem> pendingWeight;
    std::vector<ScheduleItem> order;
};

struct Candidate {
    ScheduleItem item;
    double arrival = kNever;
};

class Planner final {
public:
    Planner(const Schedule& shape, const PassTimes& times, int maxInFlight, const Policy& policy)
        : m_shape(shape),
          m_times(times),
          m_maxInFlight(maxInFlight),
          m_policy(policy),
          m_index(pathIndices(shape)),
          m_stages(static_cast<std::size_t>(shape.numStages)),
          m_wake(static_cast<std::size_t>(shape.numStages), kNever)
    {
        const std::size_t slots = shape.path.size() * static_cast<std::size_t>(shape.numMicrobatches);
        m_forwardArrival.assign(slots, kNever);
        m_backwardArrival.assign(slots, kNever);
        std::fill_n(m_forwardArrival.begin(), shape.numMicrobatches, 0.0);
        for (StageState& s : m_stages) {
            s.nextForward.assign(static_cast<std::size_t>(shape.numChunks), 0);
            s.nextBackward.assign(static_cast<std::size_t>(shape.numChunks), 0);
        }
        m_wake[static_cast<std::size_t>(shape.path.front()[0])] = 0.0;
    }

    std::vector<std::vector<ScheduleItem>> plan()
    {
        for (;;) {
            const auto first = std::min_element(m_wake.begin(), m_wake.end());
            if (*first == kNever)
                break;
            decide(static_cast<int>(first - m_wake.begin()));
        }
        std::vector<std::vector<ScheduleItem>> order;
        for (StageState& s : m_stages)
            order.push_back(std::move(s.order));
        return order;
    }

private:
    [[nodiscard]] std::size_t at(int pathIndex, std::uint32_t m) const
    {
        return static_cast<std::size_t>(pathIndex) * static_cast<std::size_t>(m_shape.numMicrobatches) + m;
    }

    [[nodiscard]] Candidate backward(int stage) const
    {
        const StageState& s = m_stages[static_cast<std::size_t>(stage)];
        Candidate best;
        for (int chunk = m_shape.numChunks - 1; chunk >= 0; --chunk) {
            const int m = s.nextBackward[static_cast<std::size_t>(chunk)];
            if (m >= m_shape.numMicrobatches)
                continue;
            const Candidate c{{Phase::backward, static_cast<std::uint16_t>(chunk), static_cast<std::uint32_t>(m)},
                              m_backwardArrival[at(m_index[static_cast<std::size_t>(stage)][static_cast<std::size_t>(chunk)],
                                                   static_cast<std::uint32_t>(m))]};
            const bool bothReady = c.arrival <= s.clock && best.arrival <= s.clock;
            const bool better = bothReady ? m_policy.oldestFirst && c.item.microbatch < best.item.microbatch : c.arrival < best.arrival;
            if (better)
                best = c;
        }
        return best;
    }

    [[nodiscard]] Candidate forward(int stage, double extraRoom = 0.0) const
    {
        const StageState& s = m_stages[static_cast<std::size_t>(stage)];
        Candidate best;
        for (int chunk = m_shape.numChunks - 1; chunk >= 0; --chunk) {
            const int m = s.nextForward[static_cast<std::size_t>(chunk)];
            // The last free place belongs to deeper chunks, so that what is in flight can always reach its backward.
            const auto deeper = static_cast<std::size_t>(chunk) + 1;
            const bool returns = m_policy.fillsUp && deeper < s.nextForward.size() && s.nextForward[deeper] > s.nextBackward[deeper];
            const double room = chunk + 1 < m_shape.numChunks && !returns
                                    ? std::min(m_maxInFlight - 1.0, m_policy.warmupShare * m_maxInFlight)
                                    : m_maxInFlight;
            if (m >= m_shape.numMicrobatches || s.inFlight + 1.0 > room + extraRoom + 1e-9)
                continue;
            const double arrival = m_forwardArrival[at(m_index[static_cast<std::size_t>(stage)][static_cast<std::size_t>(chunk)],
                                                       static_cast<std::uint32_t>(m))];
            if (best.arrival <= s.clock || arrival >= best.arrival)
                continue;
            best = {{Phase::forward, static_cast<std::uint16_t>(chunk), static_cast<std::uint32_t>(m)}, arrival};
        }
        return best;
    }

    void decide(int stage)
    {
        StageState& s = m_stages[static_cast<std::size_t>(stage)];
        const double now = std::max(s.clock, m_wake[static_cast<std::size_t>(stage)]);
        if (s.started)
            s.idle += now - s.clock;
        s.clock = now;
        const Candidate b = backward(stage);
        const Candidate f = forward(stage);
        if (m_policy.alternates && s.owesForward) {
            if (f.arrival <= now)
                return run(stage, f.item);
            if (!s.pendingWeight.empty() && forward(stage, m_times.weightShare).arrival <= now)
                return runWeight(stage);
        }
        if (b.arrival <= now)
            return run(stage, b.item);
        if (f.arrival <= now) {
            const bool waits = b.arrival - now <= m_policy.forwardWait && s.idle + b.arrival - now <= m_policy.idleBudget;
            return waits ? sleep(stage, b.arrival) : run(stage, f.item);
        }
        const double next = std::min(b.arrival, f.arrival);
        if (s.pendingWeight.empty())
            return sleep(stage, next);
        const bool waits = next < now + m_times.weight && s.idle + next - now <= m_policy.idleBudget;
        if (waits)
            return sleep(stage, next);
        runWeight(stage);
    }

    void runWeight(int stage)
    {
        StageState& s = m_stages[static_cast<std::size_t>(stage)];
        const ScheduleItem w = s.pendingWeight.front();
        s.pendingWeight.pop_front();
        run(stage, w);
    }

    void sleep(int stage, double until) { m_wake[static_cast<std::size_t>(stage)] = until; }

    void run(int stage, const ScheduleItem& i)
    {
        StageState& s = m_stages[static_cast<std::size_t>(stage)];
        const int p = m_index[static_cast<std::size_t>(stage)][i.chunk];
        const int last = static_cast<int>(m_shape.path.size()) - 1;
        s.started = true;
        s.order.push_back(i);
        switch (i.phase) {
        case Phase::forward:
            s.owesForward = false;
            s.clock += m_times.forward;
            s.inFlight += 1.0;
            ++s.nextForward[i.chunk];
            if (p < last)
                deliver(m_forwardArrival, p, p + 1, i.microbatch, s.clock);
            else
                m_backwardArrival[at(p, i.microbatch)] = s.clock;
            break;
        case Phase::backward:
            s.owesForward = true;
            s.clock += m_times.backward;
            s.inFlight -= 1.0 - m_times.weightShare;
            ++s.nextBackward[i.chunk];
            s.pendingWeight.push_back({Phase::weight, i.chunk, i.microbatch});
            if (p > 0)
                deliver(m_backwardArrival, p, p - 1, i.microbatch, s.clock);
            break;
        default:
            s.clock += m_times.weight;
            s.inFlight -= m_times.weightShare;
        }
        m_wake[static_cast<std::size_t>(stage)] = s.clock;
    }

    void deliver(std::vector<double>& arrival, int from, int to, std::uint32_t m, double end)
    {
        const int target = m_shape.path[static_cast<std::size_t>(to)][0];
        const bool sameStage = m_shape.path[static_cast<std::size_t>(from)][0] == target;
        const double time = end + (sameStage ? 0.0 : m_times.transfer);
        arrival[at(to, m)] = time;
        double& wake = m_wake[static_cast<std::size_t>(target)];
        wake = std::min(wake, std::max(time, m_stages[static_cast<std::size_t>(target)].clock));
    }

    const Schedule& m_shape;
    const PassTimes& m_times;
    int m_maxInFlight;
    Policy m_policy;
    std::vector<std::vector<int>> m_index;
    std::vector<StageState> m_stages;
    std::vector<double> m_wake; ///< of each stage: when it decides next; apart from its state, because it is looked through at each step
    std::vector<double> m_forwardArrival, m_backwardArrival;
};

/// What is tried. With one chunk the order of chunks leaves no choice, and idle budgets are searched more finely.
std::vector<Policy> policies(const PassTimes& times, bool chunked)
{
    const double unit = times.forward + times.backward + times.weight;
    std::vector<Policy> out;
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

/// A policy and the pass times that it plans for.
struct Attempt {
    PassTimes planned;
    Policy policy;
};

/// Everything that is tried. Orders planned for equal passes fall into the steps of the handcrafted schedule, which unequal ones can
/// often keep.
std::vector<Attempt> attempts(const PassTimes& times, bool chunked)
{
    const double third = (times.forward + times.backward + times.weight) / 3.0;
    const PassTimes even{third, third, third, times.transfer, times.weightShare};
    std::vector<Attempt> out;
    for (const Policy& policy : policies(times, chunked)) {
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

struct Planned {
    std::tuple<double, double> time{kNever, kNever}; ///< longest stage, end; shorter is better
    std::size_t attempt = 0;
    std::vector<std::vector<ScheduleItem>> order;
};

/// The order of one attempt with its times; without an order where the policy runs into a deadlock.
Planned planned(Schedule shape, const PassTimes& times, int maxInFlight, const Attempt& attempt)
{
    shape.order = Planner(shape, attempt.planned, maxInFlight, attempt.policy).plan();
    std::size_t items = 0;
    for (const auto& order : shape.order)
        items += order.size();
    if (items != itemsOf(shape))
        return {};
    const ScheduleTiming timing = scheduleTiming(shape, times);
    return {{timing.longestStageSeconds, timing.endSeconds}, 0, std::move(shape.order)};
}

/// Attempts from the best to the worst on a step of at most kRankedRounds micro-batches per stage: what follows repeats the steady state.
/// As many are tried as kMostDecisions allows, spread over the list.
std::vector<Planned> rankedAttempts(Schedule shape, const PassTimes& times, int maxInFlight, const std::vector<Attempt>& all)
{
    shape.numMicrobatches = std::min(shape.numMicrobatches, kRankedRounds * shape.numStages);
    const std::size_t affordable = std::clamp(kMostDecisions / itemsOf(shape), kFullPlans, all.size());
    std::vector<Planned> ranked;
    for (std::size_t k = 0; k < affordable; ++k) {
        const std::size_t attempt = k * all.size() / affordable;
        Planned p = planned(shape, times, maxInFlight, all[attempt]);
        p.attempt = attempt;
        p.order.clear();
        ranked.push_back(std::move(p));
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const Planned& a, const Planned& b) { return a.time < b.time; });
    return ranked;
}

} // namespace

std::vector<std::vector<ScheduleItem>> greedyOrder(const Schedule& shape, const PassTimes& times, int maxInFlight)
{
    const std::vector<Attempt> all = attempts(times, shape.numChunks > 1);
    const bool small = shape.numMicrobatches <= kRankedRounds * shape.numStages && itemsOf(shape) * all.size() <= kMostDecisions;
    Planned best;
    std::size_t plans = 0;
    const auto keepBetter = [&](const Attempt& attempt) {
        Planned p = planned(shape, times, maxInFlight, attempt);
        plans += p.order.empty() ? 0 : 1;
        if (p.time < best.time)
            best = std::move(p);
    };
    if (small) {
        for (const Attempt& attempt : all)
            keepBetter(attempt);
        return best.order;
    }
    for (const Planned& p : rankedAttempts(shape, times, maxInFlight, all))
        if (plans < kFullPlans)
            keepBetter(all[p.attempt]);
    return best.order;
}

} // namespace prism
