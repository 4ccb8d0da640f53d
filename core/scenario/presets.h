// The preset library: GPUs, fabrics, models and scenarios as data files with a source for every number.
#pragma once

#include "core/scenario/scenario.h"

namespace prism {

struct PresetInfo {
    std::string kind;  ///< "gpu", "fabric", "model", "variability", "scenario"
    std::string name;  ///< "llama3-405b-16k-h100"
    std::string title; ///< one line for people
};

/// All presets, sorted by kind and name. They are read once from $PRISM_PRESETS, the installed share folder beside the program
/// (../share/prism-explorer/presets) or the source tree. Any thread.
[[nodiscard]] const std::vector<PresetInfo>& presetList();
[[nodiscard]] Result<Scenario> scenarioPreset(std::string_view name);
[[nodiscard]] Result<ModelConfig> modelPreset(std::string_view name);
[[nodiscard]] Result<GpuSpec> gpuPreset(std::string_view name);
/// Sets the fabric fields (gpusPerNode, intra, inter, topology, ...) of a cluster.
[[nodiscard]] Result<ClusterConfig> fabricPreset(std::string_view name, ClusterConfig cluster);
[[nodiscard]] Result<VariabilityConfig> variabilityPreset(std::string_view name);
/// Names of one kind, sorted.
[[nodiscard]] std::vector<std::string> presetNames(std::string_view kind);
/// The file's text as stored, with its sources.
[[nodiscard]] Result<std::string> presetText(std::string_view kind, std::string_view name);

/// What an import understood, and what it ignored or assumed (as warnings and notes).
struct ImportResult {
    Scenario scenario;
    Diagnostics notes;
};
[[nodiscard]] Result<ImportResult> importHuggingFaceConfig(std::string_view json, Scenario base);
[[nodiscard]] Result<ImportResult> importMegatronArguments(std::string_view text, Scenario base);

} // namespace prism
