// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/step/passes.h"

#include "core/schedule/pieces.h"

namespace prism {

int programRows(const StepGraph& graph)
{
    return static_cast<int>(graph.programOf.front().size());
}

int programRow(const StepGraph& graph, const ScheduleItem& item, bool paired)
{
    return item.chunk + (paired && programRows(graph) > graph.schedule.numChunks ? graph.schedule.numChunks : 0);
}

std::vector<double> passShares(const StepGraph& graph, int stage)
{
    const auto rows = static_cast<std::size_t>(programRows(graph));
    const bool allRun = rows == static_cast<std::size_t>(graph.schedule.numChunks);
    std::vector<double> shares(rows * kPhases, allRun ? 1.0 : 0.0);
    if (allRun)
        return shares;
    for (const PassStep& step : passSteps(graph.schedule.order[static_cast<std::size_t>(stage)]))
        if (step.runs)
            shares[static_cast<std::size_t>(programRow(graph, step.item, step.paired)) * kPhases
                   + static_cast<std::size_t>(step.item.phase)] += 1.0 / graph.schedule.numMicrobatches;
    return shares;
}

} // namespace prism
