// SPDX-License-Identifier: GPL-3.0-or-later
// One row per metric on screen and in JSON: label, unit, formula in words, and the function that computes it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace prism {

/// The source of a metric. Texts live as long as the program.
struct Metric {
    std::string_view key;      ///< path in `predict --json` ("step_time_s.p95"), or "command:path" of another command
    std::string_view label;    ///< as on screen; empty where the window does not show it
    std::string_view unit;     ///< "s", "%", "1" for a ratio
    std::string_view formula;  ///< in words, with its source where it has one
    std::string_view file;     ///< source of the function, relative to the root of the repository
    std::string_view function; ///< defined in that file
};

/// The whole table, in the order of `predict --json`. Immutable; any thread.
[[nodiscard]] std::span<const Metric> metrics();
/// The row of a JSON path; list indices are omitted ("memory_gib.stages.total"). Null where there is none.
[[nodiscard]] const Metric* metricOf(std::string_view key);
/// The help page metrics.md. `prism-cli help metrics --markdown` prints it.
[[nodiscard]] std::string metricPage();

} // namespace prism
