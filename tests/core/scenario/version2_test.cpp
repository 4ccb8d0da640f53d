// SPDX-License-Identifier: GPL-3.0-or-later
// Scenario files of version 2: without a word about variability the measured spread of the GPU holds.
#include "core/scenario/presetlibrary.h"
#include "core/scenario/scenario.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace prism {
namespace {

Scenario read(const std::string& text)
{
    const Result<Scenario> scenario = scenarioFromJson(text);
    EXPECT_TRUE(scenario.ok()) << text;
    return scenario.ok() ? *scenario : Scenario{};
}

TEST(ScenarioVersion2, TheMeasuredSpreadOfTheGpuIsTheDefault)
{
    EXPECT_EQ(read(R"({"version": 2})").variability.preset, measuredSpreadOf(GpuSpec{}.preset));
    EXPECT_EQ(read(R"({"version": 2, "cluster": {"gpu": "a100-sxm-80gb"}})").variability.preset, "measured-a100");
    EXPECT_GT(read(R"({"version": 2, "variability": {"gemm": {"cv": 0.07}}})").variability.attention.cv, 0) << "single fields on top of it";
}

TEST(ScenarioVersion2, NoneIsAChoice)
{
    const Scenario none = read(R"({"version": 2, "variability": {"preset": "none"}})");
    EXPECT_TRUE(none.variability.gemm.isDeterministic());
    EXPECT_EQ(none.variability.preset, "none");
}

TEST(ScenarioVersion2, AFileOfVersion1WithoutTheSectionKeepsNoneAndReportsIt)
{
    const Scenario old = read(R"({"version": 1})");
    EXPECT_TRUE(old.variability.gemm.isDeterministic());
    bool printed = false;
    for (const Diagnostic& d : check(old))
        printed = printed || (d.path == "variability" && d.severity == Severity::warning);
    EXPECT_TRUE(printed);
}

TEST(ScenarioVersion2, IsSavedWithoutLoss)
{
    for (const char* text : {R"({"version": 2})", R"({"version": 2, "variability": {"preset": "none"}})",
                             R"({"version": 2, "variability": {"preset": "", "gemm": {"family": "lognormal", "cv": 0.3}}})"}) {
        const Scenario scenario = read(text);
        const Scenario again = read(toJson(scenario));
        EXPECT_EQ(again, scenario) << text;
        EXPECT_EQ(again.version, 2);
    }
    EXPECT_FALSE(scenarioFromJson(R"({"version": 3})").ok());
}

/// From version 2 on an empty name is written, so that a reader does not take the default.
TEST(ScenarioVersion2, ASpreadWithoutANameIsWrittenAsSuch)
{
    for (const int version : {1, 2}) {
        Scenario s;
        s.version = version;
        s.variability = {};
        s.variability.preset.clear();
        const nlohmann::json json = nlohmann::json::parse(toJson(s));
        EXPECT_EQ(json.contains("variability") && json["variability"].contains("preset"), version == 2) << version;
    }
}

/// Rare events are written where there are some, by their probability or their size.
TEST(ScenarioVersion2, RareEventsAreWrittenWhereThereAreSome)
{
    const auto written = [](double probability, double multiplier) {
        Scenario s;
        Distribution& norm = s.variability.classOverrides["norm"] = {Family::gamma, 0.25};
        norm.rareProbability = probability;
        norm.rareMultiplier = multiplier;
        return nlohmann::json::parse(toJson(s))["variability"]["class_overrides"]["norm"];
    };
    EXPECT_EQ(written(0, 1), nlohmann::json({{"family", "gamma"}, {"cv", 0.25}}));
    for (const auto& [probability, multiplier] : {std::pair{0.125, 1.0}, {0.0, 2.0}, {0.125, 2.0}})
        EXPECT_EQ(written(probability, multiplier),
                  nlohmann::json({{"family", "gamma"}, {"cv", 0.25}, {"rare_probability", probability}, {"rare_multiplier", multiplier}}));
}

/// Each number of a list's item at both ends, and beyond; a draft is not checked otherwise.
TEST(ScenarioVersion2, ItemsOfListsAreReadUpToTheirLimits)
{
    struct Limit {
        const char *before, *after;
        std::vector<const char*> valid, invalid;
    };
    const Limit limits[] = {
        {R"("model":{"layer_pattern":[{"kind":"mlp","count":)", "}]}", {"1", "4096"}, {"0", "4097", "1.5"}},
        {R"("model":{"operators":[{"name":"a","count":1,"flops":)", "}]}", {"0", "1e30"}, {"-1", "1.01e30"}},
        {R"("model":{"operators":[{"name":"a","count":1,"bytes":)", "}]}", {"0", "1e30"}, {"-1", "1.01e30"}},
        {R"("model":{"operators":[{"name":"a","count":1,"m":)", "}]}", {"0", "1099511627776"}, {"-1", "1099511627777"}},
        {R"("model":{"operators":[{"name":"a","count":1,"n":)", "}]}", {"0", "1099511627776"}, {"-1", "1099511627777"}},
        {R"("model":{"operators":[{"name":"a","count":1,"k":)", "}]}", {"0", "1099511627776"}, {"-1", "1099511627777"}},
        {R"("model":{"operators":[{"name":"a","count":1,"parameters":)", "}]}", {"0", "1125899906842624"}, {"-1", "1125899906842625"}},
        {R"("model":{"operators":[{"name":"a","count":)", "}]}", {"1", "1000000"}, {"0", "1000001"}},
        {R"("variability":{"spatial_sensitivity":{"norm":)", "}}", {"0", "1"}, {"-0.01", "1.01"}},
        {R"("variability":{"slow":[{"node":)", "}]}", {"-1", "1048575"}, {"-2", "1048576"}},
        {R"("variability":{"slow":[{"rank":)", "}]}", {"-1", "1048575"}, {"-2", "1048576"}},
        {R"("variability":{"slow":[{"compute_factor":)", "}]}", {"0.1", "1000"}, {"0.09", "1000.5"}},
        {R"("variability":{"slow":[{"link_factor":)", "}]}", {"0.1", "1000"}, {"0.09", "1000.5"}},
        {R"("variability":{"gemm":{"family":"empirical","pool":)",
         "}}",
         {"[1]", "[1e-9,9e17]"},
         {"[]", "[1,0]", "[1,-1]", "[1e18]", "[1,\"2\"]", "2"}},
        {R"("job":{"failures":[{"name":"a","per_1000_node_days":)", "}]}", {"0", "1e6"}, {"-1", "1000001"}},
        {R"("measured":{"kernels":[{"kernel_class":"norm","mean_s":)", "}]}", {"0", "1e6"}, {"-1", "1000001"}},
        {R"("measured":{"rows":[{"op":"gemm","m":)", "}]}", {"0"}, {"-1", "1e30"}},
        {R"("measured":{"rows":[{"op":"gemm","time_s":)", "}]}", {"0", "1e6"}, {"-1", "1000001"}},
        {R"("measured":{"speeds":[{"node":)", "}]}", {"0", "1048575"}, {"-1", "1048576"}},
        {R"("measured":{"speeds":[{"gpu":)", "}]}", {"-1", "1023"}, {"-2", "1024"}},
        {R"("measured":{"speeds":[{"relative_speed":)", "}]}", {"0.001", "1000"}, {"0.0009", "1000.5"}},
        {R"("measured":{"node_order":[)", "]}", {"0", "1048575"}, {"-1", "1048576", "0.5"}},
    };
    for (const Limit& limit : limits) {
        const auto isRead = [&](const char* value) {
            return draftFromJson(R"({"version":2,)" + std::string(limit.before) + value + limit.after + "}").ok();
        };
        for (const char* value : limit.valid)
            EXPECT_TRUE(isRead(value)) << limit.before << value;
        for (const char* value : limit.invalid)
            EXPECT_FALSE(isRead(value)) << limit.before << value;
    }
}

/// The spread is that of the pool, regardless of the stated one; a pool of mean 1 is kept to the last bit.
TEST(ScenarioVersion2, APoolBringsItsSpread)
{
    const auto gemm = [](const char* pool, const char* cv) {
        return draftFromJson(R"({"version":2,"variability":{"gemm":{"family":"empirical","pool":)" + std::string(pool) + R"(,"cv":)" + cv
                             + "}}}")
            ->variability.gemm;
    };
    for (const char* cv : {"0", "0.5", "4"}) {
        EXPECT_DOUBLE_EQ(gemm("[0.5,1.5]", cv).cv, 0.5) << cv;
        EXPECT_EQ(*gemm("[0.5,1.5]", cv).pool, std::vector<double>({0.5, 1.5}));
        EXPECT_DOUBLE_EQ(gemm("[6,2]", cv).cv, 0.5) << cv;
        EXPECT_EQ(*gemm("[6,2]", cv).pool, std::vector<double>({0.5, 1.5}));
    }
}

TEST(ScenarioVersion2, EveryGpuNamesASpreadThatExists)
{
    const std::vector<std::string> spreads = presetNames("variability");
    for (const std::string& gpu : presetNames("gpu"))
        EXPECT_NE(std::find(spreads.begin(), spreads.end(), measuredSpreadOf(gpu)), spreads.end()) << gpu;
    EXPECT_EQ(measuredSpreadOf("no such GPU"), "");
}

} // namespace
} // namespace prism
