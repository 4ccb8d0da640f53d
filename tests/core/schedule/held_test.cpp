// SPDX-License-Identifier: GPL-3.0-or-later
// Activations in flight of a schedule's stages, by hand, and the largest sizes that are made.
#include "core/schedule/generators.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

/// Largest sums of a named schedule whose stages hold the same.
std::vector<double> heldBy(const char* name, int stages, int chunks, int microbatches, std::vector<HeldByChunk> ofChunks)
{
    const Schedule s = *makeSchedule(name, stages, chunks, microbatches);
    return largestHeld(s, std::vector<std::vector<HeldByChunk>>(static_cast<std::size_t>(stages), std::move(ofChunks)));
}

TEST(LargestHeld, IsTheSumOverForwardsThatAreNotReleased)
{
    using Held = std::vector<double>;
    EXPECT_EQ(heldBy("gpipe", 2, 1, 3, {{0.25, 0.25}}), (Held{0.75, 0.75}));
    EXPECT_EQ(heldBy("1f1b", 3, 1, 5, {{0.25, 0.25}}), (Held{0.75, 0.5, 0.25}));
    // Stage 0 runs F0 F1 B0 W0 ..., stage 1 F0 B0 F1 B1 W0 ...: an eighth of the first when the second forward has run.
    EXPECT_EQ(heldBy("zb-h1", 2, 1, 4, {{0.25, 0.125}}), (Held{0.5, 0.375}));
    // Two chunks of a quarter and a half: stage 0 runs both forwards of both chunks first, stage 1 both of chunk 0 and one of chunk 1.
    EXPECT_EQ(heldBy("interleaved", 2, 2, 2, {{0.25, 0.25}, {0.5, 0.5}}), (Held{1.5, 1.0}));
}

TEST(LargestHeld, SchedulesOfTheLargestSizesAreMade)
{
    EXPECT_TRUE(makeSchedule("1f1b", kMaxStages, 1, 1).ok());
    EXPECT_FALSE(makeSchedule("1f1b", kMaxStages + 1, 1, 1).ok());
    EXPECT_TRUE(makeSchedule("interleaved", 2, kMaxChunks, 2).ok());
    EXPECT_FALSE(makeSchedule("interleaved", 2, kMaxChunks + 1, 2).ok());
    EXPECT_TRUE(makeSchedule("gpipe", 1, 1, kMaxMicrobatches).ok());
    EXPECT_FALSE(makeSchedule("gpipe", 1, 1, kMaxMicrobatches + 1).ok());
    EXPECT_FALSE(makeSchedule("gpipe", 0, 1, 1).ok());
    EXPECT_FALSE(makeSchedule("gpipe", 1, 1, 0).ok());
}

} // namespace
} // namespace prism
