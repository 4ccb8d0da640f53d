// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of a snapshot from the costed step and its samples, shares of the variance by separate simulations, and what an evaluation
// costs, by hand.
#include "core/engine/evaluationcost.h"
#include "core/engine/evaluator.h"

#include "core/scenario/presets.h"
#include "core/sim/draw/draws.h"
#include "core/sim/graphs.h"
#include "core/stats/confidence.h"
#include "core/stats/intervals.h"
#include "core/stats/moments.h"

#include <boost/math/distributions/students_t.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace prism {
namespace {

constexpr double kReach = 1.959963984540054; ///< 97.5 % point of the standard normal

Distribution lognormalFactor(double cv)
{
    return {Family::lognormal, cv};
}

/// 16 GPUs in two replicas of one stage, a few layers: quick to sample.
Scenario smallJob()
{
    Scenario s = scenarioPreset("llama3-70b-256-h100").value();
    s.cluster.numGpus = 16;
    s.cluster.gpuHourPriceUsd = 3;
    s.model.numLayers = 4;
    s.parallelism.tensorModelParallelSize = 8;
    s.parallelism.pipelineModelParallelSize = 1;
    s.parallelism.virtualPipelineModelParallelSize = 1;
    s.parallelism.contextParallelSize = 1;
    s.parallelism.zeroStage = 1;
    s.parallelism.pipelineSchedule = "1f1b";
    s.training.globalBatchSize = 4;
    s.training.microBatchSize = 1;
    s.training.trainTokens = 5e9;
    s.training.recomputeGranularity = "full";
    s.variability.interRegime = lognormalFactor(0.2);
    return s;
}

EvaluateOptions sampled(int samples, bool shares = false)
{
    EvaluateOptions o;
    o.numSamples = samples;
    o.varianceShares = shares;
    o.systemsRange = false;
    return o;
}

double studentPoint(double degrees)
{
    return boost::math::quantile(boost::math::students_t(degrees), 0.975);
}

} // namespace

TEST(EvaluatedNumbers, RatesAreAtTheMedianStepDaysAndMoneyAtTheMean)
{
    Evaluator evaluator;
    const SnapshotPtr s = evaluator.evaluate(smallJob(), sampled(400));
    ASSERT_TRUE(s->valid());
    const CostedStep& c = *s->costed;
    const double median = s->across.p50, mean = s->across.mean, noiseFree = s->samples->noiseFreeSeconds;
    ASSERT_NE(median, mean);
    EXPECT_DOUBLE_EQ(s->slowdownP50, median / noiseFree);
    EXPECT_DOUBLE_EQ(s->slowdownP95, s->across.p95 / noiseFree);
    EXPECT_DOUBLE_EQ(s->tokensPerSecond, 4 * 8192 / median);
    EXPECT_DOUBLE_EQ(s->tflopsPerGpu, c.modelFlopsPerStep / median / 16 / 1e12);
    EXPECT_DOUBLE_EQ(s->mfu, c.modelFlopsPerStep / (median * 16 * 1e12 * c.peakTflopsPerGpu));
    EXPECT_NEAR(s->mfuCausal, s->mfu * c.causalFlopsPerStep / c.modelFlopsPerStep, 1e-12);
    EXPECT_NEAR(s->hfu, s->mfu * c.hardwareFlopsPerStep / c.modelFlopsPerStep, 1e-12);
    EXPECT_GT(s->hfu, 1.2 * s->mfu) << "recomputed";
    const double seconds = 5e9 / (4 * 8192) * mean;
    EXPECT_DOUBLE_EQ(s->daysToTrain, seconds / 86'400);
    EXPECT_DOUBLE_EQ(s->costUsd, seconds / 3'600 * 16 * 3);
    EXPECT_TRUE(std::is_sorted(s->sortedAcrossSeconds.begin(), s->sortedAcrossSeconds.end()));
    EXPECT_EQ(s->sortedAcrossSeconds.size(), 400U);
    EXPECT_EQ(s->sortedWithinSeconds.size(), 100U) << "a quarter within the median job";
    EXPECT_EQ(s->within.p50, quantileOfSorted(s->sortedWithinSeconds, 0.5));
    Scenario untrained = smallJob();
    untrained.training.trainTokens = 0;
    EXPECT_EQ(evaluator.evaluate(untrained, sampled(10))->daysToTrain, 0);
    EXPECT_EQ(evaluator.evaluate(untrained, sampled(3))->within.samples, 1U);
    EXPECT_EQ(evaluator.evaluate(untrained, sampled(0))->across.samples, 1U);
}

TEST(EvaluatedNumbers, EachShareIsTheVarianceOfItsCauseAlone)
{
    Scenario all = smallJob();
    all.variability = {};
    all.variability.spatialSensitivity = smallJob().variability.spatialSensitivity;
    const VariabilityConfig none = all.variability;
    const auto only = [&](auto set) {
        Scenario s = all;
        s.variability = none;
        set(s.variability);
        set(all.variability);
        return s;
    };
    using V = VariabilityConfig;
    const Scenario parts[] = {only([](V& v) { v.spatial = lognormalFactor(0.05); }),
                              only([](V& v) { v.gemm = lognormalFactor(0.3); }),
                              only([](V& v) { v.intraRegime = v.interRegime = v.computeRegime = lognormalFactor(0.1); }),
                              only([](V& v) { v.data = lognormalFactor(0.1); }),
                              only([](V& v) { v.intraCollective.rareProbability = 0.01, v.intraCollective.rareMultiplier = 20; }),
                              only([](V& v) { v.stepJitterS = 0.02; }),
                              only([](V& v) { v.stallsPerGpuHour = 30, v.stallMeanS = 0.1, v.stallCv = 0.5; })};
    Evaluator evaluator;
    const SnapshotPtr s = evaluator.evaluate(all, sampled(1'500, true));
    ASSERT_TRUE(s->valid());
    const VarianceShare& share = s->varianceShare;
    const double shares[] = {share.spatial, share.temporal, share.regime, share.data, share.rare, share.jitter, share.stall};
    const double widths[] = {share.ciSpatial, share.ciTemporal, share.ciRegime, share.ciData, share.ciRare, share.ciJitter, share.ciStall};
    const double total = s->across.std * s->across.std;
    double sum = 0;
    for (std::size_t i = 0; i < std::size(parts); ++i) {
        const bool isDelay = i >= 5; // jitter and stalls: of all steps
        SimOptions sim;
        sim.numSamples = isDelay ? 1'500 : kShareSamples;
        sim.numWithinSamples = -1;
        const std::vector<double> x = evaluator.samples(costStep(parts[i])->graph, sim)->acrossSeconds;
        ASSERT_EQ(x.size(), static_cast<std::size_t>(sim.numSamples));
        EXPECT_NEAR(shares[i], varianceOf(x) / total, 1e-6 * shares[i]) << i;
        EXPECT_GT(shares[i], 0) << i;
        std::vector<double> batches;
        for (std::size_t b = 0; b < 10; ++b) {
            const auto of = [&](const std::vector<double>& y) {
                return varianceOf({y.begin() + static_cast<std::ptrdiff_t>(b * y.size() / 10),
                                   y.begin() + static_cast<std::ptrdiff_t>((b + 1) * y.size() / 10)});
            };
            batches.push_back(of(x) - (isDelay ? shares[i] * of(s->samples->acrossSeconds) : 0));
        }
        EXPECT_NEAR(widths[i], studentPoint(9) * std::sqrt(varianceOf(batches) / 10) / total, 1e-6 * widths[i]) << i;
        sum += shares[i];
    }
    EXPECT_NEAR(share.interaction, 1 - sum, 1e-12);
    Scenario constant = all;
    constant.variability = none;
    EXPECT_EQ(evaluator.evaluate(constant, sampled(100, true))->varianceShare.interaction, 0);
}

TEST(EvaluatedNumbers, PrecisionGrowsWithTheSquareOfWhatIsMissing)
{
    Evaluator evaluator;
    EvaluateOptions o = sampled(300);
    const SnapshotPtr rough = evaluator.evaluate(smallJob(), o);
    for (const double share : {0.9, 0.5, 0.05}) {
        o.precision = share * rough->across.ciP95 / rough->across.p95;
        std::vector<SnapshotPtr> steps;
        o.onProgress = [&](const SnapshotPtr& s) { steps.push_back(s); };
        (void)evaluator.evaluate(smallJob(), o);
        ASSERT_GE(steps.size(), 2U);
        EXPECT_EQ(steps[0]->across.samples, 300U);
        for (std::size_t i = 1; i < steps.size(); ++i) {
            const DistributionSummary& before = steps[i - 1]->across;
            const double ratio = before.ciP95 / (o.precision * before.p95);
            EXPECT_GT(ratio, 1);
            EXPECT_EQ(static_cast<double>(steps[i]->across.samples),
                      std::ceil(static_cast<double>(before.samples) * std::clamp(1.1 * ratio * ratio, 1.5, 8.0)));
        }
        EXPECT_LE(steps.back()->across.ciP95, o.precision * steps.back()->across.p95);
    }
}

TEST(EvaluatedNumbers, AFirstCurveComesBeforeMoreThanTwiceItsSteps)
{
    for (const int samples : {512, 513}) {
        Evaluator evaluator;
        EvaluateOptions o = sampled(samples);
        std::vector<std::size_t> sizes;
        o.onProgress = [&](const SnapshotPtr& s) { sizes.push_back(s->across.samples); };
        (void)evaluator.evaluate(smallJob(), o);
        EXPECT_EQ(sizes, samples == 512 ? (std::vector<std::size_t>{512}) : (std::vector<std::size_t>{256, 513}));
    }
}

TEST(EvaluatedNumbers, TheCacheCountsWhatAGraphStores)
{
    std::stop_source stop;
    stop.request_stop();
    EvaluateOptions o = sampled(10);
    o.stop = stop.get_token(); // only the costed step is kept
    Scenario s = smallJob();
    s.variability.slow = {{0, -1, 1.5, 1}, {1, -1, 1.2, 1}};
    s.measured.speeds = {{0, -1, 1.0}, {1, -1, 0.9}};
    Evaluator evaluator;
    const SnapshotPtr snapshot = evaluator.evaluate(s, o);
    ASSERT_NE(snapshot->costed, nullptr);
    const StepGraph& g = snapshot->costed->graph;
    EXPECT_EQ(g.fixedSpatial.size(), 16U);
    std::size_t items = 0, ops = 0;
    for (const auto& order : g.schedule.order)
        items += order.size();
    for (const Program& p : g.programs)
        for (const Block& b : p.blocks)
            ops += b.ops.size();
    EXPECT_EQ(evaluator.cacheBytes(), sizeof g + 16 * sizeof(double) + g.slow.size() * sizeof(SlowSpot) + items * sizeof(ScheduleItem)
                                          + ops * sizeof(Op) + 256 * g.classes.size());
    const std::size_t before = evaluator.cacheBytes();
    s.training.globalBatchSize = -1;
    (void)evaluator.evaluate(s, o);
    EXPECT_EQ(evaluator.cacheBytes(), before + 1'024U) << "an error";
}

TEST(EvaluatedNumbers, ASummaryOfFiveSteps)
{
    StepSamples shared;
    shared.acrossShared = {{0.1, 0}, {0.2, 0}, {0.3, 4}, {0.4, 0.5}}; // p50, p95, p99, mean with their degrees of freedom
    const DistributionSummary s = summarize({2, 1, 10, 3, 4}, &shared);
    EXPECT_DOUBLE_EQ(s.mean, 4);
    EXPECT_DOUBLE_EQ(s.std, std::sqrt(50.0 / 4));
    EXPECT_DOUBLE_EQ(s.cv, s.std / 4);
    const double quantiles[] = {s.p5, s.p10, s.p25, s.p50, s.p75, s.p90, s.p95, s.p99}, expected[] = {1.2, 1.4, 2, 3, 4, 7.6, 8.8, 9.76};
    for (std::size_t i = 0; i < 8; ++i)
        EXPECT_NEAR(quantiles[i], expected[i], 1e-12) << i;
    const std::vector<double> sorted{1, 2, 3, 4, 10};
    EXPECT_NEAR(s.ciP50, std::hypot(halfWidthOfQuantile(sorted, 0.5), kReach * 0.1), 1e-9);
    EXPECT_NEAR(s.ciP95, std::hypot(halfWidthOfQuantile(sorted, 0.95), kReach * 0.2), 1e-9);
    const double own = halfWidthOfQuantile(sorted, 0.99) / kReach, both = own * own + 0.09;
    EXPECT_NEAR(s.ciP99, studentPoint(both * both / (0.0081 / 4)) * std::sqrt(both), 1e-9);
    const double ownMean = 50.0 / 4 / 5, mean = ownMean + 0.16; // degrees of freedom of Satterthwaite
    EXPECT_NEAR(s.ciMean, studentPoint(mean * mean / (0.16 * 0.16 / 0.5)) * std::sqrt(mean), 1e-9);
    EXPECT_NEAR(halfWidth95({2, 0.5}), 2 * studentPoint(1), 1e-9) << "at least one degree of freedom";
    EXPECT_NEAR(halfWidth95({2, 0}), 2 * kReach, 1e-9);
    EXPECT_EQ(summarize({7}).std, 0);
    EXPECT_EQ(summarize({-1, -3}).cv, 0);
}

TEST(EvaluatedNumbers, StepsWithinAJobCountTheirCorrelation)
{
    StepSamples samples;
    for (int i = 0; i < 600; ++i)
        samples.withinSeconds.push_back(10 + (i / 8 % 3) + 1e-3 * (i * 7919 % 600)); // runs of eight on three levels
    const std::vector<double>& x = samples.withinSeconds;
    std::vector<double> sorted = x;
    std::sort(sorted.begin(), sorted.end());
    const DistributionSummary s = summarizeWithin(samples);
    const auto timeAbove = [&](double p) {
        std::vector<double> above;
        for (const double v : x)
            above.push_back(v > quantileOfSorted(sorted, p) ? 1 : 0);
        return correlationTime(above);
    };
    ASSERT_GT(timeAbove(0.5), 1.5);
    EXPECT_NEAR(s.ciMean, kReach * s.std * std::sqrt(correlationTime(x) / 600), 1e-9);
    EXPECT_NEAR(s.ciP50, halfWidthOfQuantile(sorted, 0.5, timeAbove(0.5)), 1e-9);
    EXPECT_NEAR(s.ciP95, halfWidthOfQuantile(sorted, 0.95, timeAbove(0.95)), 1e-9);
    EXPECT_NEAR(s.ciP99, halfWidthOfQuantile(sorted, 0.99, timeAbove(0.99)), 1e-9);
    EXPECT_EQ(summarizeWithin({}).samples, 0U);
}

TEST(EvaluationCost, SizesAreThoseOfTheJob)
{
    Scenario s = smallJob();
    s.cluster.numGpus = 64;
    s.parallelism.pipelineModelParallelSize = 2;
    s.parallelism.virtualPipelineModelParallelSize = 2;
    s.training.globalBatchSize = 32;
    const EvaluationSize size = evaluationSize(s, 77);
    EXPECT_EQ((std::array{size.replicas, size.stages, size.chunks, size.microbatches, size.ranksOfCell, size.samples}),
              (std::array{4.0, 2.0, 2.0, 8.0, 8.0, 77.0}));
    EXPECT_EQ(size.passes(), 32);
    s.training.globalBatchSize = 0;
    EXPECT_EQ(evaluationSize(s, 1).microbatches, 1);
    const StepGraph g = test::jobGraph(
        {.schedule = "interleaved", .stages = 2, .chunks = 3, .microbatches = 4, .replicas = 5, .groupRanks = 2, .groups = 3});
    const EvaluationSize graph = evaluationSize(g, 9);
    EXPECT_EQ((std::array{graph.replicas, graph.stages, graph.chunks, graph.microbatches, graph.ranksOfCell, graph.samples}),
              (std::array{5.0, 2.0, 3.0, 4.0, 6.0, 9.0}));
}

TEST(EvaluationCost, SecondsAndBytesOfASizeByHand)
{
    // One replica, one pass, 1,000 steps: across, a quarter of them within, a first curve of 256, 256 for each of seven causes,
    // 128 for the scenario and eight other systems, the candidates of the median job. A few replicas are swept with their noise.
    const double steps = 1'000 + 250 + 256 + 1'792 + 9 * 128 + kMedianCandidates;
    EXPECT_NEAR(estimatedCost({.ranksOfCell = 1, .samples = 1'000}).cpuSeconds, (25e-9 + 10e-9 + 1e-9) * steps, 1e-12);
    EXPECT_NEAR(estimatedCost({.ranksOfCell = 1, .samples = 1'000}).memoryBytes, 80e6 + 160 * 1'000 + 400 + 700, 1e-6);
    // 100 replicas of 3 stages with 2 chunks and 5 micro-batches, 8 ranks a cell.
    const EvaluationSize many{100, 3, 2, 5, 8, 1'000};
    EXPECT_NEAR(estimatedCost(many).cpuSeconds, (25e-9 + 1.8e-9 * 30 + 1e-9 * 3 * 8) * 100 * steps, 1e-12);
    EXPECT_NEAR(estimatedCost(many).memoryBytes, 80e6 + 160 * 1'000 + 400 * 30 + 700 * 300, 1e-6);
    EXPECT_GT(estimatedCost({7, 1, 1, 1, 1, 1'000}).cpuSeconds, estimatedCost({8, 1, 1, 1, 1, 1'000}).cpuSeconds);
}

TEST(EvaluationCost, WhatTakesAsLongAsItMayStarts)
{
    const EvaluationSize size{100, 3, 2, 5, 8, 1'000'000};
    const double seconds = estimatedCost(size).cpuSeconds;
    EXPECT_TRUE(tooCostly(size, seconds).empty());
    ASSERT_EQ(tooCostly(size, std::nextafter(seconds, 0)).size(), 1U);
    EXPECT_EQ(tooCostly(size, 0.9 * seconds)[0].path, "samples");
    EvaluationSize large{.samples = (1024.0 * 1024 * 1024 - 80e6 - 1'100) / 160};
    EXPECT_TRUE(tooCostly(large, 1e9).empty()) << "just 1 GiB";
    large.samples += 1;
    EXPECT_EQ(tooCostly(large, 1e9).at(0).message, "One evaluation takes more memory than it may.");
    EXPECT_EQ(costText({1, 1, 1, 100, 1, 6'000'000}), "100 passes x 6,000,000 steps: about 7.7 s of CPU and 0.97 GiB");
    EXPECT_EQ(tooCostly({1e6, 1, 1, 1, 1, 10}, 1).at(0).path, "cluster.num_gpus");
}

} // namespace prism
