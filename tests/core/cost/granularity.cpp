// SPDX-License-Identifier: GPL-3.0-or-later
// Replicas that go in lockstep, by hand.
#include "core/cost/granularity.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

TEST(Lockstep, AShardSpansAsManyReplicasAsItHoldsTheirRanks)
{
    Scenario s;
    Shape shape;
    shape.cp = 2;
    shape.groupsPerCell = 3;
    shape.numReplicas = 8;
    // Six data ranks a replica; sets that do not part the eight replicas evenly are none.
    for (const auto& [shard, replicas] :
         {std::pair{-1, 0}, {0, 0}, {1, 1}, {6, 1}, {11, 1}, {12, 2}, {18, 0}, {24, 4}, {48, 8}, {1000, 8}}) {
        s.parallelism.hsdpShardSize = shard;
        EXPECT_EQ(lockstepReplicas(s, shape), replicas) << shard;
    }
}

} // namespace
} // namespace prism
