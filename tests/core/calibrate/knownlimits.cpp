// SPDX-License-Identifier: GPL-3.0-or-later
// Limits of what calibrations, fits and published rows may hold, shares at their edges, and shapes and layouts that follow by hand.
#include "core/calibrate/clustercalibration.h"
#include "core/calibrate/collectiveagreement.h"
#include "core/calibrate/operatoragreement.h"
#include "core/calibrate/pooledfits.h"
#include "core/calibrate/published.h"
#include "core/calibrate/runfit.h"
#include "core/calibrate/stallsteps.h"
#include "core/calibrate/traceimport.h"

#include "core/scenario/presets.h"
#include "core/stats/moments.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace prism {
namespace {

TEST(AgreementLimits, TenAndTwentyFivePerCent)
{
    CollectiveFolder folder{{{"t", "h100-sxm-80gb", "dgx-h100-ndr400-rail", false, "", {}}}, {}};
    const ClusterConfig cluster = *clusterOf(folder.tables[0]);
    const CollectiveModel model(cluster, gpuCalibration(calibration(), cluster.gpu), calibration().network);
    const GroupGeometry nodes{.size = 16, .ranksPerNode = 8, .nodes = 2};
    OperatorMachine machine{*gpuPreset("h100-sxm-80gb"), "flash2", false};
    std::vector<MeasuredOperator> operators;
    for (const double error : {0.102, -0.102, 0.098, -0.098, 0.255, -0.255, 0.245, -0.245}) {
        folder.tables[0].rows.push_back(
            {CollectiveOp::allGather, nodes, 3e6, model.seconds(CollectiveOp::allGather, nodes, 3e6) / (1 + error)});
        MeasuredOperator o;
        o.m = 640;
        o.n = 768;
        o.k = 896;
        o.seconds = operatorSeconds(o, machine) / (1 + error);
        operators.push_back(o);
    }
    const TableAgreement a = agreement(folder, calibration(), 0, 1e9)->at(0);
    EXPECT_EQ(std::tuple(a.rows, a.within, a.near), std::tuple(8, 2, 6));
    const OperatorAgreement b = operatorReport(operators, machine).groups.at(0);
    EXPECT_EQ(std::tuple(b.rows, b.within10, b.within25), std::tuple(8, 2, 6));
}

TEST(ResidualSums, MeanSizeBiasAndTheLargestWithItsSign)
{
    Residuals r;
    for (const double error : {0.25, -0.5, 0.125, 0.5})
        r.add(error);
    EXPECT_EQ(r.rows, 4);
    EXPECT_DOUBLE_EQ(r.meanAbs, 1.375 / 4);
    EXPECT_DOUBLE_EQ(r.bias, 0.375 / 4);
    EXPECT_EQ(r.worst, -0.5) << "the first of two that are as large";
}

nlohmann::json emptyCalibration()
{
    return {{"format", "prism-cluster-1"}};
}

TEST(CalibrationFileLimits, PoolsMachinesAndSources)
{
    const auto pool = [](std::vector<double> values) {
        nlohmann::json json = emptyCalibration();
        json["compute_regime_pool"] = std::move(values);
        const auto read = clusterCalibrationFromJson(json.dump());
        return read.ok() ? std::ssize(read->regimePool) : -1;
    };
    EXPECT_EQ(pool(std::vector<double>(10'000, 1.5)), 10'000);
    EXPECT_EQ(pool(std::vector<double>(10'001, 1.5)), -1);
    EXPECT_EQ(pool({999'999, 1e-9}), 2);
    EXPECT_EQ(pool({1e6}), -1);
    EXPECT_EQ(pool({1, 0}), -1);
    EXPECT_EQ(pool({1.02e6}), -1);
    const auto machine = [](double peak, double sms) {
        nlohmann::json json = emptyCalibration();
        json["machine"] = {{"gpu", "g"}, {"peak_bf16_tflops", peak}, {"num_sms", sms}};
        const FittedMachine m = clusterCalibrationFromJson(json.dump())->machine;
        return std::pair(m.peakBf16Tflops, m.numSms);
    };
    EXPECT_EQ(machine(312.5, 108), std::pair(312.5, 108));
    EXPECT_EQ(machine(2e6, 3e6), std::pair(1e6, 1'000'000));
    EXPECT_EQ(machine(-1, -1), std::pair(0.0, 0));
    const auto sources = [](std::size_t count, std::size_t facts) {
        nlohmann::json json = emptyCalibration();
        json["sources"] = std::vector<nlohmann::json>(count, {{"what", "w"}, {"facts", std::vector<std::string>(facts, "f")}});
        const auto read = clusterCalibrationFromJson(json.dump());
        return read.ok() ? std::ssize(read->sources) : -1;
    };
    EXPECT_EQ(sources(1'000, 1), 1'000);
    EXPECT_EQ(sources(1'001, 1), -1);
    EXPECT_EQ(sources(1, 1'000), 1);
    EXPECT_EQ(sources(1, 1'001), -1);
}

nlohmann::json reportOfFit(const char* pointer, const nlohmann::json& value)
{
    nlohmann::json json = {{"steps", 700},
                           {"stalls", 3},
                           {"gpu_hours", 1'000},
                           {"step_jitter_s", {{"value", 0.02}}},
                           {"compute_regime_cv", {{"value", 0.004}}},
                           {"compute_regime_lag1", 0.5},
                           {"stall_mean_s", {{"value", 2.5}}},
                           {"stall_cv", 0.75},
                           {"calibration", {{"machine", {{"gpu", "G"}, {"peak_bf16_tflops", 989}, {"num_sms", 132}}}}}};
    if (*pointer != '\0')
        json[nlohmann::json::json_pointer(pointer)] = value;
    return json;
}

FittedSystem systemWith(const char* pointer = "", const nlohmann::json& value = {})
{
    return fittedSystemFromJson(reportOfFit(pointer, value).dump(), "x").value();
}

TEST(PooledFitLimits, EveryNumberOfAReport)
{
    const FittedSystem s = systemWith();
    const SpreadCauses& c = s.spread.causes;
    EXPECT_EQ(std::tuple(c.steps, c.stalls, c.gpuHours, c.jitterSeconds.value), std::tuple(700, 3, 1'000.0, 0.02));
    EXPECT_EQ(std::tuple(c.regimeCv.value, c.regimeLag1, c.stallMeanSeconds.value, c.stallCv), std::tuple(0.004, 0.5, 2.5, 0.75));
    EXPECT_EQ(std::pair(s.machine.peakBf16Tflops, s.machine.numSms), std::pair(989.0, 132));
    EXPECT_EQ(systemWith("/steps", 2e9).spread.causes.steps, 1'000'000'000);
    EXPECT_EQ(systemWith("/stalls", 3e9).spread.causes.stalls, 1'000'000'000);
    EXPECT_EQ(systemWith("/calibration/machine/num_sms", 5e6).machine.numSms, 1'000'000);
    EXPECT_EQ(systemWith("/stall_cv", 0).spread.causes.stallCv, 0);
    EXPECT_FALSE(fittedSystemFromJson(reportOfFit("/stall_cv", -0.5).dump(), "x").ok());
    nlohmann::json pool = std::vector<double>(400, 1.5);
    const auto quantiles = [&] {
        nlohmann::json json = reportOfFit("/calibration/compute_regime_pool", pool);
        json["calibration"]["values"]["variability.compute_regime_lag1"] = 1.5;
        const FittedSystem read = fittedSystemFromJson(json.dump(), "x").value();
        return std::pair(read.regimePool.size(), read.regimePoolLag1);
    };
    EXPECT_EQ(quantiles(), std::pair(std::size_t{400}, 1.0)) << "a correlation is at most 1";
    pool[7] = 0;
    EXPECT_EQ(quantiles().first, 0U);
    pool[7] = 1e6;
    EXPECT_EQ(quantiles().first, 0U);
    pool[7] = 999'999;
    EXPECT_EQ(quantiles().first, 400U);
    pool.push_back(1);
    EXPECT_EQ(quantiles().first, 0U) << "401 values";
}

TEST(PooledFitLimits, QuantilesAreMeansOneByOneAndFactsHoldTheNumbers)
{
    const GpuSpec gpu = *gpuPreset("h100-sxm-80gb");
    std::vector<FittedSystem> systems = {systemWith(), systemWith("/step_jitter_s/value", 0.05), systemWith("/step_jitter_s/value", 0.5)};
    for (std::size_t i = 0; i < 400; ++i) {
        systems[0].regimePool.push_back(0.9 + 0.0005 * static_cast<double>(i));
        systems[1].regimePool.push_back(0.8 + 0.001 * static_cast<double>(i));
    }
    systems[0].regimePoolLag1 = 0.25;
    systems[1].regimePoolLag1 = 0.5;
    for (FittedSystem& s : systems)
        s.machine = {"G", gpu.peakBf16Tflops, gpu.numSms};
    systems[2].machine.numSms = 2 * gpu.numSms; // another chip
    const ClusterCalibration pooled = pooledCalibration(systems, gpu).value();
    ASSERT_EQ(pooled.regimePool.size(), 400U);
    EXPECT_NEAR(pooled.regimePool[0], 0.85, 1e-12);
    EXPECT_NEAR(pooled.regimePool[100], 0.925, 1e-12);   // 0.95 and 0.9
    EXPECT_NEAR(pooled.regimePool[399], 1.14925, 1e-12); // 1.0995 and 1.199
    std::map<std::string, std::string> values(pooled.values.begin(), pooled.values.end());
    EXPECT_EQ(values["variability.compute_regime_lag1"], "0.375");
    EXPECT_EQ(values["variability.step_jitter_s"], "0.035"); // of the two on this chip
    EXPECT_EQ(values["variability.stalls_per_gpu_hour"], "0.003");
    EXPECT_EQ(values["variability.stall_mean_s"], "2.5");
    EXPECT_EQ(values["variability.stall_cv"], "0.75");
    EXPECT_EQ(pooled.sources.at(0).facts.at(0),
              "x: G, 700 steps, 1000 GPU-hours, 3 stalls, jitter 0.02 s, compute regime cv 0.004, the same chip");
    EXPECT_EQ(pooled.sources[0].facts.at(3), "jitter 0.035 s, 0.02 to 0.5 among the systems");
    // Nine events: Garwood's limits 4.1154 and 17.0848 over 3000 hours.
    EXPECT_EQ(pooled.sources[0].facts.at(4), "stalls 0.003 per GPU-hour, 0.0014 to 0.0057 if systems were equal");
}

/// Ten levels of ten equal steps each, but for the last ones: what neighbours differ by is 0 in more than half of the pairs.
CleanRun steppedRun(int steps)
{
    CleanRun run;
    for (int i = 0; i < steps; ++i) {
        run.seconds.push_back(4 + 0.002 * ((i / 10) * 7 % 10));
        run.index.push_back(i);
    }
    run.medianSeconds = medianOf(run.seconds);
    return run;
}

TEST(RunFitAnswers, WithoutNoiseTheRegimeHasTheShapeOfTheSteps)
{
    Scenario s = scenarioPreset("llama2-7b-8-a100").value();
    s.variability = {};
    Evaluator evaluator;
    const RunFit fit = *fittedRun(evaluator, s, {steppedRun(100)}, {1, 100, 1});
    const VariabilityConfig& v = fit.fitted.variability;
    ASSERT_EQ(v.computeRegime.family, Family::empirical);
    ASSERT_EQ(v.computeRegime.pool->size(), 400U);
    // Steps of 4 to 4.018 s, ten of each level, median 4.009: probabilities 0.5 / 400, 201.5 / 400 and 399.5 / 400 lie on the lowest, on
    // the sixth level and on the highest. The pool has mean 1: shares of the distances over the share of compute, which the factors' mean 1
    // keeps.
    const auto over = [&](double seconds) { return 1 + (seconds / 4.009 - 1) / fit.computeShare; };
    const std::vector<double>& pool = *v.computeRegime.pool;
    EXPECT_NEAR(pool[0] / over(4), 1, 1e-9);
    EXPECT_NEAR(pool[220] / over(4.010), 1, 1e-9);
    EXPECT_NEAR(pool[399] / over(4.018), 1, 1e-9);
    EXPECT_GT(fit.computeShare, 0.5);
    EXPECT_LT(fit.computeShare, 1.001);
    // What lasts over what spreads: the covariance of neighbours over the variance of the steps.
    const double spread = v.computeRegime.cv * fit.computeShare;
    EXPECT_NEAR(v.computeRegimeLag1,
                std::min(0.99, fit.causes.regimeCv.value * fit.causes.regimeCv.value * fit.causes.regimeLag1 / spread / spread), 0.02);
    EXPECT_NE(fittedRun(evaluator, s, {steppedRun(99)}, {1, 100, 1})->fitted.variability.computeRegime.family, Family::empirical)
        << "a shape takes a hundred steps";
}

TEST(SpreadCauseLimits, PersistenceAndSizesOfStallsAreBounded)
{
    // Two hundred steps of 10.1 s, then two hundred of 9.9: lags 1 and 2 share 397 / 399 and 394 / 398 of 1e-4; their ratio is 0.9949.
    CleanRun run;
    for (int i = 0; i < 400; ++i) {
        run.seconds.push_back(i < 200 ? 10.1 : 9.9);
        run.index.push_back(i);
    }
    run.medianSeconds = 10;
    const SpreadCauses c = spreadCauses({run}, 2, 0);
    EXPECT_DOUBLE_EQ(c.regimeLag1, 0.98);
    EXPECT_NEAR(c.regimeCv.value, 0.01, 1e-12) << "no more lasts than there is";
    // Stalls of 1 and of 1000 s: the logarithms' variance is 23.9, the spread of their sizes bounded.
    const auto stalls = [&](int count) {
        CleanRun stalled = run;
        for (int k = 0; k < count; ++k)
            stalled.seconds[static_cast<std::size_t>(10 + 20 * k)] += k % 2 == 0 ? 1 : 1'000;
        return spreadCauses({stalled}, 2, 0);
    };
    EXPECT_EQ(stalls(2).stallCv, 5);
    EXPECT_EQ(stalls(4).notes.at(0), "4 stalls: the tail of their sizes cannot be known");
    EXPECT_EQ(stalls(5).stalls, 5);
    EXPECT_EQ(stalls(5).notes.at(0).find("tail"), std::string::npos);
}

TEST(StallRangeLimits, ANegativeBinomialCount)
{
    // Rate cv 0.5: shape 4, p = 4 / (4 + 6) = 0.4. P(N <= 0) = 0.0256; P(N <= 14) = 0.9672, P(N <= 15) = 0.9770 (sums of its terms).
    const CountRange r = stallRange(0.003, 0.5, 2'000);
    EXPECT_EQ(std::pair(r.low, r.high), std::pair(0, 15));
    const CountRange none = stallRange(0.003, 0.5, 0);
    EXPECT_EQ(none.high, 0);
}

/// One dense row whose measured part is `measured`.
PublishedRow rowMeasured(const std::string& measured, const std::string& more = "")
{
    return readPublished(R"({"schema":"prism-validation-1","schema_version":2,"rows":[{"id":"r","suite":"s","measured":{)" + measured + "}"
                         + more + "}]}")
        ->front();
}

TEST(PublishedNumbers, MemoryAndRatesInTheirUnits)
{
    EXPECT_DOUBLE_EQ(rowMeasured(R"("peak_memory_gib": 40)").publishedMemoryGib, 40);
    EXPECT_NEAR(rowMeasured(R"("peak_memory_gb": 60)").publishedMemoryGib, 55.87935447692871, 1e-12); // 60e9 / 2^30
    EXPECT_DOUBLE_EQ(rowMeasured(R"("peak_memory_gib": 40, "peak_memory_gb": 60)").publishedMemoryGib, 40);
    EXPECT_DOUBLE_EQ(rowMeasured(R"("peak_memory_gib": 40, "peak_reserved_gib": 44)").publishedMemoryGib, 44);
    const PublishedRow row = rowMeasured(R"("iteration_time_s": 2.5, "tflops_per_gpu": 410, "bubble_rate_theoretical": 0.25,
        "flops_convention": {"attention": "causal", "recomputation": false, "vocabulary": true, "peak_tflops": 989})");
    EXPECT_EQ(std::tuple(row.publishedSeconds, row.publishedTflops, row.publishedBubbleRate), std::tuple(2.5, 410.0, 0.25));
    EXPECT_EQ(row.convention.peakTflops, 989);
    EXPECT_EQ(row.convention.recomputation, std::optional<bool>(false));
    EXPECT_EQ(row.skipped.find("no step time"), std::string::npos);
    for (const char* none : {R"("iteration_time_s": 0)", R"("iteration_time_s": -1)", R"("bubble_rate_theoretical": 0.25)"})
        EXPECT_NE(rowMeasured(none).skipped.find("no step time"), std::string::npos) << none;
    const PublishedRow nothing = rowMeasured("");
    EXPECT_EQ(std::tuple(nothing.publishedMemoryGib, nothing.publishedTflops, nothing.publishedBubbleRate), std::tuple(0.0, 0.0, -1.0));
}

TEST(PublishedNumbers, UnknownPathsAndExecutionsAreBounded)
{
    const auto assumptions = [](int count) {
        nlohmann::json list = nlohmann::json::array();
        for (int k = 0; k < count; ++k)
            list.push_back("path" + std::to_string(k));
        return rowMeasured(R"("iteration_time_s": 1)", R"(,"unknown":)" + list.dump()).assumptions.size();
    };
    EXPECT_EQ(assumptions(200), 200U);
    EXPECT_EQ(assumptions(201), 200U);
    const auto tooMany = [](int count) {
        nlohmann::json values = nlohmann::json::object();
        for (int k = 0; k < count; ++k)
            values["p" + std::to_string(k)] = 1;
        return rowMeasured(R"("iteration_time_s": 1)", R"(,"execution":)" + values.dump()).skipped.find("more than 200 paths")
               != std::string::npos;
    };
    EXPECT_FALSE(tooMany(200));
    EXPECT_TRUE(tooMany(201));
    const auto rows = [](std::size_t count) {
        std::string text = R"({"schema":"prism-validation-1","schema_version":2,"rows":[)";
        for (std::size_t k = 0; k < count; ++k)
            text += k == 0 ? "1" : ",1";
        const auto read = readPublished(text + "]}");
        return read.errors().size();
    };
    EXPECT_EQ(rows(20'000), 20'000U) << "each row is an error";
    EXPECT_EQ(rows(20'001), 1U) << "there are too many";
}

TEST(TraceImportAnswers, RowsNeedTwoRanksBytesAndATime)
{
    KinetoReport report;
    const auto add = [&](const char* operation, std::int64_t ranks, std::int64_t bytes, double seconds) {
        report.groups.push_back({.operation = operation, .groupSize = ranks, .bytes = bytes, .transferSeconds = seconds});
    };
    add("ReduceScatter", 2, 1, 1e-5);
    add("_all_gather_base", 3, 7, 2e-5);
    add("alltoall_base", 5, 9, 3e-5);
    add("allreduce", 1, 1'000, 1e-5);
    add("allreduce", 2, 0, 1e-5);
    add("allreduce", 2, 1'000, 0);
    add("recv", 0, 50, 4e-5);
    const TraceImport imported = scenarioOfTrace(Scenario{}, report);
    std::vector<std::tuple<std::string, std::int64_t, double, double>> rows;
    for (const MeasuredRow& r : imported.scenario.measured.rows)
        rows.emplace_back(r.op, r.ranks, r.bytes, r.seconds);
    EXPECT_EQ(rows, (decltype(rows){
                        {"reduce_scatter", 2, 1, 1e-5}, {"all_gather", 3, 7, 2e-5}, {"all_to_all", 5, 9, 3e-5}, {"p2p", 2, 50, 4e-5}}));
    EXPECT_TRUE(imported.notes.at(0).message.starts_with("4 of 7 groups of collectives became measured rows, 0 in place of others; 3 have"))
        << imported.notes[0].message;
}

/// Three replicas of three stages with two micro-batches and a base of ten layers: 1F1B, transfers not recorded, an optimizer behind.
TraceJob threeStages()
{
    TraceJob job;
    job.name = "three";
    job.replicas = 3;
    job.replicasOfJob = 4;
    job.stages = 3;
    job.transfersRecorded = false;
    job.replicaNumbers = {0, 1, 2};
    for (int t = 0; t < 6; ++t) {
        TraceStep step{t, {}};
        for (int r = 0; r < 3; ++r)
            for (int s = 0; s < 3; ++s) {
                const auto add = [&](TraceOp type, double start, double seconds, int m) {
                    step.operations.push_back(
                        {.start = start, .duration = seconds, .replica = r, .stage = s, .chunk = 0, .microBatch = m, .type = type});
                };
                // Units of 0.1 s: forward 1, backward 2; the last stage alternates, the others forward twice first.
                const std::vector<std::pair<double, bool>> order[] = {{{0, true}, {1, true}, {7, false}, {10, false}},
                                                                      {{1, true}, {2, true}, {5, false}, {8, false}},
                                                                      {{2, true}, {3, false}, {5, true}, {6, false}}};
                int forward = 0, backward = 0;
                for (const auto& [at, isForward] : order[s])
                    add(isForward ? TraceOp::forwardCompute : TraceOp::backwardCompute, 0.1 * at, isForward ? 0.1 : 0.2,
                        isForward ? forward++ : backward++);
                add(TraceOp::optimizer, 1.3, 0.05, -1);
            }
        job.steps.push_back(std::move(step));
    }
    return job;
}

TEST(TraceImportAnswers, ALayoutOfStagesThatTheLayersDoNotDivide)
{
    Scenario base = scenarioPreset("llama2-7b-8-a100").value();
    base.model.numLayers = 10;
    base.training.microBatchSize = 5;
    base.parallelism.tensorModelParallelSize = 2;
    const auto imported = scenarioOfTrace(base, threeStages());
    ASSERT_TRUE(imported.ok()) << imported.errors()[0].message;
    const Scenario& s = imported->scenario;
    EXPECT_EQ(s.parallelism.pipelineModelParallelSize, 3);
    EXPECT_EQ(s.parallelism.virtualPipelineModelParallelSize, 1);
    EXPECT_EQ(s.parallelism.pipelineModelParallelLayout, "Et*3|t*3|t*4L"); // 10 / 3, 20 / 3 and 10 rounded down
    EXPECT_EQ(s.parallelism.pipelineSchedule, "1f1b");
    EXPECT_EQ(s.cluster.numGpus, 3 * 4 * 2 * base.parallelism.contextParallelSize);
    EXPECT_EQ(s.training.globalBatchSize, 5 * 2 * 4); // micro-batch size, micro-batches, replicas of the job
    const auto noted = [&](const std::string& part) {
        return std::any_of(imported->notes.begin(), imported->notes.end(),
                           [&](const Diagnostic& d) { return d.message.find(part) != std::string::npos; });
    };
    EXPECT_TRUE(noted("4 replicas x 3 stages, 1 chunk, 2 micro-batches, schedule 1f1b, 24 GPUs"));
    EXPECT_TRUE(noted("a micro-batch takes 0.9 s through all stages")); // three stages of 0.1 and 0.2 s
    EXPECT_TRUE(noted("optimizer: 0.05 s without waiting, 54 values")); // nine workers, six steps
    EXPECT_TRUE(noted("9 of 12 workers are recorded"));
    EXPECT_TRUE(noted("median of 6 measured steps 1.35 s"));
    EXPECT_TRUE(noted("stages that take 1.00 to 1.00 times the mean"));
    EXPECT_TRUE(noted("6 steps, cv 0 beyond"));
}

} // namespace
} // namespace prism
