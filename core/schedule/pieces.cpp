// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/pieces.h"

#include <algorithm>

namespace prism {
namespace {

bool holds(const std::vector<ScheduleItem>& order, std::size_t first, std::size_t end, Phase phase)
{
    for (std::size_t i = first; i < end; ++i)
        if (order[i].phase == phase)
            return true;
    return false;
}

/// A weight item neither waits for another stage nor sends to one.
bool waitsForOthers(const ScheduleItem& item)
{
    return item.phase != Phase::weight;
}

} // namespace

std::size_t pieceEnd(const std::vector<ScheduleItem>& order, std::size_t first)
{
    while (first + 1 < order.size() && order[first].withNext)
        ++first;
    return first + 1;
}

bool isPiece(const std::vector<ScheduleItem>& order, std::size_t first, std::size_t end)
{
    const auto same = [](const ScheduleItem& a, const ScheduleItem& b) { return a.chunk == b.chunk && a.microbatch == b.microbatch; };
    if (end > first && order[first].phase == Phase::forward) {
        ++first;
        if (first == end || order[first].phase != Phase::backward || same(order[first - 1], order[first]))
            return false;
    } else if (end < first + 2) {
        return false;
    }
    if (order[first].phase != Phase::backward || end > first + 2)
        return false;
    return end == first + 1 || (order[first + 1].phase == Phase::weight && same(order[first], order[first + 1]));
}

bool pairsPasses(const Schedule& schedule)
{
    for (const std::vector<ScheduleItem>& order : schedule.order)
        for (std::size_t i = 0; i + 1 < order.size(); ++i)
            if (order[i].withNext && order[i].phase == Phase::forward)
                return true;
    return false;
}

std::vector<PassStep> passSteps(const std::vector<ScheduleItem>& order)
{
    std::vector<PassStep> steps;
    steps.reserve(order.size());
    for (std::size_t first = 0; first < order.size();) {
        const std::size_t end = pieceEnd(order, first);
        if (end == first + 1) {
            steps.push_back({order[first++]});
            continue;
        }
        const bool paired = holds(order, first, end, Phase::forward) && holds(order, first, end, Phase::backward);
        for (std::size_t i = first + 1; i < end; ++i)
            if (waitsForOthers(order[i]))
                steps.push_back({order[i], true, false, false, paired});
        for (std::size_t i = first; i < end; ++i)
            steps.push_back({order[i], i == first, true, false, paired});
        for (std::size_t i = first; i < end; ++i)
            if (waitsForOthers(order[i]))
                steps.push_back({order[i], false, false, true, paired});
        first = end;
    }
    return steps;
}

StageSteps::StageSteps(const std::vector<ScheduleItem>& order) : m_order(&order)
{
    if (std::any_of(order.begin(), order.end(), [](const ScheduleItem& i) { return i.withNext; }))
        m_steps = passSteps(order);
}

} // namespace prism
