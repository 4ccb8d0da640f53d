// SPDX-License-Identifier: GPL-3.0-or-later
// Measured jobs made in memory, operation by operation, without a file.
#pragma once

#include "core/trace/replay.h"
#include "core/trace/tracejob.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

namespace prism {

inline TraceOperation madeOperation(TraceOp type, double start, double duration, int stage = 0, int replica = 0, int chunk = -1)
{
    return {.start = start, .duration = duration, .replica = replica, .stage = stage, .rank = replica, .chunk = chunk, .type = type};
}

/// Steps numbered from 1 on; operations in the order that readers give them.
inline TraceJob madeJob(int replicas, int stages, const std::vector<std::vector<TraceOperation>>& steps)
{
    TraceJob job;
    job.name = "made";
    job.replicas = job.replicasOfJob = replicas;
    job.stages = stages;
    for (int r = 0; r < replicas; ++r)
        job.replicaNumbers.push_back(r);
    for (const std::vector<TraceOperation>& operations : steps) {
        job.steps.push_back({static_cast<int>(job.steps.size()) + 1, operations});
        std::stable_sort(job.steps.back().operations.begin(), job.steps.back().operations.end(),
                         [](const TraceOperation& a, const TraceOperation& b) {
                             return std::tuple(a.replica, a.stage, a.start) < std::tuple(b.replica, b.stage, b.start);
                         });
    }
    return job;
}

/// What each node waits for.
inline std::vector<std::set<int>> edgesOf(const ReplayGraph& graph)
{
    std::vector<std::set<int>> edges;
    for (int node = 0; node < graph.nodes(); ++node) {
        const std::span<const int> on = graph.dependencies(node);
        edges.emplace_back(on.begin(), on.end());
    }
    return edges;
}

} // namespace prism
