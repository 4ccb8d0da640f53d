// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of a stage by hand: the order of kernels, which part of a collective is hidden under which product, how often a layer
// repeats, waits for the host, and the granularity of what happens once a step.
#include "core/cost/costmodel.h"
#include "core/cost/granularity.h"
#include "core/cost/predictor.h"
#include "core/cost/quickstep.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

/// Two layers on TP 2; large products, so that the host never waits.
Scenario programScenario()
{
    Scenario s;
    s.model.numLayers = 2;
    s.model.hiddenSize = 8192;
    s.model.numAttentionHeads = 64;
    s.model.numQueryGroups = 8;
    s.model.ffnHiddenSize = 28672;
    s.model.vocabSize = 32000;
    s.parallelism.tensorModelParallelSize = 2;
    s.training.globalBatchSize = 8;
    s.training.microBatchSize = 2;
    s.cluster.numGpus = 4;
    s.cluster.gpu.memoryGib = 1000;
    return s;
}

StepGraph programGraph(const Scenario& s)
{
    const Result<CostedStep> step = costStep(s);
    EXPECT_TRUE(step.ok()) << step.errors().front().path << " " << step.errors().front().message;
    return step->graph;
}

const Program& programOf(const StepGraph& g, std::size_t stage, std::size_t phase)
{
    return g.programs[static_cast<std::size_t>(g.programOf[stage][0][phase])];
}

/// The only block of layers: that with the most operations.
const Block& layersOf(const Program& p)
{
    return *std::max_element(p.blocks.begin(), p.blocks.end(),
                             [](const Block& a, const Block& b) { return a.repeat * a.ops.size() < b.repeat * b.ops.size(); });
}

const Op& opOf(const Block& block, KernelId id, int nth = 0)
{
    for (const Op& op : block.ops)
        if (op.kernelClass == static_cast<int>(id) && nth-- == 0)
            return op;
    ADD_FAILURE() << "no such operation";
    return block.ops.front();
}

/// Mean seconds of each kernel of a class alone.
std::vector<double> aloneOf(const Scenario& s, const std::vector<Kernel>& kernels, KernelId id)
{
    const CostModel cost(s, calibration());
    std::vector<double> seconds;
    for (const Kernel& k : kernels)
        if (k.id == id)
            seconds.push_back(cost.seconds(k));
    return seconds;
}

TEST(LayerPrograms, EveryKernelOfALayerFollowsInOrder)
{
    const Scenario s = programScenario();
    const StepGraph g = programGraph(s);
    const CostModel cost(s, calibration());
    const LayerKernels layer = layerKernels(s, shapeOf(s), LayerKind::dense);
    const Block& forward = layersOf(programOf(g, 0, 0));
    EXPECT_EQ(forward.repeat, 2);
    ASSERT_EQ(forward.ops.size(), layer.forward.size());
    for (std::size_t i = 0; i < layer.forward.size(); ++i) {
        EXPECT_EQ(forward.ops[i].kernelClass, static_cast<int>(layer.forward[i].id)) << i;
        EXPECT_DOUBLE_EQ(forward.ops[i].meanSeconds, cost.seconds(layer.forward[i])) << i; // nothing overlaps
        EXPECT_EQ(forward.ops[i].hiddenSeconds, 0) << i;
        EXPECT_FALSE(forward.ops[i].routed) << i;
    }
    ASSERT_EQ(programOf(g, 0, 0).blocks.size(), 3U); // embedding, layers, head
    EXPECT_EQ(programOf(g, 0, 1).blocks.size(), 3U);
    EXPECT_EQ(programOf(g, 0, 0).blocks.front().ops.front().kernelClass, static_cast<int>(KernelId::embedding));
}

/// Split and pipelined with products (tp_comm_overlap): a gather hides under the product behind it, a reduce-scatter under the one before;
/// each overlapped second slows a product by 3 % (costmodel.h).
TEST(LayerPrograms, TensorParallelTrafficHidesUnderItsProducts)
{
    Scenario s = programScenario();
    s.parallelism.tpCommOverlap = true;
    const LayerKernels layer = layerKernels(s, shapeOf(s), LayerKind::dense);
    const Block& forward = layersOf(programOf(programGraph(s), 0, 0));
    const double gather = aloneOf(s, layer.forward, KernelId::tpAllGather)[0],
                 scatter = aloneOf(s, layer.forward, KernelId::tpReduceScatter)[0];
    const auto expectPair = [&](KernelId collective, int nth, double seconds, KernelId product) {
        const double alone = aloneOf(s, layer.forward, product)[0];
        EXPECT_DOUBLE_EQ(opOf(forward, collective, nth).hiddenSeconds, alone);
        EXPECT_NEAR(opOf(forward, product).meanSeconds, alone + 0.03 * std::min(seconds, alone), 1e-12);
    };
    expectPair(KernelId::tpAllGather, 0, gather, KernelId::gemmQkv);
    expectPair(KernelId::tpReduceScatter, 0, scatter, KernelId::gemmProj);
    expectPair(KernelId::tpAllGather, 1, gather, KernelId::gemmFc1);
    expectPair(KernelId::tpReduceScatter, 1, scatter, KernelId::gemmFc2);
}

/// Across nodes nothing is overlapped, with a warning: user buffers need one NVLink domain.
TEST(LayerPrograms, TensorParallelTrafficAcrossNodesIsNotOverlapped)
{
    Scenario s = programScenario();
    s.parallelism.tpCommOverlap = true;
    const auto warned = [&] {
        const Diagnostics warnings = costStep(s)->warnings;
        return std::any_of(warnings.begin(), warnings.end(), [](const Diagnostic& d) {
            return d.path == "parallelism.tp_comm_overlap" && d.found == "TP 2 on 2 nodes" && d.fixValue == "false";
        });
    };
    const auto hidden = [&] { return opOf(layersOf(programOf(programGraph(s), 0, 0)), KernelId::tpAllGather, 0).hiddenSeconds; };
    EXPECT_FALSE(warned());
    EXPECT_GT(hidden(), 0.0);
    s.cluster.gpusPerNode = 1;
    EXPECT_TRUE(warned());
    EXPECT_EQ(hidden(), 0.0);
}

/// Backward without that option: the second gather of the inputs and the reduction of their gradients overlap the products behind
/// them (asynchronous in Megatron-LM), the first gather does not.
TEST(LayerPrograms, GatherAndReductionOfTheInputsOverlapTheWeightGradient)
{
    const Scenario s = programScenario();
    const LayerKernels layer = layerKernels(s, shapeOf(s), LayerKind::mlpOnly);
    Scenario mlp = s;
    mlp.model.layerPattern = {{"mlp", 1}};
    const Block backward = layersOf(programOf(programGraph(mlp), 0, 1));
    const double gradient = aloneOf(s, layer.backward, KernelId::gemmFc1)[1]; // the last product: the weight gradient
    const double gather = aloneOf(s, layer.backward, KernelId::tpAllGather)[1],
                 reduction = aloneOf(s, layer.backward, KernelId::tpReduceScatter)[0];
    EXPECT_EQ(opOf(backward, KernelId::tpAllGather, 0).hiddenSeconds, 0);
    EXPECT_DOUBLE_EQ(opOf(backward, KernelId::tpAllGather, 1).hiddenSeconds, gradient);
    ASSERT_LT(gather + reduction, gradient);
    EXPECT_NEAR(opOf(backward, KernelId::tpReduceScatter).hiddenSeconds, gradient - gather, 1e-12); // each second of room once
    EXPECT_NEAR(opOf(backward, KernelId::gemmFc1, 1).meanSeconds, gradient + 0.03 * (gather + reduction), 1e-12);
}

/// Full recomputation runs the forward before each backward, with method block that of the first layers; a selective module alone.
TEST(LayerPrograms, RecomputedLayersRunTheirForwardAgain)
{
    Scenario s = programScenario();
    const LayerKernels layer = layerKernels(s, shapeOf(s), LayerKind::dense);
    const auto blocks = [&] {
        std::vector<std::pair<int, std::size_t>> found;
        const StepGraph g = programGraph(s);
        for (const Block& block : programOf(g, 0, 1).blocks)
            if (std::any_of(block.ops.begin(), block.ops.end(),
                            [](const Op& op) { return op.kernelClass == static_cast<int>(KernelId::gemmQkv); }))
                found.emplace_back(block.repeat, block.ops.size());
        return found;
    };
    const std::size_t f = layer.forward.size(), b = layer.backward.size();
    EXPECT_EQ(blocks().at(0), (std::pair{2, b}));
    s.training.recomputeGranularity = "full";
    EXPECT_EQ(blocks().at(0), (std::pair{2, f + b}));
    s.training.recomputeMethod = "block";
    s.training.recomputeNumLayers = 1;
    EXPECT_EQ(blocks().at(0), (std::pair{1, f + b}));
    EXPECT_EQ(blocks().at(1), (std::pair{1, b}));
    s.training.recomputeNumLayers = 0; // all
    EXPECT_EQ(blocks().at(0), (std::pair{2, f + b}));
    s.training.recomputeGranularity = "selective";
    s.training.recomputeModules = "layernorm";
    EXPECT_EQ(blocks().at(0), (std::pair{2, b + 2}));
    s.training.recomputeGranularity = "none";
    s.parallelism.pipelineModelParallelSize = 2;
    s.parallelism.pipelineSchedule = "zb-h1"; // weight gradients of the products are a pass: QKV, projection, FC1, FC2
    const StepGraph g = programGraph(s);
    EXPECT_EQ(layersOf(programOf(g, 0, 2)).ops.size(), 4U);
    EXPECT_EQ(layersOf(programOf(g, 0, 1)).ops.size(), b - 4);
}

/// Experts: their products are routed, their exchange waits for the whole cell, and every layer waits for its counts on the host.
TEST(LayerPrograms, ExpertsAreRoutedAndWaitForTheirCounts)
{
    Scenario s = programScenario();
    s.model.numExperts = 8;
    s.model.moeRouterTopk = 2;
    s.model.moeFfnHiddenSize = 28672;
    s.parallelism.expertModelParallelSize = 4;
    s.model.seqLength = 8192; // kernels of more than a millisecond: behind the counts the host is ahead of them again
    const auto hostSeconds = [&](std::size_t phase) {
        double seconds = 0;
        const StepGraph g = programGraph(s);
        for (const Block& block : programOf(g, 0, phase).blocks)
            for (const Op& op : block.ops)
                seconds += op.kernelClass == static_cast<int>(KernelId::host) ? block.repeat * op.meanSeconds : 0;
        return seconds;
    };
    const StepGraph g = programGraph(s);
    for (const Op& op : layersOf(programOf(g, 0, 0)).ops) {
        const auto id = static_cast<KernelId>(op.kernelClass);
        EXPECT_EQ(op.routed, id == KernelId::gemmMoeFc1 || id == KernelId::gemmMoeFc2);
        EXPECT_EQ(op.sync, id == KernelId::epAllToAll ? Sync::cell : Sync::group);
    }
    const double counts = calibration().software.routedCountsSeconds;
    EXPECT_NEAR(hostSeconds(0), 2 * counts, 1e-12);
    EXPECT_EQ(hostSeconds(1), 0);
    s.training.recomputeGranularity = "selective";
    s.training.recomputeModules = "moe"; // routes again
    EXPECT_NEAR(hostSeconds(1), 2 * counts, 1e-12);
    s.training.moeHostSync = false;
    EXPECT_EQ(hostSeconds(0), 0);
    s.training.moeHostSync = true;
    s.model.moeFirstKDense = 1;
    EXPECT_NEAR(hostSeconds(0), counts, 1e-12);
    s.training.recomputeGranularity = "none";
    s.model.moeFirstKDense = 0;
    s.parallelism.pipelineModelParallelSize = 2; // a pass of a pipeline waits for its transfer too
    s.cluster.numGpus = 8;
    EXPECT_NEAR(hostSeconds(0), counts + calibration().software.passSeconds, 1e-12);
    EXPECT_NEAR(hostSeconds(1), calibration().software.passSeconds, 1e-12);
    s.training.cudaGraphs = "full_iteration";
    EXPECT_EQ(hostSeconds(0), 0);
}

/// A layer of ZeRO-3 gathers the next one's weights under what no other collective covers, slowing it by 3 % of the overlapped time.
TEST(LayerPrograms, ShardTrafficHidesUnderTheLayer)
{
    Scenario s = programScenario();
    s.parallelism.tensorModelParallelSize = 1;
    s.parallelism.zeroStage = 3;
    const auto layerOps = [&](bool overlap) {
        s.parallelism.overlapParamGather = s.parallelism.overlapGradReduce = overlap;
        return layersOf(programOf(programGraph(s), 0, 0));
    };
    const Block open = layerOps(false), hidden = layerOps(true);
    double compute = 0;
    for (const Op& op : open.ops)
        compute += op.kernelClass == static_cast<int>(KernelId::dpAllGather) ? 0 : op.meanSeconds;
    const double gather = opOf(open, KernelId::dpAllGather).meanSeconds;
    EXPECT_EQ(opOf(open, KernelId::dpAllGather).hiddenSeconds, 0);
    EXPECT_EQ(opOf(open, KernelId::dpAllGather).sync, Sync::replicas);
    EXPECT_NEAR(opOf(hidden, KernelId::dpAllGather).hiddenSeconds, compute, 1e-12);
    EXPECT_EQ(hidden.ops.front().kernelClass, static_cast<int>(KernelId::dpAllGather)); // before the layer
    double slowed = 0;
    for (const Op& op : hidden.ops)
        slowed += op.kernelClass == static_cast<int>(KernelId::dpAllGather) ? 0 : op.meanSeconds;
    EXPECT_NEAR(slowed, compute + 0.03 * std::min(gather, compute), 1e-9);
    // Backward the repeated forward is room too.
    const auto room = [&](const char* recompute) {
        s.training.recomputeGranularity = recompute;
        return opOf(layersOf(programOf(programGraph(s), 0, 1)), KernelId::dpAllGather).hiddenSeconds;
    };
    const double plain = room("none");
    EXPECT_GT(plain, compute); // more work than forward
    EXPECT_NEAR(room("full") - plain, compute, 1e-9);
}

/// A search knows the size of the GPU and, of what does not fit, no time.
TEST(LayerPrograms, ASearchLooksAtTheMemoryFirst)
{
    Scenario s = programScenario();
    QuickCoster coster;
    for (const char* schedule : {"1f1b", "zb-h1"}) {
        s.parallelism.pipelineModelParallelSize = *schedule == '1' ? 1 : 2;
        s.parallelism.pipelineSchedule = schedule;
        s.cluster.gpu.memoryGib = 1000;
        QuickStep step = *coster.step(s);
        EXPECT_EQ(step.capacityGib, 1000);
        EXPECT_TRUE(step.fits);
        EXPECT_GT(step.noiseFreeSeconds, 0);
        EXPECT_EQ(step.tokensPerStep, 8 * 4096);
        s.cluster.gpu.memoryGib = step.peakGib * 0.999;
        step = *coster.step(s);
        EXPECT_FALSE(step.fits);
        EXPECT_EQ(step.noiseFreeSeconds, 0);
        s.cluster.gpu.memoryGib = step.peakGib;
        EXPECT_TRUE(coster.step(s)->fits);
    }
}

/// Group-limited routing over fewer places than groups: of 8 groups, two on each of 4 nodes, 4 chosen ones miss a node with
/// (6 x 5 x 4 x 3) / (8 x 7 x 6 x 5) (DeepSeek-V3, arXiv 2412.19437, section 2.1.2).
TEST(LayerPrograms, GroupsOfExpertsOnFewerNodes)
{
    Scenario s = programScenario();
    s.model.numExperts = 256;
    s.model.moeRouterTopk = 8;
    s.model.moeFfnHiddenSize = 2048;
    s.parallelism.tensorModelParallelSize = 1;
    s.parallelism.expertModelParallelSize = 32;
    s.parallelism.moeTokenDispatcherType = "flex";
    s.cluster.numGpus = 32; // four nodes
    Kernel dispatch;
    dispatch.kind = CostKind::collective;
    dispatch.id = KernelId::epAllToAll;
    dispatch.op = CollectiveOp::allToAll;
    dispatch.domain = Domain::expert;
    dispatch.bytes = 1e12;
    const double all = CostModel(s, calibration()).seconds(dispatch);
    s.model.moeRouterNumGroups = 8;
    s.model.moeRouterGroupTopk = 4;
    const double limited = CostModel(s, calibration()).seconds(dispatch);
    const auto copies = [](double places) { return places * (1 - std::pow(1 - 1 / places, 8)); };
    EXPECT_NEAR(limited / all, copies(4 * (1 - 360.0 / 1680)) / copies(4), 1e-3);
    s.parallelism.moeTokenDispatcherType = "alltoall"; // a copy for each expert
    EXPECT_NEAR(CostModel(s, calibration()).seconds(dispatch) / all, 8 / copies(4), 1e-3);
}

/// Outside of what was validated the band is the widest of the job's kinds and of other rows' errors.
TEST(LayerPrograms, TheBandOutsideOfTheCalibration)
{
    Scenario s = programScenario();
    s.cluster.numGpus = 1 << 15;
    s.training.globalBatchSize = 1 << 15;
    const CostedStep step = *costStep(s);
    ASSERT_FALSE(step.withinCalibration);
    double low = calibration().domain.bandLow, high = calibration().domain.bandHigh;
    for (const std::string& kind : bandKinds(s)) {
        low = std::min(low, errorBand(calibration(), kind).low);
        high = std::max(high, errorBand(calibration(), kind).high);
    }
    EXPECT_EQ(step.errorBandLow, low);
    EXPECT_EQ(step.errorBandHigh, high);
}

/// 8 layers of 3 h x 262,144 parameters and more on TP 2, h = 65,536: over 206 G, which would be 5,154 buckets of 40 M.
TEST(LayerPrograms, AReductionHasAtMost4096Buckets)
{
    Scenario s = programScenario();
    s.model.numLayers = 8;
    s.model.hiddenSize = 65'536;
    s.model.ffnHiddenSize = 262'144;
    EXPECT_EQ(programGraph(s).gradSync[0].buckets, 4096);
}

/// Megatron-Core's buckets: of max(40 M, 1 M x DP) parameters in the first chunk of stage 0, one for every other chunk; the groups of a
/// reduction are the ranks of a cell that do not share it.
TEST(LayerPrograms, GroupsAndBucketsOfWhatHappensOnceAStep)
{
    Scenario s = programScenario();
    s.parallelism.pipelineModelParallelSize = 2;
    s.parallelism.virtualPipelineModelParallelSize = 2;
    s.parallelism.pipelineSchedule = "interleaved";
    s.model.numLayers = 4;
    s.model.tiedEmbeddings = true;
    s.cluster.numGpus = 8;
    StepGraph g = programGraph(s);
    // One layer and the table on TP 2: (h (64 + 64 + 16) 128 + 3 h 28,672 + 2 h + 32,000 h) / 2 = 559.0 M, 14 buckets; another chunk.
    const double first = 8192.0 * ((128 + 16) * 128 + 3 * 28672 + 2 + 32000) / 2;
    EXPECT_EQ(g.gradSync[0].buckets, std::ceil(first / 40e6) + 1);
    EXPECT_EQ(g.paramGather[0].buckets, std::ceil(first / 40e6) + 1);
    EXPECT_EQ(g.gradSync[1].buckets, 2);
    EXPECT_EQ(g.gradSync[0].groups, 2);
    EXPECT_EQ(g.sendForward[0].groups, 2);
    EXPECT_EQ(g.embeddingAllReduce.groups, 2);
    s.parallelism.overlapGradReduce = false; // a bucket a chunk
    g = programGraph(s);
    EXPECT_EQ(g.gradSync[0].buckets, 2);
    EXPECT_EQ(g.paramGather[0].buckets, std::ceil(first / 40e6) + 1);
    s.model.tiedEmbeddings = false;
    s.model.numExperts = 16;
    s.model.moeRouterTopk = 2;
    s.model.moeFfnHiddenSize = 28672;
    s.parallelism.expertModelParallelSize = 4; // experts hold most parameters: groups of EP x expert TP
    EXPECT_EQ(programGraph(s).gradSync[0].groups, 4);
    EXPECT_EQ(programGraph(s).lockstepReplicas, 0);
    s = programScenario();
    s.cluster.numGpus = 32; // 16 data-parallel ranks
    s.parallelism.zeroStage = 3;
    s.training.globalBatchSize = 32;
    s.parallelism.hsdpShardSize = 4;
    EXPECT_EQ(programGraph(s).lockstepReplicas, 4);
    s.parallelism.contextParallelSize = 2; // two ranks of each replica are in the shard
    EXPECT_EQ(programGraph(s).lockstepReplicas, 2);
    s.parallelism.hsdpShardSize = 1; // less than a replica
    EXPECT_EQ(lockstepReplicas(s, shapeOf(s)), 1);
    s.parallelism.hsdpShardSize = 1024; // more than there are: eight replicas of two ranks
    EXPECT_EQ(lockstepReplicas(s, shapeOf(s)), 8);
    s.parallelism.hsdpShardSize = 6; // three replicas do not divide eight: all of them
    EXPECT_EQ(lockstepReplicas(s, shapeOf(s)), 0);
}

/// Transfers occupy the sender under plain 1F1B and GPipe, or where they are not overlapped (Megatron-LM).
TEST(LayerPrograms, TransfersOccupyTheSenderWithoutOverlap)
{
    Scenario s = programScenario();
    s.model.numLayers = 4;
    s.parallelism.pipelineModelParallelSize = 2;
    EXPECT_TRUE(programGraph(s).transferOccupiesSender); // 1f1b
    s.parallelism.pipelineSchedule = "gpipe";
    EXPECT_TRUE(programGraph(s).transferOccupiesSender);
    s.parallelism.pipelineSchedule = "zb-h1";
    EXPECT_FALSE(programGraph(s).transferOccupiesSender);
    s.parallelism.overlapP2pComm = false;
    EXPECT_TRUE(programGraph(s).transferOccupiesSender);
    EXPECT_EQ(programGraph(s).sendForward[0].kernelClass, static_cast<int>(KernelId::ppSendRecvIntra)); // four GPUs of one node
    EXPECT_FALSE(programGraph(programScenario()).transferOccupiesSender);
}

/// A model that is a list of operators sends half of the first one's traffic, its output, for each sample.
TEST(LayerPrograms, OperatorListsSendTheirFirstOutput)
{
    Scenario s = programScenario();
    s.model.operators = {{"mix", 1e12, 8e8, 0, 0, 0, 1000, 4}};
    s.parallelism.tensorModelParallelSize = 1;
    s.parallelism.pipelineModelParallelSize = 2;
    EXPECT_DOUBLE_EQ(programGraph(s).sendForward.at(0).meanSeconds,
                     CostModel(s, calibration()).collectiveSeconds(CollectiveOp::sendRecv, {2, 2, 1, 1}, 2 * 4e8));
}

/// Of a schedule whose order is planned a search takes what every order takes at least: a stage waits for its first forward, does all its
/// work and ends the step. zb-v on two stages: chunks 0, 1, 2, 3 of the path are on stages 0, 1, 1, 0.
TEST(LayerPrograms, TheBoundOfAPlannedSchedule)
{
    Scenario s = programScenario();
    s.model.numLayers = 8;
    s.parallelism.pipelineModelParallelSize = 2;
    s.parallelism.virtualPipelineModelParallelSize = 2;
    s.parallelism.pipelineSchedule = "zb-v";
    s.parallelism.pipelineModelParallelLayout = "Et|t*3|t*3|tL"; // stage 1 has most of the work
    QuickCoster coster;
    const Result<QuickStep> quick = coster.step(s);
    ASSERT_TRUE(quick.ok());
    ASSERT_TRUE(quick->bound);
    const StepGraph g = programGraph(s);
    ASSERT_EQ(g.schedule.path, (std::vector<std::array<int, 2>>{{0, 0}, {1, 0}, {1, 1}, {0, 1}}));
    const auto seconds = [&](std::size_t stage, std::size_t chunk, std::size_t phase) {
        double t = 0;
        for (const Block& b : g.programs[static_cast<std::size_t>(g.programOf[stage][chunk][phase])].blocks)
            for (const Op& op : b.ops)
                t += b.repeat * std::max(0.0, op.meanSeconds - op.hiddenSeconds);
        return t;
    };
    const auto exposed = [](const StepOp& op) {
        return op.kernelClass < 0 ? 0.0 : std::max(op.minExposedSeconds, op.meanSeconds - op.hiddenSeconds);
    };
    double bound = 0;
    for (const std::size_t stage : {0U, 1U}) {
        double t = (stage == 1 ? seconds(0, 0, 0) : 0.0) + exposed(g.gradSync[stage]) + exposed(g.gradNorm) + exposed(g.optimizer[stage])
                   + exposed(g.paramGather[stage]);
        for (const std::size_t chunk : {0U, 1U})
            for (const std::size_t phase : {0U, 1U, 2U})
                t += g.schedule.numMicrobatches * seconds(stage, chunk, phase);
        bound = std::max(bound, t);
    }
    EXPECT_NEAR(quick->noiseFreeSeconds / bound, 1, 1e-9);
}

} // namespace
} // namespace prism
