// SPDX-License-Identifier: GPL-3.0-or-later
// Levels where a ratio is missing, quantile by quantile; sampled spreads of published rows; the log that is made from a scenario.
#include "core/insight/level/level.h"
#include "core/insight/validate/samplelog.h"
#include "core/insight/validate/validation.h"

#include "core/calibrate/runfit.h"
#include "core/insight/scenarios.h"
#include "core/scenario/presets.h"
#include "core/stats/moments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace prism {
namespace {

TEST(LevelValues, StepsMoveByTheRatioOfTheirOwnQuantile)
{
    // Places 1/6, 1/2 and 5/6. Known: 1 + 4/3, 5, 5 + 2/3 x 15. Base: 2 + 1/3, 3, 3 + 2/3 x 7.
    const std::vector<double> level = onLevelOf({1, 5, 20}, {2, 3, 10}, {4, 7, 9});
    ASSERT_EQ(level.size(), 3U);
    EXPECT_NEAR(level[0], 4, 1e-12);
    EXPECT_NEAR(level[1], 7 * 5.0 / 3, 1e-12);
    EXPECT_NEAR(level[2], 9 * 15 / (23.0 / 3), 1e-12);
    EXPECT_EQ(onLevelOf({1, 5}, {}, {4, 7}), (std::vector<double>{4, 7}));
    EXPECT_EQ(onLevelOf({20, 30}, {0, 0}, {4, 7}), (std::vector<double>{4, 7})) << "nothing to relate to";
}

TEST(LevelValues, AnExceedanceIsThatOfTheKnownSteps)
{
    Snapshot known;
    known.across.p95 = 9;
    for (int i = 1; i <= 10; ++i)
        known.sortedAcrossSeconds.push_back(i);
    SensitivityTable table;
    table.limitSeconds = 7.5;
    table.exceedance = {0.5, 0.25};
    EXPECT_EQ(onLevelOf(known, table).exceedance.value, 0.5) << "without samples it stays";
    known.samples = std::make_shared<const StepSamples>();
    const SensitivityTable adjusted = onLevelOf(known, table);
    EXPECT_EQ(adjusted.base.p95, 9);
    EXPECT_NEAR(adjusted.exceedance.value, 0.3, 1e-12);
    EXPECT_NEAR(adjusted.exceedance.halfWidth, proportion(3, 10).halfWidth, 1e-9);
    table.limitSeconds = 0;
    EXPECT_EQ(onLevelOf(known, table).exceedance.value, 0.5) << "without a limit it stays";
}

TEST(LevelValues, WithoutARatioAMetricStays)
{
    // Known over base: 6 / 4 for p50; none where either is 0, negative or not finite.
    const double kEndless = std::numeric_limits<double>::infinity();
    const auto scaled = [](double known, double base) {
        Snapshot snapshot;
        snapshot.across.p50 = known;
        PlacementMap map;
        map.base.p50 = base;
        map.cells.resize(1);
        map.cells[0].p50Seconds = 10;
        return onLevelOf(snapshot, map).cells[0].p50Seconds;
    };
    EXPECT_DOUBLE_EQ(scaled(6, 4), 15);
    for (const auto& [known, base] : {std::pair(0.0, 4.0), std::pair(6.0, 0.0), std::pair(-6.0, 4.0), std::pair(6.0, -4.0),
                                      std::pair(kEndless, 4.0), std::pair(6.0, kEndless)})
        EXPECT_EQ(scaled(known, base), 10) << known << " over " << base;
}

TEST(LevelValues, AnUnchangedDifferenceLeavesTheRemainder)
{
    Snapshot a, b;
    a.across.p95 = 4;
    b.across.p95 = 7;
    Comparison c;
    c.metrics = {{"p95", "", "", 2, 5, {3, 1}, {1.5, 0.5}}};
    c.waterfall = {{"remainder", "", "", "", "", {0.25, 0}}};
    const Comparison same = onLevelOf(a, b, c); // 3 s before and after
    EXPECT_EQ(same.metrics[0].a, 4);
    EXPECT_EQ(same.metrics[0].relative.value, 0.75);
    EXPECT_EQ(same.metrics[0].relative.halfWidth, 0.25);
    EXPECT_EQ(same.waterfall[0].deltaP95.value, 0.25);
    EXPECT_EQ(same.waterfall[0].unit, "");
    c.waterfall.clear();
    b.across.p95 = 8;
    EXPECT_TRUE(onLevelOf(a, b, c).waterfall.empty());
}

TEST(LevelValues, AUtilisationOfNoStepHasNoInterval)
{
    Snapshot known;
    known.scenario.cluster.numGpus = 64;
    known.mfu = 0.5;
    known.across.ciP50 = 2;
    ScaleCurve curve;
    curve.points.resize(1);
    curve.points[0].gpus = 64;
    curve.points[0].valid = true;
    curve.points[0].tokensPerSecond = 40;
    curve.points[0].costUsd = 9;
    EXPECT_EQ(onLevelOf(known, curve).points[0].mfu.halfWidth, 0);
    EXPECT_EQ(onLevelOf(known, curve).points[0].costUsd, 9) << "no known tokens, no ratio";
    known.across.p50 = 8;
    EXPECT_DOUBLE_EQ(onLevelOf(known, curve).points[0].mfu.halfWidth, 0.125);
}

PublishedRow firstPublished()
{
    return readPublished(presetText("published", "steps").value()).value().front();
}

TEST(ValidationValues, ASpreadIsMedianAndNinetyFivePerCentOverTheNoiseFreeStep)
{
    PublishedRow row = firstPublished();
    ASSERT_TRUE(row.skipped.empty() && !row.scheduleOnly);
    const ValidationOptions options{.seed = 7, .samples = 21, .threads = 1};
    const StepSpread spread = stepSpread(row, calibration(), options);
    StepSamples samples = simulate(costStep(row.scenario)->graph, {.seed = 7, .numSamples = 21, .numWithinSamples = -1, .numThreads = 1});
    std::sort(samples.acrossSeconds.begin(), samples.acrossSeconds.end());
    EXPECT_DOUBLE_EQ(spread.p50, samples.acrossSeconds[10] / samples.noiseFreeSeconds);
    EXPECT_DOUBLE_EQ(spread.p95, samples.acrossSeconds[19] / samples.noiseFreeSeconds);
    const auto rows = validatedRows({row}, calibration(), options);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_DOUBLE_EQ(rows[0].predictedSeconds, rows[0].noiseFreeSeconds * spread.p50);
    EXPECT_DOUBLE_EQ(rows[0].predictedP50Seconds, rows[0].noiseFreeSeconds * spread.p50);
    EXPECT_DOUBLE_EQ(rows[0].predictedP95Seconds, rows[0].noiseFreeSeconds * spread.p95);
    row.skipped = "no reason";
    const StepSpread skipped = stepSpread(row, calibration(), options);
    EXPECT_EQ(skipped.p50, 1);
    EXPECT_EQ(skipped.p95, 1);
    EXPECT_EQ(validatedRows({row}, calibration(), options)[0].predictedP95Seconds, 0);
    row.skipped.clear();
    row.scheduleOnly = true;
    EXPECT_EQ(stepSpread(row, calibration(), options).p95, 1);
}

TEST(SampleLogValues, AMadeLogHasTheLevelOfTheScenarioAndTheDrawsOfTheNextSeed)
{
    Scenario s = testscenarios::smallScenario();
    s.cluster.numGpus = 16;
    s.parallelism.pipelineModelParallelSize = 2;
    s.model.numLayers = 4;
    s.training.globalBatchSize = 4;
    Evaluator evaluator;
    InsightOptions options;
    options.seed = 7;
    const auto text = sampleLog(evaluator, s, options);
    ASSERT_TRUE(text.ok());
    const auto own = predictedRun(evaluator, s, evaluateOptions(options, 4'000), true);
    ASSERT_TRUE(own.ok());
    SimOptions sim{.seed = 8, .numSamples = 0, .numWithinSamples = 1'900};
    std::vector<double> made = atOneLevel(evaluator.samples(costStep(s)->graph, sim)->withinSeconds);
    ASSERT_EQ(made.size(), 1'900U);
    EXPECT_NE(own->systems->trend, 0);
    addTrend(made, own->systems->trend);
    const double middle = medianOf(made), level = medianOf(own->seconds);
    std::istringstream lines(*text);
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(line, "step,step_time_s");
    std::size_t rows = 0;
    for (; std::getline(lines, line); ++rows) {
        std::size_t comma = 0;
        ASSERT_EQ(std::stoull(line, &comma), rows + 1);
        ASSERT_LT(rows, made.size());
        ASSERT_NEAR(std::stod(line.substr(comma + 1)), level * made[rows] / middle, 6e-7) << rows;
    }
    EXPECT_EQ(rows, 1'900U);
}

} // namespace
} // namespace prism
