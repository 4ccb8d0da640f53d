// SPDX-License-Identifier: GPL-3.0-or-later
// Shard and replica groups by hand: memory of a rank, traffic of each group, and its time.
#include "core/cost/datatraffic.h"

#include "core/cost/predictor.h"
#include "core/scenario/import/importers.h"
#include "core/workload/count.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

/// Two layers of h 8,192 on 64 data-parallel ranks in nodes of 8; one micro-batch of 2 x 4,096 tokens a rank.
Scenario shardedScenario(int zeroStage, int shard = 0)
{
    Scenario s;
    s.model.numLayers = 2;
    s.model.hiddenSize = 8192;
    s.model.numAttentionHeads = 64;
    s.model.numQueryGroups = 8;
    s.model.ffnHiddenSize = 28672;
    s.model.vocabSize = 32000;
    s.parallelism.zeroStage = zeroStage;
    s.parallelism.hsdpShardSize = shard;
    s.parallelism.overlapGradReduce = s.parallelism.overlapParamGather = false;
    s.training.microBatchSize = 2;
    s.training.globalBatchSize = 128;
    s.cluster.numGpus = 64;
    s.cluster.gpu.memoryGib = 10'000;
    return s;
}

constexpr double kGibBytes = 1024.0 * 1024 * 1024, kTable = 32000.0 * 8192;
/// Attention of 64 heads of 128 with 8 groups, a gated MLP, two norms.
constexpr double kLayerParameters = 8192.0 * (2 * 64 + 2 * 8) * 128 + 3 * 8192.0 * 28672 + 2 * 8192,
                 kAllParameters = 2 * kLayerParameters + 2 * kTable + 8192;

CostedStep shardedStep(const Scenario& s)
{
    Result<CostedStep> step = costStep(s);
    EXPECT_TRUE(step.ok()) << step.errors().front().path << " " << step.errors().front().message;
    return std::move(step).value();
}

/// Seconds of all operations of a class in the passes of one micro-batch.
double passSeconds(const Scenario& s, KernelId id)
{
    double seconds = 0;
    const CostedStep step = shardedStep(s);
    for (const Program& p : step.graph.programs)
        for (const Block& b : p.blocks)
            for (const Op& op : b.ops)
                seconds += op.kernelClass == static_cast<int>(id) ? b.repeat * op.meanSeconds : 0;
    return seconds;
}

/// A collective of `ranks` ranks, `perNode` of them on a node; neighbours differ by `stride`.
double groupSeconds(const Scenario& s, CollectiveOp op, std::int64_t ranks, std::int64_t perNode, double bytes, std::int64_t stride = 1)
{
    return CostModel(s, calibration()).collectiveSeconds(op, {ranks, perNode, ranks / perNode, stride}, bytes);
}

TEST(Sharding, GroupsOfAShardAndItsReplicas)
{
    const auto expectGroup = [](const GroupGeometry& g, std::int64_t size, std::int64_t perNode, std::int64_t stride) {
        EXPECT_EQ(g.size, size);
        EXPECT_EQ(g.ranksPerNode, perNode);
        EXPECT_EQ(g.nodes, size / perNode);
        EXPECT_EQ(g.stride, stride);
    };
    for (const auto& [shard, perNode, replicasPerNode] : {std::tuple{4, 4, 2}, {8, 8, 1}, {16, 8, 1}, {64, 8, 1}}) {
        const Scenario s = shardedScenario(3, shard);
        const StateGroups g = shardingOf(s.parallelism, layoutOf(s)).parameters.dense;
        expectGroup(g.shard, shard, perNode, 1);
        expectGroup(g.replica, 64 / shard, replicasPerNode, shard);
    }
    // ZeRO 0 to 3 shard nothing, the optimizer, the gradients too, everything; the rest has a copy on every rank.
    for (int zero = 0; zero <= 3; ++zero) {
        const Scenario s = shardedScenario(zero, 16);
        const Sharding all = shardingOf(s.parallelism, layoutOf(s));
        int stage = 1;
        for (const StateSharding* state : {&all.optimizer, &all.gradients, &all.parameters}) {
            const std::int64_t ranks = zero >= stage++ ? 16 : 1;
            EXPECT_EQ(state->dense.shard.size, ranks);
            EXPECT_EQ(state->dense.replica.size, 64 / ranks);
            EXPECT_NEAR(state->held({32, 0}), 32.0 / static_cast<double>(ranks), 1e-12);
        }
    }
}

TEST(Sharding, ARankHoldsItsPartOfTheGroup)
{
    for (const int shard : {8, 16, 64}) {
        const StageMemory three = shardedStep(shardedScenario(3, shard)).memory.stages[0];
        EXPECT_NEAR(three.weightsGib + three.gradientsGib + three.optimizerGib, 16 * kAllParameters / shard / kGibBytes, 1e-9);
        const StageMemory one = shardedStep(shardedScenario(1, shard)).memory.stages[0];
        EXPECT_NEAR(one.optimizerGib, 12 * kAllParameters / shard / kGibBytes, 1e-9); // Megatron-LM with 64 / shard instances
        EXPECT_NEAR(one.weightsGib + one.gradientsGib, 6 * kAllParameters / kGibBytes, 1e-9);
    }
}

/// Unsharded in addition: two gathered layers, one gradient in 16 bit and one in FP32.
TEST(Sharding, GatheredLayersAndGradientsAddToTheBuffers)
{
    const double plain = shardedStep(shardedScenario(0)).memory.stages[0].buffersGib;
    EXPECT_NEAR(shardedStep(shardedScenario(1)).memory.stages[0].buffersGib, plain, 1e-9);
    EXPECT_NEAR(shardedStep(shardedScenario(2)).memory.stages[0].buffersGib - plain, 6 * kLayerParameters / kGibBytes, 1e-9);
    EXPECT_NEAR(shardedStep(shardedScenario(3)).memory.stages[0].buffersGib - plain, (2 * 2 + 6) * kLayerParameters / kGibBytes, 1e-9);
    EXPECT_NEAR(shardedStep(shardedScenario(3, 1)).memory.stages[0].buffersGib, plain, 1e-9); // nothing is split
    Scenario wide = shardedScenario(3), whole = shardedScenario(0);
    wide.model.vocabSize = whole.model.vocabSize = 256'000; // the head is larger than a layer
    EXPECT_NEAR(shardedStep(wide).memory.stages[0].buffersGib - shardedStep(whole).memory.stages[0].buffersGib,
                (2 * (kLayerParameters + 8 * kTable + 8192) + 6 * kLayerParameters) / kGibBytes, 1e-9);
}

TEST(Sharding, ReplicasSumTheirPartOfTheGradients)
{
    // Shards of a node: a layer's 4 bytes a gradient in the node, an eighth of them between eight nodes; embedding and head likewise.
    const Scenario s = shardedScenario(3, 8);
    const auto sum = [&](CollectiveOp op, std::int64_t ranks, std::int64_t perNode, double bytes, std::int64_t stride) {
        return 2 * groupSeconds(s, op, ranks, perNode, kLayerParameters * bytes, stride)
               + groupSeconds(s, op, ranks, perNode, kTable * bytes, stride)
               + groupSeconds(s, op, ranks, perNode, (kTable + 8192) * bytes, stride);
    };
    EXPECT_NEAR(passSeconds(s, KernelId::dpReduceScatter), sum(CollectiveOp::reduceScatter, 8, 8, 4, 1), 1e-9);
    EXPECT_NEAR(passSeconds(s, KernelId::dpAllReduce), sum(CollectiveOp::allReduce, 8, 1, 4.0 / 8, 8), 1e-9);
    // The network counts: 2 x 7/8 of an eighth of 4 bytes at 0.05 GB/s lasts longer than the rest of the step.
    Scenario slow = s;
    slow.cluster.interNodeGbPerS = 0.05;
    const double lowest = 2 * 7 / 8.0 * kAllParameters * 4 / 8 / 0.05e9;
    EXPECT_GT(shardedStep(slow).noiseFreeSeconds - shardedStep(s).noiseFreeSeconds, 0.99 * lowest);
    EXPECT_EQ(passSeconds(shardedScenario(3), KernelId::dpAllReduce), 0);
}

TEST(Sharding, InstancesOfTheOptimizerReduceInsideAndBetween)
{
    // Megatron-LM with eight instances: reduce-scatter and all-gather in the node, an eighth of the gradients between nodes.
    const Scenario s = shardedScenario(1, 8);
    const CostedStep step = shardedStep(s);
    EXPECT_NEAR(step.graph.gradSync[0].meanSeconds,
                groupSeconds(s, CollectiveOp::reduceScatter, 8, 8, 4 * kAllParameters)
                    + groupSeconds(s, CollectiveOp::allReduce, 8, 1, kAllParameters / 2, 8),
                1e-9);
    EXPECT_NEAR(step.graph.paramGather[0].meanSeconds, groupSeconds(s, CollectiveOp::allGather, 8, 8, 2 * kAllParameters), 1e-9);
    // One rank a shard is plain data parallelism.
    const StepGraph one = shardedStep(shardedScenario(1, 1)).graph, none = shardedStep(shardedScenario(0)).graph;
    EXPECT_DOUBLE_EQ(one.gradSync[0].meanSeconds, none.gradSync[0].meanSeconds);
    EXPECT_EQ(one.gradSync[0].kernelClass, none.gradSync[0].kernelClass);
    EXPECT_EQ(one.paramGather[0].kernelClass, -1);
    const Result<ImportResult> imported = importMegatronArguments(
        "--num-layers 2 --hidden-size 1024 --num-attention-heads 8 --seq-length 1024 --micro-batch-size 1 --nnodes 4 "
        "--nproc-per-node 8 --tensor-model-parallel-size 2 --use-distributed-optimizer --num-distributed-optimizer-instances 4",
        Scenario{});
    ASSERT_TRUE(imported.ok());
    EXPECT_EQ(imported->scenario.parallelism.hsdpShardSize, 4);
}

TEST(Sharding, ShardedGradientsAreReducedInEveryMicroBatch)
{
    // ZeRO 2: the reduce-scatter of a stage's gradients once for each of eight micro-batches, the last time at the end of the step.
    Scenario s = shardedScenario(2);
    s.parallelism.pipelineModelParallelSize = 2;
    s.training.globalBatchSize = 512;
    Scenario one = s;
    one.parallelism.zeroStage = 1;
    const CostedStep two = shardedStep(s);
    EXPECT_EQ(two.world.numMicrobatches, 8);
    for (std::size_t p = 0; p < 2; ++p)
        EXPECT_EQ(two.graph.gradSync[p].meanSeconds, shardedStep(one).graph.gradSync[p].meanSeconds);
    const auto scatter = [&](double parameters) { return groupSeconds(s, CollectiveOp::reduceScatter, 32, 8, 4 * parameters); };
    EXPECT_NEAR(passSeconds(s, KernelId::dpReduceScatter),
                7 / 8.0 * (2 * scatter(kLayerParameters) + scatter(kTable) + scatter(kTable + 8192)), 1e-9);
    EXPECT_EQ(passSeconds(one, KernelId::dpReduceScatter), 0);
    const double slower = two.noiseFreeSeconds - shardedStep(one).noiseFreeSeconds;
    EXPECT_GT(slower, 7 * scatter(kLayerParameters)); // not once but eight times, in the open
    const StageMemory &split = two.memory.stages[0], whole = shardedStep(one).memory.stages[0];
    EXPECT_NEAR(split.gradientsGib, whole.gradientsGib / 32, 1e-9);
    // Two chunks a stage take turns of two micro-batches: four reductions, and the gradients of a chunk are unsharded in FP32.
    s.model.numLayers = one.model.numLayers = 8;
    s.parallelism.virtualPipelineModelParallelSize = one.parallelism.virtualPipelineModelParallelSize = 2;
    s.parallelism.pipelineSchedule = one.parallelism.pipelineSchedule = "interleaved";
    EXPECT_NEAR(passSeconds(s, KernelId::dpReduceScatter),
                (1 / 2.0 - 1 / 8.0) * (6 * scatter(kLayerParameters) + scatter(kTable) + scatter(kTable + 8192)), 1e-9);
    EXPECT_NEAR(shardedStep(s).memory.stages[0].buffersGib - shardedStep(one).memory.stages[0].buffersGib,
                (2 * kLayerParameters + 4 * (2 * kLayerParameters + kTable)) / kGibBytes, 1e-9);
}

TEST(Sharding, EmbeddingAndHeadAreGathered)
{
    // Both in the forward; gathered layers a second time for the backward.
    const auto seconds = [](std::int64_t vocabulary) {
        Scenario s = shardedScenario(3);
        s.model.vocabSize = vocabulary;
        return passSeconds(s, KernelId::dpAllGather);
    };
    const Scenario s = shardedScenario(3);
    const auto gather = [&](double parameters) { return groupSeconds(s, CollectiveOp::allGather, 64, 8, 2 * parameters); };
    EXPECT_NEAR(seconds(32'000), 4 * gather(kLayerParameters) + gather(kTable) + gather(kTable + 8192), 1e-9);
    EXPECT_NEAR(seconds(256'000), 4 * gather(kLayerParameters) + gather(8 * kTable) + gather(8 * kTable + 8192), 1e-9);
    Scenario tied = s;
    tied.model.tiedEmbeddings = true; // one table: the head gathers its norm alone
    EXPECT_NEAR(passSeconds(tied, KernelId::dpAllGather), 4 * gather(kLayerParameters) + gather(kTable) + gather(8192), 1e-9);
}

} // namespace
} // namespace prism
