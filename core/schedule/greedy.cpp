// List scheduler for zb-1p, zb-2p and zb-v.
#include "core/schedule/greedy.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <tuple>

namespace prism {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

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
    double wake = kNever;
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
          m_stages(static_cast<std::size_t>(shape.numStages))
    {
        const std::size_t slots = shape.path.size() * static_cast<std::size_t>(shape.numMicrobatches);
        m_forwardArrival.assign(slots, kNever);
        m_backwardArrival.assign(slots, kNever);
        std::fill_n(m_forwardArrival.begin(), shape.numMicrobatches, 0.0);
        for (StageState& s : m_stages) {
            s.nextForward.assign(static_cast<std::size_t>(shape.numChunks), 0);
            s.nextBackward.assign(static_cast<std::size_t>(shape.numChunks), 0);
        }
        m_stages[static_cast<std::size_t>(shape.path.front()[0])].wake = 0.0;
    }

    std::vector<std::vector<ScheduleItem>> plan()
    {
        for (;;) {
            std::size_t stage = 0;
            for (std::size_t s = 1; s < m_stages.size(); ++s)
                if (m_stages[s].wake < m_stages[stage].wake)
                    stage = s;
            if (m_stages[stage].wake == kNever)
                break;
            decide(static_cast<int>(stage));
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
        const double now = std::max(s.clock, s.wake);
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
            return waits ? sleep(s, b.arrival) : run(stage, f.item);
        }
        const double next = std::min(b.arrival, f.arrival);
        if (s.pendingWeight.empty())
            return sleep(s, next);
        const bool waits = next < now + m_times.weight && s.idle + next - now <= m_policy.idleBudget;
        if (waits)
            return sleep(s, next);
        runWeight(stage);
    }

    void runWeight(int stage)
    {
        StageState& s = m_stages[static_cast<std::size_t>(stage)];
        const ScheduleItem w = s.pendingWeight.front();
        s.pendingWeight.pop_front();
        run(stage, w);
    }

    static void sleep(StageState& s, double until) { s.wake = until; }

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
        s.wake = s.clock;
    }

    void deliver(std::vector<double>& arrival, int from, int to, std::uint32_t m, double end)
    {
        const int target = m_shape.path[static_cast<std::size_t>(to)][0];
        const bool sameStage = m_shape.path[static_cast<std::size_t>(from)][0] == target;
        const double time = end + (sameStage ? 0.0 : m_times.transfer);
        arrival[at(to, m)] = time;
        StageState& t = m_stages[static_cast<std::size_t>(target)];
        t.wake = std::min(t.wake, std::max(time, t.clock));
    }

    const Schedule& m_shape;
    const PassTimes& m_times;
    int m_maxInFlight;
    Policy m_policy;
    std::vector<std::vector<int>> m_index;
    std::vector<StageState> m_stages;
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

} // namespace

std::vector<std::vector<ScheduleItem>> greedyOrder(const Schedule& shape, const PassTimes& times, int maxInFlight)
{
    Schedule candidate = shape;
    std::vector<std::vector<ScheduleItem>> best;
    std::tuple<double, double> bestTime{kNever, kNever};
    const std::size_t nodes = shape.path.size() * static_cast<std::size_t>(shape.numMicrobatches) * kPhases;
    const auto tryPolicy = [&](const PassTimes& planned, const Policy& policy) {
        candidate.order = Planner(shape, planned, maxInFlight, policy).plan();
        std::size_t items = 0;
        for (const auto& order : candidate.order)
            items += order.size();
        if (items != nodes) // a policy may run into a deadlock
            return;
        const ScheduleTiming timing = scheduleTiming(candidate, times);
        const std::tuple<double, double> time{timing.longestStageSeconds, timing.endSeconds};
        if (time < bestTime) {
            bestTime = time;
            best = candidate.order;
        }
    };
    // Orders planned for equal passes fall into the steps of the handcrafted schedule, which unequal ones can often keep.
    const double third = (times.forward + times.backward + times.weight) / 3.0;
    const PassTimes even{third, third, third, times.transfer, times.weightShare};
    const bool chunked = shape.numChunks > 1;
    for (const Policy& policy : policies(times, chunked)) {
        tryPolicy(times, policy);
        if (chunked && policy.idleBudget == 0.0)
            tryPolicy(even, policy);
    }
    return best;
}

} // namespace prism
