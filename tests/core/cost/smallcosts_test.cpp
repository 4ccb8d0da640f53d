// SPDX-License-Identifier: GPL-3.0-or-later
// Costing of single cases computed by hand: bands of a file, energies before the fit, held-out errors, schedules that are kept.
#include "core/cost/calibration.h"
#include "core/cost/clock.h"
#include "core/cost/predictor.h"
#include "core/cost/quickstep.h"
#include "core/cost/shapecorrection.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace prism {
namespace {

TEST(CalibrationFile, KeepsItsBandsUpToAHundred)
{
    Calibration c = uncalibrated();
    for (int i = 0; i < 102; ++i) {
        ErrorBand band;
        band.kind = "kind " + std::to_string(i);
        band.low = -0.125;
        band.high = 0.25;
        c.bands.push_back(band);
    }
    const Result<Calibration> read = calibrationFromJson(calibrationJson(c));
    ASSERT_TRUE(read.ok());
    ASSERT_EQ(read->bands.size(), 100U);
    EXPECT_EQ(read->bands[99].kind, "kind 99");
    EXPECT_EQ(read->bands[0].low, -0.125);
    EXPECT_EQ(read->bands[0].high, 0.25);
}

TEST(CalibrationFile, EveryFamilyThatIsFittedStartsWithAnEnergyOfItsMatrixUnits)
{
    // A board near its limit spends far more than 0.001 pJ, which stands for no limit; fewer bits take less energy.
    const Calibration c = uncalibrated();
    for (const char* family : {"a100", "h100", "b200"}) {
        const auto gpu = std::find_if(c.gpus.begin(), c.gpus.end(), [&](const GpuCalibration& g) { return g.family == family; });
        ASSERT_NE(gpu, c.gpus.end()) << family;
        EXPECT_GT(gpu->matrixEnergy, 0.1) << family;
        EXPECT_LT(gpu->matrix8Energy, gpu->matrixEnergy) << family;
        EXPECT_LE(gpu->matrix4Energy, gpu->matrix8Energy) << family;
    }
}

/// Data sheets: 400 W, 312 TFLOP/s at 1.41 GHz; 700 W, 989.4 and 1,979 at 1.83; 1,000 W, 2,250, 4,500 and 9,000 at 1.856. The dynamic power
/// goes with the square of the clock (clock.h): A100 with 0.91 pJ would add 400.3 W to 80, and holds the root of 320 over that.
TEST(CalibrationFile, BoardsStartAtTheClockThatTheirPowerAllows)
{
    const Calibration c = uncalibrated();
    const auto clock = [&](const char* family, double board, double gigahertzTflops, double GpuCalibration::*energy) {
        const auto gpu = std::find_if(c.gpus.begin(), c.gpus.end(), [&](const GpuCalibration& g) { return g.family == family; });
        return sustainedClock(board, {gpu->idleWatts, (*gpu).*energy * gigahertzTflops}, 1);
    };
    EXPECT_NEAR(clock("a100", 400, 1.41 * 312, &GpuCalibration::matrixEnergy), 0.89407, 1e-4);
    EXPECT_NEAR(clock("h100", 700, 1.83 * 989.4, &GpuCalibration::matrixEnergy), 0.76317, 1e-4);
    EXPECT_NEAR(clock("h100", 700, 1.83 * 1979, &GpuCalibration::matrix8Energy), 0.80038, 1e-4);
    EXPECT_NEAR(clock("b200", 1000, 1.856 * 2250, &GpuCalibration::matrixEnergy), 0.65907, 1e-4);
    EXPECT_NEAR(clock("b200", 1000, 1.856 * 4500, &GpuCalibration::matrix8Energy), 0.85417, 1e-4);
    EXPECT_NEAR(clock("b200", 1000, 1.856 * 9000, &GpuCalibration::matrix4Energy), 0.98632, 1e-4);
}

/// 24 GPUs on nodes of 16: TP 2 x PP 2 x CP 2 leave three replicas of 96 / 3 micro-batches.
TEST(CostedStep, TheWorldIsWhatTheJobIsSplitInto)
{
    Scenario s = *scenarioPreset("llama2-7b-8-a100");
    s.cluster.numGpus = 24;
    s.cluster.gpusPerNode = 16;
    s.parallelism.tensorModelParallelSize = s.parallelism.pipelineModelParallelSize = s.parallelism.contextParallelSize = 2;
    s.parallelism.virtualPipelineModelParallelSize = 4;
    s.parallelism.pipelineSchedule = "interleaved";
    s.training.globalBatchSize = 96;
    s.training.microBatchSize = 1;
    const Result<CostedStep> step = costStep(s);
    ASSERT_TRUE(step.ok()) << step.errors().front().message;
    const World& w = step->world;
    EXPECT_EQ(std::tuple(w.gpus, w.nodes, w.tp, w.pp, w.vpp, w.cp, w.ep, w.dp, w.numMicrobatches), std::tuple(24, 2, 2, 2, 4, 2, 1, 3, 32));
    EXPECT_EQ(step->tokensPerStep, 96.0 * static_cast<double>(s.model.seqLength));
}

/// A capacity factor drops what exceeds it: nothing of the imbalance is left, be it from step to step or over the regimes of a run.
TEST(CostedStep, RoutingVariesOverARunWhereNothingCapsIt)
{
    Scenario s = *scenarioPreset("llama2-7b-8-a100");
    s.model.numExperts = 8;
    s.model.moeRouterTopk = 2;
    s.model.moeFfnHiddenSize = 1024;
    s.variability.moeImbalanceRegime.cv = 0.25;
    s.variability.moeImbalanceRegime.family = Family::lognormal;
    for (const auto& [capacity, cv] : {std::pair{0.0, 0.25}, {1.5, 0.0}}) {
        s.model.moeCapacityFactor = capacity;
        const Result<CostedStep> step = costStep(s);
        ASSERT_TRUE(step.ok()) << step.errors().front().message;
        EXPECT_EQ(step->graph.routingRegime.cv, cv);
    }
}

TEST(ShapeCorrection, HeldOutErrorsAreMeansOverRows)
{
    // Residuals of either sign without a pattern, all of exp(x) - 1 = +-10 %: the formula is off by 10 % of the measured time or so in
    // every row. A correction from neighbours is of the same size, 0 to 21 %.
    std::vector<ShapePoint> points;
    for (int i = 0; i < 60; ++i)
        points.push_back({{1.0 * (i % 10), 1.0 * (i / 10), 0.0}, (i * 7 % 11) % 2 == 0 ? std::log(1.1) : -std::log(1.1)});
    const CrossValidation result = crossValidated(points);
    EXPECT_EQ(result.rows, 60);
    EXPECT_GT(result.formula, 1 - 1 / 1.1 - 1e-9);
    EXPECT_LT(result.formula, 0.1 + 1e-9);
    EXPECT_GT(result.corrected, 0.005);
    EXPECT_LT(result.corrected, 1.0);
}

TEST(ScheduleMemo, KeepsSmallSchedules)
{
    ParallelismConfig two, four;
    two.pipelineSchedule = four.pipelineSchedule = "1f1b";
    two.pipelineModelParallelSize = 2;
    four.pipelineModelParallelSize = 4;
    ScheduleMemo memo;
    const auto first = memo.of(two, 8), second = memo.of(four, 8);
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(memo.of(two, 8)->get(), first->get());
    EXPECT_EQ(memo.of(four, 8)->get(), second->get());
}

TEST(QuickCoster, CostsAScheduleOfTheUserInFull)
{
    Scenario s = *scenarioPreset("llama2-7b-8-a100");
    s.parallelism.pipelineModelParallelSize = 1;
    const Result<CostedStep> named = costStep(s);
    ASSERT_TRUE(named.ok());
    std::string order;
    for (int m = 0; m < named->graph.schedule.numMicrobatches; ++m)
        order += "F" + std::to_string(m) + " B" + std::to_string(m) + " ";
    s.parallelism.pipelineSchedule = "custom";
    s.parallelism.customSchedule = {order};
    const Result<CostedStep> full = costStep(s);
    ASSERT_TRUE(full.ok());
    ASSERT_TRUE(full->memory.fits);
    QuickCoster coster;
    const Result<QuickStep> quick = coster.step(s);
    ASSERT_TRUE(quick.ok());
    EXPECT_GT(quick->noiseFreeSeconds, 0.0);
    EXPECT_EQ(quick->noiseFreeSeconds, full->noiseFreeSeconds);
}

} // namespace
} // namespace prism
