// SPDX-License-Identifier: GPL-3.0-or-later
// Positions of ranks, by hand: slow nodes, measured speeds and node orders, the scopes of the groups, and levels of a calibrated cluster.
#include "core/cost/classes.h"
#include "core/cost/predictor.h"
#include "core/step/layout.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

/// TP 2, PP 2, DP 4 on nodes of 4 GPUs: rank = t + 2 d + 8 p with data-parallel ranks inside of stages, t + 2 p + 4 d outside.
Scenario placesScenario(const char* order = "tp-cp-ep-dp-pp")
{
    Scenario s;
    s.parallelism.rankOrder = order;
    s.parallelism.tensorModelParallelSize = s.parallelism.pipelineModelParallelSize = 2;
    s.cluster.numGpus = 16;
    s.cluster.gpusPerNode = 4;
    s.training.globalBatchSize = 16;
    return s;
}

StepGraph placesGraph(const Scenario& s)
{
    const Result<CostedStep> step = costStep(s);
    EXPECT_TRUE(step.ok()) << step.errors().front().message;
    return step->graph;
}

/// Node 1 has ranks 4 to 7.
TEST(Places, ASlowNodeSlowsTheRanksOnIt)
{
    Scenario s = placesScenario();
    s.variability.slow = {{1, -1, 1.5, 2.0}};
    EXPECT_EQ(placesGraph(s).slow,
              (std::vector<SlowSpot>{{2, 0, 0, 1.5, 2.0}, {2, 0, 1, 1.5, 2.0}, {3, 0, 0, 1.5, 2.0}, {3, 0, 1, 1.5, 2.0}}));
    s.parallelism.rankOrder = "tp-cp-ep-pp-dp"; // both stages of replica 1
    EXPECT_EQ(placesGraph(s).slow,
              (std::vector<SlowSpot>{{1, 0, 0, 1.5, 2.0}, {1, 0, 1, 1.5, 2.0}, {1, 1, 0, 1.5, 2.0}, {1, 1, 1, 1.5, 2.0}}));
    s.measured.nodeOrder = {3, 0, 2, 1}; // physical node 1 is at the last position: replica 3
    EXPECT_EQ(placesGraph(s).slow,
              (std::vector<SlowSpot>{{3, 0, 0, 1.5, 2.0}, {3, 0, 1, 1.5, 2.0}, {3, 1, 0, 1.5, 2.0}, {3, 1, 1, 1.5, 2.0}}));
    s = placesScenario();
    s.variability.slow = {{-1, 13, 1.2, 1.0}}; // 13 = 1 + 2 x 2 + 8
    EXPECT_EQ(placesGraph(s).slow, (std::vector<SlowSpot>{{2, 1, 1, 1.2, 1.0}}));
}

/// A speed of 0.8 is a time of 1.25. By [replica][stage][rank]: rank 6 is replica 3, stage 0, rank 0 at 12; node 3 has ranks 12 to 15.
TEST(Places, MeasuredSpeedsFixTheFactorOfTheirRanks)
{
    Scenario s = placesScenario();
    s.measured.speeds = {{1, 2, 0.8}, {3, -1, 0.5}};
    const std::vector<double> factors = placesGraph(s).fixedSpatial;
    ASSERT_EQ(factors.size(), 16U);
    for (std::size_t i = 0; i < 16; ++i)
        EXPECT_DOUBLE_EQ(factors[i], i == 12 ? 1.25 : i == 10 || i == 11 || i == 14 || i == 15 ? 2.0 : 1.0) << i;
}

/// With context and expert parallel ranks a cell holds EP x expert TP / (TP x CP) groups of TP x CP ranks; its ranks count through them.
TEST(Places, CellsHoldTheGroupsOfTheirExperts)
{
    Scenario s = placesScenario();
    s.parallelism.pipelineModelParallelSize = 1;
    s.parallelism.contextParallelSize = 2; // rank = t + 2 c + 4 d, four data-parallel ranks
    s.model.numExperts = 8;
    s.model.moeRouterTopk = 2;
    s.model.moeFfnHiddenSize = 512;
    s.parallelism.expertModelParallelSize = 8;
    const StepGraph g = placesGraph(s);
    EXPECT_EQ(g.groupRanks, 4);
    EXPECT_EQ(g.groupsPerCell, 2);
    EXPECT_EQ(g.numReplicas, 2);
    const std::vector<RankPosition> ranks = rankLayout(s);
    for (int rank = 0; rank < 16; ++rank) {
        EXPECT_EQ(ranks[static_cast<std::size_t>(rank)].replica, rank / 8);
        EXPECT_EQ(ranks[static_cast<std::size_t>(rank)].stage, 0);
        EXPECT_EQ(ranks[static_cast<std::size_t>(rank)].rankInCell, rank % 8);
    }
}

/// Groups of the usual order on nodes of 4: TP 2 inside, DP 4 at a distance of 2 on two nodes, a stage's neighbour 8 ranks away; with
/// stages inside of data-parallel ranks the neighbour is on the same node and DP 4 is on four.
TEST(Places, GroupsLieOnTheNodesOfTheirRanks)
{
    Layout l = layoutOf(placesScenario());
    EXPECT_EQ(l.tensor.nodes, 1);
    EXPECT_EQ(l.data.size, 4);
    EXPECT_EQ(l.data.ranksPerNode, 2);
    EXPECT_EQ(l.data.nodes, 2);
    EXPECT_TRUE(l.hopLeavesNode(0, 1));
    EXPECT_EQ(l.rank(1, 0, 2, 1), 13);
    l = layoutOf(placesScenario("tp-cp-ep-pp-dp"));
    EXPECT_EQ(l.data.ranksPerNode, 1);
    EXPECT_EQ(l.data.nodes, 4);
    EXPECT_FALSE(l.hopLeavesNode(0, 1));
    EXPECT_EQ(l.rank(1, 0, 2, 1), 11);
}

/// Classes of communication have the scope of their group, and the spread that belongs to it.
TEST(Places, ScopesFollowTheGroups)
{
    Scenario s = placesScenario();
    s.variability.gemm.cv = 0.01;
    s.variability.attention.cv = 0.02;
    s.variability.memoryBound.cv = 0.03;
    s.variability.intraCollective.cv = 0.04;
    s.variability.interCollective.cv = 0.05;
    s.variability.p2p.cv = 0.06;
    const auto classOf = [&](KernelId id) { return kernelClasses(s, layoutOf(s))[static_cast<std::size_t>(id)]; };
    const auto expectClass = [&](KernelId id, Scope scope, double cv) {
        EXPECT_EQ(classOf(id).scope, scope) << classOf(id).name;
        EXPECT_EQ(classOf(id).temporal.cv, cv) << classOf(id).name;
    };
    expectClass(KernelId::gemmQkv, Scope::none, 0.01);
    expectClass(KernelId::attention, Scope::none, 0.02);
    expectClass(KernelId::norm, Scope::none, 0.03);
    expectClass(KernelId::optimizer, Scope::none, 0.03);
    expectClass(KernelId::tpAllGather, Scope::intraNode, 0.04);
    expectClass(KernelId::dpReduceScatter, Scope::interNode, 0.05);
    expectClass(KernelId::gradNorm, Scope::interNode, 0.05);
    expectClass(KernelId::embeddingAllReduce, Scope::interNode, 0.05);
    expectClass(KernelId::ppSendRecvInter, Scope::interNode, 0.06);
    expectClass(KernelId::ppSendRecvIntra, Scope::intraNode, 0.06);
    s.cluster.gpusPerNode = 16;
    expectClass(KernelId::dpReduceScatter, Scope::intraNode, 0.04);
    expectClass(KernelId::gradNorm, Scope::intraNode, 0.04);
    expectClass(KernelId::embeddingAllReduce, Scope::intraNode, 0.04);
}

/// Compute 7 % longer and the network 30 %: kernels, and communication between nodes; what it may hide under grows with the compute.
TEST(Places, MeasuredLevelsScaleComputeAndNetwork)
{
    Scenario s = placesScenario();
    const StepGraph plain = placesGraph(s);
    s.measured.computeLevel = 1.07;
    s.measured.networkLevel = 1.3;
    const StepGraph scaled = placesGraph(s);
    const auto level = [&](int kernelClass) {
        const Scope scope = plain.classes[static_cast<std::size_t>(kernelClass)].scope;
        return scope == Scope::none ? 1.07 : scope == Scope::interNode ? 1.3 : 1.0;
    };
    ASSERT_EQ(plain.programs.size(), scaled.programs.size());
    for (std::size_t p = 0; p < plain.programs.size(); ++p)
        for (std::size_t b = 0; b < plain.programs[p].blocks.size(); ++b)
            for (std::size_t i = 0; i < plain.programs[p].blocks[b].ops.size(); ++i) {
                const Op &before = plain.programs[p].blocks[b].ops[i], &after = scaled.programs[p].blocks[b].ops[i];
                EXPECT_DOUBLE_EQ(after.meanSeconds, before.meanSeconds * level(before.kernelClass));
                EXPECT_DOUBLE_EQ(after.hiddenSeconds, before.hiddenSeconds * 1.07);
            }
    EXPECT_DOUBLE_EQ(scaled.gradSync[0].meanSeconds, 1.3 * plain.gradSync[0].meanSeconds);
    EXPECT_DOUBLE_EQ(scaled.gradSync[0].minExposedSeconds, 1.3 * plain.gradSync[0].minExposedSeconds);
    EXPECT_DOUBLE_EQ(scaled.paramGather[0].meanSeconds, 1.3 * plain.paramGather[0].meanSeconds);
    EXPECT_DOUBLE_EQ(scaled.optimizer[0].meanSeconds, 1.07 * plain.optimizer[0].meanSeconds);
    EXPECT_DOUBLE_EQ(scaled.sendForward[0].meanSeconds, 1.3 * plain.sendForward[0].meanSeconds);
    EXPECT_DOUBLE_EQ(scaled.gradNorm.meanSeconds, 1.3 * plain.gradNorm.meanSeconds);
}

/// Factors per step and delays of whole steps are those of the scenario.
TEST(Places, SpreadsReachTheGraph)
{
    Scenario s = placesScenario();
    VariabilityConfig& v = s.variability;
    v.spatial = {Family::gamma, 0.01};
    v.data = {Family::lognormal, 0.02};
    v.moeImbalance = {Family::gamma, 0.03};
    v.intraRegime = {Family::gamma, 0.04};
    v.interRegime = {Family::gamma, 0.05};
    v.computeRegime = {Family::gamma, 0.06};
    v.regimeLag1 = 0.2;
    v.computeRegimeLag1 = 0.3;
    v.spatialNodeShare = 0.4;
    v.stepJitterS = 0.5;
    v.stallsPerGpuHour = 0.6;
    v.stallMeanS = 0.7;
    v.stallCv = 0.8;
    v.stallRateCv = 0.9;
    const StepGraph g = placesGraph(s);
    EXPECT_EQ(g.spatial, v.spatial);
    EXPECT_EQ(g.data, v.data);
    EXPECT_EQ(g.routing, v.moeImbalance);
    EXPECT_EQ(g.intraRegime, v.intraRegime);
    EXPECT_EQ(g.interRegime, v.interRegime);
    EXPECT_EQ(g.computeRegime, v.computeRegime);
    EXPECT_EQ(g.regimeLag1, 0.2);
    EXPECT_EQ(g.computeRegimeLag1, 0.3);
    EXPECT_EQ(g.spatialNodeShare, 0.4);
    EXPECT_EQ(g.delays, (StepDelays{0.5, 0.6, 0.7, 0.8, 0.9}));
    EXPECT_EQ(g.nodeRanks, 2); // of a cell of two
    EXPECT_EQ(g.dataScope, DataScope::group);
}

} // namespace
} // namespace prism
