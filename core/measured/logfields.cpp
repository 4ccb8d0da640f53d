// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/logfields.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace prism {

namespace {

std::vector<std::string> wordsOf(std::string_view name)
{
    std::vector<std::string> words(1);
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!words.back().empty())
            words.emplace_back();
    }
    if (words.back().empty())
        words.pop_back();
    return words;
}

template <std::size_t N>
bool isOneOf(std::string_view word, const std::array<std::string_view, N>& list)
{
    return std::find(list.begin(), list.end(), word) != list.end();
}

std::string glued(const std::vector<std::string>& words)
{
    std::string out;
    for (const std::string& w : words)
        out += w;
    return out;
}

constexpr std::array<std::string_view, 16> kStepTimes = {"steptime",       "iterationtime", "itertime",        "timeperiteration",
                                                         "timeperstep",    "steptiming",    "iterationtiming", "stepduration",
                                                         "timeiteration",  "endtoend",      "batchtime",       "secondsperiteration",
                                                         "secondsperstep", "timeperbatch",  "steplatency",     "timingsstep"};
constexpr std::array<std::string_view, 5> kPlainTimes = {"time", "elapsed", "elapsedtime", "duration", "value"};
constexpr std::array<std::string_view, 19> kOtherTimes = {
    "min",       "max",     "data", "dataloading", "eval",    "evaluation", "validation", "val",  "forward", "backward",
    "optimizer", "average", "avg",  "mean",        "running", "eta",        "remaining",  "wall", "stamp"};

} // namespace

double unitSeconds(std::string_view unit)
{
    constexpr std::array<std::string_view, 5> kSeconds = {"s", "sec", "secs", "second", "seconds"};
    constexpr std::array<std::string_view, 5> kMilli = {"ms", "msec", "msecs", "millisecond", "milliseconds"};
    constexpr std::array<std::string_view, 4> kMicro = {"us", "usec", "microsecond", "microseconds"};
    return isOneOf(unit, kSeconds) ? 1.0 : isOneOf(unit, kMilli) ? 1e-3 : isOneOf(unit, kMicro) ? 1e-6 : 0.0;
}

std::optional<TimeField> timeField(std::string_view name)
{
    TimeField field;
    if (const std::size_t dash = name.rfind(" - "); dash != std::string_view::npos) {
        field.run = name.substr(0, dash);
        name.remove_prefix(dash + 3);
    }
    std::vector<std::string> words = wordsOf(name);
    if (words.empty() || std::any_of(words.begin(), words.end(), [](const std::string& w) { return isOneOf(w, kOtherTimes); }))
        return std::nullopt;
    if (const double unit = unitSeconds(words.back()); unit > 0 && words.size() > 1) {
        field.unitSeconds = unit;
        words.pop_back();
        if (words.back() == "in" && words.size() > 1)
            words.pop_back();
    }
    const std::string text = glued(words);
    const auto holds = [&](std::string_view part) { return text.find(part) != std::string::npos; };
    if (std::any_of(kStepTimes.begin(), kStepTimes.end(), holds))
        return field;
    field.rank = text == "runtime" ? 2 : 1; // of Weights & Biases: since the run began
    return field.rank == 2 || isOneOf(text, kPlainTimes) ? std::optional(field) : std::nullopt;
}

NamedField namedField(std::string_view name)
{
    std::vector<std::string> words = wordsOf(name);
    NamedField field;
    if (words.size() > 1)
        if (const double unit = unitSeconds(words.back()); unit > 0) {
            field.unitSeconds = unit;
            words.pop_back();
        }
    const std::string text = glued(words);
    constexpr std::array<std::string_view, 7> kSteps = {"step",      "globalstep",  "iteration", "iter", "trainerglobalstep",
                                                        "trainstep", "currentsteps"};
    constexpr std::array<std::string_view, 5> kSamples = {"samplesseen", "consumedsamples", "samplescount", "samples", "trainsamples"};
    constexpr std::array<std::string_view, 3> kRuns = {"run", "runid", "runname"};
    constexpr std::array<std::string_view, 5> kRanks = {"rank", "globalrank", "rankid", "processindex", "workerrank"};
    constexpr std::array<std::string_view, 5> kStamps = {"logtime", "timestamp", "walltime", "unixtime", "time_stamp"};
    field.kind = isOneOf(text, kSteps)     ? FieldKind::step
                 : isOneOf(text, kSamples) ? FieldKind::samples
                 : isOneOf(text, kRuns)    ? FieldKind::run
                 : isOneOf(text, kRanks)   ? FieldKind::rank
                 : isOneOf(text, kStamps)  ? FieldKind::stamp
                 : text == "pause"         ? FieldKind::pause
                                           : FieldKind::other;
    return field;
}

LogColumns logColumns(const std::vector<std::string>& names, const std::string& timeName, const std::string& runName)
{
    LogColumns out;
    std::vector<TimeField> found;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const NamedField named = namedField(names[i]);
        const bool isTime = !timeName.empty() && names[i] == timeName;
        if (auto time = timeField(names[i]); isTime || (timeName.empty() && time && named.kind == FieldKind::other)) {
            TimeField field = time.value_or(TimeField{0, 1, 1});
            field.index = i;
            field.isGiven = isTime;
            found.push_back(field);
        }
        const auto take = [&](FieldKind kind, std::optional<std::size_t>& at) {
            if (named.kind == kind && !at && !isTime)
                at = i;
        };
        take(FieldKind::step, out.step);
        take(FieldKind::samples, out.samples);
        take(FieldKind::rank, out.rank);
        if (runName.empty())
            take(FieldKind::run, out.run);
        else if (names[i] == runName)
            out.run = i;
        if (named.kind == FieldKind::stamp && !out.stamp)
            out.stampUnit = named.unitSeconds;
        if (named.kind == FieldKind::pause && !out.pause)
            out.pauseUnit = named.unitSeconds;
        take(FieldKind::stamp, out.stamp);
        take(FieldKind::pause, out.pause);
    }
    const auto best = std::min_element(found.begin(), found.end(), [](const TimeField& a, const TimeField& b) { return a.rank < b.rank; });
    if (best == found.end()) {
        if (timeName.empty() && out.stamp && out.step) { // the last resort
            out.times = {{*out.stamp, out.stampUnit, 3}};
            out.timeName = names[*out.stamp];
        }
        return out;
    }
    const int rank = best->rank;
    std::erase_if(found, [rank](const TimeField& f) { return f.rank != rank; });
    const bool perRun = std::all_of(found.begin(), found.end(), [](const TimeField& f) { return !f.run.empty(); });
    for (const TimeField& f : found)
        if (found.size() > 1 && !perRun)
            out.tie.push_back(names[f.index]);
    out.timeName = names[found.front().index];
    if (out.tie.empty())
        out.times = std::move(found);
    return out;
}

} // namespace prism
