// SPDX-License-Identifier: GPL-3.0-or-later
// Where the axis of the step times ends: rare long steps leave the body its room.
#include "ui/distribution/distributionpage.h"

#include <gtest/gtest.h>

namespace prism::ui::test {

namespace {

/// Even steps from 6 to 7 s, `rare` of 10,000 of which take ten times as long.
std::vector<double> steps(int rare)
{
    std::vector<double> out;
    for (int i = 0; i < 10'000 - rare; ++i)
        out.push_back(6 + i / (10'000.0 - rare));
    for (int i = 0; i < rare; ++i)
        out.push_back(60 + 10.0 * i / rare);
    return out;
}

} // namespace

TEST(AxisEnd, IsAlmostTheLongestStepWhereNoneIsRare)
{
    EXPECT_NEAR(axisEnd(steps(0)), 6.999, 1e-3);
    EXPECT_NEAR(axisEnd(steps(2)), 6.999, 1e-3) << "beyond 99.9 % nothing is shown";
}

TEST(AxisEnd, LeavesNineOfTenStepsASixth)
{
    EXPECT_NEAR(axisEnd(steps(200)), 6 + 6 * 0.9 / 0.98, 0.02);
}

TEST(AxisEnd, HoldsTheP95)
{
    EXPECT_GT(axisEnd(steps(600)), 60) << "6 % of the steps are long: p95 is one of them";
}

} // namespace prism::ui::test
