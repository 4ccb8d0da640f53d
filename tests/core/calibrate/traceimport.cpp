// SPDX-License-Identifier: GPL-3.0-or-later
// A trace in a scenario: layout, levels, means, spreads and slow workers, and the prediction from them.
#include "core/calibrate/traceimport.h"
#include "core/cost/predictor.h"
#include "core/engine/evaluator.h"
#include "core/scenario/presets.h"
#include "core/stats/random.h"
#include "core/trace/stagetable.h"

#include "datafolder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

/// `replicas` of one stage with four micro-batches of `mean` s, 15 % up or down; replica 1 takes 1.2 times as long; a reduction of 0.05 s
/// and an optimizer of 0.01 s. Five steps are longer by `stepSpread`, the next five shorter.
TraceJob madeJob(int replicas, int steps, double mean, double stepSpread = 0)
{
    TraceJob job;
    job.name = "made";
    job.replicas = job.replicasOfJob = replicas;
    job.stages = 1;
    for (int r = 0; r < replicas; ++r)
        job.replicaNumbers.push_back(r);
    for (int t = 0; t < steps; ++t) {
        TraceStep step{t, {}};
        std::vector<double> end(static_cast<std::size_t>(replicas), 0.0);
        double last = 0;
        for (int r = 0; r < replicas; ++r) {
            double& at = end[static_cast<std::size_t>(r)];
            for (int m = 0; m < 4; ++m) {
                const double u =
                    uniform(3, stream(1, static_cast<std::uint64_t>(t), static_cast<std::uint64_t>(r)), static_cast<std::uint64_t>(m));
                const double seconds = mean * (0.85 + 0.3 * u) * (r == 1 ? 1.2 : 1.0) * (1 + (t / 5 % 2 ? -stepSpread : stepSpread));
                step.operations.push_back({.start = at, .duration = seconds / 3, .replica = r, .sequence = m, .chunk = 0, .microBatch = m});
                step.operations.push_back({.start = at + seconds / 3,
                                           .duration = seconds * 2 / 3,
                                           .replica = r,
                                           .sequence = m,
                                           .chunk = 0,
                                           .microBatch = m,
                                           .type = TraceOp::backwardCompute});
                at += seconds;
            }
            last = std::max(last, at);
        }
        for (int r = 0; r < replicas; ++r) {
            const double at = end[static_cast<std::size_t>(r)];
            step.operations.push_back({.start = at, .duration = last + 0.05 - at, .replica = r, .type = TraceOp::gradsReduceScatter});
            step.operations.push_back({.start = last + 0.05, .duration = 0.01, .replica = r, .type = TraceOp::optimizer});
        }
        std::stable_sort(step.operations.begin(), step.operations.end(),
                         [](const auto& a, const auto& b) { return std::pair(a.replica, a.start) < std::pair(b.replica, b.start); });
        job.steps.push_back(std::move(step));
    }
    return job;
}

const MeasuredKernel* kernel(const Scenario& s, const std::string& name)
{
    const auto at =
        std::find_if(s.measured.kernels.begin(), s.measured.kernels.end(), [&](const auto& k) { return k.kernelClass == name; });
    return at == s.measured.kernels.end() ? nullptr : &*at;
}

TEST(TraceImport, LayoutLevelMeansAndSlowWorkersOfAStageTable)
{
    Scenario base;
    base.parallelism.sequenceParallel = false;
    const double mean = 1.3 * costStep(base)->noiseFreeSeconds / static_cast<double>(base.numMicrobatches());
    const auto imported = scenarioOfTrace(base, madeJob(8, 30, mean));
    ASSERT_TRUE(imported.ok());
    const Scenario& s = imported->scenario;
    EXPECT_EQ(s.cluster.numGpus, 8);
    EXPECT_EQ(s.dataParallelSize(), 8);
    EXPECT_EQ(s.numMicrobatches(), 4);
    EXPECT_FALSE(s.parallelism.overlapGradReduce); // the reduction is behind the computations
    ASSERT_NE(kernel(s, "optimizer"), nullptr);
    ASSERT_EQ(s.variability.slow.size(), 1U);
    EXPECT_EQ(s.variability.slow[0].rank, 1);
    EXPECT_NEAR(s.variability.slow[0].computeFactor, 1.2, 0.02);
    EXPECT_FALSE(s.variability.data.isDeterministic());
    EXPECT_NEAR(s.variability.data.cv, 0.3 / std::sqrt(12.0), 0.01);
    const auto costed = costStep(s);
    ASSERT_TRUE(costed.ok());
    EXPECT_NEAR(costed->graph.gradSync[0].meanSeconds, 0.05, 1e-6);
    EXPECT_NEAR(costed->graph.optimizer[0].meanSeconds, 0.01, 1e-6);
    // The slow worker's four micro-batches, then reduction and optimizer.
    EXPECT_NEAR(costed->noiseFreeSeconds / (4 * mean * 1.2 + 0.06), 1, 0.02);
    EXPECT_TRUE(scenarioFromJson(toJson(s)).ok());
}

/// Five steps 20 % longer, five shorter: in four of five pairs neighbours have the same length, correlation 0.6.
TEST(TraceImport, WhatStepsHaveInCommonIsTheRegimeAndTheBaseGivesTheRanksOfACell)
{
    Scenario base;
    base.parallelism.sequenceParallel = false;
    base.parallelism.tensorModelParallelSize = base.parallelism.contextParallelSize = 2;
    base.training.microBatchSize = 3;
    const auto imported = scenarioOfTrace(base, madeJob(4, 40, 0.1, 0.2));
    ASSERT_TRUE(imported.ok());
    const Scenario& s = imported->scenario;
    EXPECT_EQ(s.cluster.numGpus, 16); // 4 replicas of 2 x 2
    EXPECT_EQ(s.training.globalBatchSize, 3 * 4 * 4);
    EXPECT_EQ(s.variability.computeRegime.family, Family::lognormal);
    EXPECT_NEAR(s.variability.computeRegime.cv, 0.2, 0.02);
    EXPECT_NEAR(s.variability.computeRegimeLag1, 0.6, 0.1);
}

/// Two replicas of two stages, one micro-batch: 0.4 and 0.8 s on stage 0, 0.6 and 1.2 s on stage 1, 0.3 s before an optimizer of 0.1 s:
/// 3.4 s a step, up to 1 % more or less.
TraceJob unevenJob()
{
    TraceJob job;
    job.name = "uneven";
    job.replicas = job.replicasOfJob = 2;
    job.stages = 2;
    job.transfersRecorded = false;
    job.replicaNumbers = {0, 1};
    for (int t = 0; t < 30; ++t) {
        TraceStep step{t, {}};
        const double f = 0.99 + 0.02 * uniform(5, stream(2), static_cast<std::uint64_t>(t));
        for (int r = 0; r < 2; ++r)
            for (int s = 0; s < 2; ++s) {
                const auto add = [&](TraceOp type, double start, double seconds) {
                    step.operations.push_back(
                        {.start = start * f, .duration = seconds * f, .replica = r, .stage = s, .chunk = 0, .microBatch = 0, .type = type});
                };
                add(TraceOp::forwardCompute, s == 0 ? 0 : 0.4, s == 0 ? 0.4 : 0.6);
                add(TraceOp::backwardCompute, s == 0 ? 2.2 : 1.0, s == 0 ? 0.8 : 1.2);
                add(TraceOp::optimizer, 3.3, 0.1);
            }
        job.steps.push_back(std::move(step));
    }
    return job;
}

TEST(TraceImport, TheMedianIsThatOfTheMeasuredStepsWhateverTheBase)
{
    const TraceJob job = unevenJob();
    std::vector<double> seconds = job.stepSeconds();
    std::nth_element(seconds.begin(), seconds.begin() + 15, seconds.end());
    // Bases of three times the layers, with experts, another pipeline layout, slow nodes and more nodes than the job has.
    for (const char* name :
         {"llama2-7b-8-a100", "gpt3-175b-1024-a100", "deepseek-v3-2048-h800", "mixtral-8x22b-256-h100", "sample-slow-node"}) {
        const Scenario base = scenarioPreset(name).value();
        const auto imported = scenarioOfTrace(base, job);
        ASSERT_TRUE(imported.ok()) << name << ": " << imported.errors()[0].message;
        Evaluator evaluator;
        EvaluateOptions options{.seed = 7, .numSamples = 4'000};
        options.varianceShares = options.systemsRange = false;
        const SnapshotPtr snapshot = evaluator.evaluate(imported->scenario, options);
        ASSERT_TRUE(snapshot->valid()) << name;
        EXPECT_NEAR(snapshot->across.p50 / seconds[15], 1, 0.01) << name;
        const std::string last = imported->notes.back().message;
        EXPECT_NE(last.find("gaps between operations (0.301 s"), std::string::npos) << last;
        EXPECT_NE(last.find("stages that take 0.80 to 1.20 times the mean"), std::string::npos) << last;
    }
}

TEST(TraceImport, CollectivesOfProfilerTracesBecomeRowsAndTheRestIsCounted)
{
    KinetoReport report;
    report.groups.push_back({.name = "0",
                             .operation = "allreduce",
                             .dtype = "BFloat16",
                             .groupSize = 8,
                             .bytes = 1 << 20,
                             .transferSeconds = 1e-4,
                             .split = "from the last arriver"});
    report.groups.push_back({.name = "0",
                             .operation = "_allgather_base",
                             .groupSize = 8,
                             .bytes = 1 << 22,
                             .transferSeconds = 3e-4,
                             .split = "none: one end only and durations of one kind"});
    report.groups.push_back({.name = "0", .operation = "broadcast", .groupSize = 8, .bytes = 160, .transferSeconds = 6e-6});
    report.groups.push_back({.name = "pp", .operation = "send", .groupSize = 8, .bytes = 4096, .transferSeconds = 5e-6});
    report.groups.push_back({.name = "not named", .operation = "allreduce", .transferSeconds = 6e-6});
    const TraceImport imported = scenarioOfTrace(Scenario{}, report);
    ASSERT_EQ(imported.scenario.measured.rows.size(), 3U);
    EXPECT_EQ(imported.scenario.measured.rows[0].ranks, 8);
    EXPECT_EQ(imported.scenario.measured.rows[0].op, "all_reduce");
    EXPECT_EQ(imported.scenario.measured.rows[1].bytes, 1 << 22);
    EXPECT_EQ(imported.scenario.measured.rows[2].op, "p2p");
    EXPECT_EQ(imported.scenario.measured.rows[2].ranks, 2) << "between two of the group";
    ASSERT_EQ(imported.notes.size(), 3U);
    EXPECT_NE(imported.notes[0].message.find("3 of 5 groups"), std::string::npos);
    EXPECT_NE(imported.notes[1].message.find("1 rows hold waits"), std::string::npos);
}

TEST(TraceImport, ARealJobIsPredictedFromItsTrace)
{
    if (dataFolder().empty())
        GTEST_SKIP() << "no PRISM_DATA";
    const std::string stem = dataFolder() + "/traces/stage-SE";
    const TraceJob job = std::move(readStageTable(stem + ".csv.gz", *readStageTableMeta(stem + ".meta.yaml"))).value();
    Scenario base;
    base.parallelism.sequenceParallel = false;
    const auto imported = scenarioOfTrace(base, job);
    ASSERT_TRUE(imported.ok()) << imported.errors()[0].message;
    EXPECT_EQ(imported->scenario.parallelism.pipelineModelParallelSize, job.stages);
    EXPECT_GT(imported->scenario.variability.data.cv, 0.1); // sequence lengths
    EXPECT_TRUE(costStep(imported->scenario).ok());
}

} // namespace
} // namespace prism
