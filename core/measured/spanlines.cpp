// SPDX-License-Identifier: GPL-3.0-or-later
// OpenTelemetry spans that enclose a training step, as the SDK prints them (ReadableSpan.to_json: one object, on one line or over many) and
// as collectors write them (OTLP/JSON: spans under scopeSpans under resourceSpans).
#include "core/measured/lineformat.h"

#include "core/base/jsontext.h"
#include "core/base/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace prism {

namespace {

using nlohmann::json;

/// Spans of one step, the outer one first: Megatron-LM's training loop (pull request 6438), and train_step() of the version before.
constexpr std::string_view kStepSpans[] = {"megatron.train.iteration", "megatron.train_step"};
constexpr std::size_t kMaxSpanBytes = std::size_t{1} << 20; ///< of an object over many lines
constexpr int kMaxSpanDepth = 8;

/// The value of an attribute: of an object {"key": value}, or of OTLP's list of {"key", "value": {"intValue": "5"}}. Null = it is not
/// there.
json attributeOf(const json& holder, const std::string& key)
{
    const auto attributes = holder.find("attributes");
    if (attributes == holder.end())
        return {};
    if (attributes->is_object())
        return attributes->value(key, json());
    for (const json& entry : attributes->is_array() ? *attributes : json::array())
        if (entry.is_object() && entry.contains("key") && entry["key"] == key && entry.contains("value") && entry["value"].is_object()
            && !entry["value"].empty())
            return entry["value"].front();
    return {};
}

std::string wordsOf(const json& value)
{
    return value.is_string() ? value.get<std::string>() : value.is_number() ? value.dump() : "";
}

/// Seconds since 1970 of "2026-03-01T10:00:00.123456Z", or of OTLP's nanoseconds.
double momentOf(const json& span, const char* text, const char* nanoseconds)
{
    if (span.contains(nanoseconds))
        return 1e-9 * doubleFromText(wordsOf(span[nanoseconds])).value_or(kNoNumber);
    return span.contains(text) ? stampOf(wordsOf(span[text])) : kNoNumber;
}

class SpanFormat final : public LineFormat {
public:
    explicit SpanFormat(std::string_view span) : m_span(span) {}
    [[nodiscard]] std::string name() const override { return "OpenTelemetry spans"; }
    [[nodiscard]] std::string timeField() const override { return "duration of " + std::string(m_span); }
    void read(std::string_view line, std::vector<LineFinding>& out) override
    {
        const std::string_view text = trimmed(line);
        if (m_object.empty() && text.starts_with("\"name\"")) // this line, the second of an object over many, names the format
            m_object = "{";
        else if (m_object.empty() && !text.starts_with('{'))
            return;
        m_object += text;
        const bool isWhole = line.starts_with('}') || (m_object.size() == text.size() && text.size() > 1 && text.ends_with('}'));
        if (!isWhole && m_object.size() <= kMaxSpanBytes)
            return;
        const Result<json> object = isWhole ? parseJson(m_object) : Result<json>(Diagnostic{});
        m_object.clear();
        if (object.ok())
            collect(*object, json::object(), 0, out);
        else
            out.push_back({.kind = LineFinding::Kind::unusable});
    }

private:
    /// Every span of a step below `value`; `resource` is the one that is stated nearest above.
    void collect(const json& value, const json& resource, int depth, std::vector<LineFinding>& out) const
    {
        if (depth > kMaxSpanDepth || !value.is_structured())
            return;
        const json& nearest =
            value.is_object() && value.contains("resource") && value["resource"].is_object() ? value["resource"] : resource;
        if (value.is_object() && value.contains("name") && value["name"] == m_span)
            out.push_back(stepOf(value, nearest));
        else
            for (const json& child : value)
                collect(child, nearest, depth + 1, out);
    }

    [[nodiscard]] static LineFinding stepOf(const json& span, const json& resource)
    {
        LineFinding found;
        found.stamp = momentOf(span, "end_time", "endTimeUnixNano");
        found.step.seconds = found.stamp - momentOf(span, "start_time", "startTimeUnixNano");
        found.step.number = integerFromText(wordsOf(attributeOf(span, "megatron.iteration"))).value_or(-1);
        found.run = wordsOf(attributeOf(resource, "nemo.run.id"));
        found.rank = wordsOf(attributeOf(resource, "service.instance.id"));
        return found;
    }

    std::string_view m_span;
    std::string m_object; ///< what was read of an object that is not whole yet
};

} // namespace

std::vector<std::unique_ptr<LineFormat>> spanFormats(std::string_view line)
{
    std::vector<std::unique_ptr<LineFormat>> formats;
    for (const std::string_view span : kStepSpans)
        if (line.find("\"" + std::string(span) + "\"") != std::string_view::npos)
            formats.push_back(std::make_unique<SpanFormat>(span));
    return formats;
}

} // namespace prism
