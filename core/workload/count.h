// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters and model FLOPs in closed form.
#pragma once

#include "core/workload/shape.h"

namespace prism {

/// Parameters of one layer of a kind, whole model. `expert` are the routed experts' parameters among them.
struct LayerParameters {
    double total = 0, expert = 0, activeExpert = 0;
};
[[nodiscard]] LayerParameters layerParameters(const ModelConfig& model, LayerKind kind);
/// Input embedding (with learned positions); output embedding and final norm; one multi-token prediction layer.
[[nodiscard]] double embeddingParameters(const ModelConfig& model);
[[nodiscard]] double headParameters(const ModelConfig& model);
[[nodiscard]] LayerParameters mtpLayerParameters(const ModelConfig& model);
/// The whole model as model cards count it: all experts, tied embeddings once, without multi-token prediction layers.
[[nodiscard]] double totalParameters(const ModelConfig& model);

/// Model FLOPs of one token, forward and backward: 6 per active matrix parameter (Kaplan et al. 2020, arXiv 2001.08361) and
/// 12 * s * (attention width) per attention layer (Narayanan et al. 2021, arXiv 2104.04473, appendix; the whole square is
/// counted, causal or not, as that formula does). For GPT models: 72 L h^2 (1 + s/(6h) + V/(12 L h)).
[[nodiscard]] double modelFlopsPerToken(const ModelConfig& model);
/// Conventions in which published values differ.
struct FlopsCounting {
    bool causalHalf = false; ///< of causal attention only the half that its mask leaves
    bool vocabulary = true;  ///< the output layer
};
/// The same by another convention.
[[nodiscard]] double modelFlopsPerToken(const ModelConfig& model, const FlopsCounting& counting);
/// Forward FLOPs of one token in the layers alone (what full recomputation runs again) and in the attention products alone.
[[nodiscard]] double layerForwardFlopsPerToken(const ModelConfig& model);
/// Forward FLOPs per token of the parts that selective recomputation repeats, all layers.
[[nodiscard]] double recomputedFlopsPerToken(const ModelConfig& model, RecomputeModules modules);
[[nodiscard]] double attentionForwardFlopsPerToken(const ModelConfig& model);

} // namespace prism
