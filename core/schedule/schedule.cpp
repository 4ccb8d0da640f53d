// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/schedule.h"

#include <algorithm>

namespace prism {

std::vector<std::vector<int>> pathIndices(const Schedule& s)
{
    std::vector<std::vector<int>> index(static_cast<std::size_t>(s.numStages), std::vector<int>(static_cast<std::size_t>(s.numChunks), -1));
    for (std::size_t i = 0; i < s.path.size(); ++i)
        index[static_cast<std::size_t>(s.path[i][0])][static_cast<std::size_t>(s.path[i][1])] = static_cast<int>(i);
    return index;
}

std::vector<int> activationsInFlight(const Schedule& s)
{
    const Phase release = s.splitsWeight ? Phase::weight : Phase::backward;
    std::vector<int> largest;
    for (const std::vector<ScheduleItem>& order : s.order) {
        int held = 0;
        int peak = 0;
        for (const ScheduleItem& i : order) {
            if (i.phase == Phase::forward)
                peak = std::max(peak, ++held);
            else if (i.phase == release)
                --held;
        }
        largest.push_back(peak);
    }
    return largest;
}

std::vector<double> largestHeld(const Schedule& s, const std::vector<std::vector<HeldByChunk>>& held)
{
    std::vector<double> largest;
    for (std::size_t stage = 0; stage < s.order.size(); ++stage) {
        double now = 0.0, peak = 0.0;
        for (const ScheduleItem& i : s.order[stage]) {
            const HeldByChunk& chunk = held[stage][i.chunk];
            if (i.phase == Phase::forward)
                peak = std::max(peak, now += chunk.untilBackward);
            else if (i.phase == Phase::backward)
                now -= chunk.untilBackward - (s.splitsWeight ? chunk.untilWeight : 0.0);
            else
                now -= chunk.untilWeight;
        }
        largest.push_back(peak);
    }
    return largest;
}

ScheduleTiming scheduleTiming(const Schedule& s, const PassTimes& seconds)
{
    const auto microbatches = static_cast<std::size_t>(s.numMicrobatches);
    const std::array<double, kPhases> duration = {seconds.forward, s.splitsWeight ? seconds.backward : seconds.backward + seconds.weight,
                                                  seconds.weight};
    const auto crosses = [&](int from, int to) {
        return s.path[static_cast<std::size_t>(from)][0] == s.path[static_cast<std::size_t>(to)][0] ? 0.0 : seconds.transfer;
    };
    std::array<std::vector<double>, 2> end;
    for (auto& e : end)
        e.assign(s.path.size() * microbatches, 0.0);
    std::vector<double> clock(s.order.size(), 0.0);
    std::vector<double> start(s.order.size(), -1.0);
    const int last = static_cast<int>(s.path.size()) - 1;
    for (const ScheduleNode& n : executionOrder(s)) {
        const auto stage = static_cast<std::size_t>(n.stage);
        const auto at = [&](int p) { return static_cast<std::size_t>(p) * microbatches + n.item.microbatch; };
        double begin = clock[stage];
        if (n.waits && n.item.phase == Phase::forward && n.pathIndex > 0)
            begin = std::max(begin, end[0][at(n.pathIndex - 1)] + crosses(n.pathIndex - 1, n.pathIndex));
        if (n.waits && n.item.phase == Phase::backward && n.pathIndex < last)
            begin = std::max(begin, end[1][at(n.pathIndex + 1)] + crosses(n.pathIndex + 1, n.pathIndex));
        if (n.runs && start[stage] < 0.0)
            start[stage] = begin;
        clock[stage] = begin + (n.runs ? duration[static_cast<std::size_t>(n.item.phase)] : 0.0);
        if (n.runs && n.paired && n.item.phase == Phase::forward)
            clock[stage] -= seconds.pairSaves; // nothing is sent before the end of the piece
        if (n.handsOn && n.item.phase != Phase::weight)
            end[static_cast<std::size_t>(n.item.phase)][at(n.pathIndex)] = clock[stage];
    }
    ScheduleTiming timing;
    for (std::size_t stage = 0; stage < clock.size(); ++stage) {
        timing.endSeconds = std::max(timing.endSeconds, clock[stage]);
        timing.longestStageSeconds = std::max(timing.longestStageSeconds, clock[stage] - std::max(0.0, start[stage]));
    }
    timing.stageEnd = std::move(clock);
    return timing;
}

void Schedule::addTo(Hasher& h) const
{
    h.add(numStages).add(numChunks).add(numMicrobatches).add(splitsWeight).add(static_cast<std::uint64_t>(path.size()));
    for (const auto& [stage, chunk] : path)
        h.add(stage).add(chunk);
    for (const auto& items : order) {
        h.add(static_cast<std::uint64_t>(items.size()));
        for (const ScheduleItem& i : items)
            h.add((static_cast<std::uint64_t>(i.withNext) << 56U) | (static_cast<std::uint64_t>(i.phase) << 48U)
                  | (static_cast<std::uint64_t>(i.chunk) << 32U) | i.microbatch);
    }
}

} // namespace prism
