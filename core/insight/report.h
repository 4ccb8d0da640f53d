// SPDX-License-Identifier: GPL-3.0-or-later
// JSON and CSV pieces that all insights share, so that the same quantity has the same keys everywhere.
#pragma once

#include "core/insight/insight.h"

#include <nlohmann/json_fwd.hpp>

namespace prism::report {

[[nodiscard]] nlohmann::ordered_json json(const Estimate& estimate);           ///< {"value", "ci95"}: ci95 is the half-width
[[nodiscard]] nlohmann::ordered_json json(const DistributionSummary& summary); ///< as step_time_s of predict
[[nodiscard]] nlohmann::ordered_json json(const MetricChange& change);
[[nodiscard]] nlohmann::ordered_json json(const OverSystems& range, double unit); ///< {"p5", "p50", "p95"}, times the unit
[[nodiscard]] std::string dump(const nlohmann::ordered_json& object);             ///< two spaces, newline at the end, valid UTF-8 always

/// A text as a CSV field (core/base/table.h).
[[nodiscard]] std::string field(std::string_view text, TableText texts);
/// The value of a parameter, which may be a text or a number; numbers stay as they are.
[[nodiscard]] std::string valueField(std::string_view value, TableText texts);
/// Nine significant digits.
[[nodiscard]] std::string number(double value);
/// Fields joined with commas, newline at the end.
[[nodiscard]] std::string row(std::initializer_list<std::string> fields);

[[nodiscard]] std::string_view categoryName(Category category);
[[nodiscard]] std::string_view scopeName(Scope scope);

} // namespace prism::report
