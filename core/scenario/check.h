// SPDX-License-Identifier: GPL-3.0-or-later
// Which rules of a scenario hold: check() of scenario.h, and the same with some parameters omitted.
#pragma once

#include "core/scenario/scenario.h"

namespace prism {

/// check() that omits every rule in which one of the `skipped` parameter ids takes part (they are reported already).
[[nodiscard]] Diagnostics checkExcept(const Scenario& scenario, const std::vector<std::string>& skipped);

} // namespace prism
