// SPDX-License-Identifier: GPL-3.0-or-later
// Puts what traces of a job show into a scenario: its layout, its levels and means, its spreads and its slow workers.
#pragma once

#include "core/scenario/scenario.h"
#include "core/trace/kinetoreport.h"
#include "core/trace/tracejob.h"

namespace prism {

struct TraceImport {
    Scenario scenario;
    Diagnostics notes; ///< what was set, with its count and size; what the trace does not show
};

/// The base with the layout of a job (stages, chunks, schedule, micro-batches, replicas; tensor and context parallelism stay), the compute
/// level at which a micro-batch takes as long as in the trace, measured means and spreads of its step operations (pools.h: the family that
/// may stand for them, else the values), the spread of its micro-batches and steps, and its slow workers. What a scenario cannot express,
/// stages that do more or less than others, is reported. Errors: no two steps agree; the base does not fit the layout. Pure; any thread.
[[nodiscard]] Result<TraceImport> scenarioOfTrace(const Scenario& base, const TraceJob& job);

/// The base with a measured row for each collective of profiler traces whose operation, group size and bytes are known: the transfer time
/// without waiting where the two can be distinguished. Pure; any thread.
[[nodiscard]] TraceImport scenarioOfTrace(const Scenario& base, const KinetoReport& report);

} // namespace prism
