// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario fitted to steps: its level and the shape of their spread come back; a calibration holds for GPUs of the same chip.
#include "core/calibrate/runfit.h"

#include "core/base/outputfile.h"
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
    options.varianceShares = false;
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

TEST(FittedRun, NormalStepsNeedNoShape)
{
    CleanRun run = leaningRun(2);
    for (std::size_t i = 0; i < run.seconds.size(); ++i)
        run.seconds[i] = 5 + 0.01 * -std::sqrt(2.0) * boost::math::erfc_inv(2 * uniform(7, stream(3), i));
    run.medianSeconds = medianOf(run.seconds);
    Evaluator evaluator;
    const Result<RunFit> fit = fittedRun(evaluator, smallJob(), {run}, {1, 2'000, 1});
    ASSERT_TRUE(fit.ok());
    EXPECT_LT(fit->fitted.variability.computeRegime.cv, 0.001); // a tenth of a per cent: the steps vary by two
    EXPECT_NEAR(fit->fitted.variability.stepJitterS, 0.01, 0.001);
}

TEST(ClusterCalibration, HoldsForGpusOfTheSameChip)
{
    ClusterCalibration calibration;
    calibration.values.emplace_back("measured.compute_level", "1.1");
    const auto levelOn = [&](const char* gpu) {
        Scenario s = setParameter(smallJob(), "cluster.gpu.preset", gpu).value();
        EXPECT_EQ(leftOutOf(calibration, s).empty(), calibratedScenario(s, calibration)->measured.computeLevel == 1.1) << gpu;
        return calibratedScenario(s, calibration)->measured.computeLevel;
    };
    EXPECT_EQ(levelOn("b200-sxm-180gb"), 1.1); // nothing is said of the machine
    calibration.machine = machineOf(setParameter(smallJob(), "cluster.gpu.preset", "h100-sxm-80gb")->cluster.gpu);
    EXPECT_EQ(levelOn("h100-sxm-80gb"), 1.1);
    EXPECT_EQ(levelOn("h200-sxm-141gb"), 1.1);
    EXPECT_EQ(levelOn("b200-sxm-180gb"), 1.0);
    EXPECT_EQ(levelOn("a100-sxm-80gb"), 1.0);
    calibration.machine = machineOf(setParameter(smallJob(), "cluster.gpu.preset", "b200-sxm-180gb")->cluster.gpu);
    EXPECT_EQ(levelOn("gb200-nvl72"), 1.1);
    EXPECT_EQ(clusterCalibrationFromJson(toJson(calibration))->machine.numSms, calibration.machine.numSms);
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
