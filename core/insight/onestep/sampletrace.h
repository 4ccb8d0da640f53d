// SPDX-License-Identifier: GPL-3.0-or-later
// A trace of a few replicas that is made from a scenario, to show what a real one would show.
#pragma once

#include "core/insight/insight.h"

namespace prism {

/// A stage table (core/trace/stagetable.h) of steps that are swept, and of what is planted in them.
struct SampleTrace {
    std::string table;
    std::string sentence; ///< "3 replicas, 6 steps, made from the scenario; planted: replica 1 computes 1.15 times as long on stage 8."
    std::vector<double> stepSeconds;
};

/// Three replicas (a lockstep set where that is more) of the graph's job and as many steps as 200,000 rows hold, 2 to 24, of another seed
/// than the prediction's. The slow places of the graph are on replica 1; without any, one slow stage is planted there. Errors: a schedule
/// with joined passes, whose halves a stage table cannot distinguish; the graph's own; cancelled.
[[nodiscard]] Result<SampleTrace> sampleTrace(const StepGraph& graph, const InsightOptions& options = {});
/// Errors: the scenario's, too.
[[nodiscard]] Result<SampleTrace> sampleTrace(const Scenario& scenario, const InsightOptions& options = {});

} // namespace prism
