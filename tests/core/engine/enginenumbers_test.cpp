// SPDX-License-Identifier: GPL-3.0-or-later
// What an evaluation counts, keeps and names, shares of the variance of a job with few causes, and limits of the summary and of the cost.
#include "core/base/timeunits.h"
#include "core/engine/evaluationcost.h"
#include "core/engine/evaluator.h"
#include "core/engine/verdict.h"

#include "core/scenario/presets.h"
#include "core/sim/graphs.h"
#include "core/stats/confidence.h"
#include "core/stats/moments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace prism {
namespace {

constexpr double kJitterSeconds = 0.02;

/// One node whose steps vary by the jitter of the hosts alone: no pass is drawn.
Scenario jitteredJob()
{
    Scenario s = *scenarioPreset("llama2-7b-8-a100");
    s.variability = {};
    s.variability.stepJitterS = kJitterSeconds;
    return s;
}

EvaluateOptions plainOptions(int samples, bool shares = false)
{
    EvaluateOptions o;
    o.numSamples = samples;
    o.varianceShares = shares;
    o.systemsRange = false;
    return o;
}

SimOptions acrossOptions(std::uint64_t seed, int samples)
{
    SimOptions sim;
    sim.seed = seed;
    sim.numSamples = samples;
    sim.numWithinSamples = -1;
    return sim;
}

std::size_t sampleBytesOf(std::size_t steps)
{
    return sizeof(StepSamples) + sizeof(double) * steps;
}

std::ptrdiff_t timesComputed(const Snapshot& s, const char* node)
{
    return std::count(s.cost.recomputed.begin(), s.cost.recomputed.end(), node);
}

TEST(EngineNumbersLong, ASnapshotNamesItsSeedRevisionAndWork)
{
    Evaluator evaluator;
    EvaluateOptions o = plainOptions(30);
    o.seed = 5;
    o.revision = 12;
    const SnapshotPtr s = evaluator.evaluate(jitteredJob(), o);
    ASSERT_TRUE(s->valid());
    EXPECT_EQ(s->seed, 5U);
    EXPECT_EQ(s->revision, 12U);
    EXPECT_EQ(s->hash.value, jitteredJob().hash().value);
    Memo memo(1 << 24);
    SimOptions across = acrossOptions(5, 30), within = acrossOptions(5, 0);
    within.numWithinSamples = 7; // a quarter of 30
    across.memo = within.memo = &memo;
    const StepSamples a = simulate(s->costed->graph, across), b = simulate(s->costed->graph, within);
    EXPECT_EQ(s->samples->acrossSeconds, a.acrossSeconds);
    EXPECT_EQ(s->samples->withinSeconds, b.withinSeconds);
    EXPECT_EQ(s->samples->withinSeconds.size(), 7U);
    ASSERT_GT(a.nodeSamples, 0U);
    EXPECT_EQ(s->cost.nodeSamples, a.nodeSamples + b.nodeSamples);
    EXPECT_EQ(s->cost.recomputedNodes, static_cast<int>(s->cost.recomputed.size()));
    EXPECT_EQ(timesComputed(*s, "coarse samples"), 0);
    const SnapshotPtr again = evaluator.evaluate(jitteredJob(), o);
    EXPECT_EQ(again->cost.nodeSamples, 0U);
    EXPECT_EQ(again->cost.totalNodes, 3) << "cost, samples, samples within a job";
}

TEST(EngineNumbersLong, AFirstCurveIsDrawnOnceAndForProgressAlone)
{
    Evaluator evaluator;
    EvaluateOptions o = plainOptions(600);
    EXPECT_EQ(timesComputed(*evaluator.evaluate(jitteredJob(), o), "coarse samples"), 0) << "no progress is looked at";
    std::vector<std::size_t> sizes;
    o.onProgress = [&](const SnapshotPtr& s) { sizes.push_back(s->across.samples); };
    (void)evaluator.evaluate(jitteredJob(), o);
    EXPECT_EQ(sizes, (std::vector<std::size_t>{600})) << "the steps are known";
    o.seed = 2;
    sizes.clear();
    (void)evaluator.evaluate(jitteredJob(), o);
    EXPECT_EQ(sizes, (std::vector<std::size_t>{256, 600}));
}

TEST(EngineNumbersLong, OneCauseAloneHasTheWholeVariance)
{
    Evaluator evaluator;
    for (const int samples : {200, kShareSamples, 300}) {
        const SnapshotPtr s = evaluator.evaluate(jitteredJob(), plainOptions(samples, true));
        ASSERT_TRUE(s->valid());
        EXPECT_NEAR(s->varianceShare.jitter, 1, 1e-9);
        EXPECT_NEAR(s->varianceShare.interaction, 0, 1e-9);
        EXPECT_NEAR(s->varianceShare.ciJitter, 0, 1e-9) << "the same steps";
        for (const double other : {s->varianceShare.spatial, s->varianceShare.temporal, s->varianceShare.regime, s->varianceShare.data,
                                   s->varianceShare.rare, s->varianceShare.stall, s->varianceShare.ciStall, s->varianceShare.ciSpatial})
            EXPECT_EQ(other, 0);
        if (samples > 200) {
            EXPECT_EQ(timesComputed(*s, "cause samples"), 0) << "its step is known";
        }
    }
}

TEST(EngineNumbersLong, FewLongStallsAreTheVarianceOfTheStepsThatHaveThem)
{
    // Two in a thousand steps: none or one of the 256 of a cause, most of the variance.
    Scenario s = jitteredJob();
    s.variability.stepJitterS = 0.001;
    s.variability.stallMeanS = 20;
    s.variability.stallCv = 1;
    s.variability.stallsPerGpuHour = 0.002 * kSecondsPerHour / (static_cast<double>(s.cluster.numGpus) * *noiseFreeSeconds(s));
    Evaluator evaluator;
    for (const std::uint64_t seed : {1, 2, 3}) {
        EvaluateOptions o = plainOptions(2'000, true);
        o.seed = seed;
        const VarianceShare share = evaluator.evaluate(s, o)->varianceShare;
        EXPECT_NEAR(share.stall, 1, 0.01) << seed;
        EXPECT_LT(share.ciStall, 0.01) << seed;
        EXPECT_NEAR(share.interaction, 0, 0.01) << seed;
    }
}

TEST(EngineNumbersLong, OnlyCausesThatVaryAreSampled)
{
    Scenario s = jitteredJob();
    s.variability.stallsPerGpuHour = 30;
    s.variability.stallMeanS = 0.1;
    s.variability.data.cv = 0.3; // of no family
    s.variability.data.family = Family::deterministic;
    Scenario calm = s;
    calm.variability.data = {};
    Evaluator evaluator;
    const SnapshotPtr two = evaluator.evaluate(calm, plainOptions(300, true));
    ASSERT_TRUE(two->valid());
    EXPECT_EQ(timesComputed(*two, "cause samples"), 1) << "both are delays of the same step";
    EXPECT_GT(two->varianceShare.stall, 0);
    const SnapshotPtr other = evaluator.evaluate(calm, [] {
        EvaluateOptions o = plainOptions(300, true);
        o.seed = 9;
        return o;
    }());
    EXPECT_NE(other->varianceShare.jitter, two->varianceShare.jitter) << "of another seed";
    EXPECT_EQ(timesComputed(*other, "variance"), 1);
    calm.variability.stepJitterS = calm.variability.stallsPerGpuHour = 0;
    const SnapshotPtr none = evaluator.evaluate(calm, plainOptions(300, true));
    EXPECT_EQ(timesComputed(*none, "cause samples"), 0);
    EXPECT_EQ(none->varianceShare.interaction, 0);
}

TEST(EngineNumbersLong, OfFewerThanFortyStepsThereIsNoPrecision)
{
    Evaluator evaluator;
    EvaluateOptions o = plainOptions(64);
    const SnapshotPtr rough = evaluator.evaluate(jitteredJob(), o);
    const double share = rough->across.ciP95 / rough->across.p95;
    o.precision = 1.001 * share;
    EXPECT_EQ(evaluator.evaluate(jitteredJob(), o)->across.samples, 64U) << "it is as precise";
    o.precision = 0.999 * share;
    EXPECT_EQ(evaluator.evaluate(jitteredJob(), o)->across.samples, 96U) << "half as many more or above";
    EXPECT_EQ(evaluator.evaluate(jitteredJob(), o)->within.samples, 24U) << "a quarter of what that took";
    o.precision = share / 1.5; // 1.1 x 1.5^2 = 2.475 times: 158.4 steps
    std::vector<std::size_t> sizes;
    o.onProgress = [&](const SnapshotPtr& s) { sizes.push_back(s->across.samples); };
    (void)evaluator.evaluate(jitteredJob(), o);
    ASSERT_GE(sizes.size(), 2U);
    EXPECT_EQ(sizes[0], 64U);
    EXPECT_EQ(sizes[1], 159U);
    o.precision = share / 50;
    sizes.clear();
    std::stop_source stop;
    o.stop = stop.get_token();
    o.onProgress = [&](const SnapshotPtr& s) {
        sizes.push_back(s->across.samples);
        if (sizes.size() == 2)
            stop.request_stop();
    };
    (void)evaluator.evaluate(jitteredJob(), o);
    EXPECT_EQ(sizes.back(), 512U) << "at most eight times as many at once";
}

TEST(EngineNumbersLong, SamplesOfOtherGraphsAreOthersAndCountTheirSteps)
{
    const auto graph = [](double cv) {
        return test::jobGraph({.stages = 2, .microbatches = 2, .replicas = 2, .compute = {Family::gamma, cv}});
    };
    SimOptions sim = acrossOptions(1, 16);
    sim.numWithinSamples = 9;
    Evaluator evaluator;
    const auto first = evaluator.samples(graph(0.1), sim);
    Memo memo(1 << 24);
    SimOptions bare = sim;
    bare.memo = &memo;
    (void)simulate(graph(0.1), bare);
    EXPECT_EQ(evaluator.cacheBytes(), memo.bytes() + sampleBytesOf(25));
    EXPECT_NE(evaluator.samples(graph(0.2), sim)->acrossSeconds, first->acrossSeconds);
    EXPECT_EQ(evaluator.samples(graph(0.1), sim), first);
}

TEST(EngineNumbersLong, SystemsOfOtherScenariosAndSeedsAreOthersAndCountTheirBytes)
{
    Scenario s = jitteredJob();
    const auto systems = [](Evaluator& evaluator, const Scenario& of, std::uint64_t seed) {
        SimOptions sim;
        sim.seed = seed;
        return *evaluator.systems(of, *costStep(of), sim);
    };
    Evaluator bare;
    (void)systems(bare, s, 1);
    EXPECT_EQ(bare.cacheBytes(), sizeof(SystemsRange) + kJointDraws * sizeof(double)) << "nothing is known of other systems";
    s.variability.preset = "measured-gb200"; // all of its causes have other values here: the trend alone is drawn
    Evaluator evaluator;
    const auto range = systems(evaluator, s, 1);
    ASSERT_EQ(range->systems.size(), 32U);
    Memo memo(1 << 24);
    SimOptions sim = acrossOptions(1, kSystemSteps);
    sim.numWithinSamples = kSystemSteps;
    sim.memo = &memo;
    StepGraph graph = costStep(s)->graph;
    graph.delays = {};
    graph.regimeLag1 = graph.computeRegimeLag1 = graph.routingRegimeLag1 = 0;
    (void)simulate(graph, sim);
    ASSERT_EQ(range->prior.causes.size(), 1U);
    EXPECT_EQ(evaluator.cacheBytes(), memo.bytes() + sampleBytesOf(2 * kSystemSteps) + sizeof(SystemsRange) + 32 * sizeof(DrawnSystem)
                                          + sizeof(CauseOverSystems)
                                          + (kStepQuantiles + kJointDraws + 32 * 8 * kSystemSteps) * sizeof(double));
    EXPECT_EQ(systems(evaluator, s, 1), range);
    EXPECT_NE(systems(evaluator, s, 2)->systems[0].p95OverP50, range->systems[0].p95OverP50);
    s.training.globalBatchSize = 64; // half the noise-free step, of which the same jitter is more
    EXPECT_GT(systems(evaluator, s, 1)->systems[0].p95OverP50, range->systems[0].p95OverP50);
}

TEST(EngineNumbersLong, CostedStepsOfOtherScenariosAreOthers)
{
    std::stop_source stop;
    stop.request_stop();
    EvaluateOptions o = plainOptions(10);
    o.stop = stop.get_token();
    Evaluator evaluator;
    Scenario half = jitteredJob();
    half.training.globalBatchSize = 64;
    EXPECT_EQ(evaluator.evaluate(jitteredJob(), o)->costed->tokensPerStep, 128 * 4096.0);
    EXPECT_EQ(evaluator.evaluate(half, o)->costed->tokensPerStep, 64 * 4096.0);
}

TEST(EngineNumbersLong, SmallSpreadsAndSmallMeansKeepTheirDigits)
{
    // Around the mean of 2.003: -0.003, -0.002 and 0.005, squares 38e-6 over two.
    const DistributionSummary s = summarize({2.001, 2.008, 2.0});
    EXPECT_NEAR(s.mean, 2.003, 1e-12);
    EXPECT_NEAR(s.std, std::sqrt(19e-6), 1e-12);
    const DistributionSummary equal = summarize({0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1});
    EXPECT_EQ(equal.std, 0);
    EXPECT_EQ(equal.cv, 0);
    EXPECT_NEAR(summarize({0.2, 0.4}).cv, std::sqrt(0.02) / 0.3, 1e-12) << "a mean below one second";
    EXPECT_EQ(summarize({-1, 1}).cv, 0) << "a mean of 0 has no relative spread";
    EXPECT_EQ(summarize({7}).mean, 7);
    EXPECT_EQ(summarize({7}).cv, 0);
}

TEST(EngineNumbersLong, EveryQuantileHasTheCorrelationOfTheStepsAboveIt)
{
    // A third in runs of twenty below the median, the others 10 s and above in turn; the 24 slowest steps follow one another and rise.
    StepSamples samples;
    for (int i = 0; i < 600; ++i)
        samples.withinSeconds.push_back(i >= 300 && i < 324 ? 20.0 + i
                                        : i / 20 % 3 == 0   ? 9 + 1e-3 * (i * 7919 % 600)
                                        : i % 2 == 0        ? 10.0
                                                            : 11 + 1e-3 * (i * 7919 % 600));
    std::vector<double> sorted = samples.withinSeconds;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(quantileOfSorted(sorted, 0.5), 10);
    const auto timeAbove = [&](double limit) {
        std::vector<double> above;
        for (const double x : samples.withinSeconds)
            above.push_back(x > limit ? 1 : 0);
        return correlationTime(above);
    };
    // Of 599 steps between 600 values: 569.05 and 593.01, that is beyond all but 30 and all but 6.
    const double p95 = sorted[569] + 0.05 * (sorted[570] - sorted[569]), p99 = sorted[593] + 0.01 * (sorted[594] - sorted[593]);
    const DistributionSummary s = summarizeWithin(samples);
    EXPECT_NEAR(s.p95, p95, 1e-9);
    EXPECT_NEAR(s.p99, p99, 1e-9);
    ASSERT_GT(timeAbove(p95), 1.5 * timeAbove(sorted[598]));
    ASSERT_GT(timeAbove(p99), 1.5);
    EXPECT_NEAR(s.ciP50, halfWidthOfQuantile(sorted, 0.5, timeAbove(10)), 1e-9);
    EXPECT_NEAR(s.ciP95, halfWidthOfQuantile(sorted, 0.95, timeAbove(p95)), 1e-9);
    EXPECT_NEAR(s.ciP99, halfWidthOfQuantile(sorted, 0.99, timeAbove(p99)), 1e-9);
}

TEST(EngineNumbersLong, ASizeThatDoesNotDivideIsOneReplica)
{
    Scenario s = jitteredJob();
    s.cluster.numGpus = 7;
    s.parallelism.tensorModelParallelSize = 8;
    ASSERT_EQ(s.dataParallelSize(), 0);
    EXPECT_EQ(evaluationSize(s, 3).replicas, 1);
    EXPECT_EQ(evaluationSize(s, 3).ranksOfCell, 7);
}

TEST(EngineNumbersLong, TheLargestSizeIsTheOneWithoutWhichTheSmallestRemains)
{
    const auto blamed = [](const EvaluationSize& size, double seconds) { return tooCostly(size, seconds).at(0).path; };
    // Seconds: one replica of 60, swept with its noise, leaves 36 / 27.8 / 60, one step of 100,000 leaves 3,302 of 128,301. In bytes the
    // steps weigh more.
    EXPECT_EQ(blamed({60, 1, 1, 1, 1, 100'000}, 0), "cluster.num_gpus");
    EXPECT_EQ(blamed({30, 1, 1, 1, 1, 100'000}, 0), "samples");
    // One replica of three leaves a third (two of three would leave two thirds), 1 step of 2,640 leaves one half.
    EXPECT_EQ(blamed({3, 1, 1, 1, 1, 2'640}, 0), "cluster.num_gpus");
    // Bytes: 2 million micro-batches take 0.8 GB, a million replicas 0.7 GB. In seconds the replicas weigh more.
    EXPECT_EQ(blamed({1e6, 1, 1, 2e6, 1, 10}, 1e30), "training.global_batch_size");
    // Just 1 GiB is not an excess of memory: what is reported is the time.
    const EvaluationSize full{.samples = (1024.0 * 1024 * 1024 - 80e6 - 1'100) / 160};
    EXPECT_EQ(tooCostly(full, 0.1).at(0).message, "One evaluation takes long.");
}

TEST(EngineNumbersLong, AnMfuJustAboveTheHighestPublishedOneIsNamed)
{
    Snapshot s;
    auto costed = std::make_shared<CostedStep>();
    costed->memory.fits = true;
    s.costed = costed;
    s.mfu = 0.564;
    ASSERT_EQ(verdictOf(s).caveats.size(), 1U);
    EXPECT_EQ(verdictOf(s).caveats[0].sentence, "An MFU of 56 % is above every published step that the model is checked on (56 %).");
    s.mfu = 0.563;
    EXPECT_TRUE(verdictOf(s).sound());
}

} // namespace
} // namespace prism
