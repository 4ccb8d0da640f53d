// SPDX-License-Identifier: GPL-3.0-or-later
// Mixture of experts: router, permutation, all-to-all, grouped products and the way back.
#include "core/workload/emitter.h"

#include <algorithm>

namespace prism {

/// Router, permutation, all-to-all, grouped expert GEMMs and the way back (GShard, arXiv 2006.16668; MegaBlocks, arXiv 2211.15841).
void Emitter::moe()
{
    auto& f = out.forward;
    const auto experts = static_cast<double>(model.numExperts), topk = static_cast<double>(model.moeRouterTopk);
    const auto ep = static_cast<double>(s.ep), etp = static_cast<double>(s.etp);
    const double ffn = static_cast<double>(model.moeFfnHiddenSize), gates = model.gatedMlp ? 2 : 1;
    // With sequence parallelism every TP rank routes its own shard of the tokens.
    const double routed = s.tokens / tp * topk * s.expertLoad;
    const double received = routed * etp; // tokens that this rank's experts see: balanced, gathered over expert-TP
    const double localExperts = std::max(1.0, experts / ep);
    norm();
    {
        const Module module(*this, kMoe);
        gemm(f, KernelId::router, s.tokens / tp, experts, h, Part::forward, 1, false);
        memory(f, KernelId::router, s.tokens / tp * experts * kRouterForwardPasses * kFp32Bytes, Part::forward, 6);
        toExperts(f, routed, received, Part::forward);
        quantise(f, received * h, Part::forward);
        gemm(f, KernelId::gemmMoeFc1, received / localExperts, gates * ffn / etp, h, Part::forward, localExperts);
        expertActivation(f, received, Part::forward);
        gemm(f, KernelId::gemmMoeFc2, received / localExperts, h, ffn / etp, Part::forward, localExperts);
        fromExperts(f, routed, received, e * (routed + s.tokens / tp) * h, Part::forward);
        if (model.moeSharedExpertIntermediateSize > 0) {
            enterForward();
            mlp(static_cast<double>(model.moeSharedExpertIntermediateSize), false, true);
            exitForward();
        }
    }
    residual();
}

/// Fused (Transformer Engine's grouped MLP, MXFP8 alone), the first product's epilogue applies the activation to what it has in registers
/// and writes the copies of the cast; backward it reads the forward's inputs of the activation besides.
void Emitter::expertActivation(std::vector<Kernel>& to, double received, Part part)
{
    const double width = received * static_cast<double>(model.moeFfnHiddenSize) / static_cast<double>(s.etp),
                 gates = model.gatedMlp ? 2 : 1;
    const bool isForward = part == Part::forward, isFused = training.fusedGroupedMlp && training.precision == "mxfp8";
    const double inputs = gates * e * width, outputs = (isForward ? 1 : gates) * width; // bytes, elements
    if (isFused) {
        constexpr double kRead = 2; // bytes of castBytes() that are not written
        if (!isForward)
            memory(to, KernelId::activation, inputs, part, 0);
        memory(to, KernelId::cast, outputs * (cast - kRead), part, 0);
        return;
    }
    if (isForward) {
        const Module activation(*this, kMoeActivation);
        memory(to, KernelId::activation, (gates + 1) * e * width, part);
    } else {
        memory(to, KernelId::activation, (2 * gates + 1) * e * width, part);
    }
    quantise(to, outputs, part);
}

void Emitter::toExperts(std::vector<Kernel>& to, double routed, double received, Part part) const
{
    if (!dispatchesTokens())
        memory(to, KernelId::moePermute, 2 * e * routed * h, part, 2);
    if (s.ep > 1)
        collective(to, KernelId::epAllToAll, CollectiveOp::allToAll, Domain::expert, routed * h * e, part);
    if (s.etp > 1)
        collective(to, KernelId::tpAllGather, CollectiveOp::allGather, Domain::expertTensor, received * h * e, part);
    memory(to, KernelId::moePermute, e * (1 + copiesPerExpert()) * received * h, part);
}

void Emitter::fromExperts(std::vector<Kernel>& to, double routed, double received, double mergedBytes, Part part) const
{
    if (s.etp > 1)
        collective(to, KernelId::tpReduceScatter, CollectiveOp::reduceScatter, Domain::expertTensor, received * h * e, part);
    memory(to, KernelId::moePermute, e * (1 + copiesPerExpert()) * received * h, part);
    if (s.ep > 1)
        collective(to, KernelId::epAllToAll, CollectiveOp::allToAll, Domain::expert, routed * h * e, part);
    if (!dispatchesTokens())
        memory(to, KernelId::moePermute, mergedBytes, part, 2);
}

void Emitter::moeBackward()
{
    auto& b = out.backward;
    const auto experts = static_cast<double>(model.numExperts), topk = static_cast<double>(model.moeRouterTopk);
    const auto ep = static_cast<double>(s.ep), etp = static_cast<double>(s.etp);
    const double ffn = static_cast<double>(model.moeFfnHiddenSize), gates = model.gatedMlp ? 2 : 1;
    const double routed = s.tokens / tp * topk * s.expertLoad, received = routed * etp, localExperts = std::max(1.0, experts / ep);
    const double perExpert = received / localExperts;
    residualBackward();
    if (model.moeSharedExpertIntermediateSize > 0) {
        exitBackward();
        mlpBackward(static_cast<double>(model.moeSharedExpertIntermediateSize), false);
        enterBackward();
    }
    toExperts(b, routed, received, Part::dgrad);
    quantise(b, received * h, Part::dgrad);
    gemm(b, KernelId::gemmMoeFc2, perExpert, ffn / etp, h, Part::dgrad, localExperts);
    gemm(b, KernelId::gemmMoeFc2, h, ffn / etp, perExpert, Part::wgrad, localExperts);
    expertActivation(b, received, Part::dgrad);
    gemm(b, KernelId::gemmMoeFc1, perExpert, h, gates * ffn / etp, Part::dgrad, localExperts);
    gemm(b, KernelId::gemmMoeFc1, gates * ffn / etp, h, perExpert, Part::wgrad, localExperts);
    fromExperts(b, routed, received, 2 * e * routed * h, Part::dgrad);
    memory(b, KernelId::router, s.tokens / tp * experts * kRouterBackwardPasses * kFp32Bytes, Part::dgrad, 8);
    gemm(b, KernelId::router, s.tokens / tp, h, experts, Part::dgrad, 1, false);
    gemm(b, KernelId::router, experts, h, s.tokens / tp, Part::wgrad, 1, false);
    normBackward();
}

} // namespace prism
