// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workload/memory.h"

#include "core/workload/count.h"

#include <algorithm>

namespace prism {
namespace {

double real(std::int64_t x)
{
    return static_cast<double>(x);
}

/// Saved tensors of one layer, Korthikanti et al. 2022 (arXiv 2205.05198), section 4: inputs of norms, of the matrix
/// products, of the activation and of attention; the s^2 tensors only without fused attention.
double layerBytes(const Scenario& scenario, const Shape& s, LayerKind kind)
{
    const ModelConfig& m = scenario.model;
    const double e = s.elementBytes, h = real(m.hiddenSize), tp = real(s.tp);
    const double full = s.tokens, sharded = s.shardedTokens;
    const bool attention = kind != LayerKind::mlpOnly && kind != LayerKind::moeOnly && kind != LayerKind::mamba;
    const bool mlp = kind == LayerKind::dense || kind == LayerKind::sliding || kind == LayerKind::mlpOnly;
    const bool moe = kind == LayerKind::moe || kind == LayerKind::moeOnly;
    // Inputs of matrix products are kept quantised, by columns alone; NVFP4 has a scale for each 16 values (TE docs, nvfp4).
    const double in = s.fp4 ? 0.5 + 1.0 / 16 : s.fp8 ? 1.0 : e;
    const double gates = m.gatedMlp ? 2 : 1;
    const auto keptUnless = [&](int modules, double kept) { return (s.recomputed & modules) != 0 ? 0.0 : kept; };
    double bytes = 0;
    if (kind == LayerKind::mamba)
        bytes += e * (2 * sharded * h + full * (3 * 2 * h + 256) / tp * 2);
    if (attention) {
        bytes += e * sharded * h + keptUnless(kLayerNorm, in * sharded * h); // input of the norm; input of QKV
        if (m.multiLatentAttention) {
            const double qk = real(m.qkHeadDim + m.qkPosEmbHeadDim), v = real(m.vHeadDim);
            bytes += 2 * e * full * real(m.qLoraRank + m.kvLoraRank) + keptUnless(kMlaUpProjection, e * full * s.heads * (2 * qk + v))
                     + e * full * s.heads * v + in * full * s.heads * v;
        } else {
            bytes += e * full * (s.queryDim + 2 * s.keyValueDim) / tp + e * full * s.queryDim / tp;
        }
        if (!scenario.training.fusedAttention() && scenario.training.recomputeGranularity != "full")
            bytes += keptUnless(kCoreAttention, (2 * e + 1) * s.microBatch * s.heads * s.sequence * s.sequence / real(s.cp));
        if (!scenario.training.fusedAttention())
            bytes += sharded * h; // dropout mask
    }
    if (mlp) {
        const double f = real(m.ffnHiddenSize);
        bytes += e * sharded * h + keptUnless(kLayerNorm | kDenseMlp, in * sharded * h)
                 + keptUnless(kDenseMlp, e * full * gates * f / tp + in * full * f / tp);
        if (!scenario.training.fusedAttention())
            bytes += sharded * h;
    }
    if (moe) {
        const double routed = full / tp * real(m.moeRouterTopk) * s.expertLoad, f = real(m.moeFfnHiddenSize);
        bytes += e * sharded * h + keptUnless(kLayerNorm | kMoe, e * sharded * h);
        // What comes out of the experts is kept where their weights are applied after it; software with DeepEP applies them to the
        // activation (Megatron-Core 0.13, "memory efficient token permutation").
        const double weighted = scenario.parallelism.moeTokenDispatcherType == "flex" ? 0.0 : e * routed * h;
        bytes += keptUnless(kMoe, in * routed * h + e * routed * gates * f + weighted + full / tp * real(m.numExperts) * 8);
        bytes += keptUnless(kMoe | kMoeActivation, in * routed * f);
        const double shared = real(m.moeSharedExpertIntermediateSize);
        bytes += keptUnless(kMoe | kSharedExperts, e * full * gates * shared / tp + in * full * shared / tp);
    }
    return bytes;
}

/// What one application of an operator keeps for the backward: the input of a product, half of other traffic.
double operatorBytes(const GenericOperator& op, const Shape& s)
{
    return (op.m > 0 ? s.elementBytes * real(op.m) * real(op.k) : op.bytes / 2) * s.microBatch / real(s.tp);
}

/// Of an operator list, the operators that are applied most often are its block, which full recomputation repeats.
int blockRepeats(const ModelConfig& m)
{
    int largest = 0;
    for (const GenericOperator& op : m.operators)
        largest = std::max(largest, op.count);
    return largest;
}

/// Kept by an operator list: everything, or with full recomputation the input of every block and what is not part of it.
double operatorListBytes(const Scenario& scenario, const Shape& s)
{
    const bool full = scenario.training.recomputeGranularity == "full";
    const int repeats = blockRepeats(scenario.model);
    double bytes = 0;
    bool inputKept = false;
    for (const GenericOperator& op : scenario.model.operators) {
        const bool again = full && op.count == repeats, first = again && !inputKept && op.m > 0;
        bytes += !again || first ? op.count * operatorBytes(op, s) : 0.0;
        inputKept = inputKept || first;
    }
    return bytes / real(s.pp);
}

/// Logits of the model and of every multi-token prediction layer.
double logitsOf(const Scenario& scenario, const Shape& s)
{
    return (1 + real(scenario.model.mtpNumLayers)) * s.tokens * real(scenario.model.vocabSize) / real(s.tp);
}

} // namespace

StageParameters stageParameters(const Scenario& scenario, const Shape& s, const std::vector<ChunkLayers>& chunks, bool tiedCopy)
{
    const ModelConfig& m = scenario.model;
    StageParameters p;
    if (!m.operators.empty()) {
        p.dense = totalParameters(m) / real(s.tp) / real(s.pp);
        return p;
    }
    for (const ChunkLayers& c : chunks) {
        for (int k = 0; k < kLayerKinds; ++k) {
            if (c.count[static_cast<std::size_t>(k)] == 0)
                continue;
            const LayerParameters layer = layerParameters(m, static_cast<LayerKind>(k));
            p.dense += c.count[static_cast<std::size_t>(k)] * (layer.total - layer.expert) / real(s.tp);
            p.expert += c.count[static_cast<std::size_t>(k)] * layer.expert / real(s.ep * s.etp);
        }
        if (c.embedding)
            p.dense += embeddingParameters(m) / real(s.tp);
        if (c.head)
            p.dense += (headParameters(m) - (m.tiedEmbeddings && !tiedCopy ? real(m.vocabSize) * real(m.hiddenSize) : 0.0)) / real(s.tp);
        if (c.mtp > 0) {
            const LayerParameters layer = mtpLayerParameters(m);
            p.dense += c.mtp * (layer.total - layer.expert) / real(s.tp);
            p.expert += c.mtp * layer.expert / real(s.ep * s.etp);
        }
    }
    return p;
}

double lossBytes(const Scenario& scenario, const Shape& s, const ChunkLayers& chunk)
{
    const double bytes = s.fusedLoss ? 4 : 12; // torch's loss: FP32 logits, their logarithms and their gradient
    return chunk.head && scenario.model.operators.empty() ? bytes * logitsOf(scenario, s) : 0.0;
}

double activationBytes(const Scenario& scenario, const Shape& s, const ChunkLayers& chunk)
{
    const TrainingConfig& t = scenario.training;
    const double h = real(scenario.model.hiddenSize);
    double bytes = 0;
    if (!scenario.model.operators.empty())
        return operatorListBytes(scenario, s);
    int recomputed = 0;
    if (t.recomputeGranularity == "full")
        recomputed = t.recomputeMethod == "block" && t.recomputeNumLayers > 0 ? std::min(t.recomputeNumLayers, chunk.total) : chunk.total;
    const double offloaded = std::min(t.cpuOffloadingNumLayers, chunk.total - recomputed);
    const double kept = chunk.total > 0 ? 1.0 - (recomputed + offloaded) / chunk.total : 0.0;
    for (int k = 0; k < kLayerKinds; ++k)
        if (chunk.count[static_cast<std::size_t>(k)] > 0)
            bytes += kept * chunk.count[static_cast<std::size_t>(k)] * layerBytes(scenario, s, static_cast<LayerKind>(k));
    bytes += recomputed * s.elementBytes * s.shardedTokens * h; // a recomputed layer keeps its input
    // A multi-token prediction layer keeps its two joined inputs as well; its logits are computed next to those of the model.
    if (chunk.mtp > 0)
        bytes += chunk.mtp * (layerBytes(scenario, s, mtpLayerKind(scenario.model)) + 2 * s.elementBytes * s.shardedTokens * h);
    if (chunk.head)
        bytes += logitsOf(scenario, s) * s.elementBytes + lossBytes(scenario, s, chunk) + 2 * s.elementBytes * s.shardedTokens * h;
    return bytes;
}

double transientBytes(const Scenario& scenario, const Shape& s, const ChunkLayers& chunk)
{
    double largest = 0;
    if (!scenario.model.operators.empty()) {
        for (const GenericOperator& op : scenario.model.operators)
            largest += op.count == blockRepeats(scenario.model) ? operatorBytes(op, s) : 0.0;
        return scenario.training.recomputeGranularity == "full" ? largest : 0.0;
    }
    for (int k = 0; k < kLayerKinds; ++k)
        if (chunk.count[static_cast<std::size_t>(k)] > 0)
            largest = std::max(largest, layerBytes(scenario, s, static_cast<LayerKind>(k)));
    double bytes = scenario.training.recomputeGranularity == "full" ? largest : 0.0;
    bytes += 2 * s.elementBytes * s.tokens * real(scenario.model.hiddenSize); // gathered input and its gradient
    return bytes;
}

double gradientCopyBytes(const ModelConfig& m, const Shape& s, bool holdsEmbedding)
{
    if (!m.operators.empty())
        return 0;
    const double h = real(m.hiddenSize), gates = m.gatedMlp ? 2 : 1;
    const double dense = m.numExperts > 0 && m.moeFirstKDense == 0 ? 0.0 : gates * h * real(m.ffnHiddenSize);
    const double largest = std::max(dense, h * (s.queryDim + 2 * s.keyValueDim));
    return 4 * (largest + (holdsEmbedding ? real(m.vocabSize) * h : 0.0)) / real(s.tp);
}

} // namespace prism
