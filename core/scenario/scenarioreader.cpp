// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/sectionreader.h"
#include "core/scenario/scenariolimits.h"

#include "core/scenario/objectreader.h"
#include "core/scenario/presetlibrary.h"
#include "core/scenario/sectionpresets.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace prism {
namespace {

using nlohmann::json;

constexpr int kScenarioVersion = 2; ///< the newest that is read

/// Text of a preset key, or nothing (with an error when it is not text).
std::optional<std::string> presetName(const json& object, const char* key, const std::string& path, SectionReading& reading)
{
    const auto it = object.find(key);
    if (it == object.end())
        return std::nullopt;
    if (it->is_string())
        return it->get<std::string>();
    reportUnread(reading, invalidType(path, "the name of a preset", *it));
    return std::nullopt;
}

template <class T>
const T* loaded(const Result<T>& preset, const std::string& path, SectionReading& reading)
{
    if (preset.ok())
        return &preset.value();
    for (Diagnostic error : preset.errors()) {
        error.path = path;
        reportUnread(reading, std::move(error));
    }
    return nullptr;
}

void readModel(const json& object, SectionReading& reading)
{
    if (!isObject(object, "model", reading))
        return;
    if (const auto name = presetName(object, "preset", "model.preset", reading); name && !name->empty())
        if (const Result<ModelConfig> preset = modelPreset(*name); const ModelConfig* model = loaded(preset, "model.preset", reading))
            reading.scenario.model = *model;
    readModelFields(object, reading);
}

void readGpu(const json& object, SectionReading& reading)
{
    GpuSpec& gpu = reading.scenario.cluster.gpu;
    if (object.is_string()) {
        const Result<GpuSpec> preset = gpuPreset(object.get<std::string>());
        if (const GpuSpec* found = loaded(preset, "cluster.gpu.preset", reading))
            gpu = *found;
        return;
    }
    if (!isObject(object, "cluster.gpu", reading))
        return;
    if (const auto name = presetName(object, "preset", "cluster.gpu.preset", reading); name && !name->empty()) {
        const Result<GpuSpec> preset = gpuPreset(*name);
        if (const GpuSpec* found = loaded(preset, "cluster.gpu.preset", reading))
            gpu = *found;
    } else if (name) {
        gpu.preset.clear();
    }
    readGpuFields(object, reading);
}

void readCluster(const json& object, SectionReading& reading)
{
    if (!isObject(object, "cluster", reading))
        return;
    if (const auto gpu = object.find("gpu"); gpu != object.end())
        readGpu(*gpu, reading);
    if (const auto name = presetName(object, "fabric", "cluster.fabric", reading); name && !name->empty()) {
        const Result<ClusterConfig> preset = fabricPreset(*name, reading.scenario.cluster);
        if (const ClusterConfig* cluster = loaded(preset, "cluster.fabric", reading))
            reading.scenario.cluster = *cluster;
    } else if (name) {
        reading.scenario.cluster.fabricPreset.clear();
    }
    readClusterFields(object, reading);
}

void readVariability(const json& object, SectionReading& reading)
{
    if (!isObject(object, "variability", reading))
        return;
    if (const auto name = presetName(object, "preset", "variability.preset", reading); name && !name->empty()) {
        const Result<VariabilityConfig> preset = variabilityPreset(*name);
        if (const VariabilityConfig* variability = loaded(preset, "variability.preset", reading))
            reading.scenario.variability = *variability;
    }
    readVariabilityFields(object, reading);
}

void readJob(const json& object, SectionReading& reading)
{
    if (!isObject(object, "job", reading))
        return;
    if (const auto name = presetName(object, "preset", "job.preset", reading); name && !name->empty()) {
        const Result<JobConfig> preset = jobPreset(*name);
        if (const JobConfig* job = loaded(preset, "job.preset", reading))
            reading.scenario.job = *job;
    }
    readJobFields(object, reading);
}

/// Files of version 2 start from the measured spread of their GPU unless they name a preset ("none" is one).
void startFromMeasuredSpread(const json& object, SectionReading& reading)
{
    const auto section = object.find("variability");
    if (section != object.end() && (!section->is_object() || section->contains("preset")))
        return;
    const std::string name = measuredSpreadOf(reading.scenario.cluster.gpu.preset);
    if (const Result<VariabilityConfig> spread = variabilityPreset(name); spread.ok())
        reading.scenario.variability = *spread;
    else
        reading.diagnostics.push_back({.severity = Severity::warning,
                                       .path = "variability.preset",
                                       .message = "no measured spread is known for this GPU: nothing varies",
                                       .found = reading.scenario.cluster.gpu.preset,
                                       .accepted = "a preset of variability, or none"});
}

} // namespace

void readScenario(const json& object, SectionReading& reading)
{
    if (!object.is_object()) {
        reading.diagnostics.push_back(
            invalidType("", "an object with the sections model, cluster, parallelism, training, variability", object));
        return;
    }
    ObjectReader reader(object, "", reading.diagnostics);
    reader.integer("version", reading.scenario.version, 1, kScenarioVersion);
    if (!object.contains("version"))
        reading.diagnostics.push_back({.path = "version",
                                       .message = "the version is missing",
                                       .found = "nothing",
                                       .accepted = "1 or 2",
                                       .fixPath = "version",
                                       .fixValue = "1"});
    reader.text("name", reading.scenario.name, kMaxNameBytes);
    reader.text("note", reading.scenario.note, kMaxNoteBytes);
    for (const char* key : {"source", "sources"})
        reader.ignore(key);
    const auto section = [&](const char* key, void (*read)(const json&, SectionReading&)) {
        if (const json* value = reader.value(key))
            read(*value, reading);
    };
    section("model", readModel);
    section("cluster", readCluster);
    section("parallelism", readParallelism);
    section("training", readTraining);
    if (reading.scenario.version >= 2)
        startFromMeasuredSpread(object, reading);
    section("variability", readVariability);
    section("job", readJob);
    section("measured", readMeasured);
    reader.finish();
}

} // namespace prism
