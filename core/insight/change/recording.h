// SPDX-License-Identifier: GPL-3.0-or-later
// A recorded job as steps that can be replayed, with operations in pools and classes; from stage tables or profiler traces.
#pragma once

#include "core/trace/kinetorank.h"
#include "core/trace/replay.h"
#include "core/trace/tracejob.h"

#include <string>
#include <vector>

namespace prism {

/// Operations that share a distribution: a class, and where in the job.
struct RecordedPool {
    std::string className, place;
    auto operator<=>(const RecordedPool&) const = default;
};

/// One step, of one rank where ranks are run alone. Values by node of the graph, seconds.
struct RecordedStep {
    ReplayGraph graph;
    std::vector<double> seconds, gaps;
    std::vector<int> pool; ///< index into Recording::pools; -1 = no operation
    double span = 0;       ///< as recorded
};

struct Recording {
    std::vector<RecordedPool> pools;
    std::vector<RecordedStep> steps;
    bool isByStep = false; ///< the operations of a step are correlated, so that a class has one value per step
    std::vector<std::string> notes;
};

/// Stage tables and pipeline events: classes are the types of operations, pools as in jobpools.h; durations without waiting (pairing.h).
/// Start-up steps (startup.h) are omitted. Error: no two steps agree.
[[nodiscard]] Result<Recording> jobRecording(TraceJob job);

/// Profiler traces: classes are the pools of kinetoreport.h (kernels by name, grid and stream, collectives by operation, ranks and bytes),
/// durations as recorded. Each profiled step of a rank is one step; a kernel waits for the one before it on its stream and for the last
/// one that had ended anywhere on its rank, and keeps its gap. Error: no kernel was launched in a profiled step.
[[nodiscard]] Result<Recording> profileRecording(const std::vector<KinetoRank>& ranks);

} // namespace prism
