// SPDX-License-Identifier: GPL-3.0-or-later
// What stored results depend on besides the scenario: the program's version and the text of the constants in use.
#pragma once

#include "core/base/result.h"

#include <string>

namespace prism {

/// Version of the program and a hash of the cost model's constants in use: "0.1.0, constants 3f…". The same scenario, seed and text give
/// the same results. Any thread.
[[nodiscard]] const std::string& engineVersion();

/// presets/calibration/default.json, read once. Any thread. Error: it is not there.
[[nodiscard]] const Result<std::string>& constantsText();

} // namespace prism
