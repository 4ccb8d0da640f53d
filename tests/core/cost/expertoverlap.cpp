// SPDX-License-Identifier: GPL-3.0-or-later
// Expert all-to-all overlapped with the compute of another micro-batch: what stays exposed, and its limits.
#include "core/cost/expertoverlap.h"

#include "core/cost/costmodel.h"
#include "core/cost/predictor.h"
#include "core/cost/scheduleof.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace prism {
namespace {

struct Pass {
    std::vector<Kernel> kernels;
    std::vector<Op> ops;
    void add(KernelId id, CostKind kind, double seconds)
    {
        Kernel k;
        k.id = id;
        k.kind = kind;
        kernels.push_back(k);
        Op op;
        op.kernelClass = static_cast<int>(id);
        op.meanSeconds = seconds;
        ops.push_back(op);
    }
    [[nodiscard]] double exposed() const
    {
        return std::accumulate(ops.begin(), ops.end(), 0.0,
                               [](double t, const Op& op) { return t + std::max(0.0, op.meanSeconds - op.hiddenSeconds); });
    }
};

/// Compute, dispatch, compute, combine.
Pass pass(double compute, double traffic)
{
    Pass p;
    p.add(KernelId::attention, CostKind::attention, compute / 2);
    p.add(KernelId::epAllToAll, CostKind::collective, traffic / 2);
    p.add(KernelId::gemmMoeFc1, CostKind::gemm, compute / 2);
    p.add(KernelId::epAllToAll, CostKind::collective, traffic / 2);
    return p;
}

TEST(ExpertOverlap, ExposesWhatExceedsTheComputeOfTheOtherMicroBatch)
{
    for (const double traffic : {0.0, 0.5, 1.0, 2.0, 5.0, 9.0}) {
        Pass forward = pass(1, traffic), backward = pass(2, traffic);
        hideExpertTraffic({forward.kernels, forward.ops}, {backward.kernels, backward.ops}, 1, 0);
        EXPECT_NEAR(forward.exposed(), 1 + std::max(0.0, traffic - 2), 1e-12) << traffic;
        EXPECT_NEAR(backward.exposed(), 2 + std::max(0.0, traffic - 1), 1e-12) << traffic;
    }
}

TEST(ExpertOverlap, ConcurrentComputeIsSlowerAndUnpairedPassesHideNothing)
{
    Pass forward = pass(1, 0.5), backward = pass(2, 0.5);
    hideExpertTraffic({forward.kernels, forward.ops}, {backward.kernels, backward.ops}, 1, 0.1);
    EXPECT_NEAR(forward.exposed(), 1 + 0.05, 1e-12); // next to the backward's half second
    EXPECT_NEAR(backward.exposed(), 2 + 0.05, 1e-12);
    Pass alone = pass(1, 0.5), other = pass(2, 0.5);
    hideExpertTraffic({alone.kernels, alone.ops}, {other.kernels, other.ops}, 0, 0.1);
    EXPECT_DOUBLE_EQ(alone.exposed(), 1.5);
    EXPECT_DOUBLE_EQ(other.exposed(), 2.5);
}

TEST(ExpertOverlap, OnlyPassesAfterTheWarmUpArePaired)
{
    Scenario s;
    s.parallelism.pipelineModelParallelSize = 4;
    s.parallelism.pipelineSchedule = "1f1b";
    EXPECT_NEAR(pairedShare(*scheduleOf(s, 8, {})), (4.0 + 5 + 6 + 7) / 4 / 8, 1e-12); // warm-ups of 4, 3, 2 and 1 forwards
    s.parallelism.pipelineSchedule = "gpipe";
    EXPECT_EQ(pairedShare(*scheduleOf(s, 8, {})), 0.0);
    s.parallelism.pipelineModelParallelSize = 1;
    s.parallelism.pipelineSchedule = "1f1b";
    EXPECT_EQ(pairedShare(*scheduleOf(s, 1, {})), 0.0); // a single micro-batch has no other next to it
}

double seconds(const Scenario& s)
{
    const Result<CostedStep> step = costStep(s);
    EXPECT_TRUE(step.ok());
    return step.ok() ? step->noiseFreeSeconds : 0;
}

TEST(ExpertOverlap, StepsLieBetweenExposedTrafficAndNoTraffic)
{
    for (const char* name : {"qwen3-235b-256-h100", "deepseek-v3-2048-h800", "mixtral-8x22b-256-h100"}) {
        Scenario s = *scenarioPreset(name);
        s.parallelism.overlapMoeExpertParallelComm = false;
        const double separate = seconds(s);
        s.parallelism.overlapMoeExpertParallelComm = true;
        const double together = seconds(s);
        s.measured.kernels = {{"ep.all_to_all", 1e-12}};
        const double without = seconds(s);
        EXPECT_LT(together, separate) << name;
        EXPECT_GE(together, without) << name;
    }
}

TEST(Recomputation, ModulesCostTheirTimeAndSaveTheirMemory)
{
    Scenario s = *scenarioPreset("deepseek-v3-2048-h800");
    s.parallelism.overlapMoeExpertParallelComm = false;
    s.training.recomputeGranularity = "none";
    const Result<CostedStep> none = costStep(s);
    const double noneSeconds = seconds(s);
    s.training.recomputeGranularity = "selective";
    double lastSeconds = noneSeconds, lastMemory = none->memory.peakGib, lastFlops = none->hardwareFlopsPerStep;
    for (const char* modules : {"layernorm", "layernorm,moe_act", "layernorm moe_act mla_up_proj", "layernorm moe mla_up_proj"}) {
        s.training.recomputeModules = modules;
        const Result<CostedStep> step = costStep(s);
        ASSERT_TRUE(step.ok()) << modules;
        EXPECT_GT(seconds(s), lastSeconds) << modules;
        EXPECT_LT(step->memory.peakGib, lastMemory) << modules;
        EXPECT_GE(step->hardwareFlopsPerStep, lastFlops) << modules;
        lastSeconds = seconds(s);
        lastMemory = step->memory.peakGib;
        lastFlops = step->hardwareFlopsPerStep;
    }
    s.training.recomputeModules = "layernorm norms";
    EXPECT_FALSE(costStep(s).ok());
    s.training.recomputeModules = "";
    EXPECT_FALSE(costStep(s).ok());
}

TEST(GroupLimitedRouting, ReachesFewerNodes)
{
    Scenario s = *scenarioPreset("deepseek-v3-2048-h800");
    s.parallelism.overlapMoeExpertParallelComm = false;
    const double limited = seconds(s);
    s.model.moeRouterNumGroups = s.model.moeRouterGroupTopk = 0;
    EXPECT_GT(seconds(s), limited);
    s.model.moeRouterNumGroups = 8; // without a number per token
    EXPECT_FALSE(costStep(s).ok());
    // With one group per node and 4 of 8 of them, a token reaches 4 (1 - (3/4)^8) nodes instead of 8 (1 - (7/8)^8).
    s.model.moeRouterGroupTopk = 4;
    Kernel dispatch;
    dispatch.kind = CostKind::collective;
    dispatch.id = KernelId::epAllToAll;
    dispatch.op = CollectiveOp::allToAll;
    dispatch.domain = Domain::expert;
    dispatch.bytes = 1e10;
    const double four = CostModel(s, calibration()).seconds(dispatch);
    s.model.moeRouterNumGroups = s.model.moeRouterGroupTopk = 0;
    const double eight = CostModel(s, calibration()).seconds(dispatch);
    EXPECT_NEAR(four / eight, 4 * (1 - std::pow(0.75, 8)) / (8 * (1 - std::pow(0.875, 8))), 0.01);
}

} // namespace
} // namespace prism
