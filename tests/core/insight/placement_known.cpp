// SPDX-License-Identifier: GPL-3.0-or-later
// Slow nodes of steps that do not vary: which cells a node covers, how slow nodes are, and the moves of an advised order.
#include "core/insight/placement/placement.h"

#include "core/insight/scenarios.h"
#include "core/insight/variation.h"
#include "core/sim/graphs.h"
#include "core/sim/simulate.h"
#include "core/step/deterministicstep.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace prism {
namespace {

Scenario noiseFreeScenario()
{
    Scenario s = testscenarios::smallScenario();
    s.variability = {};
    return s;
}

double noiseFreeSecondsOf(const Scenario& s)
{
    return deterministicStepSeconds(costStep(s)->graph);
}

Scenario withSlow(Scenario s, std::vector<SlowEntry> slow)
{
    s.variability.slow = std::move(slow);
    return s;
}

void expectSeconds(double value, double expected, const std::string& what)
{
    EXPECT_NEAR(value, expected, 3e-6 * expected) << what; // steps are swept in single precision
}

InsightOptions fewSteps(int samples)
{
    InsightOptions options;
    options.samples = samples;
    options.threads = 1;
    return options;
}

} // namespace

TEST(PlacementKnown, ANodeSlowsEveryCellThatItCovers)
{
    // Four GPUs a cell and eight a node, one replica: node 0 has stages 0 and 1, node 1 stages 2 and 3.
    Scenario s = noiseFreeScenario();
    s.parallelism.tensorModelParallelSize = 4;
    s.cluster.numGpus = 16;
    s.training.globalBatchSize = 8;
    Evaluator evaluator;
    const auto map = placementMap(evaluator, s, {1.5, 1.25}, fewSteps(4));
    ASSERT_TRUE(map.ok()) << map.errors().front().message;
    ASSERT_EQ((std::array{map->rows, map->columns, map->samples, map->probeRanks}), (std::array{1, 4, 4, 0}));
    for (int stage = 0; stage < 4; ++stage) {
        EXPECT_EQ(map->at(0, stage).node, stage / 2);
        expectSeconds(map->at(0, stage).p50Seconds, noiseFreeSecondsOf(withSlow(s, {{stage / 2, -1, 1.5, 1.25}})),
                      fmt::format("{}", stage));
    }
    EXPECT_GT(map->at(0, 0).p50Seconds, 1.02 * noiseFreeSecondsOf(withSlow(s, {{-1, 0, 1.5, 1.25}}))) << "more than one cell";
    EXPECT_EQ(map->rowLabels, (std::vector<std::string>{"replica 0"}));
    const std::string worst =
        fmt::format("costs {:.1f} % more p95",
                    100 * (map->at(map->worstRow, map->worstColumn).p95Seconds / map->at(map->bestRow, map->bestColumn).p95Seconds - 1));
    EXPECT_NE(map->notes.back().find(worst), std::string::npos) << map->notes.back() << " / " << worst;
    // Half a cell a node: the first of its nodes is shown, and covers half of its ranks.
    s = noiseFreeScenario();
    s.cluster.gpusPerNode = 4;
    const auto half = placementMap(evaluator, s, {1.5, 1.0}, fewSteps(4));
    ASSERT_TRUE(half.ok()) << half.errors().front().message;
    EXPECT_EQ(half->probeRanks, 4);
    for (int stage = 0; stage < 4; ++stage)
        EXPECT_EQ(half->at(0, stage).node, 4 * stage); // two replicas of two nodes a stage
}

TEST(PlacementKnown, ProbesAndRowsHaveTheirBounds)
{
    const StepGraph g = test::jobGraph({.stages = 2, .replicas = 3});
    Evaluator evaluator;
    const auto ok = [&](double compute, double link) { return placementMap(evaluator, g, {compute, link}, fewSteps(2)).ok(); };
    EXPECT_TRUE(ok(1, 1));
    EXPECT_TRUE(ok(100, 100));
    EXPECT_FALSE(ok(0.999, 1));
    EXPECT_FALSE(ok(1, 100.001));
    std::vector<double> progress;
    InsightOptions options = fewSteps(2);
    options.progress = [&](double fraction, std::string_view) { progress.push_back(fraction); };
    const auto map = placementMap(evaluator, g, {1.5, 1}, options);
    ASSERT_TRUE(map.ok());
    EXPECT_EQ(map->rowLabels, (std::vector<std::string>{"any of 3 replicas"}));
    EXPECT_EQ(map->rowOfReplica, (std::vector<int>{0, 0, 0}));
    ASSERT_EQ(progress.size(), 3U); // the base and two stages
    EXPECT_DOUBLE_EQ(progress[1], 2.0 / 3);
    EXPECT_EQ(placementMap(evaluator, g, {1.5, 1}, {.threads = 1})->samples, 500);
    // Measured speeds of three replicas are three rows by the slowest GPU of any of their stages.
    StepGraph measured = g;
    measured.fixedSpatial = {1.3, 1.0, 1.1, 1.2, 1.0, 1.05};
    const auto rows = placementMap(evaluator, measured, {1.5, 1}, fewSteps(2));
    ASSERT_TRUE(rows.ok());
    EXPECT_EQ(rows->rowFirstReplica, (std::vector<int>{2, 1, 0}));
    EXPECT_EQ(rows->rowReplicas, (std::vector<int>{1, 1, 1}));
    EXPECT_EQ(rows->rowOfReplica, (std::vector<int>{2, 1, 0}));
    EXPECT_EQ(rows->notes.size(), 1U) << "a row is one replica";
}

TEST(PlacementKnown, RatiosAreThoseOfTheSameQuantile)
{
    // Replica 0 is marked; the others share the first row. Ten cells of two ranks, every kernel varies.
    StepGraph g = test::jobGraph({.replicas = 3, .groupRanks = 2, .compute = {Family::lognormal, 0.3}});
    g.slow = {{0, -1, -1, 1.5, 1.0}};
    Evaluator evaluator;
    InsightOptions options = fewSteps(64);
    options.seed = 5;
    const auto map = placementMap(evaluator, g, {1.25, 1.0}, options);
    ASSERT_TRUE(map.ok());
    EXPECT_EQ(map->seed, 5U);
    EXPECT_EQ(map->rowFirstReplica, (std::vector<int>{1, 0}));
    EXPECT_EQ(map->rowReplicas, (std::vector<int>{2, 1}));
    EXPECT_EQ(map->rowOfReplica, (std::vector<int>{1, 0, 0}));
    EXPECT_EQ((std::array{map->bestRow, map->worstRow}), (std::array{0, 1}));
    for (const PlacementCell& c : map->cells) {
        EXPECT_NEAR(c.p50Ratio.value, c.p50Seconds / map->base.p50, 1e-9);
        EXPECT_NEAR(c.p95Ratio.value, c.p95Seconds / map->base.p95, 1e-9);
        EXPECT_NEAR(c.p99Ratio.value, c.p99Seconds / map->base.p99, 1e-9);
        EXPECT_LT(c.p50Seconds, c.p95Seconds);
        EXPECT_LT(c.p95Seconds, c.p99Seconds);
    }
    EXPECT_NEAR(map->worstOverBest.value, map->at(1, 0).p95Seconds / map->at(0, 0).p95Seconds - 1, 1e-9);
    // Six measured replicas of two ranks: rows of one, two, one and two by the slower rank.
    g.slow.clear();
    g.numReplicas = 6;
    g.fixedSpatial = {1.0, 1.6, 1.1, 1.0, 1.5, 1.0, 1.0, 1.2, 1.4, 1.3, 1.0, 1.3};
    const auto measured = placementMap(evaluator, g, {1.25, 1.0}, fewSteps(2));
    ASSERT_TRUE(measured.ok());
    EXPECT_EQ(measured->rowOfReplica, (std::vector<int>{3, 0, 3, 1, 2, 1})); // 1.1, 1.2 and 1.3, 1.4, 1.5 and 1.6
    EXPECT_EQ(measured->notes.size(), 2U);
}

TEST(PlacementKnown, TheBestStageMayBeAnother)
{
    // Stage 0 takes three times as long as stage 1: a slow node there costs more.
    StepGraph g = test::jobGraph({.stages = 2, .microbatches = 3, .forwardSeconds = 3});
    for (std::size_t p = 0; p < 2; ++p) {
        g.programs.push_back(g.programs[p]);
        for (Op& op : g.programs.back().blocks[0].ops)
            op.meanSeconds /= 3;
        g.programOf[1][0][p] = static_cast<int>(p + 2);
    }
    Evaluator evaluator;
    const auto map = placementMap(evaluator, g, {1.5, 1.0}, fewSteps(2));
    ASSERT_TRUE(map.ok());
    EXPECT_EQ((std::array{map->bestRow, map->bestColumn, map->worstRow, map->worstColumn}), (std::array{0, 1, 0, 0}));
}

TEST(PlacementKnown, NodesAreComparedWithTheLowerMedian)
{
    Scenario s = noiseFreeScenario();
    s.measured.speeds = {{4, -1, 0.4}, {1, -1, 1.0}, {2, 3, 0.8}, {2, 5, 0.9}, {3, -1, 0.5}, {6, -1, 0.0}, {7, -1, 0.5}};
    // Factors 1, 1.25, 2, 2, 2.5 of nodes 1, 2, 3, 7, 4: the median is 2. Without node 7 it is the lower of the two in the middle, 1.25.
    EXPECT_EQ(slowestNodes(s, 9), (std::vector<NodeSlowness>{{4, 1.25}}));
    s.measured.speeds.pop_back();
    EXPECT_EQ(slowestNodes(s, 9), (std::vector<NodeSlowness>{{4, 2.0}, {3, 1.6}}));
    s.measured.speeds.push_back({0, -1, 0.5});
    s.measured.speeds.push_back({8, -1, 1.0});
    s.measured.speeds.push_back({9, -1, 1.0});
    EXPECT_EQ(slowestNodes(s, 3), (std::vector<NodeSlowness>{{4, 2.0}, {0, 1.6}, {3, 1.6}})); // of seven: 1.25; equal ones by their number
    EXPECT_EQ(slowestNodes(s, 0).size(), 0U);
}

TEST(PlacementKnown, ATableOfSpeedsFillsTheLastNodeToo)
{
    Scenario s = noiseFreeScenario();
    s.cluster.numGpus = 17; // three nodes of eight
    const auto tableOf = [](int nodes, int gpu) {
        SpeedTable table;
        for (int n = 0; n < nodes; ++n) {
            table.hosts.push_back(fmt::format("h{}", n));
            table.rows.push_back({n, gpu, 1.0 + n, n + 2});
        }
        return table;
    };
    const auto full = withSpeeds(s, tableOf(3, -1));
    ASSERT_TRUE(full.ok());
    ASSERT_EQ(full->measured.speeds.size(), 3U);
    EXPECT_EQ(full->measured.speeds[2].relativeSpeed, 3.0);
    EXPECT_EQ(full->measured.speeds[2].node, 2);
    const auto few = withSpeeds(s, tableOf(2, -1));
    ASSERT_FALSE(few.ok());
    EXPECT_EQ(few.errors().front().found, "2 nodes");
    EXPECT_EQ(few.errors().front().accepted, "3 nodes of 8 GPUs");
    EXPECT_EQ(withSpeeds(s, tableOf(4, -1)).errors().front().message, "The speed table has more nodes than the cluster.");
    EXPECT_EQ(withSpeeds(s, tableOf(3, 7)).errors().front().found, "1 GPUs") << "the eighth GPU is there";
    const auto ninth = withSpeeds(s, tableOf(3, 8));
    EXPECT_EQ(ninth.errors().front().path, "speeds:2");
    EXPECT_EQ(ninth.errors().front().accepted, "0 to 7");
    // 150 nodes of one row each with a ninth GPU: one error of the count, one of each row and one of each node; 200 are listed.
    const auto many = withSpeeds(s, tableOf(150, 9));
    ASSERT_EQ(many.errors().size(), 201U);
    EXPECT_EQ(many.errors().back().found, "101 more");
    EXPECT_EQ(withSpeeds(s, tableOf(99, 9)).errors().size(), 199U);
    EXPECT_EQ(hostfile({1, 3, 0}, {"a", "b", "c"}, 3, HostfileFormat::slurm), "b\nb\nb\nnode3\nnode3\nnode3\na\na\na\n");
    EXPECT_EQ(hostfile({2, 3}, {"a", "b", "c"}, 3, HostfileFormat::mpi), "c slots=3\nnode3 slots=3\n");
}

TEST(PlacementKnown, MeasuredAndMarkedSlownessGoWithTheirNode)
{
    // Two replicas of four stages, a node each; position 6 has node 0, whose fifth GPU is marked slow by its rank.
    Scenario s = noiseFreeScenario();
    s.measured.nodeOrder = {7, 1, 2, 3, 4, 5, 0, 6};
    for (int n = 0; n < 8; ++n)
        for (int gpu = 0; gpu < 8; ++gpu)
            s.measured.speeds.push_back({n, gpu, n == 3 ? 0.8 : n == 5 && gpu == 2 ? 0.5 : 1.0});
    s.variability.slow = {{3, -1, 1.1, 1.0}, {-1, 6 * 8 + 4, 1.3, 1.2}};
    Evaluator evaluator;
    InsightOptions options = fewSteps(6);
    options.seed = 4;
    const auto r = searchPlacement(evaluator, s, options);
    ASSERT_TRUE(r.ok()) << r.errors().front().message;
    EXPECT_EQ(r->givenOrder, s.measured.nodeOrder);
    EXPECT_EQ((std::array{r->samples, static_cast<int>(r->seed)}), (std::array{6, 4}));
    EXPECT_EQ(r->movedNodes, static_cast<int>(r->moves.size()));
    int moved = 0;
    for (std::size_t p = 0; p < 8; ++p)
        moved += r->givenOrder[p] != r->bestOrder[p] ? 1 : 0;
    EXPECT_EQ(r->movedNodes, moved);
    const auto at = [&](const std::vector<int>& order) {
        Scenario placed = s;
        placed.measured.nodeOrder = order;
        const auto position = std::find(order.begin(), order.end(), 0) - order.begin();
        placed.variability.slow[1].rank = static_cast<int>(position) * 8 + 4;
        return noiseFreeSecondsOf(placed);
    };
    expectSeconds(r->given.p95, at(r->givenOrder), "given");
    expectSeconds(r->best.p95, at(r->bestOrder), "best");
    expectSeconds(r->worst.p95, at(r->worstOrder), "worst");
    EXPECT_LT(r->best.p95, r->given.p95);
    const std::map<int, double> slowness{{5, 2.0}, {3, 1.375}, {0, 1.3}}; // 1 / 0.8 x 1.1
    double before = 9;
    for (const NodeMove& m : r->moves) {
        const auto known = slowness.find(m.node);
        EXPECT_DOUBLE_EQ(m.slowness, known == slowness.end() ? 1.0 : known->second);
        EXPECT_LE(m.slowness, before);
        before = m.slowness;
        EXPECT_EQ(r->givenOrder[static_cast<std::size_t>(m.fromPosition)], m.node);
        EXPECT_EQ((std::array{m.fromReplica, m.fromStage, m.toReplica, m.toStage}),
                  (std::array{m.fromPosition % 2, m.fromPosition / 2, m.toPosition % 2, m.toPosition / 2}));
    }
    for (std::size_t p = 0; p < 8; ++p) // nodes of no distinction that may stay do
        EXPECT_TRUE(r->givenOrder[p] == r->bestOrder[p] || slowness.contains(r->givenOrder[p]) || slowness.contains(r->bestOrder[p]));
    for (std::size_t i = 0; i < r->exchanges.size(); ++i) {
        expectSeconds(r->exchanges[i].p95Seconds, at(r->exchanges[i].order), "exchange");
        const std::vector<int>& order = i == 0 ? r->givenOrder : r->exchanges[i - 1].order;
        EXPECT_EQ(order[static_cast<std::size_t>(r->exchanges[i].move.toPosition)], r->exchanges[i].partner);
    }
}

TEST(PlacementKnown, EveryOrderOfSixNodesIsTried)
{
    Scenario s = noiseFreeScenario();
    s.parallelism.pipelineModelParallelSize = 3;
    s.model.numLayers = 6;
    s.cluster.numGpus = 48;
    s.variability.slow = {{0, -1, 1.3, 1.0}};
    std::vector<double> progress;
    InsightOptions options = fewSteps(4);
    options.progress = [&](double fraction, std::string_view) { progress.push_back(fraction); };
    Evaluator evaluator;
    const auto r = searchPlacement(evaluator, s, options);
    ASSERT_TRUE(r.ok()) << r.errors().front().message;
    EXPECT_TRUE(r->exhaustive);
    EXPECT_EQ(r->objectiveEvaluations, 2 * 720 * 2); // best and worst, two replicas an order
    ASSERT_GE(progress.size(), 3U);
    EXPECT_DOUBLE_EQ(progress[0], 0.3);
    EXPECT_GT(progress[1], 0.5);
    EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
    EXPECT_NEAR(progress.back(), r->withinNoise ? 0.9 : 1.0, 1e-12);
    EXPECT_EQ(std::count_if(progress.begin(), progress.end(), [](double x) { return std::abs(x - 0.9) < 1e-12; }), 1);
    EXPECT_LE(r->moves.size(), 2U) << "one slow node changes places with one other";
}

TEST(PlacementKnown, OnlyWholeNodesAreOrdered)
{
    Scenario s = noiseFreeScenario();
    s.parallelism.tensorModelParallelSize = 4;
    s.parallelism.pipelineModelParallelSize = 3;
    s.model.numLayers = 6;
    s.cluster.numGpus = 12; // one node and a half
    s.variability.slow = {{0, -1, 1.3, 1.0}};
    Evaluator evaluator;
    const auto r = searchPlacement(evaluator, s, fewSteps(2));
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.errors().front().path, "cluster.gpus_per_node");
    EXPECT_EQ(r.errors().front().found, "12 GPUs");
    EXPECT_EQ(r.errors().front().accepted, "a multiple of 8");
}

TEST(Variation, ProgressRunsBetweenItsEnds)
{
    Evaluator evaluator;
    std::vector<double> progress;
    InsightOptions options = fewSteps(2);
    options.seed = 9;
    options.progress = [&](double fraction, std::string_view) { progress.push_back(fraction); };
    const auto make = [](std::size_t i) { return test::jobGraph({.forwardSeconds = 1.0 + static_cast<double>(i)}); };
    const StepGraph noisy = test::jobGraph({.compute = {Family::lognormal, 0.3}});
    const auto drawn = sampleAll(
        evaluator, 1, [&](std::size_t) { return noisy; }, 3, {.seed = 9}, 0, 1, "steps");
    ASSERT_TRUE(drawn.ok());
    EXPECT_EQ(drawn.value()[0]->acrossSeconds, simulate(noisy, {.seed = 9, .numSamples = 3, .numWithinSamples = -1}).acrossSeconds);
    const auto sampled = sampleAll(evaluator, 4, make, 3, options, 0.2, 0.8, "steps");
    ASSERT_TRUE(sampled.ok());
    ASSERT_EQ(progress.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(progress[i], 0.35 + 0.15 * static_cast<double>(i), 1e-12);
        ASSERT_EQ(sampled.value()[i]->acrossSeconds.size(), 3U);
        EXPECT_TRUE(sampled.value()[i]->withinSeconds.empty());
        EXPECT_NEAR(sampled.value()[i]->acrossSeconds[2], 3.0 * static_cast<double>(i + 1), 1e-5); // forward and twice that
    }
}

} // namespace prism
