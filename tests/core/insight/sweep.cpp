#include "core/insight/sensitivity.h"

#include "core/insight/scenarios.h"

#include <gtest/gtest.h>

using namespace prism;
using namespace prism::testing;

TEST(Sweep, BandwidthLowersTheStepAndImpossibleValuesSayWhy)
{
    Evaluator evaluator;
    const auto values = sweepValues("cluster.inter_node_gb_per_s", "10:100:4:log");
    ASSERT_TRUE(values.ok());
    EXPECT_EQ(values->size(), 4U);
    const auto sweep = sweepParameter(evaluator, smallScenario(), "cluster.inter_node_gb_per_s", *values, withSamples(1'000));
    ASSERT_TRUE(sweep.ok());
    EXPECT_LT(sweep->elasticityP95.value, 0);
    EXPECT_FALSE(sweep->nonMonotonic);
    const auto sizes = sweepParameter(evaluator, smallScenario(), "parallelism.tensor_model_parallel_size", {"4", "7"}, withSamples(200));
    ASSERT_TRUE(sizes.ok());
    EXPECT_TRUE(sizes->points[0].valid);
    EXPECT_FALSE(sizes->points[1].valid);
    EXPECT_FALSE(sizes->points[1].problem.empty());
    EXPECT_FALSE(sweepParameter(evaluator, smallScenario(), "no.such", {"1"}).ok());
    EXPECT_FALSE(sweepValues("cluster.inter_node_gb_per_s", "1:2").ok());
}
