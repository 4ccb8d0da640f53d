// SPDX-License-Identifier: GPL-3.0-or-later
// Which changes are proposed and which layout is chosen, counted by hand and against every layout of a small space.
#include "core/explore/layoutproposal.h"
#include "core/explore/proposals.h"
#include "core/explore/quickpass.h"

#include "core/cost/predictor.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <vector>

namespace prism {
namespace {

using ChoiceSet = std::set<std::string>;

/// Values that some proposal sets a parameter to as its own change, not as what follows another one.
ChoiceSet proposedValues(const Proposals& proposals, const std::string& id)
{
    ChoiceSet values;
    for (const Proposal& p : proposals.list)
        if (!p.settings.empty() && p.settings.front().first == id)
            values.insert(p.settings.front().second);
    return values;
}

ChoiceSet slowChanges(const Scenario& s)
{
    ChoiceSet changes;
    for (const Proposal& p : proposalsOf(s, false).list)
        if (p.slow) {
            EXPECT_EQ(p.scenario.variability.slow, *p.slow);
            changes.insert(p.changes.front());
        }
    return changes;
}

Scenario choicesJob(std::int64_t gpus)
{
    Scenario s;
    s.model = *modelPreset("llama3-8b"); // 32 layers and heads, sequences of 8,192
    s.cluster.numGpus = gpus;
    s.training.globalBatchSize = 128;
    return s;
}

/// What every usual layout of choicesJob takes: points, valid and fitting ones, the smallest peak, the fastest with 5 % of memory free.
struct EveryLayout {
    std::int64_t points = 0, valid = 0, fitting = 0;
    double smallestPeak = std::numeric_limits<double>::infinity(), fastest = smallestPeak, fastestWithRoom = smallestPeak;
};

EveryLayout everyLayout(Scenario s)
{
    EveryLayout out;
    QuickCoster coster;
    const auto look = [&] {
        ++out.points;
        const Result<QuickStep> step = coster.step(s);
        if (!step.ok())
            return;
        ++out.valid;
        if (!step->fits)
            return;
        ++out.fitting;
        out.smallestPeak = std::min(out.smallestPeak, step->peakGib);
        out.fastest = std::min(out.fastest, step->noiseFreeSeconds);
        if (step->peakGib <= 0.95 * step->capacityGib)
            out.fastestWithRoom = std::min(out.fastestWithRoom, step->noiseFreeSeconds);
    };
    for (s.parallelism.tensorModelParallelSize = 1; s.parallelism.tensorModelParallelSize <= 8; s.parallelism.tensorModelParallelSize *= 2)
        for (s.parallelism.pipelineModelParallelSize = 1; s.parallelism.pipelineModelParallelSize <= 32;
             s.parallelism.pipelineModelParallelSize *= 2)
            for (int chunks = 1; chunks <= 8 && chunks * s.parallelism.pipelineModelParallelSize <= 32; chunks *= 2) {
                if (s.parallelism.pipelineModelParallelSize == 1 && chunks > 1)
                    continue;
                s.parallelism.virtualPipelineModelParallelSize = chunks;
                s.parallelism.pipelineSchedule = chunks == 1 ? "1f1b" : "interleaved";
                for (s.training.microBatchSize = 1; s.training.microBatchSize <= 8; s.training.microBatchSize *= 2)
                    for (const char* recompute : {"none", "selective", "full"}) {
                        s.training.recomputeGranularity = recompute;
                        look();
                    }
            }
    return out;
}

TEST(LayoutChoices, EveryLayoutIsCountedAndTheFastestWithRoomIsTaken)
{
    const Scenario job = choicesJob(64);
    const EveryLayout all = everyLayout(job);
    // TP 1 to 8; PP 1, and 2, 4, 8, 16, 32 with 1 to 8 chunks, at most 32 layers: 1 + 4 + 4 + 3 + 2 + 1; four micro-batches; three
    // kinds of recomputation.
    ASSERT_EQ(all.points, 4 * 15 * 4 * 3);
    const Result<LayoutProposal> p = proposedLayout(job);
    ASSERT_TRUE(p.ok());
    EXPECT_EQ(p->points, all.points);
    EXPECT_EQ(p->fitting, all.fitting);
    EXPECT_LT(p->fitting, all.valid);
    EXPECT_DOUBLE_EQ(p->best.noiseFreeSeconds, all.fastestWithRoom);
    EXPECT_EQ(p->freeShare, 0.05);
    EXPECT_GT(p->elapsedSeconds, 0);
    EXPECT_FALSE(p->repaired);
}

TEST(LayoutChoices, FivePerCentOfTheMemoryStaysFree)
{
    Scenario job = choicesJob(16);
    const LayoutProposal first = *proposedLayout(job);
    const double peak = first.best.peakGib, perGib = first.best.capacityGib / job.cluster.gpu.memoryGib;
    job.cluster.gpu.memoryGib = peak / 0.949 / perGib;
    const LayoutProposal just = *proposedLayout(job);
    EXPECT_NEAR(just.best.peakGib, peak, 1e-9) << "5.1 % are free";
    EXPECT_EQ(just.freeShare, 0.05);
    job.cluster.gpu.memoryGib = peak / 0.951 / perGib;
    const LayoutProposal less = *proposedLayout(job);
    EXPECT_LT(less.best.peakGib, peak) << "4.9 % would be free";
    EXPECT_DOUBLE_EQ(less.best.noiseFreeSeconds, everyLayout(job).fastestWithRoom);
    job.cluster.gpu.memoryGib = everyLayout(job).smallestPeak / 0.97 / perGib;
    const LayoutProposal tight = *proposedLayout(job);
    EXPECT_EQ(tight.freeShare, 0) << "nothing leaves as much";
    EXPECT_DOUBLE_EQ(tight.best.noiseFreeSeconds, everyLayout(job).fastest);
    EXPECT_TRUE(tight.best.fits());
}

TEST(LayoutChoices, AReasonNamesTheFastestOtherValueOrTheOneNearestToFitting)
{
    int faster = 0, tooLarge = 0;
    for (const double gib : {80.0, 30.0, everyLayout(choicesJob(16)).smallestPeak / 0.93}) {
        Scenario job = choicesJob(16);
        job.cluster.gpu.memoryGib = gib;
        const Result<LayoutProposal> p = proposedLayout(job);
        ASSERT_TRUE(p.ok()) << gib;
        const SearchSpace space = defaultSpace(job);
        for (const LayoutReason& r : p->reasons) {
            const auto axis =
                std::find_if(space.axes.begin(), space.axes.end(), [&](const SearchAxis& a) { return a.ids.front() == r.id; });
            if (r.other.empty() || axis == space.axes.end() || axis->ids.size() > 1)
                continue;
            for (const auto& choice : axis->values) {
                const Result<CostedStep> step = costStep(*setParameter(p->best.scenario, r.id, choice.front()));
                if (choice.front() == r.value || !step.ok())
                    continue;
                if (r.overGib > 0) {
                    EXPECT_GE(step->memory.peakGib - step->memory.capacityGib, r.overGib - 1e-9) << r.id << ' ' << choice.front();
                    ++tooLarge;
                } else if (step->memory.fits) {
                    EXPECT_GE(step->noiseFreeSeconds, (1 + r.slower) * p->best.noiseFreeSeconds * (1 - 1e-12)) << r.id;
                    ++faster;
                }
            }
        }
    }
    EXPECT_GT(faster, 2);
    EXPECT_GT(tooLarge, 2);
}

TEST(LayoutChoices, FourOtherSizesThatFitAndOneThatDoesNot)
{
    const LayoutProposal p = *proposedLayout(choicesJob(64));
    std::set<std::array<int, 3>> sizes;
    int fitting = 0;
    const auto sizesOf = [](const Scenario& s) {
        return std::array{s.parallelism.tensorModelParallelSize, s.parallelism.pipelineModelParallelSize,
                          s.parallelism.virtualPipelineModelParallelSize};
    };
    sizes.insert(sizesOf(p.best.scenario));
    for (const LayoutOption& o : p.alternatives) {
        sizes.insert(sizesOf(o.scenario));
        fitting += o.fits() ? 1 : 0;
    }
    EXPECT_EQ(fitting, 4);
    EXPECT_EQ(sizes.size(), p.alternatives.size() + 1) << "all of them differ";
    EXPECT_LE(p.alternatives.size(), 5U);
    if (p.alternatives.size() == 5) {
        const Scenario& large = p.alternatives.back().scenario;
        EXPECT_FALSE(p.alternatives.back().fits());
        EXPECT_NE(sizesOf(large)[0], sizesOf(p.best.scenario)[0]);
        EXPECT_EQ(large.training, p.best.scenario.training) << "of another TP alone";
    }
}

TEST(LayoutChoices, FrequentReasonsAreReportedFirst)
{
    const Result<LayoutProposal> p = proposedLayout([] {
        Scenario s = choicesJob(8);
        s.cluster.gpu.memoryGib = 2;
        return s;
    }());
    ASSERT_FALSE(p.ok());
    const Diagnostics& errors = p.errors();
    ASSERT_GT(errors.size(), 2U);
    EXPECT_LE(errors.size(), 5U);
    EXPECT_EQ(errors[0].found, "720 layouts");
    for (std::size_t i = 2; i < errors.size(); ++i)
        EXPECT_GE(std::stoi(errors[i - 1].found), std::stoi(errors[i].found));
}

TEST(LayoutChoices, EveryNumberOfChunksAndEverySchedule)
{
    Scenario s = *scenarioPreset("llama3-70b-256-h100"); // 80 layers on 4 stages, interleaved with 5 chunks
    Proposals proposals = proposalsOf(s, false);
    const char* chunks = "parallelism.virtual_pipeline_model_parallel_size";
    ChoiceSet found = proposedValues(proposals, chunks);
    found.erase("1"); // needs another schedule as well
    EXPECT_EQ(found, (ChoiceSet{"2", "4", "10", "20"})) << "of 20 layers a stage";
    s.parallelism.virtualPipelineModelParallelSize = 1;
    s.parallelism.pipelineSchedule = "1f1b";
    s.cluster.gpu.memoryGib = 300;
    proposals = proposalsOf(s, false);
    const ChoiceSet schedules = proposedValues(proposals, "parallelism.pipeline_schedule");
    for (const char* named : {"gpipe", "zb-h1", "zb-h2", "zb-v"})
        EXPECT_EQ(schedules.count(named), 1U) << named;
    for (const char* other : {"1f1b", "interleaved", "custom"})
        EXPECT_EQ(schedules.count(other), 0U) << other;
    for (const Proposal& p : proposals.list)
        if (!p.settings.empty() && p.settings.front() == std::pair<std::string, std::string>{"parallelism.pipeline_schedule", "zb-v"}) {
            EXPECT_EQ(p.scenario.parallelism.virtualPipelineModelParallelSize, 2);
        }
    EXPECT_EQ(proposedValues(proposals, "parallelism.zero_stage"), (ChoiceSet{"0", "2", "3"})) << "not the present stage, 1";
    s.parallelism.pipelineModelParallelSize = 1;
    s.parallelism.contextParallelSize = 8;
    EXPECT_EQ(proposedValues(proposalsOf(s, false), "parallelism.pipeline_model_parallel_size"), (ChoiceSet{"2", "4", "8"}));
}

TEST(LayoutChoices, WhatFollowsAChangeIsSetWithIt)
{
    Scenario s = *scenarioPreset("llama3-70b-256-h100");
    bool single = false, without = false;
    for (const Proposal& p : proposalsOf(s, false).list) {
        if (p.settings.empty())
            continue;
        const auto& [id, value] = p.settings.front();
        // No more stages: neither chunks nor an interleaved schedule.
        if (id == "parallelism.virtual_pipeline_model_parallel_size" && value == "1") {
            single = true;
            EXPECT_NE(p.scenario.parallelism.pipelineSchedule, "interleaved");
            EXPECT_GE(p.settings.size(), 2U);
            EXPECT_EQ(p.changes.size(), p.settings.size());
        }
        if (id == "parallelism.pipeline_model_parallel_size" && value == "1")
            without = without || p.scenario.parallelism.virtualPipelineModelParallelSize == 1;
        EXPECT_FALSE(hasErrors(check(p.scenario))) << id << '=' << value;
    }
    EXPECT_TRUE(single || without);
}

TEST(LayoutChoices, ASlowNodeMovesToAtMostSixteenStages)
{
    Scenario s = *scenarioPreset("llama3-70b-256-h100");
    s.cluster.numGpus = 512;
    s.parallelism.tensorModelParallelSize = 8;
    s.parallelism.contextParallelSize = 1;
    s.parallelism.pipelineModelParallelSize = 32; // two replicas: a stage has two nodes, and starts with the even one
    s.variability.slow = {{3, -1, 1.2, 1}};
    ChoiceSet expected = {"Slow node 3 swapped out"};
    for (const int stage : {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 31}) // 31 / 15 of each step, rounded down
        expected.insert("Slow node 3 moved to node " + std::to_string(2 * stage) + ", in stage " + std::to_string(stage));
    EXPECT_EQ(slowChanges(s), expected);
    s.parallelism.pipelineModelParallelSize = 16; // four replicas: every stage is a place, of four nodes
    expected = {"Slow node 0 swapped out", "Slow GPU 33 swapped out"};
    for (int stage = 1; stage < 16; ++stage)
        if (stage != 1) // node 4, of GPU 33
            expected.insert("Slow node 0 moved to node " + std::to_string(4 * stage) + ", in stage " + std::to_string(stage));
    s.variability.slow = {{0, -1, 1.2, 1}, {-1, 33, 1.1, 1.3}};
    EXPECT_EQ(slowChanges(s), expected);
    s.parallelism.pipelineModelParallelSize = 1;
    s.variability.slow = {{5, -1, 1.2, 1.4}};
    EXPECT_EQ(slowChanges(s), (ChoiceSet{"Slow node 5 swapped out", "Slow node 5 moved to node 0, in stage 0"}));
    s.parallelism.pipelineModelParallelSize = 2;
    EXPECT_EQ(slowChanges(s).count("Slow node 5 moved to node 32, in stage 1"), 1U);
    for (const Proposal& p : proposalsOf(s, false).list)
        if (p.changes.front() == "Slow node 5 moved to node 32, in stage 1") {
            EXPECT_EQ(*p.slow, (std::vector<SlowEntry>{{32, -1, 1.2, 1.4}}));
        }
}

TEST(LayoutChoices, SpreadsAreHalvedAndSizesGoToAnEighth)
{
    Scenario s = choicesJob(64);
    s.cluster.gpu.memoryGib = 500;
    s.variability.gemm = {Family::lognormal, 0.03};
    s.variability.stepJitterS = 0.05;
    s.variability.interCollective.rareProbability = 0.004;
    s.variability.interCollective.rareMultiplier = 2;
    s.training.microBatchSize = 2;
    const Proposals proposals = proposalsOf(s, true);
    EXPECT_EQ(proposedValues(proposals, "variability.gemm.cv"), (ChoiceSet{"0.015"}));
    EXPECT_EQ(proposedValues(proposals, "variability.step_jitter_s"), (ChoiceSet{"0.025"}));
    EXPECT_EQ(proposedValues(proposals, "variability.inter_collective.rare_probability"), (ChoiceSet{"0.002"}));
    EXPECT_TRUE(proposedValues(proposals, "variability.data.cv").empty()) << "nothing to halve";
    EXPECT_TRUE(proposedValues(proposals, "variability.stalls_per_gpu_hour").empty());
    EXPECT_EQ(proposedValues(proposals, "training.micro_batch_size"), (ChoiceSet{"1"})) << "4, 8 and 16 do not divide 2 of a replica";
    EXPECT_EQ(proposedValues(proposals, "parallelism.tensor_model_parallel_size"), (ChoiceSet{"2", "4", "8"}));
    EXPECT_EQ(proposedValues(proposals, "cluster.num_gpus"), (ChoiceSet{"32"})) << "on 128 GPUs a replica has one sequence";
    EXPECT_TRUE(proposedValues(proposalsOf(s, false), "cluster.num_gpus").empty());
}

} // namespace
} // namespace prism
