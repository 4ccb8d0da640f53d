// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario file to start from: the scenario's values, with a comment for every parameter.
#pragma once

#include "core/scenario/scenario.h"

#include <string>

namespace prism {

/// JSON with // comments, which scenarioFromJson reads back to the same scenario. What a preset or the default gives is commented
/// out, ready to be changed; `everything` shows the parameters that are seldom needed as well. Any thread.
[[nodiscard]] std::string commentedScenario(const Scenario& scenario, bool everything);

} // namespace prism
