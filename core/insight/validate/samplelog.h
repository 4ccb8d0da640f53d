// SPDX-License-Identifier: GPL-3.0-or-later
// A log of training steps that is made from a scenario, as an example of a measured one.
#pragma once

#include "core/insight/insight.h"

namespace prism {

/// 1,900 step times of a run of the scenario, with the trend of the system in the middle, as comma-separated rows "step,step_time_s", drawn
/// with the seed after `options.seed`: the same model with other random numbers, at the level of the scenario's median job. Errors: the
/// scenario's diagnostics, cancelled. Blocks.
[[nodiscard]] Result<std::string> sampleLog(Evaluator& evaluator, const Scenario& scenario, const InsightOptions& options = {});

} // namespace prism
