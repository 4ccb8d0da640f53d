// SPDX-License-Identifier: GPL-3.0-or-later
// A witness that a parameter acts: a scenario, two values, the metric that moves and by how much. Sizes are derived by hand where a closed
// form exists (within 10 %), else the direction and at least 1 %.
#include "core/cost/predictor.h"
#include "core/explore/objective.h"
#include "core/job/jobsection.h"
#include "core/job/jobtimes.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "core/workload/count.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

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

constexpr double kNone = 0;
struct Witness {
    const char* id;
    Scenario (*base)();
    const char *from, *to;
    double (*metric)(const Scenario&);
    double ratio = kNone; ///< metric(to) / metric(from), by hand; 0: no closed form
    int direction = 0;    ///< without one: 1 = it grows by at least 1 %, -1 = it falls
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
    // cluster
    {"cluster.gpu.peak_bf16_tflops", dense, "989.4", "494.7", step, kNone, 1},
    {"cluster.gpu.memory_gib", dense, "100", "50", capacity, 0.5},
    {"cluster.gpu.memory_bandwidth_gb_per_s", dense, "3352", "1676", step, kNone, 1},
    {"cluster.gpu.board_power_w", dense, "700", "350", kwhPerTokens, (350 + 350) / (700 + 350.0)},
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
    {"job.maintenance_every_days", dense, "2", "4", job<&JobConfig::maintenanceEveryDays>, 2},
};
// clang-format on

class Witnesses : public testing::TestWithParam<Witness> {};

TEST_P(Witnesses, MovesItsMetric)
{
    const Witness& w = GetParam();
    const double from = w.metric(with(w.base(), {{w.id, w.from}})), to = w.metric(with(w.base(), {{w.id, w.to}}));
    if (w.ratio != kNone)
        EXPECT_NEAR(to / from / w.ratio, 1, 0.1) << from << " " << to;
    else if (w.direction > 0)
        EXPECT_GT(to / from, 1.01) << from << " " << to;
    else
        EXPECT_LT(to / from, 0.99) << from << " " << to;
    EXPECT_NE(from, to);
}
INSTANTIATE_TEST_SUITE_P(Parameters, Witnesses, testing::ValuesIn(kWitnesses), [](const auto& info) {
    std::string name = info.param.id;
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
});

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
