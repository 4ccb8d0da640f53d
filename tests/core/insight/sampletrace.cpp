// SPDX-License-Identifier: GPL-3.0-or-later
// A trace that is made from a step graph, read back as a real one: two ways to one job give the same seconds.
#include "core/insight/onestep/sampletrace.h"

#include "core/base/outputfile.h"
#include "core/insight/graphs.h"
#include "core/sim/graphs.h"
#include "core/sim/simulate.h"
#include "core/stats/moments.h"
#include "core/trace/barriers.h"
#include "core/trace/repairs.h"
#include "core/trace/stagetable.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace prism {
namespace {

TraceJob readBack(const SampleTrace& made)
{
    const std::string path = (std::filesystem::path(::testing::TempDir()) / "sampletrace.csv").string();
    EXPECT_TRUE(writeFile(path, made.table, Flush::no).empty());
    Result<TraceJob> job = readStageTable(path);
    EXPECT_TRUE(job.ok());
    return job.ok() ? *job : TraceJob();
}

/// Interleaved, with noise, data and slow transfers.
StepGraph interleavedGraph()
{
    StepGraph g = testscenarios::pipelineGraph(4, 8, 16, 2);
    g.schedule = makeSchedule("interleaved", 4, 2, 8).value();
    g.programOf.assign(4, {{0, 1, -1}, {0, 1, -1}});
    g.sendForward.assign(g.schedule.path.size() - 1, g.sendForward.front());
    g.sendBackward = g.sendForward;
    g.data = {Family::lognormal, 0.03};
    return g;
}

} // namespace

TEST(SampleTrace, ItsStepsAreThoseOfTheEngineAndRunAgainAsTheyWere)
{
    for (const StepGraph& g : {testscenarios::pipelineGraph(4, 8, 16, 2), interleavedGraph()}) {
        const Result<SampleTrace> made = sampleTrace(g);
        ASSERT_TRUE(made.ok());
        const TraceJob job = readBack(*made);
        EXPECT_EQ(job.replicas, 3);
        EXPECT_EQ(job.stages, 4);
        const std::vector<double> measured = job.stepSeconds();
        ASSERT_EQ(measured.size(), made->stepSeconds.size());
        for (std::size_t i = 0; i < measured.size(); ++i)
            EXPECT_NEAR(measured[i], made->stepSeconds[i], 1e-3 * made->stepSeconds[i]) << g.schedule.name << i;
        const Result<Repairs> repairs = repairsOf(*regularJob(job, hiddenBarriers(job).sets));
        ASSERT_TRUE(repairs.ok());
        EXPECT_LT(repairs->replayError, 1e-3) << g.schedule.name;
        ASSERT_EQ(repairs->slow.size(), 1U) << g.schedule.name;
        EXPECT_EQ(repairs->slow[0].replica, 1);
        EXPECT_EQ(repairs->slow[0].stage, 2);
        EXPECT_NEAR(repairs->slow[0].factor, 1.15, 0.03);
    }
}

/// The repair of the planted worker brings what the engine says of the job without it.
TEST(SampleTrace, TheRepairBringsWhatTheEnginePredicts)
{
    StepGraph g = interleavedGraph();
    const TraceJob job = readBack(*sampleTrace(g));
    const Result<Repairs> repairs = repairsOf(*regularJob(job, hiddenBarriers(job).sets));
    ASSERT_TRUE(repairs.ok());
    const auto repaired =
        std::find_if(repairs->repairs.begin(), repairs->repairs.end(), [](const Repair& r) { return r.id == "worker:1:2"; });
    ASSERT_NE(repaired, repairs->repairs.end());
    SimOptions options;
    options.numWithinSamples = -1;
    const auto meanOfJob = [&](std::vector<SlowSpot> slow) {
        g.numReplicas = 3;
        g.slow = std::move(slow);
        return meanOf(simulate(g, options).acrossSeconds);
    };
    const double slow = meanOfJob({{1, 2, -1, 1.15, 1.0}}), healthy = meanOfJob({});
    EXPECT_NEAR(repairs->before.mean / slow, 1.0, 0.02);
    EXPECT_NEAR(repaired->after.mean / healthy, 1.0, 0.02);
    EXPECT_GT(slow / healthy, 1.03);
}

TEST(SampleTrace, MarkedPlacesAreOnReplicaOneAndJoinedPassesAreRefused)
{
    StepGraph g = testscenarios::pipelineGraph(4, 8, 64, 2);
    g.slow = {{41, 3, -1, 1.4, 1.0}};
    const Result<SampleTrace> made = sampleTrace(g);
    ASSERT_TRUE(made.ok());
    EXPECT_NE(made->sentence.find("replica 1 on stage 3 computes 1.4 times as long"), std::string::npos) << made->sentence;
    EXPECT_EQ(made->table, sampleTrace(g)->table);
    EXPECT_NE(made->table, sampleTrace(g, {.seed = 2})->table);
    g.numReplicas = 1;
    g.slow = {};
    EXPECT_EQ(readBack(*sampleTrace(g)).replicas, 1);
    const Result<SampleTrace> refused = sampleTrace(test::jobGraph({.schedule = "zb-h1", .stages = 2, .microbatches = 4}));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.errors().front().path, "parallelism.pipeline_schedule");
}

} // namespace prism
