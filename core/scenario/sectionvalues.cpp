// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/sectionvalues.h"
#include "core/scenario/scenariolimits.h"

#include "core/base/text.h"
#include "core/scenario/objectreader.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/parametertable.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace prism {

using nlohmann::json;

void reportUnread(SectionReading& reading, Diagnostic diagnostic)
{
    reading.skipped.push_back(diagnostic.path);
    reading.diagnostics.push_back(std::move(diagnostic));
}

namespace {

std::optional<ParameterValue> valueFromJson(const Parameter& p, const json& found, SectionReading& reading)
{
    std::int64_t whole = 0;
    switch (p.type) {
    case ParameterType::integer:
        if (wholeNumber(found, whole))
            return ParameterValue(whole);
        break;
    case ParameterType::real:
        if (found.is_number())
            return ParameterValue(found.get<double>());
        break;
    case ParameterType::boolean:
        if (found.is_boolean())
            return ParameterValue(found.get<bool>());
        break;
    case ParameterType::choice:
    case ParameterType::text:
        if (found.is_string())
            return ParameterValue(found.get<std::string>());
        break;
    }
    Diagnostic error = invalidType(p.id, acceptedText(p), found);
    if (p.type == ParameterType::integer && found.is_number())
        error.message = p.label + " is not a whole number in range";
    reportUnread(reading, std::move(error));
    return std::nullopt;
}

void readParameter(const Parameter& p, const json& found, SectionReading& reading)
{
    const auto value = valueFromJson(p, found, reading);
    if (!value)
        return;
    if (auto error = rangeError(p, *value))
        reportUnread(reading, std::move(*error));
    else
        p.set(reading.scenario, *value);
}

/// Names of the parameters directly below `prefix` ("parallelism." gives "zero_stage", ...) and further keys.
std::vector<std::string> keysBelow(const std::string& prefix, const std::vector<const char*>& more)
{
    std::vector<std::string> keys;
    for (const Parameter& p : parameters())
        if (p.id.starts_with(prefix) && p.id.find('.', prefix.size()) == std::string::npos)
            keys.push_back(p.id.substr(prefix.size()));
    for (const char* key : more)
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            keys.emplace_back(key);
    return keys;
}

void readPool(const json& found, const std::string& path, Distribution& d, SectionReading& reading)
{
    std::vector<double> pool;
    if (found.is_array() && found.size() <= kMaxListEntries)
        for (const json& v : found)
            if (v.is_number())
                pool.push_back(v.get<double>());
    const bool positive = std::all_of(pool.begin(), pool.end(), [](double v) { return v > 0 && v < 1e18; });
    if (!found.is_array() || pool.empty() || pool.size() != found.size() || !positive) {
        reportUnread(reading, {.path = path,
                               .message = "the pool is not a list of positive numbers",
                               .found = jsonShort(found),
                               .accepted = "1 to " + std::to_string(kMaxListEntries) + " numbers > 0"});
        return;
    }
    const Distribution empirical = empiricalDistribution(pool);
    const auto same = [](double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); };
    const bool normalised = std::equal(pool.begin(), pool.end(), empirical.pool->begin(), same);
    // A pool that was saved is sorted with mean 1 already: kept to the last bit, so that saving and reading is lossless.
    d.pool = normalised ? std::make_shared<const std::vector<double>>(std::move(pool)) : empirical.pool;
    if (!normalised || std::abs(d.cv - empirical.cv) > 1e-9)
        d.cv = empirical.cv;
}

} // namespace

bool isObject(const json& value, const std::string& path, SectionReading& reading)
{
    if (value.is_object())
        return true;
    reading.diagnostics.push_back(invalidType(path, "an object", value));
    return false;
}

void readScalars(const json& object, const std::string& prefix, const std::vector<const char*>& handled, SectionReading& reading)
{
    for (const auto& [key, value] : object.items()) {
        if (key == "source" || key == "sources" || std::find(handled.begin(), handled.end(), key) != handled.end())
            continue;
        if (const Parameter* p = findParameter(prefix + key); p != nullptr && key.find('.') == std::string::npos)
            readParameter(*p, value, reading);
        else if (olderId(prefix + key) == nullptr)
            reading.diagnostics.push_back(unknownName(prefix + key, "key", key, keysBelow(prefix, handled)));
    }
}

void readList(const json& object, const char* key, const std::string& section, SectionReading& reading,
              const std::function<void(const json& item, const std::string& path)>& read)
{
    const auto it = object.find(key);
    if (it == object.end())
        return;
    const std::string path = section + "." + key;
    if (!it->is_array()) {
        reportUnread(reading, invalidType(path, "a list", *it));
        return;
    }
    if (it->size() > kMaxListEntries) {
        reportUnread(reading, {.path = path,
                               .message = "the list is too long",
                               .found = std::to_string(it->size()) + " entries",
                               .accepted = "at most " + std::to_string(kMaxListEntries)});
        return;
    }
    for (std::size_t i = 0; i < it->size(); ++i)
        read((*it)[i], path + "[" + std::to_string(i) + "]");
}

void readDistribution(const json& object, const std::string& path, const std::string& table, Distribution& target, SectionReading& reading)
{
    if (!object.is_object()) {
        reportUnread(reading, invalidType(path, R"(an object like {"family": "lognormal", "cv": 0.02})", object));
        return;
    }
    SectionReading scratch;
    readScalars(object, table, {"pool"}, scratch);
    for (Diagnostic& d : scratch.diagnostics) {
        d.path.replace(0, table.size(), path + ".");
        if (d.fixPath.starts_with(table))
            d.fixPath.clear();
        reading.diagnostics.push_back(std::move(d));
    }
    if (const Parameter* p = findParameter(table + "family"); object.contains("family") && object["family"].is_string())
        if (const auto family = familyFromName(object["family"].get<std::string>()); family && p != nullptr)
            target.family = *family;
    const auto number = [&](const char* key, double& field) {
        const Parameter* p = findParameter(table + key);
        if (object.contains(key) && object[key].is_number() && !rangeError(*p, object[key].get<double>()))
            field = object[key].get<double>();
    };
    number("cv", target.cv);
    number("rare_probability", target.rareProbability);
    number("rare_multiplier", target.rareMultiplier);
    if (object.contains("pool"))
        readPool(object["pool"], path + ".pool", target, reading);
}

} // namespace prism
