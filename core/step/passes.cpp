// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/step/passes.h"

#include "core/base/index.h"
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

int programInSlot(const StepGraph& graph, int slot)
{
    const int row = slot / kPhases, rows = programRows(graph);
    return graph.programOf[index(row / rows)][index(row % rows)][index(slot % kPhases)];
}

std::vector<double> passShares(const StepGraph& graph, int stage)
{
    const auto rows = index(programRows(graph));
    const bool allRun = rows == index(graph.schedule.numChunks);
    std::vector<double> shares(rows * kPhases, allRun ? 1.0 : 0.0);
    if (allRun)
        return shares;
    for (const PassStep& step : passSteps(graph.schedule.order[index(stage)]))
        if (step.runs)
            shares[index(programRow(graph, step.item, step.paired)) * kPhases + static_cast<std::size_t>(step.item.phase)] +=
                1.0 / graph.schedule.numMicrobatches;
    return shares;
}

} // namespace prism
