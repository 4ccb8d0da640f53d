// SPDX-License-Identifier: GPL-3.0-or-later
// Attribution of slow steps: shares of the critical path by class, stage and cause, all steps against the slowest.
#pragma once

#include "core/insight/insight.h"
#include "core/sim/record/spankind.h"

namespace prism {

struct AttributionRow {
    std::string name;                 ///< class, "stage 3", or cause
    Estimate shareAll, shareSlow;     ///< of the step time, in all steps and in the slowest ones
    Estimate secondsAll, secondsSlow; ///< mean seconds on the critical path per step
    Estimate excessShare;             ///< share of (slow mean - overall mean): excess in the slow steps
};

/// Shares of each list sum to one (causes may be negative: a fast draw saves time).
struct TailAttribution {
    std::vector<AttributionRow> byClass, byStage, byCause; ///< falling shareSlow; stages in order
    double meanSeconds = 0, slowMeanSeconds = 0;
    double slowThresholdSeconds = 0; ///< steps at or above it are the slow ones
    double slowFraction = 0.05;
    int samples = 0, slowSamples = 0;
    std::uint64_t seed = 1;
    double elapsedSeconds = 0;
    std::vector<std::string> notes;
};

/// Follows recorded steps backward from their end along the predecessor that arrived last (default 1,000 steps: the first ones that
/// predict states with the same seed).
/// Errors: the scenario's diagnostics; cancelled.
[[nodiscard]] Result<TailAttribution> attribution(Evaluator& evaluator, const Scenario& scenario, const InsightOptions& options = {});
[[nodiscard]] Result<TailAttribution> attribution(const StepGraph& graph, const InsightOptions& options = {}, double slowFraction = 0.05);

[[nodiscard]] std::string toJson(const TailAttribution& attribution);
[[nodiscard]] std::string toCsv(const TailAttribution& attribution, TableText texts = TableText::forSheets);

} // namespace prism
