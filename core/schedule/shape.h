// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules without their order: for callers that do not need what planned schedules make at some cost.
#pragma once

#include "core/schedule/schedule.h"

#include <string_view>

namespace prism {

/// As makeSchedule (generators.h), with an empty order: sizes, path and whether weights are items of their own.
[[nodiscard]] Result<Schedule> scheduleShape(std::string_view name, int numStages, int numChunks, int numMicrobatches);
/// Whether the order of a schedule of this name is planned for the times of its passes; the others follow from their sizes.
[[nodiscard]] bool plansOrder(std::string_view name);

} // namespace prism
