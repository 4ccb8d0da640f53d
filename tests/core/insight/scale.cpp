// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/scale/scale.h"

#include "core/insight/guarantee/guarantee.h"
#include "core/insight/scenarios.h"
#include "core/insight/sensitivity/sensitivity.h"
#include "core/sim/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace prism;
using namespace prism::testscenarios;

TEST(Scale, WeakScalingKeepsTheMicrobatchesOfAReplica)
{
    Evaluator evaluator;
    const Scenario s = smallScenario();
    const auto curve = scaleCurve(evaluator, s, ScaleMode::weak, {128, 32, 64, 100}, withSamples(500));
    ASSERT_TRUE(curve.ok());
    ASSERT_EQ(curve->points.size(), 4U);
    EXPECT_FALSE(curve->points[2].valid); // 100 GPUs do not make a whole number of replicas
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

/// As the headers state: 500 steps a point of a curve and for a table, 2,000 for a guarantee.
TEST(Scale, WithoutANumberOfSamplesTheStatedDefaultIsDrawn)
{
    Evaluator evaluator;
    const auto curve = scaleCurve(evaluator, smallScenario(), ScaleMode::weak, {32}, {});
    const auto table = sensitivity(evaluator, serialGraph(1e-3, 0, 2e-3, 0, 5), {});
    const auto promise = guarantee(evaluator, smallScenario(), {}, {});
    ASSERT_TRUE(curve.ok() && table.ok() && promise.ok());
    EXPECT_EQ(curve->samples, 500);
    EXPECT_EQ(table->samples, 500);
    EXPECT_EQ(promise->samples, 2'000);
}

TEST(Scale, ASizeReportsItsErrorAndWhatIsNotKnown)
{
    Evaluator evaluator;
    Scenario s = smallScenario();
    const auto curve = scaleCurve(evaluator, s, ScaleMode::weak, {32, 32'768}, withSamples(100));
    ASSERT_TRUE(curve.ok());
    const auto tooMany = [](const std::string& sentence) {
        return sentence.find("more GPUs than in any validated row") != std::string::npos;
    };
    for (const ScalePoint& p : curve->points)
        EXPECT_EQ(std::count_if(p.outside.begin(), p.outside.end(), tooMany), p.gpus > 16'384 ? 1 : 0) << p.gpus;
    EXPECT_NE(toJson(*curve).find("(here 32,768; validated: at most 16,384)"), std::string::npos);
    EXPECT_NE(toCsv(*curve).find(",outside_calibration"), std::string::npos);
    s.cluster.gpu.memoryGib = 1;
    const auto crowded = scaleCurve(evaluator, s, ScaleMode::weak, {32}, withSamples(100));
    ASSERT_TRUE(crowded.ok());
    EXPECT_TRUE(crowded->points[0].valid) << "its times are known all the same";
    EXPECT_NE(crowded->points[0].problem.find("of 1.0 GiB"), std::string::npos) << crowded->points[0].problem;
}

TEST(Scale, EfficiencyStartsAtTheFirstSizeThatFits)
{
    Evaluator evaluator;
    Scenario s = smallScenario();
    s.parallelism.zeroStage = 1; // more replicas share the optimizer's state
    const auto peak = [&s](std::int64_t gpus) {
        Scenario sized = s;
        sized.training.globalBatchSize = sized.training.globalBatchSize * gpus / sized.cluster.numGpus;
        sized.cluster.numGpus = gpus;
        return costStep(sized)->memory.peakGib;
    };
    ASSERT_GT(peak(32), 1.01 * peak(128));
    s.cluster.gpu.memoryGib = (peak(32) + peak(128)) / 2;
    const auto curve = scaleCurve(evaluator, s, ScaleMode::weak, {32, 128}, withSamples(100));
    ASSERT_TRUE(curve.ok());
    EXPECT_FALSE(curve->points[0].problem.empty());
    EXPECT_EQ(curve->points[0].efficiency, 0) << "nothing to compare it with";
    EXPECT_EQ(curve->points[1].efficiency, 1);
}

TEST(Scale, QuantilesFollowTheOrderStatisticOfTheReplicas)
{
    // The p-quantile of the slowest of D equal replicas is the p^(1/D)-quantile of one, plus what more replicas synchronise longer.
    Scenario s = smallScenario();
    s.parallelism.pipelineModelParallelSize = 1;
    s.parallelism.zeroStage = 0;
    s.model.numLayers = 4;
    s.cluster.numGpus = 8;
    s.training.globalBatchSize = 2;
    s.variability = {};
    s.variability.gemm = lognormal(0.3);
    Evaluator evaluator;
    const auto curve = scaleCurve(evaluator, s, ScaleMode::weak, {8, 64, 512}, withSamples(10'000));
    ASSERT_TRUE(curve.ok());
    SimOptions options;
    options.numSamples = 100'000;
    options.numWithinSamples = -1;
    const StepSamples one = simulate(costStep(s)->graph, options);
    std::vector<double> sorted = one.acrossSeconds;
    std::sort(sorted.begin(), sorted.end());
    for (const ScalePoint& p : curve->points) {
        ASSERT_TRUE(p.valid) << p.problem;
        const double longer = p.noiseFreeSeconds - one.noiseFreeSeconds, replicas = static_cast<double>(p.dataParallel);
        const double spread = p.step.p95 - p.step.p5;
        EXPECT_NEAR(p.step.p50, quantileOfSorted(sorted, std::pow(0.5, 1 / replicas)) + longer, 2 * p.step.ciP50 + 0.02 * spread) << p.gpus;
        EXPECT_NEAR(p.step.p95, quantileOfSorted(sorted, std::pow(0.95, 1 / replicas)) + longer, 2 * p.step.ciP95 + 0.05 * spread)
            << p.gpus;
    }
    EXPECT_GT(curve->points[2].step.p50 - curve->points[2].noiseFreeSeconds, curve->points[0].step.p50 - curve->points[0].noiseFreeSeconds);
}

/// TP 8, two replicas, four stages: node 5 is replica 1 of stage 2, which is node 2 of one replica and node 9 of four.
TEST(Scale, ASlowPlaceKeepsItsStageAndItsReplica)
{
    const auto p50 = [](const Scenario& s, std::int64_t gpus) {
        Evaluator evaluator;
        return scaleCurve(evaluator, s, ScaleMode::weak, {gpus}, withSamples(100))->points.at(0).step.p50;
    };
    const auto with = [](std::int64_t gpus, const SlowEntry& slow, std::vector<int> order = {}) {
        Scenario s = smallScenario();
        s.cluster.numGpus = gpus;
        s.training.globalBatchSize = s.training.globalBatchSize * gpus / 64;
        s.variability.slow = {slow};
        s.measured.nodeOrder = std::move(order);
        return s;
    };
    const auto node = [](int n) { return SlowEntry{.node = n, .computeFactor = 1.5}; };
    const auto rank = [](int r) { return SlowEntry{.rank = r, .computeFactor = 1.5}; };
    EXPECT_EQ(p50(with(64, node(5)), 32), p50(with(32, node(2)), 32));
    EXPECT_EQ(p50(with(64, node(5)), 128), p50(with(128, node(9)), 128));
    EXPECT_NE(p50(with(64, node(5)), 128), p50(with(128, node(8)), 128)) << "another replica";
    EXPECT_EQ(p50(with(64, rank(45)), 128), p50(with(128, rank(72)), 128)); // the first rank of its cell
    EXPECT_EQ(p50(with(64, node(5), {5, 1, 2, 3, 4, 0, 6, 7}), 128), p50(with(128, node(0)), 128)) << "in the place of node 0";
}

TEST(Scale, SlowPlacesAreCarriedToEverySize)
{
    Evaluator evaluator;
    const Scenario s = smallScenario(); // two replicas on 64 GPUs
    Scenario slow = s;
    slow.variability.slow.push_back({.node = 5, .computeFactor = 1.5});
    const auto without = scaleCurve(evaluator, s, ScaleMode::weak, {32, 64, 128}, withSamples(500));
    const auto with = scaleCurve(evaluator, slow, ScaleMode::weak, {32, 64, 128}, withSamples(500));
    ASSERT_TRUE(without.ok());
    ASSERT_TRUE(with.ok());
    for (std::size_t i = 0; i < 3; ++i) // a node at two thirds of its speed lengthens the step at every size
        EXPECT_GT(with->points[i].step.p50, 1.1 * without->points[i].step.p50) << with->points[i].gpus;
}
