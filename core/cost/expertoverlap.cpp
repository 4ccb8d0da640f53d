// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/expertoverlap.h"

#include <algorithm>

namespace prism {
namespace {

bool isAllToAll(const Kernel& k)
{
    return k.id == KernelId::epAllToAll;
}

/// Compute of a pass that no other collective is overlapped with.
double freeCompute(const CostedPass& pass)
{
    double t = 0;
    for (std::size_t i = 0; i < pass.ops.size(); ++i)
        t += pass.kernels[i].kind != CostKind::collective ? pass.ops[i].meanSeconds
                                                          : -std::min(pass.ops[i].meanSeconds, pass.ops[i].hiddenSeconds);
    return std::max(0.0, t);
}

/// Hides the all-to-all of `pass` under `room` seconds and returns the seconds that run together.
double hidden(CostedPass& pass, double room, double share)
{
    double together = 0;
    for (std::size_t i = 0; i < pass.ops.size(); ++i)
        if (isAllToAll(pass.kernels[i])) {
            const double paired = std::min(pass.ops[i].meanSeconds, room);
            room -= paired;
            pass.ops[i].hiddenSeconds = share * paired;
            together += share * paired;
        }
    return together;
}

void slowDown(CostedPass& pass, double seconds)
{
    double compute = 0;
    for (std::size_t i = 0; i < pass.ops.size(); ++i)
        compute += pass.kernels[i].kind != CostKind::collective ? pass.ops[i].meanSeconds : 0.0;
    if (compute <= 0)
        return;
    for (std::size_t i = 0; i < pass.ops.size(); ++i)
        if (pass.kernels[i].kind != CostKind::collective)
            pass.ops[i].meanSeconds *= 1 + seconds / compute;
}

} // namespace

double pairedShare(const Schedule& schedule)
{
    double share = 0;
    for (const auto& order : schedule.order) {
        const auto isForward = [](const ScheduleItem& item) { return item.phase == Phase::forward; };
        const auto forwards = std::count_if(order.begin(), order.end(), isForward);
        const auto warmUp = std::find_if_not(order.begin(), order.end(), isForward) - order.begin();
        share += forwards > 0 ? static_cast<double>(forwards - warmUp) / static_cast<double>(forwards) : 0.0;
    }
    return schedule.order.empty() ? 0.0 : share / static_cast<double>(schedule.order.size());
}

void hideExpertTraffic(CostedPass forward, CostedPass backward, double share, double slowdown)
{
    const double forwardCompute = freeCompute(forward), backwardCompute = freeCompute(backward);
    const double pairedBackward = hidden(forward, backwardCompute, share), pairedForward = hidden(backward, forwardCompute, share);
    slowDown(backward, slowdown * pairedBackward);
    slowDown(forward, slowdown * pairedForward);
}

} // namespace prism
