// SPDX-License-Identifier: GPL-3.0-or-later
// The short form of the agreement battery, and that its judgement can fail.
#include "core/sim/battery.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace prism::test {
namespace {

TEST(Battery, FastAgreesWithReferenceOnTheShortForm)
{
    std::vector<Agreement> rows;
    for (const BatteryCase& c : batteryCases()) {
        if (!c.reduced)
            continue;
        ASSERT_TRUE(check(c.graph).empty()) << c.name;
        rows.push_back(agreement(c, 1200, 2400)); // as many as slow_battery_test.cpp has would take minutes
        EXPECT_FALSE(rows.back().fails()) << c.name;
    }
    EXPECT_EQ(rows.size(), 22U);
    std::puts(agreementTable(rows).c_str());
}

TEST(Battery, HasEnoughValidGraphsOfDifferentKinds)
{
    const auto cases = batteryCases();
    EXPECT_GE(cases.size(), 30U);
    for (const BatteryCase& c : cases)
        EXPECT_TRUE(check(c.graph).empty()) << c.name << ": " << check(c.graph)[0].path;
}

TEST(Battery, JudgementFailsOnARealDifference)
{
    QuantileAgreement q;
    q.limit = 0.002;
    q.standardError = 0.0003;
    q.difference = 0.0029;
    EXPECT_FALSE(q.fails()); // within sampling noise of the limit
    q.difference = -0.0031;
    EXPECT_TRUE(q.fails());
}

} // namespace
} // namespace prism::test
