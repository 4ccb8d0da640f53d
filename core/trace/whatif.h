// SPDX-License-Identifier: GPL-3.0-or-later
// What a measured job would take without the excess of a class, a worker or a stage: the published slowdowns, step by step.
#pragma once

#include "core/trace/tracejob.h"

#include <map>
#include <string>

namespace prism {

/// One step, seconds: as measured, without gaps between operations, and with one value per operation type.
struct WhatIfStep {
    int number = 0;
    double base = 0, noDelay = 0, ideal = 0;
};

/// Metrics as StragglerAnalysis (arXiv 2505.05713) defines them. Ideal: every operation type has one value over all steps, replicas and
/// stages: the mean for forward, backward, optimizer and gc, the median for transfers and reductions. The ideal still contains
/// the slow worker in its mean: the gain of a repair differs (repairs.h).
struct WhatIf {
    double launchSlowdown = 1; ///< mean base / mean no-delay
    double slowdown = 1;       ///< S = mean no-delay / mean ideal
    double idealSeconds = 0;   ///< mean ideal
    /// S_x = mean (ideal with x put back to measured) / mean ideal; send and receive of one direction are one type, "forward-pp-comm".
    std::map<std::string, double> byType;
    std::vector<double> byStage, byReplica; ///< [stages], [replicas]
    /// Share of the excess (no-delay - ideal) that goes when the worst 3 % of the workers (rounded up, by S_w = the smaller of the
    /// replica's and the stage's S; ties: the lower rank) or the last stage become ideal. 0 without excess.
    double worstWorkersShare = 0, lastStageShare = 0; ///< M_W, M_S
    std::vector<int> worstWorkers;                    ///< replica * stages + stage
    std::vector<WhatIfStep> steps;
    Diagnostics notes;
};

/// Error: no step whose operations can be put in order. Any thread; about (types + stages + replicas) runs of every step.
[[nodiscard]] Result<WhatIf> whatIf(const TraceJob& job);

} // namespace prism
