// SPDX-License-Identifier: GPL-3.0-or-later
// Names of kernel classes: those that a scenario may use, the nearest name for others, and the page of all.
#include "core/cost/classes.h"

#include "core/cost/predictor.h"
#include "prism_paths.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace prism {
namespace {

TEST(ClassNames, MisspeltOnesAreErrorsWithTheNearestName)
{
    Scenario scenario;
    scenario.variability.classOverrides["dp.al_gather"] = {Family::gamma, 0.1};
    scenario.variability.spatialSensitivity["gemms"] = 0.5;
    scenario.measured.kernels = {{"atention", 1e-3}};
    const Diagnostics errors = unknownClasses(scenario);
    ASSERT_EQ(errors.size(), 3U);
    EXPECT_EQ(errors[0].path, "variability.class_overrides.dp.al_gather");
    EXPECT_NE(errors[0].accepted.find("\"dp.all_gather\""), std::string::npos);
    EXPECT_NE(errors[1].accepted.find("\"gemm\""), std::string::npos);
    EXPECT_NE(errors[2].accepted.find("\"attention\""), std::string::npos);
    EXPECT_FALSE(costStep(scenario).ok()) << "and nothing is predicted";
}

TEST(ClassNames, NamesAndTheirGroupsAreKnown)
{
    Scenario scenario;
    for (const std::string& name : kernelClassNames()) {
        scenario.variability.classOverrides[name] = {Family::gamma, 0.1};
        scenario.measured.kernels.push_back({name, 1e-3});
    }
    for (const char* group : {"gemm", "dp", "pp.send_recv"})
        scenario.variability.spatialSensitivity[group] = 0.5;
    EXPECT_TRUE(unknownClasses(scenario).empty());
}

TEST(ClassNames, TheHelpPageIsCurrent)
{
    std::ostringstream page;
    page << std::ifstream(PRISM_SOURCE_DIR "/resources/help/kernel-classes.md", std::ios::binary).rdbuf();
    EXPECT_EQ(page.str(), kernelClassPage()) << "renew it: prism-cli help parameters --classes --output resources/help/kernel-classes.md";
}

TEST(ClassNames, AKernelThatTakesLongerThanAStepMayIsAnError)
{
    Scenario scenario;
    scenario.model.operators = {{"huge", 9.2e18 * 1e9, 1, 0, 0, 0, 0, 3}};
    const Result<CostedStep> step = costStep(scenario);
    if (step.ok())
        EXPECT_TRUE(stepGraphFromJson(toJson(step->graph)).ok()) << "what predict makes, simulate accepts";
    else
        EXPECT_NE(step.errors().front().message.find("longer than a step"), std::string::npos) << step.errors().front().message;
}

} // namespace
} // namespace prism
