// SPDX-License-Identifier: GPL-3.0-or-later
// What stored results depend on besides the scenario.
#pragma once

#include <string>

namespace prism {

/// Version of the program and a hash of the cost model's constants in use: "0.1.0, constants 3f…". The same scenario, seed and text give
/// the same results. Any thread.
[[nodiscard]] const std::string& engineVersion();

} // namespace prism
