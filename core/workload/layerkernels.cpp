// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of one layer by its kind, and of a multi-token prediction layer.
#include "core/workload/emitter.h"

namespace prism {

LayerKernels layerKernels(const Scenario& scenario, const Shape& shape, LayerKind kind)
{
    Emitter em(scenario, shape);
    const auto ffn = static_cast<double>(scenario.model.ffnHiddenSize);
    const bool hasAttention = kind != LayerKind::mlpOnly && kind != LayerKind::moeOnly && kind != LayerKind::mamba;
    const bool hasMoe = kind == LayerKind::moe || kind == LayerKind::moeOnly;
    const bool hasMlp = kind == LayerKind::dense || kind == LayerKind::sliding || kind == LayerKind::mlpOnly;
    // Parallel attention (GPT-J, PaLM): one norm, one entry and one exit for both branches.
    const bool joined = scenario.model.parallelAttention && hasAttention && hasMlp;
    if (kind == LayerKind::mamba)
        em.mamba();
    if (hasMoe)
        em.moeBackward();
    if (hasMlp)
        em.mlpBackward(ffn, !joined);
    if (hasAttention) {
        em.attention(kind);
        em.attentionBackward(kind);
    }
    if (hasMlp)
        em.mlp(ffn, !joined);
    if (hasMoe)
        em.moe();
    for (const Kernel& k : em.out.forward)
        if ((k.modules & shape.recomputed) != 0)
            em.out.selectiveRecompute.push_back(k);
    return std::move(em.out);
}

LayerKernels mtpKernels(const Scenario& scenario, const Shape& shape)
{
    Emitter em(scenario, shape);
    const LayerKernels layer = layerKernels(scenario, shape, mtpLayerKind(scenario.model));
    auto& f = em.out.forward;
    auto& b = em.out.backward;
    em.gemm(f, KernelId::gemmProj, shape.tokens, em.h / em.tp, 2 * em.h, Part::forward);
    f.insert(f.end(), layer.forward.begin(), layer.forward.end());
    b = layer.backward;
    em.gemm(b, KernelId::gemmProj, shape.tokens, 2 * em.h, em.h / em.tp, Part::dgrad);
    em.gemm(b, KernelId::gemmProj, em.h / em.tp, 2 * em.h, shape.tokens, Part::wgrad);
    return std::move(em.out);
}

} // namespace prism
