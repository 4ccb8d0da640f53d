// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/passes/jobunits.h"

#include "core/base/index.h"
#include "core/step/slowspots.h"

#include <algorithm>
#include <map>

namespace prism {

namespace {

UnitKind kindOf(const StepGraph& graph, const JobUnits& job, int unit, int stage)
{
    UnitKind out;
    for (int k = 0; k < job.members; ++k) {
        const int replica = unit * job.members + k;
        out.link.push_back(graph.slow.empty() ? 1.0F : static_cast<float>(cellLinkFactor(graph, replica, stage)));
        for (int r = 0; r < job.ranks && !graph.slow.empty(); ++r)
            out.speed.push_back(static_cast<float>(slowComputeFactor(graph, replica, stage, r)));
    }
    if (std::all_of(out.speed.begin(), out.speed.end(), [](float f) { return f == 1.0F; }))
        out.speed.clear();
    return out;
}

int indexOfKind(JobUnits& job, UnitKind kind)
{
    const auto known = std::find(job.kinds.begin(), job.kinds.end(), kind);
    const auto at = static_cast<int>(known - job.kinds.begin());
    if (known == job.kinds.end())
        job.kinds.push_back(std::move(kind));
    return at;
}

/// Measured factors in the order of units.
std::vector<float> fixedSpeeds(const StepGraph& graph, const JobUnits& job)
{
    std::vector<float> out;
    const auto ranks = index(job.ranks), stages = index(graph.schedule.numStages);
    for (int u = 0; u < job.units && !graph.fixedSpatial.empty(); ++u)
        for (std::size_t s = 0; s < stages; ++s)
            for (int k = 0; k < job.members; ++k)
                for (std::size_t r = 0; r < ranks; ++r)
                    out.push_back(static_cast<float>(graph.fixedSpatial[(index(u * job.members + k) * stages + s) * ranks + r]));
    return out;
}

} // namespace

float UnitKind::slowestLink() const
{
    return *std::max_element(link.begin(), link.end());
}

float UnitKind::fastestLink() const
{
    return *std::min_element(link.begin(), link.end());
}

JobUnits jobUnits(const StepGraph& graph)
{
    JobUnits out;
    out.members = lockstepSize(graph);
    out.units = graph.numReplicas / out.members;
    out.ranks = graph.cellRanks();
    out.groupRanks = graph.groupRanks;
    out.groups = graph.groupsPerCell;
    out.dataOwners = graph.dataScope == DataScope::group ? out.groups : 1;
    out.stageLink.assign(index(graph.schedule.numStages), 0.0F);
    std::map<std::vector<int>, int> known;
    const auto touched = [&](int unit) {
        for (int k = 0; k < out.members; ++k)
            if (anySlow(graph, unit * out.members + k))
                return true;
        return false;
    };
    bool before = true;
    for (int u = 0; u < out.units; ++u) {
        const bool now = touched(u);
        if (u > 0 && !now && !before) { // as its neighbour
            out.patternOf.push_back(out.patternOf.back());
            ++out.patterns[index(out.patternOf.back())].count;
            continue;
        }
        before = now;
        UnitPattern pattern;
        for (int s = 0; s < graph.schedule.numStages; ++s) {
            pattern.kind.push_back(indexOfKind(out, kindOf(graph, out, u, s)));
            const float link = out.kinds[index(pattern.kind.back())].slowestLink();
            out.stageLink[index(s)] = std::max(out.stageLink[index(s)], link);
        }
        const auto [it, added] = known.try_emplace(pattern.kind, static_cast<int>(out.patterns.size()));
        if (added)
            out.patterns.push_back(std::move(pattern));
        out.patternOf.push_back(it->second);
        ++out.patterns[index(it->second)].count;
    }
    out.link = *std::max_element(out.stageLink.begin(), out.stageLink.end());
    out.fixedSpeed = fixedSpeeds(graph, out);
    return out;
}

} // namespace prism
