// SPDX-License-Identifier: GPL-3.0-or-later
// Validation rules of a scenario: check() of scenario.h, and the same with some parameters excluded.
#pragma once

#include "core/scenario/scenario.h"

namespace prism {

/// check() without the rules in which one of the `skipped` parameter ids takes part (they have an error already).
[[nodiscard]] Diagnostics checkExcept(const Scenario& scenario, const std::vector<std::string>& skipped);

} // namespace prism
