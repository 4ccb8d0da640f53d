// SPDX-License-Identifier: GPL-3.0-or-later
// Values of insights on the level of an evaluation with more steps.
#include "core/insight/level/level.h"

#include "core/insight/empirical.h"
#include "core/insight/scenarios.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

using namespace prism;
using namespace prism::testscenarios;

namespace {

SnapshotPtr knownOf(Evaluator& evaluator, const Scenario& scenario, int samples, std::uint64_t seed = 1)
{
    InsightOptions options;
    options.seed = seed;
    return evaluator.evaluate(scenario, evaluateOptions(options, samples));
}

} // namespace

TEST(Level, TheBaseOfASensitivityIsTheKnownOneAndItsChangesStay)
{
    Evaluator evaluator;
    const Scenario s = smallScenario();
    const SnapshotPtr known = knownOf(evaluator, s, 4'000);
    InsightOptions options = withSamples(400);
    options.limitSeconds = known->across.p95;
    const auto drawn = sensitivity(evaluator, s, options);
    ASSERT_TRUE(drawn.ok());
    const SensitivityTable adjusted = onLevelOf(*known, *drawn);
    EXPECT_NE(drawn->base.p95, known->across.p95);
    EXPECT_EQ(adjusted.base.p95, known->across.p95);
    EXPECT_EQ(adjusted.base.samples, 4'000U);
    EXPECT_NEAR(adjusted.exceedance.value, 0.05, 0.001); // by the definition of the limit
    ASSERT_EQ(adjusted.rows.size(), drawn->rows.size());
    for (std::size_t i = 0; i < adjusted.rows.size(); ++i)
        EXPECT_EQ(adjusted.rows[i].spreadRemoved.p95.value, drawn->rows[i].spreadRemoved.p95.value);
}

TEST(Level, PlacesKeepTheirRatiosToTheKnownStep)
{
    Evaluator evaluator;
    const Scenario s = smallScenario();
    const SnapshotPtr known = knownOf(evaluator, s, 4'000);
    const auto drawn = placementMap(evaluator, s, {}, withSamples(400));
    ASSERT_TRUE(drawn.ok());
    const PlacementMap adjusted = onLevelOf(*known, *drawn);
    for (const PlacementCell& cell : adjusted.cells) {
        ASSERT_TRUE(cell.present);
        EXPECT_NEAR(cell.p95Seconds, known->across.p95 * cell.p95Ratio.value, 1e-9 * cell.p95Seconds);
    }
}

TEST(Level, TheScaleOfTheOwnSizeIsTheKnownOne)
{
    Evaluator evaluator;
    const Scenario s = smallScenario();
    const SnapshotPtr known = knownOf(evaluator, s, 4'000);
    const auto drawn = scaleCurve(evaluator, s, ScaleMode::weak, {64, 128}, withSamples(400));
    ASSERT_TRUE(drawn.ok());
    const ScaleCurve adjusted = onLevelOf(*known, *drawn);
    EXPECT_EQ(adjusted.points[0].step.p95, known->across.p95);
    EXPECT_EQ(adjusted.points[0].step.ciP95, known->across.ciP95);
    EXPECT_NEAR(adjusted.points[0].tokensPerSecond, known->tokensPerSecond, 1e-9 * known->tokensPerSecond);
    EXPECT_NEAR(adjusted.points[1].step.p95 / adjusted.points[0].step.p95, drawn->points[1].step.p95 / drawn->points[0].step.p95, 1e-12);
    EXPECT_EQ(adjusted.points[1].efficiency, drawn->points[1].efficiency);
    const ScaleCurve elsewhere = onLevelOf(*known, *scaleCurve(evaluator, s, ScaleMode::weak, {128}, withSamples(400)));
    EXPECT_EQ(elsewhere.points[0].step.p95, drawn->points[1].step.p95); // no point to compare it with
}

TEST(Level, OtherSizesAreNearerToTheTruthOnTheKnownLevel)
{
    const Scenario s = smallScenario();
    Scenario twice = s;
    twice.cluster.numGpus = 128;
    twice.training.globalBatchSize *= 2;
    constexpr int kTruth = 10'000;
    constexpr std::uint64_t kSeeds = 8;
    double truth = 0, drawnError = 0, adjustedError = 0;
    for (std::uint64_t seed = 101; seed < 105; ++seed) {
        Evaluator evaluator;
        truth += knownOf(evaluator, twice, kTruth, seed)->across.p95 / 4;
    }
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        Evaluator evaluator;
        const SnapshotPtr known = knownOf(evaluator, s, kTruth, seed);
        InsightOptions options = withSamples(400);
        options.seed = seed;
        const auto drawn = scaleCurve(evaluator, s, ScaleMode::weak, {64, 128}, options);
        ASSERT_TRUE(drawn.ok());
        const double adjusted = onLevelOf(*known, *drawn).points[1].step.p95 - truth, alone = drawn->points[1].step.p95 - truth;
        drawnError += alone * alone;
        adjustedError += adjusted * adjusted;
    }
    EXPECT_LT(adjustedError, drawnError);
}

TEST(Level, AComparisonHasTheKnownEndsAndAddsUp)
{
    Evaluator evaluator;
    const Scenario a = smallScenario();
    Scenario b = a;
    b.cluster.interNodeGbPerS = 25;
    b.training.globalBatchSize = 32;
    const SnapshotPtr knownA = knownOf(evaluator, a, 4'000), knownB = knownOf(evaluator, b, 4'000);
    const auto drawn = compare(evaluator, a, b, withSamples(500));
    ASSERT_TRUE(drawn.ok());
    const Comparison adjusted = onLevelOf(*knownA, *knownB, *drawn);
    const auto p95 =
        std::find_if(adjusted.metrics.begin(), adjusted.metrics.end(), [](const ComparedMetric& f) { return f.name == "p95"; });
    ASSERT_NE(p95, adjusted.metrics.end());
    EXPECT_EQ(p95->a, knownA->across.p95);
    EXPECT_EQ(p95->b, knownB->across.p95);
    double sum = 0;
    for (const WaterfallItem& w : adjusted.waterfall)
        sum += w.deltaP95.value;
    EXPECT_NEAR(sum, p95->b - p95->a, 1e-9);
    EXPECT_EQ(adjusted.waterfall.front().deltaP95.value, drawn->waterfall.front().deltaP95.value);
    EXPECT_EQ(adjusted.waterfall.back().from + " -> " + adjusted.waterfall.back().to, "500 -> 4,000");
}

TEST(Level, StepsMoveQuantileByQuantile)
{
    const std::vector<double> base{1, 2, 3, 4, 5}, twice{2, 4, 6, 8, 10};
    EXPECT_EQ(onLevelOf(twice, base, {10, 20, 30, 40, 50}), (std::vector<double>{20, 40, 60, 80, 100}));
    EXPECT_EQ(onLevelOf({}, base, {10, 20}), (std::vector<double>{10, 20}));
    const std::vector<double> crossed = onLevelOf({10, 11, 12, 13, 14}, base, {3, 3.1, 3.2, 3.3, 3.4});
    EXPECT_TRUE(std::is_sorted(crossed.begin(), crossed.end())); // the first grows tenfold, the last not threefold
}

namespace {

/// Every value of a summary is this many times its place in the list.
DistributionSummary summaryOf(double scale)
{
    DistributionSummary s;
    double at = 0;
    for (double DistributionSummary::*f :
         {&DistributionSummary::mean, &DistributionSummary::std, &DistributionSummary::cv, &DistributionSummary::p5,
          &DistributionSummary::p10, &DistributionSummary::p25, &DistributionSummary::p50, &DistributionSummary::p75,
          &DistributionSummary::p90, &DistributionSummary::p95, &DistributionSummary::p99})
        s.*f = scale * ++at;
    s.ciP50 = 0.1 * scale;
    return s;
}

} // namespace

TEST(Level, OtherSizesAreScaledByTheRatioOfTheKnownSize)
{
    Snapshot known;
    known.scenario.cluster.numGpus = 64;
    known.across = summaryOf(3);
    known.tokensPerSecond = 50;
    known.mfu = 0.5;
    ScaleCurve curve;
    curve.points.resize(3);
    curve.points[0].gpus = 32;
    curve.points[1].gpus = 64;
    curve.points[2].gpus = 128;
    for (const std::size_t i : {1U, 2U}) {
        ScalePoint& p = curve.points[i];
        p.valid = true;
        p.step = summaryOf(i == 1 ? 2 : 8);
        p.tokensPerSecond = i == 1 ? 40 : 100;
        p.tflopsPerGpu = 200;
        p.mfu = {0.4, 0.08};
        p.costPerBillionTokensUsd = 10;
        p.costUsd = 1'000;
        p.daysToTrain = 20;
    }
    curve.points[0].tokensPerSecond = 7;
    const ScaleCurve adjusted = onLevelOf(known, curve);
    const ScalePoint& p = adjusted.points[2];
    const DistributionSummary twelve = summaryOf(12); // 8 x 3 / 2
    EXPECT_EQ((std::array{p.step.mean, p.step.std, p.step.cv, p.step.p5, p.step.p10, p.step.p25, p.step.p50, p.step.p75, p.step.p90,
                          p.step.p95, p.step.p99}),
              (std::array{twelve.mean, twelve.std, twelve.cv, twelve.p5, twelve.p10, twelve.p25, twelve.p50, twelve.p75, twelve.p90,
                          twelve.p95, twelve.p99}));
    EXPECT_EQ(p.step.ciP50, 0.8) << "intervals stay";
    EXPECT_DOUBLE_EQ(p.tokensPerSecond, 125); // 50 / 40
    EXPECT_DOUBLE_EQ(p.tflopsPerGpu, 250);
    EXPECT_DOUBLE_EQ(p.mfu.value, 0.5);
    EXPECT_DOUBLE_EQ(p.mfu.halfWidth, 0.1);
    EXPECT_DOUBLE_EQ(p.costPerBillionTokensUsd, 8);
    EXPECT_DOUBLE_EQ(p.costUsd, 800);
    EXPECT_DOUBLE_EQ(p.daysToTrain, 16);
    EXPECT_EQ(adjusted.points[1].step.p99, 33);
    EXPECT_DOUBLE_EQ(adjusted.points[1].mfu.halfWidth, 0.5 * 0.3 / 21); // mfu x ci / p50
    EXPECT_EQ(adjusted.points[0].tokensPerSecond, 7) << "an impossible size stays as it is";
    curve.points[1].valid = false;
    EXPECT_EQ(onLevelOf(known, curve).points[2].daysToTrain, 20);
}

TEST(Level, PlacesAndOrdersAreScaledByEachStatistic)
{
    Snapshot known;
    known.across = summaryOf(3);
    PlacementMap map;
    map.base = summaryOf(2);
    map.base.p95 = 5; // 30 / 5
    map.base.p99 = 0; // no ratio
    map.cells.resize(1);
    map.cells[0].p50Seconds = map.cells[0].p95Seconds = map.cells[0].p99Seconds = 100;
    const PlacementMap adjusted = onLevelOf(known, map);
    EXPECT_DOUBLE_EQ(adjusted.cells[0].p50Seconds, 150);
    EXPECT_DOUBLE_EQ(adjusted.cells[0].p95Seconds, 600);
    EXPECT_DOUBLE_EQ(adjusted.cells[0].p99Seconds, 100);
    EXPECT_EQ(adjusted.base.p50, 21);
    PlacementResult result;
    result.given = summaryOf(2);
    result.best = summaryOf(1);
    result.worst = summaryOf(4);
    result.exchanges.resize(1);
    result.exchanges[0].p95Seconds = 18;
    const PlacementResult orders = onLevelOf(known, result);
    EXPECT_EQ(orders.given.p95, 30);
    EXPECT_EQ(orders.best.p95, 15);
    EXPECT_EQ(orders.worst.p50, 42);
    EXPECT_EQ(orders.exchanges[0].p95Seconds, 27);
}

TEST(Level, AComparisonTakesTheKnownStatisticsAndTheRemainderTheRest)
{
    Snapshot a, b;
    a.across = summaryOf(2);
    b.across = summaryOf(3);
    a.across.samples = 2'000;
    b.across.samples = 1'500;
    Comparison c;
    c.samples = 100;
    for (const char* name : {"mean", "std", "p50", "p95", "p99", "mfu"})
        c.metrics.push_back({name, "", "", 1, 1.5, {0.5, 0.2}, {0.5, 0.2}});
    c.waterfall = {{"edit", "", "", "", "", {0.4, 0}}, {"remainder", "", "", "", "", {0.1, 0}}};
    const Comparison adjusted = onLevelOf(a, b, c);
    const double at[] = {1, 2, 7, 10, 11};
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(adjusted.metrics[i].a, 2 * at[i]);
        EXPECT_EQ(adjusted.metrics[i].b, 3 * at[i]);
        EXPECT_EQ(adjusted.metrics[i].delta.value, at[i]);
        EXPECT_EQ(adjusted.metrics[i].delta.halfWidth, 0.2);
        EXPECT_DOUBLE_EQ(adjusted.metrics[i].relative.value, 0.5);
        EXPECT_DOUBLE_EQ(adjusted.metrics[i].relative.halfWidth, 0.2 / (2 * at[i]));
    }
    EXPECT_EQ(adjusted.metrics[5].a, 1);
    EXPECT_DOUBLE_EQ(adjusted.waterfall[1].deltaP95.value, 0.1 + 10 - 0.5);
    EXPECT_EQ(adjusted.waterfall[0].deltaP95.value, 0.4);
    EXPECT_EQ(adjusted.waterfall[1].to, "1,500");
    EXPECT_EQ(onLevelOf(a, b,
                        [&] {
                            Comparison only = c;
                            only.waterfall.pop_back();
                            return only;
                        }())
                  .waterfall[0]
                  .deltaP95.value,
              0.4);
    a.across.p95 = 0; // no relative change of nothing
    EXPECT_EQ(onLevelOf(a, b, c).metrics[3].relative.value, 0);
}
