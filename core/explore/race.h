// SPDX-License-Identifier: GPL-3.0-or-later
// Successive elimination: samples configurations, drops the clearly worse and resamples the rest until the best ones are resolved.
#pragma once

#include "core/explore/quickpass.h"
#include "core/stats/intervals.h"

#include <functional>
#include <optional>
#include <vector>

namespace prism {

/// Result of sampling a configuration with `samples` steps. `samples` 0: it was costed exactly, and not sampled.
struct SampleRow {
    std::int64_t index = 0;
    int samples = 0;
    bool fits = true;
    double noiseFreeSeconds = 0, peakGib = 0, capacityGib = 0;
    Estimate mean, p50, p95, p99; ///< seconds
    Estimate probability;         ///< exceedance probability of the step or deadline, where the objective is one
};
/// Makes or looks up a row; nothing when stopped.
using RowSource = std::function<std::optional<SampleRow>(std::int64_t index, int samples)>;

/// Rounds of samples that a configuration may get.
inline constexpr int kFirstSamples = 512, kMaxSamples = 4'096;

/// One configuration in the race.
struct Runner {
    QuickPoint point; ///< exact once it ran
    SampleRow row;
    Estimate score;
    std::vector<std::int64_t> equals; ///< configurations with the same results as this one, in the order in which they ran
};

struct RaceResult {
    std::vector<Runner> runners;  ///< in the order in which they joined
    std::int64_t doesNotFit = 0;  ///< whose lower bound fitted and which do not
    std::int64_t firstUnfit = -1; ///< index of the first of them
    std::int64_t boundOnly = 0;   ///< omitted by their lower bound, their schedule not planned
    bool cut = false;             ///< mostSampled was reached before the ranking was resolved
    bool stopped = false;
};

/// Inputs of the race.
struct RaceInputs {
    const ExploreQuery& query;
    const PointMaker& maker;
    std::vector<QuickPoint> fitting;
    RowSource rows;
    std::function<void(double fraction)> progress; ///< may be empty
};

/// A configuration joins in the order of its noise-free score and gets kFirstSamples, until the next one's noise-free score is already
/// worse than the upper end of the interval of the keep-th best: a step is not shorter with noise. Then those whose interval reaches below
/// that border get twice the samples, round by round: the others cannot be among the best `keep` at the confidence requested (their
/// interval and the border's would both have to miss). Configurations that differ only in a setting without effect are one runner.
/// Pure for a pure source; one thread.
[[nodiscard]] RaceResult race(const RaceInputs& inputs);

/// The objective's score of a row; of a step that takes as long as its noise-free time.
[[nodiscard]] Estimate scoreOf(const ExploreObjective& objective, const SampleRow& row, double tokensPerStep, const Scenario& scenario);
[[nodiscard]] double minScore(const ExploreObjective& objective, const QuickPoint& point, const Scenario& scenario);

} // namespace prism
