// SPDX-License-Identifier: GPL-3.0-or-later
// The headline ratio of each insight on an example whose answer follows on paper: steps that do not vary, or two classes with closed forms.
#include "core/insight/compare/compare.h"
#include "core/insight/follow/whatif.h"
#include "core/insight/guarantee/guarantee.h"
#include "core/insight/paired.h"
#include "core/insight/placement/placement.h"
#include "core/insight/scale/scale.h"

#include "core/cost/predictor.h"
#include "core/insight/scenarios.h"
#include "core/scenario/parameternames.h"
#include "core/scenario/parameters.h"
#include "core/sim/graphs.h"
#include "core/stats/moments.h"
#include "core/step/deterministicstep.h"

#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <array>
#include <cmath>

using namespace prism;
using namespace prism::testscenarios;

namespace {

constexpr double kExact = 3e-6; ///< relative: steps are swept in single precision

/// The small scenario without any spread: each step takes its noise-free time.
Scenario noiseFreeScenario()
{
    Scenario s = smallScenario();
    s.variability = {};
    return s;
}

double stepSeconds(const Scenario& s)
{
    return deterministicStepSeconds(costStep(s)->graph);
}

void expectClose(double value, double expected, const char* what)
{
    EXPECT_NEAR(value, expected, kExact * std::abs(expected)) << what;
}

const ComparedMetric& metric(const Comparison& c, std::string_view name)
{
    for (const ComparedMetric& f : c.metrics)
        if (f.name == name)
            return f;
    ADD_FAILURE() << name;
    return c.metrics.front();
}

} // namespace

TEST(Headline, TheWorstPlaceIsComparedWithTheBestPlaceAndNotWithNoSlowNode)
{
    // Two stages in a row, one micro-batch: stage 0 takes 1 + 2 s, stage 1 three times that, one step 12 s. A node of half the speed on
    // stage 0 makes it 15 s, on stage 1 21 s.
    StepGraph g = test::jobGraph({.stages = 2, .microbatches = 1});
    for (std::size_t p = 0; p < 2; ++p) {
        g.programs.push_back(g.programs[p]);
        for (Op& op : g.programs.back().blocks[0].ops)
            op.meanSeconds *= 3;
        g.programOf[1][0][p] = static_cast<int>(p + 2);
    }
    Evaluator evaluator;
    const auto map = placementMap(evaluator, g, {2.0, 1.0}, withSamples(100));
    ASSERT_TRUE(map.ok());
    expectClose(map->base.p95, 12, "no slow node");
    expectClose(map->at(0, 0).p95Seconds, 15, "stage 0");
    expectClose(map->at(0, 1).p95Ratio.value, 21.0 / 12, "stage 1 over no slow node");
    expectClose(map->worstOverBest.value, 21.0 / 15 - 1, "worst over best");
    EXPECT_EQ(map->bestColumn, 0);
    EXPECT_EQ(map->worstColumn, 1);
    EXPECT_FALSE(map->withinNoise);
}

TEST(Headline, TheLimitOfASensitivityIsTheGivenOne)
{
    // 2 x 30 kernels: the step is close to normal. P(step > limit) and the effect of removing one spread are known in closed form.
    const double a = 3e-3, ca = 0.1, b = 1e-3, cb = 0.2, n = 30;
    const double mean = n * (a + b), std = std::sqrt(n * (a * a * ca * ca + b * b * cb * cb)), limit = mean + std;
    const auto exceeds = [&](double sigma) { return cdf(complement(boost::math::normal(mean, sigma), limit)); };
    InsightOptions options = withSamples(8'000);
    options.limitSeconds = limit;
    Evaluator evaluator;
    const auto table = sensitivity(evaluator, serialGraph(a, ca, b, cb, 30), options);
    ASSERT_TRUE(table.ok());
    EXPECT_EQ(table->limitSeconds, limit);
    const double error = 4 * std::sqrt(0.16 * 0.84 / 8'000) + 0.01; // of sampling, and of the skewness of sums of 30
    EXPECT_NEAR(table->exceedance.value, exceeds(std), error);
    for (const SensitivityRow& row : table->rows) {
        if (row.id != "a" && row.id != "b")
            continue;
        const auto changed = [&](double factor) {
            const double other = row.id == "a" ? b * cb : a * ca, own = row.id == "a" ? a * ca : b * cb;
            return exceeds(std::sqrt(n * (other * other + factor * factor * own * own))) - exceeds(std);
        };
        EXPECT_NEAR(row.spreadRemoved.exceedance.value, changed(0), error) << row.id;
        EXPECT_NEAR(row.spreadHalved.exceedance.value, changed(0.5), error) << row.id;
        EXPECT_NEAR(row.spreadDoubled.exceedance.value, changed(2), error) << row.id;
    }
    const auto sweep = sweepParameter(evaluator, noiseFreeScenario(), "training.global_batch_size", {"8", "32"},
                                      {.samples = 10, .limitSeconds = 1.5 * stepSeconds(noiseFreeScenario())});
    ASSERT_TRUE(sweep.ok());
    EXPECT_EQ(sweep->points[0].change.exceedance.value, 0); // below the limit as before
    EXPECT_EQ(sweep->points[1].change.exceedance.value, 1); // twice the micro-batches exceed one and a half of the step
}

TEST(Headline, ScalingFollowsFromTheStepsOfBothSizes)
{
    Scenario s = noiseFreeScenario(); // 64 GPUs, two replicas
    s.cluster.gpuHourPriceUsd = 3;
    for (const ScaleMode mode : {ScaleMode::weak, ScaleMode::strong}) {
        Evaluator evaluator;
        const auto curve = scaleCurve(evaluator, s, mode, {32, 128}, withSamples(10));
        ASSERT_TRUE(curve.ok());
        double first = 0;
        for (const ScalePoint& p : curve->points) {
            Scenario size = s;
            size.cluster.numGpus = p.gpus;
            size.training.globalBatchSize = mode == ScaleMode::weak ? 16 * p.gpus / 64 : 16;
            const double tokens = static_cast<double>(size.training.globalBatchSize * s.model.seqLength), seconds = stepSeconds(size);
            EXPECT_EQ(p.globalBatch, size.training.globalBatchSize);
            EXPECT_EQ(p.dataParallel, p.gpus / 32);
            expectClose(p.step.p50, seconds, "step");
            expectClose(p.tokensPerSecond, tokens / seconds, "tokens/s");
            expectClose(p.daysToTrain, 1e9 / tokens * seconds / 86'400, "days");
            expectClose(p.costUsd, p.daysToTrain * 24 * static_cast<double>(p.gpus) * 3, "cost");
            expectClose(p.costPerBillionTokensUsd, p.costUsd, "of a billion tokens, as many as are trained");
            const double perGpu = tokens / seconds / static_cast<double>(p.gpus);
            first = first > 0 ? first : perGpu;
            expectClose(p.efficiency, perGpu / first, "efficiency");
        }
    }
}

TEST(Headline, AComparisonIsTheDifferenceOfBothStepsAndItsBarsAreShapleyShares)
{
    const Scenario a = noiseFreeScenario();
    Scenario batch = a, links = a, b = a;
    batch.training.globalBatchSize = b.training.globalBatchSize = 32;
    links.cluster.intraNodeGbPerS = b.cluster.intraNodeGbPerS = 150;
    const double ta = stepSeconds(a), tb = stepSeconds(b), tBatch = stepSeconds(batch), tLinks = stepSeconds(links);
    Evaluator evaluator;
    const auto c = compare(evaluator, a, b, withSamples(10));
    ASSERT_TRUE(c.ok());
    expectClose(metric(*c, "p95").a, ta, "a");
    expectClose(metric(*c, "p95").b, tb, "b");
    expectClose(metric(*c, "p95").delta.value, tb - ta, "delta");
    expectClose(metric(*c, "p95").relative.value, tb / ta - 1, "relative");
    EXPECT_EQ(c->probabilityABetter.value, 1);
    EXPECT_EQ(c->ksDistance, 1);
    expectClose(c->wassersteinSeconds, tb - ta, "distance");
    for (const WaterfallItem& w : c->waterfall)
        if (w.parameter == "training.global_batch_size")
            EXPECT_NEAR(w.deltaP95.value, ((tBatch - ta) + (tb - tLinks)) / 2, kExact * ta);
        else if (w.parameter == "cluster.intra_node_gb_per_s")
            EXPECT_NEAR(w.deltaP95.value, ((tLinks - ta) + (tb - tBatch)) / 2, kExact * ta);
        else
            EXPECT_NEAR(w.deltaP95.value, 0, kExact * ta) << w.parameter;
}

TEST(Headline, WithoutSpreadAGuaranteeIsCertain)
{
    const Scenario s = noiseFreeScenario();
    const double step = stepSeconds(s), days = 1e9 / static_cast<double>(16 * s.model.seqLength) * step / 86'400;
    Evaluator evaluator;
    for (const double share : {0.999, 1.001}) {
        const auto g = guarantee(evaluator, s, {.limitsSeconds = {share * step}, .probabilities = {0.5}}, withSamples(100));
        ASSERT_TRUE(g.ok());
        EXPECT_EQ(g->exceedances[0].acrossProbability.value, share < 1 ? 1 : 0);
        expectClose(g->limits[0].acrossSeconds.value, step, "limit");
        // The number of steps is whole.
        EXPECT_NEAR(g->training.p50Days, days, 1e-4 * days);
    }
}

TEST(Headline, ASlowNodeThatIsRepairedGivesBackWhatItCost)
{
    const Scenario s = noiseFreeScenario();
    Scenario slow = s;
    slow.variability.slow = {{2, -1, 1.5, 1}};
    Evaluator evaluator;
    const auto report = slowNodes(evaluator, s, slow.variability.slow, withSamples(10));
    ASSERT_TRUE(report.ok());
    expectClose(report->total.p95.value, stepSeconds(slow) - stepSeconds(s), "total");
    expectClose(report->rows[0].repaired.p95.value, stepSeconds(s) - stepSeconds(slow), "repaired");
    EXPECT_GT(report->total.p95.value, 0.1 * stepSeconds(s));
}

TEST(Headline, SlowPlacesAreCarriedToTheSameStageOfOtherSizes)
{
    // Stage 3 has the output layer: a slow node there is worse than one elsewhere. Positions of 64 GPUs: stage p / 2, replica p % 2.
    Scenario s = noiseFreeScenario();
    s.cluster.gpuHourPriceUsd = 3;
    const auto p50 = [](const Scenario& scenario, std::int64_t gpus) {
        Evaluator evaluator;
        const auto curve = scaleCurve(evaluator, scenario, ScaleMode::weak, {gpus}, withSamples(10));
        return curve.ok() && curve->points[0].valid ? curve->points[0].step.p50 : 0.0;
    };
    const auto expected = [&](std::int64_t gpus, std::vector<SlowEntry> slow) {
        Scenario size = s;
        size.cluster.numGpus = gpus;
        size.training.globalBatchSize = 16 * gpus / 64;
        size.variability.slow = std::move(slow);
        return stepSeconds(size);
    };
    Scenario node = s, rank = s, both = s, moved = s;
    node.variability.slow = {{7, -1, 1.5, 1}};
    expectClose(p50(node, 32), expected(32, {{3, -1, 1.5, 1}}), "one replica: stage 3 is position 3");
    expectClose(p50(node, 128), expected(128, {{13, -1, 1.5, 1}}), "four replicas: stage 3 of replica 1 is position 13");
    EXPECT_GT(expected(32, {{3, -1, 1.5, 1}}), 1.001 * expected(32, {{2, -1, 1.5, 1}}));
    rank.variability.slow = {{-1, 8 * 7 + 5, 1.5, 1}};
    expectClose(p50(rank, 128), expected(128, {{-1, 8 * 13, 1.5, 1}}), "a rank stays a rank");
    both.variability.slow = {{6, -1, 1.5, 1}, {7, -1, 1.5, 1}};
    expectClose(p50(both, 32), expected(32, {{3, -1, 1.5, 1}}), "two that fall together are one");
    moved.variability.slow = {{0, -1, 1.5, 1}};
    moved.measured.nodeOrder = {7, 6, 5, 4, 3, 2, 1, 0}; // node 0 is at position 7
    expectClose(p50(moved, 32), expected(32, {{3, -1, 1.5, 1}}), "the position counts");
}

TEST(Headline, ScalesHaveLimitsAndAWidthOfTheirUtilisation)
{
    const Scenario s = noiseFreeScenario();
    Evaluator evaluator;
    const auto ok = [&](std::vector<std::int64_t> gpus) { return scaleCurve(evaluator, s, ScaleMode::strong, gpus, withSamples(10)).ok(); };
    EXPECT_FALSE(ok({}));
    EXPECT_FALSE(ok({0}));
    EXPECT_FALSE(ok({4'194'305}));
    EXPECT_TRUE(ok({1, 4'194'304})); // neither is possible with this layout: points with the reason
    EXPECT_TRUE(ok(std::vector<std::int64_t>(100, 1)));
    EXPECT_FALSE(ok(std::vector<std::int64_t>(101, 1)));
    EXPECT_EQ(defaultScale(s), (std::vector<std::int64_t>{64, 128, 256, 512, 1'024, 2'048, 4'096, 8'192, 16'384, 32'768, 65'536}));
    Scenario other = s;
    other.cluster.numGpus = 96;
    EXPECT_EQ(defaultScale(other)[1], 96);
    other.cluster.numGpus = 131'072;
    EXPECT_EQ(defaultScale(other).back(), 131'072);
    other.cluster.numGpus = 100; // no whole number of replicas
    EXPECT_EQ(defaultScale(other), defaultScale(s));
    other.parallelism.pipelineModelParallelSize = 3; // 24 a replica: 96 is the first with 64
    EXPECT_EQ(defaultScale(other)[0], 96);
    const Scenario noisy = smallScenario();
    const auto curve = scaleCurve(evaluator, noisy, ScaleMode::weak, {64}, withSamples(100));
    const SnapshotPtr snapshot = evaluator.evaluate(noisy, evaluateOptions({}, 100));
    EXPECT_DOUBLE_EQ(curve->points[0].mfu.value, snapshot->mfu);
    EXPECT_DOUBLE_EQ(curve->points[0].mfu.halfWidth, snapshot->mfu * snapshot->across.ciP50 / snapshot->across.p50);
    EXPECT_EQ(curve->points[0].tflopsPerGpu, snapshot->tflopsPerGpu);
    EXPECT_EQ(curve->samples, 100);
    EXPECT_GT(curve->elapsedSeconds, 0);
    EXPECT_EQ(curve->points[0].noiseFreeSeconds, snapshot->samples->noiseFreeSeconds);
}

TEST(Headline, AComparisonHasChangesRatiosAndIntervals)
{
    Scenario a = smallScenario(), b = a;
    a.cluster.gpuHourPriceUsd = b.cluster.gpuHourPriceUsd = 2;
    b.cluster.interNodeGbPerS = 25;
    Evaluator evaluator;
    const auto c = compare(evaluator, a, b, withSamples(200));
    ASSERT_TRUE(c.ok());
    const SnapshotPtr x = evaluator.evaluate(a, evaluateOptions({}, 200)), y = evaluator.evaluate(b, evaluateOptions({}, 200));
    const MetricChange change = pairedChange(PairedSample(x->samples), PairedSample(y->samples));
    const auto expect = [&](std::string_view name, double before, double after, double halfWidth, double own) {
        const ComparedMetric& f = metric(*c, name);
        EXPECT_EQ(f.a, before) << name;
        EXPECT_EQ(f.b, after) << name;
        EXPECT_NEAR(f.delta.value, after - before, 1e-12 * std::abs(after)) << name;
        EXPECT_NEAR(f.delta.halfWidth, halfWidth, 1e-9 * halfWidth) << name;
        EXPECT_NEAR(f.relative.value, after / before - 1, 1e-9) << name;
        EXPECT_NEAR(f.relative.halfWidth, halfWidth / before, 1e-9 * halfWidth / before) << name;
        EXPECT_NEAR(f.ownHalfWidth, own, 1e-9 * own) << name;
    };
    const DistributionSummary &p = x->across, &q = y->across;
    expect("mean", p.mean, q.mean, change.mean.halfWidth, std::max(p.ciMean, q.ciMean));
    expect("std", p.std, q.std, change.std.halfWidth, std::max(p.ciMean, q.ciMean));
    expect("p50", p.p50, q.p50, change.p50.halfWidth, std::max(p.ciP50, q.ciP50));
    expect("p95", p.p95, q.p95, change.p95.halfWidth, std::max(p.ciP95, q.ciP95));
    expect("p99", p.p99, q.p99, change.p99.halfWidth, std::max(p.ciP99, q.ciP99));
    expect("noise_free", x->samples->noiseFreeSeconds, y->samples->noiseFreeSeconds, 0, 0);
    const double relative = change.p50.halfWidth / p.p50, own = std::max(p.ciP50 / p.p50, q.ciP50 / q.p50);
    for (const auto& [name, of] : {std::pair{"tokens_per_s", &Snapshot::tokensPerSecond},
                                   {"tflops_per_gpu", &Snapshot::tflopsPerGpu},
                                   {"mfu", &Snapshot::mfu},
                                   {"days_to_train", &Snapshot::daysToTrain},
                                   {"cost_usd", &Snapshot::costUsd}})
        expect(name, (*x).*of, (*y).*of, relative * (*y).*of, own * std::max((*x).*of, (*y).*of));
    expect("peak_memory_gib", x->costed->memory.peakGib, y->costed->memory.peakGib, 0, 0);
    EXPECT_TRUE(metric(*c, "cost_usd").lowerIsBetter);
    EXPECT_FALSE(metric(*c, "mfu").lowerIsBetter);
    EXPECT_EQ(c->waterfallOrders, 1);
    EXPECT_GT(c->elapsedSeconds, 0);
    // One edit is the whole change, with its interval.
    EXPECT_NEAR(c->waterfall[0].deltaP95.value, change.p95.value, 1e-12);
    EXPECT_NEAR(c->waterfall[0].deltaP95.halfWidth, change.p95.halfWidth, 1e-12);
    EXPECT_NEAR(c->waterfall[1].deltaP95.halfWidth, change.p95.halfWidth, 1e-12);
    // Free jobs without tokens have neither days nor costs.
    a.training.trainTokens = b.training.trainTokens = 0;
    const auto unpriced = compare(evaluator, a, b, withSamples(10));
    EXPECT_EQ(unpriced->metrics.size(), 10U);
}

TEST(Headline, SweepsHaveTheElasticityOfTheirEnds)
{
    const Scenario s = noiseFreeScenario();
    const auto at = [&](std::int64_t batch) {
        Scenario size = s;
        size.training.globalBatchSize = batch;
        return stepSeconds(size);
    };
    Evaluator evaluator;
    const auto sweep = sweepParameter(evaluator, s, "training.global_batch_size", {"32", "8", "64", "15"}, withSamples(10));
    ASSERT_TRUE(sweep.ok());
    EXPECT_NEAR(sweep->elasticityP95.value, std::log(at(64) / at(8)) / std::log(8.0), 1e-5);
    EXPECT_NEAR(sweep->elasticityP95.halfWidth, 0, 1e-6);
    EXPECT_FALSE(sweep->points[3].valid);
    EXPECT_EQ(sweep->points[0].value, 32);
    expectClose(sweep->points[0].change.p95.value, at(32) - at(16), "change");
    EXPECT_NEAR(sweep->limitSeconds, at(16), 1e-5 * at(16));
    EXPECT_EQ(sweep->points[1].change.exceedance.value, 0);
    EXPECT_EQ(sweep->points[2].change.exceedance.value, 1);
    EXPECT_EQ(sweep->samples, 10);
    EXPECT_FALSE(sweep->nonMonotonic) << "in the order of the values it only rises";
    const SnapshotPtr point = evaluator.evaluate(
        [&] {
            Scenario size = s;
            size.training.globalBatchSize = 32;
            return size;
        }(),
        evaluateOptions({}, 10));
    EXPECT_EQ(sweep->points[0].mfu, point->mfu);
    EXPECT_EQ(sweep->points[0].peakMemoryGib, point->costed->memory.peakGib);
    EXPECT_EQ(sweep->points[0].memoryFits, point->costed->memory.fits);
    const auto choice = sweepParameter(evaluator, s, "parallelism.pipeline_schedule", {"gpipe", "1f1b"}, withSamples(10));
    ASSERT_TRUE(choice.ok());
    EXPECT_EQ(choice->elasticityP95.value, 0) << "no number";
    const auto& choices = parameterByName("parallelism.pipeline_schedule")->choices;
    EXPECT_EQ(choices.at(static_cast<std::size_t>(choice->points[1].value)), "1f1b");
    EXPECT_EQ(sweepParameter(evaluator, s, "training.global_batch_size", {"16", "16"}, withSamples(10))->elasticityP95.value, 0);
}

TEST(Headline, SweptValuesAreSpacedEvenlyOrByRatio)
{
    using List = std::vector<std::string>;
    EXPECT_EQ(*sweepValues("cluster.inter_node_gb_per_s", "10:40:4"), (List{"10", "20", "30", "40"}));
    EXPECT_EQ(*sweepValues("cluster.inter_node_gb_per_s", "10:80:4:log"), (List{"10", "20", "40", "80"}));
    EXPECT_EQ(*sweepValues("training.micro_batch_size", "1:4:3"), (List{"1", "3", "4"})); // 2.5 is rounded up
    EXPECT_EQ(*sweepValues("cluster.inter_node_gb_per_s", "1:2:2"), (List{"1", "2"}));
    EXPECT_EQ(sweepValues("cluster.inter_node_gb_per_s", "1:1000:1000")->size(), 1'000U);
    EXPECT_FALSE(sweepValues("cluster.inter_node_gb_per_s", "1:1000:1001").ok());
    EXPECT_FALSE(sweepValues("cluster.inter_node_gb_per_s", "1:0:3:log").ok());
    Evaluator evaluator;
    EXPECT_FALSE(sweepParameter(evaluator, smallScenario(), "training.micro_batch_size", List(1'001, "1"), withSamples(10)).ok());
    EXPECT_FALSE(sweepParameter(evaluator, smallScenario(), "training.micro_batch_size", {}, withSamples(10)).ok());
}

TEST(Headline, WhatIfsFindTheFactorThatMakesTheStepThatLong)
{
    const Scenario s = noiseFreeScenario();
    const auto answers = WhatIfs(s).reaching(1.1);
    ASSERT_TRUE(answers.ok());
    ASSERT_EQ(answers->size(), 4U);
    const auto changed = [&](const LikelyCause& c, double factor) {
        Scenario x = s;
        if (c.id == "node_compute")
            x.variability.slow.push_back({0, -1, factor, 1});
        else if (c.id == "node_link")
            x.variability.slow.push_back({0, -1, 1, factor});
        else
            (c.id == "network" ? x.measured.networkLevel : x.measured.computeLevel) *= factor;
        return stepSeconds(x) / stepSeconds(s);
    };
    EXPECT_EQ(answers->front().id, "node_compute") << "single places before all at once";
    for (std::size_t i = 0; i < 4; ++i) {
        const LikelyCause& c = answers.value()[i];
        EXPECT_NEAR(c.ratio, changed(c, c.factor), 1e-9) << c.id;
        if (c.reaches) {
            EXPECT_GE(c.ratio, 1.1) << c.id;
            EXPECT_LT(changed(c, c.factor - 2e-3), 1.1) << c.id;
        } else {
            EXPECT_EQ(c.factor, kMaxFactor) << c.id;
            EXPECT_LT(c.ratio, 1.1 * 0.995) << c.id;
        }
        EXPECT_NE(c.text.find(fmt::format("{:.2f}x slower", c.factor)), std::string::npos) << c.text;
        EXPECT_LE(i > 0 && c.reaches ? 1 : 0, answers.value()[i > 0 ? i - 1 : 0].reaches ? 1 : 0) << "those that reach come first";
    }
}

TEST(Headline, AnAdvisedOrderGivesWhatItsStepsDiffer)
{
    Scenario s = noiseFreeScenario();
    s.variability.slow = {{3, -1, 1.4, 1}, {6, -1, 1.3, 1}};
    Evaluator evaluator;
    const auto r = searchPlacement(evaluator, s, withSamples(10));
    ASSERT_TRUE(r.ok());
    const auto at = [&](const std::vector<int>& order) {
        Scenario placed = s;
        placed.measured.nodeOrder = order;
        return stepSeconds(placed);
    };
    const double given = at(r->givenOrder), best = at(r->bestOrder), worst = at(r->worstOrder);
    expectClose(r->given.p95, given, "given");
    expectClose(r->best.p95, best, "best");
    expectClose(r->worst.p95, worst, "worst");
    EXPECT_LT(best, 0.99 * given);
    EXPECT_NEAR(r->gainOverGiven.value, 1 - best / given, 1e-5);
    EXPECT_NEAR(r->gainOverWorst.value, 1 - best / worst, 1e-5);
    EXPECT_FALSE(r->withinNoise);
    EXPECT_EQ(r->movedNodes, static_cast<int>(r->moves.size()));
    EXPECT_FALSE(r->exhaustive) << "eight nodes";
    EXPECT_GT(r->elapsedSeconds, 0);
    std::size_t moved = 0;
    for (std::size_t p = 0; p < 8; ++p)
        moved += r->givenOrder[p] != r->bestOrder[p] ? 1 : 0;
    EXPECT_EQ(r->moves.size(), moved);
    for (const NodeMove& m : r->moves) { // positions: stage p / 2, replica p % 2
        EXPECT_EQ(r->givenOrder[static_cast<std::size_t>(m.fromPosition)], m.node);
        EXPECT_EQ(r->bestOrder[static_cast<std::size_t>(m.toPosition)], m.node);
        EXPECT_EQ((std::array{m.fromReplica, m.fromStage, m.toReplica, m.toStage}),
                  (std::array{m.fromPosition % 2, m.fromPosition / 2, m.toPosition % 2, m.toPosition / 2}));
        EXPECT_EQ(m.slowness, m.node == 3 ? 1.4 : m.node == 6 ? 1.3 : 1.0);
    }
    ASSERT_FALSE(r->exchanges.empty());
    for (const ExchangeGain& e : r->exchanges) {
        expectClose(e.p95Seconds, at(e.order), "exchange");
        EXPECT_NEAR(e.gain.value, 1 - at(e.order) / given, 1e-5);
    }
}

TEST(Headline, SlowNodesAreRepairedOneByOneUpToALimit)
{
    const Scenario s = noiseFreeScenario();
    const std::vector<SlowEntry> slow{{3, -1, 1.4, 1}, {-1, 24 + 3, 1.1, 1.0}};
    const auto with = [&](std::vector<SlowEntry> entries) {
        Scenario x = s;
        x.variability.slow = std::move(entries);
        return stepSeconds(x);
    };
    Evaluator evaluator;
    const auto r = slowNodes(evaluator, s, slow, withSamples(10));
    ASSERT_TRUE(r.ok());
    expectClose(r->withAll.p95, with(slow), "all");
    expectClose(r->withoutAny.p95, with({}), "none");
    EXPECT_NEAR(r->rows[0].repaired.p95.value, with({slow[1]}) - with(slow), 1e-5);
    EXPECT_NEAR(r->rows[1].repaired.p95.value, with({slow[0]}) - with(slow), 1e-5);
    EXPECT_EQ(r->rows[0].label, "node 3");
    EXPECT_EQ(r->rows[1].label, "rank 27");
    EXPECT_FALSE(slowNodes(evaluator, s, {}, withSamples(10)).ok());
    EXPECT_FALSE(slowNodes(evaluator, s, std::vector<SlowEntry>(1'001, slow[0]), withSamples(10)).ok());
    EXPECT_EQ(hostfile({2, 0}, {"a", "b"}, 4, HostfileFormat::mpi), "node2 slots=4\na slots=4\n");
}

TEST(Headline, EveryReplicaHasARowOfThePlacementMap)
{
    // One stage of one rank and six replicas of measured speed: quarters by their slowness 1.0 to 1.5, each shown by its middle one.
    StepGraph g = test::jobGraph({.replicas = 6});
    g.fixedSpatial = {1.5, 1.0, 1.3, 1.1, 1.4, 1.2}; // slowest last: 1, 3, 5, 2, 4, 0
    Evaluator evaluator;
    const auto quarters = placementMap(evaluator, g, {2.0, 1.0}, withSamples(10));
    ASSERT_TRUE(quarters.ok());
    EXPECT_EQ(quarters->rowReplicas, (std::vector<int>{1, 2, 1, 2}));
    EXPECT_EQ(quarters->rowFirstReplica, (std::vector<int>{1, 5, 2, 0}));
    EXPECT_EQ(quarters->rowOfReplica, (std::vector<int>{3, 0, 2, 1, 3, 1}));
    EXPECT_EQ(quarters->rowLabels, (std::vector<std::string>{"replica 1", "2 replicas like 5", "replica 2", "2 replicas like 0"}));
    expectClose(quarters->base.p50, 3 * 1.5, "the slowest replica");
    const double seconds[] = {3 * 2.0, 3 * 2.4, 3 * 2.6, 3 * 3.0};
    for (int row = 0; row < 4; ++row) {
        const PlacementCell& cell = quarters->at(row, 0);
        expectClose(cell.p50Seconds, seconds[row], "p50");
        expectClose(cell.p95Seconds, seconds[row], "p95");
        expectClose(cell.p99Seconds, seconds[row], "p99");
        expectClose(cell.p50Ratio.value, seconds[row] / 4.5, "p50");
        expectClose(cell.p95Ratio.value, seconds[row] / 4.5, "p95");
        expectClose(cell.p99Ratio.value, seconds[row] / 4.5, "p99");
    }
    EXPECT_EQ((std::array{quarters->bestRow, quarters->worstRow, quarters->bestColumn, quarters->worstColumn}), (std::array{0, 3, 0, 0}));
    expectClose(quarters->worstOverBest.value, 0.5, "worst over best");
    // Nine of ten replicas are named by a slow spot: seven rows, one row for the others; two have none.
    StepGraph named = test::jobGraph({.replicas = 10});
    for (int r = 1; r < 10; ++r)
        named.slow.push_back({r, -1, -1, 1.1, 1});
    const auto rows = placementMap(evaluator, named, {2.0, 1.0}, withSamples(10));
    ASSERT_TRUE(rows.ok());
    EXPECT_EQ(rows->rowFirstReplica, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(rows->rowOfReplica, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, -1, -1}));
    EXPECT_TRUE(placementMap(evaluator, named, {100.0, 1.0}, withSamples(10)).ok());
    EXPECT_FALSE(placementMap(evaluator, named, {100.1, 1.0}, withSamples(10)).ok());
    EXPECT_FALSE(placementMap(evaluator, named, {1.0, 0.99}, withSamples(10)).ok());
    // From a scenario each cell names its node: stage p / 2 of replica p % 2 is at position p.
    Scenario s = noiseFreeScenario();
    s.measured.nodeOrder = {7, 6, 5, 4, 3, 2, 1, 0};
    const auto nodes = placementMap(evaluator, s, {1.5, 1.0}, withSamples(10));
    ASSERT_TRUE(nodes.ok());
    for (int stage = 0; stage < 4; ++stage) {
        EXPECT_EQ(nodes->at(0, stage).node, 7 - 2 * stage);
        Scenario slow = s;
        slow.variability.slow = {{7 - 2 * stage, -1, 1.5, 1}};
        expectClose(nodes->at(0, stage).p95Seconds, stepSeconds(slow), "a node on a stage");
    }
    EXPECT_EQ(nodes->probeRanks, 0);
    s.cluster.gpusPerNode = 4; // two nodes a cell
    s.measured.nodeOrder.clear();
    s.parallelism.tensorModelParallelSize = 4;
    s.parallelism.contextParallelSize = 2;
    const auto half = placementMap(evaluator, s, {1.5, 1.0}, withSamples(10));
    ASSERT_TRUE(half.ok());
    EXPECT_EQ(half->probeRanks, 4);
}

TEST(Headline, AGuaranteeRejectsInvalidQuestions)
{
    Evaluator evaluator;
    const Scenario s = noiseFreeScenario();
    const auto ok = [&](const GuaranteeQuery& query) { return guarantee(evaluator, s, query, withSamples(100)).ok(); };
    EXPECT_TRUE(ok({.limitsSeconds = {0}}));
    EXPECT_FALSE(ok({.limitsSeconds = {-1e-9}}));
    EXPECT_FALSE(ok({.probabilities = {0}}));
    EXPECT_FALSE(ok({.probabilities = {1}}));
    EXPECT_FALSE(ok({.trainTokens = -1}));
    EXPECT_FALSE(ok({.trend = 1}));
    EXPECT_FALSE(ok({.trend = -1}));
    EXPECT_TRUE(
        ok({.limitsSeconds = std::vector<double>(5'000, 1), .probabilities = std::vector<double>(5'000, 0.5), .asPredicted = true}));
    EXPECT_FALSE(ok({.limitsSeconds = std::vector<double>(5'001, 1), .probabilities = std::vector<double>(5'000, 0.5)}));
    // Ten samples beyond a limit resolve it.
    const auto g =
        guarantee(evaluator, s, {.limitsSeconds = {1e9, 1e-9}, .probabilities = {0.1, 0.099}, .trainTokens = 2e9}, withSamples(100));
    ASSERT_TRUE(g.ok());
    EXPECT_TRUE(g->limits[0].resolved);
    EXPECT_FALSE(g->limits[1].resolved);
    EXPECT_FALSE(g->exceedances[0].resolved);
    EXPECT_TRUE(g->exceedances[1].resolved);
    EXPECT_EQ(g->training.tokens, 2e9) << "that of the question; the scenario has 1e9";
    EXPECT_EQ(g->training.steps, std::ceil(2e9 / static_cast<double>(16 * s.model.seqLength)));
    EXPECT_EQ(g->samples, 100);
    EXPECT_GT(g->elapsedSeconds, 0);
    Scenario untrained = s;
    untrained.training.trainTokens = 0;
    EXPECT_FALSE(guarantee(evaluator, untrained, {}, withSamples(100))->hasTraining);
}

TEST(Headline, JobsOfARunDifferByWhatPersists)
{
    Scenario s = noiseFreeScenario();
    s.variability.spatial = lognormal(0.05);
    s.variability.spatialSensitivity = smallScenario().variability.spatialSensitivity;
    s.variability.interRegime = lognormal(0.3);
    Evaluator evaluator;
    const auto g = guarantee(evaluator, s, {.trainTokens = 1e9}, withSamples(1'000));
    ASSERT_TRUE(g.ok());
    Scenario persistent = s;
    persistent.variability.interRegime = {};
    SimOptions sim;
    sim.numSamples = 1'000;
    sim.numWithinSamples = -1;
    const auto spatial = evaluator.samples(costStep(persistent)->graph, sim);
    EXPECT_NEAR(g->training.stdJobDays, g->training.steps * std::sqrt(varianceOf(spatial->acrossSeconds)) / 86'400,
                1e-6 * g->training.stdJobDays);
    EXPECT_NEAR(g->training.stdStepsDays,
                std::sqrt(g->training.steps * g->within.std * g->within.std * g->training.steps / g->training.effectiveIndependentSteps)
                    / 86'400,
                1e-6 * g->training.stdStepsDays);
    EXPECT_NEAR(g->training.meanDays, g->training.steps * g->across.mean / 86'400, 1e-3 * g->training.meanDays);
    const double share = (g->training.p50.halfWidth * 86'400 / g->training.steps) / g->across.ciMean;
    EXPECT_GE(share, 1);
    // JSON has the same values.
    const auto json = nlohmann::json::parse(toJson(*g));
    EXPECT_EQ(json["training"]["steps"], g->training.steps);
    EXPECT_EQ(json["training"]["p99_days"], g->training.p99Days);
    EXPECT_FALSE(json["training"].contains("deadline_days"));
    Guarantee due = *g;
    due.deadlineDays = 3;
    due.deadlineProbability = {0.25, 0.01};
    const auto dueJson = nlohmann::json::parse(toJson(due));
    EXPECT_EQ(dueJson["training"]["deadline_days"], 3);
    EXPECT_EQ(dueJson["training"]["deadline_probability"]["value"], 0.25);
}
