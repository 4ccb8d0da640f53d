// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/compare/compare.h"

#include "core/insight/scenarios.h"

#include <gtest/gtest.h>

using namespace prism;
using namespace prism::testscenarios;

TEST(Compare, WaterfallSumsToTheChange)
{
    Evaluator evaluator;
    const Scenario a = smallScenario();
    Scenario b = a;
    b.cluster.interNodeGbPerS = 25;
    b.cluster.intraNodeGbPerS = 300;
    b.training.globalBatchSize = 32;
    const auto c = compare(evaluator, a, b, withSamples(1'000));
    ASSERT_TRUE(c.ok());
    double sum = 0;
    for (const WaterfallItem& w : c->waterfall)
        sum += w.deltaP95.value;
    EXPECT_EQ(c->waterfall.size(), 4U);
    EXPECT_EQ(c->waterfall.back().parameter, "remainder");
    EXPECT_NEAR(c->waterfall.back().deltaP95.value, 0, 1e-9);
    EXPECT_NEAR(sum, c->metrics[3].delta.value, 1e-9);
    EXPECT_TRUE(c->waterfallExact);
    EXPECT_EQ(c->waterfallOrders, 6);
    EXPECT_EQ(c->waterfall.front().parameter, "training.global_batch_size");
    EXPECT_GT(c->probabilityABetter.value, 0.99);
    EXPECT_NEAR(c->ksDistance, 1, 0.01);
}

TEST(Compare, SampledOrdersSumToTheChangeToo)
{
    Evaluator evaluator;
    const Scenario a = smallScenario();
    Scenario b = a;
    b.cluster.interNodeGbPerS = 25;
    b.cluster.intraNodeGbPerS = 300;
    b.cluster.interNodeLatencyUs = 20;
    b.cluster.intraNodeLatencyUs = 6;
    b.variability.interRegime.cv = 0.4;
    b.variability.spatial.cv = 0.05;
    b.training.globalBatchSize = 32;
    const auto c = compare(evaluator, a, b, withSamples(300));
    ASSERT_TRUE(c.ok());
    double sum = 0;
    for (const WaterfallItem& w : c->waterfall)
        sum += w.deltaP95.value;
    EXPECT_FALSE(c->waterfallExact);
    EXPECT_NEAR(sum, c->metrics[3].delta.value, 1e-9);
}

TEST(Compare, AScenarioEqualsItself)
{
    Evaluator evaluator;
    const auto c = compare(evaluator, smallScenario(), smallScenario(), withSamples(500));
    ASSERT_TRUE(c.ok());
    EXPECT_EQ(c->probabilityABetter.value, 0.5);
    EXPECT_EQ(c->ksDistance, 0);
    EXPECT_EQ(c->wassersteinSeconds, 0);
    EXPECT_TRUE(c->waterfall.empty());
}
