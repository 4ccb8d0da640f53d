// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a training log, and how to read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace prism {

/// One step that a log reports.
struct LoggedStep {
    double seconds = 0;
    std::int64_t number = -1; ///< as logged; -1 = not logged
    double samplesSeen = -1;  ///< after the step; -1 = not logged
    double pauseSeconds = -1; ///< between the end of the step before and the start of this one (evaluation, checkpoint); -1 = unknown
};

struct LoggedRun {
    std::string name; ///< of the log's own run, or "run 1", ...
    std::vector<LoggedStep> steps;
};

/// The content of a log, with counts of what a reader matched and what not.
struct StepLog {
    std::string format;          ///< for people: "Megatron-LM standard output"; empty = nothing was recognised
    std::string timeField;       ///< the field used as the time of a step, with its unit
    std::vector<LoggedRun> runs; ///< in order of appearance, at least one step each
    std::int64_t lines = 0;      ///< read
    std::int64_t matched = 0;    ///< that reported a step
    std::int64_t repeated = 0;   ///< of those, the same step again: with the same time, or reported by another rank
    std::int64_t unusable = 0;   ///< of those, without a positive finite time, or longer than a line may be
    std::vector<std::string> notes;
    [[nodiscard]] std::size_t steps() const;
};

/// How many steps a log may have.
inline constexpr std::size_t kMaxLoggedSteps = 2'000'000;

/// Steps that stay in memory: all, or only the first and the last of each run, for a log without an end.
enum class KeptSteps { all, ends };

struct StepLogOptions {
    std::string timeColumn; ///< tables and JSON lines: this field; empty = by its name
    std::string runColumn;  ///< lines with one value of it are one run; empty = by its name
    std::string unit;       ///< "s", "ms" or "us" of the time; empty = by its name
    /// A custom line: text with {seconds}, {ms} or {us}, and {step}, {samples}, {*} for what is between; empty = known formats.
    std::string pattern;
};

} // namespace prism
