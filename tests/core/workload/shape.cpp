// SPDX-License-Identifier: GPL-3.0-or-later
// Which layers each chunk of a pipeline holds, and what follows for memory and work.
#include "core/workload/shape.h"

#include "core/cost/predictor.h"
#include "core/cost/programs.h"
#include "core/scenario/presets.h"
#include "core/workload/count.h"
#include "core/workload/memory.h"

#include <gtest/gtest.h>

#include <numeric>

namespace prism {
namespace {

std::vector<std::array<int, 2>> interleaved(int stages, int chunks)
{
    std::vector<std::array<int, 2>> path;
    for (int c = 0; c < chunks; ++c)
        for (int p = 0; p < stages; ++p)
            path.push_back({p, c});
    return path;
}

Scenario deepseek(const char* layout)
{
    Scenario s;
    s.model = *modelPreset("deepseek-v3");
    s.parallelism.pipelineModelParallelSize = 4;
    s.parallelism.virtualPipelineModelParallelSize = 2;
    s.parallelism.expertModelParallelSize = 8;
    s.parallelism.pipelineModelParallelLayout = layout;
    s.cluster.numGpus = 32;
    return s;
}

TEST(ChunkLayers, FollowTheLayoutChunkByChunk)
{
    const std::vector<ChunkLayers> chunks = chunkLayers(deepseek("Et*9|t*8|t*8|t*8|t*8|t*8|t*7|t*5mL"), interleaved(4, 2));
    std::vector<int> totals;
    for (const ChunkLayers& c : chunks)
        totals.push_back(c.total);
    EXPECT_EQ(totals, (std::vector<int>{9, 8, 8, 8, 8, 8, 7, 5}));
    EXPECT_EQ(chunks[0].count[static_cast<std::size_t>(LayerKind::dense)], 3); // the leading dense layers
    EXPECT_EQ(chunks[0].count[static_cast<std::size_t>(LayerKind::moe)], 6);
    EXPECT_TRUE(chunks.front().embedding && chunks.back().head);
    EXPECT_EQ(chunks.back().mtp, 1);
}

TEST(ChunkLayers, APairOfDevicesHoldsTheLayersOfItsTwoStages)
{
    Scenario s;
    s.model.numLayers = 9;
    s.parallelism.pipelineSchedule = "dualpipe";
    s.parallelism.pipelineModelParallelSize = 4;
    s.parallelism.numLayersInFirstPipelineStage = 1;
    s.parallelism.numLayersInLastPipelineStage = 2;
    std::vector<int> totals;
    for (const ChunkLayers& c : chunkLayers(s, {{0, 0}, {1, 0}, {1, 1}, {0, 1}})) // devices 0 and 3, 1 and 2 are pairs
        totals.push_back(c.total);
    EXPECT_EQ(totals, (std::vector<int>{1, 3, 3, 2}));
}

TEST(ChunkLayers, MultiTokenPredictionIsWhereTheLayoutPutsIt)
{
    const std::vector<ChunkLayers> chunks = chunkLayers(deepseek("Et*10|(t*10|)*5tm|L"), interleaved(4, 2));
    EXPECT_EQ(chunks[6].mtp, 1);
    EXPECT_EQ(chunks[7].mtp, 0);
    EXPECT_EQ(chunks[7].total, 0);
    EXPECT_TRUE(chunks[7].head);
}

/// However the layers are divided, the stages hold the same parameters in sum, and the model the same work.
TEST(ChunkLayers, AnUnevenSplitMovesParametersButLosesNone)
{
    const auto parameters = [](const char* layout) {
        const Scenario s = deepseek(layout);
        const Shape shape = shapeOf(s);
        const std::vector<ChunkLayers> chunks = chunkLayers(s, interleaved(4, 2));
        std::vector<double> stages;
        for (std::size_t p = 0; p < 4; ++p)
            stages.push_back(stageParameters(s, shape, {chunks[p], chunks[p + 4]}, false).total());
        return stages;
    };
    const std::vector<double> even = parameters("Et*8|(t*8|)*4(t*7|)*2t*7mL"), moved = parameters("Et*4|t*8|t*8|t*8|t*12|t*7|t*7|t*7mL");
    EXPECT_NEAR(std::accumulate(even.begin(), even.end(), 0.0), std::accumulate(moved.begin(), moved.end(), 0.0), 1.0);
    EXPECT_NEAR(even[0], moved[0], 1.0); // four layers moved between the two chunks of one stage
    const std::vector<double> last = parameters("Et*8|(t*8|)*4t*7|t*8|t*6mL");
    const double layer =
        layerParameters(modelPreset("deepseek-v3")->numLayers > 0 ? *modelPreset("deepseek-v3") : ModelConfig{}, LayerKind::moe).expert / 8;
    EXPECT_GT(last[2] - even[2], layer);                    // a whole layer more
    EXPECT_NEAR(last[2] - even[2], even[3] - last[3], 1.0); // which the last stage does not hold any more
}

TEST(ChunkLayers, UnevenStagesShowInMemoryAndTimeOfTheStep)
{
    Scenario s = *scenarioPreset("deepseek-v3-2048-h800");
    s.parallelism.numLayersInFirstPipelineStage = s.parallelism.numLayersInLastPipelineStage = 0;
    s.parallelism.pipelineModelParallelLayout = "Et*4|(t*4|)*14tmL";
    const Result<CostedStep> even = costStep(s);
    s.parallelism.pipelineModelParallelLayout = "Et*4|(t*4|)*6t*8|(t*4|)*6t|mL";
    const Result<CostedStep> heavy = costStep(s);
    ASSERT_TRUE(even.ok() && heavy.ok());
    EXPECT_DOUBLE_EQ(heavy->modelFlopsPerStep, even->modelFlopsPerStep);
    EXPECT_GT(heavy->memory.stages[7].weightsGib, 1.9 * even->memory.stages[7].weightsGib);
    EXPECT_DOUBLE_EQ(heavy->memory.stages[3].weightsGib, even->memory.stages[3].weightsGib);
    // A stage of twice the layers sets the pace: its passes follow one another, and only filling and draining come on top of them.
    const auto pace = [](const CostedStep& step, std::size_t stage) {
        double pass = 0;
        for (const auto& chunk : step.graph.programOf[stage])
            for (const int program : chunk)
                pass += program >= 0 ? programSeconds(step.graph.programs[static_cast<std::size_t>(program)]) : 0.0;
        return pass * static_cast<double>(step.world.numMicrobatches);
    };
    EXPECT_NEAR(pace(*heavy, 7) / pace(*even, 7), 2, 0.05);
    EXPECT_GE(heavy->noiseFreeSeconds, pace(*heavy, 7));
    EXPECT_LT(heavy->noiseFreeSeconds, 1.25 * pace(*heavy, 7));
    // The even split waits for its last stage, whose output layers take a third more than a stage of layers.
    EXPECT_GT(heavy->noiseFreeSeconds, 1.4 * even->noiseFreeSeconds);
}

} // namespace
} // namespace prism
