// SPDX-License-Identifier: GPL-3.0-or-later
// The closed forms against worked-out values: exponential failures, M 6480 s, checkpoint 60 s, restart 300 s.
#include "core/job/checkpointing.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

constexpr CheckpointedRun kRun{6480, 60, 300};

TEST(Checkpointing, IntervalsOfYoungDalyAndTheExactOptimum)
{
    EXPECT_NEAR(youngInterval(60, 6480), 881.8, 0.05);
    EXPECT_NEAR(dalyInterval(60, 6480), 842.3, 0.05);
    EXPECT_NEAR(exactInterval(60, 6480), 842.3, 0.05);
    EXPECT_NEAR(youngInterval(600, 3600), 2078, 0.5);
    EXPECT_NEAR(dalyInterval(600, 3600), 1698, 0.5);
    EXPECT_NEAR(exactInterval(600, 3600), 1699, 0.5);
}

TEST(Checkpointing, TheExactIntervalIsAMinimumOfTheExpectedTime)
{
    for (const double d : {1.0, 60.0, 600.0})
        for (const double m : {900.0, 6480.0, 1e6}) {
            const CheckpointedRun run{m, d, 300};
            const double best = exactInterval(d, m), at = expectedRunTime(run, best, 1).mean / best;
            EXPECT_LT(at, expectedRunTime(run, best * 1.02, 1).mean / (best * 1.02));
            EXPECT_LT(at, expectedRunTime(run, best * 0.98, 1).mean / (best * 0.98));
        }
}

TEST(Checkpointing, ExpectedTimeAndDeviation)
{
    const RunTime t = expectedRunTime(kRun, 900, 40);
    EXPECT_NEAR(t.mean, 43'352, 0.5);
    EXPECT_NEAR(t.std, 2'225, 0.5);
    EXPECT_NEAR(expectedRunTime({6480, 0, 300}, 7200, 1).mean / 3600, 3.842, 0.0005);
}

TEST(Checkpointing, AsynchronousCheckpoints)
{
    EXPECT_NEAR(asyncInterval(5, 120, 6480), 254.6, 0.05);
    EXPECT_NEAR(asyncLoss(asyncInterval(5, 120, 6480), 5, 120, 300, 6480), 0.1041, 5e-5);
    EXPECT_EQ(asyncInterval(0.01, 120, 6480), 120); // never more often than a checkpoint takes to be safe
}

TEST(Checkpointing, EffectiveTrainingTimeRatio)
{
    const auto run = [](double nodes, double perNodeDay, double w, double u0) {
        return CheckpointedRun{1440 / (nodes * perNodeDay), w, u0};
    };
    EXPECT_NEAR(exactEttr(run(128, 0.0065, 5, 10), 60), 0.9006, 5e-5);
    EXPECT_NEAR(exactEttr(run(2048, 0.0065, 5, 5), 60), 0.6429, 5e-5);
}

TEST(Checkpointing, MeanTimeBetweenFailuresBySize)
{
    // 6.5 failures per 1,000 node-days, 8 GPUs per node: 1.8 h at 16,384 GPUs, 0.23 h at 131,072 (arXiv 2410.21680).
    EXPECT_NEAR(jobMtbfHours(6.5, 16'384 / 8.0), 1.8, 0.05);
    EXPECT_NEAR(jobMtbfHours(6.5, 131'072 / 8.0), 0.23, 0.005);
    EXPECT_TRUE(std::isinf(jobMtbfHours(0, 2048)));
}

TEST(Checkpointing, WithoutFailuresNothingIsLost)
{
    const CheckpointedRun never{INFINITY, 60, 300};
    EXPECT_EQ(expectedRunTime(never, 900, 10).mean, 9'600);
    EXPECT_EQ(expectedRunTime(never, 900, 10).std, 0);
    EXPECT_TRUE(std::isinf(exactInterval(60, INFINITY)));
}

/// Failures within a segment L that is short against M are uniform: X has the mean L / 2 and the variance L^2 / 12, so that E X^2 = L^2
/// / 3. One segment of L = 10 s, M = 1e6 s, no restart: K = 1e-5 failures, variance K (L^2 / 12 + (1 + K) L^2 / 4) = K L^2 / 3.
TEST(Checkpointing, DeviationOfASegmentThatIsShortAgainstTheMeanTimeBetweenFailures)
{
    EXPECT_NEAR(expectedRunTime({1e6, 0, 0}, 10, 1).std, std::sqrt(1e-5 * 100 / 3), 1e-6);
    // The series and the closed form join at L / M = 1e-4.
    EXPECT_NEAR(expectedRunTime({1e6, 0, 0}, 99.99, 1).std / expectedRunTime({1e6, 0, 0}, 100.01, 1).std, std::pow(0.9998, 1.5), 1e-3);
}

} // namespace
} // namespace prism
