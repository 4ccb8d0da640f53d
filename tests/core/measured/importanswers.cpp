// SPDX-License-Identifier: GPL-3.0-or-later
// Tables and logs at their longest, clocks that begin at step 0, the shortest series with a trend, and series without a level.
#include "core/measured/importmeasured.h"
#include "core/measured/seriesshape.h"
#include "core/measured/steplog.h"
#include "core/measured/steptable.h"

#include "core/stats/moments.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace prism {
namespace {

TEST(ImportLimits, TwentyThousandRowsOfACollective)
{
    const auto rows = [](int count) {
        std::string text = "# Rank 0 a\n# Rank 1 a\n";
        for (int k = 0; k < count; ++k)
            text += "8 2 f 1 1 1 0\n";
        return ncclTestsRows(text, {.op = "all_reduce"});
    };
    const auto largest = rows(20'000);
    ASSERT_TRUE(largest.ok());
    EXPECT_EQ(largest->size(), 20'000U);
    const auto more = rows(20'001);
    ASSERT_EQ(more.errors().size(), 1U);
    EXPECT_EQ(more.errors()[0].message, "there are too many rows");
    EXPECT_EQ(more.errors()[0].accepted, "at most 20000");
}

TEST(ImportLimits, TwentyThousandRowsOfPublishedSteps)
{
    const auto isRead = [](int rows) {
        std::string text = "# GPUs,global batch,micro batch,hidden size,attention heads,# layers,sequence length,tensor parallelism,"
                           "data parallelism,pipeline parallelism,iteration time (ms)\n";
        for (int k = 0; k < rows; ++k)
            text += "8,1,1,64,1,1,8,1,1,8,1\n";
        return stepTableAsJson(text).ok();
    };
    EXPECT_TRUE(isRead(20'000));
    EXPECT_FALSE(isRead(20'001));
}

TEST(LogLimits, AClockCountsItsStepsFromStepZero)
{
    // Every second step from 0 on, one in 10 s: 5 s a step from the first line on.
    std::string text = "step,elapsed\n";
    for (int k = 0; k < 12; ++k)
        text += std::to_string(2 * k) + "," + std::to_string(10 + 10 * k) + "\n";
    const StepLog log = readStepLog(text).value();
    ASSERT_EQ(log.runs.size(), 1U);
    ASSERT_EQ(log.runs[0].steps.size(), 11U);
    for (const LoggedStep& step : log.runs[0].steps)
        EXPECT_DOUBLE_EQ(step.seconds, 5) << step.number;
}

TEST(SeriesLimits, FortyStepsAreEnoughForATrend)
{
    // Four steps for each of ten blocks; 5 s that grow by 0.4 % in a straight line: no step is 0.3 % off the level.
    const auto trend = [](int steps) {
        LoggedRun run;
        for (int i = 0; i < steps; ++i)
            run.steps.push_back({5 * (1 + 0.004 * i / (steps - 1))});
        return runShape(run).trend;
    };
    EXPECT_NEAR(trend(40), 0.004 / 1.002, 1e-9); // over the middle
    EXPECT_EQ(trend(39), 0);
}

TEST(SeriesLimits, StepsWhoseMedianIsZeroKeepTheirSeconds)
{
    LoggedRun run;
    for (const double seconds : {0.0, 0.0, 0.0, 3.0, 0.0})
        run.steps.push_back({seconds});
    const CleanRun clean = cleanRun(run, RunShape{}, {});
    EXPECT_EQ(clean.seconds, (std::vector<double>{0, 0, 0, 3, 0})) << "there is no level that they could be brought to";
    EXPECT_EQ(clean.medianSeconds, 0);
}

TEST(ImportLimits, ATableWithoutRowsIsRefusedAtItsFirstLine)
{
    const auto read = operatorTableRows("m,n,k,time_us\n");
    ASSERT_EQ(read.errors().size(), 1U);
    EXPECT_EQ(read.errors()[0].path, "line 1");
    EXPECT_EQ(read.errors()[0].message, "there is no row in this table");
}

TEST(LogLimits, ALineWithoutAStepHasNoNumber)
{
    const StepLog log = readStepLog("train_step_timing in s: 2.5\ntrain_step_timing in s: 3.5\n").value();
    ASSERT_EQ(log.steps(), 2U);
    for (const LoggedStep& step : log.runs[0].steps)
        EXPECT_EQ(step.number, -1);
}

using Triple = std::array<double, 3>;

double determinantOf(const Triple& a, const Triple& b, const Triple& c)
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1]);
}

/// Twenty rounds of least squares of 1, u and u^2 with the bisquare weights of the residuals before (Beaton and Tukey 1974, 4.685 times
/// 1.4826 times their median size), from the median on; each solved by Cramer's rule.
Triple reweighted(const std::vector<double>& y, const std::vector<double>& u)
{
    Triple terms = {medianOf(y), 0, 0};
    for (int round = 0; round < 20; ++round) {
        std::vector<double> residuals, sizes;
        for (std::size_t i = 0; i < y.size(); ++i) {
            residuals.push_back(y[i] - terms[0] - terms[1] * u[i] - terms[2] * u[i] * u[i]);
            sizes.push_back(std::abs(residuals.back()));
        }
        const double reach = 4.685 * 1.4826 * medianOf(sizes);
        std::array<double, 5> power{};
        Triple right{};
        for (std::size_t i = 0; i < y.size(); ++i) {
            if (sizes[i] >= reach)
                continue;
            const double weight = std::pow(1 - std::pow(residuals[i] / reach, 2), 2);
            for (std::size_t k = 0; k < 5; ++k)
                power[k] += weight * std::pow(u[i], static_cast<double>(k));
            for (std::size_t k = 0; k < 3; ++k)
                right[k] += weight * y[i] * std::pow(u[i], static_cast<double>(k));
        }
        const Triple a = {power[0], power[1], power[2]}, b = {power[1], power[2], power[3]}, c = {power[2], power[3], power[4]};
        const double all = determinantOf(a, b, c);
        terms = {determinantOf(right, b, c) / all, determinantOf(a, right, c) / all, determinantOf(a, b, right) / all};
    }
    return terms;
}

TEST(SeriesLimits, ATrendIsTheReweightedFitOfNoisySteps)
{
    // A curve with steps up to 0.02 s off it, some of them five times as far: inside, at and beyond the reach of the weights.
    std::vector<double> x, u;
    for (int i = 0; i < 61; ++i) {
        u.push_back(i / 30.0 - 1);
        const double off = 0.04 * ((i * i * 37 % 61) / 61.0 - 0.5);
        x.push_back(10 * (1 + 0.006 * u.back() + 0.003 * u.back() * u.back()) + (i % 9 == 4 ? 5 : 1) * off);
    }
    LoggedRun run;
    for (const double seconds : x)
        run.steps.push_back({seconds});
    const RunShape shape = runShape(run);
    ASSERT_TRUE(shape.warmUp == 0 && shape.afterPause.empty() && shape.shifts.empty());
    std::vector<double> y;
    for (const double seconds : x)
        y.push_back(seconds / medianOf(x));
    const Triple terms = reweighted(y, u);
    EXPECT_NEAR(shape.trendTerms[0], terms[1] / terms[0], 1e-12);
    EXPECT_NEAR(shape.trendTerms[1], terms[2] / terms[0], 1e-12);
    EXPECT_NEAR(shape.trend, 2 * terms[1] / terms[0], 1e-12);
}

} // namespace
} // namespace prism
