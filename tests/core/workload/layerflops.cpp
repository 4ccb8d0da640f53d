// SPDX-License-Identifier: GPL-3.0-or-later
// FLOPs of the kernels of a layer: 2 x active parameters x tokens, divided over the ranks that share them, twice that backward
// (Kaplan et al. 2020, arXiv 2001.08361, section 2.1); parameters are counted by hand from the shapes of the matrices.
#include "core/workload/kernel.h"

#include <gtest/gtest.h>

#include <array>

namespace prism {
namespace {

bool isProduct(const Kernel& k)
{
    return k.kind == CostKind::gemm && k.id != KernelId::attention;
}

double productFlops(const std::vector<Kernel>& kernels)
{
    double flops = 0;
    for (const Kernel& k : kernels)
        flops += isProduct(k) ? k.flops : 0;
    return flops;
}

double attentionFlops(const std::vector<Kernel>& kernels)
{
    double flops = 0;
    for (const Kernel& k : kernels)
        flops += k.id == KernelId::attention ? k.flops : 0;
    return flops;
}

/// Mixtral 8x22B: h 6,144, 48 heads of 128 with 8 groups, experts of 16,384, 2 of 8 for a token; two sequences of 4,096.
Scenario mixtralScenario(int tp, int cp, int ep, int etp)
{
    Scenario s;
    s.model.hiddenSize = 6144;
    s.model.numAttentionHeads = 48;
    s.model.numQueryGroups = 8;
    s.model.kvChannels = 128;
    s.model.ffnHiddenSize = 16384;
    s.model.seqLength = 4096;
    s.model.vocabSize = 32768;
    s.model.numExperts = 8;
    s.model.moeRouterTopk = 2;
    s.model.moeFfnHiddenSize = 16384;
    s.model.moeSharedExpertIntermediateSize = 1024;
    s.training.microBatchSize = 2;
    s.parallelism.tensorModelParallelSize = tp;
    s.parallelism.contextParallelSize = cp;
    s.parallelism.expertModelParallelSize = ep;
    s.parallelism.expertTensorParallelSize = etp;
    s.cluster.numGpus = 64;
    return s;
}

constexpr double kTokens = 2 * 4096;
constexpr double kAttentionMatrices = 6144.0 * (48 * 128) + 2 * 6144.0 * (8 * 128) + (48 * 128) * 6144.0; // Q; K and V; projection
constexpr double kMlpMatrices = 3 * 6144.0 * 16384;                                                       // gate, up, down
constexpr double kExpertMatrices = 2 * kMlpMatrices + 6144.0 * 8 + 3 * 6144.0 * 1024;                     // two of them, router, shared

constexpr std::array<std::array<int, 4>, 7> kLayouts = {
    {{1, 1, 1, 1}, {4, 1, 1, 1}, {1, 2, 8, 1}, {4, 2, 4, 2}, {4, 1, 2, 4}, {2, 4, 8, 1}, {8, 1, 8, 8}}};

TEST(LayerFlops, AreTwoPerActiveParameterAndTokenOverTheRanksThatShareThem)
{
    for (const auto& layout : kLayouts) {
        const int tp = layout[0], cp = layout[1], ep = layout[2], etp = layout[3]; // clang captures no structured bindings
        const Scenario s = mixtralScenario(tp, cp, ep, etp);
        const Shape shape = shapeOf(s);
        const auto expectLayer = [&](LayerKind kind, double parameters) {
            const LayerKernels layer = layerKernels(s, shape, kind);
            const double forward = 2 * parameters * kTokens / (tp * cp);
            EXPECT_NEAR(productFlops(layer.forward) / forward, 1, 1e-12) << tp << " " << cp << " " << ep << " " << etp;
            EXPECT_NEAR(productFlops(layer.backward) / (2 * forward), 1, 1e-12) << tp << " " << cp << " " << ep << " " << etp;
        };
        expectLayer(LayerKind::dense, kAttentionMatrices + kMlpMatrices);
        expectLayer(LayerKind::attentionOnly, kAttentionMatrices);
        expectLayer(LayerKind::mlpOnly, kMlpMatrices);
        expectLayer(LayerKind::moe, kAttentionMatrices + kExpertMatrices);
        expectLayer(LayerKind::moeOnly, kExpertMatrices);
        const LayerKernels head = headKernels(s, shape);
        EXPECT_NEAR(productFlops(head.forward), 2 * kTokens / cp * 32768.0 / tp * 6144, 1);
        EXPECT_NEAR(productFlops(head.backward), 4 * kTokens / cp * 32768.0 / tp * 6144, 1);
    }
}

/// QK^T and PV: 2 x 2 x width x pairs, of which the causal mask leaves a half; backward five products instead of two (Dao 2023,
/// arXiv 2307.08691, section 3.1). Unfused software computes the whole square, and four products backward.
TEST(LayerFlops, AttentionGoesWithThePairsOfTokens)
{
    for (const auto& [tp, cp, ep, etp] : kLayouts) {
        Scenario s = mixtralScenario(tp, cp, ep, etp);
        const double square = 2 * (2 * 2 * (48 * 128.0) * 4096 * 4096) / (tp * cp); // two sequences
        LayerKernels layer = layerKernels(s, shapeOf(s), LayerKind::dense);
        EXPECT_NEAR(attentionFlops(layer.forward), square / 2, 1);
        EXPECT_NEAR(attentionFlops(layer.backward), 2.5 * square / 2, 1);
        s.training.attentionBackend = "unfused";
        layer = layerKernels(s, shapeOf(s), LayerKind::dense);
        EXPECT_NEAR(attentionFlops(layer.forward), square, 1);
        EXPECT_NEAR(attentionFlops(layer.backward), 2 * square, 1);
    }
}

/// Latent attention of DeepSeek-V3: queries over 1,536 and keys and values over 512 latent channels, 128 heads of 192 (128 + 64 rotary)
/// for scores and 128 for values; 4,096 tokens on one rank.
Scenario latentAttention()
{
    Scenario s;
    s.model.hiddenSize = 7168;
    s.model.numAttentionHeads = 128;
    s.model.multiLatentAttention = true;
    s.model.qLoraRank = 1536;
    s.model.kvLoraRank = 512;
    s.model.qkHeadDim = 128;
    s.model.qkPosEmbHeadDim = 64;
    s.model.vHeadDim = 128;
    s.model.seqLength = 4096;
    return s;
}

TEST(LayerFlops, LatentAttentionAndItsPrediction)
{
    Scenario s = latentAttention();
    s.model.ffnHiddenSize = 18432;
    s.model.mtpNumLayers = 1;
    const double down = 7168.0 * (1536 + 512 + 64), up = 1536.0 * 128 * 192 + 512.0 * 128 * (128 + 128), projection = 128.0 * 128 * 7168;
    const LayerKernels layer = layerKernels(s, shapeOf(s), LayerKind::attentionOnly);
    EXPECT_NEAR(productFlops(layer.forward), 2 * 4096 * (down + up + projection), 1);
    EXPECT_NEAR(productFlops(layer.backward), 4 * 4096 * (down + up + projection), 1);
    const double pairs = 4096.0 * 4096 / 2 * 128;
    EXPECT_NEAR(attentionFlops(layer.forward), 2 * pairs * (192 + 128), 1);
    EXPECT_NEAR(attentionFlops(layer.backward), 2 * pairs * (3 * 192 + 2 * 128), 1); // scores, dQ, dK; dV and the scores' gradient
    // A layer that predicts one token more joins two vectors first: 2 h by h.
    const LayerKernels mtp = mtpKernels(s, shapeOf(s));
    const double dense = down + up + projection + 3 * 7168.0 * 18432;
    EXPECT_NEAR(productFlops(mtp.forward), 2 * 4096 * (dense + 2 * 7168.0 * 7168), 1);
    EXPECT_NEAR(productFlops(mtp.backward), 4 * 4096 * (dense + 2 * 7168.0 * 7168), 1);
    // The output layer once more for it.
    EXPECT_NEAR(productFlops(headKernels(s, shapeOf(s)).forward), 2 * 2 * 4096 * 7168.0 * static_cast<double>(s.model.vocabSize), 1);
}

struct ProductShape {
    KernelId id;
    double m, n, k, batch;
};

void expectProducts(const std::vector<Kernel>& kernels, const std::vector<ProductShape>& expected)
{
    std::size_t i = 0;
    for (const Kernel& k : kernels) {
        if (!isProduct(k))
            continue;
        ASSERT_LT(i, expected.size());
        const ProductShape& e = expected[i++];
        EXPECT_EQ(k.id, e.id) << i;
        EXPECT_DOUBLE_EQ(k.m, e.m) << i;
        EXPECT_DOUBLE_EQ(k.n, e.n) << i;
        EXPECT_DOUBLE_EQ(k.k, e.k) << i;
        EXPECT_DOUBLE_EQ(k.batch, e.batch) << i;
    }
    EXPECT_EQ(i, expected.size());
}

/// C[m, n] = A[m, k] B[k, n]: forward rows are tokens; the data gradient has the input's width as n, the weight gradient the tokens as k.
/// Two sequences of 4,096 on TP 4 with expert TP 2 and EP 4: a rank routes 2 x 2,048 copies, which its experts' two ranks gather.
TEST(LayerFlops, ProductsHaveTheShapesOfTheirMatrices)
{
    const Scenario s = mixtralScenario(4, 1, 4, 2);
    const LayerKernels dense = layerKernels(s, shapeOf(s), LayerKind::dense), moe = layerKernels(s, shapeOf(s), LayerKind::moeOnly);
    const double t = 8192, h = 6144, qkv = (48 + 2 * 8) * 128 / 4.0, q = 48 * 128 / 4.0, f = 16384 / 4.0;
    expectProducts(dense.forward, {{KernelId::gemmQkv, t, qkv, h, 1},
                                   {KernelId::gemmProj, t, h, q, 1},
                                   {KernelId::gemmFc1, t, 2 * f, h, 1},
                                   {KernelId::gemmFc2, t, h, f, 1}});
    expectProducts(dense.backward, {{KernelId::gemmFc2, t, f, h, 1},
                                    {KernelId::gemmFc2, h, f, t, 1},
                                    {KernelId::gemmFc1, t, h, 2 * f, 1},
                                    {KernelId::gemmFc1, 2 * f, h, t, 1},
                                    {KernelId::gemmProj, t, q, h, 1},
                                    {KernelId::gemmProj, h, q, t, 1},
                                    {KernelId::gemmQkv, t, h, qkv, 1},
                                    {KernelId::gemmQkv, qkv, h, t, 1}});
    // Of 2,048 tokens a rank 2 copies go out, twice as many come in over expert TP; two experts of width 16,384 / 2 on a rank.
    const double rows = 2048 * 2 * 2 / 2.0, width = 16384 / 2.0, shared = 1024 / 4.0;
    expectProducts(moe.forward, {{KernelId::router, 2048, 8, h, 1},
                                 {KernelId::gemmMoeFc1, rows, 2 * width, h, 2},
                                 {KernelId::gemmMoeFc2, rows, h, width, 2},
                                 {KernelId::gemmFc1, t, 2 * shared, h, 1},
                                 {KernelId::gemmFc2, t, h, shared, 1}});
    expectProducts(moe.backward, {{KernelId::gemmFc2, t, shared, h, 1},
                                  {KernelId::gemmFc2, h, shared, t, 1},
                                  {KernelId::gemmFc1, t, h, 2 * shared, 1},
                                  {KernelId::gemmFc1, 2 * shared, h, t, 1},
                                  {KernelId::gemmMoeFc2, rows, width, h, 2},
                                  {KernelId::gemmMoeFc2, h, width, rows, 2},
                                  {KernelId::gemmMoeFc1, rows, h, 2 * width, 2},
                                  {KernelId::gemmMoeFc1, 2 * width, h, rows, 2},
                                  {KernelId::router, 2048, h, 8, 1},
                                  {KernelId::router, 8, h, 2048, 1}});
}

/// DeepSeek-V3 on TP 4: both low-rank vectors and the shared rotary part from h, then 32 heads of 192 from 1,536 and of 128 + 128 from 512.
TEST(LayerFlops, ProductsOfLatentAttentionHaveTheShapesOfTheirMatrices)
{
    Scenario s = latentAttention();
    s.parallelism.tensorModelParallelSize = 4;
    s.cluster.numGpus = 4;
    const double t = 4096, h = 7168, down = 1536 + 512 + 64, q = 32 * 192, kv = 32 * 256, v = 32 * 128;
    const auto expectQueryFrom = [&](double down, double rank) {
        const LayerKernels layer = layerKernels(s, shapeOf(s), LayerKind::attentionOnly);
        expectProducts(layer.forward, {{KernelId::gemmQkv, t, down, h, 1},
                                       {KernelId::gemmQkv, t, q, rank, 1},
                                       {KernelId::gemmQkv, t, kv, 512, 1},
                                       {KernelId::gemmProj, t, h, v, 1}});
        expectProducts(layer.backward, {{KernelId::gemmProj, t, v, h, 1},
                                        {KernelId::gemmProj, h, v, t, 1},
                                        {KernelId::gemmQkv, t, 512, kv, 1},
                                        {KernelId::gemmQkv, kv, 512, t, 1},
                                        {KernelId::gemmQkv, t, rank, q, 1},
                                        {KernelId::gemmQkv, q, rank, t, 1},
                                        {KernelId::gemmQkv, t, h, down, 1},
                                        {KernelId::gemmQkv, down, h, t, 1}});
    };
    expectQueryFrom(down, 1536);
    s.model.qLoraRank = 0; // queries straight from the hidden state
    expectQueryFrom(512 + 64, h);
}

TEST(LayerFlops, ASharedExpertOfWidthOneIsCounted)
{
    Scenario s = mixtralScenario(1, 1, 1, 1);
    const auto forward = [&](int width) {
        s.model.moeSharedExpertIntermediateSize = width;
        return productFlops(layerKernels(s, shapeOf(s), LayerKind::moe).forward);
    };
    EXPECT_NEAR(forward(1) - forward(0), 2 * 3 * 6144.0 * kTokens, 1e6); // gate, up and down of one column each
}

TEST(RingAttention, MergesHalfOfTheRowsOfHalfOfTheBlocksUnderACausalMask)
{
    // Reads both outputs and writes one, of every block: 3 x 2 blocks x 4,096 tokens x 6,144 values x 2 bytes; causal 3 / 4 of it.
    Scenario s = mixtralScenario(1, 2, 1, 1);
    s.parallelism.cpCommType = "p2p";
    const auto merged = [&](bool causal) {
        s.model.causalAttention = causal;
        double bytes = 0;
        for (const Kernel& k : layerKernels(s, shapeOf(s), LayerKind::attentionOnly).forward)
            bytes += k.id == KernelId::attention && k.kind == CostKind::memory ? k.bytes : 0;
        return bytes;
    };
    EXPECT_NEAR(merged(false), 3 * 2 * 4096.0 * 6144 * 2, 1);
    EXPECT_NEAR(merged(true), 0.75 * merged(false), 1);
}

} // namespace
} // namespace prism
