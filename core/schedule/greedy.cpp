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
};

struct StageState {
    double clock = 0.0;
    double idle = 0.0;
    double wake = kNever;
    bool started = false;
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
        : m_shape(shape), m_times(times), m_maxInFlight(maxInFlight), m_policy(policy), m_index(pathIndices(shape)),
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
            const bool better = bothReady ? m_policy.oldestFirst && c.item.microbatch < best.item.microbatch
                                          : c.arrival < best.arrival;
            if (better)
                best = c;
        }
        return best;
    }

    [[nodiscard]] Candidate forward(int stage) const
    {
        const StageState& s = m_stages[static_cast<std::size_t>(stage)];
        Candidate best;
        for (int chunk = m_shape.numChunks - 1; chunk >= 0; --chunk) {
            const int m = s.nextForward[static_cast<std::size_t>(chunk)];
            // The last free place belongs to deeper chunks, so that what is in flight can always reach its backward.
            const double room = chunk + 1 < m_shape.numChunks
                                    ? std::min(m_maxInFlight - 1.0, m_policy.warmupShare * m_maxInFlight)
                                    : m_maxInFlight;
            if (m >= m_shape.numMicrobatches || s.inFlight + 1.0 > room + 1e-9)
                continue;
            const double arrival =
                m_forwardArrival[at(m_index[static_cast<std::size_t>(stage)][static_cast<std::size_t>(chunk)],
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
            s.clock += m_times.forward;
            s.inFlight += 1.0;
            ++s.nextForward[i.chunk];
            if (p < last)
                deliver(m_forwardArrival, p, p + 1, i.microbatch, s.clock);
            else
                m_backwardArrival[at(p, i.microbatch)] = s.clock;
            break;
        case Phase::backward:
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

} // namespace

std::vector<std::vector<ScheduleItem>> greedyOrder(const Schedule& shape, const PassTimes& times, int maxInFlight)
{
    Schedule candidate = shape;
    std::vector<std::vector<ScheduleItem>> best;
    std::tuple<double, double> bestTime{kNever, kNever};
    const double unit = times.forward + times.backward + times.weight;
    const bool chunked = shape.numChunks > 1;
    std::vector<std::pair<bool, double>> variants = {{false, 1.0}};
    if (chunked)
        variants = {{false, 0.4}, {false, 0.5}, {false, 0.6}, {false, 0.8}, {false, 1.0}, {true, 0.5}, {true, 0.6}, {true, 0.8}, {true, 1.0}};
    const std::vector<double> budgets = chunked ? std::vector<double>{0.0, 0.1, 0.4, 1.0, 3.0, 1e9}
                                                : std::vector<double>{0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 1e9};
    const std::vector<double> waits = chunked ? std::vector<double>{0.0, 0.5} : std::vector<double>{0.0, 0.1, 0.5};
    const std::size_t nodes = shape.path.size() * static_cast<std::size_t>(shape.numMicrobatches) * kPhases;
    for (const double budget : budgets)
        for (const double wait : waits)
            for (const auto& [oldest, share] : variants) {
                const Policy policy{budget * unit, wait * times.forward, oldest, share};
                candidate.order = Planner(shape, times, maxInFlight, policy).plan();
                std::size_t items = 0;
                for (const auto& order : candidate.order)
                    items += order.size();
                if (items != nodes)
                    continue;
                const ScheduleTiming timing = scheduleTiming(candidate, times);
                const std::tuple<double, double> time{timing.longestStageSeconds, timing.endSeconds};
                if (time < bestTime) {
                    bestTime = time;
                    best = candidate.order;
                }
            }
    return best;
}

} // namespace prism
