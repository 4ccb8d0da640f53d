// SPDX-License-Identifier: GPL-3.0-or-later
// Scenario -> StepGraph with means, memory and FLOPs: the analytic model as one pure function.
#pragma once

#include "core/cost/calibration.h"
#include "core/cost/costedstep.h"
#include "core/scenario/scenario.h"

#include <vector>

namespace prism {

/// Pure function; any thread. Errors: what check(scenario) finds.
[[nodiscard]] Result<CostedStep> costStep(const Scenario& scenario);
/// CostedStep::noiseFreeSeconds alone, three times as fast. Pure function; any thread.
[[nodiscard]] Result<double> noiseFreeSeconds(const Scenario& scenario);

/// Positions of a physical node's GPUs in the graph (replica, stage, rank in cell), by the scenario's rank order.
struct RankPosition {
    int replica = 0, stage = 0, rankInCell = 0;
};
/// position of each global rank; size = gpus.
[[nodiscard]] std::vector<RankPosition> rankLayout(const Scenario& scenario);

/// Pure function; any thread.
[[nodiscard]] Result<CostedStep> costStepWith(const Scenario& scenario, const Calibration& calibration);

/// Its noise-free step alone, three times as fast. Pure function; any thread.
[[nodiscard]] Result<double> noiseFreeSecondsWith(const Scenario& scenario, const Calibration& calibration);

} // namespace prism
