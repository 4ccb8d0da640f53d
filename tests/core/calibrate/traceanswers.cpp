// SPDX-License-Identifier: GPL-3.0-or-later
// Levels, shares and limits of a trace that becomes a scenario, and what a calibration's file keeps: computed by hand.
#include "core/calibrate/clustercalibration.h"
#include "core/calibrate/traceimport.h"
#include "core/cost/predictor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

namespace prism {
namespace {

/// One micro-batch a step on one worker: forward, backward, a gap and an optimizer, seconds.
struct PlainStep {
    double forward, backward, gap = 0, optimizer = 0;
};

TraceJob plainJob(const std::vector<PlainStep>& steps)
{
    TraceJob job;
    job.name = "plain";
    job.replicas = job.replicasOfJob = job.stages = 1;
    job.replicaNumbers = {0};
    for (const PlainStep& s : steps) {
        TraceStep step{static_cast<int>(job.steps.size()), {}};
        const auto add = [&](TraceOp type, double start, double seconds) {
            step.operations.push_back({.start = start, .duration = seconds, .chunk = 0, .microBatch = 0, .type = type});
        };
        add(TraceOp::forwardCompute, 0, s.forward);
        add(TraceOp::backwardCompute, s.forward, s.backward);
        if (s.optimizer > 0)
            add(TraceOp::optimizer, s.forward + s.backward + s.gap, s.optimizer);
        job.steps.push_back(std::move(step));
    }
    return job;
}

Scenario twoTensorRanks()
{
    Scenario base;
    base.variability = {};
    base.parallelism.sequenceParallel = false;
    base.parallelism.tensorModelParallelSize = 2;
    return base;
}

/// The first note that a trace's import gives and that begins so.
std::string noteOf(const TraceImport& imported, const std::string& beginning)
{
    for (const Diagnostic& d : imported.notes)
        if (d.message.starts_with(beginning))
            return d.message;
    return {};
}

TEST(TraceLevels, AMicroBatchOfAnEighthOfTheStepTakesTheWholeGap)
{
    // 0.04 + 0.06 s, a gap of 0.05 s, an optimizer of 1 s: 1.15 s. The optimizer stays, so that the micro-batch must last 0.15 s.
    const auto imported = scenarioOfTrace(twoTensorRanks(), plainJob(std::vector<PlainStep>(8, {0.04, 0.06, 0.05, 1})));
    ASSERT_TRUE(imported.ok()) << imported.errors()[0].message;
    const std::string level = noteOf(*imported, "a micro-batch takes");
    double measured = 0, predicted = 0, factor = 0;
    ASSERT_EQ(
        std::sscanf(level.c_str(),
                    "a micro-batch takes %lf s through all stages, predicted %lf s: compute level and collectives of its layers x %lf",
                    &measured, &predicted, &factor),
        3)
        << level;
    EXPECT_DOUBLE_EQ(measured, 0.1);
    EXPECT_NEAR(factor * predicted, 0.1, 1e-4) << "compute and communication of two tensor ranks: " << level;
    const auto costed = costStep(imported->scenario);
    ASSERT_TRUE(costed.ok());
    EXPECT_NEAR(costed->graph.optimizer[0].meanSeconds, 1, 1e-9);
    EXPECT_NEAR(costed->noiseFreeSeconds, 1.15, 0.004 * 1.15) << "a tolerance of 0.3 % and rounding of samples";
    EXPECT_EQ(noteOf(*imported, "micro-batch x").find("stays"), std::string::npos) << noteOf(*imported, "micro-batch x");
}

TEST(TraceLevels, ACorrelationOfExactlyOneHalfIsTheMicroBatches)
{
    // Over their mean, forward and backward are 1.5 or 0.5: together in six of eight steps, opposite in two: (6 - 2) / 8 = 0.5. The mean is
    // a power of two, so that no division rounds.
    constexpr double kLong = 1.5 / 16, kShort = 0.5 / 16;
    std::vector<PlainStep> steps;
    for (const int turn : {0, 1, 2}) {
        (void)turn;
        steps.push_back({kLong, kLong});
        steps.push_back({kShort, kShort});
    }
    steps.push_back({kLong, kShort});
    steps.push_back({kShort, kLong});
    const auto half = scenarioOfTrace(twoTensorRanks(), plainJob(steps));
    ASSERT_TRUE(half.ok()) << half.errors()[0].message;
    EXPECT_TRUE(noteOf(*half, "8 micro-batches").find("correlation 0.500") != std::string::npos) << half->notes[2].message;
    EXPECT_FALSE(half->scenario.variability.data.isDeterministic());
    // Sums 3, 3, 3, 1, 1, 1, 2 and 2 over their mean 2 are the values: squares 6 x 0.25 over 8.
    EXPECT_NEAR(half->scenario.variability.data.cv, std::sqrt(1.5 / 8), 1e-9);
}

TEST(TraceLevels, StagesOfTheirOwnLengthsInTheBaseAreEvenAfterwards)
{
    Scenario base = twoTensorRanks();
    base.parallelism.numLayersInFirstPipelineStage = 3;
    base.parallelism.numLayersInLastPipelineStage = 5;
    const auto imported = scenarioOfTrace(base, plainJob({{0.04, 0.06}, {0.04, 0.06}}));
    ASSERT_TRUE(imported.ok()) << imported.errors()[0].message;
    EXPECT_EQ(imported->scenario.parallelism.numLayersInFirstPipelineStage, 0);
    EXPECT_EQ(imported->scenario.parallelism.numLayersInLastPipelineStage, 0);
}

TEST(TraceLevels, ABaseWithoutExpertTensorRanksIsRefusedByName)
{
    Scenario base = twoTensorRanks();
    base.parallelism.expertTensorParallelSize = 0;
    const auto imported = scenarioOfTrace(base, plainJob({{0.04, 0.06}}));
    ASSERT_FALSE(imported.ok());
    EXPECT_EQ(imported.errors()[0].path, "parallelism.expert_tensor_parallel_size");
}

TEST(CalibrationFile, RowsKernelsSpeedsAndNodesComeBack)
{
    ClusterCalibration written;
    written.measured.rows = {{"gemm", "bfloat16", 64, 128, 256, 0, 0, 3e-4}, {"all_reduce", "", 0, 0, 0, 8, 4096, 2e-5}};
    written.measured.kernels = {{"norm", 5e-5}};
    written.measured.speeds = {{1, -1, 0.9}};
    written.measured.nodeOrder = {1, 0};
    const Result<ClusterCalibration> read = clusterCalibrationFromJson(toJson(written));
    ASSERT_TRUE(read.ok()) << read.errors()[0].message;
    EXPECT_EQ(read->measured, written.measured);
}

} // namespace
} // namespace prism
