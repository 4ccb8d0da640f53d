// SPDX-License-Identifier: GPL-3.0-or-later
// The preset library as stored: GPUs, fabrics, models and scenarios as data files with a source for every number.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

struct PresetInfo {
    std::string kind;  ///< "gpu", "fabric", "model", "variability", "job", "scenario"
    std::string name;  ///< "llama3-405b-16k-h100"
    std::string title; ///< one line for people
};

/// All presets, sorted by kind and name. They are read once from $PRISM_PRESETS, the installed share folder next to the program
/// (../share/prism-explorer/presets). Any thread.
[[nodiscard]] const std::vector<PresetInfo>& presetList();
/// Names of one kind, sorted.
[[nodiscard]] std::vector<std::string> presetNames(std::string_view kind);
/// The file's text as stored, with its sources.
[[nodiscard]] Result<std::string> presetText(std::string_view kind, std::string_view name);
/// The file's object without what is written for people only (titles, sources).
[[nodiscard]] Result<nlohmann::json> presetObject(std::string_view kind, std::string_view name);

/// The variability preset with the measured spread of a GPU (key `measured_spread` of its preset: its own, or the nearest that was
/// measured); empty where the GPU names none or is not a preset.
[[nodiscard]] std::string measuredSpreadOf(std::string_view gpuPreset);

} // namespace prism
