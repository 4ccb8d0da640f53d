// SPDX-License-Identifier: GPL-3.0-or-later
// The objective of a search; less is always better.
#pragma once

#include "core/scenario/scenario.h"

#include <string>

namespace prism {

/// A statistic of the step per token (as time, money or energy), or the probability to miss a limit.
struct ExploreObjective {
    enum class Metric { mean, p50, p95, p99, exceedance, lateness } metric = Metric::p95;
    enum class Per { time, dollar, energy } per = Per::time; ///< of the first four statistics
    double limit = 0;                                        ///< exceedance: seconds of a step; lateness: days of the job
    [[nodiscard]] bool isProbability() const { return metric == Metric::exceedance || metric == Metric::lateness; }
};

/// "mean", "p50", "p95", "p99": seconds per million tokens; before one of them "cost_" (USD per million tokens) or "energy_" (kWh per
/// million tokens); "tokens_per_s" is p50, "tokens_per_usd" is cost_p50, most tokens first; "over:4.0s" is P(step > 4.0 s); "deadline:30"
/// is P(job not done within 30 days). Errors: other words.
[[nodiscard]] Result<ExploreObjective> exploreObjective(const std::string& text);
/// A text that exploreObjective reads back to the same.
[[nodiscard]] std::string objectiveText(const ExploreObjective& objective);
/// "s per million tokens" and so on.
[[nodiscard]] std::string objectiveUnit(const ExploreObjective& objective);

/// Seconds, USD or kWh per million tokens of a step that takes `seconds`.
[[nodiscard]] double perMillionTokens(ExploreObjective::Per per, double seconds, double tokensPerStep, const Scenario& scenario);
/// Mean draw of one GPU with its part of the node, kW: the job's node power, or the board's limit where that is not given.
[[nodiscard]] double gpuKilowatts(const Scenario& scenario);

} // namespace prism
