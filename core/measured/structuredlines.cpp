// SPDX-License-Identifier: GPL-3.0-or-later
// Logs whose lines are data: MLPerf events, JSON lines, tables with a header.
#include "core/measured/lineformat.h"

#include "core/base/jsontext.h"
#include "core/base/textfile.h"
#include "core/base/text.h"
#include "core/measured/logfields.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

using nlohmann::json;

constexpr std::string_view kMllog = ":::MLLOG";
constexpr std::size_t kMaxFields = 4'096;

/// Names and values of an object's numbers and texts, those of objects inside it under "outer/inner".
struct FlatObject {
    std::vector<std::string> names;
    std::vector<json> values;
};

void flatten(const json& object, const std::string& prefix, int depth, FlatObject& out)
{
    for (const auto& [key, value] : object.items()) {
        if (out.names.size() >= kMaxFields)
            return;
        if (value.is_object() && depth < 3)
            flatten(value, prefix + key + "/", depth + 1, out);
        else if (value.is_number() || value.is_string()) {
            out.names.push_back(prefix + key);
            out.values.push_back(value);
        }
    }
}

double numberOf(const json& value)
{
    if (value.is_number())
        return value.get<double>();
    return value.is_string() ? doubleFromText(withoutGroups(value.get_ref<const std::string&>())).value_or(kNoNumber) : kNoNumber;
}

Result<json> objectOf(std::string_view line)
{
    if (line = trimmed(line); !line.ends_with('}')) // cheaper than a parser's word: most lines of a foreign log
        return Diagnostic{Severity::error, "", "not an object", "", "an object", "", ""};
    Result<json> parsed = parseJson(line);
    if (parsed.ok() && !parsed->is_object())
        return Diagnostic{Severity::error, "", "not an object", "", "an object", "", ""};
    return parsed;
}

/// The objects of a line, which may follow one another.
std::vector<std::string_view> objectTexts(std::string_view line)
{
    std::vector<std::string_view> out;
    int depth = 0;
    bool isQuoted = false;
    std::size_t first = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        isQuoted = isQuoted != (line[i] == '"');
        i += isQuoted && line[i] == '\\' ? 1 : 0;
        depth += isQuoted || i >= line.size() ? 0 : line[i] == '{' ? 1 : line[i] == '}' ? -1 : 0;
        if (depth == 0 && !isQuoted && i < line.size() && line[i] == '}') {
            out.push_back(line.substr(first, i + 1 - first));
            first = i + 1;
        }
    }
    if (!trimmed(line.substr(first)).empty())
        out.push_back(line.substr(first));
    return out;
}

std::int64_t wholeOr(double x)
{
    return x >= 0 && x < 1e15 ? static_cast<std::int64_t>(x) : -1;
}

/// ":::MLLOG {...}" of MLPerf's mllog: events with time_ms, key, value and metadata.
class MlperfFormat final : public LineFormat {
public:
    [[nodiscard]] std::string name() const override { return "MLPerf result log (:::MLLOG)"; }
    [[nodiscard]] std::string timeField() const override { return m_field.empty() ? "step times of its events" : m_field; }
    void read(std::string_view line, std::vector<LineFinding>& out) override
    {
        const std::size_t at = line.find(kMllog);
        if (at == std::string_view::npos)
            return;
        const Result<json> event = objectOf(line.substr(at + kMllog.size()));
        LineFinding found;
        if (!event.ok() || !event->contains("key") || !(*event)["key"].is_string()) {
            found.kind = LineFinding::Kind::unusable;
            out.push_back(found);
            return;
        }
        const auto& key = (*event)["key"].get_ref<const std::string&>();
        if (key == "run_start") {
            found.kind = LineFinding::Kind::newRun;
            out.push_back(found);
            return;
        }
        FlatObject fields;
        flatten(*event, "", 0, fields);
        const auto value = [&](std::string_view name) {
            const auto i = std::find(fields.names.begin(), fields.names.end(), name);
            return i == fields.names.end() ? kNoNumber : numberOf(fields.values[static_cast<std::size_t>(i - fields.names.begin())]);
        };
        found.step.seconds = secondsOf(key, fields);
        if (std::isnan(found.step.seconds))
            return;
        for (const char* samples : {"metadata/samples_count", "metadata/step", "metadata/epoch_num"})
            if (const double x = value(samples); found.step.samplesSeen < 0 && x >= 0)
                found.step.samplesSeen = x;
        found.stamp = value("time_ms") * 1e-3;
        out.push_back(found);
    }

private:
    /// Seconds of a step; NaN where the event reports none.
    double secondsOf(const std::string& key, const FlatObject& fields)
    {
        for (std::size_t i = 0; i < fields.names.size(); ++i) {
            if (!fields.names[i].starts_with("value"))
                continue;
            const std::string name = fields.names[i] == "value" ? key : fields.names[i].substr(6);
            const auto time = prism::timeField(name);
            if (time && time->rank == 0) {
                m_field = name;
                return time->unitSeconds * numberOf(fields.values[i]);
            }
        }
        return kNoNumber;
    }

    std::string m_field;
};

Trust trustIn(const TimeField& time)
{
    return time.isGiven || time.rank == 0 ? Trust::named : time.rank == 1 ? Trust::plain : Trust::inferred;
}

/// The time of a finding out of its text and number: a clock where the name or the text is one's.
void setTime(LineFinding& found, const TimeField& time, std::string_view text, double number)
{
    using Time = LineFinding::Time;
    const double clock = std::isnan(number) ? clockSeconds(text) : kNoNumber;
    const bool isClock = !std::isnan(clock) || time.rank > 1;
    found.time = isClock ? Time::clock : time.rank == 1 ? Time::plain : Time::step;
    found.step.seconds = std::isnan(clock) ? time.unitSeconds * number : clock;
}

/// One object per line; fields by their names, those of the first usable line for all.
class JsonLinesFormat final : public LineFormat {
public:
    JsonLinesFormat(const std::vector<std::string>& names, const LogColumns& columns)
        : m_time(columns.times.front()),
          m_timeName(columns.timeName),
          m_step(nameAt(names, columns.step)),
          m_samples(nameAt(names, columns.samples)),
          m_run(nameAt(names, columns.run)),
          m_rank(nameAt(names, columns.rank)),
          m_stamp(nameAt(names, columns.stamp)),
          m_stampUnit(columns.stampUnit)
    {
        for (std::size_t i = 0; i < names.size() && m_time.rank == 3 && m_other.empty(); ++i)
            if (namedField(names[i]).kind == FieldKind::other)
                m_other = names[i];
    }
    [[nodiscard]] std::string name() const override { return "JSON lines"; }
    [[nodiscard]] std::string timeField() const override { return m_timeName; }
    [[nodiscard]] std::string key() const override { return name() + m_timeName + '\n' + m_other; }
    [[nodiscard]] Trust trust() const override { return trustIn(m_time); }
    void read(std::string_view line, std::vector<LineFinding>& out) override
    {
        if (trimmed(line).starts_with('{'))
            for (const std::string_view text : objectTexts(line))
                readObject(text, out);
    }

private:
    static std::string nameAt(const std::vector<std::string>& names, std::optional<std::size_t> i) { return i ? names[*i] : ""; }

    void readObject(std::string_view text, std::vector<LineFinding>& out) const
    {
        LineFinding found;
        const Result<json> object = objectOf(text);
        if (!object.ok()) {
            found.kind = LineFinding::Kind::unusable;
            out.push_back(found);
            return;
        }
        FlatObject fields;
        flatten(*object, "", 0, fields);
        const auto at = [&](const std::string& name) {
            const auto i = std::find(fields.names.begin(), fields.names.end(), name);
            return name.empty() || i == fields.names.end() ? json() : fields.values[static_cast<std::size_t>(i - fields.names.begin())];
        };
        const json time = at(m_timeName);
        if (time.is_null() || (!m_other.empty() && at(m_other).is_null()))
            return; // lines of another kind are between
        setTime(found, m_time, time.is_string() ? time.get<std::string>() : "", numberOf(time));
        found.step.number = wholeOr(numberOf(at(m_step)));
        const double samples = numberOf(at(m_samples));
        found.step.samplesSeen = samples >= 0 ? samples : -1;
        found.stamp = m_stampUnit * numberOf(at(m_stamp));
        const auto textOf = [](const json& value) {
            return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
        };
        found.run = textOf(at(m_run));
        found.rank = textOf(at(m_rank));
        out.push_back(found);
    }

    TimeField m_time;
    std::string m_timeName, m_step, m_samples, m_run, m_rank, m_stamp;
    std::string m_other; ///< what is logged with a time stamp that is the only time: each tag of a TensorBoard has its steps
    double m_stampUnit;
};

std::vector<std::string> cells(std::string_view line, char separator)
{
    std::vector<std::string> out(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        else if (c == separator && !quoted) {
            if (out.size() >= kMaxFields)
                break;
            out.emplace_back();
        } else if (c != '\r')
            out.back() += c;
    }
    return out;
}

/// The number of a cell; where commas do not separate the cells, one may be the decimal point ("54,713").
double cellNumber(std::string_view cell, char separator)
{
    std::string text(trimmed(cell));
    if (separator == ',' || text.find('.') != std::string::npos)
        text = withoutGroups(text);
    if (separator != ',' && std::count(text.begin(), text.end(), ',') == 1 && text.find('.') == std::string::npos)
        std::replace(text.begin(), text.end(), ',', '.');
    return doubleFromText(text).value_or(kNoNumber);
}

/// A table with a header, one line per step.
class HeadedTableFormat final : public LineFormat {
public:
    HeadedTableFormat(std::string_view header, LogColumns columns, char separator)
        : m_header(header),
          m_columns(std::move(columns)),
          m_separator(separator)
    {
    }
    [[nodiscard]] std::string name() const override { return "table with a header"; }
    [[nodiscard]] std::string key() const override { return name() + m_header; }
    [[nodiscard]] Trust trust() const override { return trustIn(m_columns.times.front()); }
    [[nodiscard]] std::string timeField() const override
    {
        const double unit = m_columns.times.front().unitSeconds;
        return m_columns.timeName + (unit == 1.0 ? " in s" : unit == 1e-3 ? " in ms" : " in us");
    }
    void read(std::string_view line, std::vector<LineFinding>& out) override
    {
        if (trimmed(line).empty() || line.front() == '#')
            return;
        const std::vector<std::string> fields = cells(line, m_separator);
        const auto number = [&](std::optional<std::size_t> i) {
            return i && *i < fields.size() ? cellNumber(fields[*i], m_separator) : kNoNumber;
        };
        for (const TimeField& time : m_columns.times) {
            if (m_columns.times.size() > 1 && (time.index >= fields.size() || trimmed(fields[time.index]).empty()))
                continue; // a run of several that has ended
            LineFinding found;
            setTime(found, time, time.index < fields.size() ? fields[time.index] : std::string(), number(time.index));
            found.step.number = wholeOr(number(m_columns.step));
            if (m_columns.step && *m_columns.step < fields.size() && !trimmed(fields[*m_columns.step]).empty()
                && std::isnan(number(m_columns.step)))
                found.kind = LineFinding::Kind::unusable; // not a row
            const double samples = number(m_columns.samples);
            found.step.samplesSeen = samples >= 0 ? samples : -1;
            found.stamp = m_columns.stampUnit * number(m_columns.stamp);
            if (const double pause = m_columns.pauseUnit * number(m_columns.pause); pause >= 0) {
                found.step.pauseSeconds = pause;
                found.stampIsPaused = true;
            }
            const auto text = [&](std::optional<std::size_t> i) { return i && *i < fields.size() ? fields[*i] : std::string(); };
            found.run = !time.run.empty() ? time.run : text(m_columns.run);
            found.rank = text(m_columns.rank);
            out.push_back(found);
        }
    }

private:
    std::string m_header;
    LogColumns m_columns;
    char m_separator;
};

/// The unit that was requested goes over the one of the name.
void useUnit(LogColumns& columns, const StepLogOptions& options)
{
    if (const double unit = unitSeconds(options.unit); unit > 0)
        for (TimeField& time : columns.times)
            time.unitSeconds = unit;
}

} // namespace

std::unique_ptr<LineFormat> mlperfFormat(std::string_view line)
{
    return line.find(kMllog) == std::string_view::npos ? nullptr : std::make_unique<MlperfFormat>();
}

std::unique_ptr<LineFormat> jsonLinesFormat(std::string_view line, const StepLogOptions& options)
{
    if (!trimmed(line).starts_with('{'))
        return nullptr;
    const Result<json> object = objectOf(objectTexts(line).front());
    if (!object.ok())
        return nullptr;
    FlatObject fields;
    flatten(*object, "", 0, fields);
    LogColumns columns = logColumns(fields.names, options.timeColumn, options.runColumn);
    if (columns.times.size() != 1)
        return nullptr;
    useUnit(columns, options);
    return std::make_unique<JsonLinesFormat>(fields.names, columns);
}

std::unique_ptr<LineFormat> tableFormat(std::string_view line, const StepLogOptions& options, Diagnostics& problems)
{
    line = withoutByteOrderMark(line);
    char separator = ',';
    for (const char c : {';', '\t'})
        if (std::count(line.begin(), line.end(), c) > std::count(line.begin(), line.end(), separator))
            separator = c;
    std::vector<std::string> names;
    for (const std::string& name : cells(line, separator))
        names.emplace_back(trimmed(name));
    if (std::any_of(names.begin(), names.end(), [](const std::string& n) { return n.empty() || doubleFromText(n); })
        || names.size() > 1'000)
        return nullptr; // no header
    LogColumns columns = logColumns(names, options.timeColumn, options.runColumn);
    if (!columns.tie.empty())
        problems.push_back({Severity::error, "line 1", "several columns could be the time of a step", joined(columns.tie, ", "),
                            "name one of them with --time-column", "", ""});
    if (columns.times.empty())
        return nullptr;
    useUnit(columns, options);
    return std::make_unique<HeadedTableFormat>(line, std::move(columns), separator);
}

} // namespace prism
