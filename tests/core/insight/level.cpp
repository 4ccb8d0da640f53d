// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of insights on the level of an evaluation with more steps.
#include "core/insight/level/level.h"

#include "core/insight/empirical.h"
#include "core/insight/scenarios.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace prism;
using namespace prism::testing;

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
    const SensitivityTable told = onLevelOf(*known, *drawn);
    EXPECT_NE(drawn->base.p95, known->across.p95);
    EXPECT_EQ(told.base.p95, known->across.p95);
    EXPECT_EQ(told.base.samples, 4'000U);
    EXPECT_NEAR(told.exceedance.value, 0.05, 0.001); // by the definition of the limit
    ASSERT_EQ(told.rows.size(), drawn->rows.size());
    for (std::size_t i = 0; i < told.rows.size(); ++i)
        EXPECT_EQ(told.rows[i].spreadRemoved.p95.value, drawn->rows[i].spreadRemoved.p95.value);
}

TEST(Level, PlacesKeepTheirRatiosToTheKnownStep)
{
    Evaluator evaluator;
    const Scenario s = smallScenario();
    const SnapshotPtr known = knownOf(evaluator, s, 4'000);
    const auto drawn = placementMap(evaluator, s, {}, withSamples(400));
    ASSERT_TRUE(drawn.ok());
    const PlacementMap told = onLevelOf(*known, *drawn);
    for (const PlacementCell& cell : told.cells) {
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
    const ScaleCurve told = onLevelOf(*known, *drawn);
    EXPECT_EQ(told.points[0].step.p95, known->across.p95);
    EXPECT_EQ(told.points[0].step.ciP95, known->across.ciP95);
    EXPECT_NEAR(told.points[0].tokensPerSecond, known->tokensPerSecond, 1e-9 * known->tokensPerSecond);
    EXPECT_NEAR(told.points[1].step.p95 / told.points[0].step.p95, drawn->points[1].step.p95 / drawn->points[0].step.p95, 1e-12);
    EXPECT_EQ(told.points[1].efficiency, drawn->points[1].efficiency);
    const ScaleCurve elsewhere = onLevelOf(*known, *scaleCurve(evaluator, s, ScaleMode::weak, {128}, withSamples(400)));
    EXPECT_EQ(elsewhere.points[0].step.p95, drawn->points[1].step.p95); // nothing to hold it against
}

TEST(Level, OtherSizesAreNearerToTheTruthOnTheKnownLevel)
{
    const Scenario s = smallScenario();
    Scenario twice = s;
    twice.cluster.numGpus = 128;
    twice.training.globalBatchSize *= 2;
    constexpr int kTruth = 20'000;
    constexpr std::uint64_t kSeeds = 12;
    double truth = 0, drawnError = 0, toldError = 0;
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
        const double told = onLevelOf(*known, *drawn).points[1].step.p95 - truth, alone = drawn->points[1].step.p95 - truth;
        drawnError += alone * alone;
        toldError += told * told;
    }
    EXPECT_LT(toldError, drawnError);
}

TEST(Level, AComparisonHasTheKnownEndsAndStillAddsUp)
{
    Evaluator evaluator;
    const Scenario a = smallScenario();
    Scenario b = a;
    b.cluster.interNodeGbPerS = 25;
    b.training.globalBatchSize = 32;
    const SnapshotPtr knownA = knownOf(evaluator, a, 4'000), knownB = knownOf(evaluator, b, 4'000);
    const auto drawn = compare(evaluator, a, b, withSamples(500));
    ASSERT_TRUE(drawn.ok());
    const Comparison told = onLevelOf(*knownA, *knownB, *drawn);
    const auto p95 = std::find_if(told.figures.begin(), told.figures.end(), [](const ComparedFigure& f) { return f.name == "p95"; });
    ASSERT_NE(p95, told.figures.end());
    EXPECT_EQ(p95->a, knownA->across.p95);
    EXPECT_EQ(p95->b, knownB->across.p95);
    double sum = 0;
    for (const WaterfallItem& w : told.waterfall)
        sum += w.deltaP95.value;
    EXPECT_NEAR(sum, p95->b - p95->a, 1e-9);
    EXPECT_EQ(told.waterfall.front().deltaP95.value, drawn->waterfall.front().deltaP95.value);
    EXPECT_EQ(told.waterfall.back().from + " -> " + told.waterfall.back().to, "500 -> 4,000");
}

TEST(Level, StepsMoveQuantileByQuantile)
{
    const std::vector<double> base{1, 2, 3, 4, 5}, twice{2, 4, 6, 8, 10};
    EXPECT_EQ(onLevelOf(twice, base, {10, 20, 30, 40, 50}), (std::vector<double>{20, 40, 60, 80, 100}));
    EXPECT_EQ(onLevelOf({}, base, {10, 20}), (std::vector<double>{10, 20}));
    const std::vector<double> crossed = onLevelOf({10, 11, 12, 13, 14}, base, {3, 3.1, 3.2, 3.3, 3.4});
    EXPECT_TRUE(std::is_sorted(crossed.begin(), crossed.end())); // the first grows tenfold, the last not threefold
}
