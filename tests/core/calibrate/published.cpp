// SPDX-License-Identifier: GPL-3.0-or-later
// Published steps: the curated rows hold the promise, untrusted files give errors, measured tables agree with the model.
#include "core/calibrate/published.h"

#include "core/cost/costmodel.h"
#include "core/measured/tables.h"
#include "core/scenario/presets.h"
#include "datafolder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

TEST(Published, RowsCarryTheMeasuredSpreadOfTheirGpus)
{
    const Result<std::vector<PublishedRow>> rows = readPublished(*presetText("published", "steps"));
    ASSERT_TRUE(rows.ok());
    for (const PublishedRow& r : *rows) {
        if (r.skipped.empty() && !r.scheduleOnly) {
            EXPECT_GT(r.scenario.variability.spatial.cv, 0.0) << r.id;
        }
    }
}

TEST(Published, SlowdownMultipliesTheNoiseFreeStep)
{
    const Result<std::vector<PublishedRow>> rows = readPublished(*presetText("published", "steps"));
    ASSERT_TRUE(rows.ok());
    const ValidatedRow plain = validatedRow(rows->front(), calibration()), slow = validatedRow(rows->front(), calibration(), 1.05);
    EXPECT_DOUBLE_EQ(plain.noiseFreeSeconds, slow.noiseFreeSeconds);
    EXPECT_DOUBLE_EQ(plain.predictedSeconds, plain.noiseFreeSeconds);
    EXPECT_DOUBLE_EQ(slow.predictedSeconds, 1.05 * plain.noiseFreeSeconds);
}

/// The curated rows are what everyone can run: they must not lack a fact that the full data has.
TEST(Published, CuratedRowsArePredictedLikeTheRowsOfTheData)
{
    if (dataFolder().empty())
        GTEST_SKIP() << "no measured data";
    const Result<std::string> text = readTextFile(dataFolder() + "/published.json");
    ASSERT_TRUE(text.ok());
    const Result<std::vector<PublishedRow>> data = readPublished(*text), curated = readPublished(*presetText("published", "steps"));
    ASSERT_TRUE(data.ok());
    ASSERT_TRUE(curated.ok());
    int compared = 0;
    for (const PublishedRow& c : *curated)
        for (const PublishedRow& d : *data)
            if (c.id == d.id && c.skipped.empty()) {
                EXPECT_DOUBLE_EQ(validatedRow(c, calibration()).predictedSeconds, validatedRow(d, calibration()).predictedSeconds) << c.id;
                EXPECT_DOUBLE_EQ(c.publishedSeconds, d.publishedSeconds) << c.id;
                ++compared;
            }
    EXPECT_GE(compared, 30);
}

TEST(Published, SchedulesReproduceTheirBubbleRates)
{
    const Result<std::string> text = presetText("published", "steps");
    ASSERT_TRUE(text.ok());
    const Result<std::vector<PublishedRow>> rows = readPublished(*text);
    ASSERT_TRUE(rows.ok());
    for (const PublishedRow& r : *rows)
        if (r.scheduleOnly) {
            const ValidatedRow v = validatedRow(r, calibration());
            EXPECT_NEAR(v.predictedBubbleRate, r.publishedBubbleRate, 0.01) << r.id;
        }
}

TEST(Published, HostileFilesAreErrors)
{
    EXPECT_FALSE(readPublished("").ok());
    EXPECT_FALSE(readPublished("[1,2").ok());
    EXPECT_FALSE(readPublished("{\"schema\":\"other\"}").ok());
    EXPECT_FALSE(readPublished(R"({"schema":"prism-validation-1","rows":[1,{}]})").ok());
    const Result<std::vector<PublishedRow>> rows = readPublished(
        R"({"schema":"prism-validation-1","rows":[{"id":"x","suite":"y","model":{"layers":1e300,"hidden":-4},"gpu":{"type":"abacus"},"measured":{"iteration_time_s":1}}]})");
    ASSERT_TRUE(rows.ok());
    EXPECT_NE(rows->front().skipped.find("layers"), std::string::npos);
    EXPECT_NE(rows->front().skipped.find("abacus"), std::string::npos);
    EXPECT_FALSE(validatedRow(rows->front(), calibration()).hasError());
}

/// One row with a word for its precision, its notes, and its layers on PP 4.
PublishedRow rowWith(const std::string& precision, const std::string& notes, int layers = 8, const std::string& recompute = "none")
{
    const Result<std::vector<PublishedRow>> rows = readPublished(
        R"({"schema":"prism-validation-1","rows":[{"id":"r","suite":"s","model":{"name":"a model","layers":)" + std::to_string(layers)
        + R"(,"hidden":1024,"heads":16,"kv_heads":16,"ffn":4096,"vocab":32000,"seq_len":2048,"gated_mlp":true},"gpu":{"type":"H100","count":8,"per_node":8},)"
          R"("parallel":{"tp":1,"pp":4},"micro_batch":1,"global_batch":16,"precision":")"
        + precision + R"(","recompute":")" + recompute + R"(","notes":")" + notes + R"(","measured":{"iteration_time_s":1}}]})");
    return rows.ok() ? rows->front() : PublishedRow{};
}

bool assumes(const PublishedRow& row, const std::string& part)
{
    return std::any_of(row.assumptions.begin(), row.assumptions.end(),
                       [&](const std::string& a) { return a.find(part) != std::string::npos; });
}

TEST(Published, PrecisionsAreReadOrTheRowIsSkipped)
{
    for (const auto& [words, precision] : {std::pair{"bf16", "bf16"},
                                           {"amp_bf16", "bf16"},
                                           {"BF16", "bf16"},
                                           {"bf16+compile", "bf16"},
                                           {"fp16", "fp16"},
                                           {"FP8-CS", "fp8_tensorwise"},
                                           {"fp8", "fp8_delayed"},
                                           {"FP8-MX", "mxfp8"},
                                           {"fp8/mxfp8", "mxfp8"},
                                           {"NVFP4", "nvfp4"}}) {
        const PublishedRow row = rowWith(words, "");
        EXPECT_EQ(row.scenario.training.precision, precision) << words;
        EXPECT_TRUE(row.skipped.empty()) << words << row.skipped;
    }
    for (const char* words : {"see source", "tokendrop", "dropless", ""}) {
        EXPECT_NE(rowWith(words, "container 25.09").skipped.find("precision"), std::string::npos) << words;
        const PublishedRow noted = rowWith(words, "run in BF16");
        EXPECT_TRUE(noted.skipped.empty()) << words;
        EXPECT_EQ(noted.scenario.training.precision, "bf16");
        EXPECT_TRUE(assumes(noted, "name or notes"));
    }
    EXPECT_TRUE(assumes(rowWith("fp16/bf16", ""), "fp16/bf16"));
}

TEST(Published, WhatIsNotPrintedIsListed)
{
    EXPECT_TRUE(assumes(rowWith("bf16", "", 8, ""), "no recomputation"));
    EXPECT_TRUE(assumes(rowWith("bf16", "", 8, "as usual"), "as usual"));
    EXPECT_FALSE(assumes(rowWith("bf16", "", 8, "none"), "recomputation"));
    EXPECT_FALSE(assumes(rowWith("bf16", "", 8, "full"), "recomputation"));
    EXPECT_EQ(rowWith("bf16", "", 8, "norm, act").scenario.training.recomputeModules, "layernorm moe_act");
    EXPECT_EQ(rowWith("bf16", "", 8, "selective: layernorm, moe").scenario.training.recomputeModules, "layernorm moe");
    EXPECT_EQ(rowWith("bf16", "", 8, "selective (recalled)").scenario.training.recomputeModules, "core_attn");
}

TEST(Published, ForcedBalanceHasNoImbalanceOfExperts)
{
    EXPECT_TRUE(rowWith("bf16", "MoE rows force balanced routing").scenario.variability.moeImbalance.isDeterministic());
    EXPECT_FALSE(rowWith("bf16", "").scenario.variability.moeImbalance.isDeterministic());
}

TEST(Published, LayersThatDoNotDivideAreSplitEvenlyAndTheRowSaysSo)
{
    const PublishedRow uneven = rowWith("bf16", "", 9), counted = rowWith("bf16", "", 10), even = rowWith("bf16", "", 8);
    EXPECT_EQ(uneven.scenario.parallelism.pipelineModelParallelLayout, "Ettt|tt|tt|ttL");
    EXPECT_TRUE(assumes(uneven, "Ettt|tt|tt|ttL"));
    EXPECT_TRUE(validatedRow(uneven, calibration()).hasError());
    EXPECT_TRUE(counted.scenario.parallelism.pipelineModelParallelLayout.empty()); // 10 + 2 = 4 x 3
    EXPECT_TRUE(assumes(counted, "counted as a layer"));
    EXPECT_FALSE(assumes(rowWith("bf16", "embedding and loss counted as layers", 10), "counted as a layer"));
    EXPECT_FALSE(assumes(even, "split"));
}

TEST(Published, RankCorrelationOfReversedListsIsMinusOne)
{
    EXPECT_DOUBLE_EQ(rankCorrelation({1, 2, 3, 4}, {8, 6, 4, 2}), -1.0);
    EXPECT_DOUBLE_EQ(rankCorrelation({1, 5, 9}, {10, 20, 90}), 1.0);
}

TEST(Calibration, JsonKeepsEveryConstant)
{
    Calibration a = calibration();
    const Result<Calibration> b = calibrationFromJson(calibrationJson(a));
    ASSERT_TRUE(b.ok());
    Calibration copy = *b;
    const std::vector<NamedConstant> left = namedConstants(a), right = namedConstants(copy);
    ASSERT_EQ(left.size(), right.size());
    for (std::size_t i = 0; i < left.size(); ++i)
        EXPECT_NEAR(*left[i].value, *right[i].value, 1e-4 * std::abs(*left[i].value)) << left[i].name;
    ASSERT_EQ(a.curves.size(), b->curves.size());
    EXPECT_GE(a.curves.size(), 4U);
    for (std::size_t i = 0; i < a.curves.size(); ++i) {
        EXPECT_EQ(a.curves[i].type, b->curves[i].type);
        EXPECT_NEAR(a.curves[i].share[1][2][10], b->curves[i].share[1][2][10], 1e-4);
    }
    EXPECT_FALSE(calibrationFromJson("{}").ok());
}

/// Rows of 1 MB and more, by GPU type: the curves are medians over library versions, which differ among themselves.
TEST(Collectives, AgreeWithNcclTestsTables)
{
    if (dataFolder().empty())
        GTEST_SKIP() << "no measured data";
    const Result<std::vector<BusRow>> rows = readBusTable(dataFolder() + "/collectives/aiconfigurator_nccl_all.csv.gz");
    ASSERT_TRUE(rows.ok());
    for (const auto& [type, gpu] : {std::pair<const char*, const char*>{"a100", "a100-sxm-80gb"},
                                    {"h100", "h100-sxm-80gb"},
                                    {"h200", "h200-sxm-141gb"},
                                    {"b200", "b200-sxm-180gb"},
                                    {"gb200", "gb200-nvl72"}}) {
        int within = 0, n = 0;
        Scenario s;
        s.cluster.gpu = *gpuPreset(gpu);
        s.cluster.nvlsSupported = std::string(type) != "a100";
        for (const BusRow& r : *rows) {
            if (r.type != type || r.bytes < 1 << 20)
                continue;
            s.cluster.intraNodeGbPerS = r.linkGbPerS;
            const CostModel cost(s, calibration());
            within +=
                std::abs(cost.collectives().intraBusBandwidth(static_cast<CollectiveOp>(r.op), r.ranks, r.bytes) / (r.busGbPerS * 1e9) - 1)
                        <= 0.1
                    ? 1
                    : 0;
            ++n;
        }
        ASSERT_GT(n, 100) << type;
        EXPECT_GE(within, 0.94 * n) << type;
    }
}

} // namespace
} // namespace prism
