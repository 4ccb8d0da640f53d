// SPDX-License-Identifier: GPL-3.0-or-later
// The quick costing of a search: the numbers of the full one, and bounds where a schedule would have to be planned.
#include "core/cost/quickstep.h"

#include "core/cost/predictor.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

TEST(QuickStep, GivesTheNumbersOfTheFullCosting)
{
    QuickCoster coster;
    for (const char* preset : {"llama2-7b-8-a100", "llama3-70b-256-h100", "llama3-405b-16k-h100", "mixtral-8x22b-256-h100", "sample-vpp4",
                               "sample-slow-node", "deepseek-v3-2048-h800", "megatron-1t-3072-a100"}) {
        for (const char* schedule : {"", "gpipe", "zb-h1"}) {
            const Scenario base = *scenarioPreset(preset);
            const Scenario s = *schedule != '\0' ? *setParameter(base, "parallelism.pipeline_schedule", schedule) : base;
            const Result<CostedStep> full = costStep(s);
            const Result<QuickStep> quick = coster.step(s);
            ASSERT_EQ(full.ok(), quick.ok()) << preset << schedule;
            if (!full.ok())
                continue;
            EXPECT_EQ(quick->peakGib, full->memory.peakGib) << preset;
            EXPECT_EQ(quick->fits, full->memory.fits);
            EXPECT_EQ(quick->tokensPerStep, full->tokensPerStep);
            EXPECT_FALSE(quick->bound);
            if (quick->fits) {
                EXPECT_EQ(quick->noiseFreeSeconds, full->noiseFreeSeconds) << preset << schedule;
            }
        }
    }
}

TEST(QuickStep, APlannedScheduleIsBoundedFromBelow)
{
    QuickCoster coster;
    Scenario s = *scenarioPreset("llama3-70b-256-h100");
    s.parallelism.pipelineSchedule = "zb-v";
    s.parallelism.virtualPipelineModelParallelSize = 2;
    for (const int pp : {2, 4, 8}) {
        s.parallelism.pipelineModelParallelSize = pp;
        s.parallelism.numLayersInFirstPipelineStage = s.parallelism.numLayersInLastPipelineStage = 0;
        const Result<CostedStep> full = costStep(s);
        const Result<QuickStep> quick = coster.step(s);
        ASSERT_TRUE(full.ok() && quick.ok()) << pp;
        EXPECT_TRUE(quick->bound);
        EXPECT_LE(quick->peakGib, full->memory.peakGib);
        if (quick->fits) {
            EXPECT_LE(quick->noiseFreeSeconds, full->noiseFreeSeconds * (1 + 1e-12));
            EXPECT_GT(quick->noiseFreeSeconds, 0.7 * full->noiseFreeSeconds); // a bound that is not trivial
        }
    }
}

TEST(QuickStep, ReportsEveryError)
{
    QuickCoster coster;
    Scenario s = *scenarioPreset("llama3-70b-256-h100");
    s.parallelism.tensorModelParallelSize = 3;
    s.training.microBatchSize = 0;
    EXPECT_EQ(coster.step(s).errors(), costStep(s).errors());
}

} // namespace
} // namespace prism
