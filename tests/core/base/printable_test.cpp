// SPDX-License-Identifier: GPL-3.0-or-later
// Text for people: what steers a terminal or a launcher is escaped or refused, everything else stays.
#include "core/base/printable.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

const std::string kEscape(1, 27), kBackslash(1, '\\');

TEST(Printable, ControlsAreEscapedAndLettersStay)
{
    EXPECT_EQ(printable("plan B, M\xC3\xBCnchen, \xE2\x89\xA5 4 \xF0\x9F\x9A\x80"),
              "plan B, M\xC3\xBCnchen, \xE2\x89\xA5 4 \xF0\x9F\x9A\x80");
    EXPECT_EQ(printable(kEscape + "[2J"), kBackslash + "u001b[2J");
    EXPECT_EQ(printable("a\nb\tc\r"), "a" + kBackslash + "nb" + kBackslash + "tc" + kBackslash + "r");
    EXPECT_EQ(printable("\xC2\x9B"
                        "31m"),
              kBackslash + "u009b31m")
        << "CSI as one character";
    EXPECT_EQ(printable("\xE2\x80\xAE"
                        "txt"),
              kBackslash + "u202etxt")
        << "right-to-left override";
    EXPECT_EQ(printable("\x7F"), kBackslash + "u007f");
}

TEST(Printable, BytesThatAreNoUtf8AreShownAsBytes)
{
    EXPECT_EQ(printable("\xFF"), kBackslash + "xff");
    EXPECT_EQ(printable("\xC0\xAF"), kBackslash + "xc0" + kBackslash + "xaf") << "overlong";
    EXPECT_EQ(printable("\xED\xA0\x80"), kBackslash + "xed" + kBackslash + "xa0" + kBackslash + "x80") << "half of a pair";
    EXPECT_EQ(printable("\xE2\x82"), kBackslash + "xe2" + kBackslash + "x82") << "cut off";
}

TEST(Printable, LongTextsAreCutAtACharacter)
{
    EXPECT_EQ(printable("aaa\xC3\xBC\xC3\xBC", 6), "aaa\xC3\xBC...");
    EXPECT_EQ(printable(std::string(5'000, 'x')).size(), 1'003U);
}

TEST(Printable, ReportsKeepTheirLines)
{
    EXPECT_EQ(printableLines("a\n\tb" + kEscape + "[0m\r\n"), "a\n\tb" + kBackslash + "u001b[0m" + kBackslash + "u000d\n");
}

TEST(HostName, OnlyWhatALauncherReadsAsOneName)
{
    for (const char* name : {"n1", "gpu-007.cluster.example", "rack_3", "10.0.0.1"})
        EXPECT_TRUE(isHostName(name)) << name;
    for (const char* name : {"", "n1 slots=999", "$(reboot)", "-x", ".hidden", "a\nb", "a;b", "n\xC3\xBC", "n1:8"})
        EXPECT_FALSE(isHostName(name)) << name;
    EXPECT_FALSE(isHostName(std::string(254, 'a')));
}

} // namespace
} // namespace prism
