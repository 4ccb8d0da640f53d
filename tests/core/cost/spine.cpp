// SPDX-License-Identifier: GPL-3.0-or-later
// The spine between pods by hand: nodes of 8 GPUs with a card of 50 GB/s each, pods of 4 nodes, N / taper of a pod's N cards reach the
// spine.
#include "core/cost/costmodel.h"
#include "core/cost/predictor.h"
#include "core/cost/datatraffic.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

constexpr double kCard = 50e9, kBytes = 64e9; // so long that latencies are below 0.1 %

Scenario podScenario(double taper, int nodesPerPod = 4)
{
    Scenario s;
    s.model.numLayers = 16;
    s.cluster.numGpus = 128;
    s.cluster.nodesPerPod = nodesPerPod;
    s.cluster.oversubscription = taper;
    s.cluster.interNodeEfficiency = 1;
    s.training.globalBatchSize = 256;
    return s;
}

/// Over the same on one pod.
double slower(CollectiveOp op, GroupGeometry group, double taper)
{
    const Scenario s = podScenario(taper);
    const CostModel cost(s, calibration());
    const double abroad = cost.collectiveSeconds(op, group, kBytes);
    group.nodesInPod = 0;
    return abroad / cost.collectiveSeconds(op, group, kBytes);
}

TEST(Spine, APermutationBetweenPodsGetsATaperthOfEveryCard)
{
    // Every GPU sends to one in another pod: N cards through N / taper.
    const CostModel cost(podScenario(4), calibration());
    EXPECT_NEAR(cost.collectiveSeconds(CollectiveOp::sendRecv, {2, 1, 2, 64, 1}, kBytes), kBytes / (kCard / 4),
                2e-3 * kBytes / (kCard / 4));
    EXPECT_NEAR(slower(CollectiveOp::sendRecv, {2, 1, 2, 64, 1}, 1), 1, 1e-9); // a full spine takes all
    EXPECT_NEAR(slower(CollectiveOp::sendRecv, {2, 1, 2, 64, 0}, 64), 1, 1e-9);
}

TEST(Spine, ARingLeavesItsPodOnce)
{
    // Groups of a GPU of each of 16 nodes, four of them in a pod: of a pod's cards a quarter sends on, which is what a taper of four
    // leaves.
    const GroupGeometry group{16, 1, 16, 8, 4};
    for (const auto& [taper, factor] : {std::pair{1.0, 1.0}, {2.0, 1.0}, {4.0, 1.0}, {8.0, 2.0}, {64.0, 16.0}})
        EXPECT_NEAR(slower(CollectiveOp::reduceScatter, group, taper), factor, 2e-3 * factor) << taper;
    EXPECT_NEAR(slower(CollectiveOp::allGather, {16, 1, 16, 32, 1}, 4), 4, 1e-2); // a node in each pod: all of it
}

TEST(Spine, AnAllToAllSendsThreeQuartersOverIt)
{
    // 12 of 16 ranks are in other pods: 12/16 of the bytes through 1 / taper of a card, or 15/16 through a card, whichever takes longer.
    const GroupGeometry group{16, 1, 16, 8, 4};
    for (const double taper : {1.0, 1.25, 2.0, 8.0}) {
        const CostModel cost(podScenario(taper), calibration());
        const double expected = std::max(15 / 16.0, 12 / 16.0 * taper) * kBytes / kCard;
        EXPECT_NEAR(cost.collectiveSeconds(CollectiveOp::allToAll, group, kBytes), expected, 2e-3 * expected) << taper;
    }
}

TEST(Spine, GroupsLieOnPodsAsTheirRanksDo)
{
    const auto nodesInPod = [](int tp, int nodesPerPod, int shard) {
        Scenario s = podScenario(1, nodesPerPod);
        s.parallelism.tensorModelParallelSize = tp;
        s.parallelism.zeroStage = 1;
        s.parallelism.hsdpShardSize = shard;
        const StateGroups g = shardingOf(s.parallelism, layoutOf(s)).optimizer.dense;
        return std::pair{g.shard.nodesInPod, g.replica.nodesInPod};
    };
    EXPECT_EQ(nodesInPod(8, 4, 0), (std::pair<std::int64_t, std::int64_t>{4, 0})); // 16 nodes, one rank each
    EXPECT_EQ(nodesInPod(8, 1, 0), (std::pair<std::int64_t, std::int64_t>{1, 0}));
    EXPECT_EQ(nodesInPod(8, 16, 0), (std::pair<std::int64_t, std::int64_t>{0, 0})); // all in one pod
    EXPECT_EQ(nodesInPod(1, 4, 8), (std::pair<std::int64_t, std::int64_t>{0, 4}));  // shards of a node, 16 copies on 16 nodes
    EXPECT_EQ(nodesInPod(1, 4, 32), (std::pair<std::int64_t, std::int64_t>{0, 1})); // shards of a pod
    EXPECT_EQ(nodesInPod(1, 4, 64), (std::pair<std::int64_t, std::int64_t>{4, 1}));
}

/// Four stages of a pod each: every transfer crosses the spine; of two stages in a pod every other one does.
TEST(Spine, TransfersBetweenStagesThatShareNoPodCrossIt)
{
    const auto sends = [](double taper, int nodesPerPod) {
        Scenario s = podScenario(taper, nodesPerPod);
        s.parallelism.pipelineModelParallelSize = 4;
        s.cluster.interNodeGbPerS = 0.01; // bandwidth alone
        s.cluster.gpu.memoryGib = 1000;
        std::vector<double> seconds;
        const Result<CostedStep> step = costStep(s);
        for (const StepOp& op : step->graph.sendForward)
            seconds.push_back(op.meanSeconds);
        return seconds;
    };
    const std::vector<double> full = sends(1, 4), tapered = sends(3, 4), wide = sends(3, 8);
    ASSERT_EQ(full.size(), 3U);
    const double pair = calibration().network.pairEfficiency; // of its card, what a send gets on a full spine
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(tapered[i] / full[i], 3 * pair, 0.01);
    EXPECT_NEAR(wide[0] / full[0], 1, 1e-9);
    EXPECT_NEAR(wide[1] / full[1], 1.5 * pair, 0.01); // half of the pod's cards send abroad, a third reaches the spine
    EXPECT_NEAR(wide[2] / full[2], 1, 1e-9);
}

TEST(Spine, ATaperedStepIsSlowerAndARailCarriesMessagesAcrossTheNode)
{
    Scenario s = podScenario(1, 1);
    s.cluster.gpu.memoryGib = 1000;
    const double full = costStep(s)->noiseFreeSeconds;
    s.cluster.oversubscription = 64;
    EXPECT_GT(costStep(s)->noiseFreeSeconds, 1.05 * full);
    // 16 ranks on two nodes with links no faster than the cards: 1/2 of the bytes through the card; inside 1/2, on rails 7/8 of the other
    // half too.
    ClusterConfig cluster = podScenario(1).cluster;
    cluster.intraNodeGbPerS = 50;
    const auto seconds = [&](const char* topology) {
        cluster.topology = topology;
        return CollectiveModel(cluster, gpuCalibration(calibration(), cluster.gpu), calibration().network)
            .seconds(CollectiveOp::allToAll, {16, 8, 2, 1}, kBytes);
    };
    EXPECT_NEAR(seconds("rail_optimized") / seconds("fat_tree"), 1 + 7 / 8.0, 0.05);
}

} // namespace
} // namespace prism
