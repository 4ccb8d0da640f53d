// SPDX-License-Identifier: GPL-3.0-or-later
// Fits of other systems pooled for one that has no series.
#include "core/calibrate/pooledfits.h"

#include "core/scenario/presets.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace prism {
namespace {

std::string report(double jitter, double regime, int stalls, double peak, int sms)
{
    const nlohmann::json json = {{"steps", 700},
                                 {"stalls", stalls},
                                 {"gpu_hours", 1000},
                                 {"step_jitter_s", {{"value", jitter}, {"ci95", {0, 1}}}},
                                 {"compute_regime_cv", {{"value", regime}}},
                                 {"compute_regime_lag1", 0.5},
                                 {"stall_mean_s", {{"value", stalls > 0 ? 2.0 : 0.0}}},
                                 {"stall_cv", 1.0},
                                 {"calibration", {{"machine", {{"gpu", "G"}, {"peak_bf16_tflops", peak}, {"num_sms", sms}}}}}};
    return json.dump();
}

std::string valueOf(const ClusterCalibration& c, const std::string& path)
{
    for (const auto& [known, value] : c.values)
        if (known == path)
            return value;
    return "none";
}

TEST(PooledFits, TakesTheJitterAndTheRegimeOfTheOwnChipAndAllStalls)
{
    const GpuSpec gpu = *gpuPreset("h200-sxm-141gb");
    std::vector<FittedSystem> systems;
    for (const auto& [name, text] : {std::pair{"a", report(0.02, 0, 3, gpu.peakBf16Tflops, gpu.numSms)},
                                     {"b", report(0.03, 0.004, 1, 2250, 148)},
                                     {"c", report(0.05, 0.002, 2, 2500, 152)}})
        systems.push_back(*fittedSystemFromJson(text, name));
    const auto pooled = pooledCalibration(systems, gpu);
    ASSERT_TRUE(pooled.ok());
    EXPECT_EQ(valueOf(*pooled, "variability.step_jitter_s"), "0.02");
    EXPECT_EQ(valueOf(*pooled, "variability.stalls_per_gpu_hour"), "0.002"); // 6 in 3,000
    EXPECT_EQ(valueOf(*pooled, "variability.compute_regime.cv"), "0");       // the one of this chip shows none
    EXPECT_EQ(valueOf(*pooled, "measured.compute_level"), "none");
    EXPECT_TRUE(isEqual(pooled->machine, gpu)); // holds on any GPU
    const auto other = pooledCalibration(systems, *gpuPreset("a100-sxm-80gb"));
    ASSERT_TRUE(other.ok());
    EXPECT_EQ(valueOf(*other, "variability.compute_regime.cv"), "0.002"); // of three systems, none of this chip
    EXPECT_EQ(valueOf(*other, "variability.step_jitter_s"), "0.03");
}

/// Quantiles of the regime: of the systems on the same chip, where there are none of all.
TEST(PooledFits, MeansTheQuantilesOfTheRegimes)
{
    const GpuSpec gpu = *gpuPreset("h200-sxm-141gb");
    const auto withPool = [](const std::string& text, double factor, double lag1) {
        nlohmann::json json = nlohmann::json::parse(text);
        json["calibration"]["compute_regime_pool"] = std::vector<double>(400, factor);
        json["calibration"]["values"]["variability.compute_regime_lag1"] = lag1;
        return *fittedSystemFromJson(json.dump(), "x");
    };
    const std::vector<FittedSystem> systems = {withPool(report(0.02, 0, 3, gpu.peakBf16Tflops, gpu.numSms), 1.01, 0.75),
                                               withPool(report(0.03, 0.004, 1, 2250, 148), 1.07, 0.25)};
    const auto own = pooledCalibration(systems, gpu), other = pooledCalibration(systems, *gpuPreset("a100-sxm-80gb"));
    ASSERT_TRUE(own.ok() && other.ok());
    ASSERT_EQ(own->regimePool.size(), 400U);
    EXPECT_NEAR(own->regimePool[200], 1.01, 1e-12);
    EXPECT_EQ(valueOf(*own, "variability.compute_regime_lag1"), "0.75");
    EXPECT_EQ(valueOf(*own, "variability.compute_regime.cv"), "none");
    EXPECT_NEAR(other->regimePool[200], 1.04, 1e-12);
    EXPECT_EQ(valueOf(*other, "variability.compute_regime_lag1"), "0.5");
}

TEST(PooledFits, ReportsWhatAReportLacks)
{
    const auto none = fittedSystemFromJson("{}", "x.json");
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.errors().size(), 10U);
    EXPECT_EQ(none.errors()[0].path, "x.json/steps");
    EXPECT_FALSE(fittedSystemFromJson("[1", "x").ok());
    EXPECT_FALSE(fittedSystemFromJson("[1]", "x").ok());
    const auto one = fittedSystemFromJson(report(0.02, 0, 3, 989, 132), "a");
    ASSERT_TRUE(one.ok());
    EXPECT_FALSE(pooledCalibration({*one}, GpuSpec{}).ok());
}

/// The output of pool-fits is accepted by check.
TEST(PooledFits, RefusesWhatNoScenarioTakes)
{
    const auto wild = fittedSystemFromJson(report(1e200, 0.004, 3, 989, 132), "a");
    ASSERT_TRUE(wild.ok());
    const auto pooled = pooledCalibration({*wild, *wild}, GpuSpec{});
    ASSERT_FALSE(pooled.ok());
    EXPECT_EQ(pooled.errors().front().path, "values.variability.step_jitter_s");
    const std::string text = R"({"format": "prism-cluster-1", "values": {"variability.step_jitter_s": 1e200}})";
    EXPECT_FALSE(clusterCalibrationFromJson(text).ok()) << "nor does a file bring it in";
}

} // namespace
} // namespace prism
