// SPDX-License-Identifier: GPL-3.0-or-later
// Published zero-bubble rows from their profiled passes (arXiv 2401.10241, tables 4 to 6; values as in the paper).
#include "core/schedule/zerobubble.h"

#include <gtest/gtest.h>

#include <limits>

namespace prism {
namespace {

TEST(ZeroBubble, BubbleRatesOfPublishedRows)
{
    // GPT 1.5B, 8 stages, 24 micro-batches: TF, TB, TW, Tcomm in ms; hidden 2304, 24 heads, 1,024 tokens.
    const PassProfile profile{18.522e-3, 18.086e-3, 9.337e-3, 0.601e-3, zeroBubbleWeightShare(2304, 24, 1024)};
    const auto rate = [&](const char* name, int chunks) {
        const auto row = predictZeroBubbleRow(name, 8, chunks, 24, profile, 6);
        EXPECT_TRUE(row.ok()) << name;
        return row.ok() ? row->bubbleRate : -1.0;
    };
    EXPECT_NEAR(rate("1F1B", 1), 0.2431, 1e-4);
    EXPECT_NEAR(rate("ZB-H1", 1), 0.1585, 1e-4);
    EXPECT_NEAR(rate("ZB-H2", 1), 0.1083, 1e-4);
    EXPECT_NEAR(rate("ZB-1p", 1), 0.1585, 1e-4);
    EXPECT_NEAR(rate("ZB-2p", 1), 0.0433, 0.002); // planned by another scheduler than the paper's
    EXPECT_NEAR(rate("1F1B-I", 3), 0.1055, 0.005);
}

TEST(ZeroBubble, ARunTakesLongerThanItsProfile)
{
    // 11 micro-batches' time on the longest stage: two passes each where backward and weight are one, three where they are separate.
    const auto row = predictZeroBubbleRow("1F1B", 4, 1, 8, {1, 1, 1, 0, 1}, 2);
    ASSERT_TRUE(row.ok());
    EXPECT_NEAR(row->scheduleSeconds, 11 * 3.0, 1e-9);
    EXPECT_NEAR(row->iterationSeconds, 11 * (3.0 * 1.03 + 2 * 0.7e-3), 1e-9);
    EXPECT_NEAR(row->samplesPerSecond, 16 / row->iterationSeconds, 1e-9);
    const auto uneven = predictZeroBubbleRow("1F1B", 4, 1, 8, {1, 2, 4, 0, 1}, 2),
               split = predictZeroBubbleRow("ZB-H1", 1, 1, 8, {1, 2, 4, 0, 1}, 2);
    EXPECT_NEAR(uneven->iterationSeconds, 11 * (7.0 * 1.03 + 2 * 0.7e-3), 1e-9);
    EXPECT_NEAR(split->iterationSeconds, 8 * (7.0 * 1.03 + 3 * 0.7e-3), 1e-9);
    EXPECT_NEAR(uneven->bubbleRate, 3.0 / 11, 1e-12);
    EXPECT_NEAR(uneven->runOverProfile, uneven->iterationSeconds / 77, 1e-12);
    // Short passes exceed their profile by more, and so do many.
    const auto shorter = predictZeroBubbleRow("1F1B", 4, 1, 8, {0.01, 0.01, 0.01, 0, 1}, 2);
    const auto chunked = predictZeroBubbleRow("1F1B-I", 4, 2, 8, {0.01, 0.01, 0.01, 0, 1}, 2);
    EXPECT_GT(shorter->runOverProfile, row->runOverProfile);
    EXPECT_GT(chunked->runOverProfile, shorter->runOverProfile);
}

TEST(ZeroBubble, InvalidInputsAreErrors)
{
    EXPECT_FALSE(predictZeroBubbleRow("2F2B", 4, 1, 8, {1, 1, 1, 0, 1}, 1).ok());
    EXPECT_FALSE(predictZeroBubbleRow("1F1B", 4, 1, 8, {0, 1, 1, 0, 1}, 1).ok());
    const double infinite = std::numeric_limits<double>::infinity();
    EXPECT_FALSE(predictZeroBubbleRow("1F1B", 4, 1, 8, {1, infinite, 1, 0, 1}, 1).ok());
    EXPECT_FALSE(predictZeroBubbleRow("1F1B-I", 4, 2, 7, {1, 1, 1, 0, 1}, 1).ok());
}

} // namespace
} // namespace prism
