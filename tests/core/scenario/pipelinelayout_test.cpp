// SPDX-License-Identifier: GPL-3.0-or-later
// Pipeline layouts: Megatron-Core's notation read and written, wrong ones refused with the reason, and the rules with the scenario.
#include "pipelinelayouttext.h"

#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace prism {
namespace {

TEST(PipelineLayout, ReadsTheNotation)
{
    const Result<std::vector<ChunkContents>> layout = pipelineLayout("Ettt|(tt|)*29,m|L");
    ASSERT_TRUE(layout.ok());
    ASSERT_EQ(layout->size(), 32U);
    EXPECT_EQ(layout->front(), (ChunkContents{3, 0, true, false}));
    EXPECT_EQ((*layout)[1], (ChunkContents{2, 0, false, false}));
    EXPECT_EQ((*layout)[29], (ChunkContents{2, 0, false, false}));
    EXPECT_EQ((*layout)[30], (ChunkContents{0, 1, false, false}));
    EXPECT_EQ(layout->back(), (ChunkContents{0, 0, false, true}));
    EXPECT_EQ(*pipelineLayout("Et*3|t*3L"), *pipelineLayout("Ettt|tttL"));
    EXPECT_EQ(*pipelineLayout("E(t|)*2,ttL"), *pipelineLayout("Et|t|ttL"));
    EXPECT_EQ(pipelineLayout("EtL")->size(), 1U);
}

TEST(PipelineLayout, InvalidTextsReportWhere)
{
    for (const char* text : {"", "t|tL", "Et|t", "Et|EtL", "EtL|tL", "Et||tL", "Et|x|tL", "E(t|*3L", "E(t|)tL", "E((t)*2)*2L", "Et*|tL",
                             "Et*0|tL", "Em|tmL", "Em|mL", "Et|m|tL", "EtL|", "Et*99999999999L", "E(t*4096|)*4096L"}) {
        const Result<std::vector<ChunkContents>> layout = pipelineLayout(text);
        ASSERT_FALSE(layout.ok()) << text;
        EXPECT_EQ(layout.errors().front().path, "parallelism.pipeline_model_parallel_layout") << text;
        EXPECT_FALSE(layout.errors().front().accepted.empty()) << text;
    }
    EXPECT_EQ(pipelineLayout("Ex|yL").errors().size(), 2U); // both at once
    EXPECT_EQ(pipelineLayout(std::string(8, 'x')).errors().size(), 8U);
    EXPECT_EQ(pipelineLayout(std::string(200, 'x')).errors().size(), 8U) << "no more of them";
    EXPECT_NE(pipelineLayout("Et|xtL").errors().front().found.find("character 4"), std::string::npos);
}

TEST(PipelineLayout, TextsReadBackToTheSameChunks)
{
    for (const int chunks : {1, 2, 3, 7, 16, 64})
        for (const int layers : {1, 2, 61, 94, 126})
            for (const int mtp : {0, 1}) {
                if (layers < chunks)
                    continue;
                const std::vector<ChunkContents> even = test::evenPipelineLayout(layers, mtp, chunks);
                const std::string text = test::pipelineLayoutText(even);
                const Result<std::vector<ChunkContents>> read = pipelineLayout(text);
                ASSERT_TRUE(read.ok()) << text;
                EXPECT_EQ(*read, even) << text;
                EXPECT_LE(text.size(), 200U);
                const auto [smallest, largest] = std::minmax_element(
                    even.begin(), even.end(), [](const auto& a, const auto& b) { return a.layers + a.mtpLayers < b.layers + b.mtpLayers; });
                EXPECT_LE(largest->layers + largest->mtpLayers - smallest->layers - smallest->mtpLayers, 1);
                EXPECT_EQ(smallest->layers + smallest->mtpLayers,
                          even.back().layers + even.back().mtpLayers); // the last chunk also computes the loss
                EXPECT_EQ(even.back().mtpLayers, mtp);
                EXPECT_EQ(std::accumulate(even.begin(), even.end(), 0, [](int n, const ChunkContents& c) { return n + c.layers; }), layers);
            }
}

Scenario deepseek()
{
    Scenario s = *scenarioPreset("deepseek-v3-2048-h800");
    s.parallelism.numLayersInFirstPipelineStage = s.parallelism.numLayersInLastPipelineStage = 0;
    s.parallelism.accountForEmbeddingInPipelineSplit = s.parallelism.accountForLossInPipelineSplit = false;
    s.parallelism.pipelineModelParallelLayout = "Ettt|(t*4|)*14ttmL";
    return s;
}

bool reject(const Scenario& s, const std::string& part)
{
    const Diagnostics found = check(s);
    return std::any_of(found.begin(), found.end(),
                       [&](const Diagnostic& d) { return d.severity == Severity::error && d.message.find(part) != std::string::npos; });
}

TEST(PipelineLayout, MustFitTheModelAndThePipeline)
{
    EXPECT_FALSE(hasErrors(check(deepseek())));
    Scenario s = deepseek();
    s.parallelism.pipelineModelParallelLayout = "Ettt|(t*4|)*14tmL";
    EXPECT_TRUE(reject(s, "does not hold the layers"));
    s.parallelism.pipelineModelParallelLayout = "Ettt|(t*4|)*14ttL";
    EXPECT_TRUE(reject(s, "multi-token prediction"));
    s.parallelism.pipelineModelParallelLayout = "Ettt|(t*4|)*13t*4|ttm|L"; // 17 chunks
    EXPECT_TRUE(reject(s, "PP x VPP chunks"));
    s = deepseek();
    s.parallelism.numLayersInLastPipelineStage = 2;
    EXPECT_TRUE(reject(s, "exclude"));
    s = deepseek();
    s.parallelism.pipelineModelParallelLayout.clear();
    s.parallelism.numLayersInLastPipelineStage = 1;
    s.parallelism.accountForLossInPipelineSplit = true; // excluded by Megatron-Core, too
    EXPECT_TRUE(reject(s, "exclude"));
}

TEST(PipelineLayout, IsPartOfTheFileAndOfTheHash)
{
    const Scenario s = deepseek();
    const Result<Scenario> read = scenarioFromJson(toJson(s));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->parallelism.pipelineModelParallelLayout, "Ettt|(t*4|)*14ttmL");
    Scenario other = s;
    other.parallelism.pipelineModelParallelLayout = "Et*4|(t*4|)*14tmL";
    EXPECT_NE(other.hash(), s.hash());
}

} // namespace
} // namespace prism
