// SPDX-License-Identifier: GPL-3.0-or-later
// Effect of a variation of an input on a graph, and the seconds of each class on the busiest stage, by hand.
#include "core/insight/variation.h"

#include "core/insight/sensitivity/sensitivity.h"
#include "core/sim/graphs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

/// Three stages, four micro-batches; forward 1 s and backward 2 s of class 0; every other op takes another power of ten.
StepGraph threeStages()
{
    StepGraph g = test::jobGraph({.stages = 3,
                                  .microbatches = 4,
                                  .sendSeconds = 0.1,
                                  .gradSyncSeconds = 0.01,
                                  .optimizerSeconds = 0.5,
                                  .paramGatherSeconds = 0.001,
                                  .gradNormSeconds = 1e-4,
                                  .embeddingSeconds = 1e-5});
    g.sendBackward[0].meanSeconds = 0.2;  // sent by stage 1
    g.sendBackward[1].meanSeconds = 0.25; // sent by stage 2
    return g;
}

const SensitivityRow& rowOf(const SensitivityTable& table, std::string_view id)
{
    for (const SensitivityRow& r : table.rows)
        if (r.id == id)
            return r;
    ADD_FAILURE() << id;
    return table.rows.front();
}

} // namespace

TEST(Variation, BusySecondsAreThoseOfTheBusiestStage)
{
    const StepGraph g = threeStages();
    const std::vector<double> busy = busySecondsByClass(g);
    EXPECT_NEAR(busy[0], 4 * (1 + 2), 1e-12);
    EXPECT_NEAR(busy[1], 0, 1e-12);
    // Stage 1 sends 0.1 forward and 0.2 back, stage 2 only 0.3 back, each four times; embeddings belong to the ends.
    EXPECT_NEAR(busy[2], 4 * (0.1 + 0.2) + 0.01 + 0.001 + 1e-4, 1e-12) << "stage 1 has no embedding";
    EXPECT_NEAR(busy[3], 0.5, 1e-12);
    StepGraph last = g;
    last.sendBackward[1].meanSeconds = 0.4; // now stage 2 is the busiest
    EXPECT_NEAR(busySecondsByClass(last)[2], 4 * 0.4 + 0.01 + 0.001 + 1e-4 + 1e-5, 1e-12);
    last.programs[1].blocks[0].repeat = 3; // backward 6 s
    EXPECT_NEAR(busySecondsByClass(last)[0], 4 * (1 + 6), 1e-12);
}

TEST(Variation, TheMeanOfAClassIsScaledWhereverItIsUsed)
{
    StepGraph g = threeStages(), scaled = g;
    g.gradSync[1].minExposedSeconds = scaled.gradSync[1].minExposedSeconds = 0.004;
    scaleClassMean(scaled, 2, 1.5);
    EXPECT_EQ(scaled.programs, g.programs);
    EXPECT_EQ(scaled.optimizer, g.optimizer);
    const auto expect = [](const StepOp& now, const StepOp& before) { EXPECT_NEAR(now.meanSeconds, 1.5 * before.meanSeconds, 1e-15); };
    for (const auto list : {&StepGraph::sendForward, &StepGraph::sendBackward, &StepGraph::gradSync, &StepGraph::paramGather})
        for (std::size_t i = 0; i < (g.*list).size(); ++i)
            expect((scaled.*list)[i], (g.*list)[i]);
    expect(scaled.embeddingAllReduce, g.embeddingAllReduce);
    expect(scaled.gradNorm, g.gradNorm);
    EXPECT_NEAR(scaled.gradSync[1].minExposedSeconds, 0.006, 1e-15);
    scaled = g;
    scaleClassMean(scaled, 0, 0.5);
    EXPECT_NEAR(scaled.programs[1].blocks[0].ops[0].meanSeconds, 0.6, 1e-12);
    EXPECT_EQ(scaled.gradNorm, g.gradNorm);
}

TEST(Variation, SpreadScalesTheCvAndTheProbabilityOfRareEvents)
{
    Distribution d{Family::lognormal, 0.2};
    d.rareProbability = 0.3;
    d.rareMultiplier = 5;
    const Distribution twice = scaledSpread(d, 2), same = scaledSpread(d, 1);
    EXPECT_NEAR(twice.cv, 0.4, 1e-15);
    EXPECT_EQ(twice.rareProbability, 0.5) << "at most a half";
    EXPECT_NEAR(scaledSpread(d, 0.5).rareProbability, 0.15, 1e-15);
    EXPECT_EQ(twice.rareMultiplier, 5);
    EXPECT_EQ(same, d);
    EXPECT_EQ(scaledSpread(d, 0), Distribution{});
    EXPECT_EQ(scaledSpread({}, 2), Distribution{});
    Distribution pool = empiricalDistribution({0.8, 0.9, 1.0, 1.1, 1.2, 1.9});
    pool.rareProbability = 0.1;
    pool.rareMultiplier = 3;
    EXPECT_NEAR(scaledSpread(pool, 2).rareProbability, 0.2, 1e-15);
    EXPECT_EQ(scaledSpread(pool, 2).rareMultiplier, 3);
    // Powers spread a pool at most 64 times: the cv of {a, b}^64 over its mean tends to 1.
    const Distribution pair = scaledSpread(empiricalDistribution({0.9, 1.1}), 5);
    EXPECT_NEAR(std::sqrt(pair.baseVariance()), 0.5, 1e-9);
}

TEST(Variation, WithoutSpreadNothingVaries)
{
    StepGraph g = threeStages();
    const Distribution d{Family::lognormal, 0.2};
    g.spatial = g.data = g.routing = g.intraRegime = g.interRegime = g.computeRegime = g.routingRegime = d;
    g.classes[0].temporal = d;
    g.delays.jitterSeconds = g.delays.stallsPerGpuHour = 1;
    const StepGraph noiseFree = withoutSpread(g);
    for (const Distribution& one : {noiseFree.spatial, noiseFree.data, noiseFree.routing, noiseFree.intraRegime, noiseFree.interRegime,
                                    noiseFree.computeRegime, noiseFree.routingRegime, noiseFree.classes[0].temporal})
        EXPECT_TRUE(one.isDeterministic());
    EXPECT_EQ(noiseFree.delays, StepDelays{});
}

TEST(Sensitivity, RowsNameTheSecondsAndTheSpreadOfTheirInput)
{
    StepGraph g = threeStages();
    g.classes[0].temporal = {Family::lognormal, 0.2};
    g.classes[0].temporal.rareProbability = 0.01;
    g.classes[0].temporal.rareMultiplier = 4;
    g.computeRegime = {Family::lognormal, 0.03};
    g.delays.jitterSeconds = 0.16;
    g.delays.stallsPerGpuHour = 60;
    g.delays.stallMeanSeconds = 0.1;
    g.delays.stallCv = 0.7;
    g.slow = {{0, 1, -1, 1.25, 1.5}};
    Evaluator evaluator;
    const auto table = sensitivity(evaluator, g, {.samples = 40});
    ASSERT_TRUE(table.ok());
    EXPECT_NEAR(rowOf(*table, "gemm").busySeconds, 12, 1e-12);
    EXPECT_NEAR(rowOf(*table, "gemm").cv, 0.2, 1e-12);
    EXPECT_EQ(rowOf(*table, "gemm").rareProbability, 0.01);
    EXPECT_EQ(rowOf(*table, "gemm").rareMultiplier, 4);
    EXPECT_TRUE(rowOf(*table, "gemm").varies);
    EXPECT_FALSE(rowOf(*table, "dp.reduce_scatter").varies);
    EXPECT_EQ(rowOf(*table, "dp.reduce_scatter").cv, 0);
    EXPECT_NEAR(rowOf(*table, "regime.inter_node").busySeconds, 4 * 0.3 + 0.01 + 0.001 + 1e-4, 1e-12);
    EXPECT_NEAR(rowOf(*table, "regime.compute").cv, 0.03, 1e-12);
    EXPECT_TRUE(rowOf(*table, "regime.compute").varies);
    EXPECT_NEAR(rowOf(*table, "step_jitter").cv, 0.16 / table->noiseFreeSeconds, 1e-6); // over the noise-free step
    EXPECT_EQ(rowOf(*table, "stalls").cv, 0.7);
    EXPECT_EQ(rowOf(*table, "slow_places").cv, 0.5); // the link is the slowest part
    EXPECT_TRUE(rowOf(*table, "slow_places").varies && rowOf(*table, "step_jitter").varies && rowOf(*table, "stalls").varies);
    for (const SensitivityRow& r : table->rows) {
        EXPECT_NE(r.id, "routing");
        EXPECT_NE(r.id, "tp.all_reduce") << "takes no time";
        EXPECT_NE(r.id, "regime.intra_node") << "no time inside nodes";
        EXPECT_EQ(r.samples, 40);
    }
    // The base, four spreads of each of gemm, optimizer (no: deterministic), regime, jitter, stalls and slow places, two means of three
    // classes and one scope.
    int variations = 1;
    for (const SensitivityRow& r : table->rows)
        variations += (r.varies ? 4 : 0) + (r.hasMean ? 2 : 0);
    EXPECT_EQ(table->evaluations, variations);
    EXPECT_EQ(variations, 1 + 4 * 5 + 2 * 4);
    EXPECT_EQ(table->limitSeconds, table->base.p95);
}

TEST(Sensitivity, DelaysAreRemovedHalvedAndDoubledOneByOne)
{
    // One kernel of 1 + 2 s; 600 stalls of 0.5 s per GPU hour make 600 / 3600 x 3 x 0.5 = 0.25 s of the mean step.
    StepGraph g = test::jobGraph({.forwardSeconds = 1.0});
    g.delays.jitterSeconds = 0.2;
    g.delays.stallsPerGpuHour = 600;
    g.delays.stallMeanSeconds = 0.5;
    Evaluator evaluator;
    const auto table = sensitivity(evaluator, g, {.samples = 2'000});
    ASSERT_TRUE(table.ok());
    const SensitivityRow &jitter = rowOf(*table, "step_jitter"), &stalls = rowOf(*table, "stalls");
    EXPECT_NEAR(stalls.spreadRemoved.mean.value, -0.25, 0.04);
    EXPECT_NEAR(stalls.spreadHalved.mean.value, -0.125, 0.03);
    EXPECT_NEAR(stalls.spreadDoubled.mean.value, 0.25, 0.04);
    EXPECT_NEAR(jitter.spreadRemoved.mean.value, 0, 0.02);
    // Variances: jitter 0.04; stalls of 0.5 s each, 0.5 per step on average: 0.5 x 0.25 = 0.125. They add.
    EXPECT_NEAR(jitter.firstOrderShare.value, 0.04 / 0.165, 0.05);
    EXPECT_NEAR(stalls.firstOrderShare.value, 0.125 / 0.165, 0.05);
    EXPECT_NEAR(jitter.totalEffectShare.value, 0.04 / 0.165, 0.05);
    EXPECT_NEAR(table->interactionShare.value, 1 - jitter.firstOrderShare.value - stalls.firstOrderShare.value, 1e-12);
    EXPECT_NEAR(table->interactionShare.halfWidth, std::hypot(jitter.firstOrderShare.halfWidth, stalls.firstOrderShare.halfWidth), 1e-12);
}

TEST(Sensitivity, OnlyRowsThatAreNotYetKnownDrawAllSteps)
{
    // Nothing varies: half of the steps, at least 500, suffice.
    Evaluator evaluator;
    const StepGraph noiseFree = test::jobGraph({.forwardSeconds = 1.0});
    const auto samplesOf = [&](const StepGraph& g, int samples) {
        const auto table = sensitivity(evaluator, g, {.samples = samples});
        EXPECT_EQ(table->samples, samples);
        EXPECT_EQ(table->base.samples, static_cast<std::size_t>(samples));
        return rowOf(*table, "gemm").samples;
    };
    EXPECT_EQ(samplesOf(noiseFree, 400), 400);
    EXPECT_EQ(samplesOf(noiseFree, 600), 500);
    EXPECT_EQ(samplesOf(noiseFree, 1'200), 600);
    EXPECT_EQ(samplesOf(test::jobGraph({.compute = {Family::lognormal, 0.3}}), 1'200), 1'200);
}

TEST(Sensitivity, ASlowLinkIsRepairedLikeSlowCompute)
{
    StepGraph g = test::jobGraph({.stages = 2, .microbatches = 1, .gradSyncSeconds = 1.0});
    g.slow = {{-1, -1, -1, 1.5, 1.2}}; // compute 6 s becomes 9, the collective 1 s becomes 1.2
    Evaluator evaluator;
    const auto table = sensitivity(evaluator, g, {.samples = 10});
    ASSERT_TRUE(table.ok());
    const SensitivityRow& slow = rowOf(*table, "slow_places");
    EXPECT_NEAR(table->base.mean, 10.2, 1e-5);
    EXPECT_NEAR(slow.spreadRemoved.mean.value, -3.2, 1e-5);
    EXPECT_NEAR(slow.spreadHalved.mean.value, -1.6, 1e-5);
    EXPECT_NEAR(slow.spreadDoubled.p50.value, 3.2, 1e-5);
    EXPECT_NEAR(rowOf(*table, "gemm").meanUp.p50.value, 0.9, 1e-5);
    EXPECT_NEAR(rowOf(*table, "gemm").meanDown.p99.value, -0.9, 1e-5);
    EXPECT_NEAR(rowOf(*table, "regime.inter_node").meanUp.mean.value, 0.12, 1e-5);
    EXPECT_NEAR(rowOf(*table, "gemm").elasticityP95.value, std::log(11.1 / 9.3) / std::log(1.1 / 0.9), 1e-5);
    EXPECT_NEAR(rowOf(*table, "gemm").elasticityP50.value, std::log(11.1 / 9.3) / std::log(1.1 / 0.9), 1e-5);
    EXPECT_FALSE(rowOf(*table, "gemm").nonMonotonic);
}

} // namespace prism
