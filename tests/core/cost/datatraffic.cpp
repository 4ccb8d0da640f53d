// SPDX-License-Identifier: GPL-3.0-or-later
// Windows of the data-parallel traffic, computed by hand.
#include "core/cost/datatraffic.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

TEST(DataTraffic, OfInterleavedChunksOnlyTheFirstIsReducedInTheOpen)
{
    // Four chunks, eight passes of 0.1 s between the ends of two chunks: 0.8 s of room for 0.3 s each; chunk 0 has none.
    const std::vector<ChunkTraffic> chunks(4, {0.05, 0.1, 0.3});
    EXPECT_DOUBLE_EQ(exposedChunkReduction(chunks, 8), 0.3);
    // Room of 0.2 s: chunks 3, 2 and 1 each leave 0.1 s behind, and chunk 0 follows: 4 x 0.3 - 3 x 0.2.
    EXPECT_NEAR(exposedChunkReduction(chunks, 2), 0.6, 1e-12);
}

TEST(DataTraffic, ChunksZeroAndOneAreGatheredAtTheStart)
{
    const std::vector<ChunkTraffic> chunks(4, {0.05, 0.1, 0.3});
    // Chunk 0 waits 0.3 s; chunk 1 is there 0.6 s after the start, chunk 0's eight passes end at 0.7 s; the others have more room.
    EXPECT_NEAR(exposedChunkGather(chunks, 8), 0.3, 1e-12);
    // One pass of 0.05 s between chunks: chunk 1 waits until 0.6, chunk 2, sent at 0.3, until 0.9, chunk 3, sent at 0.6, until 1.2:
    // 1.2 s less the three passes before it.
    EXPECT_NEAR(exposedChunkGather(chunks, 1), 1.2 - 3 * 0.05, 1e-12);
}

TEST(DataTraffic, BucketsHideUnderTheBackwardButForTheLast)
{
    EXPECT_NEAR(exposedBucketReduction({0.5, 1.0, 0.4}, 4), 0.1, 1e-12);  // a quarter of the traffic is left
    EXPECT_NEAR(exposedBucketReduction({0.5, 1.0, 0.4}, 1), 0.4, 1e-12);  // one bucket waits for the whole backward
    EXPECT_NEAR(exposedBucketReduction({0.5, 1.0, 4.0}, 4), 3.25, 1e-12); // the first starts at 0.25 s
    EXPECT_NEAR(exposedBucketGather({0.5, 1.0, 0.4}, 4), 0.1, 1e-12);
    EXPECT_NEAR(exposedBucketGather({0.5, 1.0, 0.8}, 4), 0.2 + 0.75 * 0.3, 1e-12);
}

TEST(DataTraffic, NothingIsExposedTwiceAndNothingBelowZero)
{
    for (const double traffic : {0.0, 0.01, 1.0, 50.0})
        for (const double passes : {1.0, 4.0, 64.0}) {
            const std::vector<ChunkTraffic> chunks(5, {0.02, 0.05, traffic});
            EXPECT_GE(exposedChunkReduction(chunks, passes), traffic * 0.999);
            EXPECT_LE(exposedChunkReduction(chunks, passes), 5 * traffic + 1e-12);
            EXPECT_GE(exposedChunkGather(chunks, passes), traffic * 0.999);
            EXPECT_LE(exposedChunkGather(chunks, passes), 5 * traffic + 1e-12);
        }
}

TEST(DataTraffic, BucketsGrowWithTheDataParallelSize)
{
    EXPECT_DOUBLE_EQ(bucketParameters(8), 40e6);
    EXPECT_DOUBLE_EQ(bucketParameters(512), 512e6);
}

} // namespace
} // namespace prism
