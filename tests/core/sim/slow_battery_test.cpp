// SPDX-License-Identifier: GPL-3.0-or-later
// The whole agreement battery; prints its table row by row. Each case is a separate test: one of them with
// --gtest_filter='*SlowBattery*/rare_transfer__512', the whole piece by piece.
#include "core/sim/battery.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cstdio>
#include <ostream>

namespace prism::test {

/// The name of a case in a failing test.
static void PrintTo(const BatteryCase& batteryCase, std::ostream* out)
{
    *out << batteryCase.name;
}

namespace {

class SlowBattery : public testing::TestWithParam<BatteryCase> {};

TEST_P(SlowBattery, FastAgreesWithReference)
{
    const Agreement a = agreementWithPower(GetParam(), 16'000, 32'000);
    std::puts(agreementTable({a}).c_str());
    EXPECT_FALSE(a.fails());
    EXPECT_TRUE(a.hasPower()) << a.p50.standardError << " " << a.ksShared;
}

std::string nameOf(const testing::TestParamInfo<BatteryCase>& info)
{
    std::string name = info.param.name;
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0)
            c = '_';
    return name;
}

INSTANTIATE_TEST_SUITE_P(Graphs, SlowBattery, testing::ValuesIn(batteryCases()), nameOf);

} // namespace

} // namespace prism::test
