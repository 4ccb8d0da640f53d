// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/step/breakdown.h"

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

/// The seconds of a part of the path that is not a chunk.
double& slot(Breakdown& b, PathKind kind)
{
    switch (kind) {
    case PathKind::optimizer:
        return b.optimizerSeconds;
    default:
        return b.dataParallelSeconds;
    }
}

/// How often the program in each slot of the sweep runs.
std::vector<int> runsOf(const Sweep& sweep)
{
    std::vector<int> runs(static_cast<std::size_t>(sweep.numSlots), 0);
    for (const SweepNode& n : sweep.nodes)
        if (n.slot >= 0)
            ++runs[static_cast<std::size_t>(n.slot)];
    return runs;
}

/// One stage of a replica.
struct StagePlace {
    int replica, stage;
};

/// What it works on in a step, by category.
CategorySeconds workOf(const StepGraph& graph, const DeterministicStep& step, StagePlace at, const std::vector<int>& runs)
{
    const double slowest = step.fixedSlowest(at.replica, at.stage), link = cellLinkFactor(graph, at.replica, at.stage);
    const int slots = step.sweep().numSlots / step.sweep().numStages;
    CategorySeconds work{};
    for (int slot = at.stage * slots; slot < (at.stage + 1) * slots; ++slot) {
        const int times = runs[static_cast<std::size_t>(slot)];
        if (times == 0)
            continue;
        const CategorySeconds seconds = step.slotSeconds(slot, slowest, link);
        for (std::size_t c = 0; c < kCategories; ++c)
            work[c] += times * seconds[c];
    }
    return work;
}

double sumOf(const CategorySeconds& seconds)
{
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

/// The busiest stage of a path's replica among those that are done when it leaves the pipeline; the first of equals.
CategorySeconds busiestWork(const StepGraph& graph, const DeterministicStep& step, const CriticalPath& path, double pipelineSeconds)
{
    const std::vector<int> runs = runsOf(step.sweep());
    CategorySeconds busiest{};
    for (std::size_t s = 0; s < path.stageEnds.size(); ++s) {
        if (path.stageEnds[s] > pipelineSeconds * (1 + 1e-12))
            continue;
        const CategorySeconds work = workOf(graph, step, {path.replica, static_cast<int>(s)}, runs);
        if (sumOf(work) > sumOf(busiest) * (1 + 1e-12))
            busiest = work;
    }
    return busiest;
}

} // namespace

Breakdown breakdownOf(const StepGraph& graph)
{
    const DeterministicStep step(graph);
    return breakdownOf(graph, step, criticalPath(graph, step));
}

Breakdown breakdownOf(const StepGraph& graph, const DeterministicStep& step, const CriticalPath& path)
{
    Breakdown out;
    double pipeline = 0, transfers = 0;
    for (const PathPiece& piece : path.pieces) {
        const bool inPipeline = piece.kind == PathKind::chunk || piece.kind == PathKind::transfer;
        pipeline += inPipeline ? piece.seconds : 0;
        transfers += piece.kind == PathKind::transfer ? piece.seconds : 0;
        if (!inPipeline)
            slot(out, piece.kind) += piece.seconds;
    }
    const CategorySeconds work = busiestWork(graph, step, path, pipeline);
    for (std::size_t c = 0; c < kCategories; ++c)
        slot(out, static_cast<Category>(c)) += work[c];
    const double idle = std::max(0.0, pipeline - sumOf(work));
    out.pipelineSeconds += std::min(transfers, idle);
    out.bubbleSeconds = idle - std::min(transfers, idle);
    return out;
}

} // namespace prism
