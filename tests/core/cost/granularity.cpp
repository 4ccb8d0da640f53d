// SPDX-License-Identifier: GPL-3.0-or-later
// Replicas in lockstep, and host time of passes and layers, by hand.
#include "core/cost/granularity.h"
#include "core/cost/hosttime.h"

#include <gtest/gtest.h>

#include <tuple>

namespace prism {
namespace {

TEST(Lockstep, AShardSpansAsManyReplicasAsItHoldsTheirRanks)
{
    Scenario s;
    Shape shape;
    shape.cp = 2;
    shape.groupsPerCell = 3;
    shape.numReplicas = 8;
    // Six data ranks a replica; sets must split the eight replicas evenly.
    for (const auto& [shard, replicas] :
         {std::pair{-1, 0}, {0, 0}, {1, 1}, {6, 1}, {11, 1}, {12, 2}, {18, 0}, {24, 4}, {48, 8}, {1000, 8}}) {
        s.parallelism.hsdpShardSize = shard;
        EXPECT_EQ(lockstepReplicas(s, shape), replicas) << shard;
    }
}

TEST(HostTime, PassesCheckpointsAndCountsWhereTheyAre)
{
    SoftwareCalibration software;
    software.checkpointSecondsPerLayer = 3e-4;
    software.passSeconds = 5e-4;
    software.routedCountsSeconds = 7e-4;
    Scenario s;
    const auto expect = [&](double checkpoint, double pass, double counts) {
        const HostTime host(s, software);
        EXPECT_EQ(std::tuple(host.checkpoint(), host.pass(), host.routedCounts()), std::tuple(checkpoint, pass, counts));
    };
    s.parallelism.pipelineModelParallelSize = 1;
    s.model.numExperts = 0;
    s.training.recomputeGranularity = "selective";
    s.training.moeHostSync = true;
    s.training.cudaGraphs = "none";
    expect(0, 0, 0);
    s.parallelism.pipelineModelParallelSize = 2;
    expect(0, 5e-4, 0);
    s.training.recomputeGranularity = "full";
    s.model.numExperts = 1;
    expect(3e-4, 5e-4, 7e-4);
    s.training.moeHostSync = false;
    expect(3e-4, 5e-4, 0);
    s.training.cudaGraphs = "full_iteration";
    s.training.moeHostSync = true;
    expect(0, 0, 0);
}

} // namespace
} // namespace prism
