// SPDX-License-Identifier: GPL-3.0-or-later
// Log lines that hold a step's time behind fixed words, and lines by a pattern of one's own.
#include "core/measured/lineformat.h"

#include "core/base/timeunits.h"
#include "core/measured/logfields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace prism {

namespace {

/// A framework's line: the words before the time, and before the step's number and samples where the line has them.
struct MarkedLine {
    const char* name;
    const char* time;
    double unitSeconds;
    const char* step;
    const char* samples;
    bool needsStep = false; ///< the words before the time are common: the step's stand in the line as well
    bool isMean = false;    ///< of the steps since the line before, where several lie between
};

// Megatron-LM training.py training_log(), a mean over --log-interval; NeMo's progress lines ("train_step_timing in s"); DeepSpeed's
// pipeline engine, a mean over steps_per_print; MaxText ("completed step: 5, seconds: 7.123, ...").
constexpr std::array<MarkedLine, 5> kMarkedLines = {{
    {"Megatron-LM standard output", "elapsed time per iteration (ms):", 1e-3, "iteration ", "consumed samples:", false, true},
    {"Megatron-LM standard output", "elapsed time per iteration (s):", 1.0, "iteration ", "consumed samples:", false, true},
    {"NeMo / Lightning progress lines", "train_step_timing in s", 1.0, "global_step", "consumed_samples"},
    {"DeepSpeed standard output", "iter time (s):", 1.0, "steps:", "", false, true},
    {"MaxText standard output", ", seconds:", 1.0, "completed step:", "", true},
}};

double numberBehind(std::string_view line, std::string_view words)
{
    const std::size_t at = words.empty() ? std::string_view::npos : line.find(words);
    return at == std::string_view::npos ? kNoNumber : numberAfter(line, at + words.size());
}

std::int64_t wholeOr(double x, std::int64_t otherwise)
{
    return x >= 0 && x < 1e15 ? static_cast<std::int64_t>(x) : otherwise;
}

class MarkedFormat final : public LineFormat {
public:
    explicit MarkedFormat(const MarkedLine& line) : m_line(line) {}
    [[nodiscard]] std::string name() const override { return m_line.name; }
    [[nodiscard]] std::string timeField() const override { return m_line.time; }
    void read(std::string_view line, std::vector<LineFinding>& out) override
    {
        if (line.find(m_line.time) == std::string_view::npos)
            return;
        LineFinding found;
        found.step.seconds = m_line.unitSeconds * numberBehind(line, m_line.time);
        found.step.number = wholeOr(numberBehind(line, m_line.step), -1);
        const double samples = numberBehind(line, m_line.samples);
        found.step.samplesSeen = samples >= 0 ? samples : -1;
        found.stamp = stampOf(line);
        found.rank = rankTag(line);
        found.kind = LineFinding::Kind::step;
        m_isWide = m_isWide || (m_line.isMean && m_number >= 0 && found.step.number > m_number + 1);
        m_number = found.step.number;
        out.push_back(found);
    }
    [[nodiscard]] std::vector<std::string> notes() const override
    {
        if (!m_isWide)
            return {};
        return {"several steps lie between lines: each line tells their mean, and their spread cannot be seen"};
    }

private:
    MarkedLine m_line;
    std::int64_t m_number = -1;
    bool m_isWide = false;
};

/// Text with places: "took {ms} ms at {step}".
class PatternFormat final : public LineFormat {
public:
    struct Part {
        std::string text;  ///< that must come next
        std::string place; ///< what follows it: seconds, ms, us, step, samples, *; empty = the end of the pattern
    };
    explicit PatternFormat(std::vector<Part> parts) : m_parts(std::move(parts)) {}
    [[nodiscard]] std::string name() const override { return "lines of the given pattern"; }
    [[nodiscard]] std::string timeField() const override { return "the pattern's time"; }
    void read(std::string_view line, std::vector<LineFinding>& out) override
    {
        LineFinding found;
        std::size_t at = 0;
        for (const Part& part : m_parts) {
            at = line.find(part.text, at);
            if (at == std::string_view::npos)
                return;
            at += part.text.size();
            if (part.place.empty() || part.place == "*")
                continue;
            const double x = numberAfter(line, at);
            if (std::isnan(x))
                return;
            if (part.place == "step")
                found.step.number = wholeOr(x, -1);
            else if (part.place == "samples")
                found.step.samplesSeen = x;
            else
                found.step.seconds = x * unitSeconds(part.place);
        }
        found.kind = LineFinding::Kind::step;
        found.stamp = stampOf(line);
        out.push_back(found);
    }

private:
    std::vector<Part> m_parts;
};

int digits(std::string_view line, std::size_t at, std::size_t count)
{
    int value = 0;
    for (std::size_t i = at; i < at + count; ++i) {
        if (i >= line.size() || line[i] < '0' || line[i] > '9')
            return -1;
        value = 10 * value + (line[i] - '0');
    }
    return value;
}

/// Days since 1970-01-01 of a date of the Gregorian calendar (H. Hinnant, "chrono-compatible low-level date algorithms").
std::int64_t daysOf(std::int64_t year, int month, int day)
{
    year -= month <= 2 ? 1 : 0;
    const std::int64_t era = year / 400, yearOfEra = year - era * 400;
    const std::int64_t dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146'097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719'468;
}

} // namespace

double numberAfter(std::string_view line, std::size_t at)
{
    constexpr std::string_view kColour = "\x1b[";
    for (; at < line.size(); ++at)
        if (line.substr(at).starts_with(kColour))
            at = std::min(line.find('m', at), line.size());
        else if (std::string_view(" :=\t\"").find(line[at]) == std::string_view::npos)
            break;
    double value = 0;
    const auto [stop, code] = std::from_chars(line.data() + std::min(at, line.size()), line.data() + line.size(), value);
    return code == std::errc() && std::isfinite(value) ? value : kNoNumber;
}

double stampOf(std::string_view line)
{
    return lineStamp(line).seconds;
}

LineStamp lineStamp(std::string_view line)
{
    constexpr std::size_t kWithin = 80;
    for (std::size_t i = 0; i + 19 <= std::min(line.size(), kWithin); ++i) {
        const int year = digits(line, i, 4), month = digits(line, i + 5, 2), day = digits(line, i + 8, 2);
        if (year < 1970 || line[i + 4] != '-' || line[i + 7] != '-' || month < 1 || month > 12 || day < 1 || day > 31)
            continue;
        const int hour = digits(line, i + 11, 2), minute = digits(line, i + 14, 2), second = digits(line, i + 17, 2);
        if (hour < 0 || minute < 0 || second < 0 || line[i + 13] != ':' || line[i + 16] != ':')
            continue;
        double part = 0;
        if (i + 20 < line.size() && (line[i + 19] == '.' || line[i + 19] == ','))
            for (double scale = 0.1; const char c : line.substr(i + 20, 6)) {
                if (c < '0' || c > '9')
                    break;
                part += scale * (c - '0');
                scale *= 0.1;
            }
        return {static_cast<double>(daysOf(year, month, day)) * kSecondsPerDay + hour * kSecondsPerHour + minute * kSecondsPerMinute
                    + second + part,
                i};
    }
    return {};
}

std::string_view rankTag(std::string_view line)
{
    const std::string_view text = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    const bool isBracketed = text.starts_with('[');
    std::size_t at = isBracketed ? 1 : 0;
    for (const std::string_view word : {"rank", "default"})
        if (isBracketed && text.substr(at).starts_with(word)) {
            at += word.size();
            break;
        }
    const std::size_t first = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9')
        ++at;
    const bool ends = text.substr(at).starts_with(isBracketed ? "]:" : ": ");
    return at > first && ends && (!isBracketed || first > 1) ? text.substr(first, at - first) : std::string_view();
}

std::unique_ptr<LineFormat> markedLineFormat(std::string_view line)
{
    for (const MarkedLine& marked : kMarkedLines)
        if (line.find(marked.time) != std::string_view::npos && !std::isnan(numberBehind(line, marked.time))
            && (!marked.needsStep || !std::isnan(numberBehind(line, marked.step))))
            return std::make_unique<MarkedFormat>(marked);
    return nullptr;
}

Result<std::unique_ptr<LineFormat>> patternFormat(const std::string& pattern)
{
    std::vector<PatternFormat::Part> parts(1);
    int times = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const std::size_t end = pattern[i] == '{' ? pattern.find('}', i) : std::string::npos;
        const std::string place = end == std::string::npos ? "" : pattern.substr(i + 1, end - i - 1);
        if (place != "step" && place != "samples" && place != "*" && !(unitSeconds(place) > 0)) {
            parts.back().text += pattern[i];
            continue;
        }
        times += unitSeconds(place) > 0 ? 1 : 0;
        parts.back().place = place;
        parts.emplace_back();
        i = end;
    }
    if (times != 1)
        return Diagnostic{Severity::error,
                          "pattern",
                          "the pattern needs one place for the time",
                          pattern.substr(0, 80),
                          "text with {seconds}, {ms} or {us} once, and {step}, {samples}, {*} where wanted",
                          "",
                          ""};
    return std::unique_ptr<LineFormat>(std::make_unique<PatternFormat>(std::move(parts)));
}

} // namespace prism
