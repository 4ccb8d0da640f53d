// SPDX-License-Identifier: GPL-3.0-or-later
// Activation memory by hand: the formulas of Korthikanti et al. 2022 (arXiv 2205.05198, section 4) and what mixtures of experts,
// multi-token prediction and recomputed modules add to them or take away.
#include "core/workload/memory.h"

#include "core/cost/predictor.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

constexpr double kMib = 1024.0 * 1024.0, kGibibyte = 1024.0 * kMib;

/// GPT-3 175B: s 2,048, h 12,288, a 96, micro-batch 1: s b h = 24 Mi elements, 5 a s / h = 80.
Scenario gptScenario(int tp, bool sequenceParallel)
{
    Scenario s;
    s.model.hiddenSize = 12288;
    s.model.ffnHiddenSize = 4 * 12288;
    s.model.numAttentionHeads = s.model.numQueryGroups = 96;
    s.model.kvChannels = 128;
    s.model.seqLength = 2048;
    s.model.vocabSize = 51200;
    s.model.numLayers = 4;
    s.model.gatedMlp = false;
    s.training.attentionBackend = "unfused";
    s.training.microBatchSize = 1;
    s.parallelism.tensorModelParallelSize = tp;
    s.parallelism.sequenceParallel = sequenceParallel;
    s.cluster.numGpus = tp;
    return s;
}

ChunkLayers layersOf(LayerKind kind, int count = 1)
{
    ChunkLayers c;
    c.count[static_cast<std::size_t>(kind)] = count;
    c.total = count;
    return c;
}

double keptMib(const Scenario& s, const ChunkLayers& chunk)
{
    return activationBytes(s, shapeOf(s), chunk) / kMib;
}

TEST(Activations, ALayerKeepsTheBytesOfKorthikantisFormulas)
{
    const ChunkLayers one = layersOf(LayerKind::dense);
    EXPECT_NEAR(keptMib(gptScenario(1, false), one), 24 * (34 + 80), 1e-6);              // equation 1: s b h (34 + 5 a s / h)
    EXPECT_NEAR(keptMib(gptScenario(8, false), one), 24 * (10 + (24 + 80) / 8.0), 1e-6); // equation 2: s b h (10 + 24/t + 5 a s / (h t))
    EXPECT_NEAR(keptMib(gptScenario(8, true), one), 24 * (34 + 80) / 8.0, 1e-6);         // equation 4: s b h / t (34 + 5 a s / h)
    Scenario s = gptScenario(8, true);
    s.training.recomputeGranularity = "selective"; // equation 6: the square of attention is computed again
    EXPECT_NEAR(keptMib(s, one), 24 * 34 / 8.0, 1e-6);
    s.training.microBatchSize = 4;
    EXPECT_NEAR(keptMib(s, one), 4 * 24 * 34 / 8.0, 1e-6);
}

/// Full recomputation keeps the input of a layer alone, 2 s b h bytes, which lies on all tensor-parallel ranks unless the sequence is
/// divided over them (section 5 of the paper).
TEST(Activations, FullRecomputationKeepsTheShardOfTheInput)
{
    Scenario s = gptScenario(8, false);
    s.training.recomputeGranularity = "full";
    EXPECT_NEAR(keptMib(s, layersOf(LayerKind::dense, 3)), 3 * 2 * 24, 1e-6);
    s.parallelism.sequenceParallel = true;
    EXPECT_NEAR(keptMib(s, layersOf(LayerKind::dense, 3)), 3 * 2 * 24 / 8.0, 1e-6);
    s.parallelism.contextParallelSize = 2; // each rank has half of the tokens
    s.cluster.numGpus = 16;
    EXPECT_NEAR(keptMib(s, layersOf(LayerKind::dense, 3)), 3 * 2 * 24 / 16.0, 1e-6);
}

/// Method block: the first layers of the stage are recomputed, the others keep their activations.
TEST(Activations, BlockRecomputationKeepsTheOtherLayers)
{
    Scenario s = gptScenario(8, true);
    s.training.attentionBackend = "flash2"; // 32 s b h / t, below
    s.training.recomputeGranularity = "full";
    s.training.recomputeMethod = "block";
    s.training.recomputeNumLayers = 3;
    EXPECT_NEAR(keptMib(s, layersOf(LayerKind::dense, 4)), 3 * 2 * 24 / 8.0 + 24 * 32 / 8.0, 1e-6);
    s.training.recomputeNumLayers = 9; // more than there are
    EXPECT_NEAR(keptMib(s, layersOf(LayerKind::dense, 4)), 4 * 2 * 24 / 8.0, 1e-6);
}

/// Fused attention stores neither the square nor, with the software of its time, dropout masks: 34 - 2 of the masks. Of grouped queries
/// keys and values are narrower; a gated MLP of width f keeps two inputs and the output of its activation.
TEST(Activations, FusedAttentionGroupedQueriesAndGatedMlps)
{
    Scenario s = gptScenario(1, false);
    s.training.attentionBackend = "flash2";
    EXPECT_NEAR(keptMib(s, layersOf(LayerKind::dense)), 24 * 32, 1e-6);
    s.model.numQueryGroups = 12; // keys and values: 2/8 of h instead of 2 h, 2 bytes each
    EXPECT_NEAR(keptMib(s, layersOf(LayerKind::dense)), 24 * (32 - 2 * (2 - 0.25)), 1e-6);
    s.model.gatedMlp = true; // 16 of 4 h in and out; now three tensors of 2 h, 2 bytes each
    s.model.ffnHiddenSize = 2 * 12288;
    EXPECT_NEAR(keptMib(s, layersOf(LayerKind::dense)), 24 * (32 - 2 * (2 - 0.25) - 16 + 12), 1e-6);
    EXPECT_NEAR(keptMib(s, layersOf(LayerKind::attentionOnly)) + keptMib(s, layersOf(LayerKind::mlpOnly)),
                keptMib(s, layersOf(LayerKind::dense)), 1e-6);
}

/// Inputs of the matrix products are kept in one byte with FP8: those of QKV, projection, both products of the MLP. The projection reads
/// the attention's output, which the attention keeps in 16 bit for its own backward.
TEST(Activations, Fp8HalvesTheInputsOfMatrixProducts)
{
    Scenario s = gptScenario(1, false);
    s.training.attentionBackend = "cudnn";
    s.training.precision = "fp8_delayed";
    EXPECT_NEAR(keptMib(s, layersOf(LayerKind::dense)), 24 * (32 - 1 - 1 - 4), 1e-6); // QKV's h, FC1's h, FC2's 4 h
    s.training.precision = "fp32";                                                    // four bytes of everything
    EXPECT_NEAR(keptMib(s, layersOf(LayerKind::dense)), 24 * 64, 1e-6);
}

/// Modules of selective recomputation (Megatron-LM --recompute-modules): layernorm gives up the two outputs of the norms, mlp the input of
/// its first product too, and all inside.
TEST(Activations, RecomputedModulesOfADenseLayerAreNotKept)
{
    Scenario s = gptScenario(4, true);
    s.training.attentionBackend = "flash2";
    s.training.recomputeGranularity = "selective";
    const auto kept = [&](const char* modules) {
        s.training.recomputeModules = modules;
        return keptMib(s, layersOf(LayerKind::dense)) * 4 / 24; // bytes over s b h / t
    };
    EXPECT_NEAR(kept("core_attn"), 32, 1e-9); // nothing of it is stored
    EXPECT_NEAR(kept("layernorm"), 32 - 2 - 2, 1e-9);
    EXPECT_NEAR(kept("mlp"), 32 - 2 - 8 - 8, 1e-9);
    EXPECT_NEAR(kept("mlp layernorm"), 32 - 2 - 8 - 8 - 2, 1e-9);
}

/// Width of a mixture: h 4,096, 64 experts of width 1,024 (gated), 6 of them for a token, a shared one of 2,048; 1,024 tokens.
Scenario mixtureScenario(const char* dispatcher)
{
    Scenario s;
    s.model.hiddenSize = 4096;
    s.model.seqLength = 1024;
    s.model.numExperts = 64;
    s.model.moeRouterTopk = 6;
    s.model.moeFfnHiddenSize = 1024;
    s.model.moeSharedExpertIntermediateSize = 2048;
    s.parallelism.moeTokenDispatcherType = dispatcher;
    s.training.attentionBackend = "flash2";
    return s;
}

/// Bytes of one token in an expert part: inputs of norm and router (16 bit), softmax and routing map of 64 scores (8 bytes each), and of
/// each of its 6 copies the input of the first product (2 h), the gate and value (4 f), the input of the second product (2 f) and, where
/// the weights of the router are applied after the experts, what comes out of them (2 h). The shared expert like an MLP.
TEST(Activations, AnExpertPartKeepsItsRoutedCopies)
{
    const double h = 4096, f = 1024, shared = 2048;
    const double ends = 4 * h + 8 * 64, copy = 2 * h + 4 * f + 2 * f, sharedExpert = 4 * shared + 2 * shared;
    const auto perToken = [&](const Scenario& s) { return activationBytes(s, shapeOf(s), layersOf(LayerKind::moeOnly)) / 1024; };
    EXPECT_NEAR(perToken(mixtureScenario("flex")), ends + 6 * copy + sharedExpert, 1e-6);
    EXPECT_NEAR(perToken(mixtureScenario("alltoall")), ends + 6 * (copy + 2 * h) + sharedExpert, 1e-6);
    Scenario s = mixtureScenario("flex");
    s.parallelism.tensorModelParallelSize = 4; // each rank routes its share of the tokens
    EXPECT_NEAR(perToken(s), (ends + 6 * copy + sharedExpert) / 4, 1e-6);
    s = mixtureScenario("flex");
    s.training.precision = "fp8_blockwise"; // inputs of the products in one byte
    EXPECT_NEAR(perToken(s), ends + 6 * (h + 4 * f + f) + 4 * shared + shared, 1e-6);
    s.training.precision = "bf16";
    s.training.recomputeGranularity = "selective";
    const auto without = [&](const char* modules) {
        s.training.recomputeModules = modules;
        return perToken(s);
    };
    EXPECT_NEAR(without("moe_act"), ends + 6 * (copy - 2 * f) + sharedExpert, 1e-6); // the activation's output
    EXPECT_NEAR(without("shared_experts"), ends + 6 * copy, 1e-6);
    EXPECT_NEAR(without("moe"), 2 * h, 1e-6); // the input of the norm
    EXPECT_NEAR(without("layernorm"), ends - 2 * h + 6 * copy + sharedExpert, 1e-6);
}

/// Latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1): inputs of norm and down-projection, latent vectors before and after
/// their norms, queries and keys (192 a head) with values (128), the attention's output for itself and for the projection.
TEST(Activations, LatentAttentionKeepsLatentVectorsAndHeads)
{
    Scenario s = mixtureScenario("flex");
    s.model.multiLatentAttention = true;
    s.model.numAttentionHeads = 32;
    s.model.qLoraRank = 1536;
    s.model.kvLoraRank = 512;
    s.model.qkHeadDim = 128;
    s.model.qkPosEmbHeadDim = 64;
    s.model.vHeadDim = 128;
    const double inputs = 4 * 4096, latent = 2 * 2 * (1536 + 512), up = 2 * 32 * (2 * 192 + 128), output = 2 * 2 * 32 * 128;
    const auto perToken = [&] { return activationBytes(s, shapeOf(s), layersOf(LayerKind::attentionOnly)) / 1024; };
    EXPECT_NEAR(perToken(), inputs + latent + up + output, 1e-6);
    s.training.recomputeGranularity = "selective";
    s.training.recomputeModules = "mla_up_proj";
    EXPECT_NEAR(perToken(), inputs + latent + output, 1e-6);
}

/// The last chunk: inputs of the final norm and of the output layer, logits in 16 bit and, for the loss, in FP32; once more of logits for
/// every multi-token prediction layer, which also keeps a layer and its two joined inputs (DeepSeek-V3, arXiv 2412.19437, section 2.2).
/// 4,096 tokens by 129,280 words: 6 bytes of each are 2.96 GiB.
TEST(Activations, LogitsAreKeptOncePerPredictedToken)
{
    Scenario s;
    s.model.hiddenSize = 7168;
    s.model.seqLength = 4096;
    s.model.vocabSize = 129280;
    s.model.numLayers = 1;
    ChunkLayers head;
    head.head = true;
    const double ends = 2 * 2 * 4096 * 7168.0;
    EXPECT_NEAR(keptMib(s, head) * kMib, 3'177'185'280.0 + ends, 1);
    EXPECT_NEAR(lossBytes(s, shapeOf(s), head), 2'118'123'520.0, 1); // FP32 alone
    s.model.mtpNumLayers = 2;
    EXPECT_NEAR(keptMib(s, head) * kMib, 3 * 3'177'185'280.0 + ends, 1);
    s.parallelism.tensorModelParallelSize = 8;
    s.parallelism.sequenceParallel = true;
    EXPECT_NEAR(keptMib(s, head) * kMib, (3 * 3'177'185'280.0 + ends) / 8, 1);
    head.mtp = 1;
    EXPECT_NEAR(keptMib(s, head) * kMib, (3 * 3'177'185'280.0 + 2 * ends) / 8 + keptMib(s, layersOf(LayerKind::dense)) * kMib, 1);
    head.head = false;
    EXPECT_EQ(lossBytes(s, shapeOf(s), head), 0);
}

/// While it is computed a fully recomputed layer keeps what it would have kept; always the gathered input and its gradient are there.
TEST(Activations, WhatALayerKeepsWhileItIsComputed)
{
    Scenario s = gptScenario(8, true);
    s.training.attentionBackend = "flash2";
    EXPECT_NEAR(transientBytes(s, shapeOf(s), layersOf(LayerKind::dense)) / kMib, 2 * 2 * 24, 1e-6);
    s.training.recomputeGranularity = "full";
    EXPECT_NEAR(transientBytes(s, shapeOf(s), layersOf(LayerKind::dense)) / kMib, 2 * 2 * 24 + 24 * 32 / 8.0, 1e-6);
    // FP32 gradients of the largest matrix, 4 h h of FC1, and of the embedding, V h.
    EXPECT_NEAR(gradientCopyBytes(s.model, shapeOf(s), false) / kMib, 4 * 4 * 144 / 8.0, 1e-6);
    EXPECT_NEAR(gradientCopyBytes(s.model, shapeOf(s), true) / kMib, 4 * (4 * 144 + 51200 * 12288.0 / kMib) / 8, 1e-6);
}

std::vector<double> activationGibOf(Scenario s, const char* schedule)
{
    s.parallelism.pipelineSchedule = schedule;
    const Result<CostedStep> step = costStep(s);
    EXPECT_TRUE(step.ok()) << step.errors().front().message;
    std::vector<double> gib;
    for (const StageMemory& m : step->memory.stages)
        gib.push_back(m.activationsGib);
    return gib;
}

/// Four layers of GPT-3 on two stages, six micro-batches, in GiB (2^30 bytes): a layer keeps 24 x 34 / 8 MiB. The last stage also keeps
/// the ends (2 x 2 x 24 / 8 MiB) and logits in 16 and 32 bit (6 bytes by 2,048 by 51,200 over 8 ranks = 75 MiB).
TEST(Activations, StagesHoldTheMicroBatchesOfTheirSchedule)
{
    Scenario s = gptScenario(8, true);
    s.training.recomputeGranularity = "selective";
    s.parallelism.pipelineModelParallelSize = 2;
    s.cluster.numGpus = 16;
    s.training.globalBatchSize = 6;
    const double first = 2 * 102 * kMib / kGibibyte, logits16 = 25 * kMib / kGibibyte, loss = 50 * kMib / kGibibyte;
    const double last = first + 12 * kMib / kGibibyte + logits16 + loss;
    // 1F1B: stage i of P holds P - i (Narayanan et al. 2021, arXiv 2104.04473, section 2.2); GPipe all.
    std::vector<double> held = activationGibOf(s, "1f1b");
    EXPECT_NEAR(held.at(0), 2 * first, 1e-9);
    EXPECT_NEAR(held.at(1), last, 1e-9);
    held = activationGibOf(s, "gpipe");
    EXPECT_NEAR(held.at(0), 6 * first, 1e-9);
    EXPECT_NEAR(held.at(1), 6 * last, 1e-9);
    // ZB-H1 (Qi et al. 2023, arXiv 2401.10241, section 2): P on every stage. The last stage runs F0 B0 F1 B1 W0: while the second forward
    // is held, the first has been through its backward, which needed the FP32 logits; its weight pass needs the rest.
    held = activationGibOf(s, "zb-h1");
    EXPECT_NEAR(held.at(0), 2 * first, 1e-9);
    EXPECT_NEAR(held.at(1), last + last - loss, 1e-9);
    // ZB-H2: 2P - 1 of them.
    held = activationGibOf(s, "zb-h2");
    EXPECT_NEAR(held.at(0), 3 * first, 1e-9);
}

/// Of the saved inputs of products NVFP4 keeps half a byte and a scale for each 16, of h, h, h and 4 h here: 7 h tokens of 1.4375 bytes
/// fewer than in 16 bit; FP8 keeps one byte.
TEST(Activations, InputsOfProductsAreKeptInThePrecisionOfTheProduct)
{
    Scenario s = gptScenario(1, false);
    s.training.attentionBackend = "cudnn";
    const double full = keptMib(s, layersOf(LayerKind::dense));
    s.training.precision = "fp8_delayed";
    EXPECT_NEAR(full - keptMib(s, layersOf(LayerKind::dense)), 24 * 6, 1e-6);
    s.training.precision = "nvfp4";
    EXPECT_NEAR(full - keptMib(s, layersOf(LayerKind::dense)), 24 * 6 * 1.4375, 1e-6);
}

/// The eager loss in FP32 (torchtitan): 16-bit logits, FP32 logits, their logarithms, their gradient.
TEST(Activations, TorchsLossKeeps14BytesALogit)
{
    Scenario s = gptScenario(1, false);
    ChunkLayers end;
    end.head = true;
    const double logits = 2048.0 * 51200 / kMib, fused = keptMib(s, end);
    s.training.fusion = "compiled";
    EXPECT_NEAR(keptMib(s, end) - fused, 8 * logits, 1e-6);
    s.training.fusion = "auto";
    EXPECT_NEAR(keptMib(s, end), fused, 1e-6);
    s.parallelism.zeroStage = 3;
    EXPECT_NEAR(keptMib(s, end), fused, 1e-6);
    s.training.attentionBackend = "flash2"; // PyTorch's own FSDP and attention
    EXPECT_NEAR(keptMib(s, end) - fused, 8 * logits, 1e-6);
    s.training.fusion = "fused";
    EXPECT_NEAR(keptMib(s, end), fused, 1e-6);
    EXPECT_NEAR(fused, (2 + 4) * logits + 2 * 2 * 24, 1e-6);
}

/// Half of the layers wait in the host's memory.
TEST(Activations, OffloadedLayersKeepNothing)
{
    Scenario s = gptScenario(1, false);
    const double all = keptMib(s, layersOf(LayerKind::dense, 4));
    s.training.cpuOffloadingNumLayers = 2;
    EXPECT_NEAR(keptMib(s, layersOf(LayerKind::dense, 4)), all / 2, 1e-6);
    s.training.cpuOffloadingNumLayers = 9;
    EXPECT_NEAR(keptMib(s, layersOf(LayerKind::dense, 4)), 0, 1e-6);
}

} // namespace
} // namespace prism
