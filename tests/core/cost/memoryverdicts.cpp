// SPDX-License-Identifier: GPL-3.0-or-later
// Memory capacity of a GPU and need of a job: the capacity that the driver shows, memory outside of the framework, and verdicts on
// jobs whose state alone was computed by hand.
#include "core/cost/predictor.h"
#include "core/scenario/presets.h"
#include "core/workload/count.h"
#include "core/workload/memory.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

CostedStep costedStep(const Scenario& s)
{
    Result<CostedStep> step = costStep(s);
    EXPECT_TRUE(step.ok()) << step.errors().front().path << " " << step.errors().front().message;
    return std::move(step).value();
}

/// One GPU without anything that shards: 2 + 4 + 12 bytes a parameter. Layers of 12 h^2 (h 4,096) are added until they take `share` of it.
Scenario filled(const std::string& gpu, double share)
{
    Scenario s;
    s.cluster.gpu = *gpuPreset(gpu);
    s.cluster.numGpus = s.cluster.gpusPerNode = 1;
    s.model.hiddenSize = 4096;
    s.model.numAttentionHeads = s.model.numQueryGroups = 32;
    s.model.kvChannels = 128;
    s.model.ffnHiddenSize = 16384;
    s.model.gatedMlp = false;
    s.model.vocabSize = 1024;
    s.model.seqLength = 128;
    s.training.globalBatchSize = 1;
    s.model.numLayers = std::llround(share * s.cluster.gpu.memoryGib * kGibibyte / (18 * 12 * 4096.0 * 4096));
    return s;
}

TEST(MemoryVerdict, TenJobsAboveTheCapacityDoNotFitAndThreeQuartersOfItDo)
{
    for (const char* gpu : {"a100-sxm-40gb", "a100-sxm-80gb", "h100-sxm-80gb", "h100-pcie-80gb", "h200-sxm-141gb", "b200-sxm-180gb",
                            "gb200-nvl72", "b300-sxm-270gb", "gb300-nvl72", "mi300x-192gb"}) {
        EXPECT_FALSE(costedStep(filled(gpu, 1.1)).memory.fits) << gpu;
        EXPECT_TRUE(costedStep(filled(gpu, 0.75)).memory.fits) << gpu;
    }
}

/// Capacity that the driver shows to programs, less than in the product's name: 79.1 to 79.3 GiB of an H100 of "80".
TEST(MemoryVerdict, CapacitiesAreThoseThatTheDriverShows)
{
    const std::pair<const char*, double> shown[] = {{"h100-sxm-80gb", 79.2},    {"a100-sxm-80gb", 79.2}, {"h200-sxm-141gb", 139.8},
                                                    {"b200-sxm-180gb", 178.35}, {"gb200-nvl72", 184.31}, {"b300-sxm-270gb", 267.69},
                                                    {"gb300-nvl72", 276.5}};
    for (const auto& [gpu, gib] : shown)
        EXPECT_NEAR(gpuPreset(gpu)->memoryGib, gib, 0.1) << gpu;
}

/// A context alone on one GPU; with 8 the job's communicator; groups of 2 and 4 add 544 MB each.
TEST(MemoryVerdict, ContextAndCommunicatorsLieOutsideOfTheFramework)
{
    Scenario s = filled("h100-sxm-80gb", 0.1);
    EXPECT_NEAR(costedStep(s).memory.outsideGib, 0.6, 1e-9);
    s.cluster.numGpus = s.cluster.gpusPerNode = 8;
    s.training.globalBatchSize = 8;
    EXPECT_NEAR(costedStep(s).memory.outsideGib, 2.1, 1e-9);
    s.parallelism.tensorModelParallelSize = 2;
    EXPECT_NEAR(costedStep(s).memory.outsideGib, 2.1 + 2 * 544e6 / kGibibyte, 1e-9);
    s.parallelism.pipelineModelParallelSize = 4; // no data-parallel group any more
    s.model.numLayers = 4;
    EXPECT_NEAR(costedStep(s).memory.outsideGib, 2.1 + 544e6 / kGibibyte, 1e-9);
}

/// Ranks that send in pairs: 448 MiB for each peer of the node, at most seven.
TEST(MemoryVerdict, AllToAllHoldsBuffersForEachPeer)
{
    Scenario s = filled("h100-sxm-80gb", 0.1);
    s.cluster.numGpus = 16;
    s.cluster.gpusPerNode = 8;
    s.training.globalBatchSize = 16;
    s.parallelism.contextParallelSize = 4;
    const double ring = costedStep(s).memory.outsideGib;
    s.parallelism.cpCommType = "a2a";
    EXPECT_NEAR(costedStep(s).memory.outsideGib - ring, 3 * 448.0 / 1024, 1e-9) << "three peers";
    s.parallelism.cpCommType = "p2p";
    s.parallelism.contextParallelSize = 1;
    s.model.numExperts = 16;
    s.model.moeFfnHiddenSize = 1024;
    s.model.moeRouterTopk = 2;
    for (const int ranks : {2, 8, 16}) {
        s.parallelism.expertModelParallelSize = ranks;
        s.parallelism.moeTokenDispatcherType = "flex";
        const double flex = costedStep(s).memory.outsideGib;
        s.parallelism.moeTokenDispatcherType = "alltoall";
        EXPECT_NEAR(costedStep(s).memory.outsideGib - flex, std::min(ranks - 1, 7) * 448.0 / 1024, 1e-9) << ranks;
    }
}

/// With expert overlap forward and backward take turns layer by layer: one layer more is held, not one micro-batch.
TEST(MemoryVerdict, ExpertOverlapHoldsOneLayerMore)
{
    Scenario s = filled("gb300-nvl72", 0.1);
    s.model.numLayers = 8;
    s.cluster.numGpus = s.cluster.gpusPerNode = 8;
    s.training.globalBatchSize = 64;
    s.model.numExperts = 8;
    s.model.moeRouterTopk = 2;
    s.model.moeFfnHiddenSize = 4096;
    s.parallelism.expertModelParallelSize = 8;
    const double plain = costedStep(s).memory.stages.front().activationsGib;
    ChunkLayers layer;
    layer.count[static_cast<std::size_t>(LayerKind::moe)] = layer.total = 1;
    s.parallelism.overlapMoeExpertParallelComm = true;
    EXPECT_NEAR(costedStep(s).memory.stages.front().activationsGib - plain, activationBytes(s, shapeOf(s), layer) / kGibibyte, 1e-12);
}

/// FSDP keeps FP32 shards, which are their own master weights: 4 + 4 + 8 bytes a parameter instead of 2 + 4 + 12.
TEST(MemoryVerdict, FullyShardedStateHasNoSecondCopyOfTheWeights)
{
    Scenario s = filled("h100-sxm-80gb", 0.1);
    s.cluster.numGpus = s.cluster.gpusPerNode = 8;
    s.training.globalBatchSize = 8;
    s.parallelism.zeroStage = 3;
    const StageMemory m = costedStep(s).memory.stages.front();
    const double parameters = totalParameters(s.model) / 8 / kGibibyte;
    EXPECT_NEAR(m.weightsGib, 4 * parameters, 1e-3 * parameters);
    EXPECT_NEAR(m.gradientsGib, 4 * parameters, 1e-3 * parameters);
    EXPECT_NEAR(m.optimizerGib, 8 * parameters, 1e-3 * parameters);
}

} // namespace
} // namespace prism
