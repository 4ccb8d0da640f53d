// SPDX-License-Identifier: GPL-3.0-or-later
// The execution of a published step: scenario paths and values, stated by its source and its row, put onto a scenario.
#pragma once

#include "core/scenario/scenario.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace prism {

/// The `execution` objects of a source and of a row in one: {path: value as text} as for --set, the row's wins.
struct Execution {
    std::map<std::string, std::string> values;
    std::map<std::string, std::string> provenance; ///< one text per path; may lack some
    std::vector<std::string> errors;               ///< values that are neither text, number nor truth value
    [[nodiscard]] bool states(const std::string& path) const { return values.contains(path); }
};

/// `source` and `row` are objects; both may lack `execution`. At most 200 paths of each are read.
[[nodiscard]] Execution mergedExecution(const nlohmann::json& source, const nlohmann::json& row);

/// Sets every path, those that name a preset first; paths in `except` are left to the caller. What the parameter table does not know,
/// or does not accept, is returned as one text each and leaves the scenario as it was.
[[nodiscard]] std::vector<std::string> applyExecution(const Execution& execution, const std::vector<std::string>& except,
                                                      Scenario& scenario);

/// Facts that became settings: a value of `facts` whose first words are known stands for a path that the source does not state (in
/// `unknown`). Returns a text for each value of such a fact that is not known; other facts are left to people.
[[nodiscard]] std::vector<std::string> stateFacts(const nlohmann::json& facts, const std::vector<std::string>& unknown,
                                                  Execution& execution);

/// Notes for a reader of the row: paths that the source does not state (`unknown`) with the value that stands for them, and paths
/// whose provenance is an assumption.
[[nodiscard]] std::vector<std::string> assumptionsOf(const Execution& execution, const std::vector<std::string>& unknown);

} // namespace prism
