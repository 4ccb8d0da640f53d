// SPDX-License-Identifier: GPL-3.0-or-later
// A measured job: the operations of its workers, step by step, as every reader of stage tables and pipeline events returns them.
#pragma once

#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// Type of an operation of a stage. Sends, receives and collectives include waiting as they are recorded.
enum class TraceOp : std::uint8_t {
    forwardCompute,
    backwardCompute,
    forwardSend,
    forwardRecv,
    backwardSend,
    backwardRecv,
    paramsAllGather,
    gradsReduceScatter,
    separateGradsAllReduce,
    embeddingAllReduce,
    layernormAllReduce,
    optimizerClip,
    optimizer,
    garbageCollection
};
inline constexpr int kTraceOps = 14;

/// The name in stage tables ("forward-compute"), and back.
[[nodiscard]] std::string_view traceOpName(TraceOp op);
[[nodiscard]] std::optional<TraceOp> traceOpFromName(std::string_view name);

[[nodiscard]] constexpr bool isCompute(TraceOp op)
{
    return op == TraceOp::forwardCompute || op == TraceOp::backwardCompute;
}
[[nodiscard]] constexpr bool isForward(TraceOp op)
{
    return op == TraceOp::forwardCompute || op == TraceOp::forwardSend || op == TraceOp::forwardRecv;
}
[[nodiscard]] constexpr bool isSend(TraceOp op)
{
    return op == TraceOp::forwardSend || op == TraceOp::backwardSend;
}
[[nodiscard]] constexpr bool isDataParallel(TraceOp op)
{
    return op == TraceOp::paramsAllGather || op == TraceOp::gradsReduceScatter;
}
[[nodiscard]] constexpr bool isTransfer(TraceOp op)
{
    return op >= TraceOp::forwardSend && op <= TraceOp::backwardRecv;
}

/// One operation of one worker (replica, stage).
struct TraceOperation {
    double start = 0, duration = 0; ///< seconds on the clock of the trace; duration >= 0
    std::int32_t replica = 0, stage = 0, rank = 0;
    std::int32_t sequence = 0;    ///< order among the operations of its type and worker
    std::int32_t chunk = -1;      ///< chunk of the stage, or -1
    std::int32_t microBatch = -1; ///< or -1
    TraceOp type = TraceOp::forwardCompute;

    [[nodiscard]] double end() const { return start + duration; }
    bool operator==(const TraceOperation&) const = default;
};

/// One step: operations by replica, stage, start.
struct TraceStep {
    int number = 0;
    std::vector<TraceOperation> operations;

    /// Latest end less earliest start, seconds; 0 without operations.
    [[nodiscard]] double seconds() const;
    /// Earliest start, seconds; 0 without operations.
    [[nodiscard]] double begin() const;
};

/// Steps of a job of `replicas` x `stages` workers, each with `chunks` chunks, ascending by number.
struct TraceJob {
    std::string name;
    int replicas = 0, stages = 0, chunks = 1;
    int replicasOfJob = 0; ///< that the job ran with, where known; >= replicas; waits for replicas without a record are in the durations
    bool transfersRecorded = true;   ///< false: computations alone (pipeline event files); what lies between them is a gap
    std::vector<int> replicaNumbers; ///< of the kept replicas as the file numbers them; [replicas]
    std::vector<TraceStep> steps;
    Diagnostics notes; ///< what was dropped or assumed, counted

    [[nodiscard]] int workers() const { return replicas * stages; }
    [[nodiscard]] int worker(const TraceOperation& o) const { return o.replica * stages + o.stage; }
    [[nodiscard]] std::vector<double> stepSeconds() const;
};

} // namespace prism
