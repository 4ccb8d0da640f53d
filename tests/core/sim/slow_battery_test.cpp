// SPDX-License-Identifier: GPL-3.0-or-later
// The whole agreement battery; prints its table.
#include "core/sim/battery.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace prism::test {
namespace {

TEST(SlowBattery, FastAgreesWithReference)
{
    std::vector<Agreement> rows;
    for (const BatteryCase& c : batteryCases()) {
        rows.push_back(agreement(c, 16'000, 32'000));
        const Agreement& a = rows.back();
        EXPECT_FALSE(a.fails()) << c.name;
        // The test has power: what chance allows is well below the limits' own size.
        EXPECT_LT(kBatteryErrors * a.p50.standardError, 2 * a.p50.limit) << c.name;
    }
    std::puts(agreementTable(rows).c_str());
}

} // namespace
} // namespace prism::test
