// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded steps: the swept steps themselves, with a critical path that leaves no gap and causes that sum to each duration.
#include "core/sim/record/steprecorder.h"

#include "core/insight/graphs.h"
#include "core/schedule/dualpipe.h"
#include "core/sim/graphs.h"
#include "core/step/deterministicstep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

using testscenarios::pipelineGraph;

StepGraph withoutDraws(StepGraph g)
{
    for (KernelClass& k : g.classes)
        k.temporal = {};
    g.spatial = g.data = g.intraRegime = g.interRegime = {};
    return g;
}

/// DualPipeV with F&B, whose passes take a twentieth more than alone.
StepGraph pieceGraph(int stages, int microbatches, int replicas, int ranks)
{
    StepGraph g = pipelineGraph(stages, microbatches, replicas, ranks);
    g.schedule = withPieces(makeSchedule("dualpipev", stages, 2, microbatches).value());
    g.programs.push_back(g.programs[0]);
    for (std::size_t p = 0; p < 3; ++p) {
        g.programs.push_back(g.programs[p]);
        for (Op& op : g.programs.back().blocks[0].ops)
            op.meanSeconds *= 1.05;
    }
    g.programOf.assign(static_cast<std::size_t>(stages), {{0, 1, 2}, {0, 1, 2}, {3, 4, 5}, {3, 4, 5}});
    g.sendForward.assign(g.schedule.path.size() - 1, g.sendForward.front());
    g.sendForward[static_cast<std::size_t>(stages) - 1] = {}; // the turn of the path
    g.sendBackward = g.sendForward;
    return g;
}

/// Everything that varies or is slow at once.
StepGraph everythingGraph()
{
    StepGraph g = pipelineGraph(3, 4, 8, 4);
    g.classes[1].temporal.rareProbability = 0.05;
    g.classes[1].temporal.rareMultiplier = 3;
    g.classes[0].temporal.rareProbability = 0.002;
    g.classes[0].temporal.rareMultiplier = 2;
    g.programs[1].blocks[0].ops[1].hiddenSeconds = 3e-4;
    g.programs[0].blocks[0].ops[0].routed = true;
    g.routing = {Family::lognormal, 0.2};
    g.routingRegime = {Family::lognormal, 0.1};
    g.slow = {{0, 1, 2, 1.3, 1.5}};
    g.delays.jitterSeconds = 0.001;
    return g;
}

struct Recorded {
    std::unique_ptr<StepRecorder> recorder;
    std::vector<StepRecord> steps;
};

Recorded recorded(const StepGraph& g, int count, bool allStages = true)
{
    Recorded out;
    out.recorder = StepRecorder::make(g, {.seed = 7, .steps = count});
    std::vector<std::size_t> which(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < which.size(); ++i)
        which[i] = i;
    out.steps = out.recorder->record(which, allStages);
    return out;
}

double causes(const Parts& parts)
{
    double sum = 0;
    for (const double seconds : parts.byCause)
        sum += seconds;
    return sum;
}

double seconds(const Parts& parts, Cause cause)
{
    return parts.byCause[static_cast<std::size_t>(cause)];
}

} // namespace

TEST(StepRecorder, NoiseFreePipelineTakesTheTextbookTime)
{
    // 1F1B with equal stages and free transfers: (M + P - 1) (tF + tB), then synchronisation and optimizer.
    StepGraph g = withoutDraws(pipelineGraph(4, 8, 2, 1));
    for (StepOp* op : {&g.sendForward[0], &g.sendForward[1], &g.sendForward[2], &g.sendBackward[0], &g.sendBackward[1], &g.sendBackward[2]})
        op->meanSeconds = 0;
    const double chunk = 3 * 4 * (2e-3 + 4e-4);
    EXPECT_NEAR(recorded(g, 1).steps.front().stepSeconds, (8 + 4 - 1) * chunk + 5e-3 + 1e-3, 1e-8);
}

TEST(StepRecorder, NoiseFreePiecesTakeTheTimeOfTheDeterministicStep)
{
    StepGraph g = withoutDraws(pieceGraph(4, 10, 2, 1));
    for (const bool occupies : {false, true}) {
        g.transferOccupiesSender = occupies;
        EXPECT_NEAR(recorded(g, 1).steps.front().stepSeconds, deterministicStepSeconds(g), 1e-8);
    }
}

TEST(StepRecorder, StepsAreThoseThatTheSweepSamples)
{
    for (const StepGraph& g : {pipelineGraph(4, 8, 16, 4), pieceGraph(4, 10, 8, 2), everythingGraph()}) {
        SimOptions options;
        options.seed = 7;
        options.numWithinSamples = -1;
        const StepSamples sampled = simulate(g, options);
        const Recorded r = recorded(g, 200);
        // Of the many steps of simulate() some end with a replica whose noise is that of another one (StepSweeper): these differ.
        int others = 0;
        for (std::size_t i = 0; i < r.steps.size(); ++i) {
            const StepRecord& step = r.steps[i];
            EXPECT_NEAR(r.recorder->seconds()[i], sampled.acrossSeconds[i], 0.02 * sampled.acrossSeconds[i]) << g.schedule.name << i;
            others += std::abs(r.recorder->seconds()[i] - sampled.acrossSeconds[i]) > 1e-6 * sampled.acrossSeconds[i] ? 1 : 0;
            EXPECT_NEAR(step.stepSeconds + step.jitterSeconds + step.stallSeconds, r.recorder->seconds()[i],
                        1e-6 * sampled.acrossSeconds[i]);
        }
        EXPECT_LE(others, 10) << g.schedule.name;
        const auto later = StepRecorder::make(g, {.seed = 7, .first = 150, .steps = 2});
        EXPECT_EQ(later->seconds()[1], r.recorder->seconds()[151]);
    }
}

TEST(StepRecorder, CriticalPathLeavesNoGap)
{
    StepGraph sending = pieceGraph(4, 10, 16, 4);
    sending.transferOccupiesSender = true;
    for (const StepGraph& g : {pipelineGraph(4, 6, 16, 4), pieceGraph(4, 10, 16, 4), sending, everythingGraph()})
        for (const bool allStages : {false, true})
            for (const StepRecord& step : recorded(g, 50, allStages).steps) {
                ASSERT_FALSE(step.critical.empty());
                EXPECT_EQ(step.critical.front().start, 0.0);
                for (std::size_t i = 1; i < step.critical.size(); ++i)
                    EXPECT_NEAR(step.critical[i].start, step.critical[i - 1].end, 1e-12);
                EXPECT_NEAR(step.critical.back().end, step.stepSeconds, 1e-12);
            }
}

TEST(StepRecorder, PartsSumToTheDurationInParts)
{
    const StepGraph g = everythingGraph();
    const Recorded r = recorded(g, 20);
    for (const StepRecord& step : r.steps) {
        for (std::size_t n = 0; n < r.recorder->nodes().size(); ++n) {
            const Parts pass = r.recorder->passParts(step, static_cast<int>(n)),
                        transfer = r.recorder->transferParts(step, static_cast<int>(n));
            EXPECT_NEAR(pass.sum(), step.end[n] - step.start[n], 1e-12);
            EXPECT_NEAR(causes(pass), pass.sum(), 1e-12);
            EXPECT_NEAR(transfer.sum(), step.arrives[n] - step.end[n], 1e-12);
        }
        for (int s = 0; s < 3; ++s)
            for (int op = 1; op < kStageOps; ++op) {
                const Interval& interval = step.stageOps[static_cast<std::size_t>(s)][static_cast<std::size_t>(op)];
                EXPECT_NEAR(r.recorder->stageOpParts(step, s, static_cast<StageOp>(op)).sum(), interval.end - interval.start, 1e-9)
                    << s << " " << op;
            }
    }
}

/// One cause at a time: the mean of a pass is what its kernels and collectives take, and only that cause adds to it.
TEST(StepRecorder, EachCauseIsFoundWhereItIsTheOnlyOne)
{
    const StepGraph plain = withoutDraws(pipelineGraph(2, 4, 4, 2));
    struct Case {
        Cause cause;
        void (*change)(StepGraph&);
    };
    const Case cases[] = {{Cause::spatial,
                           [](StepGraph& g) {
                               g.spatial = {Family::lognormal, 0.05};
                           }},
                          {Cause::data,
                           [](StepGraph& g) {
                               g.data = {Family::lognormal, 0.05};
                           }},
                          {Cause::routing,
                           [](StepGraph& g) {
                               g.routing = {Family::lognormal, 0.05};
                               g.programs[0].blocks[0].ops[0].routed = true;
                           }},
                          {Cause::regime,
                           [](StepGraph& g) {
                               g.computeRegime = {Family::lognormal, 0.05};
                           }},
                          {Cause::temporal,
                           [](StepGraph& g) {
                               g.classes[0].temporal = {Family::lognormal, 0.05};
                           }},
                          {Cause::slowSpot,
                           [](StepGraph& g) {
                               g.slow = {{2, -1, -1, 1.2, 1.0}};
                           }},
                          {Cause::rare, [](StepGraph& g) {
                               g.classes[0].temporal.rareProbability = 0.001;
                               g.classes[0].temporal.rareMultiplier = 4.0;
                           }}};
    for (const Case& c : cases) {
        StepGraph g = plain;
        c.change(g);
        const Recorded r = recorded(g, 40);
        double added = 0.0;
        for (const StepRecord& step : r.steps)
            for (std::size_t n = 0; n < r.recorder->nodes().size(); ++n) {
                const Parts parts = r.recorder->passParts(step, static_cast<int>(n));
                const double kernels = r.recorder->nodes()[n].phase == Phase::forward ? 4 * 2e-3 : 8 * 2e-3, collectives = 4 * 4e-4;
                EXPECT_NEAR(seconds(parts, Cause::computeMean), kernels, 1e-8);
                EXPECT_NEAR(seconds(parts, Cause::communicationMean),
                            r.recorder->nodes()[n].phase == Phase::forward ? collectives : 2 * collectives, 1e-8);
                EXPECT_NEAR(parts.sum() - seconds(parts, Cause::computeMean) - seconds(parts, Cause::communicationMean),
                            seconds(parts, c.cause), c.cause == Cause::rare ? 2e-4 : 1e-8)
                    << causeName(c.cause);
                added += std::abs(seconds(parts, c.cause));
            }
        EXPECT_GT(added, 1e-3) << causeName(c.cause);
    }
}

TEST(StepRecorder, SlowestReplicaFollowsTheSlowSpot)
{
    StepGraph g = pipelineGraph(4, 6, 64, 2);
    g.slow = {{41, 2, -1, 1.5, 1.0}};
    const Recorded r = recorded(g, 20);
    for (const StepRecord& step : r.steps) {
        EXPECT_EQ(step.slowestReplica, 41);
        const StepRecord other = r.recorder->withReplica(step, 5);
        EXPECT_EQ(other.replica, 5);
        EXPECT_EQ(other.slowestReplica, 41);
        for (std::size_t s = 0; s < 4; ++s)
            EXPECT_LT(other.stageOps[s][0].end, step.stageOps[s][1].start);
    }
}

} // namespace prism
