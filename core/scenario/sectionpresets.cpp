// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/sectionpresets.h"

#include "core/scenario/sectionreader.h"

namespace prism {

namespace {

using Reader = void (*)(const nlohmann::json&, SectionReading&);

/// The part of a scenario that a preset of a kind fills, with the name that it came by.
template <typename Part>
auto namedPart(const char* kind, std::string_view name, Reader read, Part part) -> Result<std::invoke_result_t<Part, const Scenario&>>
{
    const Result<Scenario> scenario = cachedPreset(kind, name, read);
    if (!scenario)
        return scenario.errors();
    auto filled = part(*scenario);
    filled.preset = name;
    return filled;
}

} // namespace

Result<ModelConfig> modelPreset(std::string_view name)
{
    return namedPart("model", name, readModelFields, [](const Scenario& s) { return s.model; });
}

Result<GpuSpec> gpuPreset(std::string_view name)
{
    return namedPart("gpu", name, readGpuFields, [](const Scenario& s) { return s.cluster.gpu; });
}

Result<VariabilityConfig> variabilityPreset(std::string_view name)
{
    return namedPart("variability", name, readVariabilityFields, [](const Scenario& s) { return s.variability; });
}

Result<JobConfig> jobPreset(std::string_view name)
{
    return namedPart("job", name, readJobFields, [](const Scenario& s) { return s.job; });
}

Result<ClusterConfig> fabricPreset(std::string_view name, ClusterConfig cluster)
{
    const Result<Scenario> scenario = cachedPreset("fabric", name, readClusterFields);
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

} // namespace prism
