#include "core/insight/placement.h"

#include "core/insight/scenarios.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace prism;
using namespace prism::testing;

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
    EXPECT_NEAR(report->rows[0].mended.p95.value, -report->total.p95.value, 1e-12);
    EXPECT_GT(report->total.p95.value, 0);
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
    const std::string file = hostfile(result->bestOrder, table->hosts, 8, HostfileFormat::mpi);
    EXPECT_EQ(std::count(file.begin(), file.end(), '\n'), 8);
    EXPECT_NE(file.find("h1 slots=8"), std::string::npos);
    EXPECT_EQ(hostfile({1, 0}, {"a", "b"}, 2, HostfileFormat::slurm), "b\nb\na\na\n");
    EXPECT_EQ(hostfile({1, 0}, {"a", "b"}, 2, HostfileFormat::torchrun), "b\na\n");
    EXPECT_FALSE(withSpeeds(s, *readSpeedTable("node,tflops\n0,1\n1,1\n")).ok());
    EXPECT_FALSE(searchPlacement(evaluator, s).ok());
}
