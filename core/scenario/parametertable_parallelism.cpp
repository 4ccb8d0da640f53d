// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter table: the parallelism and training sections.
#include "core/scenario/parameterentry.h"

namespace prism::table {
namespace {

void addSizes(std::vector<Parameter>& t)
{
    t.push_back(integer({"parallelism.tensor_model_parallel_size", "Tensor parallel", "TP", "", "GPUs that share every matrix of a layer."},
                        1, 1024, PRISM_FIELD(parallelism.tensorModelParallelSize)));
    t.push_back(integer(
        {"parallelism.pipeline_model_parallel_size", "Pipeline parallel", "PP", "", "Pipeline stages that the layers are divided over."}, 1,
        1024, PRISM_FIELD(parallelism.pipelineModelParallelSize)));
    t.push_back(integer({"parallelism.virtual_pipeline_model_parallel_size", "Virtual stages", "VPP", "",
                         "Chunks of layers per pipeline stage (interleaved schedule); 1 = none."},
                        1, 256, PRISM_FIELD(parallelism.virtualPipelineModelParallelSize)));
    t.push_back(integer({"parallelism.context_parallel_size", "Context parallel", "CP", "", "GPUs that share every sequence."}, 1, 1024,
                        PRISM_FIELD(parallelism.contextParallelSize)));
    t.push_back(integer({"parallelism.expert_model_parallel_size", "Expert parallel", "EP", "",
                         "GPUs that share the experts of a layer; taken from the data, context and tensor parallel ranks."},
                        1, 1024, PRISM_FIELD(parallelism.expertModelParallelSize)));
    t.push_back(advanced(integer(
        {"parallelism.expert_tensor_parallel_size", "Expert tensor parallel", "ETP", "", "GPUs that share every matrix of one expert."}, 1,
        1024, PRISM_FIELD(parallelism.expertTensorParallelSize))));
    t.push_back(boolean({"parallelism.sequence_parallel", "Sequence parallel", "SP", "",
                         "Splits norms and dropout over the tensor parallel ranks: all-reduce becomes reduce-scatter and all-gather."},
                        PRISM_FIELD(parallelism.sequenceParallel)));
    t.push_back(integer({"parallelism.zero_stage", "ZeRO stage", "ZeRO", "",
                         "What data-parallel ranks shard: 0 nothing, 1 optimizer state, 2 and gradients, 3 and parameters (FSDP). "
                         "Sharded gradients are reduced in every micro-batch."},
                        0, 3, PRISM_FIELD(parallelism.zeroStage)));
    t.push_back(advanced(integer({"parallelism.hsdp_shard_size", "Shard group", "HSDP", "",
                                  "Ranks of DP x CP that split one copy of what ZeRO shards (HSDP, MiCS; Megatron-LM's "
                                  "--num-distributed-optimizer-instances = DP x CP / this); 0 = all."},
                                 0, 1 << 20, PRISM_FIELD(parallelism.hsdpShardSize))));
}

void addSchedule(std::vector<Parameter>& t)
{
    t.push_back(choice({"parallelism.pipeline_schedule", "Pipeline schedule", "", "",
                        "Order of forward and backward chunks: gpipe, 1f1b, interleaved (1F1B with VPP), zero-bubble zb-h1, zb-h2, zb-v, "
                        "dualpipe (micro-batches from both ends; every GPU holds a stage of each half), dualpipev (the same on half the "
                        "stages), or custom."},
                       {"gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2", "zb-v", "dualpipe", "dualpipev", "custom"},
                       PRISM_FIELD(parallelism.pipelineSchedule)));
    t.push_back(advanced(choice(
        {"parallelism.cp_comm_type", "Context exchange", "", "", "p2p = ring attention, all_gather of keys and values, a2a = Ulysses."},
        {"p2p", "all_gather", "a2a"}, PRISM_FIELD(parallelism.cpCommType))));
    t.push_back(advanced(
        choice({"parallelism.moe_token_dispatcher_type", "Token dispatcher", "", "",
                "alltoall = a copy of a token for each of its experts, flex = one for each rank or node that has some of them (DeepEP)."},
               {"alltoall", "flex"}, PRISM_FIELD(parallelism.moeTokenDispatcherType))));
    t.push_back(advanced(
        choice({"parallelism.rank_order", "Rank order", "", "", "Which kind of parallelism gets neighbouring ranks, innermost first."},
               {"tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"}, PRISM_FIELD(parallelism.rankOrder))));
    t.push_back(advanced(integer({"parallelism.num_layers_in_first_pipeline_stage", "Layers in first stage", "", "",
                                  "Uneven split: layers of the first pipeline stage; 0 = even."},
                                 0, 4096, PRISM_FIELD(parallelism.numLayersInFirstPipelineStage))));
    t.push_back(advanced(integer({"parallelism.num_layers_in_last_pipeline_stage", "Layers in last stage", "", "",
                                  "Uneven split: layers of the last pipeline stage; 0 = even."},
                                 0, 4096, PRISM_FIELD(parallelism.numLayersInLastPipelineStage))));
    t.push_back(advanced(text({"parallelism.pipeline_model_parallel_layout", "Pipeline layout", "", "",
                               "Any uneven split: the contents of every chunk in model order, | between them. E = embedding, t = layer, m "
                               "= multi-token prediction layer, L = loss; t*3 and (tt|)*4 repeat, as in Megatron-Core. Example with 32 "
                               "chunks: Ettt|(tt|)*29,m|L. Empty = no layout."},
                              PRISM_FIELD(parallelism.pipelineModelParallelLayout))));
    t.push_back(advanced(boolean({"parallelism.account_for_embedding_in_pipeline_split", "Embedding counts as layer", "", "",
                                  "The embedding takes the place of one layer in the first stage."},
                                 PRISM_FIELD(parallelism.accountForEmbeddingInPipelineSplit))));
    t.push_back(advanced(boolean({"parallelism.account_for_loss_in_pipeline_split", "Loss counts as layer", "", "",
                                  "Output layer and loss take the place of one layer in the last stage."},
                                 PRISM_FIELD(parallelism.accountForLossInPipelineSplit))));
    t.push_back(advanced(boolean({"parallelism.overlap_grad_reduce", "Overlap gradient reduction", "", "",
                                  "Gradient buckets are reduced while the backward pass still runs."},
                                 PRISM_FIELD(parallelism.overlapGradReduce))));
    t.push_back(advanced(boolean({"parallelism.overlap_param_gather", "Overlap parameter gather", "", "",
                                  "Parameter shards are gathered while the next forward pass starts."},
                                 PRISM_FIELD(parallelism.overlapParamGather))));
    t.push_back(
        advanced(boolean({"parallelism.tp_comm_overlap", "Overlap tensor parallel", "", "",
                          "Tensor-parallel communication is split and pipelined with the GEMMs, where the group stays in one NVLink "
                          "domain (a node)."},
                         PRISM_FIELD(parallelism.tpCommOverlap))));
    t.push_back(advanced(boolean({"parallelism.overlap_moe_expert_parallel_comm", "Overlap expert all-to-all", "", "",
                                  "Dispatch and combine of one micro-batch overlap with the attention and MLP compute of another (1F1B "
                                  "overlap of Megatron-Core, DualPipe). Passes of the warm-up have no other micro-batch to overlap with."},
                                 PRISM_FIELD(parallelism.overlapMoeExpertParallelComm))));
    t.push_back(advanced(boolean({"parallelism.fp8_param_gather", "Gather parameters in FP8", "", "",
                                  "The parameter all-gather moves FP8, one byte a parameter, where the precision is FP8 (not MXFP8, whose "
                                  "parameters travel in BF16)."},
                                 PRISM_FIELD(parallelism.fp8ParamGather))));
    t.push_back(advanced(
        boolean({"parallelism.overlap_p2p_comm", "Overlap pipeline transfers", "", "", "Sends between stages do not occupy the stage."},
                PRISM_FIELD(parallelism.overlapP2pComm))));
}

} // namespace

void addParallelism(std::vector<Parameter>& t)
{
    addSizes(t);
    addSchedule(t);
}

void addTraining(std::vector<Parameter>& t)
{
    t.push_back(integer(
        {"training.micro_batch_size", "Micro-batch size", "MBS", "sequences", "Sequences that one pipeline pass of a replica handles."}, 1,
        1 << 16, PRISM_FIELD(training.microBatchSize)));
    t.push_back(integer({"training.global_batch_size", "Global batch size", "GBS", "sequences",
                         "Sequences per optimizer step over the whole job. Must be a multiple of micro-batch size x DP."},
                        1, 1 << 24, PRISM_FIELD(training.globalBatchSize)));
    t.push_back(choice({"training.precision", "Precision", "", "", "Number format of the matrix multiplications and its scaling recipe."},
                       {"bf16", "fp16", "fp32", "fp8_delayed", "fp8_tensorwise", "fp8_blockwise", "mxfp8", "nvfp4"},
                       PRISM_FIELD(training.precision)));
    t.push_back(choice({"training.recompute_granularity", "Recomputation", "", "",
                        "Activations recomputed in the backward pass: none, selective (the recomputed modules), full (whole layers)."},
                       {"none", "selective", "full"}, PRISM_FIELD(training.recomputeGranularity)));
    t.push_back(
        advanced(text({"training.recompute_modules", "Recomputed modules", "", "",
                       "With selective recomputation: any of core_attn (core attention), layernorm, mla_up_proj (up-projections of latent "
                       "attention), mlp (dense MLP), moe (all of the experts), moe_act (activation of the experts), shared_experts."},
                      PRISM_FIELD(training.recomputeModules))));
    t.push_back(advanced(choice({"training.recompute_method", "Recomputation method", "", "",
                                 "With full recomputation: uniform = every layer, block = the first layers of each stage."},
                                {"uniform", "block"}, PRISM_FIELD(training.recomputeMethod))));
    t.push_back(advanced(integer(
        {"training.recompute_num_layers", "Recomputed layers", "", "", "With method block: layers per stage that are recomputed; 0 = all."},
        0, 4096, PRISM_FIELD(training.recomputeNumLayers))));
    t.push_back(advanced(choice(
        {"training.attention_backend", "Attention kernels", "", "",
         "unfused = matrix products and a softmax in memory; triton and flash1 (2022), flash2, flash3 (Hopper) and cudnn never store "
         "the attention matrix; cudnn_fp8 multiplies in FP8 (fp8_dot_product_attention)."},
        {"unfused", "triton", "flash1", "flash2", "flash3", "cudnn", "cudnn_fp8"}, PRISM_FIELD(training.attentionBackend))));
    t.push_back(advanced(
        choice({"training.fusion", "Fusion", "", "",
                "Kernels around the matrix products. fused: hand-written ones (Transformer Engine, Apex), the loss too; compiled: "
                "torch.compile of the layers, the loss as single operations; eager: every operation a kernel; auto: with flash2, PyTorch's "
                "own, compiled from ZeRO 2 on, eager below; with triton and flash1 eager from ZeRO 2 on, the loss fused; else fused."},
               {"auto", "fused", "compiled", "eager"}, PRISM_FIELD(training.fusion))));
    t.push_back(advanced(choice({"training.cuda_graphs", "CUDA graphs", "", "",
                                 "What is launched as one graph: none, layer (the layers, or their parts outside of the experts), "
                                 "full_iteration (whole passes; the host waits for nothing)."},
                                {"none", "layer", "full_iteration"}, PRISM_FIELD(training.cudaGraphs))));
    t.push_back(advanced(boolean({"training.moe_host_sync", "Experts wait for the host", "", "",
                                  "Every MoE layer sends its routed counts to the host and waits before the experts start (dropless "
                                  "routing). Off with padded experts and device-side counts."},
                                 PRISM_FIELD(training.moeHostSync))));
    t.push_back(advanced(boolean({"training.fused_grouped_mlp", "Fused grouped MLP", "", "",
                                  "The experts' products apply the activation and its gradient and write MXFP8 themselves (Transformer "
                                  "Engine's grouped MLP on Blackwell). With other precisions the kernels stay separate."},
                                 PRISM_FIELD(training.fusedGroupedMlp))));
    t.push_back(advanced(integer({"training.cpu_offloading_num_layers", "Offloaded layers", "", "layers",
                                  "Layers per stage whose activations move to the memory of the host until their backward; the transfers "
                                  "are taken as hidden."},
                                 0, 4096, PRISM_FIELD(training.cpuOffloadingNumLayers))));
    t.push_back(advanced(choice({"training.optimizer", "Optimizer", "", "", "adam keeps two moments per parameter, sgd one."},
                                {"adam", "sgd"}, PRISM_FIELD(training.optimizer))));
    t.push_back(advanced(
        boolean({"training.grad_reduce_in_fp32", "Gradients in FP32", "", "", "Gradients are accumulated and reduced in single precision."},
                PRISM_FIELD(training.gradReduceInFp32))));
    t.push_back(real({"training.train_tokens", "Tokens to train", "", "tokens", "Length of the whole job, for days and cost; 0 = unknown."},
                     0, 1e18, PRISM_FIELD(training.trainTokens)));
}

} // namespace prism::table
