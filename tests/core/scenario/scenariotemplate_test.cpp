// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/scenariotemplate.h"

#include "core/scenario/parametertable.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

TEST(ScenarioTemplate, OfEveryPresetReadsBackToTheSameScenario)
{
    for (const std::string& name : presetNames("scenario")) {
        const auto preset = scenarioPreset(name);
        ASSERT_TRUE(preset.ok()) << name;
        for (const bool everything : {false, true}) {
            const auto read = scenarioFromJson(commentedScenario(*preset, everything));
            ASSERT_TRUE(read.ok()) << name << ": " << (read.ok() ? "" : read.errors().front().message + read.errors().front().path);
            EXPECT_EQ(read->hash().text(), preset->hash().text()) << name;
            EXPECT_EQ(toJson(*read), toJson(*preset)) << name;
        }
    }
}

TEST(ScenarioTemplate, CommentsEveryParameterAndLeavesOutTheSeldomOnes)
{
    const auto preset = scenarioPreset("llama3-70b-256-h100");
    ASSERT_TRUE(preset.ok());
    const std::string all = commentedScenario(*preset, true), few = commentedScenario(*preset, false);
    for (const Parameter& p : parameters()) {
        const std::string key = "\"" + p.id.substr(p.id.rfind('.') + 1) + "\": ";
        EXPECT_NE(all.find(key), std::string::npos) << p.id;
        EXPECT_TRUE(!p.basic || few.find(key) != std::string::npos) << p.id;
    }
    EXPECT_LT(few.size(), all.size());
}

TEST(ScenarioTemplate, InvalidCommentsAreErrorsWithTheirPlace)
{
    const auto read = scenarioFromJson("{\n  # a shell comment\n}");
    ASSERT_FALSE(read.ok());
    EXPECT_NE(read.errors().front().path.find("line 2"), std::string::npos) << read.errors().front().path;
}

} // namespace
} // namespace prism
