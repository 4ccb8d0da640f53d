// SPDX-License-Identifier: GPL-3.0-or-later
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
/// The part of activationBytes that only the loss needs: logits in FP32 and what its kernels leave. The weight pass of the output layer
/// does not.
[[nodiscard]] double lossBytes(const Scenario& scenario, const Shape& shape, const ChunkLayers& chunk);
/// FP32 copies of the gradients of the largest matrix of a layer and of the embedding, as backward makes them before they are
/// added: what PyTorch keeps reserved for them. (SimuMax's 19 measured peaks on B200 exceed state and activations by this and 0.5 GiB.)
[[nodiscard]] double gradientCopyBytes(const ModelConfig& model, const Shape& shape, bool holdsEmbedding);
/// Bytes that exist only while one layer is computed.
[[nodiscard]] double transientBytes(const Scenario& scenario, const Shape& shape, const ChunkLayers& chunk);

} // namespace prism
