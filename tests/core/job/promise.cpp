// SPDX-License-Identifier: GPL-3.0-or-later
// The probability of a deadline is the same everywhere, and counts the whole training run.
#include "core/job/jobsection.h"

#include "core/cost/predictor.h"
#include "core/engine/evaluator.h"
#include "core/explore/objective.h"
#include "core/scenario/presets.h"
#include "core/scenario/sectionpresets.h"
#include "core/stats/normal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

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

TEST(Promise, ADeadlineOfOneDayIsOneAndThatOfNoneIsNot)
{
    Evaluator evaluator;
    const Scenario s = noiseFreeJob();
    const Result<Guarantee> none = promise(evaluator, s, {}, 0, fewSteps()), day = promise(evaluator, s, {}, 1, fewSteps());
    ASSERT_TRUE(none.ok() && day.ok());
    EXPECT_EQ(none->deadlineDays, 0);
    EXPECT_EQ(day->deadlineDays, 1);
    EXPECT_EQ(day->notes.size(), none->notes.size() + 1) << "that the deadline is the whole job's";
}

/// The level of run i: the error of the predicted mean at a quantile that is spread evenly, times the mean of one of the systems.
TEST(Promise, TheLevelsAreTheErrorOfTheMeanTimesTheSystems)
{
    Evaluator evaluator;
    const Scenario s = *setParameter(*scenarioPreset("llama2-7b-8-a100"), "training.train_tokens", "1e11");
    const Result<JobReport> job = jobOf(evaluator, s, {.runs = 200}, fewSteps());
    const Result<CostedStep> costed = costStep(s);
    ASSERT_TRUE(job.ok() && costed.ok());
    SimOptions sim;
    sim.seed = fewSteps().seed;
    const std::vector<DrawnSystem> systems = (*evaluator.systems(s, *costed, sim))->systems;
    ASSERT_FALSE(systems.empty());
    std::vector<double> levels, errors;
    for (std::size_t i = 0; i < 200; ++i) {
        errors.push_back(measuredOverPredicted(*costed, std::fmod((static_cast<double>(i) + 0.5) * (std::sqrt(2.0) - 1), 1.0)));
        levels.push_back(errors.back() * systems[i % systems.size()].meanRatio);
    }
    // The 5 % quantile of 200 values is at 0.05 * 199 = 9.95, counted from 0 (Hyndman and Fan 1996, type 7); the mean of all levels is 1.
    const auto quantiles = [](std::vector<double> x) {
        const double mean = std::accumulate(x.begin(), x.end(), 0.0) / 200;
        std::sort(x.begin(), x.end());
        return std::pair((0.05 * x[9] + 0.95 * x[10]) / mean, (0.95 * x[189] + 0.05 * x[190]) / mean);
    };
    const auto [low, high] = quantiles(levels);
    EXPECT_NEAR(job->plan.levelLow, low, 1e-9);
    EXPECT_NEAR(job->plan.levelHigh, high, 1e-9);
    EXPECT_GT(std::abs(quantiles(errors).first - low), 1e-5) << "the systems count";
}

} // namespace
} // namespace prism
