// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/placement/placement.h"

#include "core/insight/scenarios.h"

#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>

using namespace prism;
using namespace prism::testscenarios;

TEST(Placement, SlowNodeCostsMoreThanNone)
{
    Evaluator evaluator;
    const auto map = placementMap(evaluator, smallScenario(), {1.5, 1.0}, withSamples(1'000));
    ASSERT_TRUE(map.ok());
    EXPECT_EQ(map->rows, 1);
    EXPECT_EQ(map->columns, 4);
    for (const PlacementCell& c : map->cells)
        EXPECT_GT(c.p95Ratio.value - c.p95Ratio.halfWidth, 1.05);
    EXPECT_FALSE(placementMap(evaluator, smallScenario(), {0.5, 1.0}).ok());
}

TEST(Placement, MendingTheOnlySlowNodeGivesItsWholeCost)
{
    Evaluator evaluator;
    const auto report = slowNodes(evaluator, smallScenario(), {{3, -1, 1.4, 1.0}}, withSamples(1'000));
    ASSERT_TRUE(report.ok());
    EXPECT_NEAR(report->rows[0].repaired.p95.value, -report->total.p95.value, 1e-12);
    EXPECT_GT(report->total.p95.value, 0);
}

TEST(Placement, EveryReplicaHasItsRow)
{
    Evaluator evaluator;
    Scenario s = smallScenario();
    s.variability.slow.push_back({0, -1, 1.3, 1}); // node 0 names the replica that it works for
    const auto map = placementMap(evaluator, s, {1.2, 1.0}, withSamples(200));
    ASSERT_TRUE(map.ok());
    ASSERT_EQ(map->rows, 2);
    std::vector<int> counted(2, 0);
    for (std::size_t replica = 0; replica < map->rowOfReplica.size(); ++replica) {
        const int row = map->rowOfReplica[replica];
        ASSERT_GE(row, 0);
        ++counted[static_cast<std::size_t>(row)];
        if (map->rowReplicas[static_cast<std::size_t>(row)] == 1) {
            EXPECT_EQ(map->rowFirstReplica[static_cast<std::size_t>(row)], static_cast<int>(replica));
        }
    }
    EXPECT_EQ(counted, map->rowReplicas);
}

TEST(Placement, NamesTheSlowestMeasuredNodes)
{
    Scenario s = smallScenario();
    EXPECT_TRUE(slowestNodes(s, 3).empty());
    // Time factors over the median node, whose slowest GPU runs at 0.8: node 2 0.8/0.4, node 0 0.8/0.64; nodes 1 and 3 to 5 are the median.
    s.measured.speeds = {{0, -1, 0.64}, {1, -1, 0.8}, {2, 0, 1.0}, {2, 1, 0.4}, {3, -1, 0.8}, {4, -1, 0.8}, {5, -1, 0.8}};
    const std::vector<NodeSlowness> slowest = slowestNodes(s, 3);
    ASSERT_EQ(slowest.size(), 2U);
    EXPECT_EQ(slowest[0].node, 2);
    EXPECT_DOUBLE_EQ(slowest[0].factor, 2);
    EXPECT_EQ(slowest[1].node, 0);
    EXPECT_DOUBLE_EQ(slowest[1].factor, 1.25);
    EXPECT_EQ(slowestNodes(s, 1).size(), 1U);
}

TEST(Placement, SearchNeverLosesAndWritesAHostfile)
{
    Evaluator evaluator;
    const Scenario s = smallScenario();
    std::string csv = "host,tflops\n";
    for (int n = 0; n < 8; ++n)
        csv += std::string("h").append(std::to_string(n)).append(n == 1 || n == 6 ? ",450\n" : ",600\n");
    const auto table = readSpeedTable(csv);
    ASSERT_TRUE(table.ok());
    const auto measured = withSpeeds(s, *table);
    ASSERT_TRUE(measured.ok());
    const auto result = searchPlacement(evaluator, *measured, withSamples(1'000));
    ASSERT_TRUE(result.ok());
    EXPECT_GE(result->gainOverGiven.value, -result->gainOverGiven.halfWidth);
    EXPECT_GE(result->gainOverWorst.value, -result->gainOverWorst.halfWidth);
    std::vector<int> before = result->givenOrder; // few moves: one exchange of two nodes after the other
    EXPECT_EQ(result->exchanges.empty(), result->withinNoise);
    EXPECT_LE(result->exchanges.size(), kMaxExchanges);
    for (const ExchangeGain& e : result->exchanges) {
        int changed = 0;
        for (std::size_t p = 0; p < before.size(); ++p)
            changed += e.order[p] != before[p] ? 1 : 0;
        EXPECT_EQ(changed, 2);
        EXPECT_EQ(e.order[static_cast<std::size_t>(e.move.toPosition)], e.move.node);
        before = e.order;
    }
    if (!result->exchanges.empty()) {
        EXPECT_TRUE(result->exchanges.front().move.node == 1 || result->exchanges.front().move.node == 6) << "the slow ones first";
        EXPECT_EQ(before, result->bestOrder) << "two slow nodes need no more than that";
    }
    const std::string file = hostfile(result->bestOrder, table->hosts, 8, HostfileFormat::mpi);
    EXPECT_EQ(std::count(file.begin(), file.end(), '\n'), 8);
    EXPECT_NE(file.find("h1 slots=8"), std::string::npos);
    EXPECT_EQ(hostfile({1, 0}, {"a", "b"}, 2, HostfileFormat::slurm), "b\nb\na\na\n");
    EXPECT_EQ(hostfile({1, 0}, {"a", "b"}, 2, HostfileFormat::torchrun), "b\na\n");
    EXPECT_FALSE(withSpeeds(s, *readSpeedTable("node,tflops\n0,1\n1,1\n")).ok());
    EXPECT_FALSE(searchPlacement(evaluator, s).ok());
}

TEST(Placement, SpeedTablesMustCoverTheCluster)
{
    const Scenario s = smallScenario(); // 8 nodes of 8 GPUs
    const auto errorsOf = [&](const std::string& csv) {
        const auto table = readSpeedTable(csv);
        EXPECT_TRUE(table.ok());
        const auto applied = withSpeeds(s, *table);
        return applied.ok() ? Diagnostics{} : applied.errors();
    };
    std::string all = "node,gpu,tflops\n", partial = all, beyond = all, few = "node,tflops\n";
    for (int n = 0; n < 8; ++n)
        for (int g = 0; g < 8; ++g) {
            const std::string row = fmt::format("{},{},600\n", n, g);
            all += row;
            partial += n == 3 && g > 4 ? "" : row;
            beyond += n == 5 && g == 7 ? "5,8,600\n" : row;
        }
    for (int n = 0; n < 7; ++n)
        few += fmt::format("{},600\n", n);
    EXPECT_TRUE(errorsOf(all).empty());
    ASSERT_EQ(errorsOf(partial).size(), 1U);
    EXPECT_EQ(errorsOf(partial)[0].message, "Not every GPU of node 3 has a speed.");
    EXPECT_EQ(errorsOf(partial)[0].found, "5 GPUs");
    ASSERT_EQ(errorsOf(beyond).size(), 2U); // the row, and the GPU that it leaves without a speed
    EXPECT_EQ(errorsOf(beyond)[0].path, "speeds:49");
    ASSERT_EQ(errorsOf(few).size(), 1U);
    EXPECT_EQ(errorsOf(few)[0].message, "Nodes are missing from the speed table.");
    std::string many = "node,gpu,tflops\n";
    for (int i = 0; i < 100'000; ++i)
        many += fmt::format("{},9,600\n", i);
    EXPECT_EQ(errorsOf(many).size(), 201U);
}

TEST(Placement, SearchFindsTheBestOfAllOrders)
{
    // Six nodes, two of them slow: 15 different orders, each predicted.
    Scenario s = smallScenario();
    s.parallelism.pipelineModelParallelSize = 3;
    s.model.numLayers = 60;
    s.cluster.numGpus = 48;
    for (int n = 0; n < 6; ++n)
        s.measured.speeds.push_back({n, -1, n < 2 ? 0.75 : 1.0});
    Evaluator evaluator;
    const auto found = searchPlacement(evaluator, s, withSamples(2'000));
    ASSERT_TRUE(found.ok()) << found.errors().front().message;
    EXPECT_TRUE(found->exhaustive);
    EvaluateOptions options;
    options.varianceShares = options.systemsRange = false;
    options.numSamples = 2'000;
    double best = 1e9, worst = 0;
    for (int a = 0; a < 6; ++a)
        for (int b = a + 1; b < 6; ++b) {
            Scenario placed = s;
            std::vector<int> order{2, 3, 4, 5};
            order.insert(order.begin() + a, 0);
            order.insert(order.begin() + b, 1);
            placed.measured.nodeOrder = order;
            const double p95 = evaluator.evaluate(placed, options)->across.p95;
            best = std::min(best, p95);
            worst = std::max(worst, p95);
        }
    EXPECT_LT(best, 0.97 * worst);
    EXPECT_NEAR(found->best.p95, best, 0.002 * best);
    EXPECT_NEAR(found->worst.p95, worst, 0.002 * worst);
}

TEST(Placement, AdvisesWhereMarkedSlowNodesShouldBe)
{
    // 2 replicas of 4 stages, one node each; one GPU of node 3 and all of node 6 are slow. Every pair of places is predicted.
    Scenario s = smallScenario();
    s.variability.slow = {{-1, 8 * 3 + 5, 1.4, 1.0}, {6, -1, 1.4, 1.0}};
    Evaluator evaluator;
    const auto advice = searchPlacement(evaluator, s, withSamples(400));
    ASSERT_TRUE(advice.ok()) << advice.errors().front().message;
    double best = 1e9;
    EvaluateOptions options;
    options.varianceShares = options.systemsRange = false;
    options.numSamples = 400;
    for (int a = 0; a < 8; ++a)
        for (int b = 0; b < 8; ++b) {
            if (a == b)
                continue;
            Scenario placed = s;
            placed.variability.slow = {{-1, 8 * a + 5, 1.4, 1.0}, {b, -1, 1.4, 1.0}};
            best = std::min(best, evaluator.evaluate(placed, options)->across.p95);
        }
    EXPECT_NEAR(advice->best.p95, best, 0.002 * best);
    // The given order is the scenario as it is.
    EXPECT_DOUBLE_EQ(advice->given.p95, evaluator.evaluate(s, options)->across.p95);
    EXPECT_EQ(advice->withinNoise, advice->gainOverGiven.value <= advice->gainOverGiven.halfWidth);
    EXPECT_LE(advice->best.p95, advice->given.p95);
    ASSERT_GE(advice->moves.size(), 2U);
    EXPECT_DOUBLE_EQ(advice->moves[0].slowness, 1.4);
    for (const NodeMove& m : advice->moves)
        EXPECT_EQ(advice->bestOrder[static_cast<std::size_t>(m.toPosition)], m.node);
}

TEST(Placement, SlowLinksSteerTheOrder)
{
    Scenario s = smallScenario();
    Evaluator evaluator;
    s.variability.slow = {{2, -1, 1.0, 2.0}}; // only its links
    const auto advice = searchPlacement(evaluator, s, withSamples(500));
    ASSERT_TRUE(advice.ok());
    EvaluateOptions options;
    options.varianceShares = options.systemsRange = false;
    options.numSamples = 500;
    double best = advice->given.p95;
    for (int node = 0; node < 8; ++node) {
        Scenario placed = s;
        placed.variability.slow = {{node, -1, 1.0, 2.0}};
        best = std::min(best, evaluator.evaluate(placed, options)->across.p95);
    }
    EXPECT_NEAR(advice->best.p95, best, 0.002 * best);
    EXPECT_GT(advice->gainOverGiven.value, advice->gainOverGiven.halfWidth);
    ASSERT_FALSE(advice->moves.empty());
}

TEST(Placement, ReportsWhenMovingSlowNodesIsNotWorthIt)
{
    Scenario s = smallScenario();
    Evaluator evaluator;
    s.variability.slow = {{0, -1, 1.0005, 1.0}, {7, -1, 1.0005, 1.0}};
    const auto hardly = searchPlacement(evaluator, s, withSamples(500));
    ASSERT_TRUE(hardly.ok());
    EXPECT_TRUE(hardly->withinNoise);
    EXPECT_TRUE(hardly->notes.front().find("within noise") != std::string::npos || hardly->moves.empty()) << hardly->notes.front();
}

TEST(Placement, AFewSlowNodesAmongManyHaveATailThatFewSamplesShow)
{
    // Ten slow nodes in a job of 2,048: more than the replicas that are simulated one by one in any job.
    Scenario s = scenarioPreset("llama3-405b-16k-h100").value();
    const std::vector<int> slow{153, 197, 237, 296, 385, 617, 879, 1326, 1497, 1617};
    for (int n = 0; n < 2'048; ++n)
        s.measured.speeds.push_back({n, -1, std::find(slow.begin(), slow.end(), n) != slow.end() ? 0.8 : 1.0});
    Evaluator evaluator;
    const DistributionSummary few = searchPlacement(evaluator, s, withSamples(500))->given,
                              many = searchPlacement(evaluator, s, withSamples(2'000))->given;
    EXPECT_NEAR(few.p95, many.p95, 0.01 * many.p95);
    EXPECT_NEAR(few.p99, many.p99, 0.02 * many.p99);
}
