// SPDX-License-Identifier: GPL-3.0-or-later
// Readers of the values of a scenario's sections: scalars by the parameter table, lists, distributions; every mistake with its path.
#pragma once

#include "core/scenario/scenario.h"

#include <functional>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace prism {

/// Collects errors; a field with a wrong value keeps its base value and is listed in `skipped`.
struct SectionReading {
    Scenario scenario;
    Diagnostics diagnostics;
    std::vector<std::string> skipped; ///< ids of parameters that could not be read
};

/// Adds an error of a value that could not be read.
void reportUnread(SectionReading& reading, Diagnostic diagnostic);
/// Whether it is an object; an error when not.
[[nodiscard]] bool isObject(const nlohmann::json& value, const std::string& path, SectionReading& reading);
/// Reads every scalar of the object by the table; keys in `handled` belong to the caller, others are unknown.
void readScalars(const nlohmann::json& object, const std::string& prefix, const std::vector<const char*>& handled, SectionReading& reading);
/// Calls read(item, path) for every entry of a list of at most 100,000 entries.
void readList(const nlohmann::json& object, const char* key, const std::string& section, SectionReading& reading,
              const std::function<void(const nlohmann::json& item, const std::string& path)>& read);
/// A distribution object whose ranges are those of the table entries below `table` ("variability.gemm.").
void readDistribution(const nlohmann::json& object, const std::string& path, const std::string& table, Distribution& target,
                      SectionReading& reading);

} // namespace prism
