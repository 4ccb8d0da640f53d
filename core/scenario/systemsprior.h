// SPDX-License-Identifier: GPL-3.0-or-later
// Prior distribution of the causes of spread over systems, for scenarios without measurements of their system.
#pragma once

#include "core/scenario/scenario.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// One cause over systems: a quantile function through three quantiles, piecewise linear in the normal score.
struct CauseOverSystems {
    std::string path;                  ///< parameter ("variability.step_jitter_s"), or kTrendOfRun
    std::array<double, 3> quantiles{}; ///< 5 %, median, 95 %; in the parameter's unit
    std::string source;
    /// Value with `probability` in (0, 1) of the systems below it; never below 0 for a parameter.
    [[nodiscard]] double at(double probability) const;
};

/// Relative change of the step time from the first to the last step of a run.
inline constexpr std::string_view kTrendOfRun = "trend";

struct SystemsPrior {
    std::string title; ///< of the preset; empty = the variability preset does not describe other systems
    std::vector<CauseOverSystems> causes;
};

/// The systems that the scenario's variability preset names ("over_systems": a preset of kind "systems"), for its type of GPU ("h100") and
/// kind of model: the first matching entry of each path. Parameters that no longer have the preset's value were stated by the user or
/// measured. They are omitted, and so are the entries that name them as "unless_stated" (forced routing). Errors: a preset that is named
/// and cannot be read. Any thread.
[[nodiscard]] Result<SystemsPrior> systemsPrior(const Scenario& scenario, std::string_view gpuType);

} // namespace prism
