// SPDX-License-Identifier: GPL-3.0-or-later
// The text of the constants in use: they are read from it, and stored results refer to it.
#pragma once

#include "core/base/result.h"

#include <string>

namespace prism {

/// presets/calibration/default.json, read once. Any thread. Error: it is not there.
[[nodiscard]] const Result<std::string>& constantsText();

} // namespace prism
