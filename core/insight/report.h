// SPDX-License-Identifier: GPL-3.0-or-later
// JSON and CSV pieces that all insights share, so that the same figure has the same keys everywhere.
#pragma once

#include "core/insight/insight.h"

#include <nlohmann/json_fwd.hpp>

namespace prism::report {

[[nodiscard]] nlohmann::ordered_json json(const Estimate& estimate);           ///< {"value", "ci95"}: ci95 is the half-width
[[nodiscard]] nlohmann::ordered_json json(const DistributionSummary& summary); ///< as step_time_s of predict
[[nodiscard]] nlohmann::ordered_json json(const FigureChange& change);
[[nodiscard]] std::string dump(const nlohmann::ordered_json& object); ///< two spaces, newline at the end, valid UTF-8 always

/// A CSV field: quoted where it holds a separator, a quote or a line break (RFC 4180).
[[nodiscard]] std::string field(std::string_view text);
/// Nine significant digits.
[[nodiscard]] std::string number(double value);
/// Fields joined with commas, newline at the end.
[[nodiscard]] std::string row(std::initializer_list<std::string> fields);

[[nodiscard]] std::string_view categoryName(Category category);
[[nodiscard]] std::string_view scopeName(Scope scope);

} // namespace prism::report
