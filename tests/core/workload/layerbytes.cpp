// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes that a layer moves, by hand: collectives as nccl-tests counts them (the whole buffer of one rank), and what kernels without matrix
// products read and write. Sizes are small primes or powers, so that a forgotten factor shows.
#include "core/workload/kernel.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

/// h 640, 8 heads of 96 with 2 groups, gated MLP of 1,280, micro-batch 3, 512 tokens: 1,536 tokens, 2 bytes each element.
Scenario smallScenario(int tp, int cp)
{
    Scenario s;
    s.model.hiddenSize = 640;
    s.model.numAttentionHeads = 8;
    s.model.numQueryGroups = 2;
    s.model.kvChannels = 96;
    s.model.ffnHiddenSize = 1280;
    s.model.seqLength = 512;
    s.model.vocabSize = 3200;
    s.model.numExperts = 16;
    s.model.moeRouterTopk = 3;
    s.model.moeFfnHiddenSize = 320;
    s.training.microBatchSize = 3;
    s.parallelism.tensorModelParallelSize = tp;
    s.parallelism.contextParallelSize = cp;
    s.parallelism.sequenceParallel = true;
    s.cluster.numGpus = 64;
    return s;
}

constexpr double kRows = 3 * 512;

struct Traffic {
    double bytes = 0, launches = 0;
    int calls = 0;
};

/// Of one class (and of collectives one operation over one domain).
Traffic trafficOf(const std::vector<Kernel>& kernels, KernelId id)
{
    Traffic t;
    for (const Kernel& k : kernels)
        if (k.id == id && k.kind != CostKind::gemm) {
            t.bytes += k.bytes;
            t.launches += k.launches;
            ++t.calls;
        }
    return t;
}
Traffic trafficOf(const std::vector<Kernel>& kernels, KernelId id, CollectiveOp op, Domain domain)
{
    std::vector<Kernel> those;
    for (const Kernel& k : kernels)
        if (k.kind == CostKind::collective && k.op == op && k.domain == domain)
            those.push_back(k);
    return trafficOf(those, id);
}

LayerKernels kernelsOf(const Scenario& s, LayerKind kind)
{
    return layerKernels(s, shapeOf(s), kind);
}

/// Korthikanti et al. 2022 (arXiv 2205.05198, section 4.2.2): with sequence parallelism a gather before and a reduce-scatter after each of
/// both blocks, of s b h elements; backward the same, and the gathers once more for the weight gradients. Without: an all-reduce after each
/// block, and backward before it (Shoeybi et al. 2019, arXiv 1909.08053, section 3).
TEST(LayerBytes, TensorParallelBlocksMoveTheirInputs)
{
    Scenario s = smallScenario(4, 2);
    const double buffer = kRows / 2 * 640 * 2;
    LayerKernels k = kernelsOf(s, LayerKind::dense);
    EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::tpAllGather, CollectiveOp::allGather, Domain::tensor).bytes, 2 * buffer);
    EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::tpReduceScatter, CollectiveOp::reduceScatter, Domain::tensor).bytes, 2 * buffer);
    EXPECT_DOUBLE_EQ(trafficOf(k.backward, KernelId::tpAllGather, CollectiveOp::allGather, Domain::tensor).bytes, 4 * buffer);
    EXPECT_DOUBLE_EQ(trafficOf(k.backward, KernelId::tpReduceScatter, CollectiveOp::reduceScatter, Domain::tensor).bytes, 2 * buffer);
    s.model.parallelAttention = true; // one entry and one exit for both
    k = kernelsOf(s, LayerKind::dense);
    EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::tpAllGather).bytes, buffer);
    EXPECT_DOUBLE_EQ(trafficOf(k.backward, KernelId::tpAllGather).bytes, 2 * buffer);
    s.model.parallelAttention = false;
    s.parallelism.sequenceParallel = false;
    k = kernelsOf(s, LayerKind::dense);
    EXPECT_EQ(trafficOf(k.forward, KernelId::tpAllGather).calls + trafficOf(k.forward, KernelId::tpReduceScatter).calls, 0);
    EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::tpAllReduce, CollectiveOp::allReduce, Domain::tensor).bytes, 2 * buffer);
    EXPECT_DOUBLE_EQ(trafficOf(k.backward, KernelId::tpAllReduce, CollectiveOp::allReduce, Domain::tensor).bytes, 2 * buffer);
    s.parallelism.tensorModelParallelSize = 1;
    EXPECT_EQ(trafficOf(kernelsOf(s, LayerKind::dense).forward, KernelId::tpAllReduce).calls, 0);
}

/// Keys and values of a rank: 2 x 2 groups x 96 channels over TP, of its 768 tokens. A ring sends them cp - 1 times (arXiv 2310.01889),
/// a gather's buffer holds those of all ranks (arXiv 2407.21783, section 3.3.2), Ulysses exchanges queries and outputs besides
/// (arXiv 2309.14509). Backward gradients travel back the same way.
TEST(LayerBytes, ContextParallelRanksExchangeKeysAndValues)
{
    Scenario s = smallScenario(2, 4);
    const double keyValue = 2 * (2 * 96 / 2.0) * (kRows / 4) * 2, queryOutput = 2 * (8 * 96 / 2.0) * (kRows / 4) * 2;
    const auto exchanged = [&](const char* type, bool backward, CollectiveOp op) {
        s.parallelism.cpCommType = type;
        const LayerKernels k = kernelsOf(s, LayerKind::dense);
        return trafficOf(backward ? k.backward : k.forward, KernelId::cpExchange, op, Domain::context).bytes;
    };
    EXPECT_DOUBLE_EQ(exchanged("p2p", false, CollectiveOp::sendRecv), 3 * keyValue);
    EXPECT_DOUBLE_EQ(exchanged("p2p", true, CollectiveOp::sendRecv), 2 * 3 * keyValue);
    EXPECT_DOUBLE_EQ(exchanged("all_gather", false, CollectiveOp::allGather), 4 * keyValue);
    EXPECT_DOUBLE_EQ(exchanged("all_gather", true, CollectiveOp::allGather), 4 * keyValue);
    EXPECT_DOUBLE_EQ(exchanged("all_gather", true, CollectiveOp::reduceScatter), 4 * keyValue);
    EXPECT_DOUBLE_EQ(exchanged("a2a", false, CollectiveOp::allToAll), keyValue + queryOutput);
    EXPECT_DOUBLE_EQ(exchanged("a2a", true, CollectiveOp::allToAll), 2 * (keyValue + queryOutput));
    s.parallelism.contextParallelSize = 1;
    EXPECT_DOUBLE_EQ(exchanged("p2p", false, CollectiveOp::sendRecv), 0);
}

/// Every tensor-parallel rank routes its own tokens: kRows / TP x top-k copies of h go out and come back, in both passes (GShard,
/// arXiv 2006.16668). Over expert TP the copies of all its ranks are gathered before and reduce-scattered behind the experts.
TEST(LayerBytes, ExpertsExchangeTheRoutedCopies)
{
    Scenario s = smallScenario(4, 1);
    s.parallelism.expertModelParallelSize = 8;
    s.parallelism.expertTensorParallelSize = 2;
    const double copies = kRows / 4 * 3 * 640 * 2;
    const LayerKernels k = kernelsOf(s, LayerKind::moeOnly);
    for (const auto* pass : {&k.forward, &k.backward}) {
        EXPECT_DOUBLE_EQ(trafficOf(*pass, KernelId::epAllToAll, CollectiveOp::allToAll, Domain::expert).bytes, 2 * copies);
        EXPECT_EQ(trafficOf(*pass, KernelId::epAllToAll).calls, 2);
        EXPECT_DOUBLE_EQ(trafficOf(*pass, KernelId::tpAllGather, CollectiveOp::allGather, Domain::expertTensor).bytes, 2 * copies);
        EXPECT_DOUBLE_EQ(trafficOf(*pass, KernelId::tpReduceScatter, CollectiveOp::reduceScatter, Domain::expertTensor).bytes, 2 * copies);
    }
    s.parallelism.expertModelParallelSize = s.parallelism.expertTensorParallelSize = 1;
    const LayerKernels alone = kernelsOf(s, LayerKind::moeOnly);
    EXPECT_EQ(trafficOf(alone.forward, KernelId::epAllToAll).calls + trafficOf(alone.forward, KernelId::tpAllGather).calls, 0);
}

/// Rows in the order of the experts: read and written on the sending side, on the receiving side for every copy, and the same back; the
/// merge reads the copies and writes the token. DeepEP (flex) sends tokens as they lie; on the receiving side one token stands for all
/// experts of the rank: of 3 experts on 8 ranks 8 (1 - (7/8)^3) have some.
TEST(LayerBytes, PermutationsReadAndWriteTheCopies)
{
    Scenario s = smallScenario(2, 1);
    s.parallelism.expertModelParallelSize = 8;
    const double token = 640 * 2, tokens = kRows / 2, copies = tokens * 3;
    LayerKernels k = kernelsOf(s, LayerKind::moeOnly);
    EXPECT_NEAR(trafficOf(k.forward, KernelId::moePermute).bytes, token * (2 * copies + 2 * copies + 2 * copies + (copies + tokens)), 1e-3);
    EXPECT_NEAR(trafficOf(k.backward, KernelId::moePermute).bytes, token * (2 * copies + 2 * copies + 2 * copies + 2 * copies), 1e-3);
    s.parallelism.moeTokenDispatcherType = "flex";
    k = kernelsOf(s, LayerKind::moeOnly);
    const double received = 8 * (1 - std::pow(7 / 8.0, 3)) / 3; // of each copy
    EXPECT_NEAR(trafficOf(k.forward, KernelId::moePermute).bytes, token * 2 * copies * (1 + received), 1e-3);
    EXPECT_NEAR(trafficOf(k.backward, KernelId::moePermute).bytes, token * 2 * copies * (1 + received), 1e-3);
}

/// Reads and writes of a dense layer on one rank of TP 4 with sequence parallelism. Norms and residuals on the rank's share of the tokens:
/// a norm reads and writes, a residual reads two and writes one, backward one in and one out. Rotary embedding of queries and keys reads
/// and writes; the gated activation reads two and writes one, backward reads three and writes two.
TEST(LayerBytes, MemoryBoundKernelsReadAndWriteTheirTensors)
{
    Scenario s = smallScenario(4, 1);
    const double shard = kRows / 4 * 640 * 2;
    LayerKernels k = kernelsOf(s, LayerKind::dense);
    EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::norm).bytes, 2 * 2 * shard);
    EXPECT_DOUBLE_EQ(trafficOf(k.backward, KernelId::norm).bytes, 2 * 3.5 * shard); // passes.h: 3, and half of a second kernel's read
    const double rotary = 2 * kRows * (8 + 2) * 96 / 4.0 * 2;
    EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::residual).bytes, 2 * 3 * shard + rotary);
    EXPECT_DOUBLE_EQ(trafficOf(k.backward, KernelId::residual).bytes, 2 * 2 * shard + rotary);
    const double gate = kRows * 1280 / 4.0 * 2;
    EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::activation).bytes, 3 * gate);
    EXPECT_DOUBLE_EQ(trafficOf(k.backward, KernelId::activation).bytes, 5 * gate);
    s.model.gatedMlp = false;
    s.model.positionEmbeddingLearned = true;
    s.parallelism.sequenceParallel = false;  // all tokens on every rank
    s.training.attentionBackend = "unfused"; // with dropout masks of a byte
    k = kernelsOf(s, LayerKind::dense);
    EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::norm).bytes, 2 * 2 * 4 * shard);
    EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::residual).bytes, 2 * 4 * shard * (3 + 0.5));
    EXPECT_DOUBLE_EQ(trafficOf(k.backward, KernelId::residual).bytes, 2 * 4 * shard * (2 + 0.5));
    EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::activation).bytes, 2 * gate);
    EXPECT_DOUBLE_EQ(trafficOf(k.backward, KernelId::activation).bytes, 3 * gate);
    // Softmax over the square of 2 heads on this rank: 2 bytes in and out, dropout again with its mask; backward reads one more.
    const double square = 3 * 2 * 512.0 * 512;
    EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::attention).bytes, square * (2 * 2 + 2 * 2 + 1));
    EXPECT_DOUBLE_EQ(trafficOf(k.backward, KernelId::attention).bytes, square * (3 * 2 + 2 * 2 + 1));
}

/// Experts' activations on their copies; the router's FP32 scores, four passes forward and six backward (passes.h).
TEST(LayerBytes, ExpertsAndRouterReadAndWriteTheirTensors)
{
    Scenario s = smallScenario(2, 1);
    s.parallelism.expertModelParallelSize = 4;
    s.parallelism.expertTensorParallelSize = 2;
    const LayerKernels k = kernelsOf(s, LayerKind::moeOnly);
    const double gate = (kRows / 2 * 3 * 2) * (320 / 2.0) * 2, scores = kRows / 2 * 16 * 4;
    EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::activation).bytes, 3 * gate);
    EXPECT_DOUBLE_EQ(trafficOf(k.backward, KernelId::activation).bytes, 5 * gate);
    EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::router).bytes, 4 * scores);
    EXPECT_DOUBLE_EQ(trafficOf(k.backward, KernelId::router).bytes, 6 * scores);
}

/// Inputs of products are cast before them: of QKV, projection, FC1 and FC2 forward, of their output gradients backward (3 bytes for an
/// element with delayed scaling on hardware with FP4, casts.cpp).
TEST(LayerBytes, InputsAndGradientsOfProductsAreCast)
{
    Scenario s = smallScenario(2, 1);
    s.training.precision = "fp8_delayed";
    s.cluster.gpu.peakFp4Tflops = 1;
    const LayerKernels k = kernelsOf(s, LayerKind::dense);
    const double query = 8 * 96 / 2.0, qkv = (8 + 2 * 2) * 96 / 2.0, width = 1280 / 2.0;
    EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::cast).bytes, 3 * kRows * (640 + query + 640 + width));
    EXPECT_DOUBLE_EQ(trafficOf(k.backward, KernelId::cast).bytes, 3 * kRows * (640 + 2 * width + 640 + qkv));
    s.parallelism.expertModelParallelSize = 4;
    const LayerKernels moe = kernelsOf(s, LayerKind::moeOnly);
    const double copies = kRows / 2 * 3;
    EXPECT_DOUBLE_EQ(trafficOf(moe.forward, KernelId::cast).bytes, 3 * copies * (640 + 320));
    EXPECT_DOUBLE_EQ(trafficOf(moe.backward, KernelId::cast).bytes, 3 * copies * (640 + 2 * 320));
}

/// The ends: looked-up rows are read and written, backward read and added to FP32 gradients (read and written); their output is
/// scattered over the sequence. The loss passes over the logits: read in 16 bit, FP32 written and read three times (maximum,
/// exponent, sum); backward FP32 read, 16 bit written, FP32 once more.
TEST(LayerBytes, EndsOfTheModel)
{
    Scenario s = smallScenario(4, 1);
    const double rows = kRows * 640, logits = kRows * 3200 / 4.0;
    const LayerKernels in = embeddingKernels(s, shapeOf(s)), out = headKernels(s, shapeOf(s));
    EXPECT_DOUBLE_EQ(trafficOf(in.forward, KernelId::embedding).bytes, 2 * 2 * rows);
    EXPECT_DOUBLE_EQ(trafficOf(in.backward, KernelId::embedding).bytes, (2 + 4 + 4) * rows);
    EXPECT_DOUBLE_EQ(trafficOf(in.forward, KernelId::tpReduceScatter).bytes, 2 * rows);
    EXPECT_DOUBLE_EQ(trafficOf(in.backward, KernelId::tpAllGather).bytes, 2 * rows);
    EXPECT_DOUBLE_EQ(trafficOf(out.forward, KernelId::loss).bytes, logits * (2 + 4 * 4));
    EXPECT_DOUBLE_EQ(trafficOf(out.backward, KernelId::loss).bytes, logits * (4 + 2 + 4));
    EXPECT_DOUBLE_EQ(trafficOf(out.forward, KernelId::norm).bytes, 2 * 2 * rows / 4);
    EXPECT_DOUBLE_EQ(trafficOf(out.forward, KernelId::tpAllGather).bytes, 2 * rows);
    EXPECT_DOUBLE_EQ(trafficOf(out.backward, KernelId::tpReduceScatter).bytes, 2 * rows);
    s.model.mtpNumLayers = 1;
    EXPECT_DOUBLE_EQ(trafficOf(headKernels(s, shapeOf(s)).forward, KernelId::loss).bytes, 2 * logits * (2 + 4 * 4));
}

/// Single operations, reads and writes counted (passes.h): 36 and 76 bytes an element of a norm, 20 of the rotary embedding; the
/// function of a gate and its product read and write five widths forward and nine backward. The loss casts logits to FP32 (6 bytes) and
/// moves 17 and 32.
TEST(LayerBytes, EagerKernelsPassOverTheirTensorsOneByOne)
{
    Scenario s = smallScenario(1, 1);
    s.training.fusion = "eager";
    const LayerKernels k = kernelsOf(s, LayerKind::dense), end = headKernels(s, shapeOf(s));
    EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::norm).bytes, 2 * 36 * kRows * 640);
    EXPECT_DOUBLE_EQ(trafficOf(k.backward, KernelId::norm).bytes, 2 * 76 * kRows * 640);
    EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::activation).bytes, 5 * 2 * kRows * 1280);
    EXPECT_DOUBLE_EQ(trafficOf(k.backward, KernelId::activation).bytes, 9 * 2 * kRows * 1280);
    const double rotated = kRows * (8 + 2) * 96, added = kRows * 640;
    EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::residual).bytes, 20 * rotated + 2 * 6 * added);
    EXPECT_DOUBLE_EQ(trafficOf(k.backward, KernelId::residual).bytes, 20 * rotated + 2 * 4 * added);
    EXPECT_DOUBLE_EQ(trafficOf(end.forward, KernelId::loss).bytes, kRows * 3200 * (6 + 17));
    EXPECT_DOUBLE_EQ(trafficOf(end.backward, KernelId::loss).bytes, kRows * 3200 * (6 + 32));
    s.training.fusion = "compiled"; // all but the loss
    EXPECT_DOUBLE_EQ(trafficOf(kernelsOf(s, LayerKind::dense).forward, KernelId::norm).bytes, 2 * 4 * kRows * 640);
    EXPECT_DOUBLE_EQ(trafficOf(headKernels(s, shapeOf(s)).forward, KernelId::loss).bytes, kRows * 3200 * (6 + 17));
}

/// torch's LayerNorm is one kernel forward (read, write) and two backward: 3 passes for the input's gradient, 2 for the weights'.
TEST(LayerBytes, TorchsLayerNormIsNotSplitIntoOperations)
{
    Scenario s = smallScenario(1, 1);
    s.model.normalization = "layernorm";
    for (const auto& [fusion, backward] : {std::pair{"eager", 5.0}, {"compiled", 3.5}, {"fused", 3.5}}) {
        s.training.fusion = fusion;
        const LayerKernels k = kernelsOf(s, LayerKind::dense);
        EXPECT_DOUBLE_EQ(trafficOf(k.forward, KernelId::norm).bytes, 2 * 2 * 2 * kRows * 640) << fusion;
        EXPECT_DOUBLE_EQ(trafficOf(k.backward, KernelId::norm).bytes, 2 * backward * 2 * kRows * 640) << fusion;
    }
}

/// Bytes of a dense layer's backward that no product and no other kernel moves: those of the weights' gradients.
double extraGradientBytes(const Scenario& s)
{
    double bytes = 0;
    for (const Kernel& k : kernelsOf(s, LayerKind::dense).backward)
        bytes += k.part == Part::wgrad && k.kind == CostKind::memory ? k.bytes : 0;
    return bytes;
}

/// The gradient of a bias is the sum over the tokens of what the weight's gradient reads: 12 x 96 for queries, keys and values, 640 behind
/// them, 2 x 1,280 and 640 of the MLP. Transformer Engine takes it from the product.
TEST(LayerBytes, BiasGradientsReadTheOutputsGradientOnceMore)
{
    Scenario s = smallScenario(1, 1);
    s.training.globalBatchSize = 64 * 3; // one micro-batch: nothing to add up
    s.training.fusion = "compiled";
    EXPECT_EQ(extraGradientBytes(s), 0);
    s.model.addQkvBias = true;
    EXPECT_DOUBLE_EQ(extraGradientBytes(s), 2 * kRows * (12 * 96));
    s.model.addBiasLinear = true;
    EXPECT_DOUBLE_EQ(extraGradientBytes(s), 2 * kRows * (12 * 96 + 640 + 2 * 1280 + 640));
    s.training.fusion = "fused";
    EXPECT_EQ(extraGradientBytes(s), 0);
    s.training.fusion = "eager";
    EXPECT_EQ(headKernels(s, shapeOf(s)).backward.size(), headKernels(smallScenario(1, 1), shapeOf(s)).backward.size());
    s.parallelism.expertModelParallelSize = 4; // three experts a token, 2 x 320 and 640 wide; the router has no bias
    double experts = 0, router = 0;
    for (const Kernel& k : kernelsOf(s, LayerKind::moeOnly).backward)
        if (k.part == Part::wgrad && k.kind == CostKind::memory)
            (k.id == KernelId::router ? router : experts) += k.id == KernelId::gemmFc1 || k.id == KernelId::gemmFc2 ? 0.0 : k.bytes;
    EXPECT_DOUBLE_EQ(experts, 2 * kRows * 3 * (2 * 320 + 640));
    EXPECT_EQ(router, 0);
}

/// Experts with a capacity compute as many rows over their even share, and the all-to-all and the permutations move them.
TEST(LayerBytes, ACapacityFactorPadsTheRowsOfExperts)
{
    Scenario s = smallScenario(1, 1);
    s.parallelism.expertModelParallelSize = 4;
    const auto products = [](const LayerKernels& k) {
        double flops = 0;
        for (const Kernel& kernel : k.forward)
            flops += kernel.grouped() ? kernel.flops : 0.0;
        return flops;
    };
    const LayerKernels even = kernelsOf(s, LayerKind::moeOnly);
    s.model.moeCapacityFactor = 1.25;
    const LayerKernels padded = kernelsOf(s, LayerKind::moeOnly);
    EXPECT_DOUBLE_EQ(products(even), 2 * 3 * kRows * 3 * 640 * 320.0);
    EXPECT_DOUBLE_EQ(products(padded), 1.25 * products(even));
    for (const KernelId id : {KernelId::epAllToAll, KernelId::activation})
        for (const auto part : {&LayerKernels::forward, &LayerKernels::backward})
            EXPECT_DOUBLE_EQ(trafficOf(padded.*part, id).bytes, 1.25 * trafficOf(even.*part, id).bytes);
    EXPECT_DOUBLE_EQ(trafficOf(padded.forward, KernelId::router).bytes, trafficOf(even.forward, KernelId::router).bytes);
}

/// torch's accumulate_grad.h: from the second micro-batch on the gradient (2 bytes) and the sum are read and the sum is written. Weights of
/// the dense layer: 640 (8 + 2 x 2) 96 for queries, keys and values, 768 x 640 behind them, three matrices of 640 x 1,280.
TEST(LayerBytes, GradientsOfMicroBatchesAreAddedWhereNoProductAddsThem)
{
    Scenario s = smallScenario(1, 1);
    s.training.globalBatchSize = 64 * 3 * 4; // 4 micro-batches on 64 replicas
    const double weights = 640.0 * 12 * 96 + 768 * 640 + 3 * 640 * 1280;
    s.training.fusion = "eager";
    EXPECT_DOUBLE_EQ(extraGradientBytes(s), weights * (2 + 4 + 4) * 3 / 4);
    s.training.fusion = "compiled";
    s.training.gradReduceInFp32 = false;
    EXPECT_DOUBLE_EQ(extraGradientBytes(s), weights * (2 + 2 + 2) * 3 / 4);
    s.training.globalBatchSize = 64 * 3;
    EXPECT_EQ(extraGradientBytes(s), 0);
    s.training.globalBatchSize = 64 * 3 * 4;
    s.training.fusion = "fused"; // gradient_accumulation_fusion of Megatron-LM
    EXPECT_EQ(extraGradientBytes(s), 0);
    // From ZeRO 2 on every micro-batch's gradient is copied into the buffer that is reduced, in the type of the reduction; with ZeRO 3 the
    // weights are copied out of the gathered buffer as well, for the forward and for the backward (2 x 4 bytes).
    s.parallelism.zeroStage = 2;
    EXPECT_DOUBLE_EQ(extraGradientBytes(s), weights * (2 + 2));
    s.training.gradReduceInFp32 = true;
    EXPECT_DOUBLE_EQ(extraGradientBytes(s), weights * (2 + 4));
    s.parallelism.zeroStage = 3;
    EXPECT_DOUBLE_EQ(extraGradientBytes(s), weights * (2 + 4 + 8));
}

TEST(LayerBytes, FusionFollowsTheAttentionWhereItIsNotStated)
{
    Scenario s = smallScenario(1, 1);
    const auto fusion = [&](const char* stated, const char* backend, int zero) {
        s.training.fusion = stated;
        s.training.attentionBackend = backend;
        s.parallelism.zeroStage = zero;
        return shapeOf(s).fusion;
    };
    for (const char* backend : {"unfused", "flash3", "cudnn"})
        EXPECT_EQ(fusion("auto", backend, 3), Fusion::fused) << backend;
    for (const char* backend : {"triton", "flash1"}) { // FSDP of that time is not compiled, its loss comes with the attention
        EXPECT_EQ(fusion("auto", backend, 1), Fusion::fused) << backend;
        EXPECT_EQ(fusion("auto", backend, 2), Fusion::eager) << backend;
        EXPECT_TRUE(shapeOf(s).fusedLoss);
        EXPECT_EQ(fusion("eager", backend, 2), Fusion::eager) << backend;
        EXPECT_FALSE(shapeOf(s).fusedLoss);
    }
    EXPECT_EQ(fusion("auto", "flash2", 1), Fusion::eager);
    EXPECT_EQ(fusion("auto", "flash2", 2), Fusion::compiled);
    EXPECT_FALSE(shapeOf(s).fusedLoss);
    EXPECT_EQ(fusion("fused", "flash2", 1), Fusion::fused);
    EXPECT_EQ(fusion("compiled", "cudnn", 1), Fusion::compiled);
}

} // namespace
} // namespace prism
