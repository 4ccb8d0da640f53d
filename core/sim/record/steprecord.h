// SPDX-License-Identifier: GPL-3.0-or-later
// Record of one swept step: times of every pass, transfer and operation of one replica, and the critical path.
#pragma once

#include "core/schedule/schedule.h"
#include "core/sim/record/spankind.h"
#include "core/sim/sweep/blocksweep.h"
#include "core/sim/sweep/stepfinish.h"

#include <array>
#include <cstddef>
#include <map>
#include <numeric>
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
    [[nodiscard]] double sum() const { return std::accumulate(byClass.begin(), byClass.end(), 0.0); }
};

/// One pass of the recorded pipeline, the same in every replica and step.
struct RecordNode {
    int stage = 0, chunk = 0, microbatch = 0;
    Phase phase = Phase::forward;
    bool runs = true;    ///< else it is only what a piece waits for or sends (core/schedule/pieces.h), and takes no time
    int pieceFirst = -1; ///< of F&B: the node of its forward, which its backward and weight item follow; -1 = it runs alone
    int previous = -1;   ///< node before it in its stage's order
    int next = -1;       ///< node after it
    int input = -1;      ///< node of another pass whose message it waits for
};

[[nodiscard]] constexpr SpanKind spanKindOf(Phase phase)
{
    return phase == Phase::forward ? SpanKind::forward : phase == Phase::backward ? SpanKind::backward : SpanKind::weight;
}

struct Interval {
    double start = 0.0, end = 0.0;
};

/// One piece of the critical path, first to last; contiguous from 0 to the end of the step.
struct CriticalPiece {
    SpanKind kind = SpanKind::forward;
    int stage = 0;
    int node = -1; ///< passes, and the sender of transfers; -1 = operations
    double start = 0.0, end = 0.0;
};

/// Times are in seconds from the start of the step, those of the replica that is shown.
struct StepRecord {
    int number = 0;                                        ///< in its series
    int replica = 0;                                       ///< that is shown
    int slowestReplica = 0;                                ///< that the critical path runs through
    double stepSeconds = 0.0;                              ///< without delays of the whole step
    double jitterSeconds = 0.0, stallSeconds = 0.0;        ///< those delays
    std::vector<double> start, end, arrives;               ///< per node: of the pass, and when its message is there
    std::vector<std::array<Interval, kStageOps>> stageOps; ///< per stage; absent ones take no time
    std::vector<CriticalPiece> critical;
    UnitRecord unit;                                     ///< of the replica that is shown
    StepTail tail;                                       ///< of the whole job
    std::vector<int> optimizerUnit;                      ///< per stage: whose optimizer was the slowest
    std::map<int, std::vector<PassRecord>> ofOptimizers; ///< by unit, then stage
};

} // namespace prism
