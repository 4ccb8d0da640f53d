// SPDX-License-Identifier: GPL-3.0-or-later
// Models so small that every parameter, FLOP and byte is counted by hand, and layers of other kinds: state space, operator lists; chunks
// of pipelines; what selective recomputation repeats; launches.
#include "core/workload/count.h"
#include "core/workload/kernel.h"
#include "core/workload/memory.h"

#include <gtest/gtest.h>

#include <numeric>

namespace prism {
namespace {

/// One layer: h 2, one head of 2 channels, gated MLP of 3, five words, sequences of 2.
ModelConfig tinyModel()
{
    ModelConfig m;
    m.numLayers = 1;
    m.hiddenSize = 2;
    m.numAttentionHeads = m.numQueryGroups = 1;
    m.kvChannels = 2;
    m.ffnHiddenSize = 3;
    m.vocabSize = 5;
    m.seqLength = 2;
    return m;
}

/// Attention 4 matrices of 2 x 2, MLP 3 of 2 x 3, two norms of 2; tables of 5 x 2 and a final norm.
TEST(SmallModels, ParametersByHand)
{
    ModelConfig m = tinyModel();
    EXPECT_EQ(layerParameters(m, LayerKind::dense).total, 16 + 18 + 4);
    EXPECT_EQ(embeddingParameters(m), 10);
    EXPECT_EQ(headParameters(m), 12);
    EXPECT_EQ(totalParameters(m), 38 + 10 + 12);
    m.tiedEmbeddings = true;
    EXPECT_EQ(totalParameters(m), 50);
    m.tiedEmbeddings = false;
    m.positionEmbeddingLearned = true; // 2 x 2
    EXPECT_EQ(totalParameters(m), 64);
    m.positionEmbeddingLearned = false;
    m.normalization = "layernorm"; // with a bias each: 3 x 2
    EXPECT_EQ(totalParameters(m), 66);
    m.normalization = "rmsnorm";
    m.addQkvBias = true; // 3 x 2
    EXPECT_EQ(totalParameters(m), 66);
    m.addBiasLinear = true; // and of projection 2, of gate, up and down 3 + 3 + 2
    EXPECT_EQ(totalParameters(m), 76);
    m.addBiasLinear = m.addQkvBias = false;
    m.qkLayernorm = true; // 2 x 2
    EXPECT_EQ(totalParameters(m), 64);
    m.qkLayernorm = false;
    m.gatedMlp = false; // a matrix less
    EXPECT_EQ(totalParameters(m), 54);
    m.parallelAttention = true; // a norm less
    EXPECT_EQ(totalParameters(m), 52);
}

/// Three experts of width 4 (24 each), two for a token, a router of 2 x 3, a shared one of width 1 (6).
TEST(SmallModels, ExpertsByHand)
{
    ModelConfig m = tinyModel();
    m.numExperts = 3;
    m.moeRouterTopk = 2;
    m.moeFfnHiddenSize = 4;
    m.moeSharedExpertIntermediateSize = 1;
    const LayerParameters p = layerParameters(m, LayerKind::moe);
    EXPECT_EQ(p.expert, 72);
    EXPECT_EQ(p.activeExpert, 48);
    EXPECT_EQ(p.total, 16 + 4 + 72 + 6 + 6);
    EXPECT_EQ(totalParameters(m), 104 + 22);
    // FLOPs of a token: 2 x (16 + 48 + 6 + 6) and 2 x 2 x 2 x 2 of attention; with output 3 x.
    EXPECT_EQ(layerForwardFlopsPerToken(m), 2 * 76 + 16);
    EXPECT_EQ(modelFlopsPerToken(m), 3 * (168 + 20));
    EXPECT_EQ(recomputedFlopsPerToken(m, kMoe), 2 * (48 + 6) + 2 * 6);
    EXPECT_EQ(recomputedFlopsPerToken(m, kSharedExperts), 12);
    m.mtpNumLayers = 1; // the layer again, 2 h x h, the output again
    EXPECT_EQ(modelFlopsPerToken(m), 3 * (168 + 2 * 20 + 168 + 2 * 8));
    EXPECT_EQ(mtpLayerParameters(m).total, 104 + 8 + 6);
    EXPECT_EQ(mtpLayerParameters(m).expert, 72);
    m.mtpNumLayers = 2;
    EXPECT_EQ(modelFlopsPerToken(m), 3 * (168 + 3 * 20 + 2 * (168 + 2 * 8)));
    EXPECT_EQ(modelFlopsPerToken(m, {true, false}), 3 * (168 + 2 * (168 + 2 * 8)) - 3 * (1 + 2) * 8); // without outputs, half of attention
}

TEST(SmallModels, FlopsByHand)
{
    ModelConfig m = tinyModel();
    EXPECT_EQ(attentionForwardFlopsPerToken(m), 16);
    EXPECT_EQ(layerForwardFlopsPerToken(m), 2 * 34 + 16);
    EXPECT_EQ(modelFlopsPerToken(m), 3 * (84 + 20));
    EXPECT_EQ(modelFlopsPerToken(m, {true, true}), 3 * 104 - 3 * 8); // half of attention
    EXPECT_EQ(modelFlopsPerToken(m, {false, false}), 3 * 84);
    EXPECT_EQ(recomputedFlopsPerToken(m, kCoreAttention), 16);
    EXPECT_EQ(recomputedFlopsPerToken(m, kDenseMlp), 36);
    EXPECT_EQ(recomputedFlopsPerToken(m, 0), 0);
    m.causalAttention = false;
    EXPECT_EQ(modelFlopsPerToken(m, {true, true}), 3 * 104);
    m.slidingWindow = 1;
    EXPECT_EQ(attentionForwardFlopsPerToken(m), 8);
    EXPECT_EQ(attendedSequence(m, LayerKind::sliding), 2);
    EXPECT_EQ(attendedSequence(m, LayerKind::dense), 4);
    m.operators = {{"a", 0, 0, 3, 5, 7, 11, 2}, {"b", 13, 1, 0, 0, 0, 17, 3}}; // two products, three of 13 FLOPs; for a sequence of 2
    EXPECT_EQ(layerForwardFlopsPerToken(m), (2 * 2 * 3 * 5 * 7 + 3 * 13) / 2.0);
    EXPECT_EQ(modelFlopsPerToken(m), 3 * layerForwardFlopsPerToken(m));
    EXPECT_EQ(totalParameters(m), 2 * 11 + 3 * 17);
}

/// Latent attention: queries over 3, keys and values over 2 latent channels, heads of 4 + 1 and 6: h 2.
TEST(SmallModels, LatentAttentionByHand)
{
    ModelConfig m = tinyModel();
    m.multiLatentAttention = true;
    m.qLoraRank = 3;
    m.kvLoraRank = 2;
    m.qkHeadDim = 4;
    m.qkPosEmbHeadDim = 1;
    m.vHeadDim = 6;
    const double matrices = 2 * 3 + 3 * 5 + 2 * (2 + 1) + 2 * (4 + 6) + 6 * 2;
    EXPECT_EQ(layerParameters(m, LayerKind::attentionOnly).total, matrices + 5 + 2); // norms of both latent vectors, one of the layer
    EXPECT_EQ(attentionForwardFlopsPerToken(m), 2 * (5 + 6) * 2);
    EXPECT_EQ(recomputedFlopsPerToken(m, kMlaUpProjection), 2 * (3 * 5 + 2 * (4 + 6)));
    m.qLoraRank = 0; // queries directly
    EXPECT_EQ(layerParameters(m, LayerKind::attentionOnly).total, 2 * 5 + 2 * 3 + 2 * 10 + 12 + 2 + 2);
}

Scenario hybridScenario()
{
    Scenario s;
    s.model.hiddenSize = 640;
    s.model.seqLength = 512;
    s.model.numAttentionHeads = s.model.numQueryGroups = 8;
    s.training.microBatchSize = 3;
    s.parallelism.tensorModelParallelSize = 2;
    s.cluster.numGpus = 2;
    return s;
}

/// Mamba-2 (arXiv 2405.21060): width 2 h over TP = 640; projected to inputs and gates (2 x 640), 8 groups of keys and queries of 128
/// (2 x 1,024 / 2) and a step for each head of 64 (10). Scan in chunks of 256: 256 (640 + 512) + 4 x 128 x 640 FLOPs a token.
TEST(SmallModels, StateSpaceLayersByHand)
{
    const Scenario s = hybridScenario();
    const LayerKernels layer = layerKernels(s, shapeOf(s), LayerKind::mamba);
    const double t = 1536, in = 1280 + 1024 + 10, inner = 640, h = 640, scan = t * (256 * (640 + 512) + 4 * 128 * 640),
                 moved = 2 * t * (3 * 640 + 2 * 512);
    const auto expectProduct = [](const Kernel& k, double m, double n, double kk) {
        EXPECT_EQ(k.m, m);
        EXPECT_EQ(k.n, n);
        EXPECT_EQ(k.k, kk);
    };
    std::vector<Kernel> products, scans, streams;
    const auto sort = [&](const std::vector<Kernel>& kernels) {
        products.clear(), scans.clear(), streams.clear();
        for (const Kernel& k : kernels)
            if (k.kind == CostKind::gemm)
                products.push_back(k);
            else if (k.id == KernelId::ssm)
                (k.kind == CostKind::roofline ? scans : streams).push_back(k);
    };
    sort(layer.forward);
    ASSERT_EQ(products.size(), 2U);
    expectProduct(products[0], t, in, h);
    expectProduct(products[1], t, h, inner);
    ASSERT_EQ(scans.size(), 1U);
    EXPECT_EQ(scans[0].flops, scan);
    EXPECT_EQ(scans[0].bytes, moved);
    EXPECT_EQ(scans[0].launches, 5);
    ASSERT_EQ(streams.size(), 1U);
    EXPECT_EQ(streams[0].bytes, 2 * t * (3 * inner + 256) * 2); // convolution, gate and norm: read and written twice
    EXPECT_EQ(streams[0].launches, 2);
    sort(layer.backward);
    ASSERT_EQ(products.size(), 4U);
    expectProduct(products[0], t, inner, h);
    expectProduct(products[1], h, inner, t);
    expectProduct(products[2], t, h, in);
    expectProduct(products[3], in, h, t);
    EXPECT_EQ(scans.at(0).flops, 2.5 * scan);
    EXPECT_EQ(scans.at(0).bytes, 2.5 * moved);
    EXPECT_EQ(scans.at(0).launches, 8);
    EXPECT_TRUE(scans.at(0).backward);
    EXPECT_EQ(scans.at(0).part, Part::dgrad);
    EXPECT_EQ(streams.at(0).bytes, 2 * t * (3 * inner + 256) * 4);
    EXPECT_EQ(streams.at(0).launches, 4);
    // Matrices as above without TP, a convolution of 4 with bias over 2 h + 2,048, a norm of h, gate norm and skip of h each.
    EXPECT_EQ(layerParameters(s.model, LayerKind::mamba).total,
              h * (4 * h + 2048 + 2 * h / 64) + 2 * h * h + h + 5 * (2 * h + 2048) + 2 * h);
    ChunkLayers chunk;
    chunk.count[static_cast<std::size_t>(LayerKind::mamba)] = chunk.total = 1;
    EXPECT_EQ(activationBytes(s, shapeOf(s), chunk), 2 * (2 * 768 * h + 1536 * (3 * 2 * h + 256) / 2 * 2));
}

/// Three samples on TP 2: a product of 10 x 20 x 30 that also moves 1,000 bytes, twice, and 500 FLOPs on 70 bytes.
TEST(SmallModels, OperatorListsByHand)
{
    Scenario s = hybridScenario();
    s.model.operators = {{"product", 0, 1000, 10, 20, 30, 0, 2}, {"other", 500, 70, 0, 0, 0, 0, 1}};
    const LayerKernels k = genericKernels(s, shapeOf(s));
    ASSERT_EQ(k.forward.size(), 5U);
    for (const std::size_t i : {0U, 2U}) {
        EXPECT_EQ(k.forward[i].m, 30);
        EXPECT_EQ(k.forward[i].n, 10);
        EXPECT_EQ(k.forward[i].k, 30);
        EXPECT_EQ(k.forward[i].flops, 2 * 30 * 10 * 30);
        EXPECT_EQ(k.forward[i + 1].kind, CostKind::memory);
        EXPECT_EQ(k.forward[i + 1].bytes, 1500);
        EXPECT_EQ(k.forward[i + 1].flops, 0);
    }
    EXPECT_EQ(k.forward[4].kind, CostKind::roofline);
    EXPECT_EQ(k.forward[4].flops, 750);
    EXPECT_EQ(k.forward[4].bytes, 105);
    ASSERT_EQ(k.backward.size(), 7U); // two products each; twice the bytes and FLOPs
    EXPECT_EQ(k.backward[0].n, 30);
    EXPECT_EQ(k.backward[0].k, 10);
    EXPECT_EQ(k.backward[1].m, 10);
    EXPECT_EQ(k.backward[1].k, 30);
    EXPECT_EQ(k.backward[2].bytes, 3000);
    EXPECT_EQ(k.backward[6].flops, 1500);
    EXPECT_EQ(k.backward[6].bytes, 210);
    EXPECT_EQ(k.backward[6].part, Part::dgrad);
}

/// Inputs of products (2 bytes x m k) and half of other traffic are kept, of three samples on TP 2. The most frequent operators are the
/// block that full recomputation repeats: it keeps the input of every block alone, and while one is computed what is in it.
TEST(SmallModels, OperatorListsKeepTheirInputs)
{
    Scenario s = hybridScenario();
    s.model.operators = {{"embed", 0, 0, 5, 1, 7, 100, 1}, {"mix", 0, 400, 0, 0, 0, 0, 4}, {"project", 0, 0, 10, 1, 30, 50, 4}};
    const double embed = 2 * 5 * 7 * 3 / 2.0, mix = 200 * 3 / 2.0, project = 2 * 10 * 30 * 3 / 2.0;
    EXPECT_EQ(activationBytes(s, shapeOf(s), {}), embed + 4 * mix + 4 * project);
    EXPECT_EQ(transientBytes(s, shapeOf(s), {}), 0);
    EXPECT_EQ(gradientCopyBytes(s.model, shapeOf(s), true), 0);
    s.training.recomputeGranularity = "full";
    EXPECT_EQ(activationBytes(s, shapeOf(s), {}), embed + 4 * project);
    EXPECT_EQ(transientBytes(s, shapeOf(s), {}), mix + project);
    EXPECT_EQ(stageParameters(s, shapeOf(s), {}, false).total(), (100 + 4 * 50) / 2.0);
    EXPECT_EQ(lossBytes(s, shapeOf(s), {.head = true}), 0);
}

std::vector<int> sizesOf(const Scenario& s, const std::vector<std::array<int, 2>>& path)
{
    std::vector<int> sizes;
    for (const ChunkLayers& c : chunkLayers(s, path))
        sizes.push_back(c.total);
    return sizes;
}

/// Ten layers on four stages, with two chunks each where the path has eight positions.
TEST(SmallModels, ChunksOfAPipeline)
{
    Scenario s = hybridScenario();
    s.model.numLayers = 10;
    s.parallelism.pipelineModelParallelSize = 4;
    const std::vector<std::array<int, 2>> four = {{0, 0}, {1, 0}, {2, 0}, {3, 0}},
                                          eight = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 1}};
    using Sizes = std::vector<int>;
    EXPECT_EQ(sizesOf(s, four), (Sizes{2, 3, 2, 3}));
    EXPECT_EQ(sizesOf(s, eight), (Sizes{1, 1, 1, 2, 1, 1, 1, 2}));
    s.parallelism.accountForEmbeddingInPipelineSplit = true;
    EXPECT_EQ(sizesOf(s, four), (Sizes{1, 3, 3, 3})); // of eleven slots 2, 3, 3, 3
    s.parallelism.accountForLossInPipelineSplit = true;
    EXPECT_EQ(sizesOf(s, four), (Sizes{2, 3, 3, 2}));
    s.parallelism.accountForEmbeddingInPipelineSplit = false;
    EXPECT_EQ(sizesOf(s, four), (Sizes{2, 3, 3, 2}));
    s.parallelism.numLayersInFirstPipelineStage = 3;
    EXPECT_EQ(sizesOf(s, four), (Sizes{3, 2, 2, 3})); // seven over three
    s.parallelism.numLayersInLastPipelineStage = 1;
    EXPECT_EQ(sizesOf(s, four), (Sizes{3, 3, 3, 1}));
    EXPECT_EQ(sizesOf(s, eight), (Sizes{1, 1, 2, 0, 2, 1, 2, 1}));
    s.parallelism.pipelineModelParallelLayout = "Et*4|t|t*2|t*3L";
    EXPECT_EQ(sizesOf(s, four), (Sizes{4, 1, 2, 3}));
    EXPECT_EQ(sizesOf(s, eight), (Sizes{1, 1, 2, 0, 2, 1, 2, 1})); // four chunks are not eight: not this layout
    s.model.mtpNumLayers = 2;
    const std::vector<ChunkLayers> chunks = chunkLayers(s, eight);
    for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_EQ(chunks[i].embedding, i == 0);
        EXPECT_EQ(chunks[i].head, i == 7);
        EXPECT_EQ(chunks[i].mtp, i == 7 ? 2 : 0);
    }
}

TEST(SmallModels, KindsOfLayers)
{
    ModelConfig m = tinyModel();
    m.numLayers = 6;
    using K = LayerKind;
    EXPECT_EQ(layerKinds(m), std::vector<K>(6, K::dense));
    m.slidingWindow = 1;
    EXPECT_EQ(layerKinds(m), std::vector<K>(6, K::sliding));
    m.numExperts = 2;
    EXPECT_EQ(layerKinds(m), std::vector<K>(6, K::moe));
    m.slidingWindow = 0;
    m.moeFirstKDense = 1;
    m.moeLayerFreq = 2; // every second one after the first
    EXPECT_EQ(layerKinds(m), (std::vector<K>{K::dense, K::dense, K::moe, K::dense, K::moe, K::dense}));
    EXPECT_EQ(mtpLayerKind(m), K::dense);
    m.layerPattern = {{"attention", 1}, {"mlp", 1}, {"moe", 1}, {"moe_layer", 1}, {"mamba", 1}, {"sliding", 1}};
    EXPECT_EQ(layerKinds(m), (std::vector<K>{K::attentionOnly, K::mlpOnly, K::moeOnly, K::moe, K::mamba, K::sliding}));
    EXPECT_EQ(mtpLayerKind(m), K::sliding);
    m.layerPattern = {{"dense", 2}, {"mamba", 1}};
    EXPECT_EQ(layerKinds(m), (std::vector<K>{K::dense, K::dense, K::mamba, K::dense, K::dense, K::mamba}));
}

std::vector<KernelId> repeatedBy(Scenario s, const char* modules, LayerKind kind)
{
    s.training.recomputeGranularity = "selective";
    s.training.recomputeModules = modules;
    std::vector<KernelId> ids;
    for (const Kernel& k : layerKernels(s, shapeOf(s), kind).selectiveRecompute)
        ids.push_back(k.id);
    return ids;
}

/// What is in a module of Megatron-LM's --recompute-modules is run again.
TEST(SmallModels, ModulesRepeatTheirKernels)
{
    Scenario s = hybridScenario();
    using Ids = std::vector<KernelId>;
    EXPECT_EQ(repeatedBy(s, "core_attn", LayerKind::dense), Ids{KernelId::attention});
    EXPECT_EQ(repeatedBy(s, "layernorm", LayerKind::dense), (Ids{KernelId::norm, KernelId::norm}));
    EXPECT_EQ(repeatedBy(s, "mlp", LayerKind::dense),
              (Ids{KernelId::tpAllGather, KernelId::gemmFc1, KernelId::activation, KernelId::gemmFc2, KernelId::tpReduceScatter}));
    s.model.numExperts = 4;
    s.model.moeRouterTopk = 2;
    s.model.moeFfnHiddenSize = 64;
    s.model.moeSharedExpertIntermediateSize = 64;
    EXPECT_EQ(repeatedBy(s, "moe_act", LayerKind::moeOnly), Ids{KernelId::activation});
    EXPECT_EQ(repeatedBy(s, "shared_experts", LayerKind::moeOnly), (Ids{KernelId::gemmFc1, KernelId::activation, KernelId::gemmFc2}));
    EXPECT_EQ(repeatedBy(s, "moe", LayerKind::moeOnly).size(),
              layerKernels(s, shapeOf(s), LayerKind::moeOnly).forward.size() - 2); // norm, residual
    s.model.multiLatentAttention = true;
    s.model.qLoraRank = s.model.kvLoraRank = 64;
    EXPECT_EQ(repeatedBy(s, "mla_up_proj", LayerKind::attentionOnly),
              (Ids{KernelId::norm, KernelId::gemmQkv, KernelId::gemmQkv, KernelId::residual}));
    s.training.attentionBackend = "unfused"; // two products, softmax and dropout
    EXPECT_EQ(repeatedBy(s, "core_attn", LayerKind::attentionOnly), Ids(4, KernelId::attention));
}

double launchesOf(const std::vector<Kernel>& kernels)
{
    return std::accumulate(kernels.begin(), kernels.end(), 0.0, [](double n, const Kernel& k) { return n + k.launches; });
}

/// Launches of a rank on its own: forward two norms and residuals, QKV, rotary embedding of queries and keys, attention, projection, two
/// products and the activation between them: 12; backward two for the gradients of each product and norm.
TEST(SmallModels, LaunchesByHand)
{
    Scenario s = hybridScenario();
    s.parallelism.tensorModelParallelSize = s.parallelism.expertModelParallelSize = 1;
    LayerKernels k = layerKernels(s, shapeOf(s), LayerKind::dense);
    EXPECT_EQ(launchesOf(k.forward), 12);
    EXPECT_EQ(launchesOf(k.backward), 2 + 4 * 2 + 2 * 2 + 1 + 2 + 1);
    s.model.numExperts = 4;
    s.model.moeRouterTopk = 2;
    s.model.moeFfnHiddenSize = 64;
    k = layerKernels(s, shapeOf(s), LayerKind::moeOnly);
    EXPECT_EQ(launchesOf(k.forward), 1 + (1 + 6) + 2 + 1 + 3 + 1 + 2 + 1); // norm, router, permutations, experts, and back, residual
    EXPECT_EQ(launchesOf(k.backward), 1 + 2 + 1 + (2 + 1 + 2) + 1 + 2 + (8 + 2) + 2);
    s.model.qkLayernorm = true; // of queries and of keys
    EXPECT_EQ(launchesOf(layerKernels(s, shapeOf(s), LayerKind::dense).forward), 14);
    EXPECT_EQ(launchesOf(layerKernels(s, shapeOf(s), LayerKind::dense).backward), 18 + 4);
    EXPECT_EQ(launchesOf(embeddingKernels(s, shapeOf(s)).forward), 3);
    EXPECT_EQ(launchesOf(embeddingKernels(s, shapeOf(s)).backward), 2);
    EXPECT_EQ(launchesOf(headKernels(s, shapeOf(s)).forward), 1 + 1 + 6);
    EXPECT_EQ(launchesOf(headKernels(s, shapeOf(s)).backward), 3 + 2 + 2);
}

/// Of an empty chunk nothing is kept; while a layer is computed its gathered input and gradient are there.
TEST(SmallModels, AnEmptyChunkKeepsNothing)
{
    Scenario s = hybridScenario();
    s.training.recomputeGranularity = "full";
    EXPECT_EQ(activationBytes(s, shapeOf(s), {}), 0);
    EXPECT_EQ(transientBytes(s, shapeOf(s), {}), 2 * 2 * 1536 * 640);
    EXPECT_EQ(stageParameters(s, shapeOf(s), {}, false).total(), 0);
}

/// 32 GPUs: TP 2, CP 2, PP 2 leave four data-parallel ranks; experts over 8 ranks, two groups of TP x CP, form cells of two.
TEST(SmallModels, SizesOfARank)
{
    Scenario s = hybridScenario();
    s.parallelism.contextParallelSize = s.parallelism.pipelineModelParallelSize = 2;
    s.parallelism.expertModelParallelSize = 8;
    s.model.numExperts = 8;
    s.cluster.numGpus = 32;
    s.training.globalBatchSize = 48;
    const Shape shape = shapeOf(s);
    EXPECT_EQ(shape.dp, 4);
    EXPECT_EQ(shape.numMicrobatches, 4); // 48 / (3 x 4)
    EXPECT_EQ(shape.groupsPerCell, 2);
    EXPECT_EQ(shape.numReplicas, 2);
    EXPECT_EQ(shape.tokens, 768);
    EXPECT_EQ(shape.shardedTokens, 384);
    EXPECT_EQ(shape.heads, 4);
    EXPECT_EQ(shape.queryDim, 8 * 128);
    EXPECT_EQ(shape.keyValueDim, 8 * 128);
    EXPECT_EQ(shape.sequence, 512);
    EXPECT_EQ(shape.microBatch, 3);
}

} // namespace
} // namespace prism
