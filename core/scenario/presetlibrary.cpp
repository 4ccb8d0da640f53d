// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/presetlibrary.h"

#include "core/base/jsontext.h"
#include "core/base/platform/process.h"
#include "core/base/text.h"
#include "core/base/textfile.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

namespace prism {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kMeasuredSpread = "measured_spread";
constexpr std::array kKinds = {"gpu",     "fabric",   "model",   "variability", "job",       "fleet", "queue",
                               "studies", "scenario", "systems", "calibration", "published", "peers"};

/// $PRISM_PRESETS, and the share folder next to the program. A build folder has a link in this place.
std::vector<fs::path> candidateFolders()
{
    std::vector<fs::path> candidates;
    if (const char* folder = std::getenv("PRISM_PRESETS"); folder != nullptr && *folder != '\0')
        candidates.emplace_back(folder);
    if (const std::string program = programFolder(); !program.empty())
        candidates.push_back(fs::path(program) / ".." / "share" / "prism-explorer" / "presets");
    return candidates;
}

/// The first of them that exists.
fs::path presetFolder()
{
    std::error_code error;
    for (const fs::path& candidate : candidateFolders())
        if (fs::is_directory(candidate, error))
            return candidate;
    return {};
}

struct StoredPreset {
    PresetInfo info;
    std::string text;
    json object;
};

/// All presets of the folder, parsed. A file that cannot be read is not in the list; its errors are returned when it is requested.
struct Library {
    std::vector<PresetInfo> list;
    std::map<std::pair<std::string, std::string>, StoredPreset, std::less<>> presets;
    std::map<std::pair<std::string, std::string>, Diagnostics, std::less<>> broken;
};

Library readLibrary()
{
    Library library;
    const fs::path root = presetFolder();
    spdlog::debug("presets from {}", root.string());
    std::error_code error;
    for (const char* kind : kKinds) {
        for (const fs::directory_entry& entry : fs::directory_iterator(root / kind, error)) {
            if (entry.path().extension() != ".json")
                continue;
            const std::string name = entry.path().stem().string();
            Result<std::string> content = readTextFile(entry.path().string());
            Result<json> parsed = content.ok() ? parseJson(*content) : Result<json>(content.errors());
            if (!parsed || !parsed->is_object()) {
                library.broken[{kind, name}] = parsed.errors();
                continue;
            }
            std::string title = name;
            if (const auto it = parsed->find("title"); it != parsed->end() && it->is_string())
                title = it->get<std::string>();
            const PresetInfo info{kind, name, title};
            library.list.push_back(info);
            library.presets[{kind, name}] = {info, std::move(content).value(), std::move(parsed).value()};
        }
    }
    std::sort(library.list.begin(), library.list.end(),
              [](const PresetInfo& a, const PresetInfo& b) { return std::tie(a.kind, a.name) < std::tie(b.kind, b.name); });
    return library;
}

const Library& library()
{
    static const Library kLibrary = readLibrary();
    return kLibrary;
}

} // namespace

const std::vector<PresetInfo>& presetList()
{
    return library().list;
}

std::vector<std::string> presetNames(std::string_view kind)
{
    std::vector<std::string> names;
    for (const PresetInfo& info : library().list)
        if (info.kind == kind)
            names.push_back(info.name);
    return names;
}

namespace {

/// Error for an unknown preset: lists the available ones, or names the folder that was searched.
Diagnostic unknownPreset(std::string_view kind, std::string_view name)
{
    const std::vector<std::string> names = presetNames(kind);
    if (!presetList().empty())
        return unknownName("preset", std::string(kind) + " preset", name, names);
    std::vector<std::string> places;
    for (const fs::path& candidate : candidateFolders())
        places.push_back(candidate.lexically_normal().string());
    Diagnostic missing{.path = "preset", .found = std::string(name.substr(0, 80))};
    missing.message = "There is no preset library: looked in " + joined(places, " and ") + ".";
    missing.accepted = "a program next to its share folder, or the library's folder in PRISM_PRESETS";
    return missing;
}

} // namespace

Result<std::string> presetText(std::string_view kind, std::string_view name)
{
    const std::pair key{std::string(kind), std::string(name)};
    if (const auto it = library().presets.find(key); it != library().presets.end())
        return it->second.text;
    return unknownPreset(kind, name);
}

Result<json> presetObject(std::string_view kind, std::string_view name)
{
    const std::pair key{std::string(kind), std::string(name.substr(0, 200))};
    if (const auto it = library().broken.find(key); it != library().broken.end())
        return it->second;
    const auto it = library().presets.find(key);
    if (it == library().presets.end()) {
        return unknownPreset(kind, name);
    }
    json object = it->second.object;
    for (const char* forPeople :
         {"title", "source", "sources", "published_parameters", "published", "stands_in", "over_systems", kMeasuredSpread})
        object.erase(forPeople);
    return object;
}

std::string measuredSpreadOf(std::string_view gpuPreset)
{
    const auto it = library().presets.find(std::pair{std::string("gpu"), std::string(gpuPreset.substr(0, 200))});
    if (it == library().presets.end())
        return {};
    const auto name = it->second.object.find(kMeasuredSpread);
    return name != it->second.object.end() && name->is_string() ? name->get<std::string>() : std::string();
}

} // namespace prism
