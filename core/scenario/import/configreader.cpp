// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/import/configreader.h"

#include "core/base/text.h"
#include "core/scenario/objectreader.h"

namespace prism {
namespace {

constexpr std::int64_t kMaxSize = std::int64_t{1} << 40; // the parameter table has the exact ranges; this bounds arithmetic
constexpr std::size_t kMaxIgnored = 60;

} // namespace

bool ConfigReader::integer(const char* key, std::int64_t& target)
{
    const nlohmann::json* value = find(key);
    if (value == nullptr)
        return false;
    std::int64_t number = 0;
    if (!wholeNumber(*value, number) || number < 0 || number > kMaxSize) {
        errors.push_back(invalidType(key, "an integer >= 0", *value));
        return false;
    }
    target = number;
    return true;
}

void ConfigReader::needed(const char* key, std::int64_t& target)
{
    if (!m_config.contains(key))
        errors.push_back({.path = key, .message = "the key is missing", .found = "nothing", .accepted = "an integer"});
    integer(key, target);
}

void ConfigReader::boolean(const char* key, bool& target)
{
    const nlohmann::json* value = find(key);
    if (value != nullptr && value->is_boolean())
        target = value->get<bool>();
    else if (value != nullptr)
        errors.push_back(invalidType(key, "true or false", *value));
}

std::string ConfigReader::text(const char* key)
{
    const nlohmann::json* value = find(key);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

std::vector<std::string> ConfigReader::texts(const char* key)
{
    std::vector<std::string> out;
    const nlohmann::json* value = find(key);
    if (value == nullptr)
        return out;
    if (!value->is_array())
        errors.push_back(invalidType(key, "a list of texts", *value));
    else
        for (const nlohmann::json& item : *value) {
            if (!item.is_string()) {
                errors.push_back(invalidType(key, "a list of texts", item));
                return {};
            }
            out.push_back(item.get<std::string>());
        }
    return out;
}

std::size_t ConfigReader::listSize(const char* key)
{
    const nlohmann::json* value = find(key);
    return value != nullptr && value->is_array() ? value->size() : 0;
}

void ConfigReader::note(Severity severity, std::string path, std::string message)
{
    notes.push_back({.severity = severity, .path = std::move(path), .message = std::move(message)});
}

std::string ConfigReader::ignoredKeys() const
{
    std::vector<std::string> ignored;
    for (const auto& [key, value] : m_config.items())
        if (!m_known.contains(key))
            ignored.push_back(key.substr(0, 60));
    if (ignored.size() > kMaxIgnored)
        ignored.resize(kMaxIgnored);
    return joined(ignored, ", ");
}

const nlohmann::json* ConfigReader::find(const char* key)
{
    m_known.insert(key);
    const auto it = m_config.find(key);
    return it == m_config.end() || it->is_null() ? nullptr : &*it;
}

} // namespace prism
