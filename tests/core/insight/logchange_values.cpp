// SPDX-License-Identifier: GPL-3.0-or-later
// Two logs of steps without noise, or of steps in turn: every changed value and its interval by hand.
#include "core/insight/change/recordingchange.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

/// Student's t at 0.025 / 8 of 23 and of 18 degrees of freedom.
constexpr double kReach23 = 3.009453928544735, kReach18 = 3.0947997702111456;

LoggedRun exactRun(const std::vector<double>& seconds)
{
    LoggedRun run;
    for (const double s : seconds)
        run.steps.push_back({s});
    return run;
}

/// `count` steps that are `low` and `high` in turn.
std::vector<double> inTurn(std::size_t count, double low, double high)
{
    std::vector<double> x;
    for (std::size_t i = 0; i < count; ++i)
        x.push_back(i % 2 == 0 ? low : high);
    return x;
}

/// Parts of `count` equal steps each.
std::vector<double> inParts(std::size_t count, const std::vector<double>& levels)
{
    std::vector<double> x;
    for (const double level : levels)
        x.insert(x.end(), count, level);
    return x;
}

/// Constant steps behind a warm-up of `warmUp` steps of twice the time.
std::vector<double> warmedUp(std::size_t warmUp, std::size_t count, double seconds)
{
    std::vector<double> x(count, seconds);
    std::fill_n(x.begin(), warmUp, 2 * seconds);
    return x;
}

ChangedMetric logChangeOf(const std::vector<std::vector<double>>& before, const std::vector<std::vector<double>>& after,
                          const std::string& name)
{
    StepLog b, a;
    for (const auto& run : before)
        b.runs.push_back(exactRun(run));
    for (const auto& run : after)
        a.runs.push_back(exactRun(run));
    const auto report = logChanges(b, a);
    if (report.ok())
        for (const ChangedMetric& f : report->metrics)
            if (f.name == name)
                return f;
    ADD_FAILURE() << name;
    return {};
}

void expectLogChange(const ChangedMetric& f, double before, double after, double half, double within = 1e-9)
{
    EXPECT_NEAR(f.before, before, within) << f.name;
    EXPECT_NEAR(f.after, after, within) << f.name;
    EXPECT_NEAR(f.change.value, after - before, within) << f.name;
    EXPECT_NEAR(f.change.low, after - before - half, within) << f.name;
    EXPECT_NEAR(f.change.high, after - before + half, within) << f.name;
}

TEST(LogChangeValues, StepsInTurnHaveTheIntervalsOfIdenticalRuns)
{
    // 200 steps of 10 and 10.02 s, 300 of 11 and 11.04 s: blocks of 20 hold ten of each, so redraws do not vary. 10 + 15 blocks.
    const std::vector<std::vector<double>> before = {inTurn(200, 10, 10.02)}, after = {inTurn(300, 11, 11.04)};
    const double share = kReach23 * 0.003;
    expectLogChange(logChangeOf(before, after, "mean"), 10.01, 11.02, share * std::hypot(10.01, 11.02));
    expectLogChange(logChangeOf(before, after, "p50"), 10.01, 11.02, share * std::hypot(10.01, 11.02));
    expectLogChange(logChangeOf(before, after, "p95"), 10.02, 11.04, share * std::hypot(10.02, 11.04));
    expectLogChange(logChangeOf(before, after, "p99"), 10.02, 11.04, share * std::hypot(10.02, 11.04));
    // Every difference of neighbours is 0.02 and 0.04: 1.4826 / sqrt(2) of it, known to 15 %.
    const double jb = 1.4826 * 0.02 / std::sqrt(2.0), ja = 1.4826 * 0.04 / std::sqrt(2.0);
    expectLogChange(logChangeOf(before, after, "jitter"), jb, ja, kReach23 * 0.15 * std::hypot(jb, ja));
    // Without a trend and a warm-up: 0.3 % of a run, and the root of one step.
    expectLogChange(logChangeOf(before, after, "trend"), 0, 0, kReach18 * 0.003 * std::sqrt(2.0));
    expectLogChange(logChangeOf(before, after, "warm-up"), 0, 0, kReach18 * std::sqrt(2.0));
}

TEST(LogChangeValues, WarmUpsAreKnownToTheirRootOrToWhatRunsDifferBy)
{
    // One run of 3: variance 3 + 1. Runs of 2 and 8: variance 18, of their mean 9. Nineteen steps are not a run.
    expectLogChange(logChangeOf({warmedUp(3, 100, 10)}, {warmedUp(2, 100, 10), warmedUp(8, 100, 10), warmedUp(1, 19, 10)}, "warm-up"), 3, 5,
                    kReach18 * std::sqrt(4.0 + 9));
    // Runs of 4 and 5 differ by less than a root: (4.5 + 1) / 2. Twenty steps are a run.
    expectLogChange(logChangeOf({warmedUp(4, 100, 10), warmedUp(5, 100, 10)}, {std::vector<double>(20, 10.0)}, "warm-up"), 4.5, 0,
                    kReach18 * std::sqrt(2.75 + 1));
}

TEST(LogChangeValues, ATrendIsTheLastingChangeOfTheLevel)
{
    // 10 to 11 s at the middle, and a run without: 0.1 and 0, variance 0.005. After: 10, 12 and 9 s, 1.2 x 0.75 - 1 = -0.1.
    expectLogChange(logChangeOf({inParts(100, {10, 11}), inParts(100, {10, 10})}, {inParts(100, {10, 12, 9})}, "trend"), 0.05, -0.1,
                    kReach18 * std::sqrt(0.005 / 2 + 9e-6));
    // A line of 0.8 % and one of -0.6 % over the run leave no scatter.
    std::vector<double> rising, descending;
    for (int i = 0; i < 400; ++i) {
        const double u = 2 * i / 399.0 - 1;
        rising.push_back(10 * (1 + 0.004 * u));
        descending.push_back(12 * (1 - 0.003 * u));
    }
    expectLogChange(logChangeOf({rising}, {descending}, "trend"), 0.008, -0.006, kReach18 * 0.003 * std::sqrt(2.0), 1e-7);
}

TEST(LogChangeValues, TheScatterOfTenthsLimitsATrend)
{
    // Medians of tenths over 10 s: 0, 1, -1, 2, 0, -2, 1, -1, 0, 0 thousandths, variance 12 / 9 of 1e-6. Four times that over 10 / 3, and
    // 0.3 % squared: 1.6e-6 + 9e-6.
    const std::vector<double> scattered = inParts(20, {10, 10.01, 9.99, 10.02, 10, 9.98, 10.01, 9.99, 10, 10}), even(200, 11.0);
    expectLogChange(logChangeOf({scattered}, {even}, "trend"), 0, 0, kReach18 * std::sqrt(1.06e-5 + 9e-6));
    // Two runs: the mean variance of one, over two. Four runs after, of which two are scattered: 9.8e-6 over four.
    expectLogChange(logChangeOf({scattered, even}, {scattered, even, even, scattered}, "trend"), 0, 0,
                    kReach18 * std::sqrt(9.8e-6 / 2 + 9.8e-6 / 4));
}

TEST(LogChangeValues, StallsAreComparedWithTheRangeOfTheRateBefore)
{
    // Three events in 198 steps after a warm-up of two; five in 4,000.
    std::vector<double> before = inTurn(200, 10, 10.02), after = inTurn(4'000, 10, 10.02);
    before[0] = before[1] = 20;
    for (const std::size_t i : {50U, 90U, 91U, 137U})
        before[i] += 8;
    for (const std::size_t i : {160U, 1'140U, 1'155U, 2'001U, 3'260U, 3'261U, 3'262U})
        after[i] += 8;
    const ChangedMetric f = logChangeOf({before}, {after}, "stalls");
    EXPECT_NEAR(f.before, 3'000.0 / 198, 1e-9);
    EXPECT_NEAR(f.after, 1.25, 1e-12);
    EXPECT_NEAR(f.change.value, 1.25 - 3'000.0 / 198, 1e-9);
    // Half a stall more; rates of runs differ by half on both sides: variance 2 x 0.25 + 1 / 3.5.
    const CountRange range = stallRange(3.5 / 198, std::sqrt(0.5 + 1 / 3.5), 4'000);
    EXPECT_EQ(range.low, 2);
    EXPECT_EQ(range.high, 237);
    EXPECT_NEAR(f.change.low, (5.0 - range.high) / 4, 1e-9);
    EXPECT_NEAR(f.change.high, (5.0 - range.low) / 4, 1e-9);
    EXPECT_FALSE(f.isBeyondNoise());
}

} // namespace
} // namespace prism
