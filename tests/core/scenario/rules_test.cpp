// SPDX-License-Identifier: GPL-3.0-or-later
// Each rule that joins fields of a scenario, just broken and just kept. A message appears once, its fix removes it, and no rule of
// the sources is without a case.
#include "rulecases.h"

#include "core/base/text.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"

#include <cmath>
#include <functional>

namespace prism {
namespace {

/// Two stages of two ranks, two replicas, eight micro-batches; nothing is invalid with it.
Scenario fine()
{
    Scenario s;
    s.parallelism.tensorModelParallelSize = s.parallelism.pipelineModelParallelSize = 2;
    s.training.globalBatchSize = 16;
    s.variability.gemm = {Family::lognormal, 0.01};
    return s;
}

Scenario experts()
{
    Scenario s = fine();
    s.model.numExperts = 8;
    s.model.moeRouterTopk = 2;
    s.model.moeFfnHiddenSize = 1024;
    s.parallelism.expertModelParallelSize = 2;
    return s;
}

Scenario chunked()
{
    Scenario s = fine();
    s.parallelism.virtualPipelineModelParallelSize = 2;
    s.parallelism.pipelineSchedule = "interleaved";
    return s;
}

Scenario layout()
{
    Scenario s = fine();
    s.model.mtpNumLayers = 1;
    s.parallelism.pipelineModelParallelLayout = "Et*16|t*16mL";
    return s;
}

struct Rule {
    const char* message; ///< or a part of it
    const char* path;
    Scenario (*base)();
    std::function<void(Scenario&)> broken, kept;
    Severity severity = Severity::error;
};

// One field with its value that breaks the rule and the nearest that keeps it.
#define PRISM_EDIT(...)                                                                                                                    \
    [](Scenario& s) {                                                                                                                      \
        (void)s;                                                                                                                           \
        __VA_ARGS__;                                                                                                                       \
    }
#define PRISM_ONE(member, invalid, right) PRISM_EDIT(s.member = invalid), PRISM_EDIT(s.member = right)
constexpr const char *kTp = "parallelism.tensor_model_parallel_size", *kPp = "parallelism.pipeline_model_parallel_size",
                     *kVpp = "parallelism.virtual_pipeline_model_parallel_size", *kEp = "parallelism.expert_model_parallel_size",
                     *kGbs = "training.global_batch_size";
constexpr Severity kWarning = Severity::warning, kNote = Severity::note;

// clang-format off
const Rule kRules[] = {
    // heads and widths
    {"the query groups do not divide the attention heads", "model.num_query_groups", fine, PRISM_ONE(model.numQueryGroups, 7, 8)},
    {"TP does not divide the attention heads", "parallelism.tensor_model_parallel_size", fine,
     PRISM_ONE(model.numAttentionHeads = s.model.numQueryGroups, 33, 34)},
    {"TP does not divide the FFN hidden size", "parallelism.tensor_model_parallel_size", fine, PRISM_ONE(model.ffnHiddenSize, 11007, 11006)},
    {"TP and the query groups do not divide each other", "parallelism.tensor_model_parallel_size", fine,
     PRISM_EDIT(s.model.numAttentionHeads = 30; s.model.numQueryGroups = 3), PRISM_EDIT(s.model.numAttentionHeads = 30; s.model.numQueryGroups = 6)},
    {"TP and the query groups do not divide each other", "parallelism.tensor_model_parallel_size", fine,
     PRISM_EDIT(s.model.numAttentionHeads = 30; s.model.numQueryGroups = 3),
     PRISM_EDIT(s.model.numAttentionHeads = 30; s.model.numQueryGroups = 3; s.model.multiLatentAttention = true)},
    {"TP is larger than the query groups", "parallelism.tensor_model_parallel_size", fine, PRISM_ONE(model.numQueryGroups, 1, 2), kWarning},
    {"TP is larger than the query groups", "parallelism.tensor_model_parallel_size", fine, PRISM_ONE(model.numQueryGroups, 1, 1; s.model.multiLatentAttention = true), kWarning},
    {"a dense model needs an MLP", "model.ffn_hidden_size", fine, PRISM_ONE(model.ffnHiddenSize, 0, 2)},
    {"a dense model needs an MLP", "model.ffn_hidden_size", experts, PRISM_EDIT(s.model.ffnHiddenSize = s.model.numExperts = 0; s.parallelism.expertModelParallelSize = 1), PRISM_EDIT(s.model.ffnHiddenSize = 0)},
    // layer pattern
    {"unknown kind of layer", "model.layer_pattern[0].kind", fine, PRISM_EDIT(s.model.layerPattern = {{"dens", 1}}), PRISM_EDIT(s.model.layerPattern = {{"dense", 1}})},
    {"count is out of range", "model.layer_pattern[1].count", fine, PRISM_EDIT(s.model.layerPattern = {{"mlp", 1}, {"dense", 0}}), PRISM_EDIT(s.model.layerPattern = {{"mlp", 1}, {"dense", 1}})},
    {"count is out of range", "model.layer_pattern[0].count", fine, PRISM_EDIT(s.model.layerPattern = {{"mamba", 4097}}), PRISM_EDIT(s.model.layerPattern = {{"mamba", 4096}})},
    {"has expert layers, the model has no experts", "model.num_experts", fine, PRISM_EDIT(s.model.layerPattern = {{"moe", 1}}), PRISM_EDIT(s = experts(); s.model.layerPattern = {{"moe", 1}})},
    {"has expert layers, the model has no experts", "model.num_experts", fine, PRISM_EDIT(s.model.layerPattern = {{"moe_layer", 1}}), PRISM_EDIT(s.model.layerPattern = {{"attention", 1}})},
    {"has sliding layers, the window is 0", "model.sliding_window", fine, PRISM_EDIT(s.model.layerPattern = {{"sliding", 1}}), PRISM_EDIT(s.model.layerPattern = {{"sliding", 1}}; s.model.slidingWindow = 1)},
    // experts
    {"EP is larger than 1, the model has no experts", "parallelism.expert_model_parallel_size", fine, PRISM_ONE(parallelism.expertModelParallelSize, 2, 1)},
    {"there is no all-to-all to overlap", "parallelism.overlap_moe_expert_parallel_comm", experts,
     PRISM_EDIT(s.parallelism.overlapMoeExpertParallelComm = true; s.parallelism.expertModelParallelSize = 1), PRISM_EDIT(s.parallelism.overlapMoeExpertParallelComm = true), kWarning},
    {"overlaps the all-to-all without full recomputation only", "parallelism.overlap_moe_expert_parallel_comm", experts,
     PRISM_EDIT(s.parallelism.overlapMoeExpertParallelComm = true; s.training.recomputeGranularity = "full"),
     PRISM_EDIT(s.parallelism.overlapMoeExpertParallelComm = true; s.training.recomputeGranularity = "selective"), kWarning},
    {"experts per token must lie between", "model.moe_router_topk", experts, PRISM_ONE(model.moeRouterTopk, 9, 8)},
    {"experts per token must lie between", "model.moe_router_topk", experts, PRISM_ONE(model.moeRouterTopk, 0, 1)},
    {"group-limited routing needs groups", "model.moe_router_num_groups", experts, PRISM_EDIT(s.model.moeRouterNumGroups = 3; s.model.moeRouterGroupTopk = 1), PRISM_EDIT(s.model.moeRouterNumGroups = 4; s.model.moeRouterGroupTopk = 1)},
    {"group-limited routing needs groups", "model.moe_router_num_groups", experts, PRISM_EDIT(s.model.moeRouterNumGroups = 4; s.model.moeRouterGroupTopk = 5), PRISM_EDIT(s.model.moeRouterNumGroups = 4; s.model.moeRouterGroupTopk = 4)},
    {"group-limited routing needs groups", "model.moe_router_num_groups", experts, PRISM_EDIT(s.model.moeRouterNumGroups = 4), PRISM_EDIT(s.model.moeRouterNumGroups = s.model.moeRouterGroupTopk = 0)},
    {"group-limited routing needs groups", "model.moe_router_num_groups", experts, PRISM_EDIT(s.model.moeRouterGroupTopk = 1), PRISM_EDIT(s.model.moeRouterNumGroups = s.model.moeRouterGroupTopk = 1)},
    {"experts need a width", "model.moe_ffn_hidden_size", experts, PRISM_ONE(model.moeFfnHiddenSize, 0, 1)},
    {"EP does not divide the experts", "parallelism.expert_model_parallel_size", experts, PRISM_EDIT(s.model.numExperts = 6; s.parallelism.expertModelParallelSize = 4), PRISM_EDIT(s.model.numExperts = 6)},
    {"ETP does not divide the expert FFN size", "parallelism.expert_tensor_parallel_size", experts,
     PRISM_EDIT(s.parallelism.expertTensorParallelSize = 2; s.model.moeFfnHiddenSize = 1023), PRISM_EDIT(s.parallelism.expertTensorParallelSize = 2; s.model.moeFfnHiddenSize = 1022)},
    {"more leading dense layers than layers", "model.moe_first_k_dense", experts, PRISM_ONE(model.moeFirstKDense, 33, 32)},
    // ranks
    {"the GPUs are not a multiple of TP x PP x CP", "cluster.num_gpus", fine, PRISM_ONE(cluster.numGpus, 7, 4)},
    {"the GPUs are not a multiple of TP x PP x CP", "cluster.num_gpus", fine, PRISM_ONE(parallelism.contextParallelSize, 3, 2)},
    {"EP x ETP does not divide the ranks of a pipeline stage", "parallelism.expert_model_parallel_size", experts, PRISM_ONE(parallelism.expertModelParallelSize, 8, 4)},
    {"EP x ETP does not divide the ranks of a pipeline stage", "parallelism.expert_model_parallel_size", experts, PRISM_ONE(parallelism.expertTensorParallelSize, 4, 2)},
    {"EP x ETP does not divide the ranks of a pipeline stage", "parallelism.expert_model_parallel_size", experts, PRISM_ONE(parallelism.expertTensorParallelSize, 8, 1)},
    {"the last node is not full", "cluster.num_gpus", fine, PRISM_EDIT(s.cluster.numGpus = 12; s.training.globalBatchSize = 12), PRISM_EDIT(s.cluster.numGpus = 16), kWarning},
    {"the last node is not full", "cluster.num_gpus", fine, PRISM_EDIT(s.cluster.gpusPerNode = 3), PRISM_EDIT(s.cluster.gpusPerNode = 9), kWarning},
    // batch
    {"not a multiple of micro-batch size x DP", "training.global_batch_size", fine, PRISM_ONE(training.globalBatchSize, 15, 14)},
    {"not a multiple of micro-batch size x DP", "training.global_batch_size", fine, PRISM_ONE(training.microBatchSize, 3, 4)},
    {"the pipeline schedule of one step gets too long", "training.global_batch_size", fine, PRISM_ONE(training.globalBatchSize, 2'000'002, 2'000'000)},
    {"the pipeline schedule of one step gets too long", "training.global_batch_size", chunked, PRISM_ONE(training.globalBatchSize, 1'000'004, 1'000'000)},
    {"the interleaved schedule needs micro-batches in multiples of PP", "training.global_batch_size", chunked, PRISM_ONE(training.globalBatchSize, 18, 20)},
    {"the interleaved schedule needs micro-batches in multiples of PP", "training.global_batch_size", chunked, PRISM_EDIT(s.training.globalBatchSize = 18; s.parallelism.pipelineSchedule = "1f1b"), PRISM_EDIT(s.training.globalBatchSize = 18; s.parallelism.pipelineSchedule = "zb-v")},
    {"the dualpipev schedule needs two micro-batches per stage", "training.global_batch_size", chunked, PRISM_EDIT(s.parallelism.pipelineSchedule = "dualpipev"; s.training.globalBatchSize = 6), PRISM_EDIT(s.parallelism.pipelineSchedule = "dualpipev"; s.training.globalBatchSize = 8)},
    {"the dualpipe schedule sends half of the micro-batches", "training.global_batch_size", fine, PRISM_EDIT(s.parallelism.pipelineSchedule = "dualpipe"; s.training.globalBatchSize = 10), PRISM_EDIT(s.parallelism.pipelineSchedule = "dualpipe"; s.training.globalBatchSize = 12)},
    {"the dualpipe schedule sends half of the micro-batches", "training.global_batch_size", fine, PRISM_EDIT(s.parallelism.pipelineSchedule = "dualpipe"; s.training.globalBatchSize = 4), PRISM_EDIT(s.parallelism.pipelineSchedule = "dualpipe"; s.training.globalBatchSize = 8)},
    {"fewer micro-batches than pipeline stages", "training.global_batch_size", fine, PRISM_ONE(training.globalBatchSize, 2, 4), kWarning},
    // stages
    {"exclude counting the embedding or the loss as a layer", "parallelism.num_layers_in_first_pipeline_stage", fine, PRISM_ONE(parallelism.numLayersInFirstPipelineStage, 16; s.parallelism.accountForLossInPipelineSplit = true, 16)},
    {"exclude counting the embedding or the loss as a layer", "parallelism.num_layers_in_last_pipeline_stage", fine, PRISM_ONE(parallelism.numLayersInLastPipelineStage, 16; s.parallelism.accountForEmbeddingInPipelineSplit = true, 16)},
    {"an uneven split needs PP > 1", "parallelism.pipeline_model_parallel_size", fine, PRISM_EDIT(s.parallelism.numLayersInFirstPipelineStage = 16; s.parallelism.pipelineModelParallelSize = 1), PRISM_EDIT(s.parallelism.numLayersInFirstPipelineStage = 16)},
    {"an uneven split needs PP > 1", "parallelism.pipeline_model_parallel_size", fine, PRISM_EDIT(s.parallelism.numLayersInLastPipelineStage = 16; s.parallelism.pipelineModelParallelSize = 1), PRISM_EDIT(s.parallelism.numLayersInLastPipelineStage = 16)},
    {"VPP does not divide the layers of the uneven stage", "parallelism.virtual_pipeline_model_parallel_size", chunked, PRISM_ONE(parallelism.numLayersInFirstPipelineStage, 15, 14)},
    {"VPP does not divide the layers of the uneven stage", "parallelism.virtual_pipeline_model_parallel_size", chunked, PRISM_ONE(parallelism.numLayersInLastPipelineStage, 15, 14)},
    {"there are fewer layers than pipeline stages x chunks", "parallelism.pipeline_model_parallel_size", fine, PRISM_ONE(model.numLayers, 1, 2)},
    {"there are fewer layers than pipeline stages x chunks", "parallelism.pipeline_model_parallel_size", fine,
     PRISM_EDIT(s.parallelism.numLayersInFirstPipelineStage = 16; s.parallelism.numLayersInLastPipelineStage = 15), PRISM_EDIT(s.parallelism.numLayersInFirstPipelineStage = s.parallelism.numLayersInLastPipelineStage = 16)},
    {"PP x VPP does not divide the layers", "parallelism.pipeline_model_parallel_size", fine, PRISM_ONE(model.numLayers, 33, 34)},
    {"PP x VPP does not divide the layers", "parallelism.virtual_pipeline_model_parallel_size", chunked, PRISM_ONE(model.numLayers, 34, 36)},
    {"PP x VPP does not divide the layers", "parallelism.pipeline_model_parallel_size", fine, PRISM_ONE(parallelism.accountForLossInPipelineSplit, true, true; s.model.numLayers = 31)},
    {"PP x VPP does not divide the layers", "parallelism.pipeline_model_parallel_size", fine, PRISM_ONE(parallelism.accountForEmbeddingInPipelineSplit, true, true; s.model.numLayers = 31)},
    // pipeline layout
    {"the layout does not have PP x VPP chunks", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.pipelineModelParallelLayout, "Et*16|t*15|tmL", "Et*31|tmL")},
    {"the layout does not have PP x VPP chunks", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.pipelineModelParallelLayout, "E(t*8|)*3t*8mL", "Et*15|t*17mL")},
    {"the layout does not hold the layers", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(model.numLayers, 33, 32)},
    {"the layout does not hold the multi-token prediction layers", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(model.mtpNumLayers, 2, 1)},
    {"the other options of an uneven split exclude it", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.numLayersInFirstPipelineStage, 1, 0)},
    {"the other options of an uneven split exclude it", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.numLayersInLastPipelineStage, 1, 0)},
    {"the other options of an uneven split exclude it", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.accountForLossInPipelineSplit, true, false)},
    {"the other options of an uneven split exclude it", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.accountForEmbeddingInPipelineSplit, true, false)},
    {"the embedding comes first, once", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.pipelineModelParallelLayout, "t*16E|t*16mL", "Et*16|t*16mL")},
    {"the embedding comes first, once", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.pipelineModelParallelLayout, "EEt*16|t*16mL", "E,t*16|t*16mL")},
    {"the loss comes last, once", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.pipelineModelParallelLayout, "Et*16|t*16Lm", "Et*16|t*16mL")},
    {"the loss comes last, once", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.pipelineModelParallelLayout, "Et*16|t*16mLL", "Et*16|t*16mL*1")},
    {"multi-token prediction layers come after all layers", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.pipelineModelParallelLayout, "Et*16|t*15mtL", "Et*16|t*15tmL")},
    {"multi-token prediction layers come after all layers", "parallelism.pipeline_model_parallel_layout", layout, PRISM_EDIT(s.model.mtpNumLayers = 2; s.parallelism.pipelineModelParallelLayout = "Et*32m|mL"), PRISM_EDIT(s.model.mtpNumLayers = 2; s.parallelism.pipelineModelParallelLayout = "Et*32|mmL")},
    {"a chunk holds nothing", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.pipelineModelParallelLayout, "Et*16||t*16mL", "Et*16|t*16mL")},
    {"a repeat needs a number of at least 1", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.pipelineModelParallelLayout, "Et*0|t*32mL", "Et*1|t*31mL")},
    {"a repeat needs a number of at least 1", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.pipelineModelParallelLayout, "Et*|t*32mL", "Et|t*31mL")},
    {"the layout has too many places", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.pipelineModelParallelLayout, "Et*99999999999|mL", "Et*32|mL")},
    {"a group is not closed", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.pipelineModelParallelLayout, "E(t*16|*2mL", "E(t*16|)*1t*16mL")},
    {"a group needs a repeat", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.pipelineModelParallelLayout, "E(t*16|)t*16mL", "E(t*16|)*1t*16mL")},
    {"groups do not nest", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.pipelineModelParallelLayout, "E((t*16|)*1t*16mL", "E(t*16|)*1t*16mL")},
    {"this character has no meaning in a layout", "parallelism.pipeline_model_parallel_layout", layout, PRISM_ONE(parallelism.pipelineModelParallelLayout, "Ext*16|t*16mL", "Et*16|t*16mL")},
    // schedule
    {"virtual stages need PP > 1", "parallelism.virtual_pipeline_model_parallel_size", chunked, PRISM_ONE(parallelism.pipelineModelParallelSize, 1, 2)},
    {"this schedule has one chunk per stage", "parallelism.pipeline_schedule", chunked, PRISM_ONE(parallelism.pipelineSchedule, "gpipe", "interleaved")},
    {"this schedule has one chunk per stage", "parallelism.pipeline_schedule", chunked, PRISM_ONE(parallelism.pipelineSchedule, "zb-h1", "1f1b")},
    {"this schedule has one chunk per stage", "parallelism.pipeline_schedule", chunked, PRISM_ONE(parallelism.pipelineSchedule, "zb-h2", "zb-v")},
    {"this schedule has one chunk per stage", "parallelism.pipeline_schedule", chunked, PRISM_ONE(parallelism.pipelineSchedule, "dualpipe", "dualpipev")},
    {"the interleaved schedule needs VPP > 1", "parallelism.virtual_pipeline_model_parallel_size", chunked, PRISM_ONE(parallelism.virtualPipelineModelParallelSize, 1, 2)},
    {"the zb-v schedule has two chunks per stage", "parallelism.virtual_pipeline_model_parallel_size", chunked, PRISM_EDIT(s.parallelism.pipelineSchedule = "zb-v"; s.parallelism.virtualPipelineModelParallelSize = 1), PRISM_EDIT(s.parallelism.pipelineSchedule = "zb-v")},
    {"the dualpipev schedule has two chunks per stage", "parallelism.virtual_pipeline_model_parallel_size", chunked, PRISM_EDIT(s.parallelism.pipelineSchedule = "dualpipev"; s.parallelism.virtualPipelineModelParallelSize = 4), PRISM_EDIT(s.parallelism.pipelineSchedule = "dualpipev")},
    {"the dualpipe schedule pairs the stages", "parallelism.pipeline_model_parallel_size", fine, PRISM_EDIT(s.parallelism.pipelineSchedule = "dualpipe"; s.parallelism.pipelineModelParallelSize = 1), PRISM_EDIT(s.parallelism.pipelineSchedule = "dualpipe")},
    {"a custom schedule lists the order of every stage", "parallelism.custom_schedule", fine, PRISM_EDIT(s.parallelism.pipelineSchedule = "custom"; s.parallelism.customSchedule = {"F0 B0"}), PRISM_EDIT(s.parallelism.pipelineSchedule = "custom"; s.parallelism.customSchedule = {"F0 B0", "F0 B0"})},
    {"ZeRO 2 with a pipeline communicates", "parallelism.zero_stage", fine, PRISM_ONE(parallelism.zeroStage, 2, 1), kNote},
    {"ZeRO 3 with a pipeline communicates", "parallelism.zero_stage", fine, PRISM_ONE(parallelism.zeroStage, 3, 3; s.parallelism.pipelineModelParallelSize = 1), kWarning},
    {"sequence parallelism has no effect with TP 1", "parallelism.sequence_parallel", fine, PRISM_ONE(parallelism.tensorModelParallelSize, 1, 1; s.parallelism.sequenceParallel = false), kNote},
    // sequence
    {"the sequence does not divide", "model.seq_length", fine, PRISM_ONE(model.seqLength, 4095, 4094)},
    {"the sequence does not divide", "model.seq_length", fine, PRISM_EDIT(s.model.seqLength = 4092; s.parallelism.contextParallelSize = 2), PRISM_EDIT(s.model.seqLength = 4088; s.parallelism.contextParallelSize = 2)},
    {"the sequence does not divide", "model.seq_length", fine, PRISM_EDIT(s.model.seqLength = 4090; s.parallelism.contextParallelSize = 2; s.parallelism.sequenceParallel = false), PRISM_EDIT(s.model.seqLength = 4092; s.parallelism.contextParallelSize = 2; s.parallelism.sequenceParallel = false)},
    {"Ulysses needs TP x CP to divide the attention heads", "parallelism.context_parallel_size", fine, PRISM_EDIT(s.parallelism.cpCommType = "a2a"; s.parallelism.contextParallelSize = 2; s.model.numAttentionHeads = s.model.numQueryGroups = 30), PRISM_EDIT(s.parallelism.cpCommType = "a2a"; s.parallelism.contextParallelSize = 2; s.model.numAttentionHeads = s.model.numQueryGroups = 28)},
    // precision
    {"has no throughput for this precision", "training.precision", fine, PRISM_EDIT(s.training.precision = "nvfp4"; s.cluster.gpu.peakFp4Tflops = 0), PRISM_EDIT(s.training.precision = "nvfp4"; s.cluster.gpu.peakFp4Tflops = 0.1)},
    {"has no throughput for this precision", "training.precision", fine, PRISM_EDIT(s.training.precision = "fp8_blockwise"; s.cluster.gpu.peakFp8Tflops = 0), PRISM_EDIT(s.training.precision = "fp8_blockwise"; s.cluster.gpu.peakFp8Tflops = 0.1)},
    {"has no throughput for this precision", "training.precision", fine, PRISM_EDIT(s.training.precision = "mxfp8"; s.cluster.gpu.peakFp8Tflops = 0), PRISM_EDIT(s.training.precision = "mxfp8"; s.cluster.gpu.peakBf16Tflops = 0)},
    {"has no throughput for this precision", "training.precision", fine, PRISM_ONE(cluster.gpu.peakBf16Tflops, 0, 0.1)},
    {"has no throughput for this precision", "training.precision", fine, PRISM_EDIT(s.training.precision = "fp16"; s.cluster.gpu.peakFp16Tflops = 0), PRISM_EDIT(s.training.precision = "fp16"; s.cluster.gpu.peakBf16Tflops = 0)},
    {"has no throughput for this precision", "training.precision", fine, PRISM_EDIT(s.training.precision = "fp32"; s.cluster.gpu.peakFp32Tflops = s.cluster.gpu.peakTf32Tflops = 0), PRISM_EDIT(s.training.precision = "fp32"; s.cluster.gpu.peakFp32Tflops = 0)},
    {"has no throughput for this precision", "training.precision", fine, PRISM_EDIT(s.training.precision = "fp32"; s.cluster.gpu.peakFp32Tflops = s.cluster.gpu.peakTf32Tflops = 0), PRISM_EDIT(s.training.precision = "fp32"; s.cluster.gpu.peakTf32Tflops = 0)},
    {"attention runs in 16 bit", "training.attention_backend", fine, PRISM_ONE(training.attentionBackend, "cudnn_fp8", "cudnn_fp8"; s.training.precision = "mxfp8"), kWarning},
    {"attention runs in 16 bit", "training.attention_backend", fine, PRISM_EDIT(s.training.attentionBackend = "cudnn_fp8"; s.training.precision = "nvfp4"; s.cluster.gpu.peakFp4Tflops = 1; s.cluster.gpu.peakFp8Tflops = 0),
     PRISM_EDIT(s.training.attentionBackend = "cudnn_fp8"; s.training.precision = "nvfp4"; s.cluster.gpu.peakFp4Tflops = 1), kWarning},
    // recomputation and sharding
    {"unknown module", "training.recompute_modules", fine, PRISM_ONE(training.recomputeModules, "core_atn", "core_attn, moe_act layernorm mla_up_proj mlp moe shared_experts")},
    {"selective recomputation names no module", "training.recompute_modules", fine, PRISM_EDIT(s.training.recomputeGranularity = "selective"; s.training.recomputeModules = " ,"), PRISM_EDIT(s.training.recomputeModules = " ,")},
    {"the shard size does not divide DP x CP", "parallelism.hsdp_shard_size", fine, PRISM_EDIT(s.parallelism.pipelineModelParallelSize = 1; s.parallelism.zeroStage = 3; s.parallelism.hsdpShardSize = 3), PRISM_EDIT(s.parallelism.pipelineModelParallelSize = 1; s.parallelism.zeroStage = 3; s.parallelism.hsdpShardSize = 4)},
    {"the copies of the state do not divide the data-parallel ranks of the experts", "parallelism.hsdp_shard_size", experts, PRISM_EDIT(s.parallelism.tensorModelParallelSize = 1; s.parallelism.expertModelParallelSize = 4; s.parallelism.hsdpShardSize = 1), PRISM_EDIT(s.parallelism.tensorModelParallelSize = 1; s.parallelism.hsdpShardSize = 2)},
    {"the shard size has no effect without ZeRO", "parallelism.hsdp_shard_size", fine, PRISM_EDIT(s.parallelism.zeroStage = 0; s.parallelism.hsdpShardSize = 1), PRISM_EDIT(s.parallelism.zeroStage = 1; s.parallelism.hsdpShardSize = 1), kWarning},
    // variability
    {"an empirical distribution needs measured values", "variability.gemm.pool", fine, PRISM_ONE(variability.gemm.family, Family::empirical, Family::empirical; s.variability.gemm = empiricalDistribution({1}))},
    {"the spread has no effect while the family is deterministic", "variability.p2p.cv", fine, PRISM_ONE(variability.p2p.cv, 0.1, 0), kWarning},
    {"cv is out of range", "variability.class_overrides.norm.cv", fine, PRISM_EDIT(s.variability.classOverrides["norm"] = {Family::gamma, 5.0001}), PRISM_EDIT(s.variability.classOverrides["norm"] = {Family::gamma, 5})},
    {"cv is out of range", "variability.class_overrides.norm.cv", fine, PRISM_EDIT(s.variability.classOverrides["norm"] = {Family::gamma, -0.0001}), PRISM_EDIT(s.variability.classOverrides["norm"] = {Family::gamma, 0})},
    {"rare_probability is out of range", "variability.class_overrides.norm.rare_probability", fine, PRISM_ONE(variability.classOverrides["norm"].rareProbability, 0.5001, 0.5)},
    {"rare_probability is out of range", "variability.class_overrides.norm.rare_probability", fine, PRISM_ONE(variability.classOverrides["norm"].rareProbability, -0.0001, 0)},
    {"rare_multiplier is out of range", "variability.class_overrides.norm.rare_multiplier", fine, PRISM_ONE(variability.classOverrides["norm"].rareMultiplier, 1000.1, 1000)},
    {"rare_multiplier is out of range", "variability.class_overrides.norm.rare_multiplier", fine, PRISM_ONE(variability.classOverrides["norm"].rareMultiplier, 0.0999, 0.1)},
    {"the sensitivity is out of range", "variability.spatial_sensitivity.norm", fine, PRISM_ONE(variability.spatialSensitivity["norm"], 1.0001, 1)},
    {"the sensitivity is out of range", "variability.spatial_sensitivity.norm", fine, PRISM_ONE(variability.spatialSensitivity["norm"], -0.0001, 0)},
    {"stalls need a size", "variability.stall_mean_s", fine, PRISM_ONE(variability.stallsPerGpuHour, 1, 1; s.variability.stallMeanS = 0.001)},
    {"nothing varies", "variability", fine, PRISM_ONE(variability, {}, {}; s.variability.stepJitterS = 0.001), kWarning},
    {"nothing varies", "variability", fine, PRISM_EDIT(s.variability = {}; s.cluster.gpu.preset = ""), PRISM_EDIT(s.variability = {}; s.variability.classOverrides["norm"] = {}), kWarning},
    {"nothing varies", "variability", fine, PRISM_ONE(variability, {}, {}; s.variability.stallsPerGpuHour = s.variability.stallMeanS = 1), kWarning},
    {"a slow place names either a node or a rank", "variability.slow[0]", fine, PRISM_EDIT(s.variability.slow = {{0, 0, 1, 1}}), PRISM_EDIT(s.variability.slow = {{0, -1, 1, 1}})},
    {"a slow place names either a node or a rank", "variability.slow[1]", fine, PRISM_EDIT(s.variability.slow = {{0, -1, 1, 1}, {-1, -1, 1, 1}}), PRISM_EDIT(s.variability.slow = {{0, -1, 1, 1}, {-1, 0, 1, 1}})},
    {"there is no such node", "variability.slow[0].node", fine, PRISM_EDIT(s.variability.slow = {{1, -1, 1, 1}}), PRISM_EDIT(s.variability.slow = {{1, -1, 1, 1}}; s.cluster.gpusPerNode = 4)},
    {"there is no such rank", "variability.slow[0].rank", fine, PRISM_EDIT(s.variability.slow = {{-1, 8, 1, 1}}), PRISM_EDIT(s.variability.slow = {{-1, 7, 1, 1}})},
    {"the factor is out of range", "variability.slow[0].compute_factor", fine, PRISM_EDIT(s.variability.slow = {{0, -1, 0.0999, 1}}), PRISM_EDIT(s.variability.slow = {{0, -1, 0.1, 0.1}})},
    {"the factor is out of range", "variability.slow[0].link_factor", fine, PRISM_EDIT(s.variability.slow = {{0, -1, 1, 1000.1}}), PRISM_EDIT(s.variability.slow = {{0, -1, 1000, 1000}})},
    // measured
    {"a measured time is longer than nothing", "measured.rows[0].time_s", fine, PRISM_EDIT(s.measured.rows = {{"gemm", "", 1, 1, 1, 0, 0, 0}}), PRISM_EDIT(s.measured.rows = {{"gemm", "", 1, 1, 1, 0, 0, 1e-9}})},
    {"a measured time is longer than nothing", "measured.kernels[0].mean_s", fine, PRISM_EDIT(s.measured.kernels = {{"norm", 0}}), PRISM_EDIT(s.measured.kernels = {{"norm", 1e-9}})},
    {"a matrix product needs m, n and k", "measured.rows[0]", fine, PRISM_EDIT(s.measured.rows = {{"gemm", "", 0, 1, 1, 2, 1, 1}}), PRISM_EDIT(s.measured.rows = {{"gemm", "", 1, 1, 1, 0, 0, 1}})},
    {"a matrix product needs m, n and k", "measured.rows[0]", fine, PRISM_EDIT(s.measured.rows = {{"gemm", "", 1, 0, 1, 2, 1, 1}}), PRISM_EDIT(s.measured.rows = {{"gemm", "", 1, 1, 1, 0, 0, 1}})},
    {"a matrix product needs m, n and k", "measured.rows[0]", fine, PRISM_EDIT(s.measured.rows = {{"gemm", "", 1, 1, 0, 2, 1, 1}}), PRISM_EDIT(s.measured.rows = {{"gemm", "", 1, 1, 1, 0, 0, 1}})},
    {"a collective needs ranks and bytes", "measured.rows[0]", fine, PRISM_EDIT(s.measured.rows = {{"p2p", "", 1, 1, 1, 1, 1, 1}}), PRISM_EDIT(s.measured.rows = {{"p2p", "", 0, 0, 0, 2, 1, 1}})},
    {"a collective needs ranks and bytes", "measured.rows[0]", fine, PRISM_EDIT(s.measured.rows = {{"p2p", "", 1, 1, 1, 2, 0, 1}}), PRISM_EDIT(s.measured.rows = {{"p2p", "", 0, 0, 0, 2, 1, 1}})},
    {"the node order names every position's node once", "measured.node_order", fine, PRISM_EDIT(s.measured.nodeOrder = {0, 1}), PRISM_EDIT(s.measured.nodeOrder = {0})},
    {"the node order names every position's node once", "measured.node_order", fine, PRISM_EDIT(s.cluster.numGpus = 16; s.measured.nodeOrder = {1, 1}), PRISM_EDIT(s.cluster.numGpus = 16; s.measured.nodeOrder = {1, 0})},
};
// clang-format on

TEST(Rules, EachIsBrokenAndKeptAtItsBorder)
{
    for (Scenario (*base)() : {fine, experts, chunked, layout})
        EXPECT_TRUE(check(base()).empty()) << check(base()).front().message;
    for (const Rule& rule : kRules) {
        Scenario broken = rule.base(), kept = rule.base();
        rule.broken(broken);
        rule.kept(kept);
        const Diagnostics reported = test::withMessage(check(broken), rule.message);
        ASSERT_EQ(reported.size(), 1U) << rule.message;
        EXPECT_EQ(reported.front().path, rule.path) << rule.message;
        EXPECT_EQ(reported.front().severity, rule.severity) << rule.message;
        EXPECT_FALSE(reported.front().accepted.empty()) << rule.message;
        EXPECT_TRUE(test::withMessage(check(kept), rule.message).empty()) << rule.message << ": kept, and reported all the same";
        for (const Diagnostic& d : check(kept))
            EXPECT_NE(d.severity, Severity::error) << rule.message << ": the case that keeps it has " << d.message;
        if (reported.front().fixPath.empty())
            continue;
        const Result<Scenario> repaired = setParameter(broken, reported.front().fixPath, reported.front().fixValue);
        ASSERT_TRUE(repaired.ok()) << rule.message << ": " << reported.front().fixPath << "=" << reported.front().fixValue;
        EXPECT_TRUE(test::withMessage(check(*repaired), rule.message).empty()) << rule.message << ": its fix repairs nothing";
    }
}

TEST(Rules, FieldsThatAreReportedAlreadyTakePartInNone)
{
    for (const Rule& rule : kRules) {
        Scenario broken = rule.base();
        rule.broken(broken);
        std::vector<std::string> reported = {rule.path};
        for (const Parameter& p : parameters())
            if (p.get(broken) != p.get(rule.base()))
                reported.push_back(p.id);
        if (reported.size() == 1 || findParameter(rule.path) == nullptr)
            continue;
        EXPECT_TRUE(test::withMessage(checkExcept(broken, reported), rule.message).empty()) << rule.path << ": " << rule.message;
    }
}

TEST(Rules, NoPresetBreaksOne)
{
    for (const std::string& name : presetNames("scenario"))
        for (const Diagnostic& d : check(*scenarioPreset(name)))
            EXPECT_NE(d.severity, Severity::error) << name << " " << d.path << ": " << d.message;
}

TEST(Rules, AFindingNamesWhatItFoundAndTheNearestThatFits)
{
    Scenario s = fine();
    s.cluster.numGpus = 250;
    const Diagnostics found = test::withMessage(check(s), "not a multiple of TP x PP x CP");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().found, "TP 2 x PP 2 x CP 1 = 4, GPUs = 250");
    EXPECT_EQ(found.front().fixValue, "252");
}

/// The values of each fix, from the nearest divisors and multiples by hand.
TEST(Rules, AFixIsTheNearestValueThatFits)
{
    struct Fix {
        const char* message;
        Scenario (*base)();
        std::function<void(Scenario&)> broken;
        const char *path, *value;
    };
    // clang-format off
    const Fix fixes[] = {
        {"groups do not divide the attention heads", fine, PRISM_EDIT(s.model.numQueryGroups = 7), "model.num_query_groups", "8"},
        {"groups do not divide the attention heads", fine, PRISM_EDIT(s.model.numQueryGroups = 3), "model.num_query_groups", "2"}, // the smaller of 2 and 4
        {"TP does not divide the attention heads", fine, PRISM_EDIT(s.parallelism.tensorModelParallelSize = 7), kTp, "8"},
        {"TP does not divide the FFN hidden size", fine, PRISM_EDIT(s.model.ffnHiddenSize = 9; s.parallelism.tensorModelParallelSize = 4), kTp, "3"},
        {"TP and the query groups do not divide each other", fine, PRISM_EDIT(s.model.numQueryGroups = 4; s.parallelism.tensorModelParallelSize = 3), kTp, "2"},
        {"experts per token must lie", experts, PRISM_EDIT(s.model.moeRouterTopk = 9), "model.moe_router_topk", "8"},
        {"experts per token must lie", experts, PRISM_EDIT(s.model.moeRouterTopk = 0), "model.moe_router_topk", "1"},
        {"EP does not divide the experts", experts, PRISM_EDIT(s.parallelism.expertModelParallelSize = 5), kEp, "4"},
        {"more leading dense layers", experts, PRISM_EDIT(s.model.moeFirstKDense = 40), "model.moe_first_k_dense", "32"},
        {"not a multiple of TP x PP x CP", fine, PRISM_EDIT(s.cluster.numGpus = 1), "cluster.num_gpus", "4"},
        {"not a multiple of TP x PP x CP", fine, PRISM_EDIT(s.cluster.numGpus = 6), "cluster.num_gpus", "8"}, // the larger of 4 and 8
        {"not a multiple of TP x PP x CP", fine, PRISM_EDIT(s.cluster.numGpus = 1 << 20; s.parallelism.contextParallelSize = 3), "cluster.num_gpus", "1048572"},
        {"EP x ETP does not divide", experts, PRISM_EDIT(s.parallelism.expertModelParallelSize = 8), kEp, "4"},
        {"EP x ETP does not divide", experts, PRISM_EDIT(s.parallelism.expertModelParallelSize = 4; s.parallelism.expertTensorParallelSize = 2), kEp, "2"},
        {"EP x ETP does not divide", experts, PRISM_EDIT(s.parallelism.expertTensorParallelSize = 8), "parallelism.expert_tensor_parallel_size", "1"},
        {"not a multiple of micro-batch size x DP", fine, PRISM_EDIT(s.training.globalBatchSize = 15), kGbs, "16"},
        {"not a multiple of micro-batch size x DP", fine, PRISM_EDIT(s.training.globalBatchSize = 3; s.training.microBatchSize = 4), kGbs, "8"},
        {"multiples of PP", chunked, PRISM_EDIT(s.training.globalBatchSize = 18), kGbs, "20"},
        {"multiples of PP", chunked, PRISM_EDIT(s.training.globalBatchSize = 2), kGbs, "4"},
        {"two micro-batches per stage", chunked, PRISM_EDIT(s.parallelism.pipelineSchedule = "dualpipev"; s.training.globalBatchSize = 2), kGbs, "8"},
        {"half of the micro-batches", fine, PRISM_EDIT(s.parallelism.pipelineSchedule = "dualpipe"; s.training.globalBatchSize = 10), kGbs, "12"},
        {"half of the micro-batches", fine, PRISM_EDIT(s.parallelism.pipelineSchedule = "dualpipe"; s.training.globalBatchSize = 2), kGbs, "8"},
        {"layers of the uneven stage", chunked, PRISM_EDIT(s.parallelism.numLayersInFirstPipelineStage = 15; s.parallelism.virtualPipelineModelParallelSize = 4), kVpp, "3"}, // 3 and 5 are as near
        {"fewer layers than", fine, PRISM_EDIT(s.model.numLayers = 1), kPp, "1"},
        {"fewer layers than", chunked, PRISM_EDIT(s.model.numLayers = 3), kVpp, "1"},
        {"PP x VPP does not divide", fine, PRISM_EDIT(s.model.numLayers = 33), kPp, "1"}, // 1 and 3 are as near
        {"PP x VPP does not divide", chunked, PRISM_EDIT(s.model.numLayers = 34), kVpp, "1"},
        {"PP x VPP does not divide", chunked, PRISM_EDIT(s.model.numLayers = 30; s.parallelism.virtualPipelineModelParallelSize = 4), kVpp, "3"},
        {"PP x VPP does not divide", chunked, PRISM_EDIT(s.model.numLayers = 33), kPp, "1"},
        {"does not have PP x VPP chunks", layout, PRISM_EDIT(s.parallelism.pipelineModelParallelLayout = "E(t*8|)*3t*8mL"), kVpp, "2"},
        {"does not have PP x VPP chunks", layout, PRISM_EDIT(s.parallelism.pipelineModelParallelLayout = "Et*16|t*15|tmL"), "parallelism.pipeline_model_parallel_layout", "\"\""},
        {"does not have PP x VPP chunks", layout, PRISM_EDIT(s.parallelism.pipelineModelParallelLayout = "Et*16|t*16mL"; s.parallelism.virtualPipelineModelParallelSize = 2), "parallelism.pipeline_model_parallel_layout", "\"\""},
        {"pairs the stages", fine, PRISM_EDIT(s.parallelism.pipelineSchedule = "dualpipe"; s.parallelism.pipelineModelParallelSize = 3), kPp, "4"},
        {"sequence does not divide", fine, PRISM_EDIT(s.model.seqLength = 4095; s.parallelism.contextParallelSize = 2), "model.seq_length", "4096"},
        {"sequence does not divide", fine, PRISM_EDIT(s.model.seqLength = 3), "model.seq_length", "4"},
        {"no throughput for this precision", fine, PRISM_EDIT(s.cluster.gpu.peakBf16Tflops = 0), "training.precision", "\"fp16\""},
        {"no throughput for this precision", fine, PRISM_EDIT(s.cluster.gpu.peakBf16Tflops = s.cluster.gpu.peakFp16Tflops = 0), "training.precision", "\"fp32\""},
        {"no throughput for this precision", fine, PRISM_EDIT(s.training.precision = "nvfp4"; s.cluster.gpu.peakFp4Tflops = 0), "training.precision", "\"bf16\""},
        {"shard size does not divide DP", fine, PRISM_EDIT(s.parallelism.zeroStage = 3; s.parallelism.hsdpShardSize = 3), "parallelism.hsdp_shard_size", "2"},
    };
    // clang-format on
    for (const Fix& fix : fixes) {
        Scenario s = fix.base();
        fix.broken(s);
        const Diagnostics found = test::withMessage(check(s), fix.message);
        ASSERT_EQ(found.size(), 1U) << fix.message;
        EXPECT_EQ(found.front().fixPath, fix.path) << fix.message << ": " << found.front().found;
        EXPECT_EQ(found.front().fixValue, fix.value) << fix.message << ": " << found.front().found;
    }
    Scenario huge = fine();
    huge.cluster.numGpus = 1 << 20;
    huge.parallelism.contextParallelSize = huge.parallelism.tensorModelParallelSize =
        1024; // the next multiple is more than a cluster may have
    const Diagnostics beyond = test::withMessage(check(huge), "not a multiple of TP x PP x CP");
    ASSERT_EQ(beyond.size(), 1U);
    EXPECT_EQ(beyond.front().fixPath, "");
}

TEST(Rules, NoneOfTheSourcesIsWithoutACase)
{
    Diagnostics reported;
    for (const Rule& rule : kRules) {
        Scenario broken = rule.base();
        rule.broken(broken);
        for (Diagnostic& d : check(broken))
            reported.push_back(std::move(d));
    }
    test::expectEverySentence("core/scenario/check.cpp", reported);
    test::expectEverySentence("core/scenario/pipelinelayout.cpp", reported);
}

TEST(Rules, EveryParameterTakesItsLimitsAndNothingBeyond)
{
    for (const Parameter& p : parameters()) {
        const auto invalid = [&](const ParameterValue& value) {
            Scenario s = fine();
            p.set(s, value);
            const Diagnostics found = check(s);
            if (p.get(s) != value)
                return std::ptrdiff_t{1}; // a list has its own type
            return std::count_if(found.begin(), found.end(),
                                 [&](const Diagnostic& d) { return d.path == p.id && d.message.starts_with(p.label); });
        };
        const auto whole = [](double x) { return static_cast<std::int64_t>(x); };
        if (p.type == ParameterType::integer) {
            EXPECT_EQ(invalid(whole(p.minimum)) + invalid(whole(p.maximum)), 0) << p.id;
            EXPECT_EQ(invalid(whole(p.minimum) - 1), 1) << p.id;
            EXPECT_EQ(invalid(whole(p.maximum) + 1), 1) << p.id;
        } else if (p.type == ParameterType::real) {
            EXPECT_EQ(invalid(p.minimum) + invalid(p.maximum), 0) << p.id;
            const auto fixOf = [&](double value) { return rangeError(p, value)->fixValue; };
            EXPECT_EQ(fixOf(std::nextafter(p.minimum, -1e300)), numberText(p.minimum)) << p.id;
            EXPECT_EQ(fixOf(std::nextafter(p.maximum, 1e300)), "") << p.id;
            for (const double beyond : {std::nextafter(p.minimum, -1e300), std::nextafter(p.maximum, 1e300), std::nan(""), HUGE_VAL})
                EXPECT_EQ(invalid(beyond), 1) << p.id << " " << beyond;
        } else if (p.type == ParameterType::choice) {
            for (const std::string& choice : p.choices)
                EXPECT_EQ(invalid(choice), 0) << p.id << " " << choice;
            EXPECT_EQ(invalid(p.choices.back() + "x"), 1) << p.id;
        } else if (p.type == ParameterType::text) {
            EXPECT_EQ(invalid(std::string(201, 'x')), 1) << p.id;
            EXPECT_EQ(invalid(std::string(200, 'x')), 0) << p.id;
        }
    }
}

} // namespace
} // namespace prism
