// SPDX-License-Identifier: GPL-3.0-or-later
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
/// weight item would be over, the stage waits for it as long as the stage's idle time stays within a budget. With several chunks
/// also: forwards and backwards in turn, early chunks up to the whole limit, and orders planned for equal passes. The plan with the
/// shortest longest stage is kept, then the one with the earliest end. For zb-v and equal passes, where the paper's handcrafted order has
/// no bubble, it has 0 to 2 % at M = 4 P. Cost: about 100
/// policies x items x log(stages), each given up once it cannot be the best; above 8 micro-batches per stage or 20 million decisions the
/// policies are ranked on a shorter step and the best two are planned in full, so that no plan takes more than a few seconds. Pure.
[[nodiscard]] std::vector<std::vector<ScheduleItem>> greedyOrder(const Schedule& shape, const PassTimes& times, int maxInFlight);

} // namespace prism
