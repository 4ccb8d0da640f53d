// SPDX-License-Identifier: GPL-3.0-or-later
// The fast cost model for searches: the noise-free step and the memory, without breakdown, counts and warnings.
#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/schedule/schedule.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace prism {

/// The same numbers as costStep gives, from the same functions.
struct QuickStep {
    double noiseFreeSeconds = 0; ///< of the step; 0 where the memory does not fit, which is looked at first
    double peakGib = 0, capacityGib = 0, tokensPerStep = 0;
    bool fits = false;
    /// The order of its schedule is planned at some cost, which was omitted: seconds and memory are what any order takes at the least
    /// (no bubble, one chunk in flight). costStep gives the exact value.
    bool bound = false;
};

/// Schedules, made once per size; those whose order is planned without it. One thread.
class ScheduleMemo final {
public:
    /// Errors: as makeSchedule.
    [[nodiscard]] Result<std::shared_ptr<const Schedule>> of(const ParallelismConfig& parallelism, int numMicrobatches);

private:
    std::map<std::tuple<std::string, int, int, int, bool>, std::shared_ptr<const Schedule>> m_schedules;
    std::size_t m_items = 0;
};

/// Costs scenarios in sequence and caches their schedules (at most some 10 MB). One thread; results do not depend on earlier
/// calls. Errors: as costStep.
class QuickCoster final {
public:
    [[nodiscard]] Result<QuickStep> step(const Scenario& scenario);

private:
    ScheduleMemo m_schedules;
};

} // namespace prism
