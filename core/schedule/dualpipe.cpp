// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/dualpipe.h"

#include <array>
#include <deque>

namespace prism {
namespace {

/// Writes the items of one stage; weights wait in a queue where a backward leaves them for later.
class StageOrder final {
public:
    explicit StageOrder(bool joins) : m_joins(joins) {}
    void forward(int chunk) { add(Phase::forward, chunk, m_forwards[static_cast<std::size_t>(chunk)]++); }
    void backward(int chunk, bool weightLater = false)
    {
        const std::uint32_t m = m_backwards[static_cast<std::size_t>(chunk)]++;
        add(Phase::backward, chunk, m);
        if (weightLater)
            m_weights.emplace_back(chunk, m);
        else
            joined().add(Phase::weight, chunk, m);
    }
    /// F&B: a forward of one chunk together with a whole backward of the other.
    void pair(int chunk)
    {
        forward(chunk);
        joined().backward(1 - chunk);
    }
    void weight()
    {
        add(Phase::weight, m_weights.front().first, m_weights.front().second);
        m_weights.pop_front();
    }
    [[nodiscard]] bool weightsWait() const { return !m_weights.empty(); }
    [[nodiscard]] std::vector<ScheduleItem> take() { return std::move(m_items); }

private:
    /// The item before and the one after it are one piece.
    StageOrder& joined()
    {
        m_items.back().withNext = m_joins;
        return *this;
    }
    void add(Phase phase, int chunk, std::uint32_t microbatch)
    {
        m_items.push_back({phase, static_cast<std::uint16_t>(chunk), microbatch});
    }

    bool m_joins;
    std::vector<ScheduleItem> m_items;
    std::array<std::uint32_t, 2> m_forwards{}, m_backwards{};
    std::deque<std::pair<int, std::uint32_t>> m_weights;
};

std::vector<ScheduleItem> orderOf(int stage, int numStages, int numMicrobatches, bool joins)
{
    StageOrder o(joins);
    const int behind = numStages - stage - 1, upTo = stage + 1;
    for (int i = 0; i < 2 * behind; ++i)
        o.forward(0);
    for (int i = 0; i < upTo; ++i) {
        o.forward(0);
        o.forward(1);
    }
    for (int i = 0; i < behind; ++i) {
        o.backward(1, true);
        o.weight();
        o.forward(1);
    }
    for (int i = 0; i < numMicrobatches - 2 * numStages + upTo; ++i) {
        if (i == 0 && behind == 0) { // not together: the last stage sends its first forward sooner
            o.forward(0);
            o.backward(1);
        } else {
            o.pair(0);
        }
        o.pair(1);
    }
    for (int i = 0; i < behind; ++i) {
        o.backward(1);
        o.pair(1);
    }
    bool later = false; // the second half of the last backwards leaves its weights for the end
    for (int i = 0; i < upTo; ++i) {
        later = later || (i == upTo / 2 && stage % 2 == 1);
        o.backward(1, later);
        later = later || i == upTo / 2;
        o.backward(0, later);
    }
    for (int i = 0; i < behind; ++i) {
        o.weight();
        o.backward(0, true);
    }
    while (o.weightsWait())
        o.weight();
    return o.take();
}

} // namespace

bool isDualPipe(std::string_view name)
{
    return name == "dualpipev" || name == "dualpipe";
}

std::vector<ScheduleItem> dualPipeVOrder(int stage, int numStages, int numMicrobatches)
{
    return orderOf(stage, numStages, numMicrobatches, false);
}

std::vector<ScheduleItem> joinedDualPipeVOrder(int stage, int numStages, int numMicrobatches)
{
    return orderOf(stage, numStages, numMicrobatches, true);
}

Schedule withPieces(Schedule schedule)
{
    if (isDualPipe(schedule.name))
        for (int stage = 0; stage < schedule.numStages; ++stage)
            schedule.order[static_cast<std::size_t>(stage)] = joinedDualPipeVOrder(stage, schedule.numStages, schedule.numMicrobatches);
    return schedule;
}

} // namespace prism
