// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios from the configurations of other programs.
#pragma once

#include "core/scenario/scenario.h"

#include <string_view>

namespace prism {

/// Result of an import, with ignored and assumed parts as warnings and notes.
struct ImportResult {
    Scenario scenario;
    Diagnostics notes;
};
[[nodiscard]] Result<ImportResult> importHuggingFaceConfig(std::string_view text, const Scenario& base);
[[nodiscard]] Result<ImportResult> importMegatronArguments(std::string_view text, Scenario base);

} // namespace prism
