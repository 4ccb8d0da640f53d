// SPDX-License-Identifier: GPL-3.0-or-later
// Causes of spread recovered from series that were made from them, and what several systems have in common.
#include "core/calibrate/spreadcauses.h"

#include "core/stats/random.h"

#include <gtest/gtest.h>

#include <boost/math/special_functions/erf.hpp>

#include <cmath>

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
    // (1 - 4)^2 + (2 - 4)^2 + (9 - 4)^2 = 38, less 12 by chance, over 3 * 16
    // between systems; the mean of three systems and of twelve stalls is not known better
    EXPECT_NEAR(fresh.stallRateCv, std::sqrt(26.0 / 48 * (1 + 1.0 / 3) + 1.0 / 12), 1e-9);
    c.causes.stalls = 2; // no more than chance: the least that systems differ by
    EXPECT_NEAR(pooledSpread({a, b, c}, "new").stallRateCv, std::sqrt(0.25 * (1 + 1.0 / 3) + 1.0 / 5), 1e-9);
}

TEST(StallRange, KnowsThatSystemsDiffer)
{
    const CountRange alike = stallRange(0.002, 0, 5'000), differing = stallRange(0.002, 1, 5'000);
    EXPECT_NEAR(alike.low, 4, 1); // Poisson of mean 10
    EXPECT_NEAR(alike.high, 17, 1);
    EXPECT_LT(differing.low, alike.low);
    EXPECT_NEAR(differing.high, 38, 2); // geometric of mean 10: ln 0.025 / ln (10 / 11)
    EXPECT_EQ(stallRange(0, 1, 5'000).high, 0);
}

} // namespace
} // namespace prism
