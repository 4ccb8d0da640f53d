#include "core/workload/kernel.h"

#include <algorithm>
#include <cmath>

namespace prism {

double attendedPairs(const ModelConfig& model, LayerKind kind)
{
    const auto s = static_cast<double>(model.seqLength);
    if (kind == LayerKind::sliding && model.slidingWindow > 0) {
        const double w = std::min(s, static_cast<double>(model.slidingWindow));
        return model.causalAttention ? s * w - w * w / 2 : std::min(s * s, 2 * s * w);
    }
    return model.causalAttention ? s * s / 2 : s * s;
}

double attendedSequence(const ModelConfig& model, LayerKind kind)
{
    const auto s = static_cast<double>(model.seqLength);
    const bool window = kind == LayerKind::sliding && model.slidingWindow > 0;
    return window ? std::min(s, 2.0 * static_cast<double>(model.slidingWindow)) : model.causalAttention ? s : 2 * s;
}

namespace {

/// Collects kernels; knows the sizes that all of them share.
class Emitter final {
public:
    Emitter(const Scenario& scenario, const Shape& shape)
        : model(scenario.model),
          par(scenario.parallelism),
          training(scenario.training),
          s(shape),
          e(shape.elementBytes),
          tp(static_cast<double>(shape.tp)),
          h(static_cast<double>(scenario.model.hiddenSize))
    {
        out.forward.reserve(24);
        out.backward.reserve(40);
    }

    const ModelConfig& model;
    const ParallelismConfig& par;
    const TrainingConfig& training;
    const Shape& s;
    const double e, tp, h;
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

    void memory(std::vector<Kernel>& to, KernelId id, double bytes, Part part = Part::forward, double launches = 1)
    {
        Kernel k;
        k.modules = inside;
        k.id = id;
        k.part = part;
        k.bytes = bytes;
        k.launches = launches;
        to.push_back(k);
    }

    void gemm(std::vector<Kernel>& to, KernelId id, double m, double n, double kk, Part part, double batch = 1, bool low = true)
    {
        Kernel k;
        k.modules = inside;
        k.id = id;
        k.kind = CostKind::gemm;
        k.part = part;
        k.m = m;
        k.n = n;
        k.k = kk;
        k.batch = batch;
        k.flops = 2 * m * n * kk * batch;
        k.lowPrecision = low;
        to.push_back(k);
    }

    /// Casts to FP8/FP4 and back around a GEMM input: read 2 bytes, write the quantised row-wise and column-wise copies.
    void quantise(std::vector<Kernel>& to, double elements, Part part)
    {
        if (s.fp8 || s.fp4)
            memory(to, KernelId::cast, elements * (e + 2), part);
    }

    void collective(std::vector<Kernel>& to, KernelId id, CollectiveOp op, Domain domain, double bytes, Part part,
                    bool overlapsTensor = false, bool overlapsAlways = false)
    {
        Kernel k;
        k.modules = inside;
        k.id = id;
        k.kind = CostKind::collective;
        k.part = part;
        k.op = op;
        k.domain = domain;
        k.bytes = bytes;
        k.overlapsTensor = overlapsTensor;
        k.overlapsAlways = overlapsAlways;
        to.push_back(k);
    }

    /// Entry of a column-parallel region, forward: all-gather of the sequence shards (Korthikanti et al. 2022, arXiv 2205.05198).
    void enterForward()
    {
        if (s.sequenceParallel)
            collective(out.forward, KernelId::tpAllGather, CollectiveOp::allGather, Domain::tensor, s.tokens * h * e, Part::forward, true);
    }
    /// Exit of a row-parallel region, forward: reduce-scatter, or all-reduce without sequence parallelism (Shoeybi et al. 2019).
    void exitForward()
    {
        if (s.tp <= 1)
            return;
        if (s.sequenceParallel)
            collective(out.forward, KernelId::tpReduceScatter, CollectiveOp::reduceScatter, Domain::tensor, s.tokens * h * e, Part::forward,
                       true);
        else
            collective(out.forward, KernelId::tpAllReduce, CollectiveOp::allReduce, Domain::tensor, s.tokens * h * e, Part::forward);
    }
    void exitBackward() // gradient of the row-parallel output
    {
        if (s.sequenceParallel)
            collective(out.backward, KernelId::tpAllGather, CollectiveOp::allGather, Domain::tensor, s.tokens * h * e, Part::dgrad, true);
    }
    /// Entry of a column-parallel region, backward, between its dgrad and its wgrad: the reduction runs beside the weight
    /// gradient (asynchronous in Megatron-LM), and the inputs are gathered again beside dgrad.
    void enterBackward()
    {
        if (s.tp <= 1)
            return;
        if (s.sequenceParallel) {
            collective(out.backward, KernelId::tpAllGather, CollectiveOp::allGather, Domain::tensor, s.tokens * h * e, Part::dgrad, false,
                       true);
            collective(out.backward, KernelId::tpReduceScatter, CollectiveOp::reduceScatter, Domain::tensor, s.tokens * h * e, Part::dgrad,
                       false, true);
        } else { // beside the weight gradient only in software that reduces asynchronously
            collective(out.backward, KernelId::tpAllReduce, CollectiveOp::allReduce, Domain::tensor, s.tokens * h * e, Part::dgrad, false,
                       training.fusedAttention());
        }
    }

    void norm()
    {
        const Module module(*this, kLayerNorm);
        memory(out.forward, KernelId::norm, 2 * e * s.shardedTokens * h);
    }
    void normBackward() { memory(out.backward, KernelId::norm, 3.5 * e * s.shardedTokens * h, Part::dgrad, 2); }

    /// Bias, dropout and residual addition: read both, write one (and a mask where the software of that time had dropout).
    void residual()
    {
        const double mask = training.fusedAttention() ? 0.0 : 1.0;
        memory(out.forward, KernelId::residual, (3 * e + mask) * s.shardedTokens * h);
    }
    void residualBackward()
    {
        const double mask = training.fusedAttention() ? 0.0 : 1.0;
        memory(out.backward, KernelId::residual, (2 * e + mask) * s.shardedTokens * h, Part::dgrad);
    }

    /// DeepEP sends tokens as they lie in memory and adds up what comes back (Megatron-Core MoEFlexTokenDispatcher): tokens are put in
    /// the order of the experts on the receiving side only.
    [[nodiscard]] bool dispatchesTokens() const { return par.moeTokenDispatcherType == "flex"; }
    /// Copies of a token that reach a rank, per expert of it there: one for each, or with DeepEP one for the rank; of k experts on n
    /// ranks n (1 - (1 - 1/n)^k) ranks have some.
    [[nodiscard]] double copiesPerExpert() const
    {
        const double ranks = static_cast<double>(s.ep), topk = static_cast<double>(model.moeRouterTopk);
        return dispatchesTokens() ? ranks * (1 - std::pow(1 - 1 / ranks, topk)) / topk : 1.0;
    }

    void attentionCore(LayerKind kind, std::vector<Kernel>& to, Part part, double queryDim, double valueDim);
    void contextExchange(std::vector<Kernel>& to, Part part);
    void attention(LayerKind kind);
    void attentionBackward(LayerKind kind);
    void mlp(double ffn, bool enterAndExit, bool shared = false);
    void mlpBackward(double ffn, bool enterAndExit);
    void moe();
    void moeBackward();
    /// Tokens (or gradients) go to the ranks of their experts: permutation, all-to-all, gather over expert-TP, permutation by expert.
    void toExperts(std::vector<Kernel>& to, double routed, double received, Part part);
    /// And the way back; `mergedBytes` moves the last permutation.
    void fromExperts(std::vector<Kernel>& to, double routed, double received, double mergedBytes, Part part);
    void mamba();
};

/// FLOPs: QK^T and PV, 2 * pairs * dim each; backward 5 products instead of 2 (Dao 2023, arXiv 2307.08691, section 3.1).
void Emitter::attentionCore(LayerKind kind, std::vector<Kernel>& to, Part part, double queryDim, double valueDim)
{
    const Module module(*this, kCoreAttention);
    const double cp = static_cast<double>(s.cp);
    const bool backward = part != Part::forward;
    if (training.fusedAttention()) {
        Kernel k;
        k.modules = inside;
        k.id = KernelId::attention;
        k.kind = CostKind::attention;
        k.part = part;
        k.backward = backward;
        k.headDim = valueDim;
        const double pairs = s.microBatch * attendedPairs(model, kind) * s.heads / cp;
        k.flops = 2 * pairs * (backward ? 3 * queryDim + 2 * valueDim : queryDim + valueDim);
        k.m = s.sequence / cp;
        k.n = attendedSequence(model, kind) / (par.cpCommType == "p2p" ? cp : 1); // a ring works on blocks
        k.k = queryDim;
        k.batch = s.microBatch * s.heads;
        k.launches = cp;
        k.bytes = e * s.tokens * s.heads * (queryDim + valueDim) * (backward ? 4 : 2);
        to.push_back(k);
        return;
    }
    // Unfused: batched GEMMs over the whole square, and softmax with mask and dropout in memory (Megatron-LM's fused
    // scale-mask-softmax; 2 bytes in and out, dropout reads and writes once more with a mask byte).
    const double square = s.microBatch * s.heads * s.sequence * s.sequence / cp;
    const double rows = s.sequence / cp;
    const double batch = s.microBatch * s.heads;
    const int products = backward ? 2 : 1;
    for (int i = 0; i < products; ++i) {
        gemm(to, KernelId::attention, rows, s.sequence, queryDim, part, batch, false);
        gemm(to, KernelId::attention, rows, valueDim, s.sequence, part, batch, false);
    }
    memory(to, KernelId::attention, square * (backward ? 3 * e : 2 * e), part);
    memory(to, KernelId::attention, square * (2 * e + 1), part);
}

/// Keys and values move around the context-parallel group: ring (arXiv 2310.01889), all-gather (Llama 3, arXiv 2407.21783)
/// or all-to-all of heads (DeepSpeed-Ulysses, arXiv 2309.14509).
void Emitter::contextExchange(std::vector<Kernel>& to, Part part)
{
    if (s.cp <= 1)
        return;
    const bool backward = part != Part::forward;
    const double cp = static_cast<double>(s.cp);
    const double keyValue = 2 * s.keyValueDim / tp * s.tokens * e; // this rank's keys and values
    if (par.cpCommType == "a2a") {
        const double query = 2 * s.queryDim / tp * s.tokens * e; // queries in, outputs back
        collective(to, KernelId::cpExchange, CollectiveOp::allToAll, Domain::context, (keyValue + query) * (backward ? 2 : 1), part);
    } else if (par.cpCommType == "all_gather") {
        collective(to, KernelId::cpExchange, CollectiveOp::allGather, Domain::context, keyValue * cp, part);
        if (backward)
            collective(to, KernelId::cpExchange, CollectiveOp::reduceScatter, Domain::context, keyValue * cp, part);
    } else {
        // cp - 1 neighbour exchanges, each beside the attention of the block that is there; gradients travel too.
        collective(to, KernelId::cpExchange, CollectiveOp::sendRecv, Domain::context, keyValue * (cp - 1) * (backward ? 2 : 1), part, false,
                   true);
        // Each block's output (backward: its gradients) is merged into the running one: read both, write one. Of causal blocks a
        // half needs half of the rows.
        const Module module(*this, kCoreAttention);
        const double rows = cp * (model.causalAttention ? 0.75 : 1.0) * s.tokens * e / tp;
        memory(to, KernelId::attention, 3 * rows * (s.queryDim + (backward ? 2 * s.keyValueDim : 0.0)), part, cp);
    }
}

void Emitter::attention(LayerKind kind)
{
    auto& f = out.forward;
    norm();
    enterForward();
    if (model.multiLatentAttention) { // DeepSeek-V2, arXiv 2405.04434, section 2.1
        const double qk = static_cast<double>(model.qkHeadDim + model.qkPosEmbHeadDim), v = static_cast<double>(model.vHeadDim);
        const double rq = static_cast<double>(model.qLoraRank), rkv = static_cast<double>(model.kvLoraRank);
        const double down = rq + rkv + static_cast<double>(model.qkPosEmbHeadDim);
        gemm(f, KernelId::gemmQkv, s.tokens, down, h, Part::forward);
        {
            const Module module(*this, kMlaUpProjection);
            memory(f, KernelId::norm, 2 * e * s.tokens * (rq + rkv), Part::forward, 2);
            gemm(f, KernelId::gemmQkv, s.tokens, s.heads * qk, rq > 0 ? rq : h, Part::forward);
            gemm(f, KernelId::gemmQkv, s.tokens, s.heads * (static_cast<double>(model.qkHeadDim) + v), rkv, Part::forward);
            memory(f, KernelId::residual, 2 * e * s.tokens * s.heads * (2 * qk + v), Part::forward, 4); // rotary, concatenation
        }
        contextExchange(f, Part::forward);
        attentionCore(kind, f, Part::forward, qk, v);
        quantise(f, s.tokens * s.heads * v, Part::forward);
        gemm(f, KernelId::gemmProj, s.tokens, h, s.heads * v, Part::forward);
    } else {
        const double d = static_cast<double>(model.kvChannels);
        quantise(f, s.tokens * h, Part::forward);
        gemm(f, KernelId::gemmQkv, s.tokens, (s.queryDim + 2 * s.keyValueDim) / tp, h, Part::forward);
        if (!model.positionEmbeddingLearned)
            memory(f, KernelId::residual, 2 * e * s.tokens * (s.queryDim + s.keyValueDim) / tp, Part::forward, 2); // rotary
        if (model.qkLayernorm)
            memory(f, KernelId::norm, 2 * e * s.tokens * (s.queryDim + s.keyValueDim) / tp, Part::forward, 2);
        contextExchange(f, Part::forward);
        attentionCore(kind, f, Part::forward, d, d);
        quantise(f, s.tokens * s.queryDim / tp, Part::forward);
        gemm(f, KernelId::gemmProj, s.tokens, h, s.queryDim / tp, Part::forward);
    }
    exitForward();
    residual();
}

void Emitter::attentionBackward(LayerKind kind)
{
    auto& b = out.backward;
    const auto both = [&](KernelId id, double n, double k) {
        gemm(b, id, s.tokens, k, n, Part::dgrad);
        gemm(b, id, n, k, s.tokens, Part::wgrad);
    };
    residualBackward();
    exitBackward();
    if (model.multiLatentAttention) {
        const double qk = static_cast<double>(model.qkHeadDim + model.qkPosEmbHeadDim), v = static_cast<double>(model.vHeadDim);
        const double rq = static_cast<double>(model.qLoraRank), rkv = static_cast<double>(model.kvLoraRank);
        quantise(b, s.tokens * h, Part::dgrad);
        both(KernelId::gemmProj, h, s.heads * v);
        attentionCore(kind, b, Part::dgrad, qk, v);
        contextExchange(b, Part::dgrad);
        memory(b, KernelId::residual, 2 * e * s.tokens * s.heads * (2 * qk + v), Part::dgrad, 4);
        both(KernelId::gemmQkv, s.heads * (static_cast<double>(model.qkHeadDim) + v), rkv);
        both(KernelId::gemmQkv, s.heads * qk, rq > 0 ? rq : h);
        memory(b, KernelId::norm, 3.5 * e * s.tokens * (rq + rkv), Part::dgrad, 4);
        enterBackward();
        both(KernelId::gemmQkv, rq + rkv + static_cast<double>(model.qkPosEmbHeadDim), h);
    } else {
        const double d = static_cast<double>(model.kvChannels);
        quantise(b, s.tokens * h, Part::dgrad);
        both(KernelId::gemmProj, h, s.queryDim / tp);
        attentionCore(kind, b, Part::dgrad, d, d);
        contextExchange(b, Part::dgrad);
        if (!model.positionEmbeddingLearned)
            memory(b, KernelId::residual, 2 * e * s.tokens * (s.queryDim + s.keyValueDim) / tp, Part::dgrad, 2);
        if (model.qkLayernorm)
            memory(b, KernelId::norm, 3.5 * e * s.tokens * (s.queryDim + s.keyValueDim) / tp, Part::dgrad, 4);
        quantise(b, s.tokens * (s.queryDim + 2 * s.keyValueDim) / tp, Part::dgrad);
        enterBackward();
        both(KernelId::gemmQkv, (s.queryDim + 2 * s.keyValueDim) / tp, h);
    }
    normBackward();
}

void Emitter::mlp(double ffn, bool enterAndExit, bool shared)
{
    auto& f = out.forward;
    const double width = ffn / tp, gates = model.gatedMlp ? 2 : 1;
    if (enterAndExit)
        norm();
    {
        const Module module(*this, shared ? kSharedExperts : kDenseMlp);
        if (enterAndExit) {
            enterForward();
            quantise(f, s.tokens * h, Part::forward);
        }
        gemm(f, KernelId::gemmFc1, s.tokens, gates * width, h, Part::forward);
        memory(f, KernelId::activation, (gates + 1) * e * s.tokens * width);
        quantise(f, s.tokens * width, Part::forward);
        gemm(f, KernelId::gemmFc2, s.tokens, h, width, Part::forward);
        if (enterAndExit)
            exitForward();
    }
    if (enterAndExit)
        residual();
}

void Emitter::mlpBackward(double ffn, bool enterAndExit)
{
    auto& b = out.backward;
    const double width = ffn / tp, gates = model.gatedMlp ? 2 : 1;
    if (enterAndExit) {
        residualBackward();
        exitBackward();
        quantise(b, s.tokens * h, Part::dgrad);
    }
    gemm(b, KernelId::gemmFc2, s.tokens, width, h, Part::dgrad);
    gemm(b, KernelId::gemmFc2, h, width, s.tokens, Part::wgrad);
    memory(b, KernelId::activation, (2 * gates + 1) * e * s.tokens * width, Part::dgrad);
    quantise(b, s.tokens * gates * width, Part::dgrad);
    gemm(b, KernelId::gemmFc1, s.tokens, h, gates * width, Part::dgrad);
    if (enterAndExit)
        enterBackward();
    gemm(b, KernelId::gemmFc1, gates * width, h, s.tokens, Part::wgrad);
    if (enterAndExit)
        normBackward();
}

/// Router, permutation, all-to-all, grouped expert GEMMs and the way back (GShard, arXiv 2006.16668; MegaBlocks, arXiv 2211.15841).
void Emitter::moe()
{
    auto& f = out.forward;
    const double experts = static_cast<double>(model.numExperts), topk = static_cast<double>(model.moeRouterTopk);
    const double ep = static_cast<double>(s.ep), etp = static_cast<double>(s.etp);
    const double ffn = static_cast<double>(model.moeFfnHiddenSize), gates = model.gatedMlp ? 2 : 1;
    // With sequence parallelism every TP rank routes its own shard of the tokens.
    const double routed = s.tokens / tp * topk;
    const double received = routed * etp; // tokens that this rank's experts see: balanced, gathered over expert-TP
    const double localExperts = std::max(1.0, experts / ep);
    norm();
    {
        const Module module(*this, kMoe);
        gemm(f, KernelId::router, s.tokens / tp, experts, h, Part::forward, 1, false);
        memory(f, KernelId::router, s.tokens / tp * experts * 16, Part::forward, 6);
        toExperts(f, routed, received, Part::forward);
        quantise(f, received * h, Part::forward);
        gemm(f, KernelId::gemmMoeFc1, received / localExperts, gates * ffn / etp, h, Part::forward, localExperts);
        {
            const Module activation(*this, kMoeActivation);
            memory(f, KernelId::activation, (gates + 1) * e * received * ffn / etp);
        }
        quantise(f, received * ffn / etp, Part::forward);
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

void Emitter::toExperts(std::vector<Kernel>& to, double routed, double received, Part part)
{
    if (!dispatchesTokens())
        memory(to, KernelId::moePermute, 2 * e * routed * h, part, 2);
    if (s.ep > 1)
        collective(to, KernelId::epAllToAll, CollectiveOp::allToAll, Domain::expert, routed * h * e, part);
    if (s.etp > 1)
        collective(to, KernelId::tpAllGather, CollectiveOp::allGather, Domain::expertTensor, received * h * e, part);
    memory(to, KernelId::moePermute, e * (1 + copiesPerExpert()) * received * h, part);
}

void Emitter::fromExperts(std::vector<Kernel>& to, double routed, double received, double mergedBytes, Part part)
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
    const double experts = static_cast<double>(model.numExperts), topk = static_cast<double>(model.moeRouterTopk);
    const double ep = static_cast<double>(s.ep), etp = static_cast<double>(s.etp);
    const double ffn = static_cast<double>(model.moeFfnHiddenSize), gates = model.gatedMlp ? 2 : 1;
    const double routed = s.tokens / tp * topk, received = routed * etp, localExperts = std::max(1.0, experts / ep);
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
    memory(b, KernelId::activation, (2 * gates + 1) * e * received * ffn / etp, Part::dgrad);
    quantise(b, received * gates * ffn / etp, Part::dgrad);
    gemm(b, KernelId::gemmMoeFc1, perExpert, h, gates * ffn / etp, Part::dgrad, localExperts);
    gemm(b, KernelId::gemmMoeFc1, gates * ffn / etp, h, perExpert, Part::wgrad, localExperts);
    fromExperts(b, routed, received, 2 * e * routed * h, Part::dgrad);
    memory(b, KernelId::router, s.tokens / tp * experts * 24, Part::dgrad, 8);
    gemm(b, KernelId::router, s.tokens / tp, h, experts, Part::dgrad, 1, false);
    gemm(b, KernelId::router, experts, h, s.tokens / tp, Part::wgrad, 1, false);
    normBackward();
}

/// Selective state-space layer (Mamba-2, arXiv 2405.21060): expansion 2, state 128, head 64: in/out projections and a scan
/// that streams its inputs.
void Emitter::mamba()
{
    auto& f = out.forward;
    auto& b = out.backward;
    const double inner = 2 * h / tp, state = 128;
    const double in = 2 * inner + 2 * 8 * state / tp + inner / 64; // 8 groups of state
    norm();
    enterForward();
    gemm(f, KernelId::gemmQkv, s.tokens, in, h, Part::forward);
    memory(f, KernelId::ssm, e * s.tokens * (3 * inner + 2 * state) * 2, Part::forward, 2); // short convolution, gate and norm
    Kernel scan;
    scan.id = KernelId::ssm;
    scan.kind = CostKind::roofline;
    // State-space duality (arXiv 2405.21060, section 6) in chunks of 256 tokens: the causal half of the products inside a chunk with
    // the inputs and between the 8 groups' queries and keys, and states written and read.
    constexpr double kChunk = 256, kGroups = 8;
    scan.flops = s.tokens * (kChunk * (inner + kGroups * state / tp) + 4 * state * inner);
    scan.bytes = e * s.tokens * (3 * inner + 2 * kGroups * state / tp);
    scan.launches = 5;
    f.push_back(scan);
    gemm(f, KernelId::gemmProj, s.tokens, h, inner, Part::forward);
    exitForward();
    residual();

    residualBackward();
    exitBackward();
    gemm(b, KernelId::gemmProj, s.tokens, inner, h, Part::dgrad);
    gemm(b, KernelId::gemmProj, h, inner, s.tokens, Part::wgrad);
    scan.part = Part::dgrad;
    scan.backward = true;
    scan.flops *= 2.5;
    scan.bytes *= 2.5;
    scan.launches = 8;
    b.push_back(scan);
    memory(b, KernelId::ssm, e * s.tokens * (3 * inner + 2 * state) * 4, Part::dgrad, 4);
    gemm(b, KernelId::gemmQkv, s.tokens, h, in, Part::dgrad);
    enterBackward();
    gemm(b, KernelId::gemmQkv, in, h, s.tokens, Part::wgrad);
    normBackward();
}

} // namespace

LayerKernels layerKernels(const Scenario& scenario, const Shape& shape, LayerKind kind)
{
    Emitter em(scenario, shape);
    const double ffn = static_cast<double>(scenario.model.ffnHiddenSize);
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
        // Vocabulary-parallel cross entropy in FP32: cast, maximum, exponent, sum; before fused kernels each of them is a pass of its
        // own over the logits, and so are the shift, the division and the scaled gradient (Megatron-LM
        // core/tensor_parallel/cross_entropy.py).
        const bool fused = scenario.training.fusedAttention();
        em.memory(f, KernelId::loss, logits * (em.e + 4 * (fused ? 4 : 9)), Part::forward, 6);
        em.memory(b, KernelId::loss, logits * (4 + em.e + 4 * (fused ? 1 : 2)), Part::dgrad, 3);
        em.gemm(b, KernelId::lmHead, shape.tokens, em.h, vocabulary, Part::dgrad, 1, false);
        em.enterBackward();
        em.gemm(b, KernelId::lmHead, vocabulary, em.h, shape.tokens, Part::wgrad, 1, false);
    }
    em.normBackward();
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

LayerKernels genericKernels(const Scenario& scenario, const Shape& shape)
{
    Emitter em(scenario, shape);
    const double samples = shape.microBatch;
    for (const GenericOperator& op : scenario.model.operators)
        for (int i = 0; i < op.count; ++i) {
            if (op.m > 0 && op.n > 0 && op.k > 0) {
                const double m = static_cast<double>(op.m) * samples, n = static_cast<double>(op.n) / em.tp, k = static_cast<double>(op.k);
                em.gemm(em.out.forward, KernelId::genericGemm, m, n, k, Part::forward);
                em.gemm(em.out.backward, KernelId::genericGemm, m, k, n, Part::dgrad);
                em.gemm(em.out.backward, KernelId::genericGemm, n, k, m, Part::wgrad);
            }
            if (op.bytes > 0 || (op.m <= 0 && op.flops > 0)) {
                Kernel k;
                k.id = KernelId::genericOp;
                k.kind = op.flops > 0 && op.m <= 0 ? CostKind::roofline : CostKind::memory;
                k.flops = op.m > 0 ? 0 : op.flops * samples / em.tp;
                k.bytes = op.bytes * samples / em.tp;
                em.out.forward.push_back(k);
                k.part = Part::dgrad;
                k.flops *= 2;
                k.bytes *= 2;
                em.out.backward.push_back(k);
            }
        }
    return std::move(em.out);
}

} // namespace prism
