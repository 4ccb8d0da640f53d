// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a job with their links, own durations and graph, made once and asked many times.
#pragma once

#include "core/trace/publishedgraph.h"

#include <functional>

namespace prism {

struct MeasuredStep {
    const TraceStep* step = nullptr; ///< of the job, which must outlive this
    StepLinks links;
    std::vector<double> seconds; ///< duration, or transfer time in a group; [operations]
    ReplayGraph graph;
};

struct MeasuredSteps {
    std::vector<MeasuredStep> steps;
    Diagnostics notes; ///< unmatched transfers, steps that could not be put in order
};

using GraphMaker = std::function<std::optional<ReplayGraph>(const TraceStep&, const TraceJob&, const StepLinks&)>;

/// Every step that `graph` can put in order.
[[nodiscard]] MeasuredSteps measuredSteps(const TraceJob& job, const GraphMaker& graph);

} // namespace prism
