// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/guarantee/trainingtime.h"

#include "core/insight/guarantee/guarantee.h"
#include "core/insight/scenarios.h"
#include "core/sim/simulate.h"
#include "core/stats/quantile.h"
#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

using namespace prism;
using namespace prism::testscenarios;

namespace {

constexpr double kDay = 86400;

double normalQuantile(double u)
{
    Distribution d = lognormal(std::sqrt(std::exp(1.0) - 1.0));
    return std::log(baseQuantile(d, u)) + 0.5;
}

double variance(const std::vector<double>& x)
{
    double mean = 0, sum = 0;
    for (const double v : x)
        mean += v / static_cast<double>(x.size());
    for (const double v : x)
        sum += (v - mean) * (v - mean);
    return sum / static_cast<double>(x.size() - 1);
}

/// Jobs whose mean steps are exactly normal.
TrainingInputs normalJobs(double mean, double std, std::size_t jobs)
{
    TrainingInputs in;
    for (std::size_t i = 0; i < jobs; ++i)
        in.jobMeans.push_back(mean + std * normalQuantile((static_cast<double>(i) + 0.5) / static_cast<double>(jobs)));
    in.tokens = 1e6;
    in.tokensPerStep = 1e3;
    return in;
}

} // namespace

TEST(TrainingTime, SumOfAnAutoregressiveSeriesHasTheStatedVariance)
{
    // Steps with variance s^2, of which a share c is an AR(1) with lag-1 correlation rho.
    constexpr int kSteps = 400, kSeries = 6'000;
    const double s = 0.3, c = 0.6, rho = 0.35;
    std::vector<double> sums;
    for (int k = 0; k < kSeries; ++k) {
        const auto draw = [&](std::uint64_t what, int i) {
            return normalQuantile(uniform(3, stream(what, static_cast<std::uint64_t>(k)), static_cast<std::uint64_t>(i)));
        };
        double z = draw(1, 0), sum = 0;
        for (int i = 0; i < kSteps; ++i) {
            z = i == 0 ? z : rho * z + std::sqrt(1 - rho * rho) * draw(1, i);
            sum += s * (std::sqrt(c) * z + std::sqrt(1 - c) * draw(2, i));
        }
        sums.push_back(sum);
    }
    TrainingInputs in = normalJobs(1, 0, 10);
    in.tokens = kSteps * in.tokensPerStep;
    in.withinVariance = s * s;
    in.regimeShare = c;
    in.regimeLag1 = rho;
    const double stated = trainingTime(in).stdStepsDays * kDay;
    // The standard error of a variance from 6,000 series is 1.8 %; the ends of a series of 400 take 0.2 %.
    EXPECT_NEAR(variance(sums) / (stated * stated), 1, 0.06);
    EXPECT_DOUBLE_EQ(correlationFactor(0, 0.9), 1);
    EXPECT_DOUBLE_EQ(correlationFactor(1, 0.5), 3);
}

TEST(TrainingTime, SpreadOverJobsStaysHoweverLongTheJob)
{
    TrainingInputs in = normalJobs(2, 0.04, 4'000);
    in.withinVariance = 0.25;
    for (const double tokens : {1e6, 1e8, 1e10}) {
        in.tokens = tokens;
        const TrainingTime t = trainingTime(in);
        EXPECT_NEAR(t.stdJobDays / t.meanDays, 0.02, 1e-4);
        EXPECT_NEAR(t.stdStepsDays / t.meanDays, 0.25 / std::sqrt(t.steps), 1e-3 * 0.25 / std::sqrt(t.steps));
        EXPECT_NEAR((t.p95Days - t.p5Days) / t.meanDays, 2 * 1.6449 * std::hypot(0.02, 0.25 / std::sqrt(t.steps)), 0.003);
    }
    // Independent steps would claim less and less.
    const TrainingTime t = trainingTime(in);
    EXPECT_NEAR(t.stdIfIndependentDays / t.stdJobDays, std::sqrt((0.25 + 0.0016) / t.steps) / 0.04, 1e-4);
    EXPECT_LT(t.stdIfIndependentDays, 0.01 * t.stdJobDays);
}

TEST(TrainingTime, TheSimulatedStepsOfAJobAreCorrelatedAsStated)
{
    // Only the regime between nodes varies: every step of a job is a function of it.
    Scenario s = smallScenario();
    const double regimeLag1 = s.variability.regimeLag1;
    ASSERT_GT(regimeLag1, 0.2);
    s.variability = {};
    s.variability.interRegime = lognormal(0.3);
    s.variability.regimeLag1 = regimeLag1;
    SimOptions options;
    options.numSamples = 100;
    options.numWithinSamples = 60'000;
    const std::vector<double> steps = simulate(costStep(s)->graph, options).withinSeconds;
    constexpr std::size_t kBatch = 100;
    std::vector<double> sums;
    for (std::size_t i = 0; i + kBatch <= steps.size(); i += kBatch)
        sums.push_back(
            std::accumulate(steps.begin() + static_cast<std::ptrdiff_t>(i), steps.begin() + static_cast<std::ptrdiff_t>(i + kBatch), 0.0));
    ASSERT_EQ(sums.size(), 600U);
    Evaluator evaluator;
    const auto g = guarantee(evaluator, s, {}, withSamples(20'000));
    ASSERT_TRUE(g.ok());
    const double stated = g->training.steps / g->training.effectiveIndependentSteps;
    // 600 batches know a variance to 5.8 %, 20,000 steps the correlation to 0.007.
    EXPECT_NEAR(variance(sums) / (kBatch * variance(steps)), stated, 0.18 * stated);
    EXPECT_GT(stated, 1.2);
    EXPECT_LE(stated, 1.05 * correlationFactor(1, regimeLag1));
}

TEST(TrainingTime, FourJobsByHand)
{
    TrainingInputs in;
    in.jobMeans = {4, 1, 3, 2};
    in.tokensPerStep = 0.1;
    in.tokens = 8'639.95; // 86,399.5 steps are 86,400: one day per second of the mean step
    in.meanHalfWidth = 0.6;
    in.p95HalfWidth = 0.8;
    const TrainingTime t = trainingTime(in);
    EXPECT_EQ(t.steps, 86'400);
    EXPECT_EQ(t.tokens, 8'639.95);
    EXPECT_EQ(t.sortedDays, (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(t.meanDays, 2.5);
    EXPECT_NEAR(t.p5Days, 1.15, 1e-12);
    EXPECT_NEAR(t.p50Days, 2.5, 1e-12);
    EXPECT_NEAR(t.p95Days, 3.85, 1e-12);
    EXPECT_NEAR(t.p99Days, 3.97, 1e-12);
    EXPECT_NEAR(t.stdJobDays, std::sqrt(5.0 / 3), 1e-12);
    EXPECT_EQ(t.stdStepsDays, 0);
    EXPECT_NEAR(t.stdIfIndependentDays, std::sqrt(86'400 * 5.0 / 3) / kDay, 1e-12);
    EXPECT_EQ(t.effectiveIndependentSteps, 86'400);
    EXPECT_NEAR(t.p50.halfWidth, std::hypot(quantileEstimate(t.sortedDays, 0.5).halfWidth, 0.6), 1e-12);
    EXPECT_NEAR(t.p95.halfWidth, std::hypot(quantileEstimate(t.sortedDays, 0.95).halfWidth, 0.6, 0.8), 1e-12);
    in.withinVariance = 4 * 86'400.0;
    in.regimeShare = 0.5;
    in.regimeLag1 = 0.5; // 1 - 0.5 + 0.5 x 3 = 2
    EXPECT_NEAR(correlationFactor(0.5, 0.5), 2, 1e-15);
    const TrainingTime noisy = trainingTime(in);
    EXPECT_NEAR(noisy.stdStepsDays, 2 * std::sqrt(2.0), 1e-12);
    EXPECT_NEAR(noisy.stdIfIndependentDays, std::sqrt(86'400 * (4 * 86'400 + 5.0 / 3)) / kDay, 1e-9);
    EXPECT_EQ(noisy.effectiveIndependentSteps, 43'200);
    EXPECT_EQ(noisy.sortedDays.front(), 0) << "no run takes less than no time";
    // Evenly spread normals: the first position is 0.5 of the golden ratio, the second 1.5 of it less none.
    const double first = std::fmod(0.5 * 0.6180339887498949, 1.0), second = std::fmod(1.5 * 0.6180339887498949, 1.0);
    in.jobMeans = {40, 40};
    const TrainingTime two = trainingTime(in);
    EXPECT_NEAR(two.sortedDays[0], 40 + 2 * std::sqrt(2.0) * normalQuantile(first), 1e-6);
    EXPECT_NEAR(two.sortedDays[1], 40 + 2 * std::sqrt(2.0) * normalQuantile(second), 1e-6);
}
