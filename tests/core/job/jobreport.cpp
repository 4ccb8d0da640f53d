// SPDX-License-Identifier: GPL-3.0-or-later
// A report with a different number in every place, as JSON and CSV, and its views by hand.
#include "core/job/jobviews.h"
#include "core/job/trainingrun.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace prism {
namespace {

JobReport numberedReport()
{
    JobReport r;
    r.preset = "name";
    r.presetAssumed = true;
    r.config.failures = {{"gpu", 3, true}, {"software", 4, false}};
    r.config.failureScale = 2;
    r.config.detectionS = 11;
    r.config.restartS = 12;
    r.config.repairHours = 13;
    r.config.spareNodes = 14;
    r.config.withoutSpare = "shrink";
    r.config.checkpointBlockS = 15;
    r.config.checkpointPersistS = 16;
    r.config.startDate = "2026-01-30";
    r.plan = {21, 22, 23, 24, 25, 26, 27, 28, 0.9, 1.2};
    r.meanDays = 31.5;
    r.p5Days = 1.5;
    r.p99Days = 33.5;
    r.p50Days = {2.5, 0.1};
    r.p95Days = {3.5, 0.2};
    r.effectiveRatio = {0.41, 0.01};
    r.ratioP5 = 0.42;
    r.ratioP95 = 0.43;
    r.shares = {{"productive", {0.6, 0.02}, 18.9}, {"rework", {0.4, 0.03}, 12.6}};
    r.failuresP5 = 51;
    r.failuresP50 = 52;
    r.failuresP95 = 53;
    r.interruptionsMean = 54;
    r.checkpoints = {61, 62, 63, 64, 0.65, 0.66, true, {{67, 0.68}}};
    r.closedForm = {true, "why", {71, 72}};
    r.spares = {{81, 0.82, {83, 0.84}, {85, 0.86}}};
    r.sparesFor99 = 87;
    r.costUsdMean = 91;
    r.costUsdP95 = 92;
    r.energyMwhMean = 93;
    r.co2TonnesMean = 94;
    r.deadlineDays = 95;
    r.deadlineProbability = {0.96, 0.05};
    r.runs = 97;
    r.seed = 98;
    r.elapsedSeconds = 99;
    r.notes = {"note"};
    return r;
}

TEST(JobReport, JsonHasEveryValueInItsPlace)
{
    const nlohmann::json expected =
        nlohmann::json::parse(R"({"preset": "name", "preset_assumed": true, "tokens": 21, "steps": 22, "nodes": 23,
        "undisturbed_days": 26, "step_over_predicted": {"p5": 0.9, "p95": 1.2}, "mtbf_hours": 27,
        "days": {"mean": 31.5, "p5": 1.5, "p50": {"value": 2.5, "ci95": 0.1}, "p95": {"value": 3.5, "ci95": 0.2}, "p99": 33.5,
                 "dates": {"start": "2026-01-30", "p5": "2026-01-31", "p50": "2026-02-01", "p95": "2026-02-02"}},
        "effective_ratio": {"mean": {"value": 0.41, "ci95": 0.01}, "p5": 0.42, "p95": 0.43},
        "shares": [{"cause": "productive", "share": {"value": 0.6, "ci95": 0.02}, "days": 18.9},
                   {"cause": "rework", "share": {"value": 0.4, "ci95": 0.03}, "days": 12.6}],
        "failures": {"p5": 51, "p50": 52, "p95": 53}, "interruptions_mean": 54,
        "checkpoints": {"interval_s": 61, "best_s": 62, "young_s": 63, "daly_s": 64, "ratio": 0.65, "best_ratio": 0.66, "asynchronous": true,
                        "curve": [{"interval_s": 67, "effective_ratio": 0.68}]},
        "closed_form": {"applies": true, "why_not": "why", "mean_days": 71, "std_days": 72},
        "spares": {"for_99_percent": 87, "rows": [{"spares": 81, "probability_none": 0.82, "mean_days": {"value": 83, "ci95": 0.84}, "cost_usd": {"value": 85, "ci95": 0.86}}]},
        "cost_usd": {"mean": 91, "p95": 92}, "energy_mwh": 93, "co2_tonnes": 94, "deadline": {"days": 95, "probability": {"value": 0.96, "ci95": 0.05}},
        "assumptions": {"failures": [{"name": "gpu", "per_1000_node_days": 6, "replaces_node": true}, {"name": "software", "per_1000_node_days": 8, "replaces_node": false}],
                        "detection_s": 11, "restart_s": 12, "repair_hours": 13, "spare_nodes": 14, "without_spare": "shrink", "checkpoint_block_s": 15, "checkpoint_persist_s": 16},
        "runs": 97, "seed": 98, "elapsed_s": 99, "notes": ["note"]})");
    JobReport r = numberedReport();
    EXPECT_EQ(nlohmann::json::parse(toJson(r)), expected) << toJson(r);
    r.energyMwhMean = r.co2TonnesMean = r.deadlineDays = 0; // not stated
    r.config.startDate.clear();
    r.plan.mtbfHours = r.checkpoints.bestSeconds = std::numeric_limits<double>::infinity();
    const nlohmann::json without = nlohmann::json::parse(toJson(r));
    for (const char* key : {"energy_mwh", "co2_tonnes", "deadline"})
        EXPECT_FALSE(without.contains(key)) << key;
    EXPECT_FALSE(without["days"].contains("dates"));
    EXPECT_TRUE(without["mtbf_hours"].is_null());
    EXPECT_TRUE(without["checkpoints"]["best_s"].is_null());
}

TEST(JobReport, CsvHasARowForEachMetric)
{
    JobReport r = numberedReport();
    EXPECT_EQ(
        toCsv(r),
        "figure,value,ci95,unit\np5,1.5,,days\np50,2.5,0.1,days\np95,3.5,0.2,days\nshare_productive,0.6,0.02,1\nshare_rework,0.4,0.03,1\n"
        "deadline_probability,0.96,0.05,1\ncost,91,,USD\n");
    r.deadlineDays = 0;
    EXPECT_EQ(toCsv(r).find("deadline"), std::string::npos);
}

/// 18.9 productive days are 1,000 steps; a noise-free step of 1,382.4 s makes 16 of them.
TEST(JobReport, LossesByHand)
{
    JobReport r = numberedReport();
    r.plan.steps = 1000;
    r.shares.push_back({"evaluation", {0.1, 0.01}, 3});
    const std::vector<JobLoss> losses = jobLosses(r, 1382.4);
    ASSERT_EQ(losses.size(), 4U);
    const auto expectLoss = [&](std::size_t i, const char* id, double days, double halfWidth, bool ofFailures) {
        EXPECT_EQ(losses[i].id, id);
        EXPECT_NEAR(losses[i].days, days, 1e-9) << id;
        EXPECT_NEAR(losses[i].halfWidth, halfWidth, 1e-9) << id;
        EXPECT_NEAR(losses[i].share, days / 31.5, 1e-9) << id;
        EXPECT_EQ(losses[i].ofFailures, ofFailures) << id;
    };
    expectLoss(0, "noise_free", 16, 0, false);
    expectLoss(1, "step_noise", 2.9, 0.02 * 31.5, false);
    expectLoss(2, "evaluation", 3, 0.01 * 31.5, false);
    expectLoss(3, "rework", 12.6, 0.03 * 31.5, true);
    EXPECT_NEAR(jobLosses(r, 1e9)[1].days, 0, 1e-9); // never below zero
    r.meanDays = 0;
    EXPECT_TRUE(jobLosses(r, 1).empty());
}

/// 10 productive days. At a ratio of r an interval loses 10 (1 / r - 1), of which restarts are 10 (60 + 40) s / 100,000 s at any
/// interval. Best at 1,000 s: 10 / 9 - 0.01; neighbours 0.3 and 0.1 worse, so that 0.2 days more are crossed two thirds of the way down.
TEST(JobReport, IntervalsByHand)
{
    JobReport r;
    r.config.detectionS = 60;
    r.config.restartS = 40;
    r.plan.mtbfHours = 1e5 / 3600;
    r.shares = {{"restart", {0.1, 0}, 7}, {"productive", {0.9, 0}, 10}, {"rework", {0.0, 0}, 3}};
    const auto ratio = [](double lostDays) { return 1 / (1 + (lostDays + 0.01) / 10); };
    r.checkpoints.curve = {{250, ratio(1.9)}, {500, ratio(1.4)}, {1000, ratio(1.1)}, {2000, ratio(1.2)}, {4000, ratio(1.4)}};
    r.checkpoints.usedSeconds = 500;
    r.checkpoints.usedRatio = ratio(1.4);
    r.checkpoints.bestSeconds = 1000;
    r.checkpoints.bestRatio = ratio(1.1);
    const IntervalCost cost = intervalCost(r);
    ASSERT_EQ(cost.curve.size(), 5U);
    const double expected[] = {1.9, 1.4, 1.1, 1.2, 1.4};
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_NEAR(cost.curve[i].lostDays, expected[i], 1e-9);
    EXPECT_NEAR(cost.used.lostDays, 1.4, 1e-9);
    EXPECT_NEAR(cost.best.lostDays, 1.1, 1e-9);
    EXPECT_NEAR(cost.closeLow, 1000 * std::pow(0.5, 2 / 3.0), 1e-6);
    EXPECT_NEAR(cost.closeHigh, 2000 * std::pow(2, 0.5), 1e-6); // 1.3 days between 1.2 and 1.4
    r.checkpoints.curve = {{500, ratio(1.2)}, {1000, ratio(1.1)}, {2000, 0}};
    const IntervalCost ends = intervalCost(r); // never more than 0.2 days worse: the ends of the curve
    EXPECT_EQ(ends.curve.size(), 2U);
    EXPECT_EQ(ends.closeLow, 500);
    EXPECT_EQ(ends.closeHigh, 1000);
}

/// Values above 0 are stated, small ones too.
TEST(JobReport, JsonStatesEnergyEmissionsAndDeadlineBelowOne)
{
    JobReport r = numberedReport();
    r.energyMwhMean = 0.25;
    r.co2TonnesMean = 0.5;
    r.deadlineDays = 0.75;
    const nlohmann::json small = nlohmann::json::parse(toJson(r));
    EXPECT_EQ(small.value("energy_mwh", 0.0), 0.25);
    EXPECT_EQ(small.value("co2_tonnes", 0.0), 0.5);
    ASSERT_TRUE(small.contains("deadline"));
    EXPECT_EQ(small["deadline"]["days"], 0.75);
}

/// A report without productive time has no steps: all its days are lost, none is step noise.
TEST(JobReport, LossesWithoutProductiveTime)
{
    JobReport r = numberedReport();
    r.plan.steps = 1000;
    r.shares = {{"rework", {1, 0.03}, 31.5}};
    const std::vector<JobLoss> losses = jobLosses(r, 1382.4);
    ASSERT_EQ(losses.size(), 3U);
    EXPECT_EQ(losses[0].days, 0);
    EXPECT_EQ(losses[1].days, 0);
    EXPECT_EQ(losses[1].halfWidth, 0);
    EXPECT_NEAR(losses[2].share, 1, 1e-12);
}

/// Intervals of equal loss belong to the close ones up to the last of them; an interval without productive time loses no productive days.
TEST(JobReport, CloseIntervalsReachOverEqualLosses)
{
    JobReport r;
    r.config.detectionS = r.config.restartS = 0;
    r.plan.mtbfHours = 1e5 / 3600;
    r.shares = {{"productive", {0.9, 0}, 10}};
    const auto ratio = [](double lostDays) { return 1 / (1 + lostDays / 10); };
    r.checkpoints.curve = {{250, ratio(1.2)}, {500, ratio(1.2)}, {1000, ratio(1.1)}, {2000, ratio(1.2)}, {4000, ratio(1.2)}};
    r.checkpoints.bestSeconds = 1000;
    r.checkpoints.bestRatio = ratio(1.1);
    r.checkpoints.usedSeconds = 1e9;
    r.checkpoints.usedRatio = 0;
    const IntervalCost cost = intervalCost(r);
    EXPECT_EQ(cost.closeLow, 250);
    EXPECT_EQ(cost.closeHigh, 4000);
    EXPECT_EQ(cost.used.lostDays, 0);
}

} // namespace
} // namespace prism
