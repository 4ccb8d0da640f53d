// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as text for people.
#include "core/base/valuetext.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace prism {
namespace {

TEST(ValueText, DigitsEndWhereTheUncertaintyBegins)
{
    EXPECT_EQ(earnedDigits(7.63712, 0.004), "7.637");
    EXPECT_EQ(earnedDigits(7.63712, 0.04), "7.64");
    EXPECT_EQ(earnedDigits(2391.7, 12), "2,390") << "also before the point";
    EXPECT_EQ(earnedDigits(-284, 33), "-280");
    EXPECT_EQ(earnedDigits(2391.7, 8), "2,392");
    EXPECT_EQ(earnedDigits(284, 1500), "300") << "its first digit stays";
    EXPECT_EQ(earnedDigits(1234567, 0), "1,234,567") << "exact, and whole";
    EXPECT_EQ(earnedDigits(123456789, 1), "123,456,789") << "known to the last one";
    EXPECT_EQ(earnedDigits(2391.7, 0), "2,392") << "no spread: four digits";
    EXPECT_EQ(earnedDigits(0.0123456, 1e-9), "0.01234560") << "never more than seven";
    EXPECT_EQ(earnedDigits(std::numeric_limits<double>::infinity(), 1), "no figure");
    EXPECT_EQ(earnedDigits(-std::nan(""), 1), "no figure");
    EXPECT_LT(earnedDigits(1e300, 0).size(), 10U) << "no 300 digits";
}

TEST(ValueText, HalfWidthsAreAtTheSamePlace)
{
    EXPECT_EQ(halfWidthText(7.63712, 0.0042), "0.004");
    EXPECT_EQ(halfWidthText(2391.7, 12), "10");
    EXPECT_EQ(plusMinus(284, 33), "280 ± 30");
    EXPECT_EQ(plusMinus(284, 1540), "300 ± 1,500");
    EXPECT_EQ(halfWidthText(2391.7, 0), "< 1");
    EXPECT_EQ(halfWidthText(1, std::numeric_limits<double>::infinity()), "unknown");
    EXPECT_EQ(plusMinus(6.4912, 0.021), "6.49 ± 0.02");
    EXPECT_EQ(plusMinus(6.4912, 0), "6.491");
}

TEST(ValueText, FromTenTimesOnAChangeIsNoPercentage)
{
    EXPECT_FALSE(readsAsTimes(-1));
    EXPECT_FALSE(readsAsTimes(8.99)); // +899 %
    EXPECT_TRUE(readsAsTimes(9));     // 10 times
    EXPECT_EQ(relativeChange(0.0412, 0.004), "+4.1 ± 0.4 %");
    EXPECT_EQ(relativeChange(-0.0412, 0.004), "-4.1 ± 0.4 %");
    EXPECT_EQ(relativeChange(1504.21, 3), "1,505 ± 3 times");
}

TEST(ValueText, CountsAreWrittenInFull)
{
    EXPECT_EQ(countText(256), "256");
    EXPECT_EQ(countText(2048), "2,048");
    EXPECT_EQ(countText(-1234567), "-1,234,567");
}

TEST(ValueText, AmountsHaveGroupsAndWords)
{
    EXPECT_EQ(amountText(3.47123e6), "3.47 million");
    EXPECT_EQ(amountText(6.07e6), "6.07 million");
    EXPECT_EQ(amountText(347123), "347,000");
    EXPECT_EQ(amountText(61.2e9, 2), "61 billion");
    EXPECT_EQ(amountText(0.01234), "0.0123");
    EXPECT_EQ(amountText(999.9), "1,000");
    EXPECT_EQ(amountText(0), "0");
    EXPECT_EQ(amountText(std::nan("")), "no figure");
}

} // namespace
TEST(ValueText, CallsAProbabilityCertainOnlyWhereItIs)
{
    EXPECT_EQ(probabilityText(0.8571), "85.7 %");
    EXPECT_EQ(probabilityText(0.0009), "< 0.1 %");
    EXPECT_EQ(probabilityText(0.9996), "> 99.9 %");
    EXPECT_EQ(probabilityText(0), "0 %");
    EXPECT_EQ(probabilityText(1), "100 %");
    EXPECT_EQ(probabilityText(std::nan("")), "no figure");
}

} // namespace prism
