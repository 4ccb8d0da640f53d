// Plans a zero-bubble order for given pass times under a limit of activations in flight.
#pragma once

#include "core/schedule/schedule.h"

namespace prism {

/// The order of every stage for a schedule that has its sizes and path but no order yet. `maxInFlight` counts chunk activations
/// per stage: a forward takes one, its backward gives back all but `times.weightShare` of it, its weight item the rest; at
/// least 2 when a path visits a stage twice.
///
/// A list scheduler in event order: a stage that is free runs a backward that has arrived, else a forward that has arrived and
/// fits the limit, else a pending weight item, which fills what would be idle time. Where an input is known to arrive before a
/// weight item would be over, the stage waits for it as long as the stage's idle time stays within a budget; the plan with the
/// best of a range of budgets is kept (shortest longest stage, then earliest end). Cost: budgets x items x stages; pure.
[[nodiscard]] std::vector<std::vector<ScheduleItem>> greedyOrder(const Schedule& shape, const PassTimes& times,
                                                                 int maxInFlight);

} // namespace prism
