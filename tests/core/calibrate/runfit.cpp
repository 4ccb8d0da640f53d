// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario fitted to steps: its level and the shape of their spread come back; a calibration holds for GPUs of the same chip.
#include "core/calibrate/runfit.h"

#include "core/base/outputfile.h"
#include "core/cost/predictor.h"
#include "core/scenario/measuredlevel.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "core/stats/random.h"

#include <boost/math/special_functions/erf.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <unistd.h>

#include <cmath>

namespace prism {
namespace {

Scenario smallJob()
{
    Scenario s = scenarioPreset("llama2-7b-8-a100").value();
    s.variability = {};
    return s;
}

/// Steps of 5 s with 10 ms of normal noise, of which every tenth is longer by 1 to 3 %.
CleanRun leaningRun(std::uint64_t which)
{
    CleanRun run;
    for (std::uint64_t i = 0; i < 1'500; ++i) {
        const double z = -std::sqrt(2.0) * boost::math::erfc_inv(2 * uniform(6, stream(which, 1), i));
        const double u = uniform(6, stream(which, 2), i);
        run.seconds.push_back(5 + 0.01 * z + (u < 0.1 ? 0.05 + u : 0.0));
        run.index.push_back(static_cast<int>(i));
    }
    run.medianSeconds = medianOf(run.seconds);
    return run;
}

std::vector<double> overMedian(std::vector<double> x)
{
    const double middle = medianOf(x);
    for (double& v : x)
        v /= middle;
    std::sort(x.begin(), x.end());
    return x;
}

TEST(FittedRun, LevelAndLeaningShapeComeBack)
{
    Evaluator evaluator;
    const CleanRun run = leaningRun(1);
    const Result<RunFit> fit = fittedRun(evaluator, smallJob(), {run}, {1, 4'000, 1});
    ASSERT_TRUE(fit.ok());
    EvaluateOptions options;
    options.numSamples = 4'000;
    options.varianceShares = options.systemsRange = false;
    const SnapshotPtr snapshot = evaluator.evaluate(fit->fitted, options);
    ASSERT_TRUE(snapshot->valid());
    EXPECT_NEAR(medianOf(snapshot->samples->withinSeconds), run.medianSeconds, 0.003 * run.medianSeconds);
    const std::vector<double> predicted = overMedian(snapshot->samples->withinSeconds), measured = overMedian(run.seconds);
    for (const double p : {0.05, 0.5, 0.95, 0.99})
        EXPECT_NEAR(quantileOfSorted(predicted, p), quantileOfSorted(measured, p), 0.003) << p;
    // The same through the file of the calibration.
    const Result<ClusterCalibration> read = clusterCalibrationFromJson(toJson(calibrationOf(*fit, "log")));
    ASSERT_TRUE(read.ok());
    const Result<Scenario> carried = calibratedScenario(smallJob(), *read);
    ASSERT_TRUE(carried.ok());
    EXPECT_EQ(carried->variability.computeRegime.family, Family::empirical);
    EXPECT_NEAR(carried->measured.computeLevel, fit->computeLevel.value, 1e-9);
}

double noiseFreeAt(double computeLevel)
{
    Scenario s = smallJob();
    s.measured.computeLevel = computeLevel;
    return costStep(s)->noiseFreeSeconds;
}

/// Two runs of 5.0 and 5.1 s, each as good as free of noise: level, its interval and the share of compute from the noise-free step.
TEST(FittedRun, TheLevelsIntervalIsThatOfTheRunsMedians)
{
    const auto runOf = [](double seconds) {
        CleanRun run;
        for (int i = 0; i < 40; ++i) {
            run.seconds.push_back(seconds);
            run.index.push_back(i);
        }
        run.medianSeconds = seconds;
        return run;
    };
    Evaluator evaluator;
    const RunFit one = *fittedRun(evaluator, smallJob(), {runOf(5), CleanRun{}}, {1, 200, 1}),
                 two = *fittedRun(evaluator, smallJob(), {runOf(5), runOf(5.1)}, {1, 200, 1});
    EXPECT_EQ(one.causes.runs, 1) << "an empty run is omitted";
    EXPECT_DOUBLE_EQ(one.causes.gpuHours, 8 * 40 * 5 / 3600.0);
    EXPECT_DOUBLE_EQ(one.measuredMedianSeconds, 5);
    EXPECT_DOUBLE_EQ(two.measuredMedianSeconds, 5.05);
    EXPECT_NEAR(one.predictedMedianSeconds, noiseFreeAt(1), 4e-5); // samples are floats
    EXPECT_NEAR(one.computeShare, (noiseFreeAt(1.1) / noiseFreeAt(1) - 1) / 0.1, 1e-9);
    const double spread = 0.1 / std::sqrt(2.0) / 5.05 / std::sqrt(2.0); // of the mean of two runs
    for (const auto& [fit, seconds, reach] : {std::tuple{one, 5.0, 0.006}, {two, 5.05, 2 * spread}}) {
        EXPECT_NEAR(noiseFreeAt(fit.computeLevel.value) / seconds, 1, 3e-5);
        EXPECT_NEAR(noiseFreeAt(fit.computeLevel.low) / seconds, 1 - reach, 3e-5);
        EXPECT_NEAR(noiseFreeAt(fit.computeLevel.high) / seconds, 1 + reach, 3e-5);
    }
    EXPECT_EQ(one.otherSpread, 1);
    CleanRun shortest = runOf(5);
    shortest.seconds.resize(19);
    EXPECT_FALSE(fittedRun(evaluator, smallJob(), {shortest}, {1, 200, 1}).ok());
}

/// Near the largest level that a scenario takes, the second point of the secant is that level.
TEST(FittedRun, ALevelNearTheLargestIsFound)
{
    Scenario slow = smallJob();
    slow.measured.computeLevel = 96;
    CleanRun run;
    run.medianSeconds = noiseFreeAt(98);
    run.seconds.assign(40, run.medianSeconds);
    for (int i = 0; i < 40; ++i)
        run.index.push_back(i);
    Evaluator evaluator;
    const Result<RunFit> fit = fittedRun(evaluator, slow, {run}, {1, 200, 1});
    ASSERT_TRUE(fit.ok()) << fit.errors().front().message;
    EXPECT_NEAR(fit->computeLevel.value, 98, 0.01);
}

/// A scenario whose own spreads are wider than the steps: they are scaled to the noise between neighbours, but the GPUs' and what is
/// measured.
TEST(FittedRun, OwnSpreadsThatExplainTooMuchAreScaled)
{
    Scenario wide = smallJob();
    wide.variability.gemm = {Family::lognormal, 0.4};
    wide.variability.spatial = {Family::normal, 0.02};
    CleanRun run;
    for (int i = 0; i < 400; ++i) {
        run.seconds.push_back(5 + 0.001 * std::sqrt(2.0) * boost::math::erfc_inv(2 * uniform(9, stream(1), static_cast<std::uint64_t>(i))));
        run.index.push_back(i);
    }
    run.medianSeconds = medianOf(run.seconds);
    const RunFitOptions options{1, 500, 1};
    Evaluator evaluator;
    const std::vector<double> predicted = *withinSteps(evaluator, wide, options);
    const double median = medianOf(predicted), explained = spreadCauses({{predicted, {}, median}}, 1, 0).jitterSeconds.value / median,
                 noise = spreadCauses({run}, 1, 0).jitterSeconds.value / run.medianSeconds;
    ASSERT_GT(explained, 2 * noise);
    const RunFit fit = *fittedRun(evaluator, wide, {run}, options);
    EXPECT_NEAR(fit.otherSpread, noise / explained, 1e-12);
    EXPECT_NEAR(fit.fitted.variability.gemm.cv, 0.4 * fit.otherSpread, 1e-12);
    EXPECT_EQ(fit.fitted.variability.spatial.cv, 0.02);
    EXPECT_NEAR(fit.explainedCv, noise, 0.3 * noise); // a smaller spread has another shape
    const ClusterCalibration calibration = calibrationOf(fit, "log");
    const auto value = [&](const std::string& path) {
        const auto at = std::find_if(calibration.values.begin(), calibration.values.end(), [&](const auto& v) { return v.first == path; });
        return at == calibration.values.end() ? -1 : std::stod(at->second);
    };
    EXPECT_NEAR(value("variability.gemm.cv"), 0.4 * fit.otherSpread, 1e-9);
    EXPECT_EQ(value("variability.spatial.cv"), -1);
    EXPECT_NEAR(value("measured.compute_level"), fit.computeLevel.value, 1e-9);
    EXPECT_NEAR(value("variability.step_jitter_s"), fit.fitted.variability.stepJitterS, 1e-12);
    EXPECT_EQ(value("variability.stalls_per_gpu_hour"), 0);
    EXPECT_EQ(value("variability.compute_regime_lag1"), fit.fitted.variability.computeRegimeLag1);
    EXPECT_EQ(calibration.sources.at(0).facts.at(0), "400 steps of 1 runs on 8 GPUs, 4 GPU-hours, 0 stalls");
    EXPECT_EQ(clusterCalibrationFromJson(toJson(calibration))->sources.at(0).facts, calibration.sources[0].facts);
}

TEST(FittedRun, PartsAreBlocksOfTwentyAndHalves)
{
    CleanRun run;
    for (int i = 0; i < 51; ++i) {
        run.seconds.push_back(i);
        run.index.push_back(2 * i);
    }
    const auto ends = [&](const char* part) {
        const CleanRun p = partOf(run, part);
        return std::tuple(p.seconds.size(), p.index.front(), p.index.back(), p.medianSeconds);
    };
    EXPECT_EQ(ends("even"), std::tuple(31U, 0, 100, 15.0)); // 0 to 19, 40 to 50
    EXPECT_EQ(ends("odd"), std::tuple(20U, 40, 78, 29.5));
    EXPECT_EQ(ends("first"), std::tuple(25U, 0, 48, 12.0));
    EXPECT_EQ(ends("second"), std::tuple(26U, 50, 100, 37.5));
}

TEST(FittedRun, NormalStepsNeedNoShape)
{
    CleanRun run = leaningRun(2);
    for (std::size_t i = 0; i < run.seconds.size(); ++i)
        run.seconds[i] = 5 + 0.01 * -std::sqrt(2.0) * boost::math::erfc_inv(2 * uniform(7, stream(3), i));
    run.medianSeconds = medianOf(run.seconds);
    Evaluator evaluator;
    const Result<RunFit> fit = fittedRun(evaluator, smallJob(), {run}, {1, 2'000, 1});
    ASSERT_TRUE(fit.ok());
    EXPECT_LT(fit->fitted.variability.computeRegime.cv, 0.001); // 0.1 %: the steps vary by 2 %
    EXPECT_NEAR(fit->fitted.variability.stepJitterS, 0.01, 0.001);
}

TEST(FittedRun, PausesOfALogAreEvaluationsOfTheJob)
{
    LoggedRun run;
    for (int i = 0; i < 120; ++i) {
        LoggedStep step{5 + 0.001 * (i % 3)};
        step.seconds += i == 0 ? 20 : i > 0 && i % 30 == 0 ? 1 : 0;
        step.pauseSeconds = i > 0 && i % 30 == 0 ? 40 : 0;
        run.steps.push_back(step);
    }
    Evaluator evaluator;
    const RunFit fit = *fittedLog(evaluator, smallJob(), {run}, "all", {1, 200, 1});
    EXPECT_EQ(fit.fitted.job.evaluationIntervalSteps, 30);
    EXPECT_NEAR(fit.fitted.job.evaluationS, 41, 0.01);
    EXPECT_NEAR(fit.costs.warmUpSeconds, 20, 0.01);
    ASSERT_EQ(fit.shapes.size(), 1U);
    EXPECT_EQ(fit.causes.steps, 120 - 1 - 3) << "neither the warm-up nor the steps after pauses are noise";
    const Scenario carried = *calibratedScenario(smallJob(), *clusterCalibrationFromJson(toJson(calibrationOf(fit, "log"))));
    EXPECT_EQ(carried.job.evaluationIntervalSteps, 30);
    EXPECT_NEAR(carried.job.evaluationS, 41, 0.01);
    for (LoggedStep& step : run.steps)
        step.pauseSeconds = -1;
    run.steps.resize(70); // two long steps show no spacing
    const RunFit without = *fittedLog(evaluator, smallJob(), {run}, "all", {1, 200, 1});
    EXPECT_EQ(without.fitted.job, smallJob().job);
    for (const auto& [path, value] : calibrationOf(without, "log").values)
        EXPECT_FALSE(path.starts_with("job.")) << path;
}

/// As a fit leaves it: the level of smallJob in FP8 on a B200, known to 1.2 %.
Scenario measuredJobOf()
{
    Scenario s = *setParameter(*setParameter(smallJob(), "cluster.gpu.preset", "b200-sxm-180gb"), "training.precision", "fp8_delayed");
    s.measured.computeLevel = 1.1;
    s.measured.levelError = kRunLevelError;
    s.measured.levelJob = measuredJob(s);
    return s;
}

TEST(MeasuredLevel, NarrowsTheBandOfItsOwnJobAlone)
{
    const Scenario own = measuredJobOf();
    const auto with = [&](const char* path, const char* value) { return *costStep(*setParameter(own, path, value)); };
    const CostedStep plain = *costStep(own);
    EXPECT_EQ(plain.errorBandHigh, kRunLevelError);
    EXPECT_EQ(plain.errorBandLow, -kRunLevelError);
    EXPECT_TRUE(plain.levelMeasured && plain.withinCalibration) << "what was measured needs no published row";
    EXPECT_EQ(bandSource(plain), "a measurement of this job");
    for (const auto& [path, value] : {std::pair("model.name", "other"), std::pair("variability.gemm.cv", "0.2"),
                                      std::pair("job.spare_nodes", "3"), std::pair("measured.level_error", "0.012")})
        EXPECT_EQ(with(path, value).errorBandHigh, kRunLevelError) << path << " does not change the job";
    const CostedStep larger = with("cluster.num_gpus", "16");
    EXPECT_NEAR(larger.errorBandHigh, std::hypot(kRunLevelError, kScaleError), 1e-12);
    EXPECT_TRUE(larger.levelMeasured);
    Scenario unknown = own;
    unknown.measured.levelError = 0;
    unknown.measured.levelJob.clear();
    for (const auto& [path, value] : {std::pair("model.num_layers", "8"), std::pair("training.micro_batch_size", "2"),
                                      std::pair("measured.compute_level", "1.2"), std::pair("training.recompute_granularity", "full")}) {
        const CostedStep other = with(path, value), published = *costStep(*setParameter(unknown, path, value));
        EXPECT_FALSE(other.levelMeasured) << path;
        EXPECT_EQ(other.errorBandHigh, published.errorBandHigh) << path;
        EXPECT_EQ(other.warnings, published.warnings) << path;
        EXPECT_GT(other.errorBandHigh, 0.05) << path;
    }
}

TEST(MeasuredLevel, ThatOfOtherSettingsIsReported)
{
    const Scenario own = measuredJobOf();
    for (const auto& [path, value] :
         {std::pair("training.precision", "nvfp4"), std::pair("training.fusion", "eager"), std::pair("cluster.gpu.board_power_w", "700")}) {
        const CostedStep costed = *costStep(*setParameter(own, path, value));
        ASSERT_FALSE(costed.warnings.empty()) << path;
        const Diagnostic& warned = costed.warnings[0];
        EXPECT_EQ(warned.severity, Severity::warning);
        EXPECT_EQ(warned.path, "measured.level_job");
        EXPECT_NE(warned.found.find("precision=fp8_delayed"), std::string::npos) << warned.found;
        EXPECT_NE(warned.accepted.find(std::string(path).substr(std::string(path).rfind('.') + 1) + "=" + value), std::string::npos)
            << warned.accepted;
    }
    Scenario unknown = *setParameter(own, "training.precision", "nvfp4");
    unknown.measured.levelJob.clear();
    EXPECT_TRUE(costStep(unknown)->levelMeasured) << "stated by the user, for any job";
    // A file of an older fit: its settings, without a hash of the job.
    const ClusterCalibration old = *clusterCalibrationFromJson(
        R"({"format": "prism-cluster-1", "values": {"measured.compute_level": 1.1}, "fitted_with": "training.precision=fp8_delayed, )"
        + levelSettings(own).substr(levelSettings(own).find("fusion=")) + R"("})");
    const CostedStep same = *costStep(*calibratedScenario(own, old));
    EXPECT_FALSE(same.levelMeasured);
    EXPECT_TRUE(
        std::none_of(same.warnings.begin(), same.warnings.end(), [](const Diagnostic& d) { return d.path == "measured.level_job"; }));
    EXPECT_EQ(costStep(*calibratedScenario(unknown, old))->warnings[0].path, "measured.level_job");
}

TEST(MeasuredLevel, AFitStatesItAndItsFileCarriesIt)
{
    Evaluator evaluator;
    const Scenario scenario = smallJob();
    const auto fitOf = [&](std::size_t n) {
        CleanRun run = leaningRun(1);
        run.seconds.resize(n);
        run.index.resize(n);
        run.medianSeconds = medianOf(run.seconds);
        const Result<RunFit> fit = fittedRun(evaluator, scenario, {run}, {1, 500, 1});
        EXPECT_TRUE(fit.ok()) << fit.errors()[0].message;
        return *fit;
    };
    const RunFit few = fitOf(25), many = fitOf(1'500);
    EXPECT_GT(few.fitted.measured.levelError, many.fitted.measured.levelError);
    EXPECT_GT(many.fitted.measured.levelError, kRunLevelError);
    EXPECT_LT(many.fitted.measured.levelError, 1.1 * kRunLevelError);
    EXPECT_EQ(many.fitted.measured.levelJob, measuredJob(many.fitted));
    const Result<ClusterCalibration> file = clusterCalibrationFromJson(toJson(calibrationOf(many, "log")));
    ASSERT_TRUE(file.ok()) << file.errors()[0].message << file.errors()[0].found;
    const Scenario carried = *calibratedScenario(scenario, *file);
    EXPECT_TRUE(check(carried).empty()) << check(carried)[0].message;
    EXPECT_NEAR(costStep(carried)->errorBandHigh, many.fitted.measured.levelError, 1e-6);
    const auto range = evaluator.systems(carried, *costStep(carried), SimOptions{.numSamples = 200});
    ASSERT_TRUE(range.ok()) << range.errors()[0].message;
    EXPECT_NEAR(nineOfTen((*range)->levels).high, 1 + many.fitted.measured.levelError, 0.002) << "runs of this job are that close";
}

TEST(ClusterCalibration, HoldsForGpusOfTheSameChip)
{
    ClusterCalibration calibration;
    calibration.values.emplace_back("measured.compute_level", "1.1");
    const auto levelOn = [&](const char* gpu) {
        Scenario s = setParameter(smallJob(), "cluster.gpu.preset", gpu).value();
        EXPECT_EQ(excludedFrom(calibration, s).empty(), calibratedScenario(s, calibration)->measured.computeLevel == 1.1) << gpu;
        return calibratedScenario(s, calibration)->measured.computeLevel;
    };
    EXPECT_EQ(levelOn("b200-sxm-180gb"), 1.1); // the calibration names no machine: it applies to any GPU
    calibration.machine = machineOf(setParameter(smallJob(), "cluster.gpu.preset", "h100-sxm-80gb")->cluster.gpu);
    EXPECT_EQ(levelOn("h100-sxm-80gb"), 1.1);
    EXPECT_EQ(levelOn("h200-sxm-141gb"), 1.1);
    EXPECT_EQ(levelOn("b200-sxm-180gb"), 1.0);
    EXPECT_EQ(levelOn("a100-sxm-80gb"), 1.0);
    calibration.machine = machineOf(setParameter(smallJob(), "cluster.gpu.preset", "b200-sxm-180gb")->cluster.gpu);
    EXPECT_EQ(levelOn("gb200-nvl72"), 1.1);
    EXPECT_EQ(clusterCalibrationFromJson(toJson(calibration))->machine.numSms, calibration.machine.numSms);
}

TEST(ClusterCalibration, AChipIsWithinATenthOfItsCoresAndFifteenPerCentOfItsPeak)
{
    GpuSpec gpu;
    gpu.numSms = 100;
    gpu.peakBf16Tflops = 1'000;
    const auto holdsFor = [&](double peak, int sms) { return isEqual({"g", peak, sms}, gpu); };
    for (const auto& [peak, sms] : {std::pair{1'150.0, 110}, {850.0, 90}, {0.0, 500}, {5'000.0, 0}, {-1.0, 500}})
        EXPECT_TRUE(holdsFor(peak, sms)) << peak << " " << sms;
    for (const auto& [peak, sms] : {std::pair{1'151.0, 100}, {849.0, 100}, {1'000.0, 111}, {1'000.0, 89}})
        EXPECT_FALSE(holdsFor(peak, sms)) << peak << " " << sms;
}

TEST(ClusterCalibration, TheSecondOfTwoThatAreJoinedWinsWhereItHasAValue)
{
    ClusterCalibration a, b;
    a.machine = {"a", 100, 10};
    a.values = {{"x", "1"}, {"y", "2"}};
    a.regimePool = {1, 2};
    a.measured.rows = {{"gemm", "", 1, 1, 1, 0, 0, 1}, {"gemm", "", 2, 1, 1, 0, 0, 1}};
    a.measured.kernels = {{"norm", 1}};
    a.measured.speeds = {{0, -1, 1}};
    a.measured.nodeOrder = {1, 0};
    a.sources = {{"s", "t", {"u"}}};
    const ClusterCalibration same = joined(a, b);
    EXPECT_EQ(toJson(same), toJson(a)) << "the second is empty";
    b.machine = {"b", 200, 20};
    b.values = {{"y", "3"}, {"z", "4"}};
    b.regimePool = {3, 4, 5};
    b.measured.rows = {{"gemm", "", 2, 1, 1, 0, 0, 7}};
    b.measured.kernels = {{"norm", 2}};
    b.measured.speeds = {{0, -1, 2}};
    b.measured.nodeOrder = {0, 1};
    b.sources = {{"v", "w", {}}};
    const ClusterCalibration both = joined(a, b);
    EXPECT_EQ(both.machine.gpu, "b");
    EXPECT_EQ(both.machine.peakBf16Tflops, 200);
    EXPECT_EQ(both.values, decltype(a.values)({{"x", "1"}, {"y", "3"}, {"z", "4"}}));
    EXPECT_EQ(both.regimePool, b.regimePool);
    ASSERT_EQ(both.measured.rows.size(), 2U);
    EXPECT_EQ(both.measured.rows[0].seconds + both.measured.rows[1].seconds, 8);
    EXPECT_EQ(both.measured.kernels, b.measured.kernels);
    EXPECT_EQ(both.measured.speeds, b.measured.speeds);
    EXPECT_EQ(both.measured.nodeOrder, b.measured.nodeOrder);
    EXPECT_EQ(both.sources.size(), 2U);
}

TEST(ClusterCalibration, AFileThatIsNamedIsReadOrRefused)
{
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("prism-site-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    ClusterCalibration calibration;
    calibration.values.emplace_back("measured.compute_level", "1.1");
    ASSERT_TRUE(writeFile((folder / "site.json").string(), toJson(calibration)).empty());
    const Scenario named = *setParameter(smallJob(), "measured.calibration", "site.json");
    EXPECT_EQ(withCalibrationFile(named, folder.string())->scenario.measured.computeLevel, 1.1);
    EXPECT_EQ(withCalibrationFile(smallJob(), folder.string())->scenario, smallJob()) << "none is named";
    EXPECT_FALSE(withCalibrationFile(named, "/no/such/folder").ok());
    EXPECT_FALSE(setParameterAndRead(smallJob(), "measured.calibration", "/dev/zero").ok());
    EXPECT_FALSE(setParameterAndRead(smallJob(), "measured.calibration", folder.string()).ok());

    const std::string file = (folder / "site.json").string();
    EXPECT_EQ(setParameterAndRead(smallJob(), "measured.calibration", file)->scenario.measured.computeLevel, 1.1);
    calibration.machine = machineOf(setParameter(smallJob(), "cluster.gpu.preset", "b200-sxm-180gb")->cluster.gpu);
    ASSERT_TRUE(writeFile(file, toJson(calibration)).empty());
    const Scenario other = *setParameter(smallJob(), "cluster.gpu.preset", "a100-sxm-80gb");
    const Result<ImportResult> refused = setParameterAndRead(other, "measured.calibration", file);
    ASSERT_TRUE(refused.ok());
    EXPECT_EQ(refused->scenario.measured.computeLevel, 1.0);
    EXPECT_EQ(refused->notes.size(), 1U) << "another chip";
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace prism
