// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/placement/assignment.h"

#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace prism;

namespace {

/// Positions fill replica after replica or stage after stage; a replica's time is a mix of sum and maximum of its stages, with
/// unequal stages, as a pipeline's is.
AssignmentProblem smallProblem(int replicas, int stages, int gpusPerNode, bool stageMajor, std::uint64_t seed)
{
    AssignmentProblem p;
    p.replicas = replicas;
    p.stages = stages;
    p.gpusPerNode = gpusPerNode;
    const int positions = replicas * stages;
    for (int position = 0; position < positions; ++position)
        for (int g = 0; g < gpusPerNode; ++g)
            p.cellOfGpu.push_back(stageMajor ? position % replicas * stages + position / replicas : position);
    for (int node = 0; node < positions; ++node)
        for (int g = 0; g < gpusPerNode; ++g) {
            const auto index = static_cast<std::uint64_t>(node * gpusPerNode + g);
            const double u = uniform(seed, stream(1), index);
            p.slowness.push_back(u < 0.3 ? 1 + uniform(seed, stream(2), index) : 1 + 0.02 * uniform(seed, stream(3), index));
        }
    p.replicaSeconds = [stages](const double* s, const double*) {
        double sum = 0, longest = 0;
        for (int i = 0; i < stages; ++i) {
            const double t = s[i] * (1 + 0.2 * i);
            sum += t;
            longest = std::max(longest, t);
        }
        return sum + 7 * longest;
    };
    return p;
}

} // namespace

TEST(Assignment, FindsTheExhaustiveOptimum)
{
    for (std::uint64_t seed = 0; seed < 12; ++seed)
        for (const bool stageMajor : {false, true})
            for (const double noise : {0.0, 0.2}) {
                AssignmentProblem p = smallProblem(seed % 2 == 0 ? 2 : 3, seed % 2 == 0 ? 3 : 2, 2, stageMajor, seed);
                p.noiseSeconds = noise;
                for (const bool worst : {false, true}) {
                    const AssignmentSearch truth = exhaustiveAssignment(p, worst), found = searchAssignment(p, worst, 1, 100'000);
                    EXPECT_NEAR(found.objectiveSeconds, truth.objectiveSeconds, 1e-9 * truth.objectiveSeconds)
                        << "seed " << seed << " stageMajor " << stageMajor << " noise " << noise << " worst " << worst;
                    EXPECT_NEAR(assignmentObjective(p, found.nodeAt), found.objectiveSeconds, 1e-12);
                }
            }
}

TEST(Assignment, EveryNodeIsPlacedOnce)
{
    const AssignmentProblem p = smallProblem(16, 4, 2, true, 5);
    for (const bool worst : {false, true}) {
        std::vector<int> order = searchAssignment(p, worst, 1, 5'000).nodeAt;
        std::sort(order.begin(), order.end());
        for (std::size_t i = 0; i < order.size(); ++i)
            EXPECT_EQ(order[i], static_cast<int>(i));
    }
}

TEST(Assignment, GathersSlowNodesInOneReplica)
{
    AssignmentProblem p = smallProblem(16, 4, 1, true, 5);
    std::fill(p.slowness.begin(), p.slowness.end(), 1.0);
    for (const int node : {3, 17, 40, 61})
        p.slowness[static_cast<std::size_t>(node)] = 1.5;
    p.noiseSeconds = 0.05;
    const AssignmentSearch best = searchAssignment(p, false, 1, 20'000);
    std::vector<int> replicas;
    for (int position = 0; position < p.positions(); ++position)
        if (p.slowness[static_cast<std::size_t>(best.nodeAt[static_cast<std::size_t>(position)])] > 1)
            replicas.push_back(p.cellOfGpu[static_cast<std::size_t>(position)] / p.stages);
    std::vector<int> given(static_cast<std::size_t>(p.positions()));
    std::iota(given.begin(), given.end(), 0);
    EXPECT_LT(best.objectiveSeconds, assignmentObjective(p, given));
    EXPECT_LE(best.objectiveSeconds, assignmentObjective(p, searchAssignment(p, true, 1, 20'000).nodeAt));
    EXPECT_EQ(replicas.size(), 4U);
}

namespace {

/// Two replicas of two stages, one GPU each; a slow stage 0 costs a replica twice what a slow stage 1 costs.
AssignmentProblem fourNodes(std::vector<double> slowness)
{
    AssignmentProblem p;
    p.replicas = p.stages = 2;
    p.cellOfGpu = {0, 1, 2, 3};
    p.slowness = std::move(slowness);
    p.replicaSeconds = [](const double* s, const double* link) { return (2 * s[0] + s[1]) * std::max(link[0], link[1]); };
    return p;
}

} // namespace

TEST(Assignment, TheObjectiveOfFourNodesByHand)
{
    AssignmentProblem p = fourNodes({1, 3, 2, 1});
    EXPECT_EQ(assignmentObjective(p, {0, 1, 2, 3}), 5); // 2 + 3 and 4 + 1
    EXPECT_EQ(assignmentObjective(p, {1, 0, 3, 2}), 7); // 6 + 1 and 2 + 2
    p.noiseSeconds = 0.5;
    EXPECT_NEAR(assignmentObjective(p, {1, 0, 3, 2}), 7 + 0.5 * std::log1p(std::exp(-3 / 0.5)), 1e-12);
    p.link = {1, 1, 1, 1.5};
    p.noiseSeconds = 0;
    EXPECT_EQ(assignmentObjective(p, {0, 1, 2, 3}), 7.5); // 5 and 5 x 1.5
    p.stepSeconds = [](const std::vector<double>& s) { return s[0] + 10 * s[1]; };
    EXPECT_EQ(assignmentObjective(p, {0, 1, 2, 3}), 80);
}

TEST(Assignment, SlowNodesFillOneReplicaOrTheCheapestStage)
{
    // Slowest first: nodes 1, 2, then 0 and 3. Stage 1 hurts less.
    const auto orders = gatheredOrders(fourNodes({1, 3, 2, 1}));
    EXPECT_EQ(orders, (std::vector<std::vector<int>>{{2, 1, 3, 0}, {0, 1, 3, 2}}));
    // Of nodes with the same GPUs that of the slower links comes first; without slow GPUs a stage is tried at 1.1.
    AssignmentProblem links = fourNodes({1, 1, 1, 1});
    links.link = {1, 1, 1.2, 1};
    EXPECT_EQ(gatheredOrders(links)[1], (std::vector<int>{1, 2, 3, 0}));
}

TEST(Assignment, ASearchWithoutBudgetCostsItsStarts)
{
    // Fifteen starts up to 24 positions: the given order, two gathered, twelve shuffled; each evaluates its replicas. Beyond, three.
    AssignmentProblem p = fourNodes({1, 3, 2, 1});
    EXPECT_EQ(searchAssignment(p, false, 1, 0).evaluations, 2 + 15 * 2);
    p.slowness.assign(4, 1.0); // identical: nothing to swap
    EXPECT_EQ(searchAssignment(p, true, 1, 1'000).evaluations, 2 + 15 * 2);
    EXPECT_EQ(exhaustiveAssignment(p, false).evaluations, 24 * 2);
    for (const int positions : {24, 25}) {
        p.stages = 1;
        p.replicas = positions;
        p.cellOfGpu.resize(static_cast<std::size_t>(positions));
        std::iota(p.cellOfGpu.begin(), p.cellOfGpu.end(), 0);
        p.slowness.assign(static_cast<std::size_t>(positions), 1.0);
        p.replicaSeconds = [](const double* s, const double*) { return s[0]; };
        EXPECT_EQ(searchAssignment(p, false, 1, 0).evaluations, 1 + (positions == 24 ? 15 : 3) * positions);
    }
}

TEST(Assignment, ManyPositionsAreSearchedToTheBest)
{
    // 32 replicas of two stages of 1 and 2 s; two nodes take three times as long.
    AssignmentProblem p;
    p.replicas = 32;
    p.stages = 2;
    for (int i = 0; i < 64; ++i)
        p.cellOfGpu.push_back(i);
    p.slowness.assign(64, 1.0);
    p.slowness[40] = p.slowness[41] = 3;
    p.replicaSeconds = [](const double* s, const double*) { return s[0] + 2 * s[1]; };
    EXPECT_EQ(searchAssignment(p, false, 1, 20'000).objectiveSeconds, 5); // both on stages 0, of two replicas
    EXPECT_EQ(searchAssignment(p, true, 1, 20'000).objectiveSeconds, 9);  // both in one replica
}
