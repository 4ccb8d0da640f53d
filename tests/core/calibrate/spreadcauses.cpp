// SPDX-License-Identifier: GPL-3.0-or-later
// Causes of spread recovered from series that were made from them, and the joint model of several systems.
#include "core/calibrate/spreadcauses.h"

#include "core/calibrate/stallsteps.h"
#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism {
namespace {

double normal(std::uint64_t which, std::uint64_t i)
{
    return -std::sqrt(2.0) * boost::math::erfc_inv(2 * uniform(5, stream(which), i));
}

/// 2,000 steps of 20 s: jitter in seconds, a lasting part, a stall of 3 s every 250 steps.
CleanRun made(std::uint64_t which, double jitter, double cv, double lag1)
{
    CleanRun run;
    double z = normal(which, 0);
    for (std::uint64_t i = 0; i < 2'000; ++i) {
        z = lag1 * z + std::sqrt(1 - lag1 * lag1) * normal(which, i + 1);
        run.seconds.push_back(20 * (1 + cv * z) + jitter * normal(which + 100, i) + (i % 250 == 100 ? 3.0 : 0.0));
        run.index.push_back(static_cast<int>(i));
    }
    run.medianSeconds = medianOf(run.seconds);
    return run;
}

CleanRun runOf(std::vector<double> seconds, double median)
{
    CleanRun run{std::move(seconds), {}, median};
    for (int i = 0; i < std::ssize(run.seconds); ++i)
        run.index.push_back(i);
    return run;
}

TEST(StallSteps, SpreadsAreTheMedianDistanceTimesItsFactor)
{
    EXPECT_DOUBLE_EQ(robustSpread({1, 2, 3, 4, 10}, 3), 1.4826);                           // distances 2 1 0 1 7
    EXPECT_DOUBLE_EQ(neighbourSpread({{1, 2, 4}, {10, 13}}), 1.4826 * 2 / std::sqrt(2.0)); // 1 2 3; none between the runs
    EXPECT_DOUBLE_EQ(stepNoise({runOf({10, 12, 16}, 20)}), 1.4826 * 0.15 / std::sqrt(2.0));
}

/// Nine steps around each: of the middle one those of both levels.
TEST(StallSteps, AStallExceedsItsNineNeighbours)
{
    EXPECT_EQ(stallSizes({runOf({1, 1, 1, 1, 9, 5, 5, 5, 5, 1, 1}, 1)}, 0), std::vector<double>({4}));
    std::vector<double> level(12, 1.0);
    level[2] = 1.5;    // as long as the least, not longer
    level[6] = 1.5625; // one event with its neighbour
    level[7] = 3;
    EXPECT_EQ(stallSizes({runOf(level, 1)}, 0), std::vector<double>({0.5625 + 2}));
    EXPECT_EQ(stallSizes({runOf(level, 1)}, 0.06), std::vector<double>({2})); // ten times the noise: 0.6 s
    EXPECT_EQ(stallSizes({runOf(level, 4)}, 0.06), std::vector<double>({}));  // 2.4 s
    EXPECT_EQ(stallSizes({runOf(level, 1), runOf(level, 1)}, 0.06), std::vector<double>({2, 2}));
    std::vector<double> rest(9, 1.0 / 2);
    rest.push_back(0.75); // the noise is 0: more than half of the differences are
    EXPECT_EQ(stepsWithoutStalls({runOf(level, 2)}), rest);
}

/// Two half-waves of 40 steps, one of two and one of one, 1 %, 0.6 % and 0.3 % high, and two steps far out. Covariances by the definition,
/// steps at most five robust deviations from 1: 1.905e-4, 0.8929e-4 and 0.6673e-4 at lags 0, 1 and 2.
TEST(SpreadCauses, TheLastingPartIsWhatTwoLagsShare)
{
    std::vector<double> seconds;
    for (int i = 0; i < 400; ++i)
        seconds.push_back(10 * (1 + (i / 40 % 2 ? -0.01 : 0.01) + (i / 2 % 2 ? -0.006 : 0.006) + (i % 2 ? -0.003 : 0.003)));
    seconds[7] = 15;
    seconds[211] = 12;
    const SpreadCauses c = spreadCauses({runOf(seconds, 10)}, 36, 0);
    EXPECT_NEAR(c.regimeCv.value, 0.01093018589, 1e-10);
    EXPECT_NEAR(c.regimeLag1, 0.74736386938, 1e-10);
    EXPECT_NEAR(c.gpuHours, 36 * std::accumulate(seconds.begin(), seconds.end(), 0.0) / 3600, 1e-9);
    EXPECT_EQ(c.steps, 400);
    EXPECT_EQ(c.runMedianSpread, 0);
    EXPECT_GT(c.regimeCv.low, 0.004);
    EXPECT_LT(c.regimeCv.low, c.regimeCv.value);
    EXPECT_GT(c.regimeCv.high, c.regimeCv.value);
    EXPECT_LT(c.regimeCv.high, 0.016);
}

/// Steps that alternate by 2 %: every block, drawn again, has the same noise between neighbours.
TEST(SpreadCauses, NoiseThatOthersExplainIsTakenOffInSquares)
{
    std::vector<double> seconds;
    for (int i = 0; i < 100; ++i)
        seconds.push_back(i % 2 ? 10.1 : 9.9);
    const double noise = 1.4826 * 0.02 / std::sqrt(2.0);
    const SpreadCauses c = spreadCauses({runOf(seconds, 10), runOf(seconds, 12)}, 8, 0.01);
    EXPECT_NEAR(c.medianSeconds, 11, 1e-12);
    EXPECT_NEAR(c.runMedianSpread, std::sqrt(2.0) / 11, 1e-12); // 10 and 12
    const double all = spreadCauses({runOf(seconds, 10)}, 8, 0).jitterSeconds.value;
    EXPECT_NEAR(all, 10 * noise, 1e-9);
    for (const double x :
         {spreadCauses({runOf(seconds, 10)}, 8, 0.01).jitterSeconds.value, spreadCauses({runOf(seconds, 10)}, 8, 0.01).jitterSeconds.low,
          spreadCauses({runOf(seconds, 10)}, 8, 0.01).jitterSeconds.high})
        EXPECT_NEAR(x, 10 * std::sqrt(noise * noise - 1e-4), 1e-9);
    EXPECT_EQ(spreadCauses({runOf(seconds, 10)}, 8, 0).regimeCv.value, 0);
}

/// Two stalls of 2 and 8 s in an hour of 4 GPUs: Garwood's limits of two events are 0.2422 and 7.2247, of none 0 and 3.6889.
TEST(SpreadCauses, StallsHaveTheirRateSizeAndIntervals)
{
    std::vector<double> seconds(359, 10.0);
    seconds[50] = 12;
    seconds[200] = 18;
    const SpreadCauses c = spreadCauses({runOf(seconds, 10)}, 4, 0);
    EXPECT_DOUBLE_EQ(c.gpuHours, 4);
    EXPECT_DOUBLE_EQ(c.stallsPerGpuHour.value, 0.5);
    EXPECT_NEAR(c.stallsPerGpuHour.low, 0.24220928 / 4, 1e-7);
    EXPECT_NEAR(c.stallsPerGpuHour.high, 7.2246877 / 4, 1e-7);
    EXPECT_DOUBLE_EQ(c.stallMeanSeconds.value, 5);
    EXPECT_EQ(c.stallMeanSeconds.low, 0); // 5 less 1.96 times 4.24 over the root of 2
    EXPECT_NEAR(c.stallMeanSeconds.high, 5 + 1.959964 * 3, 1e-5);
    const double spread = std::log(4.0) * std::log(4.0) / 2; // variance of two logarithms
    EXPECT_NEAR(c.stallCv, std::sqrt(std::exp(spread) - 1), 1e-12);
    EXPECT_NE(std::find(c.notes.begin(), c.notes.end(), "2 stalls: the tail of their sizes cannot be known"), c.notes.end());
    seconds[50] = 10;
    const SpreadCauses one = spreadCauses({runOf(seconds, 10)}, 4, 0);
    EXPECT_DOUBLE_EQ(one.stallMeanSeconds.value, 8);
    EXPECT_EQ(one.stallCv, 0);
    EXPECT_NEAR(one.stallMeanSeconds.high, 8 + 1.959964 * 8, 1e-5); // as wide as itself
    seconds[200] = 10;
    const SpreadCauses none = spreadCauses({runOf(seconds, 10)}, 4, 0);
    EXPECT_EQ(none.stallsPerGpuHour.low, 0);
    EXPECT_NEAR(none.stallsPerGpuHour.high, 3.6888795 / (4 * 359 * 10 / 3600.0), 1e-6);
}

TEST(SpreadCauses, EveryCauseIsInItsParameter)
{
    SpreadCauses c;
    c.jitterSeconds.value = 0.1;
    c.regimeCv.value = 0.2;
    c.regimeLag1 = 0.3;
    c.stallsPerGpuHour.value = 0.4;
    c.stallMeanSeconds.value = 0.5;
    c.stallCv = 0.6;
    VariabilityConfig one;
    useSpread(one, c);
    EXPECT_EQ(one.stepJitterS, 0.1);
    EXPECT_EQ(one.computeRegime.cv, 0.2);
    EXPECT_EQ(one.computeRegime.family, Family::lognormal);
    EXPECT_EQ(one.computeRegimeLag1, 0.3);
    EXPECT_EQ(one.stallsPerGpuHour, 0.4);
    EXPECT_EQ(one.stallMeanS, 0.5);
    EXPECT_EQ(one.stallCv, 0.6);
    EXPECT_EQ(one.stallRateCv, 0);
    c.regimeCv.value = 0;
    useSpread(one, c);
    EXPECT_EQ(one.computeRegime.family, Family::deterministic);
}

TEST(SpreadCauses, AreRecoveredWithIntervalsThatHoldThem)
{
    const SpreadCauses c = spreadCauses({made(1, 0.03, 0.004, 0.9), made(2, 0.03, 0.004, 0.9)}, 512, 0);
    // Neighbours differ by the jitter and by the part of the regime that does not last: (1 - 0.9) 0.08^2.
    EXPECT_NEAR(c.jitterSeconds.value, std::sqrt(0.03 * 0.03 + 0.1 * 0.08 * 0.08), 0.004);
    EXPECT_NEAR(c.regimeCv.value, 0.004, 0.001);
    EXPECT_NEAR(c.regimeLag1, 0.9, 0.05);
    EXPECT_EQ(c.stalls, 16);
    EXPECT_NEAR(c.gpuHours, 2 * 2'000 * 20 * 512 / 3600.0, 100);
    EXPECT_NEAR(c.stallMeanSeconds.value, 3.0, 0.1);
    EXPECT_LT(c.stallsPerGpuHour.low, 16 / c.gpuHours);
    EXPECT_GT(c.stallsPerGpuHour.high, 16 / c.gpuHours);
}

TEST(SpreadCauses, WhiteNoiseHasNoRegimeAndWhatOthersExplainIsNoJitter)
{
    const std::vector<CleanRun> runs = {made(7, 0.04, 0, 0)};
    EXPECT_EQ(spreadCauses(runs, 8, 0).regimeCv.value, 0);
    EXPECT_NEAR(spreadCauses(runs, 8, 0).jitterSeconds.value, 0.04, 0.004);
    EXPECT_NEAR(spreadCauses(runs, 8, 0.03 / 20).jitterSeconds.value, std::sqrt(0.04 * 0.04 - 0.03 * 0.03), 0.006);
    EXPECT_EQ(spreadCauses(runs, 8, 0.01).jitterSeconds.value, 0);
}

TEST(PooledSpread, TakesTheMedianJitterAllStallsAndTheGenerationsRegime)
{
    SystemSpread a{"a", "old", {}}, b{"b", "old", {}}, c{"c", "new", {}};
    a.causes.jitterSeconds.value = 0.02;
    b.causes.jitterSeconds.value = 0.03;
    c.causes.jitterSeconds.value = 0.07;
    a.causes.gpuHours = b.causes.gpuHours = c.causes.gpuHours = 1'000;
    a.causes.stalls = 1;
    b.causes.stalls = 2;
    c.causes.stalls = 9;
    c.causes.regimeCv.value = 0.004;
    c.causes.regimeLag1 = 0.8;
    const PooledSpread fresh = pooledSpread({a, b, c}, "new"), old = pooledSpread({a, b, c}, "old");
    EXPECT_DOUBLE_EQ(fresh.jitterSeconds.value, 0.03);
    EXPECT_DOUBLE_EQ(fresh.stallsPerGpuHour.value, 12.0 / 3'000);
    EXPECT_DOUBLE_EQ(fresh.regimeCv.value, 6 * 0.004 / 8); // own weight 6, the others 1 each
    EXPECT_EQ(old.regimeCv.value, 0);                      // its systems show none
    EXPECT_DOUBLE_EQ(pooledSpread({a, b, c}, "another").regimeCv.value, 0.004 / 3);
    EXPECT_DOUBLE_EQ(fresh.regimeLag1, 0.8);
    // (1 - 4)^2 + (2 - 4)^2 + (9 - 4)^2 = 38, less 12 of sampling noise, over 3 * 16
    // between systems is less than 1, the least; the mean of three systems and of twelve stalls is not known better
    EXPECT_NEAR(fresh.stallRateCv, std::sqrt(1 + 1.0 / 3 + 1.0 / 12), 1e-9);
    c.causes.stalls = 2; // no more than sampling noise: the least that systems differ by
    EXPECT_NEAR(pooledSpread({a, b, c}, "new").stallRateCv, std::sqrt(1 + 1.0 / 3 + 1.0 / 5), 1e-9);
}

/// Means of three systems by hand; the newest counts six times in the regime, as does its persistence by its size.
TEST(PooledSpread, SumsAndMediansOfThreeSystems)
{
    SystemSpread a{"a", "old", {}}, b{"b", "old", {}}, c{"c", "new", {}};
    const auto set = [](SystemSpread& s, double jitter, double hours, int stalls, double size, double cv, double regime, double lag1) {
        s.causes.jitterSeconds.value = jitter;
        s.causes.gpuHours = hours;
        s.causes.stalls = stalls;
        s.causes.stallMeanSeconds.value = size;
        s.causes.stallCv = cv;
        s.causes.regimeCv.value = regime;
        s.causes.regimeLag1 = lag1;
    };
    set(a, 0.05, 1'000, 0, 9, 9, 0.002, 0.5);
    set(b, 0.01, 2'000, 1, 2, 9, 0.006, 0.9);
    set(c, 0.02, 5'000, 7, 4, 0.5, 0.004, 0.7);
    const PooledSpread p = pooledSpread({a, b, c}, "new");
    EXPECT_EQ(p.systems, 3);
    EXPECT_EQ(p.ofGeneration, 1);
    EXPECT_EQ(p.jitterSeconds.value, 0.02);
    EXPECT_EQ(p.jitterSeconds.low, 0.01);
    EXPECT_EQ(p.jitterSeconds.high, 0.05);
    EXPECT_DOUBLE_EQ(p.stallsPerGpuHour.value, 0.001);
    EXPECT_EQ(p.stallMeanSeconds, 3); // of the two that stalled
    EXPECT_EQ(p.stallCv, 0.5);        // of the one that did twice
    EXPECT_NEAR(p.regimeCv.value, (0.002 + 0.006 + 6 * 0.004) / 8, 1e-15);
    EXPECT_NEAR(p.regimeLag1, (0.002 * 0.5 + 0.006 * 0.9 + 6 * 0.004 * 0.7) / 0.032, 1e-12);
    EXPECT_EQ(p.regimeCv.high, 0.006);
    // Expected 1, 2 and 5 stalls: squares less their counts 1 - 1, 1 - 2 and 4 - 5 show no more than sampling noise: 1.
    const double hours = (1e6 + 4e6 + 25e6) / 64e6;
    EXPECT_NEAR(p.stallRateCv, std::sqrt(1 + hours + 1.0 / 8), 1e-12);
    b.causes.stalls = 60; // far more than sampling noise
    const double mean = 67.0 / 8'000, n[] = {mean * 1'000, mean * 2'000, mean * 5'000};
    const double between = ((0 - n[0]) * (0 - n[0]) - n[0] + (60 - n[1]) * (60 - n[1]) - n[1] + (7 - n[2]) * (7 - n[2]) - n[2])
                           / (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    EXPECT_NEAR(pooledSpread({a, b, c}, "new").stallRateCv, std::sqrt(between * (1 + hours) + 1.0 / 67), 1e-12);
    b.causes.stalls = c.causes.stalls = 0;
    const PooledSpread none = pooledSpread({a, b, c}, "new");
    EXPECT_NEAR(none.stallRateCv, std::sqrt(1 + hours), 1e-12);
    EXPECT_EQ(none.stallCv, 1);
    std::vector<SystemSpread> many(40, c); // one that stalls forty times as often as all: beyond the most that the parameter takes
    many[0].causes.stalls = 1'000;
    EXPECT_EQ(pooledSpread(many, "new").stallRateCv, 5);
    EXPECT_EQ(pooledSpread({}, "new").systems, 0);
}

TEST(StallRange, IsThatOfThePoissonAndTheGeometricDistribution)
{
    const auto range = [](double rate, double cv, double hours) {
        const CountRange r = stallRange(rate, cv, hours);
        return std::pair(r.low, r.high);
    };
    EXPECT_EQ(range(0.002, 0, 5'000), std::pair(3, 17)); // of mean 10, rounded outwards
    EXPECT_EQ(range(0.002, 0.001, 5'000), std::pair(3, 17));
    EXPECT_EQ(range(0.002, 1, 5'000), std::pair(0, 38)); // ln 0.025 / ln (10 / 11) = 38.7
    EXPECT_EQ(range(100, 0, 1e9), std::pair(1'000'000'000, 1'000'000'000));
}

TEST(StallRange, IncludesThatSystemsDiffer)
{
    const CountRange equal = stallRange(0.002, 0, 5'000), differing = stallRange(0.002, 1, 5'000);
    EXPECT_NEAR(equal.low, 4, 1); // Poisson of mean 10
    EXPECT_NEAR(equal.high, 17, 1);
    EXPECT_LT(differing.low, equal.low);
    EXPECT_NEAR(differing.high, 38, 2); // geometric of mean 10: ln 0.025 / ln (10 / 11)
    EXPECT_EQ(stallRange(0, 1, 5'000).high, 0);
}

} // namespace
} // namespace prism
