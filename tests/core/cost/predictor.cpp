// SPDX-License-Identifier: GPL-3.0-or-later
// Properties of the costed step: the breakdown adds up, more of a resource never costs time, graphs are valid.
#include "core/cost/predictor.h"

#include "core/cost/costmodel.h"
#include "core/scenario/presets.h"
#include "core/schedule/pieces.h"
#include "core/sim/simulate.h"
#include "core/workload/kernel.h"
#include "core/step/deterministicstep.h"
#include "core/step/passes.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <numeric>
#include <set>

namespace prism {
namespace {

Scenario preset(const char* name)
{
    Result<Scenario> s = scenarioPreset(name);
    EXPECT_TRUE(s.ok()) << name;
    return s.ok() ? *s : Scenario();
}

double seconds(const Scenario& s)
{
    const Result<CostedStep> step = costStep(s);
    EXPECT_TRUE(step.ok()) << (step.ok() ? "" : step.errors().front().message);
    return step.ok() ? step->noiseFreeSeconds : 0;
}

/// Seconds that a stage works in one step: its passes as often as the schedule runs them.
double workOfStage(const StepGraph& g, std::size_t stage)
{
    double work = 0;
    for (const PassStep& pass : passSteps(g.schedule.order[stage]))
        if (pass.runs)
            for (const Block& block : g.programs[static_cast<std::size_t>(g.programOf[stage][static_cast<std::size_t>(
                                                     programRow(g, pass.item, pass.paired))][static_cast<std::size_t>(pass.item.phase)])]
                                          .blocks)
                for (const Op& op : block.ops)
                    work += block.repeat * std::max(0.0, op.meanSeconds - op.hiddenSeconds);
    return work;
}

/// No step is shorter than the work of its busiest stage, none longer than all stages in sequence with every transfer of a
/// micro-batch; on a single stage it is its work and what follows once a step.
TEST(CostStep, EveryPresetTakesAtLeastItsBusiestStage)
{
    for (const std::string& name : presetNames("scenario")) {
        const Result<CostedStep> step = costStep(preset(name.c_str()));
        ASSERT_TRUE(step.ok()) << name << ": " << step.errors().front().message;
        const StepGraph& g = step->graph;
        const Diagnostics invalid = check(g);
        EXPECT_FALSE(hasErrors(invalid)) << name << ": " << (invalid.empty() ? "" : invalid.front().path + " " + invalid.front().message);
        EXPECT_NEAR(step->breakdown.sum() / step->noiseFreeSeconds, 1.0, 1e-9) << name;
        const auto exposed = [](const StepOp& op) {
            return op.kernelClass < 0 ? 0.0 : std::max(op.minExposedSeconds, op.meanSeconds - op.hiddenSeconds);
        };
        double busiest = 0, all = exposed(g.gradNorm) + exposed(g.embeddingAllReduce);
        for (std::size_t p = 0; p < g.programOf.size(); ++p) {
            const double work = workOfStage(g, p), once = exposed(g.gradSync[p]) + exposed(g.optimizer[p]) + exposed(g.paramGather[p]);
            busiest = std::max(busiest, work + once + exposed(g.gradNorm));
            all += work + once;
        }
        for (std::size_t hop = 0; hop < g.sendForward.size(); ++hop)
            all += g.schedule.numMicrobatches * (exposed(g.sendForward[hop]) + exposed(g.sendBackward[hop]));
        if (g.slow.empty()) {
            EXPECT_GE(step->noiseFreeSeconds, busiest * (1 - 1e-9)) << name;
            EXPECT_LE(step->noiseFreeSeconds, all * (1 + 1e-9)) << name;
        }
    }
}

/// Weights of all ranks of one model, 2 bytes each, are its parameters: dense presets without sharded parameters.
TEST(CostStep, StagesOfEveryDensePresetHoldItsParameters)
{
    int compared = 0;
    for (const std::string& name : presetNames("scenario")) {
        const Scenario s = preset(name.c_str());
        if (s.model.numExperts > 0 || s.model.tiedEmbeddings || s.parallelism.zeroStage == 3)
            continue;
        const CostedStep step = *costStep(s);
        double gib = 0;
        for (const StageMemory& m : step.memory.stages)
            gib += m.weightsGib * static_cast<double>(step.world.tp);
        EXPECT_NEAR(gib * 1024 * 1024 * 1024 / 2 / step.parameters, 1, 1e-9) << name;
        ++compared;
    }
    EXPECT_GE(compared, 10);
}

TEST(CostStep, MoreBandwidthOrPeakIsNeverSlower)
{
    const Scenario base = preset("gpt3-175b-1024-a100");
    const double before = seconds(base);
    Scenario s = base;
    s.cluster.interNodeGbPerS *= 2;
    EXPECT_LE(seconds(s), before);
    s = base;
    s.cluster.intraNodeGbPerS *= 2;
    EXPECT_LE(seconds(s), before);
    s = base;
    s.cluster.gpu.memoryBandwidthGbPerS *= 2;
    EXPECT_LE(seconds(s), before);
    s = base;
    s.cluster.gpu.peakBf16Tflops *= 2;
    s.cluster.gpu.peakFp16Tflops *= 2;
    EXPECT_LT(seconds(s), before);
}

TEST(CostStep, EveryPresetFitsOrNotesWhyNot)
{
    for (const std::string& name : presetNames("scenario")) {
        const auto note = nlohmann::json::parse(*presetText("scenario", name)).value("note", std::string());
        EXPECT_TRUE(costStep(*scenarioPreset(name))->memory.fits || note.find("too large for the GPU") != std::string::npos) << name;
    }
}

/// github.com/chuanyangjin/fast-DiT: DiT-XL/2 on one A100, batch 128, mixed precision, recomputation: 0.84 steps/s.
TEST(CostStep, ADiffusionTransformerTakesTheStepThatWasMeasured)
{
    Scenario s = *scenarioPreset("dit-xl2-8-a100");
    s.cluster.numGpus = 1;
    s.training.microBatchSize = s.training.globalBatchSize = 128;
    const CostedStep step = *costStep(s);
    const double error = step.noiseFreeSeconds * 0.84 - 1.0;
    EXPECT_GT(error, step.errorBandLow);
    EXPECT_LT(error, step.errorBandHigh);
    EXPECT_NEAR(step.parameters, 675'129'632.0, 0.5);
    // Recomputation repeats the forward: four passes of two FLOPs for each multiply-addition.
    EXPECT_NEAR(step.hardwareFlopsPerStep / (4 * 2 * 118.64e9 * 128), 1.0, 0.001);
    s.training.recomputeGranularity = "none";
    const CostedStep kept = *costStep(s);
    EXPECT_LT(kept.noiseFreeSeconds, step.noiseFreeSeconds);
    EXPECT_GT(kept.memory.peakGib, step.memory.peakGib);
}

TEST(CostStep, RecomputationCostsTimeAndSavesMemory)
{
    Scenario s = preset("gpt3-175b-1024-a100");
    s.training.recomputeGranularity = "none";
    const Result<CostedStep> none = costStep(s);
    s.training.recomputeGranularity = "full";
    const Result<CostedStep> full = costStep(s);
    ASSERT_TRUE(none.ok() && full.ok());
    EXPECT_GT(full->noiseFreeSeconds, none->noiseFreeSeconds);
    EXPECT_LT(full->memory.peakGib, none->memory.peakGib);
}

TEST(CostStep, ZeroStagesShardMoreAndMore)
{
    Scenario s = preset("llama2-7b-8-a100");
    double last = 1e300;
    for (int stage = 0; stage <= 3; ++stage) {
        s.parallelism.zeroStage = stage;
        const Result<CostedStep> step = costStep(s);
        ASSERT_TRUE(step.ok());
        const StageMemory& m = step->memory.stages.front();
        const double states = m.weightsGib + m.gradientsGib + m.optimizerGib;
        EXPECT_LT(states, last) << "ZeRO " << stage;
        last = states;
    }
}

TEST(CostStep, MixedPrecisionKeepsTwoFourAndTwelveBytesAParameter)
{
    // Weights in 16 bit, gradients reduced in FP32, FP32 master weights and two moments of Adam; ZeRO stage k shards the first k of
    // optimizer, gradients, weights over the data-parallel ranks (Rajbhandari et al. 2020, arXiv 1910.02054, section 5). FSDP's FP32 shards
    // of the weights are their own master weights.
    Scenario s = preset("llama2-7b-8-a100");
    s.parallelism.tensorModelParallelSize = s.parallelism.pipelineModelParallelSize = 1; // eight data-parallel ranks
    constexpr double kGib = 1024.0 * 1024 * 1024;
    for (int stage = 0; stage <= 3; ++stage) {
        s.parallelism.zeroStage = stage;
        const Result<CostedStep> step = costStep(s);
        ASSERT_TRUE(step.ok());
        const StageMemory& m = step->memory.stages.front();
        const double n = step->parameters / kGib;
        EXPECT_NEAR(m.optimizerGib / n, (stage >= 3 ? 8.0 : 12.0) / (stage >= 1 ? 8 : 1), 1e-9) << stage;
        EXPECT_NEAR(m.gradientsGib / n, 4.0 / (stage >= 2 ? 8 : 1), 1e-9) << stage;
        EXPECT_NEAR(m.weightsGib / n, (stage >= 3 ? 4.0 / 8 : 2.0), 1e-9) << stage;
    }
    s.parallelism.zeroStage = 0;
    s.training.gradReduceInFp32 = false;
    EXPECT_NEAR(costStep(s)->memory.stages.front().gradientsGib * kGib / costStep(s)->parameters, 2.0, 1e-9);
}

TEST(CostStep, VariabilityReachesTheClasses)
{
    Scenario s = preset("llama2-7b-8-a100");
    s.variability.gemm = {Family::lognormal, 0.02};
    s.variability.classOverrides["norm"] = {Family::gamma, 0.3};
    s.variability.spatialSensitivity["gemm"] = 0.5;
    const Result<CostedStep> step = costStep(s);
    ASSERT_TRUE(step.ok());
    std::set<std::string> seen;
    for (const KernelClass& c : step->graph.classes) {
        seen.insert(c.name);
        if (c.name == "gemm.fc1") {
            EXPECT_EQ(c.temporal.cv, 0.02);
            EXPECT_EQ(c.spatialSensitivity, 0.5);
        }
        if (c.name == "norm") {
            EXPECT_EQ(c.temporal.family, Family::gamma);
        }
    }
    for (const char* name : {"gemm.qkv",
                             "gemm.proj",
                             "gemm.fc1",
                             "gemm.fc2",
                             "attention",
                             "norm",
                             "activation",
                             "embedding",
                             "lm_head",
                             "loss",
                             "tp.all_gather",
                             "tp.reduce_scatter",
                             "tp.all_reduce",
                             "ep.all_to_all",
                             "pp.send_recv",
                             "dp.reduce_scatter",
                             "dp.all_gather",
                             "dp.all_reduce",
                             "grad_norm.all_reduce",
                             "optimizer"})
        EXPECT_TRUE(seen.contains(name)) << name;
}

TEST(CostStep, InvalidScenariosAreErrorsNotCrashes)
{
    Scenario s = preset("llama2-7b-8-a100");
    s.parallelism.tensorModelParallelSize = 3;
    EXPECT_FALSE(costStep(s).ok());
    s = preset("llama2-7b-8-a100");
    s.model.numLayers = 0;
    EXPECT_FALSE(costStep(s).ok());
}

TEST(CostModel, LongerMessagesAndMoreRanksTakeLonger)
{
    const Scenario s = preset("gpt3-175b-1024-a100");
    const CostModel cost(s, calibration());
    GroupGeometry group;
    group.size = group.ranksPerNode = 8;
    for (const CollectiveOp op : {CollectiveOp::allReduce, CollectiveOp::allGather, CollectiveOp::reduceScatter, CollectiveOp::allToAll}) {
        double last = 0;
        for (double bytes = 1 << 16; bytes < 9e9; bytes *= 4) {
            const double t = cost.collectiveSeconds(op, group, bytes);
            EXPECT_GE(t, last);
            last = t;
        }
    }
    GroupGeometry wide = group;
    wide.size = 16;
    wide.nodes = 2;
    EXPECT_GT(cost.collectiveSeconds(CollectiveOp::allReduce, wide, 1 << 26),
              cost.collectiveSeconds(CollectiveOp::allReduce, group, 1 << 26));
}

TEST(RankLayout, EveryRankHasOnePlaceForEveryOrder)
{
    for (const char* order : {"tp-cp-ep-dp-pp", "tp-cp-pp-ep-dp", "tp-dp-pp", "pp-dp-tp", "dp-tp-cp-pp"}) {
        Scenario s = preset("gpt3-175b-1024-a100");
        s.parallelism.rankOrder = order;
        const std::vector<RankPosition> layout = rankLayout(s);
        ASSERT_EQ(static_cast<std::int64_t>(layout.size()), s.cluster.numGpus);
        std::set<std::array<int, 3>> places;
        for (const RankPosition& r : layout)
            places.insert({r.replica, r.stage, r.rankInCell});
        EXPECT_EQ(places.size(), layout.size()) << order;
    }
}

TEST(RankLayout, TensorGroupsStayOnANodeInTheUsualOrder)
{
    const Layout l = layoutOf(preset("gpt3-175b-1024-a100"));
    EXPECT_EQ(l.tensor.nodes, 1);
    EXPECT_EQ(l.tensor.scope(), Scope::intraNode);
    EXPECT_GT(l.data.nodes, 1);
}

TEST(CostStep, TheHostBoundsALayerThatIsTooSmallForTheGpu)
{
    Scenario s = preset("llama2-7b-8-a100");
    s.training.attentionBackend = "unfused"; // the older generation
    s.model.hiddenSize = s.model.ffnHiddenSize = 256;
    s.model.seqLength = 128;
    s.training.microBatchSize = 1;
    const SoftwareCalibration& software = calibration().software;
    const auto perLayerAndMicrobatch = [&](const char* recompute) {
        s.training.recomputeGranularity = recompute;
        const auto at = [&](int layers) {
            s.model.numLayers = layers;
            const Result<CostedStep> step = costStep(s);
            EXPECT_TRUE(step.ok());
            return step.ok() ? step->noiseFreeSeconds : 0.0;
        };
        const double microbatches =
            static_cast<double>(s.training.globalBatchSize) / static_cast<double>(s.training.microBatchSize * s.dataParallelSize());
        return (at(16) - at(8)) / 8 / microbatches;
    };
    // One forward, one backward, and with recomputation another forward, each of them checkpointed.
    const LayerKernels kernels = layerKernels(s, shapeOf(s), LayerKind::dense);
    const auto launchSeconds = [&](const std::vector<Kernel>& list) {
        return software.hostSecondsPerLaunch
               * std::accumulate(list.begin(), list.end(), 0.0, [](double n, const Kernel& k) { return n + k.launches; });
    };
    const double forward = launchSeconds(kernels.forward), plain = forward + launchSeconds(kernels.backward);
    const double checkpointed = plain + forward + 3 * software.checkpointSecondsPerLayer;
    EXPECT_NEAR(perLayerAndMicrobatch("none") / plain, 1.0, 0.05); // the rest is the optimizer's share
    EXPECT_NEAR(perLayerAndMicrobatch("full") / checkpointed, 1.0, 0.05);
}

} // namespace
} // namespace prism
