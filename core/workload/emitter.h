// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the kernels of one layer into lists: functions for every kind of layer. Internal to core/workload.
#pragma once

#include "core/workload/kernel.h"
#include "core/workload/passes.h"

#include <vector>

namespace prism {

/// Collects kernels; holds the sizes that all of them share.
class Emitter final {
public:
    Emitter(const Scenario& scenario, const Shape& shape);

    const ModelConfig& model;
    const ParallelismConfig& par;
    const TrainingConfig& training;
    const Shape& s;
    const double e, tp, h, cast;
    LayerKernels out;
    RecomputeModules inside = 0; ///< modules that the kernels emitted now belong to

    /// Marks the kernels of a scope as part of a module; modules nest.
    class Module final {
    public:
        Module(Emitter& emitter, RecomputeModule module) : m_emitter(emitter), m_before(emitter.inside)
        {
            emitter.inside = static_cast<RecomputeModules>(emitter.inside | module);
        }
        ~Module() { m_emitter.inside = m_before; }
        Module(const Module&) = delete;
        Module& operator=(const Module&) = delete;

    private:
        Emitter& m_emitter;
        RecomputeModules m_before;
    };

    void memory(std::vector<Kernel>& to, KernelId id, double bytes, Part part = Part::forward, double launches = 1) const;

    /// The product, and where it is a weight's gradient what adds it to that of the micro-batches before.
    void gemm(std::vector<Kernel>& to, KernelId id, double m, double n, double kk, Part part, double batch = 1, bool low = true) const;

    /// Bytes that a weight's gradient costs in a micro-batch in addition to its product. From ZeRO 2 on it is copied into the buffer that
    /// is reduced, and with ZeRO 3 the weight out of the gathered one for each pass (PyTorch's fsdp/_fully_shard/_fsdp_collectives.py).
    /// Below it is added to the sum, in FP32 or in its own type: both are read, the sum is written (accumulate_grad.h). The first
    /// micro-batch's gradient becomes the sum. 0 where the product adds it itself (gradient_accumulation_fusion of Megatron-LM).
    [[nodiscard]] double weightCopyBytes() const;
    /// Casts a GEMM input to FP8/FP4 (passes.h).
    void quantise(std::vector<Kernel>& to, double elements, Part part) const;
    /// Kernels between the experts' products: the activation or its gradient, and the cast of the result.
    void expertActivation(std::vector<Kernel>& to, double received, Part part);

    void collective(std::vector<Kernel>& to, KernelId id, CollectiveOp op, Domain domain, double bytes, Part part,
                    bool overlapsTensor = false, bool overlapsAlways = false) const;

    /// Entry of a column-parallel region, forward: all-gather of the sequence shards (Korthikanti et al. 2022, arXiv 2205.05198).
    void enterForward();
    /// Exit of a row-parallel region, forward: reduce-scatter, or all-reduce without sequence parallelism (Shoeybi et al. 2019).
    void exitForward();
    void exitBackward();
    /// Entry of a column-parallel region, backward, between its dgrad and its wgrad: the reduction is overlapped with the weight
    /// gradient (asynchronous in Megatron-LM), and the inputs are gathered again during dgrad.
    void enterBackward();

    /// Bytes per element of a norm and of the rotary embedding.
    [[nodiscard]] double normBytes(Part part) const;
    [[nodiscard]] double rotaryBytes() const { return s.fusion == Fusion::eager ? kEagerRotary : 2 * e; }
    /// Passes over one width that an activation and its gradient take: eager code runs the function of a gate and its product as two
    /// kernels.
    [[nodiscard]] double activationPasses(Part part) const;
    void norm();
    void normBackward();

    /// Bias, dropout and residual addition: read both, write one (and a mask where the software of that time had dropout).
    void residual();
    void residualBackward();

    /// DeepEP sends tokens as they lie in memory and adds up what comes back (Megatron-Core MoEFlexTokenDispatcher): tokens are put in
    /// the order of the experts on the receiving side only.
    [[nodiscard]] bool dispatchesTokens() const { return par.moeTokenDispatcherType == "flex"; }
    /// Copies of a token that reach a rank, per expert of it there: one for each, or with DeepEP one for the rank; of k experts on n
    /// ranks n (1 - (1 - 1/n)^k) ranks have some.
    [[nodiscard]] double copiesPerExpert() const;

    void attentionCore(LayerKind kind, std::vector<Kernel>& to, Part part, double queryDim, double valueDim);
    void contextExchange(std::vector<Kernel>& to, Part part);
    void attention(LayerKind kind);
    void attentionBackward(LayerKind kind);
    void mlp(double ffn, bool enterAndExit, bool shared = false);
    void mlpBackward(double ffn, bool enterAndExit);
    void moe();
    void moeBackward();
    /// Tokens (or gradients) go to the ranks of their experts: permutation, all-to-all, gather over expert-TP, permutation by expert.
    void toExperts(std::vector<Kernel>& to, double routed, double received, Part part) const;
    /// And the way back; `mergedBytes` moves the last permutation.
    void fromExperts(std::vector<Kernel>& to, double routed, double received, double mergedBytes, Part part) const;
    void mamba();
};

} // namespace prism
