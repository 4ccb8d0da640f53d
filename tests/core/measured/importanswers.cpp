// SPDX-License-Identifier: GPL-3.0-or-later
// Tables and logs at their longest, clocks that begin at step 0, the shortest series with a trend, and series without a level.
#include "core/measured/importmeasured.h"
#include "core/measured/seriesshape.h"
#include "core/measured/steplog.h"
#include "core/measured/steptable.h"

#include <gtest/gtest.h>

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
    const auto most = rows(20'000);
    ASSERT_TRUE(most.ok());
    EXPECT_EQ(most->size(), 20'000U);
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
        text += std::to_string(2 * k) + "," + std::to_string(100 + 10 * k) + "\n";
    const StepLog log = readStepLog(text).value();
    ASSERT_EQ(log.runs.size(), 1U);
    ASSERT_EQ(log.runs[0].steps.size(), 11U);
    for (const LoggedStep& step : log.runs[0].steps)
        EXPECT_DOUBLE_EQ(step.seconds, 5) << step.number;
}

TEST(SeriesLimits, FortyStepsAreEnoughForATrend)
{
    // Four steps for each of ten blocks; 5 s that grow by 0.8 % in a straight line.
    const auto trend = [](int steps) {
        LoggedRun run;
        for (int i = 0; i < steps; ++i)
            run.steps.push_back({5 * (1 + 0.008 * i / (steps - 1))});
        return runShape(run).trend;
    };
    EXPECT_NEAR(trend(40), 0.008, 1e-4);
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

} // namespace
} // namespace prism
