// SPDX-License-Identifier: GPL-3.0-or-later
// Step times out of training logs as people have them: Megatron-LM, MLPerf, NeMo, DeepSpeed, torchtitan, CSV, JSON lines.
#pragma once

#include "core/base/result.h"
#include "core/measured/loggedstep.h"
#include "core/measured/loglines.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

class LineFormat;
struct LogCandidate;

/// Takes a log line by line, from a file or while it grows, and keeps the steps. Every format that a line fits reads the lines from there
/// on; the one that finds most steps is the log's, and after kDecisiveSteps the only one. Text may be hostile: long lines, broken numbers
/// and foreign lines are counted and omitted. One thread.
class StepLogReader final {
public:
    using Keep = KeptSteps;

    explicit StepLogReader(StepLogOptions options = {}, Keep keep = Keep::all);
    ~StepLogReader();

    /// Reads one line without its line feed. True when it reported a new step, which is then last().
    bool line(std::string_view text);
    /// The last step that was taken. Precondition: line() was true before.
    [[nodiscard]] const LoggedStep& last() const;
    /// What was read so far.
    [[nodiscard]] const StepLog& log();
    /// The whole log, given away: nothing is read after it. Errors: the problems, too many lines, or no step at all (with the formats
    /// that were tried).
    [[nodiscard]] Result<StepLog> whole();
    /// Whether nothing of a whole log has to be read any more: a problem, or too many lines.
    [[nodiscard]] bool isRefused() const;
    /// Errors that prevent any reading: a pattern without a time.
    [[nodiscard]] const Diagnostics& problems() const { return m_problems; }

private:
    [[nodiscard]] std::int64_t linesPerPart() const;
    [[nodiscard]] bool hasTooManyLines() const;
    void recognise(std::string_view text);
    void add(std::unique_ptr<LineFormat> format);
    void decide();

    StepLogOptions m_options;
    Keep m_keep;
    StepLog m_nothing;                                       ///< where no format was recognised
    Diagnostics m_problems, m_headers;                       ///< the second: of headers that are ambiguous
    std::vector<std::unique_ptr<LogCandidate>> m_candidates; ///< the likeliest first
    bool m_isDecided = false;
    std::deque<std::string> m_recent; ///< the last lines while no format is decided, for a proposed pattern
    std::int64_t m_lines = 0, m_tooLong = 0;
    std::uint64_t m_bytes = 0; ///< of the lines
};

/// Of LogLines that are damaged.
[[nodiscard]] Diagnostic damagedEvents();
/// The whole log of a text in memory; files of any size: core/insight/follow/wholelog.h. Errors: as of StepLogReader::whole.
[[nodiscard]] Result<StepLog> readStepLog(std::string_view text, const StepLogOptions& options = {});
/// One sentence per fact: format, lines, matched, repeated, unusable, runs. For people.
[[nodiscard]] std::string reportText(const StepLog& log);

} // namespace prism
