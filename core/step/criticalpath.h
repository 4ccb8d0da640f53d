// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path of the noise-free step: what the step waits for, piece by piece.
#pragma once

#include "core/step/deterministicstep.h"

#include <vector>

namespace prism {

enum class PathKind { chunk, transfer, embeddingAllReduce, gradSync, gradNorm, optimizer, paramGather };

/// One piece of the path; the pieces follow one another without a gap.
struct PathPiece {
    PathKind kind = PathKind::chunk;
    int replica = 0;
    int stage = 0; ///< of a transfer: the stage that waits for it
    int slot = -1; ///< of a chunk: which program (Sweep)
    double seconds = 0.0;
};

/// From the start of the step to its end; the pieces sum to `seconds`, the noise-free step.
struct CriticalPath {
    std::vector<PathPiece> pieces; ///< first to last
    double seconds = 0.0;
    int replica = 0;               ///< that runs its chunks
    std::vector<double> stageEnds; ///< of that replica, before the step's tail; in seconds
    int mainStage = 0;             ///< on which the path runs chunks for the longest time; ties: the busier stage, then the first
};

/// From the end of the step backward along what was last: the stage's own chunk before, or the input that arrived later. Of paths that are
/// equally long the one is taken that spends the most time on one stage. Slow spots and fixedSpatial as given. The work is that of a few
/// sweeps, at most of one for each stage that may be the main one (64).
[[nodiscard]] CriticalPath criticalPath(const StepGraph& graph, const DeterministicStep& step);
/// The same, computing the step of the graph first.
[[nodiscard]] CriticalPath criticalPath(const StepGraph& graph);

} // namespace prism
