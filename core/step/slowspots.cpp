// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/step/slowspots.h"

#include <algorithm>
#include <map>

namespace prism {

namespace {

bool matches(const SlowSpot& spot, int replica, int stage)
{
    return (spot.replica < 0 || spot.replica == replica) && (spot.stage < 0 || spot.stage == stage);
}

} // namespace

double slowComputeFactor(const StepGraph& graph, int replica, int stage, int rank)
{
    double factor = 1.0;
    for (const SlowSpot& spot : graph.slow)
        if (matches(spot, replica, stage) && (spot.rank < 0 || spot.rank == rank))
            factor *= spot.computeFactor;
    return factor;
}

double cellLinkFactor(const StepGraph& graph, int replica, int stage)
{
    double whole = 1.0; // spots on every rank of the cell
    std::map<int, double> single;
    for (const SlowSpot& spot : graph.slow) {
        if (!matches(spot, replica, stage))
            continue;
        if (spot.rank < 0)
            whole *= spot.linkFactor;
        else
            single.try_emplace(spot.rank, 1.0).first->second *= spot.linkFactor;
    }
    double largest = static_cast<int>(single.size()) < graph.cellRanks() ? 1.0 : 0.0;
    for (const auto& [rank, factor] : single)
        largest = std::max(largest, factor);
    return whole * largest;
}

} // namespace prism
