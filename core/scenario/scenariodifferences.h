// SPDX-License-Identifier: GPL-3.0-or-later
// Differences of two scenarios: every reason for another content hash.
#pragma once

#include "core/scenario/parameters.h"

namespace prism {

/// A parameter, or a list that no parameter holds ("variability.slow").
struct Difference {
    const Parameter* parameter = nullptr; ///< null for a list
    std::string path, label, a, b;        ///< values without units; of lists "node 3, compute factor 1.15", "none"
};
/// Empty where the hash is the same; else with the names and presets that changed along. Cost: both scenarios as JSON.
[[nodiscard]] std::vector<Difference> allDifferences(const Scenario& a, const Scenario& b);
/// `to` with the value that `from` has at this path.
[[nodiscard]] Result<Scenario> withValueOf(const Scenario& to, const Scenario& from, const Difference& difference);

} // namespace prism
