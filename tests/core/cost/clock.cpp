// SPDX-License-Identifier: GPL-3.0-or-later
// The sustained clock: P = idle + matrix * load * f^2.
#include "core/cost/clock.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

TEST(Clock, HoldsTheBoostClockWhereThePowerSuffices)
{
    EXPECT_DOUBLE_EQ(sustainedClock(700, {100, 500}, 1), 1.0);
    EXPECT_DOUBLE_EQ(sustainedClock(700, {100, 2400}, 0.25), 1.0);
    EXPECT_DOUBLE_EQ(sustainedClock(0, {100, 9000}, 1), 1.0); // no limit is known
}

TEST(Clock, FallsWithTheRootOfWhatThePowerLeaves)
{
    EXPECT_DOUBLE_EQ(sustainedClock(700, {100, 2400}, 1), 0.5);
    EXPECT_DOUBLE_EQ(sustainedClock(700, {100, 2400}, 0.5), std::sqrt(0.5));
    EXPECT_GT(sustainedClock(1400, {300, 2400}, 1), sustainedClock(1200, {300, 2400}, 1));
}

/// GB300's matrix products: 617 TFLOP/s at 500 W over 1,600 to 2,174 at 1,400 W (facebookexperimental/triton PR 2023).
TEST(Clock, FollowsABoardThatWasMeasuredAtTwoLimits)
{
    const PowerDraw draw{350, 2400};
    const double ratio = sustainedClock(500, draw, 1) / sustainedClock(1400, draw, 1);
    EXPECT_GT(ratio, 617.0 / 2174);
    EXPECT_LT(ratio, 617.0 / 1600);
}

TEST(Clock, NeverStopsAndNeverExceedsOne)
{
    for (const double watts : {1.0, 50.0, 100.0, 700.0})
        for (const double load : {-1.0, 0.0, 0.3, 1.0, 7.0}) {
            const double f = sustainedClock(watts, {100, 800}, load);
            EXPECT_GT(f, 0.0);
            EXPECT_LE(f, 1.0);
        }
}

} // namespace
} // namespace prism
