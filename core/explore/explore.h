// SPDX-License-Identifier: GPL-3.0-or-later
// The search: every configuration of a space by its noise-free step and memory, the promising ones by sampling, until the ranking is known.
#pragma once

#include "core/explore/space.h"
#include "core/insight/insight.h"

#include <cstdint>
#include <string>
#include <vector>

namespace prism {

/// What is ranked, all as "less is better": seconds of a step per token, or dollars per token, at a figure of the step time.
struct ExploreObjective {
    enum class Figure { mean, p50, p95, p99 } figure = Figure::p95;
    bool perDollar = false; ///< rank by cost per token instead of time per token
};
/// "mean", "p50", "p95", "p99", each also as "cost_p95". Errors: other words.
[[nodiscard]] Result<ExploreObjective> exploreObjective(const std::string& text);

struct ExploreQuery {
    SearchSpace space;
    ExploreObjective objective;
    int keep = 10;                       ///< how many of the best are to be told apart, 1 to 100
    int mostSampled = 200;               ///< configurations that are sampled at the most
    double memoryMarginGib = 0;          ///< that must stay free
    std::int64_t mostPoints = 2'000'000; ///< a larger space is refused
};

/// One configuration that is valid and fits.
struct ExploreCandidate {
    std::vector<std::pair<std::string, std::string>> values; ///< parameter id, value
    double noiseFreeSeconds = 0, peakMemoryGib = 0, capacityGib = 0;
    double gpus = 0, tokensPerStep = 0, usdPerBillionTokens = 0; ///< the last at the objective's figure
    Estimate mean, p50, p95, p99;                                ///< seconds, by sampling
    Estimate score;                                              ///< of the objective; seconds or USD per million tokens
    double meanScore = 0;                                        ///< the same with the mean step
    double chanceBest = 0;                                       ///< that it is the best of all sampled ones, by their intervals
    int samples = 0;
    bool pareto = false; ///< nothing sampled is better in step time per token, memory and cost at once
};

struct ExploreRejection {
    std::string reason;
    std::int64_t count = 0;
    std::string example; ///< values of the first one
};

struct Exploration {
    std::int64_t points = 0, valid = 0, fitting = 0;
    std::vector<ExploreCandidate> candidates; ///< sampled ones, best first
    std::size_t bestByMean = 0;               ///< index into candidates; the best by the objective is 0
    Estimate priceOfMean;                     ///< score of the best by mean less that of the best by the objective
    std::vector<ExploreRejection> rejected;   ///< most frequent first
    bool cut = false;                         ///< mostSampled was reached before the ranking was known
    std::uint64_t seed = 1;
    double elapsedSeconds = 0, deterministicSeconds = 0;
    std::vector<std::string> notes;
};

/// A configuration is left out unsampled only where its noise-free step already is worse than the upper end of the interval of the keep-th
/// best: a step is never shorter than without noise in the mean, so nothing of the best `keep` is missed. Sampled ones share random
/// numbers; those whose intervals overlap the border get more samples (512, 1,024, 2,048, 4,096). Errors: empty or too large spaces, no
/// valid configuration (with the reasons counted), cancelled. Any thread; the same bits on any number of threads.
[[nodiscard]] Result<Exploration> explore(Evaluator& evaluator, const Scenario& scenario, const ExploreQuery& query,
                                          const InsightOptions& options = {});

[[nodiscard]] std::string toJson(const Exploration& exploration);
[[nodiscard]] std::string toCsv(const Exploration& exploration);

} // namespace prism
