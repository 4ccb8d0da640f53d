// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of the base layer at their limits: the length of a list of names, a half-width below the last digit, a number beyond a double.
#include "core/base/jsontext.h"
#include "core/base/text.h"
#include "core/base/valuetext.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace prism {
namespace {

TEST(EdgeTexts, TwelveNamesAreListedAndTheOthersCounted)
{
    std::vector<std::string> names;
    for (char c = 'a'; c < 'a' + 12; ++c)
        names.push_back(std::string(5, c));
    const auto accepted = [&] { return unknownName("p", "format", "zz", names).accepted; };
    const auto commas = [](const std::string& text) { return std::count(text.begin(), text.end(), ','); };
    EXPECT_EQ(accepted().find("more"), std::string::npos);
    EXPECT_EQ(commas(accepted()), 11);
    names.emplace_back("mmmmm");
    EXPECT_TRUE(accepted().ends_with(" and 1 more")) << accepted();
    EXPECT_EQ(commas(accepted()), 11);
    names.emplace_back("nnnnn");
    EXPECT_TRUE(accepted().ends_with(" and 2 more")) << accepted();
}

/// Seven digits of 0.0123456 end at 1e-8: 4e-9 rounds to none of them, 6e-9 to one.
TEST(EdgeTexts, AHalfWidthBelowHalfOfTheLastDigitIsLessThanOne)
{
    EXPECT_EQ(halfWidthText(0.0123456, 4e-9), "< 0.00000001");
    EXPECT_EQ(halfWidthText(0.0123456, 6e-9), "0.00000001");
    EXPECT_EQ(halfWidthText(6.4912, 0), "< 0.001");
}

TEST(EdgeTexts, ANumberBeyondADoubleIsTooLargeAndNotASyntaxError)
{
    const Diagnostic large = parseJson("[1e400]").errors().front();
    EXPECT_EQ(large.message, "the number 1e400 is too large");
    EXPECT_TRUE(parseJson("[1e308]").ok());
    EXPECT_EQ(parseJson("[1e]").errors().front().message.find("too large"), std::string::npos);
}

} // namespace
} // namespace prism
