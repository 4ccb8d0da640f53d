// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/jsonarray.h"

#include "core/base/jsontext.h"
#include "core/base/text.h"
#include "core/measured/logfields.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace prism {

namespace {

using nlohmann::json;

bool isPoint(const json& element)
{
    return element.is_array() && element.size() == 3
           && std::all_of(element.begin(), element.end(), [](const json& number) { return number.is_number(); });
}

bool isRows(const json& value)
{
    return value.is_array() && std::all_of(value.begin(), value.end(), [](const json& element) { return element.is_object(); });
}

std::string lineOf(const json& object)
{
    return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// The array of objects with most rows among the values; null where there is none.
const json* longestRows(const json& object)
{
    const json* longest = nullptr;
    for (const json& value : object)
        if (isRows(value) && !value.empty() && (longest == nullptr || value.size() > longest->size()))
            longest = &value;
    return longest;
}

/// The lines of one series: values by step number, or a list from start_step in steps of step_interval.
std::string seriesLines(const std::string& name, const json& series)
{
    std::string lines;
    std::int64_t step = series.value("start_step", std::int64_t{0});
    for (const auto& [key, value] : series["values"].items()) {
        const bool isNamed = series["values"].is_object();
        lines += value.is_number() ? lineOf({{"step", isNamed ? integerFromText(key).value_or(-1) : step}, {name, value}}) : "";
        step += series.value("step_interval", std::int64_t{1});
    }
    return lines;
}

std::string linesOfObject(const json& object)
{
    std::string lines;
    if (const json* rows = longestRows(object); rows != nullptr) {
        for (const json& row : *rows)
            lines += lineOf(row);
        return lines;
    }
    for (const auto& [name, series] : object.items()) {
        const bool isSeries = series.is_object() && series.contains("values") && series["values"].is_structured();
        const auto isStep = [&](const char* key) { return !series.contains(key) || series[key].is_number_integer(); };
        if (isSeries && isStep("start_step") && isStep("step_interval") && timeField(name))
            lines += seriesLines(name, series);
    }
    return lines;
}

} // namespace

bool mayBeDocument(std::string_view start)
{
    const std::string_view first = trimmed(start.substr(0, 1'000));
    if (first.starts_with('[')) {
        const std::string_view second = trimmed(first.substr(1));
        return second.starts_with('[') || second.starts_with('{');
    }
    start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
    const std::size_t end = std::min(start.find('\n'), start.size());
    return first.starts_with('{') && (!trimmed(start.substr(0, end)).ends_with('}') || trimmed(start.substr(end)).empty());
}

std::string linesOfDocument(std::string_view text)
{
    if (!mayBeDocument(text))
        return {};
    const auto document = parseJson(text);
    if (!document.ok() || document->empty())
        return {};
    if (document->is_object())
        return linesOfObject(*document);
    if (isRows(*document))
        return linesOfObject({{"", *document}});
    if (!std::all_of(document->begin(), document->end(), isPoint))
        return {};
    std::string lines = "Wall time,Step,Value\n";
    for (const json& point : *document)
        lines += point[0].dump() + "," + point[1].dump() + "," + point[2].dump() + "\n";
    return lines;
}

} // namespace prism
