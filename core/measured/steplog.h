// SPDX-License-Identifier: GPL-3.0-or-later
// Step times out of training logs as people have them: Megatron-LM, MLPerf, NeMo, DeepSpeed, torchtitan, CSV, JSON lines.
#pragma once

#include "core/base/result.h"
#include "core/measured/loggedstep.h"
#include "core/measured/loglines.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace prism {

struct LoggedRun {
    std::string name; ///< of the log's own run, or "run 1", ...
    std::vector<LoggedStep> steps;
};

/// What a log held, with counts: a reader says what it matched and what not.
struct StepLog {
    std::string format;          ///< for people: "Megatron-LM standard output"; empty = nothing was recognised
    std::string timeField;       ///< what was taken as the time of a step, with its unit
    std::vector<LoggedRun> runs; ///< in order of appearance, at least one step each
    std::int64_t lines = 0;      ///< read
    std::int64_t matched = 0;    ///< that told of a step
    std::int64_t repeated = 0;   ///< of those, the same step again: with the same time, or told by another rank
    std::int64_t unusable = 0;   ///< of those, without a positive finite time, or longer than a line may be
    std::vector<std::string> notes;
    [[nodiscard]] std::size_t steps() const;
};

/// How many steps a log may have.
inline constexpr std::size_t kMostLoggedSteps = 2'000'000;

class LineFormat;
struct LineFinding;

/// Takes a log line by line, from a file or while it grows, and keeps the steps. The first line that tells of a step (or the header of
/// a table) fixes the format. Text may be hostile: long lines, broken numbers and foreign lines are counted and left out. One thread.
class StepLogReader final {
public:
    /// Which steps stay in memory: all of them, or of each run the first and the last, for a log without an end.
    enum class Keep { all, ends };

    explicit StepLogReader(StepLogOptions options = {}, Keep keep = Keep::all);
    ~StepLogReader();

    /// One line without its line feed. True when it told of a new step, which is then the last of the last run that it named.
    bool line(std::string_view text);
    /// The last step that was taken. Precondition: line() was true before.
    [[nodiscard]] const LoggedStep& last() const;
    /// What was read so far.
    [[nodiscard]] const StepLog& log();
    /// The whole log, given away: nothing is read after it. Errors: the problems, too many lines, or no step at all (with what was looked
    /// for).
    [[nodiscard]] Result<StepLog> whole();
    /// Whether nothing of a whole log has to be read any more: a problem, or too many lines.
    [[nodiscard]] bool isRefused() const;
    /// What keeps the log from being read at all: an ambiguous or missing column, a pattern without a time.
    [[nodiscard]] const Diagnostics& problems() const { return m_problems; }

private:
    /// What is known of a run besides its steps.
    struct RunState {
        double stamp;     ///< log time of its last step; NaN = unknown
        std::string rank; ///< that told of it; empty = the lines name none
    };

    bool takeStep(const LineFinding& found);
    [[nodiscard]] std::size_t runNamed(const std::string& name);
    [[nodiscard]] std::size_t runOf(const LineFinding& found);
    void dropRuns();
    [[nodiscard]] bool isRepeated(const LineFinding& found, const LoggedRun& run) const;
    [[nodiscard]] std::int64_t linesPerPart() const;
    [[nodiscard]] bool hasTooManyLines() const;
    bool recognise(std::string_view text);
    void preferTold(std::string_view text);

    StepLogOptions m_options;
    Keep m_keep;
    StepLog m_log;
    Diagnostics m_problems;
    std::unique_ptr<LineFormat> m_format;
    std::vector<RunState> m_states;                         ///< of the runs
    std::unordered_map<std::string, std::size_t> m_indices; ///< of the runs, by their names
    std::unordered_map<std::string, std::size_t> m_latest;  ///< by the log's own name: the run that its lines go on with
    std::size_t m_lastRun = 0, m_steps = 0;
    std::uint64_t m_bytes = 0, m_beyond = 0; ///< bytes of the lines; steps beyond kMostLoggedSteps
    bool m_hasRead = false;                  ///< a line by the format
};

/// The whole log of a text in memory; files of any size: core/insight/follow/wholelog.h. Errors: as of StepLogReader::whole.
[[nodiscard]] Result<StepLog> readStepLog(std::string_view text, const StepLogOptions& options = {});
/// One sentence per fact: format, lines, matched, repeated, unusable, runs. For people.
[[nodiscard]] std::string reportText(const StepLog& log);

} // namespace prism
