// SPDX-License-Identifier: GPL-3.0-or-later
// The search: every configuration of a space by its noise-free step and memory, the promising ones by sampling until they are ranked.
#pragma once

#include "core/explore/exploration.h"
#include "core/explore/records.h"
#include "core/insight/insight.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace prism {

/// Checkpoint of a search.
struct ExploreCheckpoint {
    ExploreRecords known;                               ///< of an earlier run with the same head; taken instead of computing again
    std::function<void(const std::string& text)> write; ///< gets the whole file so far, every few seconds and at the end; may be empty
};

/// A configuration is eliminated unsampled only if its noise-free step is worse than the upper end of the interval of the keep-th
/// best (race.h). Sampled ones share random numbers. Of a shard it looks at every count-th part of the space and ranks what it finds there.
/// Errors: what check(query) finds, no valid configuration (with the reasons counted), cancelled. Any thread; the same bits on any number
/// of threads, and with any `known` of the same head.
[[nodiscard]] Result<Exploration> explore(Evaluator& evaluator, const Scenario& scenario, const ExploreQuery& query,
                                          const InsightOptions& options = {}, const ExploreCheckpoint& checkpoint = {});

/// The whole search from the records of all its shards: the same candidates, and the same text to `write`, as one run of all would give.
/// Rows that no shard made (they seldom are needed) are made here. Errors: those of joined() and of explore().
[[nodiscard]] Result<Exploration> mergedExploration(Evaluator& evaluator, std::vector<ExploreRecords> shards, const InsightOptions& options,
                                                    const std::function<void(const std::string&)>& write = {});

} // namespace prism
