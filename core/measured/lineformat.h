// SPDX-License-Identifier: GPL-3.0-or-later
// One way in which a log reports steps. Internal to core/measured.
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

/// One record of a line.
struct LineFinding {
    enum class Kind { step, newRun, unusable };
    /// Meaning of step.seconds: the time of the step; the mean or the sum of the steps since the record before; a clock that runs on; or,
    /// where its name leaves that open (plain), the time of a step or a clock.
    enum class Time { step, mean, sum, clock, plain };
    Kind kind = Kind::step;
    Time time = Time::step;
    LoggedStep step;
    double total = kNoNumber;   ///< steps that the job will have
    std::string run;            ///< the log's own name of the run; empty = the current one
    std::string rank;           ///< that wrote the line; empty = not logged
    double stamp = kNoNumber;   ///< when the line was written, seconds
    bool stampIsPaused = false; ///< step.pauseSeconds is set already
};

/// How a format gives the time of a step: by a name for it, as "time" or "value", or by differences of clocks.
enum class Trust { named, plain, inferred };

/// A format with its state. One thread.
class LineFormat {
public:
    virtual ~LineFormat() = default;
    [[nodiscard]] virtual std::string name() const = 0;
    [[nodiscard]] virtual std::string timeField() const = 0;
    /// Records of a line are appended.
    virtual void read(std::string_view line, std::vector<LineFinding>& out) = 0;
    [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
    [[nodiscard]] virtual Trust trust() const { return Trust::named; }
    /// Equal for formats that read the same lines in the same way.
    [[nodiscard]] virtual std::string key() const { return name() + '\n' + timeField(); }
};

/// Null when the line is not of the format. Tables report in `problems` what keeps their header from being recognised.
[[nodiscard]] std::vector<std::unique_ptr<LineFormat>> dialectFormats(std::string_view line);
[[nodiscard]] std::unique_ptr<LineFormat> progressBarFormat(std::string_view line);
/// Formats of the spans of a training step that a line names.
[[nodiscard]] std::vector<std::unique_ptr<LineFormat>> spanFormats(std::string_view line);
[[nodiscard]] std::unique_ptr<LineFormat> mlperfFormat(std::string_view line);
[[nodiscard]] std::unique_ptr<LineFormat> jsonLinesFormat(std::string_view line, const StepLogOptions& options);
[[nodiscard]] std::unique_ptr<LineFormat> tableFormat(std::string_view line, const StepLogOptions& options, Diagnostics& problems);
/// Errors: a pattern without a time, or with two times.
[[nodiscard]] Result<std::unique_ptr<LineFormat>> patternFormat(const std::string& pattern);

/// The first number after `at` and any blanks, ':', '=', quotes, colours or "np.float64("; NaN when there is none. Locale-free; commas
/// may group the digits by three.
[[nodiscard]] double numberAfter(std::string_view line, std::size_t at);
/// The text without the commas that group the digits of a number at its start by three.
[[nodiscard]] std::string withoutGroups(std::string_view text);
/// "05:07", "1:05:07" and "1 day, 1:05:07.5" in seconds; NaN for anything else.
[[nodiscard]] double clockSeconds(std::string_view text);
/// "2025-01-31 12:00:00", "...T12:00:00.123" or "...,123" in the first 80 characters: seconds since 1970 and where it begins.
struct LineStamp {
    double seconds = kNoNumber; ///< NaN = there is none
    std::size_t at = 0;
};
[[nodiscard]] LineStamp lineStamp(std::string_view line);
[[nodiscard]] double stampOf(std::string_view line);
/// The prefix that launchers write before the lines of a rank: "3: " (srun --label), "[rank3]:", "[default3]:" (torchrun); empty = nothing.
[[nodiscard]] std::string_view rankTag(std::string_view line);

} // namespace prism
