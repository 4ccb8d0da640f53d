// SPDX-License-Identifier: GPL-3.0-or-later
// One way in which a log tells of steps. Internal to core/measured.
#pragma once

#include "core/base/result.h"
#include "core/measured/loggedstep.h"

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN(); ///< no format knows 0 for "not there"

/// What one line says.
struct LineFinding {
    enum class Kind { nothing, step, newRun, unusable };
    Kind kind = Kind::nothing;
    LoggedStep step;
    std::string run;            ///< the log's own name of the run; empty = the one that goes on
    std::string rank;           ///< that wrote the line; empty = not said
    double stamp = kNoNumber;   ///< when the line was written, seconds
    bool stampIsPaused = false; ///< step.pauseSeconds is set already
};

/// A format with its state. One thread.
class LineFormat {
public:
    virtual ~LineFormat() = default;
    [[nodiscard]] virtual std::string name() const = 0;
    [[nodiscard]] virtual std::string timeField() const = 0;
    /// Findings of a line are appended; several where a line holds several runs.
    virtual void read(std::string_view line, std::vector<LineFinding>& out) = 0;
    [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
    /// The time of a step is worked out, not told: a format that tells it goes over this one.
    [[nodiscard]] virtual bool isInferred() const { return false; }
};

/// Null when the line is not of the format. Tables report in `problems` what keeps their header from being understood.
[[nodiscard]] std::unique_ptr<LineFormat> markedLineFormat(std::string_view line);
[[nodiscard]] std::unique_ptr<LineFormat> stampedLineFormat(std::string_view line);
[[nodiscard]] std::unique_ptr<LineFormat> progressBarFormat(std::string_view line);
[[nodiscard]] std::unique_ptr<LineFormat> mlperfFormat(std::string_view line);
[[nodiscard]] std::unique_ptr<LineFormat> jsonLinesFormat(std::string_view line, const StepLogOptions& options);
[[nodiscard]] std::unique_ptr<LineFormat> tableFormat(std::string_view line, const StepLogOptions& options, Diagnostics& problems);
/// Errors: a pattern without a time, or with two times.
[[nodiscard]] Result<std::unique_ptr<LineFormat>> patternFormat(const std::string& pattern);

/// The first number after `at` and any blanks, ':', '=', quotes or colours; NaN when there is none. Locale-free.
[[nodiscard]] double numberAfter(std::string_view line, std::size_t at);
/// "2025-01-31 12:00:00", "...T12:00:00.123" or "...,123" in the first 80 characters: seconds since 1970 and where it begins.
struct LineStamp {
    double seconds = kNoNumber; ///< NaN = there is none
    std::size_t at = 0;
};
[[nodiscard]] LineStamp lineStamp(std::string_view line);
[[nodiscard]] double stampOf(std::string_view line);
/// What launchers write before the lines of a rank: "3: " (srun --label), "[rank3]:", "[default3]:" (torchrun); empty = nothing.
[[nodiscard]] std::string_view rankTag(std::string_view line);

} // namespace prism
