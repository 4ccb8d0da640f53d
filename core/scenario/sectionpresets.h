// SPDX-License-Identifier: GPL-3.0-or-later
// Presets of one section of a scenario: a model, a GPU, a fabric, a variability, a job.
#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <string_view>

namespace prism {

[[nodiscard]] Result<ModelConfig> modelPreset(std::string_view name);
[[nodiscard]] Result<GpuSpec> gpuPreset(std::string_view name);
/// Sets the fabric fields (gpusPerNode, intra, inter, topology, ...) of a cluster.
[[nodiscard]] Result<ClusterConfig> fabricPreset(std::string_view name, ClusterConfig cluster);
[[nodiscard]] Result<VariabilityConfig> variabilityPreset(std::string_view name);
[[nodiscard]] Result<JobConfig> jobPreset(std::string_view name);

/// The first preset of a kind whose file lists the type of a GPU ("a100") in "stands_in", else the first with "stands_in": true; empty
/// where none has. Any thread.
[[nodiscard]] std::string defaultPreset(std::string_view kind, const std::string& gpuType = {});

} // namespace prism
