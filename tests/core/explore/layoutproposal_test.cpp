// SPDX-License-Identifier: GPL-3.0-or-later
// The proposed layout against every layout of the same space, costed one by one.
#include "core/cost/predictor.h"
#include "core/explore/layoutproposal.h"
#include "core/explore/space.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

/// A model of the library on `gpus` GPUs of the default kind.
Scenario jobOf(const char* model, std::int64_t gpus, std::int64_t batch)
{
    Scenario s;
    const Result<ModelConfig> read = modelPreset(model);
    EXPECT_TRUE(read.ok()) << model;
    if (read.ok())
        s.model = *read;
    s.cluster.numGpus = gpus;
    s.training.globalBatchSize = batch;
    return s;
}

TEST(Proposal, NoUsualLayoutWithRoomIsFaster)
{
    const Scenario job = jobOf("llama3-8b", 64, 128);
    const Result<LayoutProposal> p = proposedLayout(job);
    ASSERT_TRUE(p.ok());
    const Result<CostedStep> own = costStep(p->best.scenario);
    ASSERT_TRUE(own.ok());
    EXPECT_DOUBLE_EQ(own->noiseFreeSeconds, p->best.noiseFreeSeconds);
    EXPECT_LE(own->memory.peakGib, (1 - p->freeShare) * own->memory.capacityGib);
    const SearchSpace space = defaultSpace(job);
    const Result<PointMaker> maker = PointMaker::make(space, job);
    ASSERT_TRUE(maker.ok());
    int compared = 0;
    for (std::int64_t i = 0; i < space.size(); ++i) {
        const Scenario other = maker->at(i);
        const std::string& schedule = other.parallelism.pipelineSchedule;
        if (other.parallelism.zeroStage != job.parallelism.zeroStage || (schedule != "1f1b" && schedule != "interleaved"))
            continue;
        const Result<CostedStep> step = costStep(other);
        if (!step.ok() || step->memory.peakGib > (1 - p->freeShare) * step->memory.capacityGib)
            continue;
        ++compared;
        EXPECT_GE(step->noiseFreeSeconds, own->noiseFreeSeconds * (1 - 1e-12)) << i;
    }
    EXPECT_GT(compared, 20);
}

TEST(Proposal, ReasonsAndAlternativesReportWhatCostingThemGives)
{
    const Result<LayoutProposal> p = proposedLayout(jobOf("llama3-70b", 256, 512));
    ASSERT_TRUE(p.ok());
    ASSERT_FALSE(p->reasons.empty());
    for (const LayoutReason& r : p->reasons) {
        if (r.other.empty())
            continue;
        EXPECT_NE(r.other, r.value) << r.id;
        const bool coupled =
            r.id == "parallelism.pipeline_model_parallel_size" || r.id == "parallelism.virtual_pipeline_model_parallel_size";
        if (coupled)
            continue; // schedule and chunks go with it
        const Result<Scenario> other = setParameter(p->best.scenario, r.id, r.other);
        ASSERT_TRUE(other.ok()) << r.id;
        const Result<CostedStep> step = costStep(*other);
        ASSERT_TRUE(step.ok()) << r.id;
        if (r.overGib > 0)
            EXPECT_NEAR(step->memory.peakGib - step->memory.capacityGib, r.overGib, 1e-9) << r.id;
        else
            EXPECT_NEAR(step->noiseFreeSeconds / p->best.noiseFreeSeconds - 1, r.slower, 1e-9) << r.id;
    }
    ASSERT_FALSE(p->alternatives.empty());
    double before = 0;
    for (const LayoutOption& o : p->alternatives) {
        const Result<CostedStep> step = costStep(o.scenario);
        ASSERT_TRUE(step.ok());
        EXPECT_NEAR(step->memory.peakGib, o.peakGib, 1e-9);
        EXPECT_EQ(step->memory.fits, o.fits());
        if (o.fits()) {
            EXPECT_GE(o.noiseFreeSeconds, before) << "fastest first";
            before = o.noiseFreeSeconds;
        }
    }
}

TEST(Proposal, WhatNoMachineHoldsIsAnErrorWithItsReasons)
{
    const Result<LayoutProposal> p = proposedLayout(jobOf("llama3-405b", 8, 8));
    ASSERT_FALSE(p.ok());
    EXPECT_GT(p.errors().size(), 1U);
    EXPECT_EQ(p.errors().front().path, "cluster.num_gpus");
}

TEST(Proposal, LayersThatNothingDividesAreRepairedOrProposed)
{
    const Result<LayoutProposal> p = proposedLayout(jobOf("deepseek-v3", 2048, 2048)); // 61 layers
    ASSERT_TRUE(p.ok());
    const Result<CostedStep> step = costStep(p->best.scenario);
    ASSERT_TRUE(step.ok());
    EXPECT_TRUE(step->memory.fits);
}

TEST(Proposal, TheSameOnAnyNumberOfThreadsAndStoppedAtOnce)
{
    const Scenario job = jobOf("mixtral-8x7b", 64, 256);
    InsightOptions one, many;
    one.threads = 1;
    many.threads = 3;
    const Result<LayoutProposal> a = proposedLayout(job, one), b = proposedLayout(job, many);
    ASSERT_TRUE(a.ok());
    ASSERT_TRUE(b.ok());
    EXPECT_EQ(a->best.scenario, b->best.scenario);
    EXPECT_EQ(a->points, b->points);
    EXPECT_EQ(a->fitting, b->fitting);
    std::stop_source stop;
    stop.request_stop();
    one.stop = stop.get_token();
    const Result<LayoutProposal> stopped = proposedLayout(job, one);
    ASSERT_FALSE(stopped.ok());
    EXPECT_TRUE(isCancelled(stopped.errors()));
}

} // namespace
} // namespace prism
