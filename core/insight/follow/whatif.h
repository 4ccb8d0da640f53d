// SPDX-License-Identifier: GPL-3.0-or-later
// Causes that would explain a slowdown of a run: one slow node, a slow link, all of the network, all of the compute.
#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace prism {

/// A cause with the factor at which the noise-free step is longer by the requested ratio.
struct LikelyCause {
    std::string text; ///< "as if one node were 1.18x slower"
    std::string id;   ///< node_compute, node_link, network, compute
    double factor = 1;
    double ratio = 1; ///< of the step at the factor; less than requested where even kMaxFactor does not reach it
    bool reaches = true;
};
inline constexpr double kMaxFactor = 10.0;

/// Answers for one scenario. The steps that it costs are kept: a log with a hundred thousand alarms costs some thousand of them. One
/// thread.
class WhatIfs final {
public:
    explicit WhatIfs(Scenario scenario);

    /// Causes that reach the ratio first, single places before all at once, then by ascending factor. `ratio` > 1. Errors: the
    /// scenario's diagnostics.
    [[nodiscard]] Result<std::vector<LikelyCause>> reaching(double ratio);

private:
    [[nodiscard]] double ratioAt(std::size_t candidate, double factor);
    [[nodiscard]] LikelyCause solved(std::size_t candidate, double ratio);

    Scenario m_scenario;
    Result<double> m_noiseFreeSeconds;
    std::map<std::pair<std::size_t, double>, double> m_ratios; ///< by candidate and factor
};

} // namespace prism
