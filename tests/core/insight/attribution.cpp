// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/sensitivity/attribution.h"

#include "core/insight/graphs.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace prism;
using namespace prism::testscenarios;

namespace {

double sumOf(const std::vector<AttributionRow>& rows, Estimate AttributionRow::*field)
{
    return std::accumulate(rows.begin(), rows.end(), 0.0, [field](double sum, const AttributionRow& r) { return sum + (r.*field).value; });
}

const AttributionRow& find(const std::vector<AttributionRow>& rows, std::string_view name)
{
    for (const AttributionRow& r : rows)
        if (r.name == name)
            return r;
    static const AttributionRow none;
    return none;
}

} // namespace

TEST(Attribution, SharesSumToOne)
{
    const Result<TailAttribution> a = attribution(pipelineGraph(4, 8, 16, 4));
    ASSERT_TRUE(a.ok());
    for (const auto* rows : {&a->byClass, &a->byStage, &a->byCause}) {
        EXPECT_NEAR(sumOf(*rows, &AttributionRow::shareAll), 1, 1e-9);
        EXPECT_NEAR(sumOf(*rows, &AttributionRow::shareSlow), 1, 1e-9);
        EXPECT_NEAR(sumOf(*rows, &AttributionRow::excessShare), 1, 1e-9);
    }
}

TEST(Attribution, SerialGraphSharesAreTheMeans)
{
    const Result<TailAttribution> a = attribution(serialGraph(3e-3, 0.02, 1e-3, 0.02, 50));
    ASSERT_TRUE(a.ok());
    EXPECT_NEAR(find(a->byClass, "a").shareAll.value, 0.75, 0.002);
    EXPECT_NEAR(find(a->byClass, "b").shareAll.value, 0.25, 0.002);
}

TEST(Attribution, SlowStepsAreBlamedOnTheFactorThatMakesThemSlow)
{
    StepGraph g = pipelineGraph(4, 8, 2, 2);
    for (KernelClass& k : g.classes)
        k.temporal = {};
    g.spatial = g.data = g.intraRegime = {};
    g.interRegime = lognormal(0.5);
    const Result<TailAttribution> a = attribution(g);
    ASSERT_TRUE(a.ok());
    EXPECT_NEAR(find(a->byCause, "regime").excessShare.value, 1, 1e-6);
    EXPECT_GT(find(a->byClass, "dp.reduce_scatter").shareSlow.value, find(a->byClass, "dp.reduce_scatter").shareAll.value);
}

TEST(Attribution, DoesNotDependOnThreads)
{
    InsightOptions one, many;
    one.threads = 1;
    many.threads = 5;
    one.samples = many.samples = 100;
    const StepGraph g = pipelineGraph(4, 8, 16, 2);
    const auto a = attribution(g, one), b = attribution(g, many);
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_EQ(a->meanSeconds, b->meanSeconds);
    EXPECT_EQ(a->byClass.front().shareSlow.value, b->byClass.front().shareSlow.value);
}

TEST(Attribution, CanBeCancelled)
{
    std::stop_source stop;
    stop.request_stop();
    InsightOptions options;
    options.stop = stop.get_token();
    const auto a = attribution(pipelineGraph(2, 2, 1, 1), options);
    ASSERT_FALSE(a.ok());
    EXPECT_TRUE(isCancelled(a.errors()));
}
