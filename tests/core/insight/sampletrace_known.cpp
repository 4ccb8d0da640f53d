// SPDX-License-Identifier: GPL-3.0-or-later
// Stage tables of a step that does not vary, row by row, and how many replicas and steps a table has.
#include "core/insight/onestep/sampletrace.h"

#include "core/sim/graphs.h"
#include "core/sim/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace prism {
namespace {

std::vector<std::string> linesOfTable(const SampleTrace& trace)
{
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < trace.table.size();) {
        const std::size_t end = trace.table.find('\n', at);
        lines.push_back(trace.table.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

/// One stage: forward 1 s and backward 2 s, of that many micro-batches and replicas.
StepGraph oneStage(int microbatches, int replicas)
{
    StepGraph g = test::jobGraph({.microbatches = microbatches, .replicas = replicas});
    g.slow = {{-1, -1, -1, 1.0, 1.0}};
    return g;
}

std::size_t countOf(const std::vector<std::string>& lines, std::string_view part)
{
    return static_cast<std::size_t>(
        std::count_if(lines.begin(), lines.end(), [&](const std::string& line) { return line.find(part) != std::string::npos; }));
}

} // namespace

TEST(SampleTraceKnown, EveryRowOfASmallPipelineIsWhereTheScheduleHasIt)
{
    // F 1.0 s and B 1.8 s on both stages, transfers 0.5 s: the last pass ends at 9.4 s. Then 0.0625 s of embeddings, gradients 1 and 0.75
    // s, the norm 0.125 s, optimizers 0.25 and 0.4 s, gathers 0.3 and 0.2 s: stage 1 ends at 11.1875 s. The table has the gathers first, so
    // that all else is 0.3 s later. Transfers start one clock tick (1e-7) before their pass ends, receives ten ticks behind one another.
    StepGraph g = test::jobGraph({.stages = 2,
                                  .microbatches = 2,
                                  .forwardSeconds = 0.8,
                                  .collectiveSeconds = 0.2,
                                  .sendSeconds = 0.5,
                                  .gradSyncSeconds = 1.0,
                                  .optimizerSeconds = 0.25,
                                  .paramGatherSeconds = 0.3,
                                  .gradNormSeconds = 0.125,
                                  .embeddingSeconds = 0.0625});
    g.gradSync[1].meanSeconds = 0.75;
    g.paramGather[1].meanSeconds = 0.2;
    g.optimizer[1].meanSeconds = 0.4;
    g.slow = {{0, -1, -1, 1.0, 1.0}};
    const Result<SampleTrace> made = sampleTrace(g);
    ASSERT_TRUE(made.ok());
    const std::vector<std::string> expected{"dp_rank,stage,step,optype,start_ts,duration,mc,mb_id",
                                            "0,0,0,forward-compute,0.3000000,1.0000000,0,0",
                                            "0,1,0,forward-compute,1.8000000,1.0000000,0,0",
                                            "0,0,0,forward-send,1.2999999,0.5000001,0,0",
                                            "0,0,0,forward-compute,1.3000000,1.0000000,0,1",
                                            "0,1,0,backward-compute,2.8000000,1.8000000,0,0",
                                            "0,0,0,backward-compute,5.1000000,1.8000000,0,0",
                                            "0,1,0,backward-send,4.5999999,0.5000001,0,0",
                                            "0,1,0,forward-compute,4.6000000,1.0000000,0,1",
                                            "0,0,0,forward-send,2.2999999,0.5000001,0,1",
                                            "0,1,0,backward-compute,5.6000000,1.8000000,0,1",
                                            "0,0,0,backward-compute,7.9000000,1.8000000,0,1",
                                            "0,1,0,backward-send,7.3999999,0.5000001,0,1",
                                            "0,0,0,backward-recv,0.3000000,4.8000000,0,0",
                                            "0,0,0,backward-recv,5.1000010,2.7999990,0,1",
                                            "0,1,0,forward-recv,0.3000000,1.5000000,0,0",
                                            "0,1,0,forward-recv,1.8000010,0.9999990,0,1",
                                            "0,0,0,embedding-grads-all-reduce,9.7000000,0.0625000,0,0",
                                            "0,0,0,grads-reduce-scatter,9.7625000,1.0000000,0,0",
                                            "0,0,0,optimizer-clip-main-grad,10.7625000,0.1250000,0,0",
                                            "0,0,0,optimizer,10.8875000,0.2500000,0,0",
                                            "0,0,0,params-all-gather,0.0000000,0.3000000,0,0",
                                            "0,1,0,embedding-grads-all-reduce,9.7000000,0.0625000,0,0",
                                            "0,1,0,grads-reduce-scatter,9.7625000,0.7500000,0,0",
                                            "0,1,0,optimizer-clip-main-grad,10.5125000,0.3750000,0,0", // waits for stage 0
                                            "0,1,0,optimizer,10.8875000,0.4000000,0,0",
                                            "0,1,0,params-all-gather,0.1000000,0.2000000,0,0",
                                            "0,0,1,forward-compute,11.4875000,1.0000000,0,0"};
    std::vector<std::string> lines = linesOfTable(*made);
    EXPECT_EQ(lines.size(), 1 + 24U * 26);
    EXPECT_EQ(lines.back(), "0,1,23,params-all-gather,257.4125001,0.2000000,0,0"); // 23 x 11.1875 + 0.1, swept in single precision
    lines.resize(expected.size());
    EXPECT_EQ(lines, expected);
    ASSERT_EQ(made->stepSeconds.size(), 24U);
    for (const double seconds : made->stepSeconds)
        EXPECT_NEAR(seconds, 11.1875, 1e-7);
}

TEST(SampleTraceKnown, ReceivesStartBeforeTheirMessagesAreSentAndInTheOrderOfUse)
{
    // Transfers of 3 s overlap: stage 1 needs F0 at 4 s and F1 at 5 s, which was sent at 2 s, before the first one was there.
    StepGraph g = test::jobGraph({.schedule = "gpipe", .stages = 2, .microbatches = 2, .sendSeconds = 3.0});
    g.slow = {{0, -1, -1, 1.0, 1.0}};
    const Result<SampleTrace> made = sampleTrace(g);
    ASSERT_TRUE(made.ok());
    const std::vector<std::string> lines = linesOfTable(*made);
    EXPECT_EQ(lines.size(), 1 + 24U * (8 + 4 + 4)) << "passes, sends and receives, nothing that takes no time";
    EXPECT_EQ(countOf(lines, "0,1,0,forward-recv,0.0000000,4.0000000,0,0"), 1U);
    EXPECT_EQ(countOf(lines, "0,1,0,forward-recv,2.0000000,3.0000000,0,1"), 1U); // at its sending, not when the first is there
    // Stage 1 runs its backwards from 6 s: the gradients are sent at 8 and 10 s and arrive at 11 and 13 s.
    EXPECT_EQ(countOf(lines, "0,0,0,backward-recv,0.0000000,11.0000000,0,"), 1U);
    EXPECT_EQ(countOf(lines, "0,0,0,backward-recv,10.0000000,3.0000000,0,"), 1U);
    // A transfer that takes no time: the second message is sent as the first one is used, and the receives differ by one tick.
    StepGraph quick = test::jobGraph({.schedule = "gpipe", .stages = 2, .microbatches = 2, .sendSeconds = 1e-6});
    quick.slow = g.slow;
    quick.programs[0].blocks[0].ops = {{0, 1e-9}};
    const Result<SampleTrace> quickTable = sampleTrace(quick);
    ASSERT_TRUE(quickTable.ok());
    EXPECT_EQ(countOf(linesOfTable(*quickTable), "0,1,0,forward-recv,-0.0000001,"), 1U);
}

TEST(SampleTraceKnown, AJobHasThreeReplicasOrALockstepSet)
{
    const auto sentenceOf = [](const StepGraph& g) {
        const Result<SampleTrace> made = sampleTrace(g, {.threads = 1});
        return made.ok() ? made->sentence.substr(0, made->sentence.find(", made")) : made.errors().front().message;
    };
    EXPECT_EQ(sentenceOf(oneStage(1, 2)), "2 replicas, 24 steps");
    EXPECT_EQ(sentenceOf(oneStage(1, 9)), "3 replicas, 24 steps");
    StepGraph sharded = oneStage(1, 20);
    sharded.programs[0].blocks[0].ops.push_back({1, 0.1, 0.0, Sync::replicas});
    for (const auto& [together, text] : {std::pair{2, "4 replicas, 24 steps"}, {4, "4 replicas, 24 steps"}, {5, "5 replicas, 24 steps"}}) {
        sharded.lockstepReplicas = together;
        EXPECT_EQ(sentenceOf(sharded), text);
    }
    // 200,000 rows at three a pass: 555 micro-batches, forward and backward, of three replicas are 9,990 rows.
    EXPECT_EQ(sentenceOf(oneStage(555, 3)), "3 replicas, 20 steps");
}

TEST(SampleTraceKnown, SlowPlacesAreOnReplicaOneAndMeasuredSpeedsAreCut)
{
    const auto made = [](const StepGraph& g) {
        Result<SampleTrace> trace = sampleTrace(g, {.threads = 1});
        EXPECT_TRUE(trace.ok());
        return trace.ok() ? *trace : SampleTrace();
    };
    StepGraph g = oneStage(1, 5);
    g.fixedSpatial = {1.5, 1.25, 1.75, 3.0, 4.0};
    g.slow = {{4, 0, -1, 1.04, 1.0}};
    const SampleTrace cut = made(g);
    const std::vector<std::string> lines = linesOfTable(cut);
    EXPECT_EQ(lines.size(), 1 + 24U * 6);
    EXPECT_EQ(countOf(lines, "0,0,0,forward-compute,0.0000000,1.5000000,"), 1U);
    EXPECT_EQ(countOf(lines, "1,0,0,forward-compute,0.0000000,1.3000000,"), 1U); // 1.25 x 1.04
    EXPECT_EQ(countOf(lines, "2,0,0,forward-compute,0.0000000,1.7500000,"), 1U);
    EXPECT_EQ(cut.sentence, "3 replicas, 24 steps, made from the scenario; planted: replica 1 on stage 0 computes 1.04 times as long.");
    StepGraph stages = test::jobGraph({.stages = 4, .replicas = 4}); // none is marked: the middle stage
    const SampleTrace middle = made(stages);
    EXPECT_EQ(middle.sentence, "3 replicas, 24 steps, made from the scenario; planted: replica 1 on stage 2 computes 1.15 times as long.");
    EXPECT_EQ(countOf(linesOfTable(middle), "1,2,0,forward-compute,2.0000000,1.1500000,"), 1U);
    stages.slow = {{-1, -1, -1, 1.0, 1.5}};
    EXPECT_EQ(made(stages).sentence, "3 replicas, 24 steps, made from the scenario; planted: links of every replica are 1.5 times slower.");
    EXPECT_EQ(sampleTrace(test::jobGraph({})).value().sentence,
              "1 replicas, 24 steps, made from the scenario; planted: replica 0 on stage 0 computes 1.15 times as long.");
}

TEST(SampleTraceKnown, AStepIncludesItsDelaysAndDrawsOfTheNextSeed)
{
    StepGraph g = test::jobGraph({.microbatches = 2, .compute = {Family::lognormal, 0.2}});
    g.slow = {{0, -1, -1, 1.0, 1.0}};
    const auto made = sampleTrace(g, {.seed = 6});
    ASSERT_TRUE(made.ok());
    g.delays = {.jitterSeconds = 0.2, .stallsPerGpuHour = 900, .stallMeanSeconds = 0.5};
    std::vector<double> progress;
    InsightOptions options{.seed = 6};
    options.progress = [&](double fraction, std::string_view) { progress.push_back(fraction); };
    const auto delayed = sampleTrace(g, options);
    ASSERT_TRUE(delayed.ok());
    SimOptions sim;
    sim.seed = 7; // another one than the prediction's
    sim.numSamples = 24;
    sim.numWithinSamples = -1;
    const StepSamples steps = simulate(g, sim);
    double clock = 0;
    for (std::size_t i = 0; i < 24; ++i) {
        EXPECT_NEAR(delayed->stepSeconds[i], steps.acrossSeconds[i], 1e-6);
        clock += i < 23 ? delayed->stepSeconds[i] : 0;
    }
    EXPECT_NE(delayed->stepSeconds, made->stepSeconds);
    const std::string start = linesOfTable(*delayed)[1 + 23 * 4].substr(std::string("0,0,23,forward-compute,").size());
    EXPECT_NEAR(std::stod(start), clock, 1e-6) << "a step starts when the one before it has ended, delays included";
    ASSERT_EQ(progress.size(), 24U);
    EXPECT_DOUBLE_EQ(progress[2], 3.0 / 24);
    EXPECT_DOUBLE_EQ(progress[23], 1.0);
}

} // namespace prism
