// SPDX-License-Identifier: GPL-3.0-or-later
// One step of a training log, and how to read it.
#pragma once

#include <cstdint>
#include <string>

namespace prism {

/// One step that a log tells of.
struct LoggedStep {
    double seconds = 0;
    std::int64_t number = -1; ///< as logged; -1 = not logged
    double samplesSeen = -1;  ///< after the step; -1 = not logged
    double pauseSeconds = -1; ///< between the end of the step before and the start of this one (evaluation, checkpoint); -1 = unknown
};

struct StepLogOptions {
    std::string timeColumn; ///< tables and JSON lines: this field; empty = by its name
    std::string runColumn;  ///< lines with one value of it are one run; empty = by its name
    std::string unit;       ///< "s", "ms" or "us" of the time; empty = by its name
    /// A line of one's own: text with {seconds}, {ms} or {us}, and {step}, {samples}, {*} for what stands between; empty = known formats.
    std::string pattern;
};

} // namespace prism
