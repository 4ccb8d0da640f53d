// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/step/breakdown.h"

#include "core/step/criticalpath.h"

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
    case PathKind::transfer:
        return b.pipelineSeconds;
    case PathKind::optimizer:
        return b.optimizerSeconds;
    default:
        return b.dataParallelSeconds;
    }
}

} // namespace

Breakdown breakdownOf(const StepGraph& graph)
{
    const DeterministicStep step(graph);
    const CriticalPath path = criticalPath(graph);
    Breakdown out;
    std::vector<int> runs(static_cast<std::size_t>(step.sweep().numSlots), 0); // of each program of the main stage on the path
    int replica = 0;
    for (const PathPiece& piece : path.pieces) {
        if (piece.kind != PathKind::chunk) {
            slot(out, piece.kind) += piece.seconds;
        } else if (piece.stage != path.mainStage) {
            out.bubbleSeconds += piece.seconds;
        } else {
            ++runs[static_cast<std::size_t>(piece.slot)];
            replica = piece.replica; // chunks of a path belong to one replica
        }
    }
    const double slowest = step.fixedSlowest(replica, path.mainStage), link = cellLinkFactor(graph, replica, path.mainStage);
    for (std::size_t k = 0; k < runs.size(); ++k) {
        if (runs[k] == 0)
            continue;
        const CategorySeconds seconds = step.slotSeconds(static_cast<int>(k), slowest, link);
        for (std::size_t c = 0; c < kCategories; ++c)
            slot(out, static_cast<Category>(c)) += runs[k] * seconds[c];
    }
    return out;
}

} // namespace prism
