// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/guarantee/guarantee.h"

#include "core/insight/empirical.h"
#include "core/insight/scenarios.h"
#include "core/step/deterministicstep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

using namespace prism;
using namespace prism::testscenarios;

TEST(Guarantee, ExceedanceIsTheShareAboveWithTheScoreTestsInterval)
{
    std::vector<double> sorted(100);
    std::iota(sorted.begin(), sorted.end(), 1.0);
    EXPECT_NEAR(exceedance(sorted, 90).value, 0.1, 1e-12);
    EXPECT_EQ(exceedance(sorted, 1000).value, 0);
    // 0 of 100: all of the interval lies above, up to z^2 / (n + z^2) with the 95 % point z
    EXPECT_NEAR(exceedance(sorted, 1000).halfWidth, 2.7055435 / 102.7055435, 1e-6);
}

TEST(Guarantee, WhatAllSamplesShareMovesBothEndsOfAStretch)
{
    constexpr int kSteps = 10'000;
    StepSamples samples;
    std::vector<double> sorted(kSteps); // even between 0 and 1
    for (int i = 0; i < kSteps; ++i)
        sorted[static_cast<std::size_t>(i)] = (i + 0.5) / kSteps;
    const double own = RunMetrics::across(samples, sorted).between(0.25, 0.75).halfWidth;
    EXPECT_NEAR(own, probabilityBetween(sorted, 0.25, 0.75).halfWidth, 1e-9) << "nothing is shared";
    for (SharedError::Part* part : {&samples.acrossShared.p50, &samples.acrossShared.p95, &samples.acrossShared.p99})
        part->stdErr = 0.02;
    const RunMetrics run = RunMetrics::across(samples, sorted);
    EXPECT_NEAR(run.between(0.25, 0.75).halfWidth, own, 1e-3) << "what leaves at one end comes in at the other";
    EXPECT_NEAR(run.between(-1, 0.5).halfWidth, run.exceedance(0.5).halfWidth, 0.002) << "one end alone is a limit";
    EXPECT_NEAR(run.between(-1, 0.5).halfWidth, std::hypot(0.0098, 1.96 * 0.02), 0.002);
    EXPECT_EQ(run.between(0.25, 0.75).value, probabilityBetween(sorted, 0.25, 0.75).value);
}

TEST(Guarantee, LimitsAndProbabilitiesInvertEachOther)
{
    Evaluator evaluator;
    GuaranteeQuery query;
    query.probabilities = {0.5, 0.05};
    const auto g = guarantee(evaluator, smallScenario(), query, withSamples(4'000));
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
    const auto billion = guarantee(evaluator, smallScenario(), query, withSamples(2'000));
    query.trainTokens = 1e11;
    const auto hundred = guarantee(evaluator, smallScenario(), query, withSamples(2'000));
    ASSERT_TRUE(billion.ok() && hundred.ok());
    ASSERT_TRUE(billion->hasTraining && hundred->hasTraining);
    const double steps = hundred->training.steps / billion->training.steps;
    EXPECT_NEAR(hundred->training.stdJobDays / billion->training.stdJobDays, steps, 1e-9 * steps);
    EXPECT_NEAR(hundred->training.stdStepsDays / billion->training.stdStepsDays, std::sqrt(steps), 1e-9 * steps);
    EXPECT_GE(hundred->training.steps, hundred->training.effectiveIndependentSteps);
    EXPECT_NEAR(hundred->training.p50Days, hundred->training.steps * hundred->across.mean / 86400, 0.01 * hundred->training.p50Days);
}

TEST(Guarantee, WhatLastsOfComputeMakesTheSumOfStepsVaryMore)
{
    Scenario s = smallScenario();
    s.variability = {};
    s.variability.computeRegime = lognormal(0.02);
    GuaranteeQuery query;
    query.trainTokens = 1e10;
    const auto steps = [&](double lag1) {
        s.variability.computeRegimeLag1 = lag1;
        Evaluator evaluator;
        const auto g = guarantee(evaluator, s, query, withSamples(8'000));
        EXPECT_TRUE(g.ok());
        return g->training;
    };
    const TrainingTime fresh = steps(0), lasting = steps(0.8);
    // The regime alone varies, so the variance of the sum is (1 + 0.8) / (1 - 0.8) = 9 times that of independent steps.
    EXPECT_NEAR(lasting.stdStepsDays / fresh.stdStepsDays, 3.0, 0.4);
    EXPECT_NEAR(lasting.effectiveIndependentSteps / lasting.steps, 1.0 / 9, 0.03);
}

TEST(Guarantee, ATrendWidensTheStepsAndLeavesTheTimeToTrain)
{
    Scenario s = smallScenario();
    s.variability = {};
    GuaranteeQuery query;
    query.trainTokens = 1e9;
    query.trend = 0.04;
    Evaluator evaluator;
    const auto plain = guarantee(evaluator, s, {.trainTokens = 1e9}, withSamples(2'000));
    const double step = plain.ok() ? plain->across.p50 : 0;
    query.limitsSeconds = {step * 1.01, step * 1.021};
    const auto g = guarantee(evaluator, s, query, withSamples(2'000));
    ASSERT_TRUE(plain.ok() && g.ok());
    // Nothing else varies: at place x of the run a step is 4 % of (1 - exp(-2x)) / (1 - exp(-2)) longer than the first one.
    const double all = 1 - std::exp(-2), mean = 1 / all - 0.5;
    const auto at = [&](double place) { return 1 + 0.04 * ((1 - std::exp(-2 * place)) / all - mean); };
    EXPECT_NEAR(g->within.p95 / step, at(0.95), 1e-4);
    EXPECT_NEAR(g->within.p5 / step, at(0.05), 1e-4);
    EXPECT_NEAR(g->across.p95 / step, at(0.95), 1e-4);
    EXPECT_NEAR(g->across.p5 / step, at(0.05), 1e-4);
    const double reached = -0.5 * std::log(1 - (0.01 / 0.04 + mean) * all);     // place of the first step above 1.01
    EXPECT_NEAR(g->exceedances[0].withinProbability.value, 1 - reached, 0.003); // some thousand places: they differ by a few
    EXPECT_EQ(g->exceedances[1].withinProbability.value, 0);
    EXPECT_DOUBLE_EQ(g->training.p50Days, plain->training.p50Days);
    // From 4 % x -(1 / (1 - exp(-2)) - 1 / 2) = -2.63 % to 4 % more.
    const auto noted = [](const Guarantee& result, const std::string& part) {
        return std::any_of(result.notes.begin(), result.notes.end(),
                           [&](const std::string& n) { return n.find(part) != std::string::npos; });
    };
    EXPECT_TRUE(noted(*g, "Steps run from -2.62 % to +1.37 % around")) << g->notes.front();
    EXPECT_FALSE(noted(*plain, "Steps run from"));
    query.trend = 1.5;
    EXPECT_FALSE(guarantee(evaluator, s, query).ok());
}

TEST(Guarantee, AllErrorsOfAQueryComeAtOnce)
{
    Evaluator evaluator;
    GuaranteeQuery query;
    query.probabilities = {0, 1.5};
    query.limitsSeconds = {-1};
    const auto invalid = guarantee(evaluator, smallScenario(), query);
    ASSERT_FALSE(invalid.ok());
    EXPECT_EQ(invalid.errors().size(), 3U);
}

TEST(Guarantee, TheSlowestOfManyReplicasHasThePowerOfOne)
{
    // Replicas of one stage with fresh noise only: P(step > x) of D of them is 1 - F(x)^D, F from a job of one replica.
    Scenario s = smallScenario();
    s.parallelism.pipelineModelParallelSize = 1;
    s.parallelism.zeroStage = 0;
    s.model.numLayers = 4;
    const VariabilityConfig given = s.variability;
    s.variability = {};
    s.variability.gemm = lognormal(0.3);
    s.variability.spatialSensitivity = given.spatialSensitivity;
    const auto predicted = [&](int replicas, int samples) {
        Scenario many = s;
        many.cluster.numGpus = 8 * replicas;
        many.training.globalBatchSize = 2 * replicas;
        Evaluator evaluator;
        GuaranteeQuery query;
        query.probabilities = {0.5, 0.1, 0.05};
        auto g = guarantee(evaluator, many, query, withSamples(samples));
        EXPECT_TRUE(g.ok()) << (g.ok() ? "" : g.errors().front().message);
        return std::pair(std::move(g).value(), costStep(many)->graph);
    };
    const auto [one, oneGraph] = predicted(1, 160'000);
    for (const int replicas : {4, 32}) {
        const auto [all, graph] = predicted(replicas, 40'000);
        // More replicas also synchronise for longer; that part does not vary here.
        const double longer = deterministicStepSeconds(graph) - deterministicStepSeconds(oneGraph);
        for (const LimitFor& limit : all.limits) {
            const double tail = exceedance(one.sortedAcross, limit.acrossSeconds.value - longer).value;
            EXPECT_NEAR(-std::expm1(replicas * std::log1p(-tail)), limit.probability, 0.1 * limit.probability + 0.005)
                << replicas << " replicas";
        }
    }
}
