// SPDX-License-Identifier: GPL-3.0-or-later
// What a walk of one sampled step finds: times of every chunk execution and step operation, and the critical path.
#pragma once

#include "core/schedule/schedule.h"
#include "core/walk/cause.h"
#include "core/walk/spankind.h"

#include <array>
#include <cstddef>
#include <vector>

namespace prism {

/// Seconds by class and cause; sum() is the duration that was taken apart.
struct Parts {
    std::vector<double> byClass;
    std::array<double, kCauses> byCause{};

    explicit Parts(std::size_t classes) : byClass(classes, 0.0) {}
    void add(int kernelClass, Cause cause, double seconds)
    {
        byClass[static_cast<std::size_t>(kernelClass)] += seconds;
        byCause[static_cast<std::size_t>(cause)] += seconds;
    }
    [[nodiscard]] double sum() const;
};

/// A chunk execution of the walked pipeline, same for every replica and draw.
struct WalkNode {
    int stage = 0, chunk = 0, microbatch = 0;
    Phase phase = Phase::forward;
    int program = -1;
    bool runs = true;    ///< else it is only what a piece waits for or hands on (core/schedule/pieces.h), and takes no time
    int pieceFirst = -1; ///< of F&B: the node of its forward, which its backward and weight item follow; -1 = it runs alone
    int previous = -1;   ///< node before it in its stage's order
    int input = -1;      ///< node whose output it needs
    int hop = -1;        ///< transfer of that output; -1 = none
    bool hopForward = true;
    int outHop = -1; ///< its own transfer that occupies the sender; -1 = none
    bool outForward = true;
};

/// Step-wide operations of one stage in the order in which they run.
enum class StageOp { embedding, gradSync, gradNorm, optimizer, paramGather };
inline constexpr int kStageOps = 5;

struct Interval {
    double start = 0, end = 0;
    bool present = false;
};

/// One piece of the critical path, first to last; contiguous from 0 to the end of the step.
struct CriticalPiece {
    SpanKind kind = SpanKind::forward;
    int stage = 0;
    int node = -1; ///< chunk executions and sends (the node that receives, or that sends when it occupies the sender)
    double start = 0, end = 0;
};

/// G of the slowest rank of a stage over all replicas, without and with slow spots.
struct SlowestRank {
    double drawn = 1, speed = 0;
};

/// One draw. Times of the replica that the critical path runs through.
struct WalkedStep {
    int sample = 0, replica = 0;
    int walkedReplicas = 0;
    double missedProbability = 0; ///< that a replica that was not walked was the last; 0 when all were
    double stepSeconds = 0;
    std::vector<double> start, end;                        ///< per node, seconds
    std::vector<std::array<Interval, kStageOps>> stageOps; ///< per stage
    std::vector<CriticalPiece> critical;
    std::vector<double> speed;        ///< G of [stage][rank] of the replica
    std::vector<double> drawnSpeed;   ///< the same without slow spots
    std::vector<SlowestRank> slowest; ///< per stage
};

} // namespace prism
