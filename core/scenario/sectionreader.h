// Reads the sections of a scenario file by the parameter table; used for scenarios and for preset files.
#pragma once

#include "core/scenario/scenario.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace prism {

/// Collects what is wrong; a field with a wrong value keeps its base value and is listed in `skipped`.
struct SectionReading {
    Scenario scenario;
    Diagnostics diagnostics;
    std::vector<std::string> skipped; ///< ids of parameters that could not be read
};

/// Each reads one JSON object into its section. A key `preset` (for the cluster also `gpu`, `fabric`) loads a preset first;
/// `source` and `sources` are accepted and not kept.
void readModel(const nlohmann::json& object, SectionReading& reading);
void readGpu(const nlohmann::json& object, SectionReading& reading);
void readCluster(const nlohmann::json& object, SectionReading& reading);
void readParallelism(const nlohmann::json& object, SectionReading& reading);
void readTraining(const nlohmann::json& object, SectionReading& reading);
void readVariability(const nlohmann::json& object, SectionReading& reading);
void readMeasured(const nlohmann::json& object, SectionReading& reading);
/// The whole file: version, name, note and the sections.
void readScenario(const nlohmann::json& object, SectionReading& reading);

} // namespace prism
