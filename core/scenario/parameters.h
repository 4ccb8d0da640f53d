// SPDX-License-Identifier: GPL-3.0-or-later
// Editing a scenario by the parameter table: set by text, differences, text of a value.
// The table drives the JSON reader, the editor form, diffs, --set, CSV headers, help and tests.
#pragma once

#include "core/scenario/parametertable.h"

namespace prism {

/// Sets one parameter from text ("4", "true", "interleaved", "0.9 TB/s", "15%"); errors say what is accepted and suggest
/// near names for unknown ids. Setting a preset name ("cluster.gpu.preset") loads the whole preset.
[[nodiscard]] Result<Scenario> setParameter(const Scenario& scenario, std::string_view id, std::string_view text);
/// Parameters whose values differ.
[[nodiscard]] std::vector<const Parameter*> differences(const Scenario& a, const Scenario& b);
/// "4", "0.9", "interleaved": text that setParameter reads back to the same value.
[[nodiscard]] std::string parameterText(const Parameter& parameter, const Scenario& scenario);

} // namespace prism
