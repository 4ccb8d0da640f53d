// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/stepcollector.h"

#include "core/measured/measuredlimits.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

using Time = LineFinding::Time;

constexpr double kLongestStep = 1e7;   ///< seconds
constexpr std::int64_t kLateSteps = 8; ///< by which a rank may be behind another one
constexpr std::size_t kOpenRuns = 8;   ///< jobs that write into one log by turns

/// "NAME (2)", ...: what a run is called whose name another one had before.
std::string againNamed(const std::string& name, int time)
{
    return time < 2 ? name : fmt::format("{} ({})", name, time);
}

/// Whether a named run begins again: several systems that count their runs from 0 are in one table. Rows that are only out of order do not
/// fall as far. Sample counts cannot be used: logs of MLPerf count them from 0 at every evaluation.
bool beginsAnew(const LoggedStep& step, const LoggedStep& before)
{
    return step.number >= 0 && 2 * step.number < before.number;
}

/// Seconds between the end of the step before and the start of this one; some logs report only every n-th step.
double pauseBefore(const LoggedStep& step, const LoggedStep& before, double between)
{
    const bool isNumbered = before.number >= 0 && step.number > before.number;
    const double steps = isNumbered ? static_cast<double>(step.number - before.number) : 1.0;
    return std::max(0.0, between - steps * step.seconds);
}

bool isDifferenced(Time time)
{
    return time == Time::clock || time == Time::sum;
}

} // namespace

/// Index of the run of this name; a new one where there is none.
std::size_t StepCollector::runNamed(const std::string& name, bool isNamed)
{
    const auto [known, isNew] = m_indices.try_emplace(name, m_log.runs.size());
    if (isNew) {
        m_log.runs.push_back({name, {}});
        m_states.emplace_back().isNamed = isNamed;
    }
    return known->second;
}

std::size_t StepCollector::newRun()
{
    if (!m_log.runs.empty() && m_log.runs[m_lastRun].steps.empty()) {
        m_states[m_lastRun] = {};
        return m_lastRun;
    }
    return runNamed("run " + std::to_string(m_log.runs.size() + 1), false);
}

/// Index of the run that a record names, or of the next one of that name.
std::size_t StepCollector::runOf(const LineFinding& found)
{
    const auto [latest, isFirst] = m_latest.try_emplace(found.run, 0);
    if (isFirst)
        return latest->second = runNamed(found.run, true);
    const LoggedRun& run = m_log.runs[latest->second];
    if (run.steps.empty() || !beginsAnew(found.step, run.steps.back()))
        return latest->second;
    std::string next = found.run;
    for (int time = 2; m_indices.contains(next); ++time)
        next = againNamed(found.run, time);
    return latest->second = runNamed(next, true);
}

/// Index of the run that a record belongs to: the last one, or an earlier one that the record follows on. A step number that falls
/// begins a new run: the job went back to a checkpoint, and its first steps warm up again.
std::size_t StepCollector::unnamedRunOf(const LineFinding& found)
{
    if (m_log.runs.empty())
        return newRun();
    const RunState& last = m_states[m_lastRun];
    const std::int64_t number = found.step.number;
    if (number < 0 || last.number < 0)
        return isDifferenced(found.time) && number < 0 && found.step.seconds < last.clock ? newRun() : m_lastRun;
    const auto isOther = [&](const RunState& run) {
        return found.total != run.total && !std::isnan(found.total) && !std::isnan(run.total);
    };
    const auto follows = [&](const RunState& run) {
        return (number == run.number + 1 || number == run.number + run.interval) && !run.isNamed && !isOther(run);
    };
    if (follows(last))
        return m_lastRun;
    for (std::size_t i = m_states.size(); i-- > m_states.size() - std::min(m_states.size(), kOpenRuns);)
        if (i != m_lastRun && follows(m_states[i])) {
            ++m_returns;
            return i;
        }
    return number < last.number || isOther(last) ? newRun() : m_lastRun;
}

/// A step that the run has already: with the same time, or as another rank saw it.
bool StepCollector::isRepeated(const LineFinding& found) const
{
    const LoggedRun& run = m_log.runs[m_lastRun];
    const LoggedStep& step = found.step;
    const bool isOtherRank = found.rank != m_states[m_lastRun].rank;
    if (isDifferenced(found.time) || m_isClock) {
        const RunState& state = m_states[m_lastRun];
        return isOtherRank && step.number <= state.number && (step.number < 0 || step.number > state.number - kLateSteps * state.interval);
    }
    if (run.steps.empty() || step.number < 0)
        return false;
    const LoggedStep& before = run.steps.back();
    return (step.number == before.number && step.seconds == before.seconds)
           || (isOtherRank && step.number >= run.steps.front().number && step.number <= before.number);
}

/// A clock or a sum becomes the mean of the steps since the record before. False where there is none, or no step between.
bool StepCollector::divide(const LineFinding& found, LoggedStep& step)
{
    RunState& state = m_states[m_lastRun];
    const bool isClock = found.time != Time::sum, isNumbered = step.number >= 0 && state.number >= 0;
    const double value = step.seconds, before = isClock ? state.clock : 0.0;
    m_differenced = true;
    m_isWhole = m_isWhole && isClock && value == std::floor(value);
    const bool isFirst = std::isnan(before) || value < before || (!isClock && state.number < 0);
    if (step.number < state.number || (!isFirst && ((isNumbered && step.number == state.number) || value == before)))
        return false; // without its number, written again, or within the grain of the clock
    const std::int64_t steps = isNumbered ? std::max<std::int64_t>(1, step.number - state.number) : 1;
    step.seconds = (value - before) / static_cast<double>(steps);
    state.clock = value;
    if (!isFirst) {
        m_isWide = m_isWide || steps > 1;
        return true;
    }
    state.number = step.number;
    state.rank = found.rank;
    state.total = found.total;
    return false;
}

/// Detects plain times that only rise, which are a clock: ten that reach three times the first, or twenty rises for each fall.
void StepCollector::watchPlain(double seconds)
{
    constexpr std::int64_t kMin = 10, kRises = 20;
    constexpr double kGrown = 3;
    m_firstPlain = m_plain == 0 ? seconds : m_firstPlain;
    m_rises += m_plain > 0 && seconds > m_lastPlain ? 1 : 0;
    m_falls += seconds < m_lastPlain ? 1 : 0;
    m_lastPlain = seconds;
    ++m_plain;
    m_isClock =
        (m_falls == 0 && m_plain >= kMin && seconds > kGrown * m_firstPlain) || m_rises >= kRises * std::max<std::int64_t>(1, m_falls);
    if (m_isClock)
        differencePlain();
}

/// The plain times that were taken as steps so far become differences.
void StepCollector::differencePlain()
{
    const StepLog before = std::move(m_log);
    StepCollector clocks(m_keep);
    clocks.m_isClock = true;
    clocks.m_log.unusable = before.unusable;
    for (std::size_t r = 0; r < before.runs.size(); ++r)
        for (const LoggedStep& step : before.runs[r].steps)
            clocks.take(
                {.time = Time::plain, .step = step, .run = m_states[r].isNamed ? before.runs[r].name : "", .rank = m_states[r].rank});
    *this = std::move(clocks);
}

void StepCollector::keep(const LineFinding& found, LoggedStep step)
{
    LoggedRun& run = m_log.runs[m_lastRun];
    RunState& state = m_states[m_lastRun];
    const bool isMeasured = !isDifferenced(found.time) && !m_isClock;
    if (isMeasured && !found.stampIsPaused && !run.steps.empty() && found.stamp - state.stamp >= 0)
        step.pauseSeconds = pauseBefore(step, run.steps.back(), found.stamp - state.stamp);
    m_isWide = m_isWide || (found.time == Time::mean && state.number >= 0 && step.number > state.number + 1);
    m_conflicts += isMeasured && !state.isNamed && step.number >= 0 && step.number == state.number ? 1 : 0;
    state.interval = state.number >= 0 && step.number > state.number ? step.number - state.number : 1;
    state.stamp = found.stamp;
    state.rank = found.rank;
    state.total = found.total;
    state.number = step.number;
    m_longest = std::max(m_longest, ++state.steps);
    m_numbered += step.number >= 0 ? 1 : 0;
    if (m_keep == KeptSteps::ends && run.steps.size() > 1)
        run.steps.back() = step;
    else
        run.steps.push_back(step);
    m_steps += m_keep == KeptSteps::all ? 1 : 0;
}

bool StepCollector::take(const LineFinding& found)
{
    if (found.kind == LineFinding::Kind::unusable) {
        ++m_log.unusable;
        return false;
    }
    if (found.kind == LineFinding::Kind::newRun) {
        m_lastRun = newRun();
        return false;
    }
    LoggedStep step = found.step;
    const bool isClock = found.time == Time::clock || (found.time == Time::plain && m_isClock);
    m_log.matched += isClock ? 0 : 1;
    if (!(isClock ? step.seconds >= 0 : step.seconds > 0 && step.seconds < kLongestStep) || m_steps >= kMaxLoggedSteps
        || m_log.runs.size() > kMaxLoggedRuns) {
        ++m_log.unusable;
        m_beyond += m_steps >= kMaxLoggedSteps ? 1 : 0;
        return false;
    }
    if (!found.run.empty())
        m_lastRun = runOf(found);
    if (!m_log.runs.empty() && isRepeated(found)) {
        ++m_log.repeated;
        return false;
    }
    if (found.run.empty())
        m_lastRun = unnamedRunOf(found);
    if (isClock || found.time == Time::sum) {
        LineFinding clock = found;
        clock.time = isClock ? Time::clock : Time::sum;
        if (!divide(clock, step))
            return false;
        m_log.matched += isClock ? 1 : 0;
        if (!(step.seconds < kLongestStep)) {
            ++m_log.unusable;
            return false;
        }
    }
    keep(found, step);
    if (found.time == Time::plain && !m_isClock)
        watchPlain(step.seconds);
    return !lastRun().steps.empty();
}

std::int64_t StepCollector::evidence() const
{
    return m_longest * (m_numbered > 0 ? 2 : 1) - m_log.unusable;
}

std::vector<std::string> StepCollector::notes(const std::string& field) const
{
    std::vector<std::string> out;
    if (m_isClock)
        out.push_back("the values of " + field + " only rise: it is taken as a clock that runs on");
    else if (m_plain > 0)
        out.push_back("the field " + field + " is taken as the seconds of a step: its name is only that of a time or a value");
    if (m_differenced)
        out.emplace_back("the log has no time per step: differences of its clock hold evaluations and checkpoints too");
    if (m_differenced && m_isWhole)
        out.emplace_back("the clock gives whole seconds: spread below that cannot be seen");
    if (m_isWide)
        out.emplace_back("several steps lie between lines: each line reports their mean, so their variability is unknown");
    if (m_returns > 1)
        out.emplace_back("several jobs write into this log: they are separated by the numbers of their steps");
    if (m_beyond > 0)
        out.push_back(fmt::format("{} of these are beyond the limit of {} steps: split the log.", m_beyond, kMaxLoggedSteps));
    return out;
}

Diagnostics StepCollector::problems() const
{
    constexpr std::int64_t kMin = 3, kShare = 5; // single steps are logged twice where a line is written again
    if (m_conflicts < kMin || kShare * m_conflicts < m_log.matched)
        return {};
    return {{.message = "Several jobs write into this log, and their steps have the same numbers.",
             .found = fmt::format("{} steps with a second time", m_conflicts),
             .accepted = "one log per job, or --run-column with the field that names the job"}};
}

} // namespace prism
