// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules without their order, for callers that do not need it: planning an order takes time.
#pragma once

#include "core/schedule/schedule.h"

#include <string_view>

namespace prism {

/// As makeSchedule (generators.h), with an empty order: sizes, path and whether weight gradients are separate items.
[[nodiscard]] Result<Schedule> scheduleShape(std::string_view name, int numStages, int numChunks, int numMicrobatches);
/// Whether the order of a schedule of this name is planned for the times of its passes; the others follow from their sizes.
[[nodiscard]] bool plansOrder(std::string_view name);

/// Virtual stages (VPP) that a schedule of this name asks for; 0 where any number will do (interleaved, custom) and for unknown names.
[[nodiscard]] int virtualStagesOf(std::string_view name);

/// Stages and chunks of a schedule.
struct PipelineSize {
    int stages = 1, chunks = 1;
};
/// The schedule of a pipeline of `devices` stages with `virtualStages` chunks each: dualpipe as devices / 2 pairs of a device and its
/// mirror, which do the same at the same time for the two directions (dualpipe.h), with two chunks; all others as they are.
[[nodiscard]] PipelineSize scheduledSize(std::string_view name, int devices, int virtualStages);

} // namespace prism
