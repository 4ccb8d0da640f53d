// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/presets.h"

#include "everyfield.h"

#include "core/scenario/parameters.h"
#include "core/scenario/sectionpresets.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace prism {
namespace {

using nlohmann::json;

std::string firstError(const Diagnostics& errors)
{
    return errors.empty() ? "" : errors.front().path + ": " + errors.front().message + " " + errors.front().found;
}

/// A number has a source when its own key, a key above it, or "default" is in the file's sources.
bool hasSource(const json& sources, const std::string& path)
{
    for (std::string key = path; !key.empty(); key = key.find('.') == std::string::npos ? "" : key.substr(0, key.rfind('.')))
        if (sources.contains(key))
            return true;
    return sources.contains("default");
}

void expectSources(const json& value, const json& sources, const std::string& path, const std::string& file)
{
    EXPECT_TRUE(!value.is_number() || hasSource(sources, path)) << file << ": " << path;
    if (!value.is_object())
        return;
    for (const auto& [key, child] : value.items())
        if (key != "sources" && key != "version" && key != "published")
            expectSources(child, sources, path.empty() ? key : path + "." + key, file);
}

TEST(Presets, AFabricKeepsGpusPriceAndReductionInSwitchesOfACluster)
{
    const ClusterConfig base;
    for (const std::string& name : presetNames("fabric")) {
        ClusterConfig expected = *fabricPreset(name, base), changed = base;
        std::size_t kept = 0;
        test::forEveryChange(changed, [&](const std::string& path) {
            const ClusterConfig set = *fabricPreset(name, changed);
            const bool keeps = changed.gpu != base.gpu || changed.numGpus != base.numGpus || changed.gpuHourPriceUsd != base.gpuHourPriceUsd
                               || changed.inNetworkReduction != base.inNetworkReduction;
            EXPECT_EQ(set != expected, keeps) << name << " " << path;
            kept += keeps ? 1 : 0;
        });
        EXPECT_EQ(kept, test::fieldCount<GpuSpec>() + 3) << "the GPU, number, price and switches that reduce";
    }
}

TEST(Presets, AllCanBeRead)
{
    for (const PresetInfo& info : presetList()) {
        EXPECT_NE(info.title, info.name) << info.name;
        if (info.kind == "gpu") {
            EXPECT_TRUE(gpuPreset(info.name).ok()) << info.name << " " << firstError(gpuPreset(info.name).errors());
        } else if (info.kind == "model") {
            EXPECT_TRUE(modelPreset(info.name).ok()) << info.name << " " << firstError(modelPreset(info.name).errors());
        } else if (info.kind == "fabric") {
            EXPECT_TRUE(fabricPreset(info.name, {}).ok()) << info.name << " " << firstError(fabricPreset(info.name, {}).errors());
        } else if (info.kind == "variability") {
            EXPECT_TRUE(variabilityPreset(info.name).ok()) << info.name << " " << firstError(variabilityPreset(info.name).errors());
        } else if (info.kind == "job") {
            EXPECT_TRUE(jobPreset(info.name).ok()) << info.name << " " << firstError(jobPreset(info.name).errors());
        } else if (info.kind == "scenario") {
            EXPECT_TRUE(scenarioPreset(info.name).ok()) << info.name << " " << firstError(scenarioPreset(info.name).errors());
        }
    }
    EXPECT_GE(presetNames("scenario").size(), 8U);
    EXPECT_GE(presetNames("gpu").size(), 6U);
}

TEST(Presets, EveryNumberHasASource)
{
    for (const PresetInfo& info : presetList()) {
        if (info.kind == "calibration") // its numbers are fitted; the cost layer's tests cover where from
            continue;
        const json file = json::parse(*presetText(info.kind, info.name));
        ASSERT_TRUE(file.contains("sources")) << info.kind << "/" << info.name;
        if (info.kind == "published") { // one source a row
            for (const json& row : file["rows"])
                EXPECT_TRUE(file["sources"].contains(row["source"].get<std::string>())) << row["id"];
            continue;
        }
        for (const auto& [key, source] : file["sources"].items())
            EXPECT_GT(source.get<std::string>().size(), 8U) << info.name << " " << key;
        expectSources(file, file["sources"], "", info.kind + "/" + info.name);
    }
}

TEST(Presets, ModelsCarryThePublishedParameterCount)
{
    const auto published = [](const char* name) { return json::parse(*presetText("model", name)).value("published_parameters", 0.0); };
    for (const std::string& name : presetNames("model"))
        EXPECT_GT(published(name.c_str()), 0.5e9) << name;
    // arXiv 2407.21783 table 3, 2412.19437 section 4.2, 2005.14165 table 2.1; to the digits that are printed.
    EXPECT_NEAR(published("llama3-405b"), 405e9, 1e9);
    EXPECT_NEAR(published("deepseek-v3"), 671e9, 1e9);
    EXPECT_NEAR(published("gpt3-175b"), 175e9, 1e9);
}

TEST(Presets, TheDefaultScenarioHasTheValuesOfThePresetsItNames)
{
    const Scenario s;
    EXPECT_EQ(*gpuPreset(s.cluster.gpu.preset), s.cluster.gpu);
    EXPECT_EQ(*fabricPreset(s.cluster.fabricPreset, s.cluster), s.cluster);
}

TEST(Presets, PublishedJobsHaveThePublishedSizes)
{
    const Scenario s = *scenarioPreset("llama3-405b-8k-h100"); // arXiv 2407.21783, table 4
    EXPECT_EQ(s.cluster.numGpus, 8192);
    EXPECT_EQ(s.dataParallelSize(), 64);
    EXPECT_EQ(s.training.globalBatchSize * s.model.seqLength, 16 << 20);
    const Scenario t = *scenarioPreset("megatron-1t-3072-a100"); // arXiv 2104.04473, table 1
    EXPECT_EQ(t.dataParallelSize(), 6);
    EXPECT_EQ(t.numMicrobatches(), 512);
}

TEST(Presets, UnknownNamesGetASuggestion)
{
    const Diagnostics errors = scenarioPreset("llama3-405b-16k-h10").errors();
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_NE(errors.front().message.find("llama3-405b-16k-h100"), std::string::npos);
    EXPECT_FALSE(modelPreset("../scenario/frontier-64k").ok());
}

} // namespace
} // namespace prism
