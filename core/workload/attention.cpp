// SPDX-License-Identifier: GPL-3.0-or-later
// Attention: projections, core attention fused or not, context parallelism, multi-latent attention; forward and backward.
#include "core/workload/emitter.h"

#include <algorithm>

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

/// FLOPs: QK^T and PV, 2 * pairs * dim each; backward 5 products instead of 2 (Dao 2023, arXiv 2307.08691, section 3.1).
void Emitter::attentionCore(LayerKind kind, std::vector<Kernel>& to, Part part, double queryDim, double valueDim)
{
    const Module module(*this, kCoreAttention);
    const auto cp = static_cast<double>(s.cp);
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
    const auto cp = static_cast<double>(s.cp);
    const double keyValue = 2 * s.keyValueDim / tp * s.tokens * e; // this rank's keys and values
    if (par.cpCommType == "a2a") {
        const double query = 2 * s.queryDim / tp * s.tokens * e; // queries in, outputs back
        collective(to, KernelId::cpExchange, CollectiveOp::allToAll, Domain::context, (keyValue + query) * (backward ? 2 : 1), part);
    } else if (par.cpCommType == "all_gather") {
        collective(to, KernelId::cpExchange, CollectiveOp::allGather, Domain::context, keyValue * cp, part);
        if (backward)
            collective(to, KernelId::cpExchange, CollectiveOp::reduceScatter, Domain::context, keyValue * cp, part);
    } else {
        // cp - 1 neighbour exchanges, each overlapped with the attention of the present block; gradients travel too.
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
        const auto qk = static_cast<double>(model.qkHeadDim + model.qkPosEmbHeadDim), v = static_cast<double>(model.vHeadDim);
        const auto rq = static_cast<double>(model.qLoraRank), rkv = static_cast<double>(model.kvLoraRank);
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
        const auto d = static_cast<double>(model.kvChannels);
        quantise(f, s.tokens * h, Part::forward);
        gemm(f, KernelId::gemmQkv, s.tokens, (s.queryDim + 2 * s.keyValueDim) / tp, h, Part::forward);
        if (!model.positionEmbeddingLearned)
            memory(f, KernelId::residual, rotaryBytes() * s.tokens * (s.queryDim + s.keyValueDim) / tp, Part::forward, 2);
        if (model.qkLayernorm)
            memory(f, KernelId::norm, normBytes(Part::forward) * s.tokens * (s.queryDim + s.keyValueDim) / tp, Part::forward, 2);
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
        const auto qk = static_cast<double>(model.qkHeadDim + model.qkPosEmbHeadDim), v = static_cast<double>(model.vHeadDim);
        const auto rq = static_cast<double>(model.qLoraRank), rkv = static_cast<double>(model.kvLoraRank);
        quantise(b, s.tokens * h, Part::dgrad);
        both(KernelId::gemmProj, h, s.heads * v);
        attentionCore(kind, b, Part::dgrad, qk, v);
        contextExchange(b, Part::dgrad);
        memory(b, KernelId::residual, 2 * e * s.tokens * s.heads * (2 * qk + v), Part::dgrad, 4);
        both(KernelId::gemmQkv, s.heads * (static_cast<double>(model.qkHeadDim) + v), rkv);
        both(KernelId::gemmQkv, s.heads * qk, rq > 0 ? rq : h);
        memory(b, KernelId::norm, kNormBackwardPasses * e * s.tokens * (rq + rkv), Part::dgrad, 4);
        enterBackward();
        both(KernelId::gemmQkv, rq + rkv + static_cast<double>(model.qkPosEmbHeadDim), h);
    } else {
        const auto d = static_cast<double>(model.kvChannels);
        quantise(b, s.tokens * h, Part::dgrad);
        both(KernelId::gemmProj, h, s.queryDim / tp);
        attentionCore(kind, b, Part::dgrad, d, d);
        contextExchange(b, Part::dgrad);
        if (!model.positionEmbeddingLearned)
            memory(b, KernelId::residual, rotaryBytes() * s.tokens * (s.queryDim + s.keyValueDim) / tp, Part::dgrad, 2);
        if (model.qkLayernorm)
            memory(b, KernelId::norm, normBytes(Part::dgrad) * s.tokens * (s.queryDim + s.keyValueDim) / tp, Part::dgrad, 4);
        quantise(b, s.tokens * (s.queryDim + 2 * s.keyValueDim) / tp, Part::dgrad);
        enterBackward();
        both(KernelId::gemmQkv, (s.queryDim + 2 * s.keyValueDim) / tp, h);
    }
    normBackward();
}

} // namespace prism
