// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the fields of a table or a JSON object with a step's time, number, samples, run or time stamp, by their names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// A field whose name is that of a duration of one step.
struct TimeField {
    std::size_t index = 0;
    double unitSeconds = 1; ///< what 1 stands for
    /// 0 = contains "step time" or "iteration time", 1 = only "time", "elapsed", "duration" or "value", 2 = a clock ("runtime"), 3 = a time
    /// stamp
    int rank = 0;
    bool isGiven = false; ///< by the user
    std::string run;      ///< "RUN - FIELD", as exports of several runs have it
};

/// By the words of a name, regardless of case and separators: "step_time_s", "iteration-time (ms)", "train_step_timing in s",
/// "perf/elapsed time per iteration [ms]". Not the times of parts (data, forward), of evaluations, or minima and maxima.
[[nodiscard]] std::optional<TimeField> timeField(std::string_view name);
/// Seconds of "s", "ms", "us" (or their long names); 0 for anything else.
[[nodiscard]] double unitSeconds(std::string_view unit);

enum class FieldKind { other, step, samples, run, rank, stamp, pause };
struct NamedField {
    FieldKind kind = FieldKind::other;
    double unitSeconds = 1; ///< of a stamp or a pause
};
[[nodiscard]] NamedField namedField(std::string_view name);

/// The fields of a table that matter.
struct LogColumns {
    std::vector<TimeField> times; ///< one, or one per run
    std::optional<std::size_t> step, samples, run, rank, stamp, pause;
    double stampUnit = 1, pauseUnit = 1;
    std::string timeName;         ///< for people
    std::vector<std::string> tie; ///< several fields could be the time: their names; `times` is empty then
};
/// `timeName` and `runName`: fields of these names; empty = found by their names.
[[nodiscard]] LogColumns logColumns(const std::vector<std::string>& names, const std::string& timeName, const std::string& runName);

} // namespace prism
