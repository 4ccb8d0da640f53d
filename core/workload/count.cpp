// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workload/count.h"

#include <algorithm>

namespace prism {
namespace {

double real(std::int64_t x)
{
    return static_cast<double>(x);
}

bool hasAttention(LayerKind k)
{
    return k != LayerKind::mlpOnly && k != LayerKind::moeOnly && k != LayerKind::mamba;
}
bool hasMoe(LayerKind k)
{
    return k == LayerKind::moe || k == LayerKind::moeOnly;
}
bool hasMlp(LayerKind k)
{
    return k == LayerKind::dense || k == LayerKind::sliding || k == LayerKind::mlpOnly;
}

/// Matrix weights of the attention block.
double attentionMatrix(const ModelConfig& m)
{
    const double h = real(m.hiddenSize), heads = real(m.numAttentionHeads);
    if (!m.multiLatentAttention)
        return h * (2 * heads + 2 * real(m.numQueryGroups)) * real(m.kvChannels);
    const double qk = real(m.qkHeadDim + m.qkPosEmbHeadDim), v = real(m.vHeadDim), rq = real(m.qLoraRank), rkv = real(m.kvLoraRank);
    const double query = rq > 0 ? h * rq + rq * heads * qk : h * heads * qk;
    return query + h * (rkv + real(m.qkPosEmbHeadDim)) + rkv * heads * (real(m.qkHeadDim) + v) + heads * v * h;
}

double attentionVectors(const ModelConfig& m)
{
    double n = 0;
    const double width = (real(m.numAttentionHeads) + 2 * real(m.numQueryGroups)) * real(m.kvChannels);
    if (m.multiLatentAttention)
        n += real(m.qLoraRank + m.kvLoraRank);
    else if (m.addQkvBias || m.addBiasLinear)
        n += width;
    if (m.addBiasLinear)
        n += real(m.hiddenSize);
    if (m.qkLayernorm && !m.multiLatentAttention)
        n += 2 * real(m.kvChannels);
    return n;
}

double mlpMatrix(const ModelConfig& m, std::int64_t ffn)
{
    return (m.gatedMlp ? 3 : 2) * real(m.hiddenSize) * real(ffn);
}

double mlpVectors(const ModelConfig& m, std::int64_t ffn)
{
    return m.addBiasLinear ? (m.gatedMlp ? 2 : 1) * real(ffn) + real(m.hiddenSize) : 0.0;
}

double normVectors(const ModelConfig& m)
{
    return (m.normalization == "layernorm" ? 2 : 1) * real(m.hiddenSize);
}

/// Mamba-2 block with expansion 2, state 128 in 8 groups, head 64, convolution 4 (arXiv 2405.21060).
double mambaMatrix(const ModelConfig& m)
{
    const double h = real(m.hiddenSize), inner = 2 * h;
    return h * (2 * inner + 2048 + inner / 64) + inner * h;
}

/// Weights that multiply a token in one layer of a kind.
double activeMatrix(const ModelConfig& m, LayerKind kind)
{
    double n = 0;
    if (kind == LayerKind::mamba)
        n += mambaMatrix(m);
    if (hasAttention(kind))
        n += attentionMatrix(m);
    if (hasMlp(kind))
        n += mlpMatrix(m, m.ffnHiddenSize);
    if (hasMoe(kind))
        n += real(m.moeRouterTopk) * mlpMatrix(m, m.moeFfnHiddenSize) + mlpMatrix(m, m.moeSharedExpertIntermediateSize)
             + real(m.hiddenSize) * real(m.numExperts);
    return n;
}

/// Width of QK^T and PV together per attended position: 2 * heads * channels, or the two widths of latent attention.
double attentionWidth(const ModelConfig& m)
{
    const double heads = real(m.numAttentionHeads);
    return m.multiLatentAttention ? heads * real(m.qkHeadDim + m.qkPosEmbHeadDim + m.vHeadDim) : 2 * heads * real(m.kvChannels);
}

} // namespace

LayerParameters layerParameters(const ModelConfig& m, LayerKind kind)
{
    LayerParameters p;
    if (kind == LayerKind::mamba)
        p.total += mambaMatrix(m) + normVectors(m) + 5 * (2 * real(m.hiddenSize) + 2048) + 2 * real(m.hiddenSize);
    if (hasAttention(kind))
        p.total += attentionMatrix(m) + attentionVectors(m) + normVectors(m);
    const bool joinedNorm = m.parallelAttention && hasAttention(kind);
    if (hasMlp(kind))
        p.total += mlpMatrix(m, m.ffnHiddenSize) + mlpVectors(m, m.ffnHiddenSize) + (joinedNorm ? 0.0 : normVectors(m));
    if (hasMoe(kind)) {
        const double one = mlpMatrix(m, m.moeFfnHiddenSize) + mlpVectors(m, m.moeFfnHiddenSize);
        p.expert = real(m.numExperts) * one;
        p.activeExpert = real(m.moeRouterTopk) * one;
        p.total += p.expert + real(m.hiddenSize) * real(m.numExperts) + normVectors(m);
        if (m.moeSharedExpertIntermediateSize > 0)
            p.total += mlpMatrix(m, m.moeSharedExpertIntermediateSize);
    }
    return p;
}

double embeddingParameters(const ModelConfig& m)
{
    return real(m.vocabSize) * real(m.hiddenSize) + (m.positionEmbeddingLearned ? real(m.seqLength) * real(m.hiddenSize) : 0.0);
}

double headParameters(const ModelConfig& m)
{
    return real(m.vocabSize) * real(m.hiddenSize) + normVectors(m);
}

/// A layer, the projection of two joined vectors, and three more norms (arXiv 2412.19437, section 2.2).
LayerParameters mtpLayerParameters(const ModelConfig& m)
{
    LayerParameters p = layerParameters(m, mtpLayerKind(m));
    p.total += 2 * real(m.hiddenSize) * real(m.hiddenSize) + 3 * normVectors(m);
    return p;
}

double totalParameters(const ModelConfig& m)
{
    if (!m.operators.empty()) {
        double n = 0;
        for (const GenericOperator& op : m.operators)
            n += real(op.parameters) * op.count;
        return n;
    }
    double n = embeddingParameters(m) + normVectors(m) + (m.tiedEmbeddings ? 0.0 : real(m.vocabSize) * real(m.hiddenSize));
    for (const LayerKind kind : layerKinds(m))
        n += layerParameters(m, kind).total;
    return n;
}

double attentionForwardFlopsPerToken(const ModelConfig& m)
{
    double n = 0;
    for (const LayerKind kind : layerKinds(m)) {
        if (!hasAttention(kind))
            continue;
        const bool window = kind == LayerKind::sliding && m.slidingWindow > 0;
        n += 2 * attentionWidth(m) * real(window ? std::min(m.seqLength, m.slidingWindow) : m.seqLength);
    }
    return n;
}

double recomputedFlopsPerToken(const ModelConfig& m, RecomputeModules modules)
{
    const auto repeated = [&](int module) { return (modules & module) != 0; };
    double n = repeated(kCoreAttention) ? attentionForwardFlopsPerToken(m) : 0.0;
    const double upProjection =
        real(m.numAttentionHeads)
        * (real(m.qLoraRank) * real(m.qkHeadDim + m.qkPosEmbHeadDim) + real(m.kvLoraRank) * real(m.qkHeadDim + m.vHeadDim));
    const double shared = mlpMatrix(m, m.moeSharedExpertIntermediateSize);
    for (const LayerKind kind : layerKinds(m)) {
        if (hasAttention(kind) && m.multiLatentAttention && repeated(kMlaUpProjection))
            n += 2 * upProjection;
        if (hasMlp(kind) && repeated(kDenseMlp))
            n += 2 * mlpMatrix(m, m.ffnHiddenSize);
        if (hasMoe(kind) && repeated(kMoe))
            n += 2 * (real(m.moeRouterTopk) * mlpMatrix(m, m.moeFfnHiddenSize) + real(m.hiddenSize) * real(m.numExperts));
        if (hasMoe(kind) && repeated(kMoe | kSharedExperts))
            n += 2 * shared;
    }
    return n;
}

double layerForwardFlopsPerToken(const ModelConfig& m)
{
    if (!m.operators.empty()) {
        double n = 0;
        for (const GenericOperator& op : m.operators)
            n += op.count * (op.m > 0 ? 2.0 * real(op.m) * real(op.n) * real(op.k) : op.flops);
        return n / std::max(1.0, real(m.seqLength));
    }
    double n = attentionForwardFlopsPerToken(m);
    for (const LayerKind kind : layerKinds(m))
        n += 2 * activeMatrix(m, kind);
    return n;
}

double modelFlopsPerToken(const ModelConfig& m)
{
    double forward = layerForwardFlopsPerToken(m);
    if (m.operators.empty()) {
        forward += 2 * real(m.vocabSize) * real(m.hiddenSize) * (1 + real(m.mtpNumLayers));
        if (m.mtpNumLayers > 0) {
            forward +=
                real(m.mtpNumLayers) * 2
                * (activeMatrix(m, mtpLayerKind(m)) + 2 * real(m.hiddenSize) * real(m.hiddenSize) + attentionWidth(m) * real(m.seqLength));
        }
    }
    return 3 * forward;
}

double modelFlopsPerToken(const ModelConfig& m, const FlopsCounting& counting)
{
    double flops = modelFlopsPerToken(m);
    if (!m.operators.empty())
        return flops;
    if (!counting.vocabulary)
        flops -= 6 * real(m.vocabSize) * real(m.hiddenSize) * (1 + real(m.mtpNumLayers));
    if (counting.causalHalf && m.causalAttention)
        flops -= 1.5 * (attentionForwardFlopsPerToken(m) + real(m.mtpNumLayers) * 2 * attentionWidth(m) * real(m.seqLength));
    return flops;
}

} // namespace prism
