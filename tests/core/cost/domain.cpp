// SPDX-License-Identifier: GPL-3.0-or-later
// The domain that the calibration covers: validated inputs are inside, everything else reports what is missing.
#include "core/cost/domain.h"

#include "core/cost/calibration.h"
#include "core/cost/predictor.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace prism {
namespace {

Scenario preset(const char* name)
{
    const Result<Scenario> s = scenarioPreset(name);
    EXPECT_TRUE(s.ok()) << name;
    return s ? *s : Scenario{};
}

bool warnsOf(const Diagnostics& warnings, const std::string& path)
{
    return std::any_of(warnings.begin(), warnings.end(),
                       [&](const Diagnostic& d) { return d.path == path && d.message.find("outside of the calibration") == 0; });
}

TEST(Domain, ValidatedInputsAreInside)
{
    EXPECT_TRUE(outsideOf(calibration().domain, preset("gpt3-175b-1024-a100")).empty());
    EXPECT_TRUE(costStep(preset("gpt3-175b-1024-a100"))->withinCalibration);
}

TEST(Domain, UncalibratedGpuReportsItAndWidensTheBand)
{
    const Scenario s = preset("llama3-70b-128-mi300x");
    const Result<CostedStep> step = costStep(s);
    ASSERT_TRUE(step.ok());
    EXPECT_FALSE(step->withinCalibration);
    EXPECT_TRUE(warnsOf(step->warnings, "cluster.gpu"));
    EXPECT_LT(step->errorBandLow, errorBand(calibration(), "dense").low);
    EXPECT_GE(step->errorBandHigh, errorBand(calibration(), "dense").high);
}

TEST(Domain, PrecisionModelScaleAndSizeCountToo)
{
    const CalibrationDomain& domain = calibration().domain;
    Scenario s = preset("gpt3-175b-1024-a100");
    s.training.precision = "fp32";
    EXPECT_TRUE(warnsOf(outsideOf(domain, s), "cluster.gpu"));
    s = preset("gpt3-175b-1024-a100");
    s.cluster.numGpus = 1'000'000;
    s.model.hiddenSize = 512;
    s.model.seqLength = 1 << 20;
    const Diagnostics warnings = outsideOf(domain, s);
    EXPECT_TRUE(warnsOf(warnings, "cluster.num_gpus"));
    EXPECT_TRUE(warnsOf(warnings, "model.hidden_size"));
    EXPECT_TRUE(warnsOf(warnings, "model.seq_length"));
    s = preset("gpt3-175b-1024-a100");
    s.model.layerPattern = {{"mamba", 1}}; // no state-space model was validated
    EXPECT_TRUE(warnsOf(outsideOf(domain, s), "model"));
    s = preset("gpt3-175b-1024-a100");
    s.model.operators.push_back({"conv", 1e9, 1e6, 0, 0, 0, 0, 1});
    EXPECT_TRUE(warnsOf(outsideOf(domain, s), "model"));
}

} // namespace
} // namespace prism
