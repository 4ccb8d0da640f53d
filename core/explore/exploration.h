// SPDX-License-Identifier: GPL-3.0-or-later
// Result of a search: ranked candidates, omitted configurations with reasons; as JSON and CSV.
#pragma once

#include "core/base/table.h"
#include "core/explore/query.h"
#include "core/stats/intervals.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace prism {

/// One configuration that is valid and fits.
struct ExploreCandidate {
    using Values = std::vector<std::pair<std::string, std::string>>; ///< parameter id, value
    std::int64_t index = 0;                                          ///< in the space
    int rank = 1;                                                    ///< 1 + the number of better scores: equal scores share a rank
    Values values;
    std::vector<Values> equals; ///< configurations with identical results: what they set differently has no effect
    double noiseFreeSeconds = 0, peakMemoryGib = 0, capacityGib = 0;
    double gpus = 0, tokensPerStep = 0;
    double usdPerBillionTokens = 0, kwhPerBillionTokens = 0; ///< at the objective's statistic; at the mean where it is a probability
    Estimate mean, p50, p95, p99;                            ///< seconds, by sampling
    Estimate score;                                          ///< of the objective, in objectiveUnit
    double meanScore = 0, p95Score = 0;                      ///< seconds per million tokens at the mean and p95 step
    double probabilityBest = 0;                              ///< probability to be the best of all sampled ones, by their intervals
    int samples = 0;
    bool pareto = false; ///< on the Pareto front: no sampled one dominates it
};

struct ExploreRejection {
    std::string reason;
    std::int64_t count = 0; ///< configurations that it holds for; one may have several reasons
    std::int64_t alone = 0; ///< that would be in without it
    std::string example;    ///< values of the first one
};

/// A configuration that was omitted before sampling.
struct ExcludedLayout {
    std::vector<std::pair<std::string, std::string>> values;
    std::vector<std::string> reasons;
};

struct Exploration {
    ExploreQuery query;
    std::int64_t points = 0, valid = 0, fitting = 0;
    std::vector<ExploreCandidate> candidates;  ///< sampled ones, best first
    std::size_t bestByMean = 0, bestByP95 = 0; ///< indices into candidates, per token; the best by the objective is 0
    Estimate priceOfMean;                      ///< regret: score of the best by mean less that of the best by the objective
    Estimate p95OfMean; ///< p95 of the best by mean less that of the best by p95, seconds per step of the latter's tokens
    std::vector<ExploreRejection> rejected; ///< most frequent first
    std::vector<ExcludedLayout> excluded;   ///< where the query lists them
    bool cut = false;                       ///< mostSampled was reached before the ranking was resolved
    std::uint64_t seed = 1;
    double elapsedSeconds = 0, deterministicSeconds = 0;
    std::vector<std::string> notes;
};

[[nodiscard]] std::string toJson(const Exploration& exploration);
[[nodiscard]] std::string toCsv(const Exploration& exploration, TableText texts = TableText::forSheets);
/// "TP 4, PP 8, recompute_granularity full": short names where parameters have one.
[[nodiscard]] std::string shortText(const std::vector<std::pair<std::string, std::string>>& values);

/// "VPP 2; VPP 4": what the equals of a candidate set differently; empty where it has none.
[[nodiscard]] std::string equalsText(const ExploreCandidate& candidate);

} // namespace prism
