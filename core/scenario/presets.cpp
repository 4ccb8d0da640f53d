#include "core/scenario/presets.h"

#include "core/base/jsontext.h"
#include "core/base/text.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/sectionreader.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>

namespace prism {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::array kKinds = {"gpu", "fabric", "model", "variability", "scenario", "calibration", "published"};

/// $PRISM_PRESETS, the share folder beside the program, or the source tree; the first that exists.
fs::path presetFolder()
{
    std::vector<fs::path> candidates;
    if (const char* folder = std::getenv("PRISM_PRESETS"); folder != nullptr && *folder != '\0')
        candidates.emplace_back(folder);
    std::error_code error;
    if (const fs::path program = fs::read_symlink("/proc/self/exe", error); !error)
        candidates.push_back(program.parent_path() / ".." / "share" / "prism-explorer" / "presets");
    candidates.emplace_back(PRISM_SOURCE_PRESETS);
    for (const fs::path& candidate : candidates)
        if (fs::is_directory(candidate, error))
            return candidate;
    return {};
}

struct StoredPreset {
    PresetInfo info;
    std::string text;
    json object;
};

/// Everything of the folder, parsed; a file that cannot be read is left out of the list and reported when asked for.
struct Library {
    std::vector<PresetInfo> list;
    std::map<std::pair<std::string, std::string>, StoredPreset, std::less<>> presets;
    std::map<std::pair<std::string, std::string>, Diagnostics, std::less<>> broken;
};

Library readLibrary()
{
    Library library;
    const fs::path root = presetFolder();
    std::error_code error;
    for (const char* kind : kKinds) {
        for (const fs::directory_entry& entry : fs::directory_iterator(root / kind, error)) {
            if (entry.path().extension() != ".json")
                continue;
            const std::string name = entry.path().stem().string();
            std::ifstream file(entry.path(), std::ios::binary);
            std::ostringstream content;
            content << file.rdbuf();
            Result<json> parsed = parseJson(content.str());
            if (!parsed || !parsed->is_object()) {
                library.broken[{kind, name}] = parsed.errors();
                continue;
            }
            std::string title = name;
            if (const auto it = parsed->find("title"); it != parsed->end() && it->is_string())
                title = it->get<std::string>();
            const PresetInfo info{kind, name, title};
            library.list.push_back(info);
            library.presets[{kind, name}] = {info, content.str(), std::move(parsed).value()};
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

/// The file's object without what is written for people only.
Result<json> presetObject(const std::string& kind, std::string_view name)
{
    const std::pair key{kind, std::string(name.substr(0, 200))};
    if (const auto it = library().broken.find(key); it != library().broken.end())
        return it->second;
    const auto it = library().presets.find(key);
    if (it == library().presets.end()) {
        const std::vector<std::string> names = presetNames(kind);
        return unknownName("preset", kind + " preset", name, names);
    }
    json object = it->second.object;
    for (const char* forPeople : {"title", "source", "sources", "published_parameters", "published"})
        object.erase(forPeople);
    return object;
}

/// Reads a preset into a scenario with `read`; the section's preset name is set to its own.
template <class Read>
Result<Scenario> readPreset(const std::string& kind, std::string_view name, Scenario base, Read read)
{
    const Result<json> object = presetObject(kind, name);
    if (!object)
        return object.errors();
    SectionReading reading;
    reading.scenario = std::move(base);
    read(*object, reading);
    if (hasErrors(reading.diagnostics)) {
        for (Diagnostic& d : reading.diagnostics)
            d.path = kind + "/" + std::string(name) + ".json: " + d.path;
        return reading.diagnostics;
    }
    return reading.scenario;
}

/// Presets once read, by kind and name: presets are immutable, and reading JSON again for each edit would cost.
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
    Result<Scenario> scenario = readPreset(kind, name, {}, read);
    if (scenario.ok()) {
        const std::scoped_lock lock(mutex);
        cache.emplace(key, *scenario);
    }
    return scenario;
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

Result<Scenario> scenarioPreset(std::string_view name)
{
    Result<Scenario> scenario = cachedPreset("scenario", name, readScenario);
    if (scenario.ok() && hasErrors(check(*scenario)))
        return check(*scenario);
    return scenario;
}

Result<ModelConfig> modelPreset(std::string_view name)
{
    const Result<Scenario> scenario = cachedPreset("model", name, readModel);
    if (!scenario)
        return scenario.errors();
    ModelConfig model = scenario->model;
    model.preset = name;
    return model;
}

Result<GpuSpec> gpuPreset(std::string_view name)
{
    const Result<Scenario> scenario = cachedPreset("gpu", name, readGpu);
    if (!scenario)
        return scenario.errors();
    GpuSpec gpu = scenario->cluster.gpu;
    gpu.preset = name;
    return gpu;
}

Result<VariabilityConfig> variabilityPreset(std::string_view name)
{
    const Result<Scenario> scenario = cachedPreset("variability", name, readVariability);
    if (!scenario)
        return scenario.errors();
    VariabilityConfig variability = scenario->variability;
    variability.preset = name;
    return variability;
}

Result<ClusterConfig> fabricPreset(std::string_view name, ClusterConfig cluster)
{
    const Result<Scenario> scenario = cachedPreset("fabric", name, readCluster);
    if (!scenario)
        return scenario.errors();
    const ClusterConfig& fabric = scenario->cluster;
    cluster.fabricPreset = name;
    cluster.gpusPerNode = fabric.gpusPerNode;
    cluster.intraNodeGbPerS = fabric.intraNodeGbPerS;
    cluster.intraNodeLatencyUs = fabric.intraNodeLatencyUs;
    cluster.intraNodeBaseLatencyUs = fabric.intraNodeBaseLatencyUs;
    cluster.intraNodeTopology = fabric.intraNodeTopology;
    cluster.nvlsSupported = fabric.nvlsSupported;
    cluster.interNodeGbPerS = fabric.interNodeGbPerS;
    cluster.interNodeLatencyUs = fabric.interNodeLatencyUs;
    cluster.interNodeEfficiency = fabric.interNodeEfficiency;
    cluster.topology = fabric.topology;
    cluster.oversubscription = fabric.oversubscription;
    cluster.nodesPerPod = fabric.nodesPerPod;
    return cluster;
}

Result<std::string> presetText(std::string_view kind, std::string_view name)
{
    const std::pair key{std::string(kind), std::string(name)};
    if (const auto it = library().presets.find(key); it != library().presets.end())
        return it->second.text;
    const std::vector<std::string> names = presetNames(kind);
    return unknownName("preset", std::string(kind) + " preset", name, names);
}

} // namespace prism
