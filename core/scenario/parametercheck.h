// One value against its entry of the parameter table: the same words for the reader, the editor and check().
#pragma once

#include "core/scenario/parameters.h"

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
/// Unknown name below `path`, with the nearest of the known ones as a suggestion.
[[nodiscard]] Diagnostic unknownName(std::string path, std::string_view what, std::string_view name, std::span<const std::string> known);
/// True for names and preset labels: they change no number.
[[nodiscard]] bool isLabel(const Parameter& parameter);

/// check() that leaves out every rule in which one of the `skipped` parameter ids takes part (they are reported already).
[[nodiscard]] Diagnostics checkExcept(const Scenario& scenario, const std::vector<std::string>& skipped);

} // namespace prism
