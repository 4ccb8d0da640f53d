// SPDX-License-Identifier: GPL-3.0-or-later
// Broken texts, deliberately or not: always an answer, never a crash, bounded work.
#include "core/base/jsontext.h"
#include "core/base/text.h"
#include "core/scenario/import/importers.h"
#include "core/scenario/presets.h"
#include "core/stats/random.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace prism {
namespace {

TEST(Hostile, DeepNestingIsRefused)
{
    for (const char* open : {"[", "{\"a\":"}) {
        std::string text;
        for (int i = 0; i < 10'000; ++i)
            text += open;
        const Result<Scenario> read = scenarioFromJson(text);
        ASSERT_FALSE(read.ok());
        EXPECT_NE(read.errors().front().message.find("nested deeper"), std::string::npos);
    }
}

TEST(Hostile, LargeTextsAreRefusedBeforeTheyAreParsed)
{
    const std::string text(std::size_t{100} << 20, ' ');
    const Result<Scenario> read = scenarioFromJson(text);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.errors().front().message, "the text is too large");
}

TEST(Hostile, ManyValuesAreRefused)
{
    std::string text = "[";
    for (int i = 0; i < 1000; ++i)
        text += "0,";
    EXPECT_FALSE(parseJson(text + "0]", {.maxValues = 500}).ok());
    EXPECT_TRUE(parseJson(text + "0]").ok());
}

TEST(Hostile, WhatIsNoJsonIsReportedWithLineAndColumn)
{
    for (const char* text : {"", "{", "{\"version\": 1,}", "{\"a\": NaN}", "{\"a\": 1e999}", "{\"a\": Infinity}", "{\"a\": 1} x",
                             "\x80\xff", "{\"a\": 1, \"a\": 2}", "nul", "[1,2", "\"\\ud800\""}) {
        const Result<Scenario> read = scenarioFromJson(text);
        ASSERT_FALSE(read.ok()) << text;
        EXPECT_FALSE(read.errors().front().message.empty()) << text;
    }
    EXPECT_EQ(scenarioFromJson("{\n  \"version\": x}").errors().front().path, "line 2, column 14");
}

TEST(Hostile, InvalidShapesAreErrors)
{
    for (const char* text :
         {"[]", "3", "null", "{}", "{\"version\": 3}", "{\"version\": 1, \"model\": []}", "{\"version\": 1, \"cluster\": {\"gpu\": 3}}",
          "{\"version\": 1, \"variability\": {\"gemm\": 0.1}}", "{\"version\": 1, \"variability\": {\"gemm\": {\"pool\": [1, \"x\"]}}}",
          "{\"version\": 1, \"measured\": {\"rows\": {}}}", "{\"version\": 1, \"measured\": {\"node_order\": [-1]}}",
          "{\"version\": 1, \"model\": {\"num_layers\": 18446744073709551615}}", "{\"version\": 1, \"model\": {\"num_layers\": null}}"})
        EXPECT_FALSE(scenarioFromJson(text).ok()) << text;
}

/// Cuts, swaps, repeats and overwrites at random places.
std::string mutated(std::string text, std::uint64_t seed)
{
    std::uint64_t index = 0;
    const auto draw = [&](std::size_t bound) {
        return static_cast<std::size_t>(uniform(seed, stream(7), index++) * static_cast<double>(std::max<std::size_t>(1, bound)));
    };
    static const std::vector<std::string> kPieces = {
        "{", "}", "[", "]", "\"", ",", ":", "-1", "1e308", "0", "null", "true", "99999999999999999999", "\\u0000", "nan"};
    const std::size_t edits = 1 + draw(4);
    for (std::size_t i = 0; i < edits && !text.empty(); ++i) {
        const std::size_t at = draw(text.size());
        switch (draw(4)) {
        case 0:
            text.resize(at);
            break;
        case 1:
            text.erase(at, draw(20));
            break;
        case 2:
            text.insert(at, kPieces[draw(kPieces.size())]);
            break;
        default:
            text[at] = static_cast<char>(draw(256));
            break;
        }
    }
    return text;
}

TEST(Hostile, MutatedScenariosAreReadOrRefused)
{
    const std::string text = toJson(*scenarioPreset("sample-slow-node"));
    int accepted = 0;
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        const Result<Scenario> read = scenarioFromJson(mutated(text, seed));
        if (read.ok()) {
            ++accepted;
            EXPECT_FALSE(hasErrors(check(*read)));
        } else {
            EXPECT_TRUE(hasErrors(read.errors()));
        }
    }
    EXPECT_LT(accepted, 2000);
}

TEST(Hostile, MutatedImportsAreReadOrRefused)
{
    const std::string config = R"({"model_type": "deepseek_v3", "num_hidden_layers": 61, "hidden_size": 7168, "num_attention_heads": 128,
        "intermediate_size": 18432, "vocab_size": 129280, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
        "v_head_dim": 128, "n_routed_experts": 256, "num_experts_per_tok": 8, "moe_intermediate_size": 2048, "n_shared_experts": 1})";
    const std::string arguments =
        "N=8\nARGS=\"--num-layers 8 --hidden-size ${N:-64} --num-attention-heads 8 \\\n --seq-length 2048\"\n"
        "torchrun --nproc_per_node $N --nnodes 2 x.py $ARGS --micro-batch-size 1 --bf16 --num-layers-per-virtual-pipeline-stage 1";
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        for (const Result<ImportResult>& r :
             {importHuggingFaceConfig(mutated(config, seed), {}), importMegatronArguments(mutated(arguments, seed), {})}) {
            if (r.ok())
                static_cast<void>(check(r->scenario));
            else
                EXPECT_TRUE(hasErrors(r.errors()));
        }
    }
}

TEST(Text, DistanceAndNearestName)
{
    EXPECT_EQ(editDistance("kitten", "sitting"), 3);
    EXPECT_EQ(editDistance("ab", "ba"), 1);
    EXPECT_EQ(editDistance("", "abc"), 3);
    const std::vector<std::string> known = {"num_layers", "hidden_size"};
    EXPECT_EQ(nearestName("num_layer", known), "num_layers");
    EXPECT_EQ(nearestName("zzz", known), "");
    EXPECT_EQ(nearestName("megatron", std::vector<std::string>{"hf-config", "megatron-args"}), "megatron-args");
    EXPECT_EQ(nearestName("validate", std::vector<std::string>{"validate-collectives", "validate-operators"}), ""); // which of them?
    EXPECT_EQ(nearestName(std::string(100'000, 'x'), known), "");
}

} // namespace
} // namespace prism
