// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/cases.h"

#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

namespace prism::golden {
namespace {

/// A preset with parameters set by text, in this order, and with lists that have no parameter.
struct Variant {
    const char* name;
    const char* preset;
    std::vector<std::pair<const char*, const char*>> parameters;
    std::function<void(Scenario&)> change = {};
};

/// Attention, experts and the layouts that divide them.
std::vector<Variant> layerVariants()
{
    return {
        {"attention-head-64-flash3",
         "llama3-70b-256-h100",
         {{"model.kv_channels", "64"}, {"model.num_attention_heads", "128"}, {"training.attention_backend", "flash3"}}},
        {"attention-latent-dense",
         "llama3-70b-256-h100",
         {{"model.multi_latent_attention", "true"},
          {"model.kv_lora_rank", "512"},
          {"model.q_lora_rank", "1536"},
          {"model.qk_head_dim", "96"},
          {"model.qk_pos_emb_head_dim", "32"},
          {"model.v_head_dim", "64"},
          {"training.attention_backend", "flash2"}}},
        {"attention-not-causal-triton",
         "llama2-7b-8-a100",
         {{"model.causal_attention", "false"},
          {"training.attention_backend", "triton"},
          {"training.fusion", "eager"},
          {"training.cpu_offloading_num_layers", "4"},
          {"cluster.gpu.board_power_w", "0"},
          {"training.recompute_granularity", "selective"}}},
        {"attention-sliding-flash1",
         "llama2-7b-8-a100",
         {{"model.sliding_window", "1024"},
          {"training.attention_backend", "flash1"},
          {"model.qk_layernorm", "true"},
          {"model.add_qkv_bias", "true"},
          {"training.precision", "fp16"}}},
        {"bias-layernorm-parallel",
         "llama2-7b-8-a100",
         {{"model.add_bias_linear", "true"},
          {"model.normalization", "layernorm"},
          {"model.parallel_attention", "true"},
          {"model.position_embedding_learned", "true"},
          {"model.gated_mlp", "false"},
          {"parallelism.tensor_model_parallel_size", "2"},
          {"parallelism.zero_stage", "2"}}},
        {"context-all-gather",
         "llama3-70b-256-h100",
         {{"parallelism.cp_comm_type", "all_gather"}, {"parallelism.context_parallel_size", "4"}}},
        {"context-ulysses",
         "llama3-70b-256-h100",
         {{"parallelism.cp_comm_type", "a2a"},
          {"parallelism.context_parallel_size", "2"},
          {"model.seq_length", "32768"},
          {"training.attention_backend", "flash3"}}},
        {"context-with-experts",
         "qwen3-235b-256-h100",
         {{"parallelism.context_parallel_size", "2"},
          {"parallelism.pipeline_model_parallel_size", "4"},
          {"parallelism.expert_model_parallel_size", "64"},
          {"model.seq_length", "16384"}}},
        {"expert-tensor-4",
         "mixtral-8x22b-256-h100",
         {{"parallelism.tensor_model_parallel_size", "4"},
          {"parallelism.expert_tensor_parallel_size", "4"},
          {"parallelism.expert_model_parallel_size", "4"}}},
        {"expert-tensor-4-zero-3",
         "mixtral-8x22b-256-h100",
         {{"parallelism.pipeline_schedule", "1f1b"},
          {"parallelism.virtual_pipeline_model_parallel_size", "1"},
          {"parallelism.pipeline_model_parallel_size", "1"},
          {"parallelism.tensor_model_parallel_size", "4"},
          {"parallelism.expert_tensor_parallel_size", "4"},
          {"parallelism.expert_model_parallel_size", "8"},
          {"parallelism.zero_stage", "3"},
          {"training.recompute_granularity", "full"}}},
        {"experts-capacity-shared-groups",
         "mixtral-8x22b-256-h100",
         {{"model.moe_capacity_factor", "1.25"},
          {"model.moe_shared_expert_intermediate_size", "4096"},
          {"model.num_experts", "64"},
          {"model.moe_router_topk", "6"},
          {"model.moe_router_num_groups", "8"},
          {"model.moe_router_group_topk", "3"},
          {"model.moe_ffn_hidden_size", "2048"},
          {"parallelism.moe_token_dispatcher_type", "flex"},
          {"parallelism.expert_model_parallel_size", "16"},
          {"training.moe_host_sync", "false"}}},
        {"experts-every-other-layer",
         "mixtral-8x22b-256-h100",
         {{"model.moe_layer_freq", "2"},
          {"model.moe_first_k_dense", "2"},
          {"training.recompute_granularity", "selective"},
          {"training.recompute_modules", "core_attn layernorm mlp moe"}}},
        {"experts-fused-mxfp8",
         "deepseek-v3-2048-h800",
         {{"cluster.gpu.preset", "b200-sxm-180gb"},
          {"cluster.fabric", "dgx-b200-ndr400-rail"},
          {"training.precision", "mxfp8"},
          {"training.fused_grouped_mlp", "true"},
          {"training.attention_backend", "cudnn_fp8"},
          {"training.cuda_graphs", "layer"},
          {"training.recompute_modules", "mla_up_proj shared_experts"}}},
        {"experts-overlap-dualpipe", "deepseek-v3-2048-h800", {{"parallelism.pipeline_schedule", "dualpipe"}}},
        {"experts-overlap-1f1b-alltoall",
         "qwen3-235b-256-h100",
         {{"parallelism.overlap_moe_expert_parallel_comm", "true"},
          {"parallelism.moe_token_dispatcher_type", "alltoall"},
          {"training.recompute_granularity", "none"}}},
        {"generic-operators-no-recomputation",
         "dit-xl2-8-a100",
         {{"training.recompute_granularity", "none"}, {"parallelism.zero_stage", "0"}, {"training.micro_batch_size", "16"}}},
        {"hybrid-state-space",
         "llama2-7b-8-a100",
         {{"model.preset", "nemotron-h-8b"}, {"parallelism.tensor_model_parallel_size", "4"}, {"parallelism.sequence_parallel", "true"}}},
        {"mtp-tied-embeddings",
         "llama3-70b-256-h100",
         {{"model.mtp_num_layers", "1"}, {"model.tied_embeddings", "true"}, {"parallelism.context_parallel_size", "1"}}},
    };
}

/// Sharding, schedules and recomputation.
std::vector<Variant> parallelVariants()
{
    return {
        {"block-recomputation-mixed-layers",
         "deepseek-v3-2048-h800",
         {{"parallelism.pipeline_schedule", "1f1b"},
          {"training.recompute_granularity", "full"},
          {"training.recompute_method", "block"},
          {"training.recompute_num_layers", "2"},
          {"parallelism.overlap_moe_expert_parallel_comm", "false"}}},
        {"gpipe-last-rank-order",
         "gpt3-175b-1024-a100",
         {{"parallelism.pipeline_schedule", "gpipe"},
          {"parallelism.virtual_pipeline_model_parallel_size", "1"},
          {"parallelism.rank_order", "tp-cp-ep-pp-dp"},
          {"training.global_batch_size", "192"},
          {"training.recompute_granularity", "selective"}}},
        {"hsdp",
         "llama3-70b-256-h100",
         {{"parallelism.pipeline_schedule", "1f1b"},
          {"parallelism.virtual_pipeline_model_parallel_size", "1"},
          {"parallelism.pipeline_model_parallel_size", "1"},
          {"parallelism.tensor_model_parallel_size", "1"},
          {"parallelism.context_parallel_size", "1"},
          {"parallelism.sequence_parallel", "false"},
          {"parallelism.zero_stage", "3"},
          {"parallelism.hsdp_shard_size", "32"}}},
        {"no-overlap",
         "llama3-70b-256-h100",
         {{"parallelism.overlap_grad_reduce", "false"},
          {"parallelism.overlap_param_gather", "false"},
          {"parallelism.overlap_p2p_comm", "false"},
          {"parallelism.tp_comm_overlap", "false"},
          {"parallelism.account_for_embedding_in_pipeline_split", "false"}}},
        {"no-sequence-parallel",
         "llama3-70b-256-h100",
         {{"parallelism.sequence_parallel", "false"},
          {"parallelism.tp_comm_overlap", "false"},
          {"training.recompute_granularity", "full"}}},
        {"nvl72-tensor-16",
         "llama3-405b-16k-h100",
         {{"cluster.gpu.preset", "b200-sxm-180gb"},
          {"cluster.fabric", "gb200-nvl72-ndr400"},
          {"cluster.gpus_per_node", "64"},
          {"cluster.num_gpus", "2048"},
          {"parallelism.tensor_model_parallel_size", "16"},
          {"parallelism.pipeline_model_parallel_size", "4"},
          {"training.precision", "nvfp4"},
          {"training.global_batch_size", "512"},
          {"training.train_tokens", "1e12"}}},
        {"sgd-16-bit-gradients",
         "gpt3-175b-1024-a100",
         {{"training.optimizer", "sgd"}, {"training.grad_reduce_in_fp32", "false"}, {"parallelism.sequence_parallel", "true"}}},
        {"single-gpu-fp32",
         "llama2-7b-8-a100",
         {{"cluster.num_gpus", "1"}, {"training.precision", "fp32"}, {"training.global_batch_size", "4"}, {"model.num_layers", "8"}}},
        {"uneven-stages-fp8-gather",
         "llama3-70b-256-h100",
         {{"parallelism.pipeline_schedule", "1f1b"},
          {"parallelism.virtual_pipeline_model_parallel_size", "1"},
          {"parallelism.num_layers_in_first_pipeline_stage", "17"},
          {"parallelism.num_layers_in_last_pipeline_stage", "19"},
          {"training.precision", "fp8_delayed"},
          {"parallelism.fp8_param_gather", "true"}}},
        {"zero-3-full-recomputation",
         "llama3-70b-256-h100",
         {{"parallelism.pipeline_schedule", "1f1b"},
          {"parallelism.virtual_pipeline_model_parallel_size", "1"},
          {"parallelism.pipeline_model_parallel_size", "1"},
          {"parallelism.context_parallel_size", "1"},
          {"parallelism.zero_stage", "3"},
          {"training.recompute_granularity", "full"},
          {"training.precision", "fp8_tensorwise"}}},
        {"zero-bubble-h2",
         "llama3-70b-256-h100",
         {{"parallelism.pipeline_schedule", "zb-h2"},
          {"parallelism.virtual_pipeline_model_parallel_size", "1"},
          {"parallelism.tp_comm_overlap", "false"}}},
        {"zero-bubble-v",
         "llama3-70b-256-h100",
         {{"parallelism.pipeline_schedule", "zb-v"}, {"parallelism.virtual_pipeline_model_parallel_size", "2"}}},
    };
}

/// Clusters, what was measured on them, and whole jobs.
std::vector<Variant> clusterVariants()
{
    return {
        {"cube-mesh-v100",
         "llama2-7b-8-a100",
         {{"cluster.gpu.preset", "v100-sxm2-32gb"},
          {"cluster.fabric", "dgx-1-v100-edr"},
          {"cluster.num_gpus", "16"},
          {"parallelism.tensor_model_parallel_size", "8"},
          {"parallelism.pipeline_model_parallel_size", "2"},
          {"training.precision", "fp16"},
          {"training.cuda_graphs", "full_iteration"}}},
        {"fat-tree-oversubscribed",
         "llama3-405b-8k-h100",
         {{"cluster.topology", "fat_tree"},
          {"cluster.oversubscription", "4"},
          {"cluster.nodes_per_pod", "16"},
          {"cluster.inter_node_efficiency", "0.7"},
          {"cluster.inter_node_latency_us", "20"},
          {"cluster.intra_node_latency_us", "4"},
          {"cluster.in_network_reduction", "true"},
          {"cluster.intra_node_base_latency_us", "9"},
          {"cluster.nvls_supported", "false"},
          {"cluster.gpu_hour_price_usd", "3.1"}}},
        {"measured-levels",
         "llama3-70b-256-h100",
         {{"measured.compute_level", "1.07"}, {"measured.network_level", "1.3"}, {"measured.level_error", "0.02"}}},
        {"measured-on-another-job", "llama2-7b-8-a100", {{"measured.level_error", "0.02"}, {"measured.level_job", "another"}}},
        {"measured-tables",
         "llama3-70b-256-h100",
         {{"parallelism.sequence_parallel", "false"}},
         [](Scenario& s) {
             s.measured.kernels = {{"norm", 1e-4}, {"optimizer", 0.02}};
             s.measured.rows = {{"gemm", "bf16", 4096, 8192, 8192, 0, 0, 9e-4},
                                {"all_reduce", "", 0, 0, 0, 4, 67108864, 4e-4},
                                {"all_gather", "", 0, 0, 0, 4, 67108864, 3e-4}};
             s.measured.speeds = {{0, -1, 0.95}, {3, 2, 0.9}};
             s.measured.nodeOrder.resize(32);
             for (int i = 0; i < 32; ++i)
                 s.measured.nodeOrder[static_cast<std::size_t>(i)] = 31 - i;
         }},
        {"power-cap",
         "llama3-70b-256-h100",
         {{"cluster.gpu.board_power_w", "450"},
          {"cluster.gpu.boost_clock_mhz", "1980"},
          {"cluster.gpu.num_sms", "120"},
          {"cluster.gpu.memory_bandwidth_gb_per_s", "3000"}}},
        {"slow-nodes-and-spreads",
         "llama3-70b-256-h100",
         {{"variability.preset", "measured-h100"},
          {"variability.step_jitter_s", "0.05"},
          {"variability.stalls_per_gpu_hour", "0.01"},
          {"variability.stall_mean_s", "2"}},
         [](Scenario& s) {
             s.variability.slow = {{2, -1, 1.2, 1.5}, {-1, 200, 1.3, 1.0}};
             s.variability.classOverrides["dp.all_gather"] = {Family::gamma, 0.2, 0.01, 3.0};
             s.variability.spatialSensitivity["gemm"] = 0.6;
         }},
        {"whole-job",
         "llama3-70b-128-mi300x",
         {{"training.train_tokens", "2e12"},
          {"job.preset", "llama3-16k-h100"},
          {"job.detection_s", "120"},
          {"job.restart_s", "700"},
          {"job.repair_hours", "30"},
          {"job.spare_nodes", "3"},
          {"job.checkpoint_interval_s", "1800"},
          {"job.checkpoint_block_s", "25"},
          {"job.checkpoint_persist_s", "-1"},
          {"job.checkpoint_gb_per_s", "60"},
          {"job.slow_per_1000_node_days", "0.5"},
          {"job.slow_factor", "1.3"},
          {"job.slow_hours", "5"},
          {"job.slow_mitigation_s", "3600"},
          {"job.evaluation_interval_steps", "1000"},
          {"job.evaluation_s", "90"},
          {"job.maintenance_every_days", "10"},
          {"job.maintenance_hours", "4"},
          {"job.node_power_kw", "9"},
          {"job.pue", "1.25"},
          {"job.grid_g_co2_per_kwh", "380"},
          {"job.deadline_days", "75"},
          {"job.failure_scale", "1.5"}}},
        {"whole-job-shrinks",
         "llama3-70b-128-mi300x",
         {{"job.preset", "meta-rsc1-a100"},
          {"job.without_spare", "shrink"},
          {"job.failure_scale", "10"},
          {"training.train_tokens", "2e12"},
          {"job.node_power_kw", "8"},
          {"job.checkpoint_interval_s", "0"}}},
    };
}

Scenario built(const Variant& v)
{
    Result<Scenario> s = scenarioPreset(v.preset);
    for (const auto& [id, text] : v.parameters) {
        if (s.ok())
            s = setParameter(*s, id, text);
        EXPECT_TRUE(s.ok()) << v.name << ": " << id << " = " << text;
    }
    Scenario scenario = s.ok() ? *s : Scenario();
    if (v.change)
        v.change(scenario);
    return scenario;
}

} // namespace

std::vector<Case> cases()
{
    std::vector<Case> all;
    for (const std::string& name : presetNames("scenario"))
        all.push_back({name, *scenarioPreset(name)});
    for (const auto& variants : {layerVariants(), parallelVariants(), clusterVariants()})
        for (const Variant& v : variants)
            all.push_back({std::string("variant.") + v.name, built(v)});
    return all;
}

} // namespace prism::golden
