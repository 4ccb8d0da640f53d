// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/objectreader.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace prism {

using nlohmann::json;

std::string jsonTypeName(const json& value)
{
    switch (value.type()) {
    case json::value_t::object:
        return "an object";
    case json::value_t::array:
        return "a list";
    case json::value_t::string:
        return "text";
    case json::value_t::boolean:
        return "true or false";
    case json::value_t::null:
        return "null";
    default:
        return "a number";
    }
}

std::string jsonShort(const json& value)
{
    if (value.is_object() || value.is_array())
        return jsonTypeName(value) + " of " + std::to_string(value.size());
    std::string text = value.is_string() ? value.get_ref<const std::string&>().substr(0, 61) : value.dump();
    if (text.size() > 60)
        text = text.substr(0, 57) + "...";
    return value.is_string() ? json(text).dump(-1, ' ', false, json::error_handler_t::replace) : text;
}

Diagnostic invalidType(std::string path, std::string accepted, const json& found)
{
    std::string message = "this is " + jsonTypeName(found) + ", not " + accepted;
    return {.path = std::move(path), .message = std::move(message), .found = jsonShort(found), .accepted = std::move(accepted)};
}

bool wholeNumber(const json& value, std::int64_t& number)
{
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
        return false;
    if (value.is_number_integer()) {
        number = value.get<std::int64_t>();
        return true;
    }
    if (!value.is_number_float())
        return false;
    const double real = value.get<double>();
    if (real != std::floor(real) || std::abs(real) > 9007199254740992.0)
        return false;
    number = static_cast<std::int64_t>(real);
    return true;
}

ObjectReader::ObjectReader(const json& object, std::string path, Diagnostics& diagnostics)
    : m_object(object),
      m_path(std::move(path)),
      m_diagnostics(diagnostics)
{
    if (!object.is_object())
        m_diagnostics.push_back(invalidType(m_path, "an object", object));
}

std::string ObjectReader::pathOf(const char* key) const
{
    return m_path.empty() ? key : m_path + "." + key;
}

const json* ObjectReader::value(const char* key)
{
    m_known.emplace_back(key);
    if (!m_object.is_object())
        return nullptr;
    const auto it = m_object.find(key);
    return it == m_object.end() ? nullptr : &*it;
}

void ObjectReader::ignore(const char* key)
{
    static_cast<void>(value(key));
}

void ObjectReader::outOfRange(const char* key, const json& found, const std::string& accepted)
{
    m_diagnostics.push_back(
        {.path = pathOf(key), .message = std::string(key) + " is out of range", .found = jsonShort(found), .accepted = accepted});
}

void ObjectReader::integer(const char* key, std::int64_t& target, std::int64_t minimum, std::int64_t maximum)
{
    const json* found = value(key);
    if (found == nullptr)
        return;
    const std::string accepted = "an integer from " + std::to_string(minimum) + " to " + std::to_string(maximum);
    std::int64_t number = 0;
    if (!found->is_number())
        m_diagnostics.push_back(invalidType(pathOf(key), accepted, *found));
    else if (!wholeNumber(*found, number) || number < minimum || number > maximum)
        outOfRange(key, *found, accepted);
    else
        target = number;
}

void ObjectReader::integer(const char* key, int& target, int minimum, int maximum)
{
    std::int64_t number = target;
    integer(key, number, minimum, maximum);
    target = static_cast<int>(number);
}

void ObjectReader::real(const char* key, double& target, double minimum, double maximum)
{
    const json* found = value(key);
    if (found == nullptr)
        return;
    const std::string accepted = "a number from " + numberText(minimum) + " to " + numberText(maximum);
    if (!found->is_number())
        m_diagnostics.push_back(invalidType(pathOf(key), accepted, *found));
    else if (const double number = found->get<double>(); !(number >= minimum && number <= maximum))
        outOfRange(key, *found, accepted);
    else
        target = number;
}

void ObjectReader::boolean(const char* key, bool& target)
{
    const json* found = value(key);
    if (found == nullptr)
        return;
    if (!found->is_boolean())
        m_diagnostics.push_back(invalidType(pathOf(key), "true or false", *found));
    else
        target = found->get<bool>();
}

void ObjectReader::text(const char* key, std::string& target, std::size_t maxSize)
{
    const json* found = value(key);
    if (found == nullptr)
        return;
    const std::string accepted = "text of at most " + std::to_string(maxSize) + " bytes";
    if (!found->is_string())
        m_diagnostics.push_back(invalidType(pathOf(key), accepted, *found));
    else if (found->get_ref<const std::string&>().size() > maxSize)
        outOfRange(key, *found, accepted);
    else
        target = found->get<std::string>();
}

void ObjectReader::word(const char* key, std::string& target, const std::vector<std::string>& words)
{
    std::string given = target;
    const std::size_t before = m_diagnostics.size();
    text(key, given);
    if (m_diagnostics.size() != before)
        return;
    if (!m_object.is_object() || !m_object.contains(key))
        return;
    if (std::find(words.begin(), words.end(), given) == words.end())
        m_diagnostics.push_back(unknownName(pathOf(key), key, given, words));
    else
        target = given;
}

void ObjectReader::finish()
{
    if (!m_object.is_object())
        return;
    constexpr std::size_t kMaxNamed = 200; // to look for a name that was meant takes time, and a file may have millions
    std::size_t unknown = 0;
    for (const auto& [key, value] : m_object.items())
        if (std::find(m_known.begin(), m_known.end(), key) == m_known.end() && ++unknown <= kMaxNamed)
            m_diagnostics.push_back(unknownName(pathOf(key.c_str()), "key", key, m_known));
    if (unknown > kMaxNamed)
        m_diagnostics.push_back(
            {.path = m_path, .message = "there are " + std::to_string(unknown - kMaxNamed) + " more unknown keys", .found = ""});
}

} // namespace prism
