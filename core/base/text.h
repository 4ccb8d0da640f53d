// SPDX-License-Identifier: GPL-3.0-or-later
// Small text services that every reader needs: nearest known name, shortest number text, trimming and splitting.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// Edits (insert, delete, replace, swap of neighbours) between two texts: optimal string alignment distance.
/// Texts longer than 64 characters are cut to 64.
[[nodiscard]] int editDistance(std::string_view a, std::string_view b);

/// The known name that is nearest to `name`; where none is near enough (more than a third of it differs) the only one that begins with it,
/// of two letters and more; else empty.
[[nodiscard]] std::string nearestName(std::string_view name, std::span<const std::string> known);

/// Unknown name below `path`, with the nearest of the known ones as a suggestion.
[[nodiscard]] Diagnostic unknownName(std::string path, std::string_view what, std::string_view name, std::span<const std::string> known);

/// Shortest decimal text that reads back to the same double ("0.1", "1e+300", "16384").
[[nodiscard]] std::string numberText(double value);

[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::string lowered(std::string_view text);
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);
[[nodiscard]] std::string joined(std::span<const std::string> parts, std::string_view separator);

/// Whole-text numbers, locale-free. A double must be finite.
[[nodiscard]] std::optional<double> doubleFromText(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> integerFromText(std::string_view text);

} // namespace prism
