// SPDX-License-Identifier: GPL-3.0-or-later
// What a fit writes down of its numbers, when it says that nothing is left to fit, and the sizes of published schedules.
#include "core/calibrate/published.h"
#include "core/calibrate/runfit.h"
#include "core/calibrate/stallsteps.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace prism {
namespace {

RunFit madeFit()
{
    RunFit fit;
    fit.computeLevel = {1.25, 1.2, 1.3};
    fit.fitted.measured.levelError = 0.015;
    fit.fitted.measured.levelJob = "precision=bf16, job=0";
    fit.notes = {"a note"};
    SpreadCauses& c = fit.causes;
    c.steps = 700;
    c.runs = 2;
    c.gpus = 16;
    c.gpuHours = 123;
    c.stalls = 4;
    c.jitterSeconds = {0.02, 0.01, 0.03};
    c.regimeCv = {0.003, 0.002, 0.004};
    c.stallsPerGpuHour = {0.001, 0.0005, 0.002};
    c.stallMeanSeconds = {2.5, 1.5, 3.5};
    VariabilityConfig& v = fit.fitted.variability;
    v = {};
    v.stepJitterS = 0.02;
    v.computeRegime = {Family::lognormal, 0.003};
    v.computeRegimeLag1 = 0.6;
    v.stallsPerGpuHour = 0.001;
    v.stallMeanS = 2.5;
    v.stallCv = 0.75;
    v.gemm = {Family::lognormal, 0.125};
    return fit;
}

TEST(FitReport, EveryFittedNumberIsAValueAndEveryIntervalAFact)
{
    RunFit fit = madeFit();
    const ClusterCalibration c = calibrationOf(fit, "steps.log");
    EXPECT_EQ(c.values, (decltype(c.values){{"measured.compute_level", "1.25"},
                                            {"measured.level_error", "0.015"},
                                            {"measured.level_job", "precision=bf16, job=0"},
                                            {"variability.step_jitter_s", "0.02"},
                                            {"variability.compute_regime.family", "lognormal"},
                                            {"variability.compute_regime.cv", "0.003"},
                                            {"variability.compute_regime_lag1", "0.6"},
                                            {"variability.stalls_per_gpu_hour", "0.001"},
                                            {"variability.stall_mean_s", "2.5"},
                                            {"variability.stall_cv", "0.75"}}));
    EXPECT_TRUE(c.regimePool.empty());
    ASSERT_EQ(c.sources.size(), 1U);
    EXPECT_EQ(c.sources[0].facts,
              (std::vector<std::string>{"700 steps of 2 runs on 16 GPUs, 123 GPU-hours, 4 stalls", "compute level 1.25 (1.2 to 1.3) x",
                                        "step jitter 0.02 (0.01 to 0.03) s", "compute regime 0.003 (0.002 to 0.004) cv",
                                        "stalls 0.001 (0.0005 to 0.002) per GPU-hour", "stall size 2.5 (1.5 to 3.5) s", "a note"}));
    EXPECT_EQ(c.machine.numSms, fit.fitted.cluster.gpu.numSms);
    EXPECT_EQ(c.machine.peakBf16Tflops, fit.fitted.cluster.gpu.peakBf16Tflops);
    fit.otherSpread = 0.5; // the scenario's own spreads were scaled: they are values too
    const ClusterCalibration scaled = calibrationOf(fit, "steps.log");
    const std::pair<std::string, std::string> gemm = {"variability.gemm.cv", "0.125"};
    EXPECT_EQ(std::count(scaled.values.begin(), scaled.values.end(), gemm), 1);
}

TEST(FitReport, JitterIsLeftWhereTheOtherCausesExplainLessThanTheNoise)
{
    CleanRun run;
    for (int i = 0; i < 60; ++i) {
        run.seconds.push_back(i % 2 == 0 ? 9.9 : 10.1);
        run.index.push_back(i);
    }
    run.medianSeconds = 10;
    const auto reportsNone = [&](double explained) {
        const std::vector<std::string> notes = spreadCauses({run}, 8, explained).notes;
        return std::any_of(notes.begin(), notes.end(), [](const std::string& note) { return note.starts_with("the other causes"); });
    };
    const double noise = stepNoise({run});
    EXPECT_TRUE(reportsNone(noise)) << "all of it";
    EXPECT_FALSE(reportsNone(0.999 * noise));
    run.seconds.assign(60, 10.0);
    EXPECT_FALSE(reportsNone(0.01)) << "there is no noise to explain";
}

TEST(FitReport, WithoutAStallARateIsPossibleUpToThatOfNoEvent)
{
    // 360 steps of 10 s on 4 GPUs: 4 GPU-hours; no event has the upper limit 3.6889 (Garwood).
    CleanRun run;
    run.seconds.assign(360, 10.0);
    for (int i = 0; i < 360; ++i)
        run.index.push_back(i);
    run.medianSeconds = 10;
    EXPECT_NEAR(spreadCauses({run}, 4, 0).stallsPerGpuHour.high, 3.6889 / 4, 1e-4);
}

TEST(FitPrediction, TheSeedAndTheNumberOfSamplesAreThoseOfTheOptions)
{
    Scenario job = scenarioPreset("llama2-7b-8-a100").value();
    job.variability = {};
    job.variability.stepJitterS = 0.1;
    Evaluator evaluator;
    const auto steps = [&](std::uint64_t seed, int samples) { return withinSteps(evaluator, job, {seed, samples, 1}).value(); };
    const std::vector<double> first = steps(1, 200), second = steps(2, 200);
    EXPECT_EQ(2 * steps(1, 300).size(), 3 * first.size());
    EXPECT_NE(first, second);
    EXPECT_EQ(second, steps(2, 200));
}

TEST(ScheduleRowSizes, EachAtItsMaximumAndOneBeyond)
{
    const auto skipped = [](const std::string& pointer, double value) {
        nlohmann::json row = {{"id", "r"},
                              {"suite", "s"},
                              {"parallel", {{"pp", 4}, {"vpp", 1}}},
                              {"num_microbatches", 8},
                              {"micro_batch", 1},
                              {"model", {{"layers", 8}, {"hidden", 1'024}, {"heads", 16}, {"seq_len", 2'048}}},
                              {"measured", {{"bubble_rate_theoretical", 0.25}, {"profiled_ms", {{"TF", 10}, {"TB", 20}}}}},
                              {"execution", {{"parallelism.pipeline_schedule", "zb-h1"}}}};
        row[nlohmann::json::json_pointer(pointer)] = value;
        const nlohmann::json file = {{"schema", "prism-validation-1"}, {"schema_version", 2}, {"rows", {row}}};
        return readPublished(file.dump()).value().at(0).skipped;
    };
    const std::pair<const char*, double> largest[] = {
        {"/parallel/pp", 1'024},  {"/parallel/vpp", 64},        {"/model/layers", 4'096}, {"/num_microbatches", 65'536},
        {"/micro_batch", 65'536}, {"/model/hidden", 1'048'576}, {"/model/heads", 65'536}, {"/model/seq_len", 16'777'216}};
    for (const auto& [pointer, value] : largest) {
        EXPECT_EQ(skipped(pointer, value), "") << pointer;
        EXPECT_EQ(skipped(pointer, 1), "") << pointer;
        const std::string key = std::string(pointer).substr(std::string(pointer).rfind('/') + 1);
        EXPECT_EQ(skipped(pointer, value + 1), key + " is out of range");
        EXPECT_EQ(skipped(pointer, 0), key + " is out of range");
        EXPECT_EQ(skipped(pointer, 1.5), key + " is out of range");
    }
}

} // namespace
} // namespace prism
