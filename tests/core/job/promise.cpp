// SPDX-License-Identifier: GPL-3.0-or-later
// The probability of a deadline is the same everywhere, and counts the whole training run.
#include "core/job/jobsection.h"

#include "core/explore/objective.h"
#include "core/job/jobsection.h"
#include "core/scenario/presets.h"
#include "core/scenario/sectionpresets.h"
#include "core/stats/normal.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

InsightOptions fewSteps()
{
    InsightOptions options;
    options.samples = 100;
    return options;
}

/// A job in which nothing but the error of the predicted mean is left.
Scenario noiseFreeJob()
{
    Scenario s = *scenarioPreset("llama2-7b-8-a100");
    s.variability = {};
    s.training.trainTokens = 1e11;
    s.job = *jobPreset("none");
    return s;
}

TEST(Promise, ADeadlineIsTheWholeJobs)
{
    Evaluator evaluator;
    const Scenario s = *setParameter(*scenarioPreset("llama2-7b-8-a100"), "training.train_tokens", "1e11");
    const Result<JobReport> median = jobOf(evaluator, s, {}, fewSteps());
    ASSERT_TRUE(median.ok());
    for (const double share : {0.9, 1.0, 1.1}) {
        const double days = share * median->p50Days.value;
        const Result<JobReport> job = jobOf(evaluator, s, {.deadlineDays = days}, fewSteps());
        const Result<Guarantee> promised = promise(evaluator, s, {}, days, fewSteps());
        ASSERT_TRUE(job.ok() && promised.ok());
        EXPECT_EQ(promised->deadlineProbability.value, job->deadlineProbability.value) << share;
        EXPECT_EQ(promised->deadlineDays, days);
    }
    EXPECT_FALSE(promise(evaluator, s, {}, -1, fewSteps()).ok());
}

TEST(Promise, TheErrorOfThePredictedMeanDecidesAlone)
{
    // Steps of one length, no failures: the run is late where the mean was predicted too short.
    Evaluator evaluator;
    const Scenario s = noiseFreeJob();
    const Result<CostedStep> costed = costStep(s);
    ASSERT_TRUE(costed.ok());
    const double days = guarantee(evaluator, s, {}, fewSteps())->training.p50Days, low = costed->errorBandLow, high = costed->errorBandHigh;
    ASSERT_LT(low, 0);
    ASSERT_GT(high, 0);
    const auto done = [&](double deadline) { return promise(evaluator, s, {}, deadline, fewSteps())->deadlineProbability.value; };
    // The whole band: published = predicted / (1 + e). Levels have the mean 1, so the ends lie a little off.
    EXPECT_NEAR(done(days / (1 + high)), 0.05, 0.02);
    EXPECT_NEAR(done(days / (1 + low)), 0.95, 0.02);
    EXPECT_NEAR(done(days), 0.5, 0.08);
    EXPECT_EQ(done(0.3 * days), 0);
    EXPECT_EQ(done(3 * days), 1);
}

TEST(Promise, TheLevelsLeaveTheMean)
{
    Evaluator evaluator;
    const Scenario s = noiseFreeJob();
    const Result<JobReport> spread = jobOf(evaluator, s, {}, fewSteps()), given = jobOf(evaluator, s, {.asPredicted = true}, fewSteps());
    ASSERT_TRUE(spread.ok() && given.ok());
    EXPECT_NEAR(spread->meanDays / given->meanDays, 1, 1e-9);
    EXPECT_LT(spread->p5Days, 0.99 * given->p5Days);
    EXPECT_GT(spread->p95Days.value, 1.01 * given->p95Days.value);
    EXPECT_LT(spread->plan.levelLow, 0.99);
    EXPECT_GT(spread->plan.levelHigh, 1.01);
    EXPECT_EQ(given->plan.levelLow, 1);
}

} // namespace
} // namespace prism
