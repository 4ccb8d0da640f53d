// SPDX-License-Identifier: GPL-3.0-or-later
// Derived sizes of a scenario for all formulas of the workload.
#pragma once

#include "core/scenario/recomputemodules.h"
#include "core/scenario/scenario.h"

#include <array>
#include <cstdint>
#include <vector>

namespace prism {

/// What a layer consists of.
enum class LayerKind : std::uint8_t { dense, moe, sliding, attentionOnly, mlpOnly, moeOnly, mamba };
inline constexpr int kLayerKinds = 7;
/// How norms, rotary embeddings, activations and the loss run: hand-written kernels, torch.compile (all but the loss), single operations.
enum class Fusion : std::uint8_t { fused, compiled, eager };

/// Sizes per rank. Plain numbers; made by `shapeOf`.
struct Shape {
    std::int64_t tp = 1, pp = 1, vpp = 1, cp = 1, ep = 1, etp = 1, dp = 1, numMicrobatches = 1;
    std::int64_t numGpus = 1, groupsPerCell = 1, numReplicas = 1; ///< replicas of the graph: dp / groupsPerCell
    double microBatch = 1, sequence = 1;
    double tokens = 1;                    ///< tokens per micro-batch on one rank: micro batch * sequence / cp
    double shardedTokens = 1;             ///< tokens of the norms and residuals: / tp with sequence parallelism
    double queryDim = 1, keyValueDim = 1; ///< whole model: heads * channels, query groups * channels
    double heads = 1;                     ///< per rank
    double elementBytes = 2;              ///< of activations
    bool fp8 = false, fp4 = false, moe = false, sequenceParallel = false;
    double expertLoad = 1;           ///< rows of an expert over its even share: the capacity factor
    RecomputeModules recomputed = 0; ///< by selective recomputation
    Fusion fusion = Fusion::fused;
    bool fusedLoss = true; ///< a hand-written cross entropy, not torch's
};

[[nodiscard]] Shape shapeOf(const Scenario& scenario);

/// Kind of every layer, in model order: the pattern repeated, or dense / MoE by moe_first_k_dense and moe_layer_freq.
[[nodiscard]] std::vector<LayerKind> layerKinds(const ModelConfig& model);

/// Multi-token prediction layers are like the last layer of the model.
[[nodiscard]] LayerKind mtpLayerKind(const ModelConfig& model);

/// What one (stage, chunk) holds.
struct ChunkLayers {
    std::array<int, kLayerKinds> count{}; ///< layers by LayerKind
    int total = 0;
    int mtp = 0;                          ///< multi-token prediction layers
    bool embedding = false, head = false; ///< input embedding; output layer and loss
};

/// Layers per position of the schedule's path, in path order: from the scenario's pipeline layout, else even, or with the first
/// and last stage's own numbers, or with the embedding and the loss counted as a layer each (Megatron-LM
/// `account_for_*_in_pipeline_split`). Multi-token prediction layers are in the last chunk unless the layout has them elsewhere.
[[nodiscard]] std::vector<ChunkLayers> chunkLayers(const Scenario& scenario, const std::vector<std::array<int, 2>>& path);

} // namespace prism
