// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/scheduleof.h"

#include "core/schedule/dualpipe.h"
#include "core/schedule/generators.h"
#include "core/schedule/lists.h"
#include "core/schedule/shape.h"

namespace prism {

Result<Schedule> scheduleFromLists(const std::vector<std::string>& lists, int numChunks, int numMicrobatches)
{
    Schedule schedule;
    schedule.numStages = static_cast<int>(lists.size());
    schedule.numChunks = numChunks;
    schedule.numMicrobatches = numMicrobatches;
    Diagnostics errors;
    for (std::size_t stage = 0; stage < lists.size(); ++stage) {
        auto items = itemsFromText(lists[stage], "parallelism.custom_schedule[" + std::to_string(stage) + "]");
        for (Diagnostic d : items.errors())
            errors.push_back(std::move(d));
        schedule.order.push_back(items.ok() ? std::move(items).value() : std::vector<ScheduleItem>{});
    }
    if (!errors.empty())
        return errors;
    Result<Schedule> checked = customSchedule(std::move(schedule));
    if (checked.ok())
        return checked;
    // The lists are all that the scenario has of the schedule.
    errors = checked.errors();
    for (Diagnostic& d : errors)
        for (const std::string_view part : {"schedule.order", "schedule"})
            if (d.path.compare(0, part.size(), part) == 0) {
                d.path.replace(0, part.size(), "parallelism.custom_schedule");
                break;
            }
    return errors;
}

std::string scheduleName(const ParallelismConfig& par)
{
    if (par.pipelineSchedule == "1f1b" && par.virtualPipelineModelParallelSize > 1)
        return "interleaved";
    if (par.pipelineSchedule == "interleaved" && par.virtualPipelineModelParallelSize <= 1)
        return "1f1b";
    return par.pipelineSchedule;
}

Result<Schedule> scheduleOf(const Scenario& scenario, int numMicrobatches, const PassTimes& times)
{
    const ParallelismConfig& par = scenario.parallelism;
    if (par.pipelineSchedule == "custom")
        return scheduleFromLists(par.customSchedule, par.virtualPipelineModelParallelSize, numMicrobatches);
    return namedSchedule(par, numMicrobatches, times);
}

Result<Schedule> namedSchedule(const ParallelismConfig& par, int numMicrobatches, const PassTimes& times)
{
    const std::string name = scheduleName(par);
    const auto [stages, chunks] = scheduledSize(name, par.pipelineModelParallelSize, par.virtualPipelineModelParallelSize);
    Result<Schedule> made = makeSchedule(name, stages, chunks, numMicrobatches, times);
    return made.ok() && par.overlapMoeExpertParallelComm ? withPieces(std::move(made).value()) : made;
}

} // namespace prism
