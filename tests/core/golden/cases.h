// SPDX-License-Identifier: GPL-3.0-or-later
// The scenarios whose metrics are recorded: every preset, and variants that reach the corners of the model.
#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace prism::golden {

struct Case {
    std::string name;
    Scenario scenario;
};

/// Every scenario preset and every variant. Errors of a variant become test failures.
[[nodiscard]] std::vector<Case> cases();

} // namespace prism::golden
