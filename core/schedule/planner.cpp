// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/planner.h"

#include "core/base/index.h"

#include <algorithm>
#include <utility>

namespace prism {

namespace {

constexpr double kNever = kNeverPlanned;
/// Sums of the same passes in another order differ by less than this share.
constexpr double kRounding = 1e-9;

/// Which stage decides next: a tournament of the times of all stages, the first of equals wins.
class Wakes final {
public:
    explicit Wakes(std::size_t stages) : m_time(stages, kNever)
    {
        while (m_leaves < stages)
            m_leaves *= 2;
        m_time.resize(m_leaves, kNever);
        m_winner.resize(2 * m_leaves);
        for (std::size_t i = 0; i < m_leaves; ++i)
            m_winner[m_leaves + i] = i;
        for (std::size_t node = m_leaves - 1; node > 0; --node)
            m_winner[node] = m_winner[2 * node];
    }
    [[nodiscard]] double operator[](std::size_t stage) const { return m_time[stage]; }
    [[nodiscard]] std::size_t first() const { return m_winner[1]; }
    void set(std::size_t stage, double time)
    {
        m_time[stage] = time;
        for (std::size_t node = (m_leaves + stage) / 2; node > 0; node /= 2) {
            const std::size_t left = m_winner[2 * node], right = m_winner[2 * node + 1];
            const std::size_t winner = m_time[right] < m_time[left] ? right : left;
            if (m_winner[node] == winner && winner != stage)
                return; // it was ahead of this stage before and after
            m_winner[node] = winner;
        }
    }

private:
    std::size_t m_leaves = 1;
    std::vector<double> m_time;
    std::vector<std::size_t> m_winner; ///< of each node of the tree; node 1 is its root
};

struct StageState {
    double clock = 0.0;
    double idle = 0.0;
    bool started = false;
    bool owesForward = false; ///< its last forward or backward was a backward
    double inFlight = 0.0;
    double judgedStart = -1.0, judgedClock = 0.0, judgedIdle = 0.0; ///< with the task's times, every item as soon as it can
    std::vector<int> nextForward, nextBackward;                     ///< per chunk
    std::vector<ScheduleItem> weights;                              ///< of all backwards so far, in their order
    std::size_t weightsDone = 0;
    std::vector<ScheduleItem> order;

    [[nodiscard]] bool hasWeight() const { return weightsDone < weights.size(); }
};

struct Candidate {
    ScheduleItem item;
    double arrival = kNever;
};

/// Arrivals at every (path index, micro-batch) of one direction.
struct Arrivals {
    std::vector<double> planned, judged; ///< for the times planned for, and for the task's
};

class Planner final {
public:
    Planner(const PlanTask& task, const PlanAttempt& attempt, double maxSeconds)
        : m_shape(task.shape),
          m_times(attempt.planned),
          m_judge(task.times),
          m_maxInFlight(task.maxInFlight),
          m_policy(attempt.policy),
          m_index(pathIndices(task.shape)),
          m_stages(index(task.shape.numStages)),
          m_wake(index(task.shape.numStages))
    {
        const std::size_t slots = m_shape.path.size() * index(m_shape.numMicrobatches);
        for (Arrivals* arrivals : {&m_forward, &m_backward}) {
            arrivals->planned.assign(slots, kNever);
            arrivals->judged.assign(slots, 0.0);
        }
        std::fill_n(m_forward.planned.begin(), m_shape.numMicrobatches, 0.0);
        const std::size_t passes = index(m_shape.numChunks) * index(m_shape.numMicrobatches);
        for (StageState& s : m_stages) {
            s.nextForward.assign(index(m_shape.numChunks), 0);
            s.nextBackward.assign(index(m_shape.numChunks), 0);
            s.weights.reserve(passes);
            s.order.reserve(kPhases * passes);
        }
        const double work = static_cast<double>(passes) * (m_judge.forward + m_judge.backward + m_judge.weight);
        m_maxIdle = maxSeconds * (1.0 + kRounding) - work;
        m_wake.set(index(m_shape.path.front()[0]), 0.0);
    }

    PlannedOrder plan()
    {
        PlannedOrder out;
        for (std::size_t stage = m_wake.first(); m_wake[stage] != kNever && !m_givenUp; stage = m_wake.first())
            decide(static_cast<int>(stage));
        std::size_t items = 0;
        for (const StageState& s : m_stages)
            items += s.order.size();
        if (m_givenUp || items != kPhases * m_shape.path.size() * index(m_shape.numMicrobatches))
            return out;
        out.time = {0.0, 0.0};
        for (StageState& s : m_stages) {
            auto& [longest, end] = out.time;
            longest = std::max(longest, s.judgedClock - std::max(0.0, s.judgedStart));
            end = std::max(end, s.judgedClock);
            out.order.push_back(std::move(s.order));
        }
        return out;
    }

private:
    [[nodiscard]] std::size_t at(int pathIndex, std::uint32_t m) const { return index(pathIndex) * index(m_shape.numMicrobatches) + m; }
    [[nodiscard]] StageState& stageOf(int stage) { return m_stages[index(stage)]; }

    [[nodiscard]] Candidate backward(int stage) const
    {
        const StageState& s = m_stages[index(stage)];
        Candidate best;
        for (int chunk = m_shape.numChunks - 1; chunk >= 0; --chunk) {
            const int m = s.nextBackward[index(chunk)];
            if (m >= m_shape.numMicrobatches)
                continue;
            const auto microbatch = static_cast<std::uint32_t>(m);
            const Candidate c{{Phase::backward, static_cast<std::uint16_t>(chunk), microbatch},
                              m_backward.planned[at(m_index[index(stage)][index(chunk)], microbatch)]};
            const bool bothReady = c.arrival <= s.clock && best.arrival <= s.clock;
            const bool better = bothReady ? m_policy.oldestFirst && c.item.microbatch < best.item.microbatch : c.arrival < best.arrival;
            if (better)
                best = c;
        }
        return best;
    }

    [[nodiscard]] Candidate forward(int stage, double extraRoom = 0.0) const
    {
        const StageState& s = m_stages[index(stage)];
        Candidate best;
        for (int chunk = m_shape.numChunks - 1; chunk >= 0; --chunk) {
            const int m = s.nextForward[index(chunk)];
            // The last free place belongs to deeper chunks, so that what is in flight can always reach its backward.
            const std::size_t deeper = index(chunk) + 1;
            const bool returns = m_policy.fillsUp && deeper < s.nextForward.size() && s.nextForward[deeper] > s.nextBackward[deeper];
            const double room = chunk + 1 < m_shape.numChunks && !returns
                                    ? std::min(m_maxInFlight - 1.0, m_policy.warmupShare * m_maxInFlight)
                                    : m_maxInFlight;
            if (m >= m_shape.numMicrobatches || s.inFlight + 1.0 > room + extraRoom + 1e-9)
                continue;
            const auto microbatch = static_cast<std::uint32_t>(m);
            const double arrival = m_forward.planned[at(m_index[index(stage)][index(chunk)], microbatch)];
            if (best.arrival <= s.clock || arrival >= best.arrival)
                continue;
            best = {{Phase::forward, static_cast<std::uint16_t>(chunk), microbatch}, arrival};
        }
        return best;
    }

    void decide(int stage)
    {
        StageState& s = stageOf(stage);
        const double now = std::max(s.clock, m_wake[index(stage)]);
        if (s.started)
            s.idle += now - s.clock;
        s.clock = now;
        const Candidate b = backward(stage);
        const Candidate f = forward(stage);
        if (m_policy.alternates && s.owesForward) {
            if (f.arrival <= now)
                return run(stage, f.item);
            if (s.hasWeight() && forward(stage, m_times.weightShare).arrival <= now)
                return runWeight(stage);
        }
        if (b.arrival <= now)
            return run(stage, b.item);
        if (f.arrival <= now) {
            const bool waits = b.arrival - now <= m_policy.forwardWait && s.idle + b.arrival - now <= m_policy.idleBudget;
            return waits ? sleep(stage, b.arrival) : run(stage, f.item);
        }
        const double next = std::min(b.arrival, f.arrival);
        if (!s.hasWeight())
            return sleep(stage, next);
        const bool waits = next < now + m_times.weight && s.idle + next - now <= m_policy.idleBudget;
        if (waits)
            return sleep(stage, next);
        runWeight(stage);
    }

    void runWeight(int stage)
    {
        StageState& s = stageOf(stage);
        run(stage, s.weights[s.weightsDone++]);
    }

    void sleep(int stage, double until) { m_wake.set(index(stage), until); }

    void run(int stage, const ScheduleItem& i)
    {
        StageState& s = stageOf(stage);
        const int p = m_index[index(stage)][i.chunk];
        const int last = static_cast<int>(m_shape.path.size()) - 1;
        s.started = true;
        s.order.push_back(i);
        judge(s, i, p);
        switch (i.phase) {
        case Phase::forward:
            s.owesForward = false;
            s.clock += m_times.forward;
            s.inFlight += 1.0;
            ++s.nextForward[i.chunk];
            if (p < last)
                deliver(m_forward, {p, p + 1, i.microbatch}, s);
            else
                m_backward.planned[at(p, i.microbatch)] = s.clock;
            break;
        case Phase::backward:
            s.owesForward = true;
            s.clock += m_times.backward;
            s.inFlight -= 1.0 - m_times.weightShare;
            ++s.nextBackward[i.chunk];
            s.weights.push_back({Phase::weight, i.chunk, i.microbatch});
            if (p > 0)
                deliver(m_backward, {p, p - 1, i.microbatch}, s);
            break;
        default:
            s.clock += m_times.weight;
            s.inFlight -= m_times.weightShare;
        }
        m_wake.set(index(stage), s.clock);
    }

    /// Items run here in an order in which every dependency comes first, as executionOrder would have them: their times follow at once.
    void judge(StageState& s, const ScheduleItem& i, int p)
    {
        double begin = s.judgedClock;
        if (i.phase == Phase::forward)
            begin = std::max(begin, m_forward.judged[at(p, i.microbatch)]);
        else if (i.phase == Phase::backward)
            begin = std::max(begin, m_backward.judged[at(p, i.microbatch)]);
        if (s.judgedStart < 0.0)
            s.judgedStart = begin;
        else
            s.judgedIdle += begin - s.judgedClock;
        s.judgedClock = begin
                        + (i.phase == Phase::forward    ? m_judge.forward
                           : i.phase == Phase::backward ? m_judge.backward
                                                        : m_judge.weight);
        m_givenUp = m_givenUp || s.judgedIdle > m_maxIdle;
    }

    struct Hop {
        int from, to; ///< on the path
        std::uint32_t microbatch;
    };
    void deliver(Arrivals& arrivals, const Hop& hop, const StageState& sender)
    {
        const auto target = index(m_shape.path[index(hop.to)][0]);
        const bool sameStage = index(m_shape.path[index(hop.from)][0]) == target;
        const double time = sender.clock + (sameStage ? 0.0 : m_times.transfer);
        arrivals.planned[at(hop.to, hop.microbatch)] = time;
        arrivals.judged[at(hop.to, hop.microbatch)] = sender.judgedClock + (sameStage ? 0.0 : m_judge.transfer);
        if (const double wake = std::max(time, m_stages[target].clock); wake < m_wake[target])
            m_wake.set(target, wake);
    }

    const Schedule& m_shape;
    PassTimes m_times, m_judge;
    int m_maxInFlight;
    PlanPolicy m_policy;
    double m_maxIdle = kNever;
    bool m_givenUp = false;
    std::vector<std::vector<int>> m_index;
    std::vector<StageState> m_stages;
    Wakes m_wake; ///< of each stage: when it decides next
    Arrivals m_forward, m_backward;
};

} // namespace

PlannedOrder plannedOrder(const PlanTask& task, const PlanAttempt& attempt, double maxSeconds)
{
    return Planner(task, attempt, maxSeconds).plan();
}

} // namespace prism
