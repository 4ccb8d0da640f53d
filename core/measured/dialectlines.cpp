// SPDX-License-Identifier: GPL-3.0-or-later
// Log lines by the dialects of frameworks, and lines by a custom pattern.
#include "core/measured/dialects.h"

#include "core/base/diagnostictext.h"
#include "core/base/text.h"
#include "core/base/timeunits.h"
#include "core/measured/logfields.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

namespace prism {

namespace {

constexpr std::size_t kStampWithin = 80; ///< characters of a line, or before a record

std::int64_t wholeOr(double x, std::int64_t otherwise)
{
    return x >= 0 && x < 1e15 ? static_cast<std::int64_t>(x) : otherwise;
}

/// A mark of a dialect in a line: where it begins and its number; NaN = not there, or without a number.
struct Marked {
    std::size_t at = std::string_view::npos;
    double number = kNoNumber;
    double total = kNoNumber; ///< "N/total"
};

Marked markedAt(std::string_view line, std::string_view mark, std::size_t at)
{
    if (at == std::string_view::npos)
        return {};
    if (!mark.starts_with('#'))
        at += mark.size();
    else
        while (at > 0 && (std::isdigit(static_cast<unsigned char>(line[at - 1])) != 0 || line[at - 1] == '.' || line[at - 1] == ','))
            --at;
    Marked out{at, numberAfter(line, at)};
    const std::size_t end = line.find_first_not_of("0123456789, \t", std::min(at, line.size()));
    if (end != std::string_view::npos && line[end] == '/')
        out.total = numberAfter(line, end + 1);
    return out;
}

std::string_view textOf(std::string_view mark)
{
    return mark.substr(mark.starts_with('#') ? 1 : 0);
}

/// The mark nearest before `at`, else the first one after it, within the line.
Marked nearestMark(std::string_view line, std::string_view mark, std::size_t at)
{
    if (mark.empty())
        return {};
    if (at > 0)
        if (const Marked before = markedAt(line, mark, line.rfind(textOf(mark), at - 1)); !std::isnan(before.number))
            return before;
    return markedAt(line, mark, line.find(textOf(mark), at));
}

class DialectFormat final : public LineFormat {
public:
    explicit DialectFormat(const Dialect& dialect)
        : m_dialect(dialect),
          m_key(dialect.value == Dialect::Value::stamp ? dialect.step : dialect.time)
    {
    }
    [[nodiscard]] static bool matches(std::string_view line, const Dialect& dialect)
    {
        const bool isStamp = dialect.value == Dialect::Value::stamp;
        const std::string_view key = isStamp ? dialect.step : dialect.time;
        const std::size_t at = line.find(textOf(key));
        return at != std::string_view::npos && hasWords(line, dialect) && !std::isnan(markedAt(line, key, at).number)
               && (!isStamp || !std::isnan(stampOf(line)));
    }
    [[nodiscard]] std::string name() const override { return m_dialect.name; }
    [[nodiscard]] std::string timeField() const override
    {
        return *m_dialect.time == '\0' ? "time stamps of neighbouring lines" : m_dialect.time;
    }
    [[nodiscard]] std::string key() const override { return name() + m_dialect.time + m_dialect.step + m_dialect.words[1]; }
    [[nodiscard]] Trust trust() const override
    {
        const bool isClock = m_dialect.value == Dialect::Value::stamp || m_dialect.value == Dialect::Value::clock;
        return isClock ? Trust::inferred : Trust::named;
    }
    void read(std::string_view line, std::vector<LineFinding>& out) override
    {
        std::size_t at = line.find(textOf(m_key));
        if (at == std::string_view::npos && m_dialect.isSplit)
            if (const Marked step = nearestMark(line, m_dialect.step, 0); !std::isnan(step.number))
                m_number = step.number;
        if (at == std::string_view::npos || !hasWords(line, m_dialect))
            return;
        for (std::string_view rest = line; at != std::string_view::npos; at = rest.find(textOf(m_key))) {
            const std::size_t next = rest.find(textOf(m_key), at + textOf(m_key).size());
            record(rest.substr(0, next), at, line.substr(0, line.size() - rest.size() + at), out);
            rest.remove_prefix(at + textOf(m_key).size());
        }
    }
    [[nodiscard]] std::vector<std::string> notes() const override
    {
        return *m_dialect.note == '\0' ? std::vector<std::string>() : std::vector<std::string>{m_dialect.note};
    }

private:
    static bool hasWords(std::string_view line, const Dialect& dialect)
    {
        return std::all_of(dialect.words.begin(), dialect.words.end(),
                           [&](const char* word) { return line.find(word) != std::string_view::npos; });
    }
    /// The record of the mark at `at`; `part` ends where the next record has its mark, `before` is the line before the mark.
    void record(std::string_view part, std::size_t at, std::string_view before, std::vector<LineFinding>& out)
    {
        using Value = Dialect::Value;
        using Time = LineFinding::Time;
        const bool isStamp = m_dialect.value == Value::stamp;
        const Marked key = markedAt(part, m_key, at), step = isStamp ? key : nearestMark(part, m_dialect.step, at);
        LineFinding found;
        found.step.number = wholeOr(std::isnan(step.number) ? m_number : step.number, -1);
        found.total = step.total;
        const LineStamp first = lineStamp(before);
        const double nearest = stampOf(before.substr(before.size() - std::min(before.size(), kStampWithin)));
        found.stamp = std::isnan(nearest) ? first.seconds : nearest;
        found.rank = isStamp ? before.substr(0, first.at) : rankTag(before);
        found.step.seconds = isStamp ? found.stamp : m_dialect.unitSeconds * key.number;
        if (m_dialect.value == Value::rate)
            found.step.seconds = 1 / found.step.seconds;
        found.time = isStamp || m_dialect.value == Value::clock ? Time::clock
                     : m_dialect.value == Value::sum            ? Time::sum
                     : m_dialect.value == Value::mean           ? Time::mean
                                                                : Time::step;
        for (const char* mark : kSamplesMarks)
            if (const double samples = nearestMark(part, mark, at).number; samples >= 0)
                found.step.samplesSeen = samples;
        m_number = m_dialect.isSplit ? m_number : kNoNumber;
        if (found.step.number >= 0 || (found.time != Time::clock && found.time != Time::sum))
            out.push_back(found);
    }

    const Dialect& m_dialect;
    std::string_view m_key;
    double m_number = kNoNumber; ///< of a line before
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

} // namespace

std::string withoutGroups(std::string_view text)
{
    const auto digitsAt = [&](std::size_t at) {
        std::size_t count = 0;
        while (at + count < text.size() && text[at + count] >= '0' && text[at + count] <= '9')
            ++count;
        return count;
    };
    const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0, lead = digitsAt(sign);
    std::size_t at = sign + lead;
    std::string out(text.substr(0, at));
    for (; lead > 0 && lead <= 3 && at < text.size() && text[at] == ',' && digitsAt(at + 1) == 3; at += 4)
        out += text.substr(at + 1, 3);
    return out.append(text.substr(at));
}

double numberAfter(std::string_view line, std::size_t at)
{
    constexpr std::string_view kColour = "\x1b[", kTyped = "np.float64(";
    constexpr std::size_t kLongestNumber = 40;
    for (; at < line.size(); ++at)
        if (line.substr(at).starts_with(kColour))
            at = std::min(line.find('m', at), line.size());
        else if (line.substr(at).starts_with(kTyped))
            at += kTyped.size() - 1;
        else if (std::string_view(" :=\t\"").find(line[at]) == std::string_view::npos)
            break;
    const std::string text = withoutGroups(line.substr(std::min(at, line.size()), kLongestNumber));
    double value = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && std::isfinite(value) ? value : kNoNumber;
}

double clockSeconds(std::string_view text)
{
    text = trimmed(text);
    double seconds = 0;
    if (const std::size_t day = text.find(" day"); day != std::string_view::npos && text.find(", ", day) != std::string_view::npos) {
        seconds = numberAfter(text, 0) * kSecondsPerDay;
        text.remove_prefix(text.find(", ", day) + 2);
    }
    const std::vector<std::string> parts = split(text, ':');
    double clock = 0;
    for (const std::string& part : parts) {
        const auto number = doubleFromText(part);
        if (!number || *number < 0 || *number > 1e6)
            return kNoNumber;
        clock = clock * kSecondsPerMinute + *number;
    }
    return parts.size() == 2 || parts.size() == 3 ? seconds + clock : kNoNumber;
}

double stampOf(std::string_view line)
{
    return lineStamp(line).seconds;
}

LineStamp lineStamp(std::string_view line)
{
    for (std::size_t i = 0; i + 19 <= std::min(line.size(), kStampWithin); ++i) {
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
        const std::chrono::sys_days date(std::chrono::year(year) / month / day);
        return {static_cast<double>(date.time_since_epoch().count()) * kSecondsPerDay + hour * kSecondsPerHour + minute * kSecondsPerMinute
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

std::vector<std::unique_ptr<LineFormat>> dialectFormats(std::string_view line)
{
    std::vector<std::unique_ptr<LineFormat>> out;
    for (const Dialect& dialect : kDialects)
        if (DialectFormat::matches(line, dialect))
            out.push_back(std::make_unique<DialectFormat>(dialect));
    return out;
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
        return errorAt("pattern", "the pattern needs one place for the time", pattern.substr(0, 80),
                       "text with {seconds}, {ms} or {us} once, and {step}, {samples}, {*} where wanted");
    return std::unique_ptr<LineFormat>(std::make_unique<PatternFormat>(std::move(parts)));
}

} // namespace prism
