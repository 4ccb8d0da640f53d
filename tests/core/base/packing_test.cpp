// SPDX-License-Identifier: GPL-3.0-or-later
// Texts behind byte-order marks: their content stays, invalid code points are marked, nothing else is touched.
#include "core/base/textfile.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

using namespace std::string_literals;

TEST(Packing, Utf16OfBothByteOrders)
{
    EXPECT_EQ(utf8Of("\xFF\xFE"
                     "a\0\xE9\0\xAC\x20"s),
              "a\u00E9\u20AC"s);
    EXPECT_EQ(utf8Of("\xFE\xFF\0a\0\xE9\x20\xAC"s), "a\u00E9\u20AC"s);
    EXPECT_EQ(utf8Of("\xFF\xFE\x3D\xD8\x00\xDE"s), "\U0001F600"s) << "a pair of units";
}

TEST(Packing, WhatIsNoCodePointIsMarkedAndTheRestStays)
{
    const std::string mark = "\uFFFD";
    EXPECT_EQ(utf8Of("\xFE\xFF\xD8\x3D\0b"s), mark + "b") << "the first half alone";
    EXPECT_EQ(utf8Of("\xFE\xFF\xDE\x00\0b"s), mark + "b") << "the second half alone";
    EXPECT_EQ(utf8Of("\xFE\xFF\xD8\x3D\xD8\x3D\xDE\x00"s), mark + "\U0001F600");
    EXPECT_EQ(utf8Of("\xFE\xFF\0b\xD8\x3D"s), "b" + mark) << "cut in the middle of a pair";
    EXPECT_EQ(utf8Of("\xFE\xFF\0b\0"s), "b") << "cut in the middle of a unit";
}

TEST(Packing, OtherTextIsAsItIs)
{
    EXPECT_EQ(utf8Of("caf\xC3\xA9"), "caf\xC3\xA9");
    EXPECT_EQ(utf8Of("\xFF"), "\xFF");
    EXPECT_EQ(withoutByteOrderMark("\xEF\xBB\xBF"
                                   "a\xEF\xBB\xBF"),
              "a\xEF\xBB\xBF");
    EXPECT_EQ(withoutByteOrderMark("\xEF\xBB"), "\xEF\xBB");
}

TEST(Packing, PackedFilesAreNamed)
{
    EXPECT_EQ(packedAs("PK\x03\x04rest"), "zip");
    EXPECT_EQ(packedAs("BZh91AY&SYrest"), "bzip2");
    EXPECT_EQ(packedAs("BZh"), "") << "a text may begin so";
    EXPECT_EQ(packedAs("\x1F\x8B"), "") << "gzip is read";
}

} // namespace
} // namespace prism
