// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/jsonarray.h"

#include "core/base/jsontext.h"
#include "core/base/text.h"

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

} // namespace

bool mayBeArray(std::string_view start)
{
    start = trimmed(start.substr(0, 1'000));
    if (!start.starts_with('['))
        return false;
    start = trimmed(start.substr(1));
    return start.starts_with('[') || start.starts_with('{');
}

std::string linesOfArray(std::string_view text)
{
    if (!mayBeArray(text))
        return {};
    const auto array = parseJson(text);
    if (!array.ok() || !array->is_array() || array->empty())
        return {};
    if (std::all_of(array->begin(), array->end(), isPoint)) {
        std::string lines = "Wall time,Step,Value\n";
        for (const json& point : *array)
            lines += point[0].dump() + "," + point[1].dump() + "," + point[2].dump() + "\n";
        return lines;
    }
    if (!std::all_of(array->begin(), array->end(), [](const json& element) { return element.is_object(); }))
        return {};
    std::string lines;
    for (const json& object : *array)
        lines += object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    return lines;
}

} // namespace prism
