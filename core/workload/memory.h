// Memory of one pipeline stage: weights, gradients, optimizer state, activations, buffers.
#pragma once

#include "core/workload/shape.h"

namespace prism {

/// Parameters that one rank of a stage holds, before any ZeRO sharding.
struct StageParameters {
    double dense = 0, expert = 0;
    [[nodiscard]] double total() const { return dense + expert; }
};
[[nodiscard]] StageParameters stageParameters(const Scenario& scenario, const Shape& shape, const std::vector<ChunkLayers>& chunksOfStage,
                                              bool lastStageHoldsTiedCopy);

/// Bytes that the forward of one micro-batch leaves for its backward, per rank.
[[nodiscard]] double activationBytes(const Scenario& scenario, const Shape& shape, const ChunkLayers& chunk);
/// Bytes that exist only while one layer or the loss is computed.
[[nodiscard]] double transientBytes(const Scenario& scenario, const Shape& shape, const ChunkLayers& chunk);

} // namespace prism
