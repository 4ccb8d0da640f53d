// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/steplog.h"

#include "core/base/printable.h"
#include "core/measured/jsonarray.h"
#include "core/measured/lineformat.h"
#include "core/measured/loglimits.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

constexpr double kLongestStep = 1e7;     ///< seconds
constexpr std::size_t kFieldShown = 200; ///< bytes
constexpr const char* kKnown =
    "Megatron-LM, NeMo, DeepSpeed or torchtitan output, an MLPerf log, JSON lines, or a table with a header that "
    "names a step time; or give --time-column or --pattern";

/// "NAME (2)", ...: what a run is called whose name another one had before.
std::string againNamed(const std::string& name, int time)
{
    return time < 2 ? name : fmt::format("{} ({})", name, time);
}

/// Whether a named run begins anew: several systems that count their runs from 0 stand in one table. Rows that are only out of order do not
/// fall as far. Samples tell nothing: logs of MLPerf count them from 0 at every evaluation.
bool beginsAnew(const LoggedStep& step, const LoggedStep& before)
{
    return step.number >= 0 && 2 * step.number < before.number;
}

/// Seconds between the end of the step before and the start of this one; several steps lie between lines that tell of some alone.
double pauseBefore(const LoggedStep& step, const LoggedStep& before, double between)
{
    const bool isNumbered = before.number >= 0 && step.number > before.number;
    const double steps = isNumbered ? static_cast<double>(step.number - before.number) : 1.0;
    return std::max(0.0, between - steps * step.seconds);
}

} // namespace

std::size_t StepLog::steps() const
{
    std::size_t count = 0;
    for (const LoggedRun& run : runs)
        count += run.steps.size();
    return count;
}

StepLogReader::StepLogReader(StepLogOptions options, Keep keep) : m_options(std::move(options)), m_keep(keep)
{
    if (m_options.pattern.empty())
        return;
    Result<std::unique_ptr<LineFormat>> format = patternFormat(m_options.pattern);
    if (format.ok())
        m_format = std::move(format).value();
    else
        m_problems = format.errors();
}

StepLogReader::~StepLogReader() = default;

/// Index of the run of this name; a new one where there is none.
std::size_t StepLogReader::runNamed(const std::string& name)
{
    const auto [known, isNew] = m_indices.try_emplace(name, m_log.runs.size());
    if (isNew) {
        m_log.runs.push_back({name, {}});
        m_states.push_back({kNoNumber, {}});
    }
    return known->second;
}

/// Index of the run that a line names, or of the next one of that name.
std::size_t StepLogReader::runOf(const LineFinding& found)
{
    const auto [latest, isFirst] = m_latest.try_emplace(found.run, 0);
    if (isFirst)
        return latest->second = runNamed(found.run);
    const LoggedRun& run = m_log.runs[latest->second];
    if (run.steps.empty() || !beginsAnew(found.step, run.steps.back()))
        return latest->second;
    std::string next = found.run;
    for (int time = 2; m_indices.contains(next); ++time)
        next = againNamed(found.run, time);
    return latest->second = runNamed(next);
}

void StepLogReader::dropRuns()
{
    m_log.runs.clear();
    m_states.clear();
    m_indices.clear();
    m_latest.clear();
    m_lastRun = m_steps = 0;
}

const StepLog& StepLogReader::log()
{
    if (m_format && m_hasRead) {
        m_log.format = m_format->name();
        m_log.timeField = m_format->timeField();
        m_log.notes = m_format->notes();
    }
    return m_log;
}

std::int64_t StepLogReader::linesPerPart() const
{
    return m_format ? kMaxLogLines : kMaxLinesBefore;
}

/// The limit grows with the log.
bool StepLogReader::hasTooManyLines() const
{
    return m_log.lines > linesPerPart() * (1 + static_cast<std::int64_t>(m_bytes / kLogPartBytes));
}

bool StepLogReader::isRefused() const
{
    return hasErrors(m_problems) || hasTooManyLines();
}

Result<StepLog> StepLogReader::whole()
{
    if (hasErrors(m_problems))
        return m_problems;
    if (hasTooManyLines())
        return Diagnostic{.path = "line " + std::to_string(m_log.lines),
                          .message = m_format ? "the log has too many lines" : "too many lines stand before the first that tells of a step",
                          .accepted = fmt::format("at most {} lines per {} MiB{}", linesPerPart(), kLogPartBytes >> 20,
                                                  m_format ? "" : std::string(" before it: ") + kKnown)};
    (void)log();
    if (m_beyond > 0)
        m_log.notes.push_back(fmt::format("{} of these are beyond the limit of {} steps: split the log.", m_beyond, kMostLoggedSteps));
    std::erase_if(m_log.runs, [](const LoggedRun& r) { return r.steps.empty(); });
    if (m_log.runs.empty())
        return Diagnostic{.message = m_log.format.empty() ? "no line tells of a step" : "no line holds a usable step time",
                          .found = fmt::format("{} lines, {} matched, {} unusable", m_log.lines, m_log.matched, m_log.unusable),
                          .accepted = kKnown};
    return std::move(m_log);
}

const LoggedStep& StepLogReader::last() const
{
    return m_log.runs[m_lastRun].steps.back();
}

bool StepLogReader::recognise(std::string_view text)
{
    m_format = mlperfFormat(text);
    if (!m_format)
        m_format = markedLineFormat(text);
    if (!m_format)
        m_format = jsonLinesFormat(text, m_options);
    if (!m_format)
        m_format = stampedLineFormat(text);
    if (!m_format)
        m_format = progressBarFormat(text);
    if (m_format)
        return true;
    Diagnostics problems;
    m_format = tableFormat(text, m_options, problems);
    if (m_problems.empty())
        m_problems = std::move(problems);
    return false; // a header tells of no step
}

/// A line that tells the time of its step ends a format that worked it out: what that one gave is dropped.
void StepLogReader::preferTold(std::string_view text)
{
    std::unique_ptr<LineFormat> told = markedLineFormat(text);
    if (!told)
        return;
    m_format = std::move(told);
    dropRuns();
    m_log.matched = m_log.repeated = 0;
}

bool StepLogReader::line(std::string_view text)
{
    ++m_log.lines;
    m_bytes += text.size() + 1;
    if (text.ends_with('\r'))
        text.remove_suffix(1);
    if (text.size() > kLongestLogLine) {
        ++m_log.unusable;
        return false;
    }
    if (!m_format && !recognise(text))
        return false;
    if (m_format->isInferred())
        preferTold(text);
    std::vector<LineFinding> found;
    m_format->read(text, found);
    m_hasRead = true;
    bool any = false;
    for (const LineFinding& f : found)
        any = takeStep(f) || any;
    return any;
}

/// A step that the run has already: with the same time, or as another rank saw it.
bool StepLogReader::isRepeated(const LineFinding& found, const LoggedRun& run) const
{
    if (run.steps.empty())
        return false;
    const LoggedStep &step = found.step, &before = run.steps.back();
    if (step.number < 0)
        return false;
    const bool isOtherRank = found.rank != m_states[m_lastRun].rank;
    return (step.number == before.number && step.seconds == before.seconds)
           || (isOtherRank && step.number >= run.steps.front().number && step.number <= before.number);
}

bool StepLogReader::takeStep(const LineFinding& found)
{
    using Kind = LineFinding::Kind;
    if (found.kind == Kind::unusable) {
        ++m_log.unusable;
        return false;
    }
    const auto newRun = [&] { return runNamed("run " + std::to_string(m_log.runs.size() + 1)); };
    if (found.kind == Kind::newRun) {
        if (m_log.runs.empty() || !m_log.runs[m_lastRun].steps.empty())
            m_lastRun = newRun();
        return false;
    }
    ++m_log.matched;
    LoggedStep step = found.step;
    if (!(step.seconds > 0) || !(step.seconds < kLongestStep) || m_steps >= kMostLoggedSteps || m_log.runs.size() > kMaxLoggedRuns) {
        ++m_log.unusable;
        m_beyond += m_steps >= kMostLoggedSteps ? 1 : 0;
        return false;
    }
    if (!found.run.empty())
        m_lastRun = runOf(found);
    else if (m_log.runs.empty())
        m_lastRun = newRun();
    if (isRepeated(found, m_log.runs[m_lastRun])) {
        ++m_log.repeated;
        return false;
    }
    const std::vector<LoggedStep>& known = m_log.runs[m_lastRun].steps;
    if (!known.empty() && step.number >= 0 && step.number < known.back().number && found.run.empty())
        m_lastRun = newRun(); // the job went back to a checkpoint: its first steps warm up again
    LoggedRun& run = m_log.runs[m_lastRun];
    RunState& state = m_states[m_lastRun];
    if (!found.stampIsPaused && !run.steps.empty() && found.stamp - state.stamp >= 0)
        step.pauseSeconds = pauseBefore(step, run.steps.back(), found.stamp - state.stamp);
    state = {found.stamp, found.rank};
    if (m_keep == Keep::ends && run.steps.size() > 1)
        run.steps.back() = step;
    else
        run.steps.push_back(step);
    m_steps += m_keep == Keep::all ? 1 : 0;
    return true;
}

Result<StepLog> readStepLog(std::string_view text, const StepLogOptions& options)
{
    StepLogReader reader(options);
    const std::string array = linesOfArray(text);
    LogLines lines;
    const auto line = [&](std::string_view of) {
        if (!reader.isRefused())
            reader.line(of);
    };
    lines.take(array.empty() ? text : array, line);
    lines.finish(line);
    return reader.whole();
}

std::string reportText(const StepLog& log)
{
    std::string text =
        fmt::format("{}: {} of {} lines tell of a step ({})\n", log.format, log.matched, log.lines, printable(log.timeField, kFieldShown));
    text += fmt::format("{} steps in {} run{}", log.steps(), log.runs.size(), log.runs.size() == 1 ? "" : "s");
    if (log.repeated > 0)
        text += fmt::format(", {} repeated left out", log.repeated);
    if (log.unusable > 0)
        text += fmt::format(", {} without a usable time left out", log.unusable);
    text += "\n";
    for (const std::string& note : log.notes)
        text += "Note: " + note + "\n";
    return text;
}

} // namespace prism
