// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/parametercheck.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace prism {

std::string valueText(const ParameterValue& value)
{
    if (const auto* i = std::get_if<std::int64_t>(&value))
        return std::to_string(*i);
    if (const auto* d = std::get_if<double>(&value))
        return numberText(*d);
    if (const auto* b = std::get_if<bool>(&value))
        return *b ? "true" : "false";
    return std::get<std::string>(value);
}

std::string valueJson(const ParameterValue& value)
{
    if (const auto* s = std::get_if<std::string>(&value))
        return nlohmann::json(*s).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return valueText(value);
}

std::string acceptedText(const Parameter& p)
{
    const std::string unit = p.unit.empty() ? "" : " " + p.unit;
    switch (p.type) {
    case ParameterType::integer:
        return "an integer from " + numberText(p.minimum) + " to " + numberText(p.maximum) + unit;
    case ParameterType::real:
        return "a number from " + numberText(p.minimum) + " to " + numberText(p.maximum) + unit;
    case ParameterType::boolean:
        return "true or false";
    case ParameterType::choice: {
        std::vector<std::string> names = p.choices;
        std::erase(names, "");
        return "one of: " + joined(names, ", ");
    }
    case ParameterType::text:
        break;
    }
    return "text of at most 200 characters";
}

std::optional<Diagnostic> rangeError(const Parameter& p, const ParameterValue& value)
{
    // Called for every parameter of every prediction: texts only where something is wrong.
    const auto* text = std::get_if<std::string>(&value);
    const bool whole = std::holds_alternative<std::int64_t>(value);
    double number = 0;
    if (text != nullptr) {
        if (p.type == ParameterType::text ? text->size() <= 200 : std::find(p.choices.begin(), p.choices.end(), *text) != p.choices.end())
            return std::nullopt;
    } else {
        if (std::holds_alternative<bool>(value))
            return std::nullopt;
        number = whole ? static_cast<double>(std::get<std::int64_t>(value)) : std::get<double>(value);
        if (std::isfinite(number) && number >= p.minimum && number <= p.maximum)
            return std::nullopt;
    }
    Diagnostic error{
        .path = p.id, .message = p.label + " is out of range", .found = valueText(value).substr(0, 80), .accepted = acceptedText(p)};
    if (text != nullptr) {
        if (p.type == ParameterType::text)
            return error;
        error.message = p.label + ": \"" + text->substr(0, 80) + "\" is not known";
        if (const std::string nearest = nearestName(*text, p.choices); !nearest.empty()) {
            error.message += "; did you mean \"" + nearest + "\"?";
            error.fixPath = p.id;
            error.fixValue = valueJson(nearest);
        }
        return error;
    }
    if (!std::isfinite(number))
        error.message = p.label + " is not a finite number";
    else if (number < p.minimum) {
        error.fixPath = p.id;
        error.fixValue = numberText(p.minimum);
    }
    return error;
}

bool isLabel(const Parameter& p)
{
    return p.id.ends_with(".preset") || p.id == "cluster.fabric" || p.id.ends_with(".name");
}

} // namespace prism
