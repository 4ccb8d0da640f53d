// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/sectionreader.h"

#include "core/scenario/presetlibrary.h"

#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

namespace prism {
namespace {

using nlohmann::json;

/// Reads a preset into its section of a fresh scenario.
Result<Scenario> readPreset(const std::string& kind, std::string_view name, void (*read)(const json&, SectionReading&))
{
    const Result<json> object = presetObject(kind, name);
    if (!object)
        return object.errors();
    SectionReading reading;
    read(*object, reading);
    if (hasErrors(reading.diagnostics)) {
        for (Diagnostic& d : reading.diagnostics)
            d.path = kind + "/" + std::string(name) + ".json: " + d.path;
        return reading.diagnostics;
    }
    return reading.scenario;
}

} // namespace

Result<Scenario> cachedPreset(const std::string& kind, std::string_view name, void (*read)(const json&, SectionReading&))
{
    static std::mutex mutex;
    static std::map<std::pair<std::string, std::string>, Scenario> cache;
    const std::pair key{kind, std::string(name.substr(0, 200))};
    {
        const std::scoped_lock lock(mutex);
        if (const auto it = cache.find(key); it != cache.end())
            return it->second;
    }
    Result<Scenario> scenario = readPreset(kind, name, read);
    if (scenario.ok()) {
        const std::scoped_lock lock(mutex);
        cache.emplace(key, *scenario);
    }
    return scenario;
}

} // namespace prism
