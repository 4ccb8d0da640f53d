// SPDX-License-Identifier: GPL-3.0-or-later
// A witness that a parameter acts: a scenario, two values, the metric that moves and by how much. Sizes are derived by hand where a closed
// form exists (within 10 %), else the direction and at least 1 %. An entry of the parameter table without witness or reason fails.
#include "core/cost/predictor.h"
#include "core/engine/evaluator.h"
#include "core/explore/objective.h"
#include "core/job/jobsection.h"
#include "core/job/jobtimes.h"
#include "core/scenario/parameters.h"
#include "core/scenario/parametertable.h"
#include "core/scenario/presets.h"
#include "core/workload/count.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace prism {
namespace {

/// h 8,192, attention of 64 heads of 128 with 8 groups, a gated MLP of 28,672, 32,000 words; 16 layers. 64 GPUs, 8 a node.
Scenario dense()
{
    Scenario s;
    s.model.numLayers = 16;
    s.model.hiddenSize = 8192;
    s.model.numAttentionHeads = 64;
    s.model.numQueryGroups = 8;
    s.model.ffnHiddenSize = 28672;
    s.cluster.numGpus = 64;
    s.cluster.gpu.memoryGib = 10'000;
    s.cluster.nodesPerPod = 1;
    s.training.globalBatchSize = 256;
    s.training.trainTokens = 1e12;
    return s;
}
Scenario with(Scenario s, std::initializer_list<std::pair<const char*, const char*>> settings)
{
    for (const auto& [id, value] : settings) {
        const Result<Scenario> set = setParameter(s, id, value);
        EXPECT_TRUE(set.ok()) << id << " " << value;
        s = *set;
    }
    return s;
}
/// All communication in the open, so that what it takes is what the step takes.
Scenario open()
{
    return with(dense(), {{"parallelism.overlap_grad_reduce", "false"}, {"parallelism.overlap_param_gather", "false"}});
}
Scenario piped()
{
    return with(dense(), {{"pp", "4"}, {"tp", "2"}});
}
Scenario tensor()
{
    return with(open(), {{"tp", "8"}, {"model.seq_length", "1024"}});
}
Scenario experts()
{
    return with(dense(), {{"model.num_experts", "16"}, {"model.moe_router_topk", "2"}, {"model.moe_ffn_hidden_size", "4096"}, {"ep", "8"}});
}
Scenario tiny() ///< waits for the host and for latencies
{
    return with(dense(), {{"model.hidden_size", "1024"},
                          {"model.num_attention_heads", "8"},
                          {"model.ffn_hidden_size", "2816"},
                          {"model.seq_length", "512"},
                          {"tp", "8"}});
}
Scenario latent()
{
    return with(dense(), {{"model.multi_latent_attention", "true"}, {"model.kv_lora_rank", "512"}, {"model.q_lora_rank", "1536"}});
}
Scenario long_()
{
    return with(dense(), {{"model.seq_length", "32768"}, {"cp", "4"}, {"training.global_batch_size", "64"}});
}
Scenario recomputed()
{
    return with(dense(), {{"training.recompute_granularity", "full"}, {"training.recompute_method", "block"}});
}

// Metrics that users read.
double step(const Scenario& s)
{
    const Result<CostedStep> r = costStep(s);
    EXPECT_TRUE(r.ok()) << r.errors().front().path << " " << r.errors().front().message;
    return r->noiseFreeSeconds;
}
double band(const Scenario& s)
{
    return costStep(s)->errorBandHigh;
}
double parameterCount(const Scenario& s)
{
    return totalParameters(s.model);
}
double flops(const Scenario& s)
{
    return modelFlopsPerToken(s.model);
}
double capacity(const Scenario& s)
{
    return costStep(s)->memory.capacityGib;
}
double weights(const Scenario& s)
{
    return costStep(s)->memory.stages[0].weightsGib;
}
double gradients(const Scenario& s)
{
    return costStep(s)->memory.stages[0].gradientsGib;
}
double optimizer(const Scenario& s)
{
    return costStep(s)->memory.stages[0].optimizerGib;
}
double activations(const Scenario& s)
{
    return costStep(s)->memory.stages[0].activationsGib;
}
double usdPerTokens(const Scenario& s)
{
    return perMillionTokens(ExploreObjective::Per::dollar, 1, 1e6, s);
}
double kwhPerTokens(const Scenario& s)
{
    return perMillionTokens(ExploreObjective::Per::energy, 1, 1e6, s);
}
template <double JobConfig::*member>
double job(const Scenario& s)
{
    return jobSectionOf(s)->config.*member;
}
double spares(const Scenario& s)
{
    return jobSectionOf(s)->config.spareNodes;
}
JobPlan plan(const Scenario& s)
{
    JobPlan p;
    p.nodes = 100;
    p.stepSeconds = 1;
    p.undisturbedDays = 30;
    p.mtbfHours = jobMtbfHours(failuresPer1000NodeDays(jobSectionOf(s)->config, false), p.nodes);
    return p;
}
double mtbf(const Scenario& s)
{
    return plan(s).mtbfHours;
}
double interval(const Scenario& s)
{
    return checkpointAdvice(jobSectionOf(s)->config, plan(s)).usedSeconds;
}
/// Share of the time that failures, checkpoints and restarts take.
double lost(const Scenario& s)
{
    return 1 - checkpointAdvice(jobSectionOf(s)->config, plan(s)).usedRatio;
}

/// Steps across jobs.
SnapshotPtr sampled(const Scenario& s)
{
    Evaluator evaluator;
    EvaluateOptions options;
    options.numSamples = 1'000;
    options.varianceShares = options.systemsRange = false;
    SnapshotPtr snapshot = evaluator.evaluate(s, options);
    EXPECT_TRUE(snapshot->valid());
    return snapshot;
}
double spread(const Scenario& s) ///< standard deviation
{
    return sampled(s)->across.std;
}
double mean(const Scenario& s)
{
    return sampled(s)->across.mean;
}
double delay(const Scenario& s) ///< mean over the step without noise
{
    const SnapshotPtr snapshot = sampled(s);
    return snapshot->across.mean - snapshot->costed->noiseFreeSeconds;
}
double days(const Scenario& s)
{
    return sampled(s)->daysToTrain;
}
Result<JobReport> jobReport(const Scenario& s)
{
    Evaluator evaluator;
    JobQuery query;
    query.runs = 200;
    InsightOptions options;
    options.samples = 200;
    return jobOf(evaluator, s, query, options);
}
double jobDays(const Scenario& s)
{
    return jobReport(s)->meanDays;
}
double inTime(const Scenario& s)
{
    return jobReport(s)->deadlineProbability.value;
}
double emissions(const Scenario& s)
{
    return jobReport(s)->co2TonnesMean;
}
Scenario small() ///< steps of a few kernels, for samples
{
    return with(open(), {{"model.num_layers", "2"}, {"training.global_batch_size", "128"}, {"parallelism.overlap_p2p_comm", "false"}});
}
Scenario groups() ///< experts over 8 nodes, in 8 groups, tokens sent once to a node
{
    return with(experts(), {{"model.num_experts", "64"},
                            {"model.moe_router_topk", "8"},
                            {"ep", "64"},
                            {"parallelism.moe_token_dispatcher_type", "flex"},
                            {"model.moe_router_group_topk", "2"},
                            {"model.moe_router_num_groups", "8"}});
}
Scenario slowEpisodes()
{
    return with(dense(), {{"job.slow_per_1000_node_days", "1000"}, {"job.slow_hours", "20"}, {"job.slow_factor", "2"}});
}

constexpr double kNone = 0;
struct Witness {
    std::string id;
    Scenario (*base)();
    const char *from, *to;
    double (*metric)(const Scenario&);
    double ratio = kNone;                                       ///< metric(to) / metric(from), by hand; 0: no closed form
    int direction = 0;                                          ///< without one: 1 = it grows by at least 1 %, -1 = it falls
    std::vector<std::pair<std::string, const char*>> also = {}; ///< further settings of the base
};

constexpr double kTable = 32000.0 * 8192, kAttention = 8192.0 * (2 * 64 + 2 * 8) * 128, kMlp = 3 * 8192.0 * 28672;
constexpr double kParameters = 16 * (kAttention + kMlp) + 2 * kTable;
/// FLOPs of a token: 6 a parameter but the input table, and 12 s h of attention in each layer.
constexpr double kFlops = 6 * (kParameters - kTable) + 16 * 12 * 4096.0 * 8192;

// clang-format off
const Witness kWitnesses[] = {
    // model: parameters and model FLOPs in closed form (Kaplan et al. 2020; Narayanan et al. 2021)
    {"model.num_layers", dense, "16", "32", parameterCount, (32 * (kAttention + kMlp) + 2 * kTable) / kParameters},
    {"model.hidden_size", dense, "8192", "4096", parameterCount, 0.5}, // every matrix has one side of it
    {"model.num_attention_heads", dense, "64", "32", flops, (kFlops - 16 * (6 * 8192.0 * 64 * 128 + 6 * 4096.0 * 8192)) / kFlops}, // Q and O and the scores lose a half
    {"model.num_query_groups", dense, "8", "64", parameterCount, (kParameters + 16 * 8192.0 * 2 * 56 * 128) / kParameters},
    {"model.kv_channels", dense, "128", "256", parameterCount, (kParameters + 16 * kAttention) / kParameters},
    {"model.ffn_hidden_size", dense, "28672", "14336", parameterCount, (kParameters - 8 * kMlp) / kParameters},
    {"model.vocab_size", dense, "32000", "256000", parameterCount, (kParameters + 14 * kTable) / kParameters},
    {"model.seq_length", dense, "4096", "8192", flops, (kFlops + 16 * 12 * 4096.0 * 8192) / kFlops},
    {"model.gated_mlp", dense, "true", "false", parameterCount, (kParameters - 16 * kMlp / 3) / kParameters},
    {"model.tied_embeddings", dense, "false", "true", parameterCount, (kParameters - kTable) / kParameters},
    {"model.causal_attention", long_, "true", "false", step, kNone, 1},
    {"model.parallel_attention", tensor, "false", "true", step, kNone, -1}, // one pair of collectives a layer instead of two
    {"model.qk_layernorm", tiny, "false", "true", step, kNone, 1},
    {"model.normalization", dense, "rmsnorm", "layernorm", parameterCount, 1}, // biases of norms: 33 h of 1.4e10
    {"model.add_bias_linear", tiny, "false", "true", parameterCount, 1},
    {"model.add_qkv_bias", tiny, "false", "true", parameterCount, 1},
    {"model.position_embedding_learned", dense, "false", "true", parameterCount, (kParameters + 4096.0 * 8192) / kParameters},
    {"model.sliding_window", long_, "0", "1024", step, kNone, -1},
    {"model.multi_latent_attention", dense, "false", "true", parameterCount, kNone, 1}, // 8 groups of keys and values are smaller
    {"model.q_lora_rank", latent, "1536", "768", parameterCount, kNone, -1},
    {"model.kv_lora_rank", latent, "512", "2048", parameterCount, kNone, 1},
    {"model.qk_head_dim", latent, "128", "256", parameterCount, kNone, 1},
    {"model.qk_pos_emb_head_dim", latent, "64", "256", parameterCount, kNone, 1},
    {"model.v_head_dim", latent, "128", "256", parameterCount, kNone, 1},
    {"model.num_experts", experts, "16", "32", parameterCount, (16 * (kAttention + 32 * 3 * 8192.0 * 4096) + 2 * kTable) / (16 * (kAttention + 16 * 3 * 8192.0 * 4096) + 2 * kTable)},
    {"model.moe_router_topk", experts, "2", "4", flops, kNone, 1},
    {"model.moe_ffn_hidden_size", experts, "4096", "8192", parameterCount, (16 * (kAttention + 16 * 3 * 8192.0 * 8192) + 2 * kTable) / (16 * (kAttention + 16 * 3 * 8192.0 * 4096) + 2 * kTable)},
    {"model.moe_shared_expert_intermediate_size", experts, "0", "28672", parameterCount, (16 * (kAttention + 16 * 3 * 8192.0 * 4096 + kMlp) + 2 * kTable) / (16 * (kAttention + 16 * 3 * 8192.0 * 4096) + 2 * kTable)},
    {"model.moe_first_k_dense", experts, "0", "8", parameterCount, kNone, -1},
    {"model.moe_layer_freq", experts, "1", "2", parameterCount, kNone, -1},
    {"model.mtp_num_layers", dense, "0", "1", flops, kNone, 1},
    {"model.moe_router_num_groups", groups, "4", "8", step, kNone, -1},
    {"model.moe_router_group_topk", groups, "2", "8", step, kNone, 1},
    {"model.moe_capacity_factor", experts, "1", "1.5", step, kNone, 1},
    // cluster
    {"cluster.gpu.peak_bf16_tflops", dense, "989.4", "494.7", step, kNone, 1},
    {"cluster.gpu.memory_gib", dense, "100", "50", capacity, 0.5},
    {"cluster.gpu.memory_bandwidth_gb_per_s", dense, "3352", "1676", step, kNone, 1},
    {"cluster.gpu.board_power_w", dense, "700", "350", kwhPerTokens, (350 + 350) / (700 + 350.0)},
    {"cluster.gpu.peak_fp16_tflops", [] { return with(dense(), {{"training.precision", "fp16"}}); }, "989.4", "494.7", step, kNone, 1},
    {"cluster.gpu.peak_fp8_tflops", [] { return with(dense(), {{"training.precision", "fp8_delayed"}}); }, "1978.9", "989.4", step, kNone, 1},
    {"cluster.gpu.peak_fp4_tflops", [] { return with(dense(), {{"training.precision", "nvfp4"}}); }, "4000", "2000", step, kNone, 1},
    {"cluster.gpu.peak_tf32_tflops", [] { return with(dense(), {{"training.precision", "fp32"}}); }, "494.7", "247", step, kNone, 1},
    {"cluster.gpu.num_sms", [] { return with(tiny(), {{"training.cuda_graphs", "full_iteration"}}); }, "132", "1024", step, kNone, 1}, // fewer tiles than multiprocessors
    {"cluster.gpu.boost_clock_mhz", dense, "1830", "3660", step, kNone, 1}, // as many FLOPs at twice the clock draw more
    {"cluster.intra_node_latency_us", [] { return with(tiny(), {{"tp", "1"}, {"training.cuda_graphs", "full_iteration"}}); }, "3", "1000", step, kNone, 1},
    {"cluster.intra_node_base_latency_us", tensor, "0", "1000", step, kNone, 1},
    {"cluster.num_gpus", open, "64", "128", step, kNone, -1},
    {"cluster.gpus_per_node", open, "8", "4", step, kNone, 1},
    {"cluster.intra_node_gb_per_s", tensor, "450", "45", step, kNone, 1},
    {"cluster.inter_node_gb_per_s", open, "50", "5", step, kNone, 1},
    {"cluster.inter_node_latency_us", tiny, "8", "8000", step, kNone, 1},
    {"cluster.intra_node_topology", [] { return with(open(), {{"tp", "2"}, {"model.seq_length", "1024"}}); }, "switch", "full_mesh", step, kNone, 1},
    {"cluster.nvls_supported", [] { return with(open(), {{"zero_stage", "0"}, {"cluster.num_gpus", "8"}, {"training.global_batch_size", "8"}}); }, "true", "false", step, kNone, 1},
    {"cluster.in_network_reduction", [] { return with(open(), {{"zero_stage", "0"}, {"cluster.nodes_per_pod", "32"}}); }, "false", "true", step, kNone, -1},
    {"cluster.inter_node_efficiency", open, "1", "0.5", step, kNone, 1},
    {"cluster.topology", [] { return with(experts(), {{"ep", "16"}, {"cluster.intra_node_gb_per_s", "25"}, {"cluster.nodes_per_pod", "32"}}); }, "fat_tree", "rail_optimized", step, kNone, 1},
    {"cluster.oversubscription", open, "1", "64", step, kNone, 1},
    {"cluster.nodes_per_pod", [] { return with(open(), {{"cluster.oversubscription", "4"}}); }, "1", "8", step, kNone, -1},
    {"cluster.gpu_hour_price_usd", dense, "2", "3", usdPerTokens, 1.5},
    // parallelism
    {"parallelism.tensor_model_parallel_size", dense, "1", "8", weights, 1 / 8.0},
    {"parallelism.pipeline_model_parallel_size", dense, "1", "2", weights, 0.5},
    {"parallelism.virtual_pipeline_model_parallel_size", [] { return with(piped(), {{"parallelism.pipeline_schedule", "interleaved"}, {"parallelism.virtual_pipeline_model_parallel_size", "2"}, {"training.global_batch_size", "32"}}); }, "2", "4", step, kNone, -1},
    {"parallelism.context_parallel_size", [] { return with(dense(), {{"model.seq_length", "32768"}}); }, "1", "4", activations, 0.25},
    {"parallelism.expert_model_parallel_size", experts, "1", "8", weights, kNone, -1},
    {"parallelism.expert_tensor_parallel_size", [] { return with(experts(), {{"tp", "2"}}); }, "1", "2", weights, kNone, -1},
    {"parallelism.pipeline_model_parallel_layout", piped, "Et*2|t*4|t*4|t*6L", "Et*4|t*4|t*4|t*4L", weights, kNone, 1},
    {"parallelism.sequence_parallel", tensor, "true", "false", activations, kNone, 1},
    {"parallelism.zero_stage", dense, "0", "1", optimizer, 1 / 64.0},
    {"parallelism.hsdp_shard_size", [] { return with(dense(), {{"zero_stage", "3"}}); }, "8", "64", weights, 8 / 64.0},
    {"parallelism.pipeline_schedule", piped, "gpipe", "1f1b", activations, kNone, -1},
    {"parallelism.cp_comm_type", [] { return with(long_(), {{"cluster.gpus_per_node", "1"}}); }, "p2p", "all_gather", step, kNone, 1},
    {"parallelism.moe_token_dispatcher_type", [] { return with(experts(), {{"model.moe_router_topk", "8"}}); }, "alltoall", "flex", step, kNone, -1},
    {"parallelism.rank_order", [] { return with(piped(), {{"parallelism.overlap_grad_reduce", "false"}}); }, "tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp", step, kNone, 1},
    {"parallelism.num_layers_in_first_pipeline_stage", piped, "1", "7", weights, kNone, 1},
    {"parallelism.num_layers_in_last_pipeline_stage", piped, "1", "7", weights, kNone, -1},
    {"parallelism.overlap_grad_reduce", dense, "true", "false", step, kNone, 1},
    {"parallelism.overlap_param_gather", dense, "true", "false", step, kNone, 1},
    {"parallelism.tp_comm_overlap", [] { return with(tensor(), {{"model.seq_length", "8192"}, {"cluster.intra_node_gb_per_s", "100"}}); }, "false", "true", step, kNone, -1},
    {"parallelism.overlap_p2p_comm", [] { return with(piped(), {{"parallelism.pipeline_schedule", "zb-h1"}}); }, "true", "false", step, kNone, 1},
    {"parallelism.fp8_param_gather", [] { return with(open(), {{"training.precision", "fp8_delayed"}}); }, "false", "true", step, kNone, -1},
    {"parallelism.overlap_moe_expert_parallel_comm", [] { return with(experts(), {{"ep", "16"}, {"training.global_batch_size", "1024"}}); }, "false", "true", step, kNone, -1},
    // training
    {"training.micro_batch_size", dense, "1", "2", activations, 2},
    {"training.global_batch_size", dense, "256", "512", step, kNone, 1},
    {"training.precision", dense, "bf16", "fp32", weights, 2},
    {"training.recompute_granularity", dense, "none", "full", activations, kNone, -1},
    {"training.recompute_modules", [] { return with(dense(), {{"training.recompute_granularity", "selective"}}); }, "core_attn", "mlp", activations, kNone, -1},
    {"training.recompute_method", [] { return with(recomputed(), {{"training.recompute_num_layers", "4"}}); }, "block", "uniform", activations, kNone, -1},
    {"training.recompute_num_layers", recomputed, "4", "12", activations, kNone, -1},
    {"training.attention_backend", dense, "cudnn", "flash2", step, kNone, 1},
    {"training.cuda_graphs", tiny, "none", "full_iteration", step, kNone, -1},
    {"training.fusion", dense, "fused", "eager", step, kNone, 1},
    {"training.cpu_offloading_num_layers", dense, "0", "16", activations, kNone, -1},
    {"training.moe_host_sync", [] { return with(experts(), {{"model.hidden_size", "1024"}, {"model.seq_length", "128"}, {"model.moe_ffn_hidden_size", "512"}, {"ep", "16"}, {"training.cuda_graphs", "layer"}}); }, "true", "false", step, kNone, -1},
    {"training.fused_grouped_mlp", [] { return with(experts(), {{"training.precision", "mxfp8"}, {"model.moe_router_topk", "8"}}); }, "false", "true", step, kNone, -1},
    {"training.train_tokens", small, "1e12", "2e12", days, 2},
    {"training.optimizer", dense, "adam", "sgd", optimizer, 8 / 12.0},
    {"training.grad_reduce_in_fp32", dense, "true", "false", gradients, 0.5},
    // job
    {"job.failure_scale", dense, "1", "2", mtbf, 0.5},
    {"job.detection_s", dense, "60", "6000", lost, kNone, 1},
    {"job.restart_s", dense, "60", "6000", lost, kNone, 1},
    {"job.repair_hours", [] { return with(dense(), {{"cluster.num_gpus", "16384"}, {"training.global_batch_size", "16384"}}); }, "24", "240", spares, kNone, 1},
    {"job.spare_nodes", dense, "2", "8", spares, 4},
    {"job.checkpoint_interval_s", dense, "1000", "3000", interval, 3},
    {"job.checkpoint_block_s", dense, "1", "4", interval, 2}, // sqrt(2 b M)
    {"job.checkpoint_persist_s", dense, "60", "6000", lost, kNone, 1},
    {"job.checkpoint_gb_per_s", dense, "100", "50", job<&JobConfig::checkpointPersistS>, 2},
    {"job.node_power_kw", dense, "8", "4", kwhPerTokens, 0.5},
    {"job.pue", dense, "1", "1.5", kwhPerTokens, 1.5},
    {"job.maintenance_hours", [] { return with(dense(), {{"job.maintenance_every_days", "2"}}); }, "1", "24", jobDays, kNone, 1},
    {"job.evaluation_interval_steps", [] { return with(dense(), {{"job.evaluation_s", "600"}}); }, "1000", "100", jobDays, kNone, 1},
    {"job.evaluation_s", [] { return with(dense(), {{"job.evaluation_interval_steps", "100"}}); }, "10", "600", jobDays, kNone, 1},
    {"job.slow_per_1000_node_days", slowEpisodes, "0", "1000", jobDays, kNone, 1},
    {"job.slow_factor", slowEpisodes, "1.2", "2", jobDays, kNone, 1},
    {"job.slow_hours", slowEpisodes, "1", "20", jobDays, kNone, 1},
    {"job.slow_mitigation_s", slowEpisodes, "0", "60", jobDays, kNone, -1},
    {"job.deadline_days", dense, "1", "1000", inTime, kNone, 1},
    {"job.grid_g_co2_per_kwh", dense, "100", "300", emissions, 3},
    {"job.maintenance_every_days", dense, "2", "4", job<&JobConfig::maintenanceEveryDays>, 2},
    // variability: what each law adds (spreadWitnesses has the four entries of every law)
    {"variability.spatial_node_share", [] { return with(small(), {{"tp", "8"}, {"variability.spatial.family", "lognormal"}, {"variability.spatial.cv", "0.2"}}); }, "0", "1", mean, kNone, -1}, // at 1 all GPUs of a group are equal
    {"variability.step_jitter_s", small, "0.01", "0.02", spread, 2},
    {"variability.stalls_per_gpu_hour", [] { return with(small(), {{"variability.stall_mean_s", "1"}}); }, "10", "100", mean, kNone, 1},
    {"variability.stall_mean_s", [] { return with(small(), {{"variability.stalls_per_gpu_hour", "100"}}); }, "1", "2", spread, 2},
    {"variability.stall_cv", [] { return with(small(), {{"variability.stalls_per_gpu_hour", "100"}, {"variability.stall_mean_s", "1"}}); }, "0", "2", spread, kNone, 1},
    {"variability.stall_rate_cv", [] { return with(small(), {{"variability.stalls_per_gpu_hour", "100"}, {"variability.stall_mean_s", "1"}}); }, "0", "1", spread, kNone, 1},
    // measured
    {"measured.compute_level", [] { return with(dense(), {{"cluster.num_gpus", "1"}, {"training.global_batch_size", "8"}}); }, "1", "2", step, 2},
    {"measured.network_level", open, "1", "4", step, kNone, 1},
    {"measured.level_error", dense, "0.01", "0.02", band, 2},
    {"measured.level_job", [] { return with(dense(), {{"measured.level_error", "0.01"}}); }, "", "another", band, kNone, 1},
};
// clang-format on

/// Each law of the variability: the spread is in proportion to a small coefficient of variation and to what a rare event adds.
std::vector<Witness> spreadWitnesses()
{
    struct Law {
        const char* id;
        Scenario (*base)();
    };
    static const Law kLaws[] = {
        {"spatial", small},
        {"gemm", small},
        {"attention", small},
        {"memory_bound", small},
        {"intra_collective",
         [] {
             return with(small(), {{"tp", "8"}});
         }},
        {"inter_collective", small},
        {"p2p",
         [] {
             return with(small(), {{"pp", "2"}});
         }},
        {"intra_regime",
         [] {
             return with(small(), {{"tp", "8"}});
         }},
        {"inter_regime", small},
        {"compute_regime", small},
        {"data", small},
        {"moe_imbalance",
         [] {
             return with(experts(), {{"model.num_layers", "2"}});
         }},
        {"moe_imbalance_regime", experts},
    };
    std::vector<Witness> all;
    for (const Law& law : kLaws) {
        const std::string id = std::string("variability.") + law.id;
        all.push_back({id + ".cv", law.base, "0.01", "0.02", spread, 2});
        all.push_back({id + ".family", law.base, "lognormal", "deterministic", spread, kNone, -1});
        all.push_back({id + ".rare_probability", law.base, "0.01", "0.1", delay, kNone, 1});
        all.push_back({id + ".rare_multiplier", law.base, "1.01", "1.02", spread, 2});
        for (std::size_t i = all.size() - 4; i < all.size(); ++i)
            all[i].also = {{id + ".family", i + 2 < all.size() ? "lognormal" : "deterministic"},
                           {id + ".cv", "0.02"},
                           {id + ".rare_probability", i + 2 < all.size() ? "0" : "0.1"},
                           {id + ".rare_multiplier", "1.5"}};
    }
    return all;
}

/// Entries that change no metric by themselves, and the reason.
const std::map<std::string, const char*> kWithoutWitness = {
    {"model.preset", "sets the other entries of its section"},
    {"model.name", "a name"},
    {"cluster.gpu.preset", "sets the other entries of the GPU"},
    {"cluster.gpu.name", "a name; the family of the constants follows the preset"},
    {"cluster.gpu.peak_fp32_tflops", "read for imported operator tables in FP32; training in fp32 uses TF32"},
    {"cluster.fabric", "sets the other entries of the network"},
    {"parallelism.account_for_embedding_in_pipeline_split", "no number of layers divides by the stages with both values"},
    {"parallelism.account_for_loss_in_pipeline_split", "no number of layers divides by the stages with both values"},
    {"variability.preset", "sets the other entries of its section"},
    {"variability.regime_lag1", "correlates steps; the distribution of one step is the same"},
    {"variability.compute_regime_lag1", "as regime_lag1"},
    {"variability.moe_imbalance_regime_lag1", "as regime_lag1"},
    {"job.preset", "sets the other entries of its section"},
    {"job.start_date", "turns days into dates"},
    {"job.without_spare", "acts only while no spare is left, which is rare in a job of 8 nodes"},
    {"measured.calibration", "a file; its contents are other entries"},
};

class Witnesses : public testing::TestWithParam<Witness> {};

TEST_P(Witnesses, MovesItsMetric)
{
    const Witness& w = GetParam();
    const auto metric = [&](const char* value) {
        Scenario s = w.base();
        for (const auto& [id, setting] : w.also)
            s = with(s, {{id.c_str(), setting}});
        return w.metric(with(s, {{w.id.c_str(), value}}));
    };
    const double from = metric(w.from), to = metric(w.to);
    if (w.ratio != kNone)
        EXPECT_NEAR(to / from / w.ratio, 1, 0.1) << from << " " << to;
    else if (w.direction > 0)
        EXPECT_GT(to / from, 1.01) << from << " " << to;
    else
        EXPECT_LT(to / from, 0.99) << from << " " << to;
    EXPECT_NE(from, to);
}
std::string nameOf(const testing::TestParamInfo<Witness>& info)
{
    std::string name = info.param.id;
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
}
INSTANTIATE_TEST_SUITE_P(Parameters, Witnesses, testing::ValuesIn(kWitnesses), nameOf);
INSTANTIATE_TEST_SUITE_P(Spreads, Witnesses, testing::ValuesIn(spreadWitnesses()), nameOf);

TEST(WitnessTable, EveryParameterHasAWitnessOrAReason)
{
    std::set<std::string> witnessed;
    for (const Witness& w : kWitnesses)
        witnessed.insert(w.id);
    for (const Witness& w : spreadWitnesses())
        witnessed.insert(w.id);
    for (const Parameter& p : parameters())
        EXPECT_NE(witnessed.contains(p.id), kWithoutWitness.contains(p.id)) << p.id;
    for (const auto& [id, reason] : kWithoutWitness)
        EXPECT_NE(findParameter(id), nullptr) << id;
}

/// More bandwidth, a faster GPU, fewer layers or tokens never take longer, and more memory never fits less.
TEST(Metamorphic, MoreOfAResourceNeverTakesLonger)
{
    for (Scenario (*base)() : {dense, open, piped, tensor, experts, tiny, long_})
        for (const auto& [id, values] : std::initializer_list<std::pair<const char*, std::vector<const char*>>>{
                 {"cluster.inter_node_gb_per_s", {"0.1", "1", "10", "50", "200"}},
                 {"cluster.intra_node_gb_per_s", {"10", "100", "450", "900"}},
                 {"cluster.gpu.peak_bf16_tflops", {"100", "500", "989.4", "2000"}},
                 {"cluster.gpu.memory_bandwidth_gb_per_s", {"500", "2000", "3352", "8000"}},
                 {"cluster.oversubscription", {"64", "8", "2", "1"}},
                 {"cluster.nodes_per_pod", {"1", "2", "4", "8"}},
                 {"cluster.inter_node_latency_us", {"1000", "100", "8", "1"}},
                 {"model.num_layers", {"32", "24", "16"}},
                 {"training.global_batch_size", {"1024", "512", "256"}}}) {
            double before = 1e300;
            for (const char* value : values) {
                const double now = step(with(base(), {{id, value}}));
                EXPECT_LE(now, before * (1 + 1e-9)) << id << " " << value;
                before = now;
            }
        }
}

} // namespace
} // namespace prism
