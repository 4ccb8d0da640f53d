// SPDX-License-Identifier: GPL-3.0-or-later
// Orders of a few nodes by hand: what their replicas take, which order gathers the slow ones, and what a search evaluates.
#include "core/insight/placement/assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace prism {
namespace {

/// Two replicas of two stages, nodes of two GPUs that are one cell each: position 0 is stage 1 of replica 0, then (1, 0), (0, 0), (1, 1).
AssignmentProblem pairsOfGpus()
{
    AssignmentProblem p;
    p.replicas = p.stages = p.gpusPerNode = 2;
    p.cellOfGpu = {1, 1, 2, 2, 0, 0, 3, 3};
    p.slowness = {1.0, 1.1, 1.4, 1.0, 1.0, 1.0, 1.2, 1.3};
    p.replicaSeconds = [](const double* s, const double*) { return 2 * s[0] + 3 * s[1]; };
    return p;
}

/// One GPU a node, as many positions as cells, in order.
AssignmentProblem oneGpuNodes(int replicas, int stages, std::vector<double> slowness)
{
    AssignmentProblem p;
    p.replicas = replicas;
    p.stages = stages;
    p.cellOfGpu.resize(static_cast<std::size_t>(replicas * stages));
    std::iota(p.cellOfGpu.begin(), p.cellOfGpu.end(), 0);
    p.slowness = std::move(slowness);
    return p;
}

} // namespace

TEST(AssignmentKnown, ACellIsAsSlowAsItsSlowestGpu)
{
    AssignmentProblem p = pairsOfGpus();
    EXPECT_EQ(p.positions(), 4);
    // Node 3 on stage 1 and node 1 on stage 0 of replica 0: 2 x 1.4 + 3 x 1.3; nodes 0 and 2 in the other one: 2 x 1.1 + 3.
    EXPECT_NEAR(assignmentObjective(p, {3, 0, 1, 2}), 6.7, 1e-12);
    EXPECT_NEAR(assignmentObjective(p, {2, 1, 0, 3}), 6.7, 1e-12); // the other way round: 2.8 + 3.9
    EXPECT_NEAR(assignmentObjective(p, {2, 3, 0, 1}), 6.8, 1e-12); // 2.6 + 4.2
    // Each GPU of a node on another stage; the step weighs its replicas.
    p.replicas = 4;
    p.cellOfGpu = {0, 1, 2, 3, 4, 5, 6, 7};
    p.stepSeconds = [](const std::vector<double>& s) { return s[0] + 10 * s[1] + 100 * s[2] + 1'000 * s[3]; };
    EXPECT_NEAR(assignmentObjective(p, {2, 0, 3, 1}), 5 + 53 + 630 + 5'800, 1e-9); // 2 x 1.4 + 3 x 1 for node 1
    p.link = {1.5, 1.2, 0.5, 1.7};                                                 // below 1 counts as 1
    p.replicaSeconds = [](const double* s, const double* link) { return (2 * s[0] + 3 * s[1]) * link[0] + 0.25 * link[1]; };
    EXPECT_NEAR(assignmentObjective(p, {2, 0, 3, 1}), 5.25 + 10 * 8.325 + 100 * 11.135 + 1'000 * 7.26, 1e-9);
    // Several nodes in a cell: the slowest links count.
    AssignmentProblem wide = oneGpuNodes(1, 1, {1.3, 1.1, 1.2});
    wide.cellOfGpu = {0, 0, 0};
    wide.link = {1.2, 1.6, 1.4};
    wide.replicaSeconds = [](const double* s, const double* link) { return s[0] + 10 * link[0]; };
    EXPECT_NEAR(assignmentObjective(wide, {2, 0, 1}), 1.3 + 16, 1e-12);
}

TEST(AssignmentKnown, NearlyTiedReplicasCostMoreThanTheSlowest)
{
    AssignmentProblem p = oneGpuNodes(3, 1, {1.0, 3.0, 2.5});
    p.replicaSeconds = [](const double* s, const double*) { return 2 * s[0]; };
    EXPECT_EQ(assignmentObjective(p, {0, 1, 2}), 6);
    p.noiseSeconds = 0.4; // 0.4 ln(exp(-4 / 0.4) + 1 + exp(-1 / 0.4))
    EXPECT_NEAR(assignmentObjective(p, {2, 0, 1}), 6 + 0.4 * std::log(1 + std::exp(-10.0) + std::exp(-2.5)), 1e-12);
    p.noiseSeconds = -0.4;
    EXPECT_EQ(assignmentObjective(p, {2, 0, 1}), 6);
}

TEST(AssignmentKnown, GatheredOrdersGoByTheSlowestGpuOfANode)
{
    // Slowest first: nodes 1, 3, 0, 2. A node of 1.4 on stage 0 costs 5.8 s, on stage 1 6.2 s. By replica: positions 2, 0, 1, 3; by stage:
    // positions 2, 1, 0, 3.
    const AssignmentProblem p = pairsOfGpus();
    EXPECT_EQ(gatheredOrders(p), (std::vector<std::vector<int>>{{3, 0, 1, 2}, {0, 3, 1, 2}}));
    // What a stage costs is tried at the largest slowness of all nodes, or at 1.1 where none is slow.
    AssignmentProblem seen = pairsOfGpus();
    double largest = 0, smallest = 9;
    int calls = 0;
    seen.replicaSeconds = [&](const double* s, const double* link) {
        largest = std::max({largest, s[0], s[1]});
        smallest = std::min({smallest, s[0], s[1], link[0], link[1]});
        EXPECT_EQ((s[0] > 1 ? 1 : 0) + (s[1] > 1 ? 1 : 0), 1) << "one slow stage";
        EXPECT_EQ(s[0] > 1, calls == 0);
        EXPECT_EQ(std::max(link[0], link[1]), 1);
        ++calls;
        return s[0] + s[1];
    };
    EXPECT_EQ(gatheredOrders(seen).size(), 2U);
    EXPECT_EQ(largest, 1.4);
    EXPECT_EQ(smallest, 1.0);
    EXPECT_EQ(calls, 2);
    for (const double speed : {1.0, 0.9}) {
        seen.slowness.assign(8, speed);
        largest = 0;
        calls = 0;
        EXPECT_EQ(gatheredOrders(seen).size(), 2U);
        EXPECT_EQ(largest, 1.1);
    }
}

TEST(AssignmentKnown, ASwapUpdatesEveryReplicaOfItsNodes)
{
    // Each node has a GPU in either replica: stage p of both.
    AssignmentProblem p;
    p.replicas = p.gpusPerNode = 2;
    p.stages = 4;
    p.cellOfGpu = {0, 4, 1, 5, 2, 6, 3, 7};
    p.slowness = {1.0, 1.9, 1.7, 1.1, 1.2, 1.3, 1.5, 1.45};
    p.replicaSeconds = [](const double* s, const double*) { return s[0] + 2.1 * s[1] + 3.3 * s[2] + 4.7 * s[3]; };
    for (const bool worst : {false, true}) {
        const AssignmentSearch truth = exhaustiveAssignment(p, worst), found = searchAssignment(p, worst, 1, 10'000);
        EXPECT_TRUE(truth.exhaustive);
        EXPECT_FALSE(found.exhaustive);
        EXPECT_EQ(found.nodeAt, truth.nodeAt);
        EXPECT_NEAR(found.objectiveSeconds, truth.objectiveSeconds, 1e-12);
        EXPECT_NEAR(assignmentObjective(p, found.nodeAt), found.objectiveSeconds, 1e-12);
    }
    // The node in the middle has the last stage of replica 0 and the first of replica 1.
    AssignmentProblem across = p;
    across.stages = 3;
    across.cellOfGpu = {0, 1, 2, 3, 4, 5};
    across.slowness = {1.0, 1.9, 1.7, 1.1, 1.2, 1.35};
    across.replicaSeconds = [](const double* s, const double*) { return s[0] + 2.1 * s[1] + 3.3 * s[2]; };
    for (const bool worstOrder : {false, true}) {
        const AssignmentSearch truth = exhaustiveAssignment(across, worstOrder), found = searchAssignment(across, worstOrder, 1, 10'000);
        EXPECT_NEAR(found.objectiveSeconds, truth.objectiveSeconds, 1e-12);
        EXPECT_NEAR(assignmentObjective(across, found.nodeAt), found.objectiveSeconds, 1e-12);
    }
    const AssignmentSearch best = exhaustiveAssignment(p, false), worst = exhaustiveAssignment(p, true);
    EXPECT_EQ(best.evaluations, 48);
    EXPECT_LT(best.objectiveSeconds, worst.objectiveSeconds);
}

TEST(AssignmentKnown, OnlyMoreThanRoundingIsASwap)
{
    // Two stages of one replica, four seconds; what a slow node adds on stage 0 is a share of them. Fifteen starts; the given order and
    // those that are shuffled into it evaluate one swap more where it helps.
    const auto found = [](double share, bool worst) {
        AssignmentProblem p = oneGpuNodes(1, 2, worst ? std::vector<double>{1.0, 1.5} : std::vector<double>{1.5, 1.0});
        p.replicaSeconds = [share](const double* s, const double*) { return s[0] > s[1] ? 4 * (1 + share) : 4; };
        return searchAssignment(p, worst, 1, 1'000);
    };
    const auto swapped = [&](double share) { return found(share, false).nodeAt == std::vector<int>{1, 0}; };
    EXPECT_FALSE(swapped(9.8e-13));
    EXPECT_TRUE(swapped(1.03e-12));
    EXPECT_TRUE(swapped(0.1));
    EXPECT_EQ(found(0.1, true).nodeAt, (std::vector<int>{1, 0}));
    EXPECT_DOUBLE_EQ(found(0.1, true).objectiveSeconds, 4.4);
    EXPECT_EQ(found(9.8e-13, true).nodeAt, (std::vector<int>{0, 1}));
    const int none = found(9.8e-13, false).evaluations;
    EXPECT_EQ(none, 2 + 15 * 2); // two stages; each start: its replica, and one swap that is taken back
    EXPECT_EQ(found(1.03e-12, false).evaluations, found(0.1, false).evaluations);
    EXPECT_GT(found(1.03e-12, false).evaluations, none);
}

TEST(AssignmentKnown, NodesOfEqualSpeedsAreNotSwapped)
{
    // Two nodes of two GPUs, one per stage; no order is better. Two evaluations for the stages, one for each of the 15 starts, and one for
    // each swap that is tried and taken back.
    const auto evaluations = [](std::vector<double> slowness, std::vector<double> link) {
        AssignmentProblem p;
        p.replicas = 1;
        p.stages = p.gpusPerNode = 2;
        p.cellOfGpu = {0, 0, 1, 1};
        p.slowness = std::move(slowness);
        p.link = std::move(link);
        p.replicaSeconds = [](const double*, const double*) { return 4.0; };
        return searchAssignment(p, false, 1, 1'000).evaluations;
    };
    EXPECT_EQ(evaluations({1, 1, 1, 1.5}, {}), 2 + 15 * 2) << "the second GPU differs";
    EXPECT_EQ(evaluations({1.2, 1, 1, 1}, {}), 2 + 15 * 2) << "the first GPU differs";
    EXPECT_EQ(evaluations({1, 1.5, 1, 1.5}, {}), 2 + 15) << "equal nodes";
    EXPECT_EQ(evaluations({1, 1.5, 1, 1.5}, {1, 1.2}), 2 + 15 * 2) << "the links differ";
}

TEST(AssignmentKnown, TheShuffledStartsAndTheDrawnSwapsAreThoseOfTheSeed)
{
    // Counts of the present search, not by hand: they depend on every start and every draw of a swap.
    AssignmentProblem p = oneGpuNodes(2, 4, {1.1, 1.9, 1.3, 1.6, 1.2, 1.8, 1.5, 1.4});
    p.replicaSeconds = [](const double* s, const double*) { return s[0] * s[1] + 2.3 * s[2] * s[3] + std::max(s[1], s[2]); };
    std::vector<int> counts;
    for (const std::uint64_t seed : {1U, 2U, 7U})
        for (const int budget : {0, 300, 100'000})
            counts.push_back(searchAssignment(p, false, seed, budget).evaluations);
    EXPECT_EQ(counts, (std::vector<int>{34, 694, 2'102, 34, 694, 2'102, 34, 694, 2'278})); // 34 = 4 + 15 x 2
    // 30 positions are searched by drawn swaps with the slowest replica, until 200 in a row are idle.
    std::vector<double> slowness(30);
    for (std::size_t i = 0; i < slowness.size(); ++i)
        slowness[i] = 1 + 0.01 * static_cast<double>((7 * i) % 30);
    AssignmentProblem many = oneGpuNodes(6, 5, slowness);
    many.replicaSeconds = [](const double*, const double*) { return -4.0; }; // nothing helps, of either sign
    EXPECT_EQ(searchAssignment(many, false, 1, 1'000'000).evaluations, 782);
    many.replicaSeconds = [](const double* s, const double*) { return s[0] + 2 * s[1] + 3 * s[2] + 4 * s[3] * s[4]; };
    counts.clear();
    for (const int budget : {150, 1'000'000})
        counts.push_back(searchAssignment(many, true, 3, budget).evaluations);
    EXPECT_EQ(counts, (std::vector<int>{173, 1'648}));
}

TEST(AssignmentKnown, AStoppedSearchKeepsItsStarts)
{
    AssignmentProblem p = oneGpuNodes(1, 2, {1.5, 1.0});
    p.replicaSeconds = [](const double* s, const double*) { return 3 * s[0] + s[1]; };
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(searchAssignment(p, false, 1, 1'000, stop.get_token()).evaluations, 2 + 15);
}

} // namespace prism
