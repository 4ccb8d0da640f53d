// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/scenario.h"
#include "core/scenario/sectionreader.h"

#include "core/base/jsontext.h"
#include "core/scenario/objectreader.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "randomscenario.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace prism {
namespace {

bool mentions(const Diagnostics& found, const std::string& path)
{
    return std::any_of(found.begin(), found.end(), [&](const Diagnostic& d) { return d.path == path; });
}

const Diagnostic* at(const Diagnostics& found, const std::string& path)
{
    for (const Diagnostic& d : found)
        if (d.path == path)
            return &d;
    return nullptr;
}

/// Reads without the rules that join fields: random values need not fit together.
Scenario readBack(const std::string& text)
{
    const Result<nlohmann::json> document = parseJson(text);
    EXPECT_TRUE(document.ok());
    SectionReading reading;
    readScenario(*document, reading);
    EXPECT_TRUE(reading.diagnostics.empty()) << reading.diagnostics.front().path << ": " << reading.diagnostics.front().message;
    return reading.scenario;
}

TEST(ScenarioJson, PresetsComeBackTheSame)
{
    for (const std::string& name : presetNames("scenario")) {
        const Result<Scenario> preset = scenarioPreset(name);
        ASSERT_TRUE(preset.ok()) << name;
        const Result<Scenario> again = scenarioFromJson(toJson(*preset));
        ASSERT_TRUE(again.ok()) << name;
        EXPECT_EQ(*again, *preset) << name;
        EXPECT_EQ(again->hash(), preset->hash()) << name;
    }
}

TEST(ScenarioJson, RandomScenariosComeBackTheSame)
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Scenario scenario = test::randomScenario(seed);
        EXPECT_EQ(readBack(toJson(scenario)), scenario) << "seed " << seed << "\n" << toJson(scenario);
    }
}

TEST(ScenarioJson, KeepsAPresetByNameWithTheFieldsThatDiffer)
{
    Scenario scenario = *scenarioPreset("llama3-405b-16k-h100");
    scenario.model.seqLength = 16384;
    const nlohmann::json saved = nlohmann::json::parse(toJson(scenario));
    EXPECT_EQ(saved["model"], nlohmann::json({{"preset", "llama3-405b"}, {"seq_length", 16384}}));
    EXPECT_EQ(saved["cluster"]["fabric"], "meta-roce-24k");
}

TEST(ScenarioJson, ReportsAllErrorsAtOnceWithPathsAndSuggestions)
{
    const Result<Scenario> read = scenarioFromJson(R"({"version": 1, "modle": {},
        "model": {"num_layers": 0, "hiden_size": 4096, "vocab_size": "many"},
        "cluster": {"gpu": "h100", "num_gpus": 1000000000},
        "parallelism": {"zero_stage": 1.5, "pipeline_schedule": "1f1c"},
        "training": {"micro_batch_size": -1, "flash_attention": 1},
        "variability": {"gemm": {"cv": -0.1, "familly": "lognormal"}, "slow": [{"nod": 1}]}})");
    ASSERT_FALSE(read.ok());
    const Diagnostics errors = read.errors();
    for (const char* path : {"modle", "model.num_layers", "model.hiden_size", "model.vocab_size", "cluster.gpu.preset", "cluster.num_gpus",
                             "parallelism.zero_stage", "parallelism.pipeline_schedule", "training.micro_batch_size",
                             "training.flash_attention", "variability.gemm.cv", "variability.gemm.familly", "variability.slow[0].nod"})
        EXPECT_TRUE(mentions(errors, path)) << path;
    EXPECT_NE(at(errors, "modle")->message.find("\"model\""), std::string::npos);
    EXPECT_NE(at(errors, "model.hiden_size")->message.find("hidden_size"), std::string::npos);
    EXPECT_NE(at(errors, "variability.gemm.familly")->message.find("family"), std::string::npos);
    EXPECT_EQ(at(errors, "parallelism.pipeline_schedule")->fixValue, "\"1f1b\"");
    EXPECT_EQ(at(errors, "model.num_layers")->found, "0");
    // A field that has an error already takes part in no further rule.
    EXPECT_FALSE(mentions(errors, "training.global_batch_size"));
}

TEST(ScenarioJson, TakesPresetsWithOverridesAndSources)
{
    const Result<Scenario> read = scenarioFromJson(R"({"version": 1, "model": {"preset": "llama3-8b", "seq_length": 4096, "source": "own"},
        "cluster": {"gpu": {"preset": "h100-sxm-80gb", "memory_gib": 94}, "fabric": "dgx-h100-ndr400-rail", "num_gpus": 16, "sources": {}}})");
    ASSERT_TRUE(read.ok()) << read.errors().front().message;
    EXPECT_EQ(read->model.hiddenSize, 4096);
    EXPECT_EQ(read->model.seqLength, 4096);
    EXPECT_EQ(read->cluster.gpu.memoryGib, 94);
    EXPECT_EQ(read->cluster.gpu.numSms, 132);
    EXPECT_EQ(read->dataParallelSize(), 16);
}

TEST(ScenarioJson, KeysWithDotsAreNoPaths)
{
    const Diagnostics errors = scenarioFromJson(R"({"version": 1, "cluster": {"gpu.memory_gib": 94}})").errors();
    EXPECT_TRUE(mentions(errors, "cluster.gpu.memory_gib"));
}

TEST(ScenarioJson, SectionsStandInTheFileEvenIfEmpty)
{
    const nlohmann::json saved = nlohmann::json::parse(toJson(Scenario{}));
    for (const char* section : {"model", "cluster", "parallelism", "training", "variability"})
        EXPECT_TRUE(saved.contains(section) && saved[section].is_object()) << section;
}

TEST(ScenarioJson, FoundTextsAreShortenedBeyondSixtyCharacters)
{
    const std::string sixty(60, 'x'), shortened = std::string(57, 'x') + "...";
    EXPECT_EQ(jsonShort(sixty), "\"" + sixty + "\"");
    EXPECT_EQ(jsonShort(sixty + "x"), "\"" + shortened + "\"");
    EXPECT_EQ(jsonShort(nlohmann::json::array({1, 2})), "a list of 2");
}

TEST(ScenarioSizes, AreDerivedAsInMegatron)
{
    const Scenario s = *scenarioPreset("gpt3-175b-1024-a100");
    EXPECT_EQ(s.dataParallelSize(), 1024 / (8 * 8));
    EXPECT_EQ(s.numMicrobatches(), 1536 / 16);
    Scenario odd = s;
    odd.cluster.numGpus = 1000;
    EXPECT_EQ(odd.dataParallelSize(), 0);
    EXPECT_EQ(odd.numMicrobatches(), 0);
}

} // namespace
} // namespace prism
