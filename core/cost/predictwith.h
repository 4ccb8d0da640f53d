// SPDX-License-Identifier: GPL-3.0-or-later
// costStep with other constants than the ones in use: for calibration and its cross-validation.
#pragma once

#include "core/cost/calibration.h"
#include "core/cost/costedstep.h"
#include "core/scenario/scenario.h"

namespace prism {

/// Pure function; any thread.
[[nodiscard]] Result<CostedStep> costStepWith(const Scenario& scenario, const Calibration& calibration);

/// Its noise-free step alone, three times as fast. Pure function; any thread.
[[nodiscard]] Result<double> noiseFreeSecondsWith(const Scenario& scenario, const Calibration& calibration);

} // namespace prism
