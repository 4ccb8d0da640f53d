// SPDX-License-Identifier: GPL-3.0-or-later
// The whole job: shares that sum, published runs, spares, dates.
#include "core/job/trainingrun.h"

#include "core/job/jobtimes.h"
#include "core/scenario/presets.h"
#include "core/scenario/sectionpresets.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

JobReport llama3(double tokens, const JobConfig& config)
{
    Evaluator evaluator;
    JobQuery query;
    query.asPredicted = true;
    query.tokens = tokens;
    query.deadlineDays = 60;
    query.runs = 500;
    InsightOptions options;
    options.samples = 2'000;
    const Result<JobReport> report = trainingRun(evaluator, *scenarioPreset("llama3-405b-16k-h100"), config, query, options);
    EXPECT_TRUE(report.ok());
    return *report;
}

TEST(TrainingRun, Llama3OnItsOwnFailures)
{
    // 54 days on 16,384 H100: 419 unplanned and 47 planned stops, more than 90 % effective time (arXiv 2407.21783, section 3.3.4).
    const JobReport r = llama3(11e12, *jobPreset("llama3-16k-h100"));
    EXPECT_NEAR(r.plan.mtbfHours, 54 * 24 / 419.0, 0.01);
    const double perRun = r.p50Days.value / 54;
    EXPECT_LE(r.failuresP5, 419 * perRun);
    EXPECT_GE(r.failuresP95, 419 * perRun);
    EXPECT_NEAR(r.interruptionsMean, 466 * perRun, 0.06 * 466 * perRun);
    EXPECT_GT(r.ratioP95, 0.9);
    double sum = 0;
    for (const TimeShare& s : r.shares)
        sum += s.share.value;
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_NEAR(r.effectiveRatio.value, r.shares.front().share.value, 1e-12);
}

TEST(TrainingRun, WithoutFailuresARunIsItsSteps)
{
    JobConfig none = *jobPreset("none");
    const JobReport r = llama3(1e12, none);
    EXPECT_TRUE(std::isinf(r.plan.mtbfHours));
    EXPECT_NEAR(r.p50Days.value, r.plan.undisturbedDays, 1e-3 * r.plan.undisturbedDays);
    EXPECT_NEAR(r.effectiveRatio.value, 1, 1e-9);
    EXPECT_TRUE(r.closedForm.applies);
    EXPECT_EQ(r.energyMwhMean, 0); // nothing is stated without the power of a node
}

TEST(TrainingRun, TheSampledMeanIsThatOfTheClosedForm)
{
    JobConfig config = *jobPreset("none");
    config.failures = {{"all", 3.79, false}};
    config.restartS = 600;
    config.checkpointBlockS = 30;
    const JobReport r = llama3(3e12, config);
    ASSERT_TRUE(r.closedForm.applies) << r.closedForm.whyNot;
    EXPECT_NEAR(r.meanDays, r.closedForm.days.mean, 0.01 * r.meanDays);
}

TEST(TrainingRun, AJobThatCannotEndIsAnErrorWithItsReason)
{
    JobConfig config = *jobPreset("none");
    config.failures = {{"all", 1e5, false}};
    config.restartS = 3'600;
    Evaluator evaluator;
    JobQuery query;
    query.tokens = 1e11;
    query.runs = 100;
    InsightOptions options;
    options.samples = 1'000;
    const Result<JobReport> report = trainingRun(evaluator, *scenarioPreset("llama3-405b-16k-h100"), config, query, options);
    ASSERT_FALSE(report.ok());
    EXPECT_NE(report.errors().front().message.find("does not end"), std::string::npos);
}

TEST(TrainingRun, AJobOfAMillionYearsIsNotSampled)
{
    Evaluator evaluator;
    JobQuery query;
    query.tokens = 1e18;
    query.runs = 100;
    InsightOptions options;
    options.samples = 100;
    const Result<JobReport> report =
        trainingRun(evaluator, *scenarioPreset("llama2-7b-8-a100"), *jobPreset("llama3-16k-h100"), query, options);
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.errors().front().path, "training.train_tokens");
}

TEST(TrainingRun, SparesFollowThePoissonOfNodesInRepair)
{
    // Mean 2 nodes in repair: P(K >= 1) = 1 - e^-2, P(K >= 3) = 1 - 5 e^-2; P(K > 6) = 0.0045 is the first below 1 %.
    EXPECT_NEAR(probabilityNoSpare(2, 1), 1 - std::exp(-2), 1e-12);
    EXPECT_NEAR(probabilityNoSpare(2, 3), 1 - 5 * std::exp(-2), 1e-12);
    EXPECT_EQ(probabilityNoSpare(2, 0), 1);
    EXPECT_EQ(sparesFor99(2), 7);
    EXPECT_EQ(sparesFor99(0), 0);
}

TEST(TrainingRun, InvalidQueriesGiveAllErrorsAtOnce)
{
    JobConfig config;
    config.checkpointIntervalS = 10;
    config.checkpointPersistS = 60;
    config.startDate = "2026-02-30";
    JobQuery query;
    query.runs = 1;
    query.tokens = -1;
    EXPECT_EQ(checkJob(config, query).size(), 4U);
}

TEST(TrainingRun, DatesFollowTheCalendar)
{
    EXPECT_EQ(dateAfter("2024-02-28", 1.5), "2024-02-29");
    EXPECT_EQ(dateAfter("2026-12-31", 1), "2027-01-01");
    EXPECT_EQ(dateAfter("2026-02-30", 1), "");
    EXPECT_EQ(dateAfter("tomorrow", 1), "");
}

} // namespace
} // namespace prism
