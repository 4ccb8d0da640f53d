// SPDX-License-Identifier: GPL-3.0-or-later
// Samples one configuration of a search: its figures with intervals.
#pragma once

#include "core/explore/race.h"
#include "core/insight/insight.h"

namespace prism {

/// What a sampler works with; all outlive it.
struct SamplerInputs {
    Evaluator& evaluator;
    const PointMaker& maker;
    const ExploreQuery& query;
    const InsightOptions& options;
};

/// Costs configuration `index` exactly and, with `samples` > 0, samples it. All configurations share their random numbers. Nothing when
/// stopped.
[[nodiscard]] std::optional<SampleRow> sampledRow(const SamplerInputs& inputs, std::int64_t index, int samples);

} // namespace prism
