// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/jsontext.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

TEST(JsonComments, BecomeSpacesSoThatPlacesStay)
{
    EXPECT_EQ(withoutJsonComments("{ // a\n\"b\": /* c\nd */ 1}"), "{     \n\"b\":     \n     1}");
    EXPECT_EQ(withoutJsonComments("//"), "  ");
    EXPECT_EQ(withoutJsonComments(""), "");
}

TEST(JsonComments, InsideStringsAreText)
{
    const std::string url = R"({"source": "https://example.org/a\"//b", "c\\": "/* d */"})";
    EXPECT_EQ(withoutJsonComments(url), url);
    EXPECT_EQ(withoutJsonComments("\"never ends // x"), "\"never ends // x");
}

TEST(JsonComments, ThatNeverEndStay)
{
    EXPECT_EQ(withoutJsonComments("{} /* x"), "{} /* x");
    EXPECT_EQ(withoutJsonComments("1 / 2"), "1 / 2");
    std::string starts; // linear: a quadratic search over these would take minutes
    for (int i = 0; i < 2'000'000; ++i)
        starts += "/*";
    EXPECT_EQ(withoutJsonComments(starts.substr(0, 3)), "/*/");
    EXPECT_EQ(withoutJsonComments(starts + "x").size(), starts.size() + 1);
}

} // namespace
} // namespace prism
