// SPDX-License-Identifier: GPL-3.0-or-later
// Validation rules: one value against its entry of the parameter table, in the same words everywhere, and a scenario with some parameters
// excluded.
#pragma once

#include "core/scenario/parameter.h"
#include "core/scenario/scenario.h"

#include <optional>

namespace prism {

/// "an integer from 1 to 1024", "one of: a, b", "true or false".
[[nodiscard]] std::string acceptedText(const Parameter& parameter);
/// "4", "0.9", "interleaved".
[[nodiscard]] std::string valueText(const ParameterValue& value);
/// JSON text of a value ("4", "true", "\"bf16\"").
[[nodiscard]] std::string valueJson(const ParameterValue& value);
/// Why a value of the right type is out of range, not finite or no known choice; nothing when it is fine.
[[nodiscard]] std::optional<Diagnostic> rangeError(const Parameter& parameter, const ParameterValue& value);
/// True for names and preset labels: they change no number.
[[nodiscard]] bool isLabel(const Parameter& parameter);

/// check() without the rules in which one of the `skipped` parameter ids takes part (they have an error already).
[[nodiscard]] Diagnostics checkExcept(const Scenario& scenario, const std::vector<std::string>& skipped);

} // namespace prism
