// SPDX-License-Identifier: GPL-3.0-or-later
// Model state and its traffic by hand: bytes per parameter and sharding (Rajbhandari et al. 2020, ZeRO, arXiv 1910.02054, sections 3.1 and
// 5), what data-parallel ranks reduce and gather, what stages send, and what the optimizer moves. The time of a message of known bytes is
// that of the collective model, which is tested separately.
#include "core/cost/costmodel.h"
#include "core/cost/datatraffic.h"
#include "core/cost/predictor.h"
#include "core/cost/programs.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace prism {
namespace {

constexpr double kBytesOfGib = 1024.0 * 1024 * 1024;

/// h 6,144, attention of 48 heads of 128 with 8 groups, 8 gated experts of 16,384; four layers on two stages, TP 4, EP 4, expert TP 2, 64
/// GPUs in nodes of 8: data-parallel groups have 64 / (4 x 2) = 8 ranks, two on a node; those of an expert 32 / (4 x 2) = 4, one on each.
Scenario stateScenario()
{
    Scenario s;
    s.model.hiddenSize = 6144;
    s.model.numAttentionHeads = 48;
    s.model.numQueryGroups = 8;
    s.model.kvChannels = 128;
    s.model.ffnHiddenSize = 16384;
    s.model.vocabSize = 32768;
    s.model.seqLength = 4096;
    s.model.numLayers = 4;
    s.model.numExperts = 8;
    s.model.moeRouterTopk = 2;
    s.model.moeFfnHiddenSize = 16384;
    s.parallelism.tensorModelParallelSize = 4;
    s.parallelism.pipelineModelParallelSize = 2;
    s.parallelism.expertModelParallelSize = 4;
    s.parallelism.expertTensorParallelSize = 2;
    s.training.globalBatchSize = 64;
    s.cluster.numGpus = 64;
    s.cluster.gpu.memoryGib = 1000;
    return s;
}

constexpr double kAttention = 6144.0 * (2 * 48 + 2 * 8) * 128, kVocabulary = 32768.0 * 6144, kSmall = 6144.0 * (8 + 2); // router, two norms
/// Of one rank of the first stage: two layers and the embedding over TP; both layers' experts over EP and expert TP.
constexpr double kDense = (2 * (kAttention + kSmall) + kVocabulary) / 4, kExpert = 2 * 8 * 3 * 6144.0 * 16384 / 8;

const GroupGeometry kDataGroup{8, 2, 4, 4}, kExpertGroup{4, 1, 4, 8};

CostedStep costedStep(const Scenario& s)
{
    Result<CostedStep> step = costStep(s);
    EXPECT_TRUE(step.ok()) << step.errors().front().path << " " << step.errors().front().message;
    return std::move(step).value();
}

TEST(ModelState, EveryZeroStageShardsOnePartMore)
{
    struct Bytes {
        double weight, gradient, optimizer;
    };
    const auto expectBytes = [](Scenario s, Bytes b) {
        for (int zero = 0; zero <= 3; ++zero) {
            s.parallelism.zeroStage = zero;
            const StageMemory m = costedStep(s).memory.stages.front();
            const auto gib = [&](double bytes, bool sharded) {
                return bytes * (sharded ? kDense / 8 + kExpert / 4 : kDense + kExpert) / kBytesOfGib;
            };
            const double master = zero >= 3 && b.weight < 4 ? 4 : 0; // FSDP's FP32 shards of the weights are the master weights
            EXPECT_NEAR(m.weightsGib, gib(master > 0 ? master : b.weight, zero >= 3), 1e-9) << zero;
            EXPECT_NEAR(m.gradientsGib, gib(b.gradient, zero >= 2), 1e-9) << zero;
            EXPECT_NEAR(m.optimizerGib, gib(b.optimizer - master, zero >= 1), 1e-9) << zero;
            EXPECT_NEAR(m.totalGib, m.weightsGib + m.gradientsGib + m.optimizerGib + m.activationsGib + m.buffersGib, 1e-9);
        }
    };
    Scenario s = stateScenario();
    expectBytes(s, {2, 4, 12}); // 16-bit weights, FP32 gradients, master weights and two moments
    s.training.gradReduceInFp32 = false;
    expectBytes(s, {2, 2, 12});
    s.training.optimizer = "sgd"; // one moment
    expectBytes(s, {2, 2, 8});
    s.training.precision = "fp32"; // no master weights
    expectBytes(s, {4, 4, 4});
    s.training.optimizer = "adam";
    expectBytes(s, {4, 4, 8});
}

/// The last stage holds the output layer and the final norm instead of the embedding, and a tied copy of the embedding likewise.
TEST(ModelState, TheLastStageHoldsTheOutputLayer)
{
    Scenario s = stateScenario();
    for (const bool tied : {false, true}) {
        s.model.tiedEmbeddings = tied;
        EXPECT_NEAR(costedStep(s).memory.stages.at(1).weightsGib, 2 * (kDense + 6144 / 4.0 + kExpert) / kBytesOfGib, 1e-9);
    }
    // On one stage a tied table is there once.
    s.parallelism.pipelineModelParallelSize = 1;
    EXPECT_NEAR(costedStep(s).memory.stages.at(0).weightsGib,
                2 * ((4 * (kAttention + kSmall) + kVocabulary + 6144) / 4 + 2 * kExpert) / kBytesOfGib, 1e-9);
    s.model.tiedEmbeddings = false;
    EXPECT_NEAR(costedStep(s).memory.stages.at(0).weightsGib,
                2 * ((4 * (kAttention + kSmall) + 2 * kVocabulary + 6144) / 4 + 2 * kExpert) / kBytesOfGib, 1e-9);
}

/// A stage with a layer that predicts one token more: the layer, the projection of two joined vectors, three norms; and the first k layers
/// without experts.
TEST(ModelState, PredictionLayersAndLeadingDenseLayersCount)
{
    Scenario s = stateScenario();
    s.model.mtpNumLayers = 1;
    const double joined = (2 * 6144.0 * 6144 + 3 * 6144) / 4;
    EXPECT_NEAR(costedStep(s).memory.stages.at(1).weightsGib,
                2 * (kDense + (kAttention + kSmall) / 4 + joined + 6144 / 4.0 + 1.5 * kExpert) / kBytesOfGib, 1e-9);
    s.model.mtpNumLayers = 0;
    s.model.moeFirstKDense = 1;
    const double mlp = 3 * 6144.0 * 16384, router = 6144.0 * 8;
    EXPECT_NEAR(costedStep(s).memory.stages.at(0).weightsGib, 2 * (kDense + (mlp - router) / 4 + kExpert / 2) / kBytesOfGib, 1e-9);
}

/// Measured on 8 B200 (SimuMax v1.2, b200 repro guide): peak of the reserved memory, GiB, of Llama 3 with fewer layers, sequences of 4,096
/// and ZeRO-1. The report adds what lies outside of the framework (outsideGib). The largest error is 2.7 %.
TEST(ModelState, PeaksAreThoseThatWereMeasured)
{
    struct Run {
        const char* model;
        int layers, tp, pp;
        double peakGib;
    };
    for (const Run& run : {Run{"llama3-70b", 12, 2, 1, 62.53},
                           {"llama3-70b", 12, 4, 1, 40.18},
                           {"llama3-405b", 4, 1, 2, 92.26},
                           {"llama3-405b", 4, 2, 1, 84.7},
                           {"llama3-405b", 4, 4, 1, 54.65}}) {
        Scenario s;
        s.model = *modelPreset(run.model);
        s.model.numLayers = run.layers;
        s.model.seqLength = 4096;
        s.cluster.gpu = *gpuPreset("b200-sxm-180gb");
        s.cluster.numGpus = 8;
        s.parallelism.tensorModelParallelSize = run.tp;
        s.parallelism.pipelineModelParallelSize = run.pp;
        s.training.globalBatchSize = 4 * 8 / (run.tp * run.pp);
        EXPECT_NEAR((costedStep(s).memory.peakGib - costedStep(s).memory.outsideGib) / run.peakGib, 1, 0.03)
            << run.model << " TP " << run.tp;
    }
}

double collectiveTime(const Scenario& s, CollectiveOp op, double denseBytes, double expertBytes, GroupGeometry data = kDataGroup,
                      GroupGeometry expert = kExpertGroup)
{
    const CostModel cost(s, calibration());
    return cost.collectiveSeconds(op, data, denseBytes) + cost.collectiveSeconds(op, expert, expertBytes);
}

/// All data-parallel ranks reduce the gradients of the parameters that they share and gather the updated 16-bit weights; without a sharded
/// optimizer they all-reduce.
TEST(StateTraffic, GradientsAndWeightsMoveOnceAStep)
{
    Scenario s = stateScenario();
    const auto expectTimes = [&](CollectiveOp reduce, double gradient, double weight) {
        const StepGraph g = costedStep(s).graph;
        EXPECT_NEAR(g.gradSync[0].meanSeconds / collectiveTime(s, reduce, gradient * kDense, gradient * kExpert), 1, 1e-9);
        EXPECT_EQ(g.gradSync[0].kernelClass,
                  static_cast<int>(reduce == CollectiveOp::allReduce ? KernelId::dpAllReduce : KernelId::dpReduceScatter));
        if (weight > 0) {
            EXPECT_NEAR(g.paramGather[0].meanSeconds / collectiveTime(s, CollectiveOp::allGather, weight * kDense, weight * kExpert), 1,
                        1e-9);
        } else {
            EXPECT_LT(g.paramGather[0].kernelClass, 0);
        }
    };
    expectTimes(CollectiveOp::reduceScatter, 4, 2);
    s.training.gradReduceInFp32 = false;
    expectTimes(CollectiveOp::reduceScatter, 2, 2);
    s.training.precision = "fp8_delayed";
    s.parallelism.fp8ParamGather = true;
    expectTimes(CollectiveOp::reduceScatter, 2, 1);
    s.training.precision = "mxfp8"; // whose parameters travel in BF16
    expectTimes(CollectiveOp::reduceScatter, 2, 2);
    s.parallelism.zeroStage = 0;
    expectTimes(CollectiveOp::allReduce, 2, 0);
}

/// Mean seconds of every operation of a class in a program, layer by layer.
std::vector<double> timesOf(const StepGraph& g, int phase, KernelId id)
{
    std::vector<double> times;
    for (const Block& b : g.programs[static_cast<std::size_t>(g.programOf[0][0][static_cast<std::size_t>(phase)])].blocks)
        for (const Op& op : b.ops)
            if (op.kernelClass == static_cast<int>(id))
                times.insert(times.end(), static_cast<std::size_t>(b.repeat), op.meanSeconds);
    return times;
}

/// ZeRO-3 (FSDP, arXiv 2304.11277, section 3): each layer's weights are gathered in its forward and again in its backward, its gradients
/// are scattered; embedding and head once each (sharding.cpp); of the dense part over all data-parallel ranks and of an expert's part, over
/// EP and expert TP, over those of the expert.
TEST(StateTraffic, ShardedLayersAreGatheredTwiceAndScatteredOnce)
{
    Scenario s = stateScenario();
    s.parallelism.pipelineModelParallelSize = 1; // 16 data-parallel ranks, 8 for an expert
    s.parallelism.zeroStage = 3;
    const double dense = (kAttention + kSmall) / 4, expert = kExpert / 2;
    const GroupGeometry data{16, 2, 8, 4}, expertData{8, 1, 8, 8};
    for (const bool overlap : {true, false})
        for (const char* recompute : {"none", "full"}) {
            s.parallelism.overlapGradReduce = s.parallelism.overlapParamGather = overlap;
            s.training.recomputeGranularity = recompute; // a repeated forward finds them gathered
            const StepGraph g = costedStep(s).graph;
            const double gather = collectiveTime(s, CollectiveOp::allGather, 2 * dense, 2 * expert, data, expertData);
            const double scatter = collectiveTime(s, CollectiveOp::reduceScatter, 4 * dense, 4 * expert, data, expertData);
            for (const auto& [phase, id, seconds] : {std::tuple{0, KernelId::dpAllGather, gather},
                                                     {1, KernelId::dpAllGather, gather},
                                                     {1, KernelId::dpReduceScatter, scatter}}) {
                const std::vector<double> times = timesOf(g, phase, id);
                EXPECT_EQ(times.size(), phase == 1 && id == KernelId::dpAllGather ? 4U : 6U);
                EXPECT_EQ(std::count_if(times.begin(), times.end(), [s = seconds](double t) { return std::abs(t / s - 1) < 1e-9; }), 4);
            }
            EXPECT_TRUE(timesOf(g, 0, KernelId::dpReduceScatter).empty());
            EXPECT_LT(g.gradSync[0].kernelClass, 0); // nothing once a step
        }
    s.parallelism.hsdpShardSize = 4; // on two nodes
    EXPECT_NEAR(timesOf(costedStep(s).graph, 0, KernelId::dpAllGather).at(1)
                    / collectiveTime(s, CollectiveOp::allGather, 2 * dense, 2 * expert, {4, 2, 2, 4}, {2, 1, 2, 8}), // four copies of each
                1, 1e-9);
}

/// Plain schedule: the first stage gathers bucket by bucket ahead of its first forward; each later stage gathers when its first input
/// comes, so that all of them lie on the way of the warm-up (Megatron-Core: align_param_gather is off without virtual stages).
TEST(StateTraffic, LaterStagesGatherOnTheWayOfTheWarmUp)
{
    Scenario s = stateScenario();
    s.parallelism.pipelineModelParallelSize = 4; // one layer each; four data-parallel ranks
    s.parallelism.pipelineSchedule = "1f1b";
    const CostedStep step = costedStep(s);
    const double dense = (kAttention + kSmall) / 4, expert = kExpert / 2;
    const GroupGeometry data{4, 2, 2, 4}, expertData{2, 1, 2, 8};
    const auto gather = [&](double others) {
        return collectiveTime(s, CollectiveOp::allGather, 2 * (dense + others / 4), 2 * expert, data, expertData);
    };
    const double first = gather(kVocabulary), middle = gather(0), last = gather(kVocabulary + 6144);
    const double forward = programSeconds(step.graph.programs[static_cast<std::size_t>(step.graph.programOf[0][0][0])]);
    const double buckets = std::ceil((dense + kVocabulary / 4 + expert) / 40e6);
    ASSERT_EQ(buckets, 10); // 374 M parameters
    const double exposed = first / buckets + (buckets - 1) / buckets * std::max(0.0, first - forward);
    EXPECT_NEAR(step.graph.paramGather[0].minExposedSeconds / (exposed + 2 * middle + last), 1, 1e-9);
    EXPECT_GE(step.breakdown.dataParallelSeconds, exposed + 2 * middle + last);
}

/// A stage sends its rank's tokens, b s / (CP x TP) of them with sequence parallelism; without, each rank sends its share and the receivers
/// gather the whole (scatter/gather, Narayanan et al. 2021, arXiv 2104.04473, section 4.1).
TEST(StateTraffic, StagesSendTheirTokens)
{
    Scenario s = stateScenario();
    s.training.microBatchSize = 2;
    const CostModel cost(s, calibration());
    const double share = 2 * 4096 / 4.0 * 6144 * 2;
    const GroupGeometry pair{2, 1, 2, 1}, tensor{4, 4, 1, 1};
    StepGraph g = costedStep(s).graph;
    ASSERT_EQ(g.sendForward.size(), 1U);
    EXPECT_EQ(g.sendForward[0].kernelClass, static_cast<int>(KernelId::ppSendRecvInter)); // at a distance of 32 ranks
    EXPECT_NEAR(g.sendForward[0].meanSeconds / cost.collectiveSeconds(CollectiveOp::sendRecv, pair, share), 1, 1e-9);
    EXPECT_EQ(g.sendBackward, g.sendForward);
    s.parallelism.sequenceParallel = false;
    g = costedStep(s).graph;
    EXPECT_NEAR(g.sendForward[0].meanSeconds
                    / (cost.collectiveSeconds(CollectiveOp::sendRecv, pair, share)
                       + cost.collectiveSeconds(CollectiveOp::allGather, tensor, 4 * share)),
                1, 1e-9);
}

/// Tied embeddings: first and last stage all-reduce the table's FP32 gradient over TP; the norm of all gradients is one number from every
/// rank, in a tree.
TEST(StateTraffic, TiedTablesAndTheNormOfTheGradients)
{
    Scenario s = stateScenario();
    s.model.tiedEmbeddings = true;
    const CostModel cost(s, calibration());
    const StepGraph g = costedStep(s).graph;
    EXPECT_NEAR(g.embeddingAllReduce.meanSeconds / cost.collectiveSeconds(CollectiveOp::allReduce, {2, 1, 2, 1}, 4 * kVocabulary / 4), 1,
                1e-9);
    EXPECT_NEAR(g.gradNorm.meanSeconds / cost.collectiveSeconds(CollectiveOp::allReduce, {7, 8, 8, 1}, 4), 1,
                1e-9); // 2^6 ranks: 1 + 6 steps
}

/// Adam on the shard (30 bytes a parameter: gradient, master weight and two moments read, these three and the 16-bit weight written), norm
/// (4) and clipping (8) of its gradients; all gradients written once to clear, read and written to scale them before their reduction.
TEST(StateTraffic, TheOptimizerMovesItsShard)
{
    Scenario s = stateScenario();
    const GpuCalibration gpu = gpuCalibration(calibration(), s.cluster.gpu);
    const SoftwareCalibration& software = calibration().software;
    const double bandwidth = 3352e9 * gpu.memoryEfficiency,
                 once = 20 * gpu.launchSeconds + software.stepSeconds + 3 * software.syncSeconds; // 8 nodes
    const auto seconds = [&] { return costedStep(s).graph.optimizer[0].meanSeconds; };
    EXPECT_NEAR(seconds(), ((kDense / 8 + kExpert / 4) * (30 + 12) + (kDense + kExpert) * 3 * 4) / bandwidth + once, 1e-9);
    s.training.optimizer = "sgd"; // one moment: read and written four bytes less each
    EXPECT_NEAR(seconds(), ((kDense / 8 + kExpert / 4) * (22 + 12) + (kDense + kExpert) * 3 * 4) / bandwidth + once, 1e-9);
    s.parallelism.zeroStage = 0;
    EXPECT_NEAR(seconds(), (kDense + kExpert) * (22 + 12 + 3 * 4) / bandwidth + once, 1e-9);
}

} // namespace
} // namespace prism
