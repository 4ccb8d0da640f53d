#include "core/insight/guarantee.h"

#include "core/insight/compare.h"
#include "core/insight/graphs.h"
#include "core/insight/placement.h"
#include "core/insight/scale.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

using namespace prism;
using namespace prism::testing;

namespace {

Scenario small()
{
    // A pipeline of two stages and four replicas on four nodes: quick to predict, with every kind of cause.
    Scenario s = scenarioPreset("llama3-70b-256-h100").value();
    s.cluster.numGpus = 64;
    s.parallelism.tensorModelParallelSize = 8;
    s.parallelism.pipelineModelParallelSize = 4;
    s.parallelism.virtualPipelineModelParallelSize = 1;
    s.parallelism.contextParallelSize = 1;
    s.parallelism.zeroStage = 1;
    s.parallelism.pipelineSchedule = "1f1b";
    s.training.globalBatchSize = 16;
    s.training.microBatchSize = 1;
    s.training.trainTokens = 1e9;
    s.variability.interRegime = lognormal(0.2);
    return s;
}

InsightOptions withSamples(int n)
{
    InsightOptions options;
    options.samples = n;
    return options;
}

} // namespace

TEST(Guarantee, ExceedanceIsTheShareAboveWithWilsonsInterval)
{
    std::vector<double> sorted(100);
    std::iota(sorted.begin(), sorted.end(), 1.0);
    EXPECT_NEAR(exceedance(sorted, 90).value, 0.1, 1e-12);
    EXPECT_EQ(exceedance(sorted, 1000).value, 0);
    // Wilson, 0 of 100: upper bound z^2 / (n + z^2)
    EXPECT_NEAR(exceedance(sorted, 1000).halfWidth, 3.8414588 / 103.8414588, 1e-6);
}

TEST(Guarantee, LimitsAndProbabilitiesInvertEachOther)
{
    Evaluator evaluator;
    GuaranteeQuery query;
    query.probabilities = {0.5, 0.05};
    const auto g = guarantee(evaluator, small(), query, withSamples(4'000));
    ASSERT_TRUE(g.ok()) << g.errors().front().path << g.errors().front().message;
    for (const LimitFor& l : g->limits)
        EXPECT_NEAR(exceedance(g->sortedAcross, l.acrossSeconds.value).value, l.probability, 0.002);
    EXPECT_GT(g->limits[1].acrossSeconds.value, g->limits[0].acrossSeconds.value);
}

TEST(Guarantee, PersistentFactorsDoNotAverageOut)
{
    Evaluator evaluator;
    GuaranteeQuery query;
    query.trainTokens = 1e9;
    const auto billion = guarantee(evaluator, small(), query, withSamples(2'000));
    query.trainTokens = 1e11;
    const auto hundred = guarantee(evaluator, small(), query, withSamples(2'000));
    ASSERT_TRUE(billion.ok() && hundred.ok());
    ASSERT_TRUE(billion->hasTraining && hundred->hasTraining);
    const double steps = hundred->training.steps / billion->training.steps;
    EXPECT_NEAR(hundred->training.stdJobDays / billion->training.stdJobDays, steps, 1e-9 * steps);
    EXPECT_NEAR(hundred->training.stdStepsDays / billion->training.stdStepsDays, std::sqrt(steps), 1e-9 * steps);
    EXPECT_GE(hundred->training.steps, hundred->training.effectiveIndependentSteps);
    EXPECT_NEAR(hundred->training.p50Days, hundred->training.steps * hundred->across.mean / 86400, 0.01 * hundred->training.p50Days);
}

TEST(Guarantee, DeadlinesAreBetweenNeverAndAlways)
{
    Evaluator evaluator;
    GuaranteeQuery query;
    query.deadlineDays = 1e-6;
    const auto never = guarantee(evaluator, small(), query, withSamples(1'000));
    ASSERT_TRUE(never.ok());
    EXPECT_EQ(never->training.deadlineProbability.value, 0);
    query.deadlineDays = never->training.p50Days;
    const auto half = guarantee(evaluator, small(), query, withSamples(1'000));
    EXPECT_NEAR(half->training.deadlineProbability.value, 0.5, 0.01);
    query.probabilities = {0, 1.5};
    query.limitsSeconds = {-1};
    const auto wrong = guarantee(evaluator, small(), query);
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.errors().size(), 3U);
}

TEST(Compare, WaterfallSumsToTheChange)
{
    Evaluator evaluator;
    const Scenario a = small();
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
    EXPECT_NEAR(sum, c->figures[3].delta.value, 1e-9);
    EXPECT_TRUE(c->waterfallExact);
    EXPECT_EQ(c->waterfallOrders, 6);
    EXPECT_EQ(c->waterfall.front().parameter, "training.global_batch_size");
    EXPECT_GT(c->probabilityABetter.value, 0.99);
    EXPECT_NEAR(c->ksDistance, 1, 0.01);
}

TEST(Compare, SampledOrdersSumToTheChangeToo)
{
    Evaluator evaluator;
    const Scenario a = small();
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
    EXPECT_NEAR(sum, c->figures[3].delta.value, 1e-9);
}

TEST(Compare, AScenarioEqualsItself)
{
    Evaluator evaluator;
    const auto c = compare(evaluator, small(), small(), withSamples(500));
    ASSERT_TRUE(c.ok());
    EXPECT_EQ(c->probabilityABetter.value, 0.5);
    EXPECT_EQ(c->ksDistance, 0);
    EXPECT_EQ(c->wassersteinSeconds, 0);
    EXPECT_TRUE(c->waterfall.empty());
}

TEST(Scale, WeakScalingKeepsTheMicrobatchesOfAReplica)
{
    Evaluator evaluator;
    const Scenario s = small();
    const auto curve = scaleCurve(evaluator, s, ScaleMode::weak, {128, 32, 64, 100}, withSamples(500));
    ASSERT_TRUE(curve.ok());
    ASSERT_EQ(curve->points.size(), 4U);
    EXPECT_FALSE(curve->points[2].valid); // 100 GPUs are no whole number of replicas
    EXPECT_FALSE(curve->points[2].problem.empty());
    for (const std::size_t i : {0U, 1U, 3U}) {
        EXPECT_TRUE(curve->points[i].valid) << curve->points[i].problem;
        EXPECT_EQ(curve->points[i].microbatches, s.numMicrobatches());
    }
    EXPECT_EQ(curve->points[0].efficiency, 1);
    const auto strong = scaleCurve(evaluator, s, ScaleMode::strong, {32, 64}, withSamples(500));
    ASSERT_TRUE(strong.ok());
    EXPECT_GT(strong->points[0].step.p50, strong->points[1].step.p50);
}

TEST(Sweep, BandwidthLowersTheStepAndImpossibleValuesSayWhy)
{
    Evaluator evaluator;
    const auto values = sweepValues("cluster.inter_node_gb_per_s", "10:100:4:log");
    ASSERT_TRUE(values.ok());
    EXPECT_EQ(values->size(), 4U);
    const auto sweep = sweepParameter(evaluator, small(), "cluster.inter_node_gb_per_s", *values, withSamples(1'000));
    ASSERT_TRUE(sweep.ok());
    EXPECT_LT(sweep->elasticityP95.value, 0);
    EXPECT_FALSE(sweep->nonMonotonic);
    const auto sizes = sweepParameter(evaluator, small(), "parallelism.tensor_model_parallel_size", {"4", "7"}, withSamples(200));
    ASSERT_TRUE(sizes.ok());
    EXPECT_TRUE(sizes->points[0].valid);
    EXPECT_FALSE(sizes->points[1].valid);
    EXPECT_FALSE(sizes->points[1].problem.empty());
    EXPECT_FALSE(sweepParameter(evaluator, small(), "no.such", {"1"}).ok());
    EXPECT_FALSE(sweepValues("cluster.inter_node_gb_per_s", "1:2").ok());
}

TEST(Placement, SlowNodeCostsMoreThanNone)
{
    Evaluator evaluator;
    const auto map = placementMap(evaluator, small(), {1.5, 1.0}, withSamples(1'000));
    ASSERT_TRUE(map.ok());
    EXPECT_EQ(map->rows, 1);
    EXPECT_EQ(map->columns, 4);
    for (const PlacementCell& c : map->cells)
        EXPECT_GT(c.p95Ratio.value - c.p95Ratio.halfWidth, 1.05);
    EXPECT_FALSE(placementMap(evaluator, small(), {0.5, 1.0}).ok());
}

TEST(Placement, MendingTheOnlySlowNodeGivesItsWholeCost)
{
    Evaluator evaluator;
    const auto report = slowNodes(evaluator, small(), {{3, -1, 1.4, 1.0}}, withSamples(1'000));
    ASSERT_TRUE(report.ok());
    EXPECT_NEAR(report->rows[0].mended.p95.value, -report->total.p95.value, 1e-12);
    EXPECT_GT(report->total.p95.value, 0);
}

TEST(Placement, SearchNeverLosesAndWritesAHostfile)
{
    Evaluator evaluator;
    const Scenario s = small();
    std::string csv = "host,tflops\n";
    for (int n = 0; n < 8; ++n)
        csv += "h" + std::to_string(n) + (n == 1 || n == 6 ? ",450\n" : ",600\n");
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
