// SPDX-License-Identifier: GPL-3.0-or-later
// Samples one configuration of a search: its statistics with intervals.
#pragma once

#include "core/cost/predictor.h"
#include "core/explore/race.h"
#include "core/insight/insight.h"

#include <map>
#include <memory>

namespace prism {

/// Configurations that were costed in full, so that the rounds of one do not plan its schedule again. Bounded by the passes of their
/// schedules together (at most some 50 MB); when it is full, it forgets all. One thread.
class CostedPoints final {
public:
    explicit CostedPoints(const PointMaker& maker) : m_maker(maker) {}
    /// Null where the configuration is invalid.
    [[nodiscard]] std::shared_ptr<const CostedStep> of(std::int64_t index);

private:
    const PointMaker& m_maker;
    std::map<std::int64_t, std::shared_ptr<const CostedStep>> m_points;
    std::size_t m_passes = 0;
};

/// Inputs of a sampler; all outlive it.
struct SamplerInputs {
    Evaluator& evaluator;
    const PointMaker& maker;
    const ExploreQuery& query;
    const InsightOptions& options;
    CostedPoints& costed;
};

/// Costs configuration `index` exactly and, with `samples` > 0, samples it. All configurations share their random numbers. Nothing when
/// stopped.
[[nodiscard]] std::optional<SampleRow> sampledRow(const SamplerInputs& inputs, std::int64_t index, int samples);

} // namespace prism
