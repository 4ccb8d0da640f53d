// SPDX-License-Identifier: GPL-3.0-or-later
// Early stopping on the engine: wrong in at most the share of a hundred searches that the confidence leaves.
#include "core/explore/earlystop.h"

#include <gtest/gtest.h>

namespace prism::test {
namespace {

TEST(EarlyStopping, FailsInAtMostTheStatedShareOfAHundredSearches)
{
    const EarlyStops e = earlyStops(100, 20);
    EXPECT_LE(e.invalid, (1 - kStatedConfidence) * e.runs);
    EXPECT_LE(e.otherWinners, (1 - kStatedConfidence) * e.runs);
    EXPECT_LT(e.toTheEnd, e.runs * e.fitting / 2); // it does stop early
    RecordProperty("wrong", e.invalid);
    RecordProperty("sampled", e.sampled);
    RecordProperty("to_the_end", e.toTheEnd);
}

} // namespace
} // namespace prism::test
