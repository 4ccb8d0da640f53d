// SPDX-License-Identifier: GPL-3.0-or-later
// The ends of the model: input embedding, output layer and loss.
#include "core/workload/emitter.h"

namespace prism {

LayerKernels embeddingKernels(const Scenario& scenario, const Shape& shape)
{
    Emitter em(scenario, shape);
    const double rows = shape.tokens * em.h;
    em.memory(em.out.forward, KernelId::embedding, 2 * em.e * rows, Part::forward, 3);
    em.memory(em.out.backward, KernelId::embedding, (em.e + 8) * rows, Part::dgrad, 2);
    if (shape.tp > 1) {
        const bool sp = shape.sequenceParallel;
        em.collective(em.out.forward, sp ? KernelId::tpReduceScatter : KernelId::tpAllReduce,
                      sp ? CollectiveOp::reduceScatter : CollectiveOp::allReduce, Domain::tensor, rows * em.e, Part::forward);
        if (sp)
            em.collective(em.out.backward, KernelId::tpAllGather, CollectiveOp::allGather, Domain::tensor, rows * em.e, Part::dgrad);
    }
    return std::move(em.out);
}

LayerKernels headKernels(const Scenario& scenario, const Shape& shape)
{
    Emitter em(scenario, shape);
    const double vocabulary = static_cast<double>(scenario.model.vocabSize) / em.tp;
    const double logits = shape.tokens * vocabulary;
    auto& f = em.out.forward;
    auto& b = em.out.backward;
    const auto mtp = static_cast<int>(scenario.model.mtpNumLayers);
    em.norm();
    for (int i = 0; i <= mtp; ++i) {
        em.enterForward();
        em.gemm(f, KernelId::lmHead, shape.tokens, vocabulary, em.h, Part::forward, 1, false);
        // Vocabulary-parallel cross entropy in FP32: cast, maximum, exponent, sum; before fused kernels each of them is a separate
        // pass over the logits, and so are the shift, the division and the scaled gradient (Megatron-LM
        // core/tensor_parallel/cross_entropy.py).
        const bool fused = scenario.training.fusedAttention(), own = shape.fusedLoss;
        const double cast = em.e + kFp32Bytes; // torch's loss is not compiled (torchtitan): logits are cast to FP32 first, gradients back
        em.memory(f, KernelId::loss, logits * (own ? em.e + 4 * (fused ? 4 : 9) : cast + kEagerLossForward), Part::forward, 6);
        em.memory(b, KernelId::loss, logits * (own ? 4 + em.e + 4 * (fused ? 1 : 2) : cast + kEagerLossBackward), Part::dgrad, 3);
        em.gemm(b, KernelId::lmHead, shape.tokens, em.h, vocabulary, Part::dgrad, 1, false);
        em.enterBackward();
        em.gemm(b, KernelId::lmHead, vocabulary, em.h, shape.tokens, Part::wgrad, 1, false);
    }
    em.normBackward();
    return std::move(em.out);
}

} // namespace prism
