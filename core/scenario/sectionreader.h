// SPDX-License-Identifier: GPL-3.0-or-later
// Reads scenario files and preset files, their sections by the parameter table.
#pragma once

#include "core/scenario/sectionvalues.h"

#include <string>
#include <string_view>

namespace prism {

/// Each reads one JSON object into its section. Keys that name presets are left to readScenario;
/// `source` and `sources` are accepted and not kept.
void readModelFields(const nlohmann::json& object, SectionReading& reading);
void readGpuFields(const nlohmann::json& object, SectionReading& reading);
void readClusterFields(const nlohmann::json& object, SectionReading& reading);
void readParallelism(const nlohmann::json& object, SectionReading& reading);
void readTraining(const nlohmann::json& object, SectionReading& reading);
void readVariabilityFields(const nlohmann::json& object, SectionReading& reading);
void readJobFields(const nlohmann::json& object, SectionReading& reading);
void readMeasured(const nlohmann::json& object, SectionReading& reading);

/// The whole file. A section's key `preset` (for the cluster also `gpu`, `fabric`) loads a preset first; its other keys override it.
void readScenario(const nlohmann::json& object, SectionReading& reading);

/// The preset of a kind read by `read` into a fresh scenario. Kept by kind and name: presets are immutable, and reading JSON again for each
/// edit would cost. Any thread. Errors: no such preset, or errors in its file.
[[nodiscard]] Result<Scenario> cachedPreset(const std::string& kind, std::string_view name,
                                            void (*read)(const nlohmann::json&, SectionReading&));

} // namespace prism
