// SPDX-License-Identifier: GPL-3.0-or-later
// From the runners of a race to ranked candidates: order, probabilities to be the best, Pareto front, best by mean and by p95.
#pragma once

#include "core/explore/exploration.h"
#include "core/explore/race.h"

namespace prism {

/// Fills everything of `out` that follows from the race. Pure.
void rank(const RaceResult& race, const PointMaker& maker, Exploration& out);

} // namespace prism
