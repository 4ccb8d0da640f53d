// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of a measured job aligned: the same operation of every step and replica under one number.
#pragma once

#include "core/trace/blockinggraph.h"

namespace prism {

/// One operation of a replica, the same in all replicas and steps: the `ordinal`-th of its type in its stage.
struct OperationSlot {
    int stage = 0;
    TraceOp type = TraceOp::forwardCompute;
    int ordinal = 0;
    int chunk = 0;      ///< of the stage, computations
    int microBatch = 0; ///< how many computations of its chunk and direction go before; computations
    auto operator<=>(const OperationSlot&) const = default;
};

/// Values of one step, by replica * slots + slot.
struct RegularStep {
    const TraceStep* step = nullptr;
    std::vector<int> operation;        ///< index in the step
    std::vector<double> seconds, gaps; ///< own duration or transfer time; start after its dependencies
    double begin = 0, stepSeconds = 0; ///< as measured
    std::vector<double> phaseSeconds;  ///< end of each replica's last computation after the step's begin; [replicas]
};

struct RegularJob {
    const TraceJob* job = nullptr; ///< must outlive this
    HiddenBarriers barriers;
    OverlappedSlots overlapped;
    std::vector<OperationSlot> slots;
    std::vector<RegularStep> steps; ///< those with the commonest structure
    Diagnostics notes;

    [[nodiscard]] std::size_t size() const { return slots.size() * static_cast<std::size_t>(job->replicas); }
};

/// Steps with the commonest structure (the same operations in every replica); others are omitted and counted. Error: no two replicas or
/// steps agree.
[[nodiscard]] Result<RegularJob> regularJob(const TraceJob& job, const HiddenBarriers& barriers);

/// End of each replica's last computation after the step's begin, seconds; [replicas].
[[nodiscard]] std::vector<double> phaseSeconds(const TraceStep& step, const TraceJob& job);

} // namespace prism
