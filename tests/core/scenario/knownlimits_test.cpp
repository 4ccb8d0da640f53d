// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of the scenario layer at their limits: ranges of parameters, whole numbers, splits of layers, imported sizes, comments.
#include "core/scenario/import/importers.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenariotemplate.h"
#include "core/scenario/systemsprior.h"

#include "rulecases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace prism {
namespace {

/// A share ends at 1, a repair within a year, a batch and a number of layers at powers of two.
TEST(KnownLimits, ValuesAtTheMaximumAreAcceptedAndThoseBeyondAreNot)
{
    const std::tuple<const char*, const char*, const char*> limits[] = {{"cluster.inter_node_efficiency", "1", "1.001"},
                                                                        {"job.repair_hours", "8760", "8761"},
                                                                        {"model.num_layers", "4096", "4097"},
                                                                        {"model.num_attention_heads", "4096", "4097"},
                                                                        {"model.hidden_size", "1048576", "1048577"},
                                                                        {"training.micro_batch_size", "65536", "65537"},
                                                                        {"training.global_batch_size", "16777216", "16777217"}};
    for (const auto& [id, largest, beyond] : limits) {
        EXPECT_TRUE(setParameter(Scenario{}, id, largest).ok()) << id;
        const Result<Scenario> refused = setParameter(Scenario{}, id, beyond);
        ASSERT_FALSE(refused.ok()) << id;
        EXPECT_EQ(refused.errors().front().path, id);
    }
}

TEST(KnownLimits, NamesOf200AndNotesOf20000Bytes)
{
    const auto isRead = [](std::size_t name, std::size_t note) {
        Scenario s = *scenarioPreset("llama2-7b-8-a100");
        s.name = std::string(name, 'n');
        s.note = std::string(note, 'o');
        return scenarioFromJson(toJson(s)).ok();
    };
    EXPECT_TRUE(isRead(200, 20'000));
    EXPECT_FALSE(isRead(201, 1));
    EXPECT_FALSE(isRead(1, 20'001));
}

/// A double counts by ones up to 2^53 = 9,007,199,254,740,992 only: what is written with an exponent beyond it is not known to be whole.
TEST(KnownLimits, WholeNumbersEndWhereADoubleNoLongerCountsByOne)
{
    const auto message = [](const char* text) { return setParameter(Scenario{}, "cluster.num_gpus", text).errors().front().message; };
    EXPECT_NE(message("9.1e15").find("not a whole number"), std::string::npos) << message("9.1e15");
    EXPECT_NE(message("9.0e15").find("out of range"), std::string::npos) << message("9.0e15");
    EXPECT_NE(message("2.5").find("not a whole number"), std::string::npos);
}

/// 33 layers on two stages: a first or last stage of one layer leaves 32 for the other, a rest that its one stage takes.
TEST(KnownLimits, AnUnevenStageOfOneLayerIsOne)
{
    Scenario s;
    s.parallelism.tensorModelParallelSize = s.parallelism.pipelineModelParallelSize = 2;
    s.training.globalBatchSize = 16;
    s.model.numLayers = 33;
    EXPECT_FALSE(test::withMessage(check(s), "PP x VPP does not divide the layers").empty());
    for (int ParallelismConfig::*uneven :
         {&ParallelismConfig::numLayersInFirstPipelineStage, &ParallelismConfig::numLayersInLastPipelineStage}) {
        Scenario split = s;
        split.parallelism.*uneven = 1;
        EXPECT_TRUE(test::withMessage(check(split), "PP x VPP does not divide the layers").empty());
    }
}

/// Where the window or the number of experts is reported already, the layers that need them are not reported as well.
TEST(KnownLimits, AReportedFieldIsNotReportedThroughTheLayerPattern)
{
    const std::tuple<const char*, const char*, const char*> rules[] = {{"sliding", "model.sliding_window", "the window is 0"},
                                                                       {"moe", "model.num_experts", "the model has no experts"}};
    for (const auto& [kind, path, message] : rules) {
        Scenario s;
        s.model.layerPattern = {{kind, 1}};
        EXPECT_EQ(test::withMessage(check(s), message).size(), 1U) << kind;
        EXPECT_TRUE(test::withMessage(checkExcept(s, {path}), message).empty()) << kind;
    }
}

/// The normal scores of 5 and 95 % are -+1.645; half of a score is half of the way from the median.
TEST(KnownLimits, ACauseOverSystemsGoesThroughItsQuantiles)
{
    const CauseOverSystems cause{"variability.step_jitter_s", {0.01, 0.02, 0.05}, ""};
    EXPECT_NEAR(cause.at(0.05), 0.01, 1e-9);
    EXPECT_NEAR(cause.at(0.5), 0.02, 1e-9);
    EXPECT_NEAR(cause.at(0.95), 0.05, 1e-9);
    EXPECT_NEAR(cause.at(0.7945985), 0.035, 1e-6); // normal score 0.8224 = 1.6449 / 2
}

ModelConfig modelOf(const std::string& config)
{
    const Result<ImportResult> r = importHuggingFaceConfig(config, {});
    EXPECT_TRUE(r.ok()) << config;
    return r.ok() ? r->scenario.model : ModelConfig{};
}

/// Qwen 2 names its window whether it is used or not.
TEST(KnownLimits, QwensWindowCountsWhereItIsUsed)
{
    const auto window = [](const char* used) {
        return modelOf(std::string(R"({"model_type": "qwen2", "num_hidden_layers": 12, "hidden_size": 1024, "num_attention_heads": 16,
            "num_key_value_heads": 4, "intermediate_size": 3072, "vocab_size": 32000, "sliding_window": 2048, "use_sliding_window": )")
                       + used + "}")
            .slidingWindow;
    };
    EXPECT_EQ(window("true"), 2048);
    EXPECT_EQ(window("false"), 0);
    EXPECT_EQ(modelOf(R"({"model_type": "qwen2", "num_hidden_layers": 12, "hidden_size": 1024, "num_attention_heads": 16,
        "num_key_value_heads": 4, "intermediate_size": 3072, "vocab_size": 32000, "use_sliding_window": true})")
                  .slidingWindow,
              0)
        << "none is named";
}

/// Multi-head attention has as many key heads as query heads, and heads share the hidden size: 1600 / 25 = 64.
TEST(KnownLimits, FamiliesWithoutGroupsHaveAKeyHeadForEachQueryHead)
{
    const ModelConfig gpt2 =
        modelOf(R"({"model_type": "gpt2", "n_layer": 48, "n_embd": 1600, "n_head": 25, "n_positions": 1024, "vocab_size": 50257})");
    EXPECT_EQ(gpt2.numQueryGroups, 25);
    EXPECT_EQ(gpt2.kvChannels, 64);
    const ModelConfig deepseek =
        modelOf(R"({"model_type": "deepseek_v3", "num_hidden_layers": 4, "hidden_size": 1024, "num_attention_heads": 16,
        "num_key_value_heads": 2, "intermediate_size": 3072, "vocab_size": 32000, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64, "v_head_dim": 128})");
    EXPECT_EQ(deepseek.numQueryGroups, 16) << "latent attention has no groups";
}

/// Comments are filled: no line is longer than 110 columns, and the next word would not have fitted.
TEST(KnownLimits, CommentsAreWrappedAtOneHundredAndTenColumns)
{
    std::istringstream lines(commentedScenario(Scenario{}, true));
    std::string line, before;
    int wrapped = 0;
    std::getline(lines, line); // the two lines at the top have their own length
    std::getline(lines, line);
    for (bool isBlock = false; std::getline(lines, line);) {
        const std::size_t slashes = line.find_first_not_of(' ');
        const bool isText = line.compare(slashes, 3, "// ") == 0 && line.compare(slashes, 4, "// \"") != 0;
        if (isText) {
            EXPECT_LE(line.size(), 110U) << line;
            if (isBlock) {
                const std::string rest = line.substr(slashes + 3);
                EXPECT_GT(before.size() + 1 + std::min(rest.find(' '), rest.size()), 110U) << before << "\n" << line;
                ++wrapped;
            }
        }
        isBlock = isText;
        before = line;
    }
    EXPECT_GT(wrapped, 50);
}

} // namespace
} // namespace prism
