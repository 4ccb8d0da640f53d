// SPDX-License-Identifier: GPL-3.0-or-later
// Scenario files of version 2: without a word about variability the measured spread of the GPU holds.
#include "core/scenario/presetlibrary.h"
#include "core/scenario/scenario.h"

#include <gtest/gtest.h>

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

TEST(ScenarioVersion2, AFileOfVersion1WithoutTheSectionKeepsNoneAndSaysSo)
{
    const Scenario old = read(R"({"version": 1})");
    EXPECT_TRUE(old.variability.gemm.isDeterministic());
    bool said = false;
    for (const Diagnostic& d : check(old))
        said = said || (d.path == "variability" && d.severity == Severity::warning);
    EXPECT_TRUE(said);
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

TEST(ScenarioVersion2, EveryGpuNamesASpreadThatExists)
{
    const std::vector<std::string> spreads = presetNames("variability");
    for (const std::string& gpu : presetNames("gpu"))
        EXPECT_NE(std::find(spreads.begin(), spreads.end(), measuredSpreadOf(gpu)), spreads.end()) << gpu;
    EXPECT_EQ(measuredSpreadOf("no such GPU"), "");
}

} // namespace
} // namespace prism
