// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/sectionpresets.h"

#include "core/scenario/presetreading.h"

namespace prism {
Result<ModelConfig> modelPreset(std::string_view name)
{
    const Result<Scenario> scenario = cachedPreset("model", name, readModelFields);
    if (!scenario)
        return scenario.errors();
    ModelConfig model = scenario->model;
    model.preset = name;
    return model;
}

Result<GpuSpec> gpuPreset(std::string_view name)
{
    const Result<Scenario> scenario = cachedPreset("gpu", name, readGpuFields);
    if (!scenario)
        return scenario.errors();
    GpuSpec gpu = scenario->cluster.gpu;
    gpu.preset = name;
    return gpu;
}

Result<VariabilityConfig> variabilityPreset(std::string_view name)
{
    const Result<Scenario> scenario = cachedPreset("variability", name, readVariabilityFields);
    if (!scenario)
        return scenario.errors();
    VariabilityConfig variability = scenario->variability;
    variability.preset = name;
    return variability;
}

Result<JobConfig> jobPreset(std::string_view name)
{
    const Result<Scenario> scenario = cachedPreset("job", name, readJobFields);
    if (!scenario)
        return scenario.errors();
    JobConfig job = scenario->job;
    job.preset = name;
    return job;
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
