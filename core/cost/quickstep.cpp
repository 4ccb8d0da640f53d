// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/quickstep.h"

#include "core/cost/scheduleof.h"
#include "core/schedule/shape.h"

namespace prism {
namespace {

constexpr std::size_t kMaxItems = 1'000'000; ///< kept of all schedules together; then all are forgotten

} // namespace

Result<std::shared_ptr<const Schedule>> ScheduleMemo::of(const ParallelismConfig& par, int numMicrobatches)
{
    const std::string name = scheduleName(par);
    const auto [stages, chunks] = scheduledSize(name, par.pipelineModelParallelSize, par.virtualPipelineModelParallelSize);
    const std::tuple key{name, stages, chunks, numMicrobatches, par.overlapMoeExpertParallelComm};
    if (const auto known = m_schedules.find(key); known != m_schedules.end())
        return known->second;
    Result<Schedule> made = plansOrder(name) ? scheduleShape(name, stages, chunks, numMicrobatches) : namedSchedule(par, numMicrobatches);
    if (!made.ok())
        return made.errors();
    std::size_t items = 0;
    for (const std::vector<ScheduleItem>& order : made->order)
        items += order.size();
    m_items += items;
    if (m_items > kMaxItems) {
        m_schedules.clear();
        m_items = items;
    }
    return m_schedules[key] = std::make_shared<const Schedule>(std::move(made).value());
}

} // namespace prism
