// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/memo.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

TEST(Memo, KeepsWhatWasUsedLast)
{
    Memo memo(100);
    memo.keep<int>({1}, std::make_shared<const int>(11), 40);
    memo.keep<int>({2}, std::make_shared<const int>(22), 40);
    ASSERT_NE(memo.find<int>({1}), nullptr);
    memo.keep<int>({3}, std::make_shared<const int>(33), 40); // drops 2, which was not used since
    EXPECT_EQ(memo.find<int>({2}), nullptr);
    EXPECT_EQ(*memo.find<int>({1}), 11);
    EXPECT_EQ(*memo.find<int>({3}), 33);
    EXPECT_EQ(memo.bytes(), 80U);
}

TEST(Memo, LeavesOutWhatIsTooLarge)
{
    Memo memo(100);
    memo.keep<int>({1}, std::make_shared<const int>(11), 101);
    EXPECT_EQ(memo.find<int>({1}), nullptr);
    EXPECT_EQ(memo.bytes(), 0U);
}

} // namespace
} // namespace prism
