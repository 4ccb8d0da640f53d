#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "ui/model/workspace.h"

namespace prism::ui {

namespace {

constexpr const char* kSamplePreset = "llama3-405b-16k-h100";

Scenario with(Scenario scenario, std::initializer_list<std::pair<const char*, const char*>> values)
{
    for (const auto& [path, text] : values)
        if (Result<Scenario> next = setParameter(scenario, path, text))
            scenario = std::move(next).value();
    return scenario;
}

std::string layoutName(const Scenario& s)
{
    const ParallelismConfig& p = s.parallelism;
    std::string name = "TP" + std::to_string(p.tensorModelParallelSize) + " PP" + std::to_string(p.pipelineModelParallelSize);
    return name + " DP" + std::to_string(s.dataParallelSize());
}

} // namespace

StudyState sampleStudy()
{
    Result<Scenario> preset = scenarioPreset(kSamplePreset);
    Scenario base;
    if (preset) {
        base = std::move(preset).value();
    } else { // without the preset library: a small model that every machine computes at once
        base = with(base, {{"cluster.num_gpus", "64"}, {"parallelism.tensor_model_parallel_size", "8"}});
    }
    base.name = layoutName(base);
    base.note = "As run";

    Scenario other = with(base, {{"parallelism.pipeline_model_parallel_size", "8"}});
    if (other == base || hasErrors(check(other))) {
        other = with(base, {{"training.recompute_granularity", "full"}});
        other.name = "Full recomputation";
    } else {
        other.name = "PP8 VPP" + std::to_string(other.parallelism.virtualPipelineModelParallelSize);
    }
    other.note = "DP " + std::to_string(other.dataParallelSize());

    Scenario slow = base;
    slow.variability.slow.push_back({.node = 417, .computeFactor = 1.15});
    if (slow.cluster.numGpus / std::max(1, slow.cluster.gpusPerNode) <= 417)
        slow.variability.slow.back().node = 0;
    slow.name = "Baseline + slow node";
    slow.note = "15 %";

    StudyState state;
    int id = 0;
    for (Scenario* scenario : {&base, &other, &slow}) {
        ++id;
        state.entries.push_back({id, std::make_shared<const Scenario>(std::move(*scenario)), id - 1, true, false});
    }
    state.baselineId = 1;
    return state;
}

} // namespace prism::ui
