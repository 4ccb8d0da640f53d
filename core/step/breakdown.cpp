// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/step/breakdown.h"

#include "core/step/criticalpath.h"

#include <algorithm>
#include <numeric>

namespace prism {

namespace {

double& slot(Breakdown& b, Category category)
{
    switch (category) {
    case Category::compute:
        return b.computeSeconds;
    case Category::tensorParallel:
        return b.tensorParallelSeconds;
    case Category::contextParallel:
        return b.contextParallelSeconds;
    case Category::expertParallel:
        return b.expertParallelSeconds;
    case Category::pipeline:
        return b.pipelineSeconds;
    case Category::dataParallel:
        return b.dataParallelSeconds;
    case Category::optimizer:
        return b.optimizerSeconds;
    case Category::other:
        break;
    }
    return b.otherSeconds;
}

/// The part of a piece that is no chunk.
double& slot(Breakdown& b, PathKind kind)
{
    switch (kind) {
    case PathKind::optimizer:
        return b.optimizerSeconds;
    default:
        return b.dataParallelSeconds;
    }
}

/// What one stage of a replica works on in a step, by category.
CategorySeconds workOf(const StepGraph& graph, const DeterministicStep& step, int replica, int stage)
{
    std::vector<int> runs(static_cast<std::size_t>(step.sweep().numSlots), 0);
    for (const SweepNode& n : step.sweep().nodes)
        runs[static_cast<std::size_t>(n.slot)] += n.stage == stage ? 1 : 0;
    const double slowest = step.fixedSlowest(replica, stage), link = cellLinkFactor(graph, replica, stage);
    CategorySeconds work{};
    for (std::size_t k = 0; k < runs.size(); ++k) {
        if (runs[k] == 0)
            continue;
        const CategorySeconds seconds = step.slotSeconds(static_cast<int>(k), slowest, link);
        for (std::size_t c = 0; c < kCategories; ++c)
            work[c] += runs[k] * seconds[c];
    }
    return work;
}

double sumOf(const CategorySeconds& seconds)
{
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

/// The busiest stage of a replica among those that are done when the path leaves the pipeline; the first of equals.
CategorySeconds busiestWork(const StepGraph& graph, const DeterministicStep& step, int replica, double pipelineSeconds)
{
    const std::vector<double> ends = step.stageEnds(replica, [&step](int r, int stage) { return step.fixedSlowest(r, stage); });
    CategorySeconds busiest{};
    for (std::size_t s = 0; s < ends.size(); ++s) {
        const CategorySeconds work = workOf(graph, step, replica, static_cast<int>(s));
        if (ends[s] <= pipelineSeconds * (1 + 1e-12) && sumOf(work) > sumOf(busiest) * (1 + 1e-12))
            busiest = work;
    }
    return busiest;
}

} // namespace

Breakdown breakdownOf(const StepGraph& graph)
{
    return breakdownOf(graph, DeterministicStep(graph));
}

Breakdown breakdownOf(const StepGraph& graph, const DeterministicStep& step)
{
    const CriticalPath path = criticalPath(graph, step);
    Breakdown out;
    double pipeline = 0, transfers = 0;
    int replica = 0;
    for (const PathPiece& piece : path.pieces) {
        const bool inPipeline = piece.kind == PathKind::chunk || piece.kind == PathKind::transfer;
        pipeline += inPipeline ? piece.seconds : 0;
        transfers += piece.kind == PathKind::transfer ? piece.seconds : 0;
        if (!inPipeline)
            slot(out, piece.kind) += piece.seconds;
        else
            replica = piece.replica; // chunks of a path belong to one replica
    }
    const CategorySeconds work = busiestWork(graph, step, replica, pipeline);
    for (std::size_t c = 0; c < kCategories; ++c)
        slot(out, static_cast<Category>(c)) += work[c];
    const double idle = std::max(0.0, pipeline - sumOf(work));
    out.pipelineSeconds += std::min(transfers, idle);
    out.bubbleSeconds = idle - std::min(transfers, idle);
    return out;
}

} // namespace prism
