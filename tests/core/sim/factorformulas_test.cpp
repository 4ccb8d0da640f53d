// SPDX-License-Identifier: GPL-3.0-or-later
// Draws, pass shapes and plans of small jobs against the formulas of their headers, computed independently.
#include "core/sim/graphs.h"
#include "core/sim/draw/draws.h"
#include "core/sim/lanes/lanes.h"
#include "core/sim/passes/flatprogram.h"
#include "core/sim/passes/jobunits.h"
#include "core/sim/passes/passlengths.h"
#include "core/sim/passes/passtable.h"
#include "core/sim/passes/speeds.h"
#include "core/sim/record/passcauses.h"
#include "core/sim/sweep/plan.h"
#include "core/sim/sweep/sweepmodel.h"
#include "core/sim/sweep/stepsweeper.h"
#include "core/stats/normal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism::test {
namespace {

TEST(RegimeSeries, FollowsTheCopulaAndItsRareEventsHaveTheirOwnStream)
{
    StepGraph g = jobGraph({});
    g.interRegime = {Family::lognormal, 0.3};
    g.interRegime.rareProbability = 0.3;
    g.interRegime.rareMultiplier = 2.0;
    g.regimeLag1 = 0.6;
    const FactorSampler sampler(g.interRegime);
    constexpr std::uint64_t kSeed = 5, kScope = 2; // inter-node
    for (const auto run : {prism::Run::across, prism::Run::within}) {
        const std::vector<RegimeFactors> steps = regimeSeries(g, kSeed, run, 0, 40);
        ASSERT_EQ(steps.size(), 40U);
        const auto r = static_cast<std::uint64_t>(run);
        double z = 0.0;
        for (std::uint64_t t = 0; t < steps.size(); ++t) {
            const double u = uniform(kSeed, purposeStream(Purpose::regime, r, kScope), t), fresh = normalQuantile(u);
            z = t == 0 ? fresh : 0.6 * z + 0.8 * fresh; // sqrt(1 - 0.36)
            const double rank = run == prism::Run::within ? normalCdf(z) : u;
            EXPECT_NEAR(steps[t].inter, sampler.draw(rank, uniform(kSeed, purposeStream(Purpose::regimeRare, r, kScope), t)), 1e-9) << t;
        }
    }
}

TEST(NodeShare, AScoreMixesTheDrawsOfNodeAndRankAndItsTopIsRare)
{
    JobShape shape;
    shape.groupRanks = 4;
    StepGraph g = jobGraph(shape);
    g.spatial = {Family::lognormal, 0.05};
    g.spatial.rareProbability = 0.3;
    g.spatial.rareMultiplier = 1.5;
    g.spatialNodeShare = 0.36;
    g.nodeRanks = 2;
    const SpatialFactors spatial(g);
    const FactorSampler sampler(g.spatial);
    constexpr std::uint64_t kSeed = 1, kReplica = 3, kStage = 2;
    int rare = 0;
    for (std::uint64_t job = 0; job < 10; ++job)
        for (std::uint64_t rank = 0; rank < 4; ++rank) {
            const double node = normalQuantile(uniform(kSeed, purposeStream(Purpose::spatialNode, kReplica, kStage, rank / 2), job)),
                         own = normalQuantile(uniform(kSeed, purposeStream(Purpose::spatial, kReplica, kStage, rank), job));
            const double below = normalCdf(0.6 * node + 0.8 * own); // sqrt(0.36), sqrt(0.64)
            rare += below > 0.7 ? 1 : 0;
            const double expected = below > 0.7 ? 1.5 * sampler.base((below - 0.7) / 0.3) : sampler.base(below / 0.7);
            EXPECT_NEAR(spatial(kSeed, job, kReplica, kStage, rank), expected, 1e-9) << job << ' ' << rank;
        }
    EXPECT_GT(rare, 3);
    EXPECT_LT(rare, 30);
}

std::uint32_t wordOfProbability(double u) // above the median a draw counts from its tail
{
    return u < 0.5 ? static_cast<std::uint32_t>(u * 0x1.0p32) : 0x80000000U + static_cast<std::uint32_t>((1.0 - u) * 0x1.0p32);
}

TEST(QuantileTable, StepsAscendOnBothSidesOfTheMedian)
{
    // Four equally likely values with mean 1: 0.4, 0.8, 1.2, 1.6.
    const QuantileTable table = drawTable(empiricalDistribution({1.0, 2.0, 3.0, 4.0})).body;
    ASSERT_FALSE(table.steps.empty());
    for (const auto& [u, value] : {std::pair{0.1, 0.4}, {0.4, 0.8}, {0.6, 1.2}, {0.9, 1.6}})
        EXPECT_NEAR(table.at(wordOfProbability(u)), value, 1e-3) << u;
}

TEST(DrawTable, SeveralDrawsOfAGroupMayBeRare)
{
    // K of 4 buckets take 3 instead of 1, each with probability 0.08. E[K given K >= 1] = 0.32 / (1 - 0.92^4) = 1.1283; their mean takes
    // 1 + 2 K / 4 of a bucket. With K = 1 alone it would be 1.5.
    Distribution d{Family::deterministic, 0.0};
    d.rareProbability = 0.08;
    d.rareMultiplier = 3.0;
    const DrawTable table = slowestMeanTable(d, 1, 4);
    ASSERT_GT(table.rareBelow, 0U);
    EXPECT_NEAR(table.rare.mean, 1.0 + 1.1283 / 2.0, 0.02); // 2,048 values: standard error 0.004
    d.rareMultiplier = 0.5;                                 // 1 - K / 8
    EXPECT_NEAR(slowestMeanTable(d, 1, 4).rare.mean, 1.0 - 1.1283 / 8.0, 0.005);
}

/// Sharpness for a spread that is a share of the pass: 1.35 over it, in quarter-octave steps of its square.
float sharpness(double spread)
{
    return static_cast<float>(std::exp2(std::round(2.0 * std::log2(1.35 / spread)) / 2.0));
}

Segment segmentOf(float seconds, Barrier barrier, double collectiveSeconds)
{
    Segment out;
    if (seconds > 0.0F)
        out.kernels.push_back({0, {seconds}, {-1}});
    out.barrier = barrier;
    out.collective = collectiveSeconds > 0.0 ? 1 : -1;
    out.meanSeconds = collectiveSeconds;
    return out;
}

StepGraph noisyGraph(int groupRanks, int groups)
{
    JobShape shape;
    shape.groupRanks = groupRanks;
    shape.groups = groups;
    shape.compute = {Family::lognormal, 0.12};
    shape.intra = {Family::lognormal, 0.2};
    return jobGraph(shape);
}

TEST(PassShape, SpreadsAddUpBetweenBarriersOfEachLevel)
{
    // Kernel variances of the segments: 0.0144, 0.0576, 0.0144; noise of the collectives: (5 x 0.2)^2 = 1. A maximum leaves 0.6.
    const FlatProgram program{{segmentOf(1, Barrier::group, 5.0), segmentOf(2, Barrier::cell, 5.0), segmentOf(1, Barrier::none, 0.0)}, 0};
    const PassShape shape = passShape(noisyGraph(2, 2), program, 2);
    EXPECT_DOUBLE_EQ(shape.fixedSeconds, 4.0);
    EXPECT_EQ(shape.rankBeta, sharpness((0.12 + 0.24 + 0.12) / 4));
    // Groups wait at the cell's barrier: 0.6 x 0.0144 + 1 + 0.6 x 0.0576 = 1.0432; and at the end: 0.6 x 0.0144.
    EXPECT_EQ(shape.groupBeta, sharpness((std::sqrt(1.0432) + std::sqrt(0.00864)) / 4));
    // Members wait at the end alone: 0.6 x 1.0432 + 1 + 0.6 x 0.00864.
    EXPECT_EQ(shape.memberBeta, sharpness(std::sqrt(1.631104) / 4));
}

TEST(PassShape, ASingleGroupLeavesItsWholeVariance)
{
    const FlatProgram program{{segmentOf(1, Barrier::group, 0.0), segmentOf(0, Barrier::none, 0.0)}, 0};
    const PassShape shape = passShape(noisyGraph(1, 1), program, 2);
    EXPECT_EQ(shape.groupBeta, sharpness(0.12));
    EXPECT_EQ(shape.memberBeta, sharpness(0.12));
}

TEST(JobUnits, KeepTheFactorsOfSlowRanksHoweverSmall)
{
    JobShape shape;
    shape.replicas = 3;
    shape.groupRanks = 2;
    StepGraph g = jobGraph(shape);
    SlowSpot slow;
    slow.replica = 1;
    slow.computeFactor = 1.05;
    g.slow = {slow};
    const JobUnits job = jobUnits(g);
    ASSERT_EQ(job.kinds.size(), 2U);
    EXPECT_TRUE(job.kinds[0].speed.empty()) << "every rank at its mean";
    EXPECT_EQ(job.kinds[1].speed, (std::vector<float>{1.05F, 1.05F}));
    EXPECT_EQ(job.link, 1.0F);
}

TEST(PassTable, StretchIsTheRatioOfSpreadsUnderRegimes)
{
    // Variances: compute 0.04, collectives 0.05 within nodes and 0.07 between. Three times slower compute: 0.36 + 0.05 + 0.07 = 3 x 0.16.
    PassTable table;
    table.computeSeconds = 2.0;
    table.residualVariance = 0.04;
    constexpr std::size_t kFactors = 81;
    table.exposedVariance = {std::vector<double>(kFactors, 0.05), std::vector<double>(kFactors, 0.07)};
    RegimeFactors slow;
    slow.compute = 3.0;
    EXPECT_NEAR(table.stretch(slow), std::sqrt(3.0), 1e-9);
    EXPECT_NEAR(table.stretch({}), 1.0, 1e-9);
}

TEST(PassTable, CollectivesOfOneKindAddTheirMeansAndVariances)
{
    // Two collectives of 0.5 s. Factor: cv 0.1, three times as long with probability 0.2: mean 0.8 + 0.6 = 1.4, second moment
    // 1.01 (0.8 + 9 x 0.2) = 2.626.
    JobShape jobShape;
    jobShape.intra = {Family::lognormal, 0.1};
    jobShape.intra.rareProbability = 0.2;
    jobShape.intra.rareMultiplier = 3.0;
    const StepGraph g = jobGraph(jobShape);
    const FlatProgram program{{segmentOf(1, Barrier::unit, 0.5), segmentOf(1, Barrier::unit, 0.5)}, 0};
    const JobUnits job = jobUnits(g);
    const Speeds speeds(g, job);
    std::vector<DrawTable> temporal;
    for (const KernelClass& k : g.classes)
        temporal.push_back(drawTable(k.temporal));
    const DrawTable none;
    const PassTable table = passTable({g, job, speeds, temporal, none, none}, program, passShape(g, program, 1), 0, 1e3, {});
    EXPECT_NEAR(table.exposedSeconds({}), 2 * 0.5 * 1.4, 0.001);
    ASSERT_EQ(table.exposedVariance[0].size(), 81U);
    EXPECT_NEAR(table.exposedVariance[0][30], 2 * 0.25 * (2.626 - 1.4 * 1.4), 0.002); // at a factor of 1
    EXPECT_TRUE(table.exposedVariance[1].empty());
}

TEST(TableError, PassesInSequenceAddTheirErrorsInQuadrature)
{
    // One micro-batch through 40 stages runs 80 different passes in sequence: the step follows each by its own seconds.
    JobShape shape;
    shape.schedule = "gpipe";
    shape.stages = 40;
    shape.groupRanks = 4;
    shape.collectiveSeconds = 0.01;
    shape.compute = {Family::lognormal, 0.2};
    StepGraph g = jobGraph(shape);
    const std::vector<Program> base = g.programs;
    g.programs.clear();
    for (std::size_t s = 0; s < 40; ++s) {
        for (Program p : base) {
            p.blocks[0].ops[0].meanSeconds *= 1.0 + 0.01 * static_cast<double>(s);
            g.programs.push_back(std::move(p));
        }
        const int first = static_cast<int>(2 * s);
        g.programOf[s] = {{first, first + 1, -1}};
    }
    Memo memo(std::size_t{1} << 26);
    Recall recall(memo);
    const std::shared_ptr<const SweepModel> model = sweepModel(g, 1, 1e5, recall, {});
    ASSERT_EQ(model->passes.size(), 80U);
    double square = 0.0;
    for (const auto& pass : model->passes)
        square += pass->stdErr * pass->stdErr;
    ASSERT_GT(square, 0.0);
    EXPECT_NEAR(tableError(*model, 1, {}) / std::sqrt(square), 1.0, 0.01);
}

TEST(SweepModel, TablesThatAreKeptAreThoseOfTheSameBarriersAndSpeeds)
{
    JobShape shape;
    shape.groupRanks = 4;
    shape.groups = 4;
    shape.layers = 3;
    shape.collectiveSeconds = 0.01;
    shape.compute = {Family::lognormal, 0.2};
    const StepGraph plain = jobGraph(shape);
    StepGraph cells = plain, slow = plain;
    for (Program& p : cells.programs)
        p.blocks[0].ops[2].sync = Sync::cell;
    SlowSpot spot;
    spot.rank = 0;
    spot.computeFactor = 1.5;
    slow.slow = {spot};
    Memo shared(std::size_t{1} << 26);
    for (const StepGraph* g : std::initializer_list<const StepGraph*>{&plain, &cells, &slow}) {
        Memo fresh(std::size_t{1} << 26);
        Recall before(shared), alone(fresh);
        const auto kept = sweepModel(*g, 1, 1e5, before, {}), made = sweepModel(*g, 1, 1e5, alone, {});
        ASSERT_EQ(kept->passes.size(), made->passes.size());
        for (std::size_t p = 0; p < made->passes.size(); ++p) {
            EXPECT_EQ(kept->passes[p]->computeSeconds, made->passes[p]->computeSeconds) << p;
            EXPECT_EQ(kept->passes[p]->residualVariance, made->passes[p]->residualVariance) << p;
        }
    }
}

double causeOf(const CauseSeconds& seconds, Cause cause)
{
    return seconds[static_cast<std::size_t>(cause)];
}

TEST(CommunicationCauses, OnlyLinksBetweenNodesAreSlow)
{
    // 1 s of which 0.2 s are hidden; regimes 1.5; a link that is twice as slow makes 2 s of a message between nodes, 3 s with the regime.
    StepGraph g = jobGraph({});
    RegimeFactors regimes;
    regimes.intra = regimes.inter = 1.5;
    StepOp op{1, 1.0, 0.2};
    const CauseSeconds within = communicationCauses(g, op, 2.0, regimes, 1.3, 0.0);
    EXPECT_NEAR(causeOf(within, Cause::communicationMean), 0.8, 1e-12);
    EXPECT_NEAR(causeOf(within, Cause::slowSpot), 0.0, 1e-12);
    EXPECT_NEAR(causeOf(within, Cause::regime), 0.5, 1e-12);
    op.kernelClass = 2;
    const CauseSeconds between = communicationCauses(g, op, 2.0, regimes, 2.8, 0.0);
    EXPECT_NEAR(causeOf(between, Cause::communicationMean), 0.8, 1e-12);
    EXPECT_NEAR(causeOf(between, Cause::slowSpot), 1.0, 1e-12);
    EXPECT_NEAR(causeOf(between, Cause::regime), 1.0, 1e-12);
}

TEST(Plan, EveryChunkOfAStageRunsEveryMicrobatch)
{
    JobShape shape;
    shape.schedule = "interleaved";
    shape.stages = 2;
    shape.chunks = 2;
    shape.microbatches = 4;
    const Plan plan = makePlan(jobGraph(shape));
    // 4 micro-batches, forward and backward, in each of the two chunks of both stages.
    std::vector<int> passes(4, 0);
    for (const PlanNode& node : plan.nodes) {
        ASSERT_GE(node.stage, 0);
        ASSERT_LT(node.stage, 2);
        ASSERT_LT(node.chunk, 2);
        ++passes[static_cast<std::size_t>(node.stage * 2 + node.chunk)];
    }
    EXPECT_EQ(passes, std::vector<int>(4, 8));
}

TEST(Plan, ItsHashHoldsWhetherPassesInPiecesHaveTheirOwnPrograms)
{
    JobShape shape;
    shape.schedule = "dualpipev";
    shape.stages = 2;
    shape.chunks = 2;
    shape.microbatches = 8;
    StepGraph paired = jobGraph(shape);
    joinPasses(paired);
    StepGraph alone = paired;
    for (auto& stage : alone.programOf)
        stage.resize(2);
    EXPECT_NE(planHash(alone), planHash(paired));
}

} // namespace
} // namespace prism::test
