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

} // namespace

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
    std::map<std::vector<int>, int> patternOfKinds;
    for (int u = 0; u < out.units; ++u) {
        UnitPattern pattern;
        for (int s = 0; s < graph.schedule.numStages; ++s) {
            UnitKind kind = kindOf(graph, out, u, s);
            const auto known = std::find(out.kinds.begin(), out.kinds.end(), kind);
            pattern.kind.push_back(static_cast<int>(known - out.kinds.begin()));
            if (known == out.kinds.end())
                out.kinds.push_back(std::move(kind));
            const float link = out.kinds[index(pattern.kind.back())].slowestLink();
            out.stageLink[index(s)] = std::max(out.stageLink[index(s)], link);
        }
        const auto [it, added] = patternOfKinds.try_emplace(pattern.kind, static_cast<int>(out.patterns.size()));
        if (added)
            out.patterns.push_back(std::move(pattern));
        out.patternOf.push_back(it->second);
        ++out.patterns[index(it->second)].count;
    }
    out.link = *std::max_element(out.stageLink.begin(), out.stageLink.end());
    return out;
}

} // namespace prism
