// SPDX-License-Identifier: GPL-3.0-or-later
// Known answers for every composition rule. Random ones are compared within 5 standard errors of the sample, seed fixed.
#include "core/sim/simulate.h"

#include "core/sim/draw/draws.h"
#include "core/sim/graphs.h"
#include "core/stats/quantile.h"
#include "core/step/deterministicstep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace prism {
namespace {

using test::jobGraph;
using test::JobShape;

constexpr double kErrors = 5.0; ///< tolerance in standard errors: one false alarm in two million comparisons

struct Moments {
    double mean = 0, variance = 0, meanError = 0, varianceError = 0;
};

Moments momentsOf(const std::vector<double>& x)
{
    const auto n = static_cast<double>(x.size());
    Moments m;
    m.mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
    double m2 = 0, m4 = 0;
    for (const double v : x) {
        const double d = (v - m.mean) * (v - m.mean);
        m2 += d;
        m4 += d * d;
    }
    m.variance = m2 / n;
    m.meanError = std::sqrt(m.variance / n);
    m.varianceError = std::sqrt(std::max(0.0, m4 / n - m.variance * m.variance) / n);
    return m;
}

/// Mean and variance of the maximum of n independent draws: the integral of Q(u)^k over d(u^n).
Moments maximumOf(const Distribution& d, int n)
{
    const QuantileFunction q(d);
    Moments m;
    double second = 0;
    constexpr int kPieces = 200'000;
    for (int i = 0; i < kPieces; ++i) {
        const double v = (i + 0.5) / kPieces; // v = u^n is uniform
        const double u = std::pow(v, 1.0 / n);
        const double x = q.fromTails(u, -std::expm1(std::log(v) / n));
        m.mean += x / kPieces;
        second += x * x / kPieces;
    }
    m.variance = second - m.mean * m.mean;
    return m;
}

std::vector<double> across(const StepGraph& graph, int samples, std::uint64_t seed = 11)
{
    EXPECT_TRUE(check(graph).empty()) << check(graph)[0].path << ": " << check(graph)[0].message;
    SimOptions options;
    options.seed = seed;
    options.numSamples = samples;
    options.numWithinSamples = 1;
    return simulateReference(graph, options).acrossSeconds;
}

void expectMoments(const std::vector<double>& samples, double mean, double variance)
{
    const Moments m = momentsOf(samples);
    EXPECT_NEAR(m.mean, mean, kErrors * m.meanError);
    EXPECT_NEAR(m.variance, variance, kErrors * m.varianceError);
}

TEST(Reference, SerialWorkAdds)
{
    JobShape shape;
    shape.layers = 5;
    shape.compute = {Family::gamma, 0.3};
    // Per phase 5 layers x (0.6 + 0.4) / 5 seconds; backward twice as long.
    const double perLayer = (0.36 + 0.16) / 25 * 0.09;
    expectMoments(across(jobGraph(shape), 40'000), 3.0, 5 * perLayer * (1 + 4));
}

TEST(Reference, ACollectiveWaitsForTheSlowestRank)
{
    for (const Family family : {Family::lognormal, Family::gamma, Family::weibull, Family::normal}) {
        StepGraph g = jobGraph({.groupRanks = 8, .collectiveSeconds = 0.25, .compute = {family, 0.2}});
        g.programs[0].blocks[0].ops.erase(g.programs[0].blocks[0].ops.begin()); // one kernel of 0.4 s, then the collective
        g.programs[1].blocks.clear();
        const Moments largest = maximumOf(g.classes[0].temporal, 8);
        expectMoments(across(g, 40'000), 0.4 * largest.mean + 0.25, 0.16 * largest.variance);
    }
}

TEST(Reference, GroupsWaitOnlyForTheirOwnRanksUnlessTheCellSynchronises)
{
    // Two groups of one rank, two kernels with a free collective between them.
    const Distribution d{Family::gamma, 0.5};
    StepGraph g = jobGraph({.groups = 2, .compute = d});
    g.programs[0].blocks = {{1, {{0, 1.0}, {1, 0.0}, {0, 1.0}}}};
    g.programs[1].blocks.clear();
    // Sums of two gammas of shape k are gamma of shape 2k: mean 2, cv 0.5 / sqrt(2).
    const Moments ofSums = maximumOf({Family::gamma, 0.5 / std::sqrt(2.0)}, 2);
    expectMoments(across(g, 40'000), 2 * ofSums.mean, 4 * ofSums.variance);
    g.programs[0].blocks[0].ops[1].sync = Sync::cell;
    const Moments each = maximumOf(d, 2);
    expectMoments(across(g, 40'000), 2 * each.mean, 2 * each.variance);
}

TEST(Reference, PipelinesFollowTheClosedForms)
{
    // tF = 1, tB = 2; noise-free, so to rounding.
    for (const char* name : {"gpipe", "1f1b"}) {
        const StepGraph g = jobGraph({.schedule = name, .stages = 4, .microbatches = 12});
        EXPECT_NEAR(across(g, 1)[0], (4 - 1 + 12) * 3.0, 1e-9);
        EXPECT_NEAR(deterministicStepSeconds(g), (4 - 1 + 12) * 3.0, 1e-9);
    }
    const StepGraph i = jobGraph({.schedule = "interleaved", .stages = 4, .chunks = 2, .microbatches = 12, .forwardSeconds = 0.5});
    EXPECT_NEAR(across(i, 1)[0], (12 + 3 / 2.0) * 3.0, 1e-9);
    const StepGraph h1 = jobGraph({.schedule = "zb-h1", .stages = 4, .microbatches = 12}); // tF = tB = tW = 1
    EXPECT_NEAR(across(h1, 1)[0], 12 * 3.0 + 3, 1e-9);
    // zb-h2 has no bubble; the last stage starts (P - 1) forwards late and ends as much later.
    const StepGraph h2 = jobGraph({.schedule = "zb-h2", .stages = 4, .microbatches = 12});
    EXPECT_NEAR(across(h2, 1)[0], 12 * 3.0 + 3, 1e-9);
}

TEST(Reference, TransfersDelayTheNextStage)
{
    // One micro-batch: P forwards, P backwards, 2 (P - 1) transfers in a row.
    StepGraph g = jobGraph({.stages = 4, .microbatches = 1, .sendSeconds = 0.25});
    EXPECT_NEAR(across(g, 1)[0], 4 * 3.0 + 6 * 0.25, 1e-12);
    // gpipe on two stages without overlap: the first stage pays for each of its M transfers.
    g = jobGraph({.schedule = "gpipe", .stages = 2, .microbatches = 3, .sendSeconds = 0.25});
    EXPECT_NEAR(across(g, 1)[0], (2 - 1 + 3) * 3.0 + 2 * 0.25, 1e-12);
    g.transferOccupiesSender = true;
    // F: 3 x 1.25 then 1 on stage 1; B: 3 x 2.25 on stage 1, the last backward on stage 0.
    EXPECT_NEAR(across(g, 1)[0], 3 * 1.25 + 1 + 3 * 2.25 + 2, 1e-12);
    EXPECT_NEAR(deterministicStepSeconds(g), 3 * 1.25 + 1 + 3 * 2.25 + 2, 1e-12);
}

TEST(Reference, ReplicasWaitForTheSlowest)
{
    // One kernel per replica, so the synchronisation sees F^D.
    const Distribution d{Family::lognormal, 0.1};
    StepGraph g = jobGraph({.replicas = 16, .gradSyncSeconds = 0.5, .compute = d});
    g.programs[0].blocks = {{1, {{0, 1.0}}}};
    g.programs[1].blocks.clear();
    const Moments largest = maximumOf(d, 16);
    expectMoments(across(g, 40'000), largest.mean + 0.5, largest.variance);
}

TEST(Reference, ASynchronisationIsPartlyHiddenAndNeverBelowItsFloor)
{
    StepGraph g = jobGraph({.gradSyncSeconds = 0.5, .paramGatherSeconds = 0.5});
    g.gradSync[0].hiddenSeconds = 0.2;
    g.paramGather[0].hiddenSeconds = 2.0;
    g.paramGather[0].minExposedSeconds = 0.125;
    EXPECT_NEAR(across(g, 1)[0], 3.0 + 0.3 + 0.125, 1e-12);
    g = jobGraph({.collectiveSeconds = 0.5});
    g.programs[0].blocks[0].ops[2].hiddenSeconds = 0.4;
    g.programs[1].blocks[0].ops[2].hiddenSeconds = 0.9;
    EXPECT_NEAR(across(g, 1)[0], 3.0 + 0.1, 1e-12);
}

TEST(Reference, TheEmbeddingJoinsFirstAndLastStage)
{
    // Stage 0 ends last in 1f1b; the all-reduce follows it and the step ends there.
    JobShape shape{.stages = 3, .microbatches = 4, .gradSyncSeconds = 0.25, .embeddingSeconds = 0.5};
    const double pipeline = (3 - 1 + 4) * 3.0;
    EXPECT_NEAR(across(jobGraph(shape), 1)[0], pipeline + 0.5 + 0.25, 1e-12);
    // It makes the last stage wait: without the synchronisation the last stage would only matter through it.
    StepGraph g = jobGraph(shape);
    g.gradSync[0] = {};
    g.gradSync[1] = {};
    g.gradSync[2].meanSeconds = 1.0;
    EXPECT_NEAR(across(g, 1)[0], pipeline + 0.5 + 1.0, 1e-12);
    EXPECT_NEAR(deterministicStepSeconds(g), pipeline + 0.5 + 1.0, 1e-12);
}

TEST(Reference, TheNormJoinsAllStages)
{
    StepGraph g = jobGraph({.stages = 3, .microbatches = 4, .gradNormSeconds = 0.125});
    g.optimizer = {{}, {}, {3, 2.0}};
    EXPECT_NEAR(across(g, 1)[0], (3 - 1 + 4) * 3.0 + 0.125 + 2.0, 1e-12);
    g.gradNorm = {}; // no barrier: the last stage ends 2 x 2 s before the first one and then optimises for 2 s
    EXPECT_NEAR(across(g, 1)[0], (3 - 1 + 4) * 3.0, 1e-12);
}

TEST(Reference, TheOptimizerTakesTheSlowestRankOfEachCell)
{
    StepGraph g = jobGraph({.groupRanks = 4, .optimizerSeconds = 1.0});
    g.classes[3].temporal = {Family::gamma, 0.3};
    const Moments largest = maximumOf({Family::gamma, 0.3}, 4);
    expectMoments(across(g, 40'000), 3.0 + largest.mean, largest.variance);
}

/// Mean of the series across jobs.
double meanOf(const StepGraph& g, int samples)
{
    const std::vector<double> x = simulateReference(g, {.numSamples = samples, .numWithinSamples = -1}).acrossSeconds;
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

/// A factor that is 0.5 or 1.5.
Distribution coin()
{
    return empiricalDistribution({0.5, 1.5});
}

TEST(Reference, ParallelGroupsEndWithTheSlowest)
{
    StepGraph g = jobGraph({.gradSyncSeconds = 1.0, .inter = coin()});
    g.gradSync[0].groups = 3;
    // Work 3 s, then 0.5 s where all three are fast (1/8), else 1.5 s.
    EXPECT_NEAR(meanOf(g, 40'000), 3.0 + 0.5 / 8 + 1.5 * 7 / 8, 4 * std::sqrt(7.0 / 64 / 40'000));
    g.gradSync[0].hiddenSeconds = 1.0; // exposed 0 or 0.5
    EXPECT_NEAR(meanOf(g, 40'000), 3.0 + 0.5 * 7 / 8, 4 * 0.5 * std::sqrt(7.0 / 64 / 40'000));
}

TEST(Reference, BucketsFollowOneAnotherAndTheHiddenPartIsTheirs)
{
    StepGraph g = jobGraph({.gradSyncSeconds = 1.0, .inter = coin()});
    g.gradSync[0].buckets = 2;
    g.gradSync[0].hiddenSeconds = 1.0;
    g.gradSync[0].minExposedSeconds = 0.1;
    // The sum is 0.5, 1, 1.5 with 1/4, 1/2, 1/4: exposed max(0.1 E, E - 1) = 0.05, 0.1, 0.5.
    EXPECT_NEAR(meanOf(g, 40'000), 3.0 + 0.05 / 4 + 0.1 / 2 + 0.5 / 4, 4 * 0.18 / 200);
    // The larger of two such sums: 0.5 (1/16), 1 (1/2), 1.5 (7/16).
    g.gradSync[0].groups = 2;
    EXPECT_NEAR(meanOf(g, 40'000), 3.0 + 0.05 / 16 + 0.1 / 2 + 0.5 * 7 / 16, 4 * 0.2 / 200);
}

TEST(Reference, ATransferEndsWithItsSlowestSender)
{
    StepGraph g = jobGraph({.stages = 2, .sendSeconds = 1.0, .inter = coin()});
    g.sendForward[0].groups = 4;
    g.sendBackward[0].groups = 4;
    // F, send, F, B, send, B = 6 s and two sends.
    EXPECT_NEAR(meanOf(g, 40'000), 6.0 + 2 * (0.5 / 16 + 1.5 * 15 / 16), 4 * std::sqrt(2 * 15.0 / 256 / 40'000));
}

TEST(Reference, ReplicasInLockstepWaitInEveryLayer)
{
    // Four layers of 1 s per pass (backward 2 s); each replica has a data factor of 0.5 or 1.5 for its only micro-batch.
    JobShape shape{.replicas = 2, .layers = 4, .forwardSeconds = 4.0, .compute = coin()};
    StepGraph g = jobGraph(shape);
    for (Program& p : g.programs) { // one kernel per layer, after a gather of no length
        p.blocks[0].ops = {{2, 0.0, 0.0, Sync::replicas}, {0, p.name == "forward" ? 1.0 : 2.0}};
    }
    // The mean of the larger of two coins is 1.25, in each of the layers; alone each replica would have sums of eight coins.
    EXPECT_NEAR(meanOf(g, 20'000), 12 * 1.25, 4 * std::sqrt(4 * (1 + 4) * 3.0 / 16 / 20'000));
    g.lockstepReplicas = 1;
    EXPECT_LT(meanOf(g, 20'000), 14.6);
    // A data factor of a replica holds for all its layers: in lockstep the heavier one decides.
    g.lockstepReplicas = 2;
    g.classes[0].temporal = {};
    g.data = coin();
    EXPECT_NEAR(meanOf(g, 20'000), 12 * 1.25, 4 * 12 * std::sqrt(3.0 / 16 / 20'000));
}

TEST(Reference, EachGroupMayHaveItsOwnDataFactor)
{
    // Two groups with a barrier after a second of work: one factor for both, or the larger of two.
    StepGraph g = jobGraph({.groups = 2, .collectiveSeconds = 1.0});
    for (Program& p : g.programs)
        p.blocks[0].ops[2].sync = Sync::cell;
    g.data = coin();
    EXPECT_NEAR(meanOf(g, 20'000), 3.0 + 2.0, 4 * 3 * 0.5 / std::sqrt(20'000));
    g.dataScope = DataScope::group;
    EXPECT_NEAR(meanOf(g, 20'000), 3.0 * 1.25 + 2.0, 4 * 3 * std::sqrt(3.0 / 16 / 20'000));
}

TEST(Reference, ProductsOfALayerShareItsRouting)
{
    // Two layers; forward 2 x 0.5 s routed, backward 2 x 1 s routed, the rest is 0: 1.5 (I_1 + I_2).
    StepGraph g = jobGraph({.groupRanks = 2, .layers = 2, .forwardSeconds = 1.0});
    for (Program& p : g.programs) {
        for (Op& op : p.blocks[0].ops)
            op.routed = true;
        // The order of blocks and repetitions does not matter, only their count.
        if (p.name == "backward") {
            p.blocks.push_back(p.blocks[0]);
            p.blocks[0].repeat = p.blocks[1].repeat = 1;
        }
    }
    g.routing = coin();
    const std::vector<double> x = simulateReference(g, {.numSamples = 8000, .numWithinSamples = -1}).acrossSeconds;
    for (const double seconds : x)
        EXPECT_TRUE(std::abs(seconds - 1.5) < 1e-12 || std::abs(seconds - 3.0) < 1e-12 || std::abs(seconds - 4.5) < 1e-12) << seconds;
    EXPECT_NEAR(static_cast<double>(std::count_if(x.begin(), x.end(), [](double s) { return s > 4; })) / 8000, 0.25, 0.02);
}

TEST(Reference, ARegimeIsSharedByTheScope)
{
    // 3 collectives of 1 s (forward) and 3 (backward) per micro-batch, 2 micro-batches: 12 s fully correlated.
    StepGraph g = jobGraph({.microbatches = 2, .layers = 3, .collectiveSeconds = 1.0});
    g.intraRegime = {Family::lognormal, 0.2};
    expectMoments(across(g, 40'000), 6.0 + 12.0, 144 * 0.04);
    // The other scope's regime does not reach them.
    g.interRegime = g.intraRegime;
    g.intraRegime = {};
    EXPECT_EQ(momentsOf(across(g, 100)).variance, 0.0);
}

TEST(Reference, ARegimePersistsFromStepToStepWithinAJob)
{
    StepGraph g = jobGraph({.collectiveSeconds = 1.0});
    g.intraRegime = {Family::normal, 0.05};
    g.regimeLag1 = 0.5;
    SimOptions options;
    options.numSamples = 40'000;
    options.numWithinSamples = 40'000;
    const StepSamples s = simulateReference(g, options);
    const auto lag1 = [](const std::vector<double>& x) {
        const Moments m = momentsOf(x);
        double c = 0;
        for (std::size_t i = 1; i < x.size(); ++i)
            c += (x[i] - m.mean) * (x[i - 1] - m.mean);
        return c / static_cast<double>(x.size()) / m.variance;
    };
    // Standard error of a lag-1 correlation is at most 1 / sqrt(n).
    EXPECT_NEAR(lag1(s.withinSeconds), 0.5, kErrors / 200);
    EXPECT_NEAR(lag1(s.acrossSeconds), 0.0, kErrors / 200);
    EXPECT_NEAR(momentsOf(s.withinSeconds).variance, 4 * 0.0025, 0.05 * 4 * 0.0025);
}

TEST(Reference, RareEventsMultiplySingleInvocations)
{
    StepGraph g = jobGraph({.collectiveSeconds = 1.0});
    g.classes[1].temporal = {Family::deterministic, 0.0, 0.02, 6.0};
    const std::vector<double> x = across(g, 40'000);
    // Two invocations: 3 + 2, plus 5 for each rare one.
    const double p = 0.02;
    expectMoments(x, 5.0 + 2 * p * 5, 2 * p * (1 - p) * 25);
    const auto both = std::count_if(x.begin(), x.end(), [](double v) { return v > 14.5; });
    const double expected = 40'000 * p * p;
    EXPECT_NEAR(static_cast<double>(both), expected, kErrors * std::sqrt(expected));
}

TEST(Reference, AHeavyMicrobatchIsHeavyEverywhere)
{
    // gpipe with one micro-batch on 3 stages: all 9 s of compute carry the same factor; collectives do not.
    StepGraph g = jobGraph({.stages = 3, .collectiveSeconds = 0.5});
    g.data = {Family::lognormal, 0.3};
    expectMoments(across(g, 40'000), 9.0 + 3.0, 81 * 0.09);
    // Two micro-batches on one stage are independent.
    g = jobGraph({.microbatches = 2});
    g.data = {Family::lognormal, 0.3};
    expectMoments(across(g, 40'000), 6.0, 2 * 9 * 0.09);
}

TEST(Reference, SpatialFactorsBelongToTheJob)
{
    StepGraph g = jobGraph({.microbatches = 8});
    g.spatial = {Family::lognormal, 0.1};
    g.classes[0].spatialSensitivity = 0.5;
    // All 24 s of compute carry the factor 1 + (G - 1) / 2 of the job.
    const std::vector<double> x = across(g, 20'000);
    expectMoments(x, 24.0, 24.0 * 24.0 * 0.25 * 0.01);
    SimOptions options;
    options.numSamples = 400;
    options.numWithinSamples = 50;
    const StepSamples s = simulateReference(g, options);
    // Steps of a job do not vary, and the jobs are the nine in the middle of the first 101, in turn.
    std::vector<double> candidates(s.acrossSeconds.begin(), s.acrossSeconds.begin() + kMedianCandidates);
    std::sort(candidates.begin(), candidates.end());
    for (std::size_t i = 0; i < s.withinSeconds.size(); ++i)
        EXPECT_NEAR(s.withinSeconds[i], candidates[46 + i % 9], 1e-9);
    EXPECT_EQ(s.noiseFreeSeconds, 24.0);
}

TEST(Reference, SlowSpotsHoldTheirRanksAndLinks)
{
    StepGraph g = jobGraph({.stages = 2,
                            .microbatches = 1,
                            .replicas = 3,
                            .groupRanks = 2,
                            .collectiveSeconds = 0.5,
                            .sendSeconds = 0.25,
                            .gradSyncSeconds = 1.0});
    const double base = across(g, 1)[0];
    EXPECT_NEAR(base, 6.0 + 4 * 0.5 + 2 * 0.25 + 1.0, 1e-12);
    g.slow = {{1, 0, 1, 2.0, 1.0}}; // rank 1 of stage 0 computes at half speed: forward 1 and backward 2 s more
    EXPECT_NEAR(across(g, 1)[0], base + 3.0, 1e-12);
    EXPECT_NEAR(deterministicStepSeconds(g), base + 3.0, 1e-12);
    g.slow = {{2, 1, 0, 1.0, 3.0}}; // both transfers of that replica and the synchronisation of stage 1 take three times as long
    EXPECT_NEAR(across(g, 1)[0], base + 2 * 0.5, 1e-12); // stage 0 ends last as before: 0.5 s in the two transfers each
    g.gradSync[0] = {};
    g.gradSync[1].meanSeconds = 2.0; // now stage 1 ends last: F, send, F, B with their collectives, then 3 x 2 s
    EXPECT_NEAR(across(g, 1)[0], 1.5 + 0.75 + 1.5 + 2.5 + 6.0, 1e-12);
    EXPECT_NEAR(deterministicStepSeconds(g), 12.25, 1e-12);
    // A class that does not feel the GPU does not feel the spot.
    g = jobGraph({});
    g.slow = {{-1, -1, -1, 2.0, 1.0}};
    g.classes[0].spatialSensitivity = 0.0;
    EXPECT_NEAR(across(g, 1)[0], 3.0, 1e-12);
}

TEST(Reference, MeasuredSpeedsReplaceTheDraw)
{
    StepGraph g = jobGraph({.stages = 2, .replicas = 2, .groupRanks = 2});
    g.spatial = {Family::lognormal, 0.3};
    g.fixedSpatial = {1, 1, 1, 1.5, 1, 1, 1, 1};
    const std::vector<double> x = across(g, 3);
    EXPECT_NEAR(x[0], 3.0 + 4.5, 1e-12);
    EXPECT_EQ(x[0], x[2]);
    EXPECT_NEAR(deterministicStepSeconds(g), 7.5, 1e-12);
}

TEST(Reference, SameBitsOnAnyNumberOfThreads)
{
    StepGraph g = jobGraph({.schedule = "zb-v",
                            .stages = 2,
                            .chunks = 2,
                            .microbatches = 4,
                            .replicas = 2,
                            .groupRanks = 2,
                            .layers = 2,
                            .collectiveSeconds = 0.1,
                            .sendSeconds = 0.1,
                            .gradSyncSeconds = 0.2,
                            .compute = {Family::weibull, 0.1},
                            .intra = {Family::gamma, 0.1, 0.01, 3}});
    g.spatial = {Family::normal, 0.05};
    g.data = {Family::lognormal, 0.2};
    SimOptions options;
    options.numSamples = 200;
    options.numThreads = 1;
    const StepSamples one = simulateReference(g, options);
    for (const int threads : {2, 4}) {
        options.numThreads = threads;
        const StepSamples more = simulateReference(g, options);
        EXPECT_EQ(one.acrossSeconds, more.acrossSeconds);
        EXPECT_EQ(one.withinSeconds, more.withinSeconds);
    }
    EXPECT_TRUE(one.complete);
    EXPECT_EQ(one.withinSeconds.size(), 50U);
    EXPECT_EQ(one.nodeSamples, 250U * 2 * 2 * 2 * 4 * 3);
}

TEST(Reference, RefusesWhatItCannotFinishAndStopsWhenRequested)
{
    StepGraph g = jobGraph({.stages = 64, .microbatches = 1024, .replicas = 64, .groupRanks = 8, .layers = 100});
    const StepSamples refused = simulateReference(g, {});
    EXPECT_FALSE(refused.complete);
    ASSERT_EQ(refused.warnings.size(), 1U);
    std::stop_source source;
    source.request_stop();
    SimOptions options;
    options.stop = source.get_token();
    options.numSamples = 3; // and none within a job
    const StepSamples stopped = simulateReference(jobGraph({}), options);
    EXPECT_FALSE(stopped.complete);
    EXPECT_TRUE(stopped.acrossSeconds.empty());
}

} // namespace
} // namespace prism
