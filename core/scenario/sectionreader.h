// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the sections of a scenario file by the parameter table; used for scenarios and for preset files.
#pragma once

#include "core/scenario/sectionvalues.h"

namespace prism {

/// Each reads one JSON object into its section. Keys that name presets are left to the reader of whole scenarios (scenarioreader.h);
/// `source` and `sources` are accepted and not kept.
void readModelFields(const nlohmann::json& object, SectionReading& reading);
void readGpuFields(const nlohmann::json& object, SectionReading& reading);
void readClusterFields(const nlohmann::json& object, SectionReading& reading);
void readParallelism(const nlohmann::json& object, SectionReading& reading);
void readTraining(const nlohmann::json& object, SectionReading& reading);
void readVariabilityFields(const nlohmann::json& object, SectionReading& reading);
void readJobFields(const nlohmann::json& object, SectionReading& reading);
void readMeasured(const nlohmann::json& object, SectionReading& reading);

} // namespace prism
