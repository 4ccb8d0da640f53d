// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/steplog.h"

#include "core/base/printable.h"
#include "core/base/valuetext.h"
#include "core/measured/eventlines.h"
#include "core/measured/lineformat.h"
#include "core/measured/measuredlimits.h"
#include "core/measured/patternproposal.h"
#include "core/measured/stepcollector.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <tuple>

namespace prism {

namespace {

constexpr std::size_t kFieldShown = 200; ///< bytes
constexpr const char* kKnown =
    "output of a framework (the help page \"steps\" lists them), an MLPerf log, a TensorBoard event file, OpenTelemetry spans, JSON "
    "lines, or a table with a header "
    "that names a step time; or give --time-column or --pattern";

constexpr std::size_t kMaxRecentLines = 400, kMaxRecentBytes = 300; ///< of a line
constexpr std::size_t kMaxCandidates = 8;
constexpr std::int64_t kDecisiveSteps = 1'000, kDecisiveLines = 100'000;
constexpr std::int64_t kEnoughSteps = 3; ///< of one run; fewer may be one foreign line

} // namespace

std::size_t StepLog::steps() const
{
    std::size_t count = 0;
    for (const LoggedRun& run : runs)
        count += run.steps.size();
    return count;
}

/// A format that the log may be in, with what it has read.
struct LogCandidate {
    std::unique_ptr<LineFormat> format;
    StepCollector steps;
    bool hasStepped = false; ///< by the last line
    LoggedStep last;         ///< of the last line that reported one; a later record of that line may begin another run
};

namespace {

/// Enough steps, then how directly the format gives their times, then their number.
bool isLikelier(LogCandidate& a, LogCandidate& b)
{
    const auto rank = [](LogCandidate& c) {
        return std::tuple(c.steps.longest() < kEnoughSteps || c.steps.evidence() <= 0, c.format->trust(), -c.steps.evidence());
    };
    return rank(a) < rank(b);
}

} // namespace

StepLogReader::StepLogReader(StepLogOptions options, Keep keep) : m_options(std::move(options)), m_keep(keep)
{
    if (m_options.pattern.empty())
        return;
    Result<std::unique_ptr<LineFormat>> format = patternFormat(m_options.pattern);
    if (format.ok())
        add(std::move(format).value());
    else
        m_problems = format.errors();
    m_isDecided = true;
}

StepLogReader::~StepLogReader() = default;

const StepLog& StepLogReader::log()
{
    if (m_candidates.empty()) {
        m_nothing.lines = m_lines;
        m_nothing.unusable = m_tooLong;
        return m_nothing;
    }
    LogCandidate& best = *m_candidates.front();
    StepLog& log = best.steps.log();
    log.lines = m_lines;
    log.format = best.format->name();
    log.timeField = best.format->timeField();
    log.notes = best.format->notes();
    for (std::string& note : best.steps.notes(log.timeField))
        log.notes.push_back(std::move(note));
    return log;
}

std::int64_t StepLogReader::linesPerPart() const
{
    return m_candidates.empty() ? kMaxLinesBefore : kMaxLogLines;
}

/// The limit grows with the log.
bool StepLogReader::hasTooManyLines() const
{
    return m_lines > linesPerPart() * (1 + static_cast<std::int64_t>(m_bytes / kLogPartBytes));
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
        return Diagnostic{.path = "line " + std::to_string(m_lines),
                          .message = m_candidates.empty() ? "too many lines precede the first one that reports a step"
                                                          : "the log has too many lines",
                          .accepted = fmt::format("at most {} lines per {} MiB{}", linesPerPart(), kLogPartBytes >> 20,
                                                  m_candidates.empty() ? std::string(" before it: ") + kKnown : "")};
    (void)this->log();
    StepLog log = std::move(m_candidates.empty() ? m_nothing : m_candidates.front()->steps.log());
    std::erase_if(log.runs, [](const LoggedRun& r) { return r.steps.empty(); });
    if (log.runs.empty() && hasErrors(m_headers))
        return m_headers;
    if (log.runs.empty()) {
        const std::string pattern = proposedPattern(m_recent);
        return Diagnostic{.message = log.format.empty() ? "no line reports a step" : "no line holds a usable step time",
                          .found = fmt::format("{} lines, {} matched, {} unusable", log.lines, log.matched, log.unusable),
                          .accepted =
                              std::string(kKnown)
                              + (pattern.empty() ? std::string() : fmt::format("; this log may be read with --pattern '{}'", pattern))};
    }
    if (Diagnostics problems = m_candidates.front()->steps.problems(); hasErrors(problems))
        return problems;
    return log;
}

const LoggedStep& StepLogReader::last() const
{
    return m_candidates.front()->last;
}

/// A format that is not among the candidates joins them, for the least likely one where they are too many.
void StepLogReader::add(std::unique_ptr<LineFormat> format)
{
    const auto isKnown = [&](const auto& candidate) { return candidate->format->key() == format->key(); };
    if (!format || std::any_of(m_candidates.begin(), m_candidates.end(), isKnown))
        return;
    if (m_candidates.size() == kMaxCandidates) {
        LogCandidate& smallest = *m_candidates.back();
        if (smallest.steps.evidence() > 0 && smallest.format->trust() <= format->trust())
            return;
        m_candidates.pop_back();
    }
    m_candidates.push_back(std::make_unique<LogCandidate>(LogCandidate{std::move(format), StepCollector(m_keep)}));
    m_candidates.back()->steps.log().unusable = m_tooLong;
}

void StepLogReader::recognise(std::string_view text)
{
    for (std::unique_ptr<LineFormat>& format : dialectFormats(text))
        if (!m_isDecided || format->trust() == Trust::named)
            add(std::move(format));
    if (m_isDecided)
        return;
    for (std::unique_ptr<LineFormat>& format : spanFormats(text))
        add(std::move(format));
    add(mlperfFormat(text));
    add(jsonLinesFormat(text, m_options));
    add(progressBarFormat(text));
}

/// Puts the likeliest candidate first and drops the others once it has enough steps.
void StepLogReader::decide()
{
    std::stable_sort(m_candidates.begin(), m_candidates.end(), [](const auto& a, const auto& b) { return isLikelier(*a, *b); });
    const std::int64_t longest = m_candidates.front()->steps.longest();
    if (longest < kDecisiveSteps && (longest == 0 || m_lines < kDecisiveLines))
        return;
    m_isDecided = true;
    const bool isNamed = m_candidates.front()->format->trust() == Trust::named;
    const auto isOut = [&](const auto& candidate) { return isNamed || candidate->format->trust() != Trust::named; };
    m_candidates.erase(std::remove_if(m_candidates.begin() + 1, m_candidates.end(), isOut), m_candidates.end());
}

bool StepLogReader::line(std::string_view text)
{
    ++m_lines;
    m_bytes += text.size() + 1;
    if (text.ends_with('\r'))
        text.remove_suffix(1);
    if (text.size() > kLongestLogLine) {
        ++m_tooLong;
        for (const auto& candidate : m_candidates)
            ++candidate->steps.log().unusable;
        return false;
    }
    if (hasErrors(m_problems))
        return false;
    if (!m_isDecided && text.size() <= kMaxRecentBytes) {
        m_recent.emplace_back(text);
        if (m_recent.size() > kMaxRecentLines)
            m_recent.pop_front();
    }
    if (!m_isDecided || m_candidates.front()->format->trust() != Trust::named)
        recognise(text);
    std::vector<LineFinding> found;
    for (const auto& candidate : m_candidates) {
        found.clear();
        candidate->format->read(text, found);
        candidate->hasStepped = false;
        for (const LineFinding& f : found)
            if (candidate->steps.take(f) && !candidate->steps.lastRun().steps.empty()) {
                candidate->hasStepped = true;
                candidate->last = candidate->steps.lastRun().steps.back();
            }
    }
    Diagnostics problems;
    if (!m_isDecided)
        add(tableFormat(text, m_options, problems)); // a header reports no step
    if (m_headers.empty())
        m_headers = std::move(problems);
    if (m_candidates.size() > (m_isDecided ? 1 : 0))
        decide();
    return !m_candidates.empty() && m_candidates.front()->hasStepped;
}

Diagnostic damagedEvents()
{
    return {.message = "The event file is damaged: a checksum does not match, or a record is too large.",
            .accepted = "a copy of the file as it was written"};
}

Result<StepLog> readStepLog(std::string_view text, const StepLogOptions& options)
{
    StepLogReader reader(options);
    const std::string document = linesOfDocument(text);
    LogLines lines;
    const auto line = [&](std::string_view of) {
        if (!reader.isRefused())
            reader.line(of);
    };
    lines.take(document.empty() ? text : document, line);
    lines.finish(line);
    return lines.isDamaged() ? damagedEvents() : reader.whole();
}

std::string reportText(const StepLog& log)
{
    std::string text = fmt::format("{}: {} of {} lines report a step ({})\n", log.format, countText(log.matched), countText(log.lines),
                                   printable(log.timeField, kFieldShown));
    text += fmt::format("{} steps in {} run{}", countText(static_cast<std::int64_t>(log.steps())),
                        countText(static_cast<std::int64_t>(log.runs.size())), log.runs.size() == 1 ? "" : "s");
    if (log.repeated > 0)
        text += fmt::format(", {} repeated omitted", countText(log.repeated));
    if (log.unusable > 0)
        text += fmt::format(", {} without a usable time omitted", countText(log.unusable));
    text += "\n";
    for (const std::string& note : log.notes)
        text += "Note: " + note + "\n";
    return text;
}

} // namespace prism
