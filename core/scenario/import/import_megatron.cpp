// SPDX-License-Identifier: GPL-3.0-or-later
// Megatron-LM argument list -> model, parallelism and training sections. Names and defaults are those of Megatron-LM's
// megatron/training/arguments.py.
#include "core/base/valuetext.h"
#include "core/base/text.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/pipelinelayout.h"
#include "core/scenario/import/importers.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "core/scenario/import/shelltext.h"

#include <algorithm>
#include <functional>

namespace prism {
namespace {

/// Flags whose value goes straight to one parameter.
struct DirectFlag {
    const char* flag;
    const char* id;
};

constexpr DirectFlag kDirect[] = {
    {"num-layers", "model.num_layers"},
    {"hidden-size", "model.hidden_size"},
    {"num-attention-heads", "model.num_attention_heads"},
    {"num-query-groups", "model.num_query_groups"},
    {"kv-channels", "model.kv_channels"},
    {"ffn-hidden-size", "model.ffn_hidden_size"},
    {"seq-length", "model.seq_length"},
    {"vocab-size", "model.vocab_size"},
    {"padded-vocab-size", "model.vocab_size"},
    {"q-lora-rank", "model.q_lora_rank"},
    {"kv-lora-rank", "model.kv_lora_rank"},
    {"qk-head-dim", "model.qk_head_dim"},
    {"qk-pos-emb-head-dim", "model.qk_pos_emb_head_dim"},
    {"v-head-dim", "model.v_head_dim"},
    {"num-experts", "model.num_experts"},
    {"moe-router-topk", "model.moe_router_topk"},
    {"moe-router-num-groups", "model.moe_router_num_groups"},
    {"moe-router-group-topk", "model.moe_router_group_topk"},
    {"moe-ffn-hidden-size", "model.moe_ffn_hidden_size"},
    {"moe-shared-expert-intermediate-size", "model.moe_shared_expert_intermediate_size"},
    {"moe-expert-capacity-factor", "model.moe_capacity_factor"},
    {"mtp-num-layers", "model.mtp_num_layers"},
    {"tensor-model-parallel-size", "parallelism.tensor_model_parallel_size"},
    {"pipeline-model-parallel-size", "parallelism.pipeline_model_parallel_size"},
    {"context-parallel-size", "parallelism.context_parallel_size"},
    {"expert-model-parallel-size", "parallelism.expert_model_parallel_size"},
    {"expert-tensor-parallel-size", "parallelism.expert_tensor_parallel_size"},
    {"num-virtual-stages-per-pipeline-rank", "parallelism.virtual_pipeline_model_parallel_size"},
    {"virtual-pipeline-model-parallel-size", "parallelism.virtual_pipeline_model_parallel_size"},
    {"cp-comm-type", "parallelism.cp_comm_type"},
    {"moe-token-dispatcher-type", "parallelism.moe_token_dispatcher_type"},
    {"decoder-first-pipeline-num-layers", "parallelism.num_layers_in_first_pipeline_stage"},
    {"decoder-last-pipeline-num-layers", "parallelism.num_layers_in_last_pipeline_stage"},
    {"pipeline-model-parallel-layout", "parallelism.pipeline_model_parallel_layout"},
    {"micro-batch-size", "training.micro_batch_size"},
    {"global-batch-size", "training.global_batch_size"},
    {"recompute-granularity", "training.recompute_granularity"},
    {"recompute-method", "training.recompute_method"},
    {"recompute-num-layers", "training.recompute_num_layers"},
    {"optimizer", "training.optimizer"},
};

/// Flags without a value that set one parameter.
struct Switch {
    const char* flag;
    const char* id;
    const char* value;
};

constexpr Switch kSwitches[] = {
    {"swiglu", "model.gated_mlp", "true"},
    {"untie-embeddings-and-output-weights", "model.tied_embeddings", "false"},
    {"disable-bias-linear", "model.add_bias_linear", "false"},
    {"add-qkv-bias", "model.add_qkv_bias", "true"},
    {"qk-layernorm", "model.qk_layernorm", "true"},
    {"multi-latent-attention", "model.multi_latent_attention", "true"},
    {"use-rotary-position-embeddings", "model.position_embedding_learned", "false"},
    {"sequence-parallel", "parallelism.sequence_parallel", "true"},
    {"use-distributed-optimizer", "parallelism.zero_stage", "1"},
    {"use-torch-fsdp2", "parallelism.zero_stage", "3"},
    {"use-custom-fsdp", "parallelism.zero_stage", "3"},
    {"use-megatron-fsdp", "parallelism.zero_stage", "3"},
    {"overlap-grad-reduce", "parallelism.overlap_grad_reduce", "true"},
    {"overlap-param-gather", "parallelism.overlap_param_gather", "true"},
    {"tp-comm-overlap", "parallelism.tp_comm_overlap", "true"},
    {"overlap-moe-expert-parallel-comm", "parallelism.overlap_moe_expert_parallel_comm", "true"},
    {"no-overlap-p2p-communication", "parallelism.overlap_p2p_comm", "false"},
    {"account-for-embedding-in-pipeline-split", "parallelism.account_for_embedding_in_pipeline_split", "true"},
    {"account-for-loss-in-pipeline-split", "parallelism.account_for_loss_in_pipeline_split", "true"},
    {"use-tp-pp-dp-mapping", "parallelism.rank_order", "tp-cp-ep-pp-dp"},
    {"recompute-activations", "training.recompute_granularity", "selective"},
    {"use-flash-attn", "training.attention_backend", "flash2"},
    {"fp8-param-gather", "parallelism.fp8_param_gather", "true"},
    {"use-sharp", "cluster.in_network_reduction", "true"},
    {"enable-cuda-graph", "training.cuda_graphs", "layer"},
    {"external-cuda-graph", "training.cuda_graphs", "layer"},
    {"moe-pad-expert-input-to-capacity", "training.moe_host_sync", "false"},
    {"accumulate-allreduce-grads-in-fp32", "training.grad_reduce_in_fp32", "true"},
};

/// Flags that need more than one assignment; they are handled below.
constexpr const char* kSpecial[] = {
    "group-query-attention",
    "normalization",
    "position-embedding-type",
    "moe-layer-freq",
    "tokenizer-type",
    "bf16",
    "fp16",
    "fp8-format",
    "fp8-recipe",
    "fp4-format",
    "num-layers-per-virtual-pipeline-stage",
    "data-parallel-sharding-strategy",
    "num-distributed-optimizer-instances",
    "nnodes",
    "nproc-per-node",
    "train-samples",
    "train-iters",
    "attention-backend",
    "fp8-dot-product-attention",
    "cuda-graph-scope",
    "max-position-embeddings",
    "recompute-modules",
    "make-vocab-size-divisible-by",
    "transformer-impl",
    "grad-reduce-in-bf16",
    "cuda-graph-impl",
};

std::vector<std::string> knownFlags()
{
    std::vector<std::string> known;
    for (const DirectFlag& f : kDirect)
        known.emplace_back(f.flag);
    for (const Switch& f : kSwitches)
        known.emplace_back(f.flag);
    known.insert(known.end(), std::begin(kSpecial), std::end(kSpecial));
    return known;
}

class MegatronImport final {
public:
    MegatronImport(ShellFlags flags, Scenario base) : m_shell(std::move(flags)), m_scenario(std::move(base)) {}

    Result<ImportResult> run()
    {
        collect();
        startFromDefaults();
        for (const DirectFlag& f : kDirect)
            if (const std::string* value = valueOf(f.flag))
                set(f.flag, f.id, *value);
        for (const Switch& f : kSwitches)
            if (given(f.flag))
                set(f.flag, f.id, f.value);
        model();
        parallelism();
        training();
        world();
        if (hasErrors(m_errors))
            return m_errors;
        reportOthers();
        return ImportResult{std::move(m_scenario), std::move(m_notes)};
    }

private:
    [[nodiscard]] bool given(const char* flag) const { return m_flags.contains(flag); }
    /// The first value of a flag, or nullptr; a flag that needs a value and has none is an error.
    const std::string* valueOf(const char* flag)
    {
        const auto it = m_flags.find(flag);
        if (it == m_flags.end())
            return nullptr;
        if (!it->second.values.empty())
            return &it->second.values.front();
        error(flag, "the flag needs a value", "nothing", "a value");
        return nullptr;
    }
    void error(const std::string& flag, std::string message, std::string found, std::string accepted)
    {
        const auto it = m_flags.find(flag);
        const std::string where = it == m_flags.end() ? "" : " (line " + std::to_string(it->second.line) + ")";
        m_errors.push_back(
            {.path = "--" + flag + where, .message = std::move(message), .found = std::move(found), .accepted = std::move(accepted)});
    }
    void note(Severity severity, std::string path, std::string message)
    {
        m_notes.push_back({.severity = severity, .path = std::move(path), .message = std::move(message)});
    }
    void set(const std::string& flag, const char* id, const std::string& value)
    {
        Result<Scenario> changed = setParameter(m_scenario, id, value);
        if (changed.ok()) {
            m_scenario = std::move(changed).value();
            return;
        }
        for (const Diagnostic& d : changed.errors())
            error(flag, d.message, d.found, d.accepted);
    }
    [[nodiscard]] std::optional<std::int64_t> integerOf(const char* flag)
    {
        const std::string* value = valueOf(flag);
        if (value == nullptr)
            return std::nullopt;
        const auto number = integerFromText(*value);
        if (!number || *number < 1 || *number > (std::int64_t{1} << 40)) {
            error(flag, "not a positive integer", *value, "a positive integer");
            return std::nullopt;
        }
        return number;
    }

    void collect()
    {
        m_notes = m_shell.notes;
        for (const ShellFlag& flag : m_shell.flags) {
            const auto [it, fresh] = m_flags.try_emplace(flag.name, flag);
            const bool isSwitch =
                std::any_of(std::begin(kSwitches), std::end(kSwitches), [&](const Switch& s) { return flag.name == s.flag; });
            const auto first = [](const ShellFlag& f) { return f.values.empty() ? std::string() : f.values.front(); };
            if (!fresh && !isSwitch && first(it->second) != first(flag))
                error(flag.name, "the flag is given twice with different values",
                      joined(it->second.values, " ") + " and " + joined(flag.values, " ") + " in line " + std::to_string(flag.line),
                      "one value");
        }
    }

    /// Without the flag that would change it, Megatron-LM's own default holds.
    void startFromDefaults()
    {
        m_scenario.parallelism = {};
        ParallelismConfig& p = m_scenario.parallelism;
        p.sequenceParallel = p.overlapGradReduce = p.overlapParamGather = false;
        p.zeroStage = 0;
        TrainingConfig& t = m_scenario.training;
        const double tokens = t.trainTokens;
        t = {};
        t.trainTokens = tokens;
        t.precision = "fp32";
        t.gradReduceInFp32 = false;
        t.globalBatchSize = 0;
        if (!given("num-layers")) {
            note(Severity::warning, "--num-layers", "no model is described; the model of the base scenario stays");
            return;
        }
        const std::int64_t vocabulary = m_scenario.model.vocabSize;
        m_scenario.model = {};
        ModelConfig& m = m_scenario.model;
        m.name = "imported from Megatron-LM arguments";
        m.vocabSize = vocabulary;
        m.gatedMlp = false;
        m.tiedEmbeddings = m.addBiasLinear = m.positionEmbeddingLearned = true;
        m.normalization = "layernorm";
        m.numQueryGroups = m.ffnHiddenSize = m.kvChannels = 0;
        for (const char* needed : {"hidden-size", "num-attention-heads", "seq-length"})
            if (!given(needed))
                error(needed, "the flag is missing", "nothing", "a positive integer");
    }

    void model()
    {
        if (!given("num-layers"))
            return;
        ModelConfig& m = m_scenario.model;
        if (m.kvChannels == 0)
            m.kvChannels = m.hiddenSize / m.numAttentionHeads;
        if (!given("group-query-attention") || m.numQueryGroups == 0)
            m.numQueryGroups = given("group-query-attention") ? 1 : m.numAttentionHeads;
        if (m.ffnHiddenSize == 0) // SwiGLU keeps the parameter count: two thirds of 4h, in multiples of 64
            m.ffnHiddenSize = m.gatedMlp ? (4 * m.hiddenSize * 2 / 3) / 64 * 64 : 4 * m.hiddenSize;
        if (const std::string* kind = valueOf("normalization"))
            set("normalization", "model.normalization", lowered(*kind));
        if (const std::string* kind = valueOf("position-embedding-type"))
            m.positionEmbeddingLearned = *kind == "learned_absolute";
        if (m.numExperts > 0) {
            if (m.moeFfnHiddenSize == 0)
                m.moeFfnHiddenSize = m.ffnHiddenSize;
            if (m.moeRouterTopk == 0)
                m.moeRouterTopk = 2;
            layerFrequency();
        }
        vocabulary();
    }

    /// "2", or a pattern like "([0]*3+[1]*58)": dense layers first, then experts.
    void layerFrequency()
    {
        const std::string* text = valueOf("moe-layer-freq");
        if (text == nullptr)
            return;
        if (const auto number = integerFromText(*text); number && *number >= 1) {
            set("moe-layer-freq", "model.moe_layer_freq", *text);
            return;
        }
        const std::string pattern = *text;
        const std::size_t zeros = pattern.find("[0]*"), plus = pattern.find('+');
        if (zeros != std::string::npos && plus != std::string::npos && zeros < plus) {
            std::string_view count = std::string_view(pattern).substr(zeros + 4, plus - zeros - 4);
            if (integerFromText(count) && pattern.find("[1]*", plus) != std::string::npos) {
                set("moe-layer-freq", "model.moe_first_k_dense", std::string(count));
                return;
            }
        }
        note(Severity::warning, "--moe-layer-freq", "the pattern " + pattern.substr(0, 60) + " is not recognised; every layer has experts");
    }

    void vocabulary()
    {
        if (given("vocab-size") || given("padded-vocab-size"))
            return;
        const std::string* tokenizer = valueOf("tokenizer-type");
        if (tokenizer != nullptr && *tokenizer == "GPT2BPETokenizer")
            m_scenario.model.vocabSize = 50257;
        else if (tokenizer != nullptr && *tokenizer == "Llama2Tokenizer")
            m_scenario.model.vocabSize = 32000;
        else
            note(Severity::warning, "model.vocab_size",
                 "the arguments do not say the vocabulary; taken as " + countText(m_scenario.model.vocabSize));
    }

    void parallelism()
    {
        ParallelismConfig& p = m_scenario.parallelism;
        if (const auto perStage = integerOf("num-layers-per-virtual-pipeline-stage")) {
            const std::int64_t layers = m_scenario.model.numLayers, chunks = p.pipelineModelParallelSize * *perStage;
            if (layers % chunks != 0)
                error("num-layers-per-virtual-pipeline-stage", "the layers do not divide over PP x layers per virtual stage",
                      std::to_string(layers) + " layers, " + std::to_string(chunks), "a divisor");
            else if (const std::int64_t vpp = layers / chunks;
                     given("num-virtual-stages-per-pipeline-rank") && vpp != p.virtualPipelineModelParallelSize)
                error("num-layers-per-virtual-pipeline-stage", "two flags give different numbers of virtual stages",
                      std::to_string(vpp) + " and " + std::to_string(p.virtualPipelineModelParallelSize), "one of the flags");
            else
                set("num-layers-per-virtual-pipeline-stage", "parallelism.virtual_pipeline_model_parallel_size", std::to_string(vpp));
        }
        if (given("pipeline-model-parallel-layout"))
            chunksOfLayout();
        p.pipelineSchedule = p.virtualPipelineModelParallelSize > 1 ? "interleaved" : "1f1b";
        if (const std::string* strategy = valueOf("data-parallel-sharding-strategy")) {
            static const std::map<std::string, int, std::less<>> kStages{
                {"no_shard", 0}, {"optim", 1}, {"optim_grads", 2}, {"optim_grads_params", 3}};
            if (const auto it = kStages.find(*strategy); it != kStages.end())
                p.zeroStage = it->second;
            else
                error("data-parallel-sharding-strategy", "the strategy is not known", *strategy,
                      "no_shard, optim, optim_grads, optim_grads_params");
        }
        if (p.sequenceParallel && p.tensorModelParallelSize == 1)
            p.sequenceParallel = false; // Megatron-LM switches it off
    }

    /// Megatron-LM takes the number of virtual stages from the layout.
    void chunksOfLayout()
    {
        ParallelismConfig& p = m_scenario.parallelism;
        const char* flag = "pipeline-model-parallel-layout";
        const Result<std::vector<ChunkContents>> layout = pipelineLayout(p.pipelineModelParallelLayout);
        if (!layout) {
            for (const Diagnostic& d : layout.errors())
                error(flag, d.message, d.found, d.accepted);
            return;
        }
        const auto chunks = static_cast<std::int64_t>(layout->size());
        if (chunks % p.pipelineModelParallelSize != 0)
            error(flag, "PP does not divide the chunks of the layout",
                  std::to_string(chunks) + " chunks, PP " + std::to_string(p.pipelineModelParallelSize), "a multiple of PP");
        else
            set(flag, "parallelism.virtual_pipeline_model_parallel_size", std::to_string(chunks / p.pipelineModelParallelSize));
    }

    void training()
    {
        TrainingConfig& t = m_scenario.training;
        if (given("bf16") && given("fp16"))
            error("fp16", "two precisions exclude each other", "--bf16 and --fp16", "one of them");
        if (given("bf16"))
            t.precision = "bf16";
        else if (given("fp16"))
            t.precision = "fp16";
        if (given("fp8-format")) {
            static const std::map<std::string, const char*, std::less<>> kRecipes{
                {"delayed", "fp8_delayed"}, {"tensorwise", "fp8_tensorwise"}, {"blockwise", "fp8_blockwise"}, {"mxfp8", "mxfp8"}};
            const std::string* recipe = valueOf("fp8-recipe");
            const auto it = kRecipes.find(recipe == nullptr ? "delayed" : *recipe);
            if (it == kRecipes.end())
                error("fp8-recipe", "the recipe is not known", *recipe, "delayed, tensorwise, blockwise, mxfp8");
            else
                t.precision = it->second;
        }
        if (given("fp4-format"))
            t.precision = "nvfp4";
        if (t.precision != "fp32" && t.precision != "fp16")
            t.gradReduceInFp32 = !given("grad-reduce-in-bf16"); // Megatron-LM accumulates BF16 gradients in FP32 by default
        if (given("recompute-modules") && valueOf("recompute-modules") != nullptr)
            set("recompute-modules", "training.recompute_modules", joined(m_flags.at("recompute-modules").values, " "));
        if (!given("micro-batch-size"))
            error("micro-batch-size", "the flag is missing", "nothing", "a positive integer");
        t.fusion = "fused";                                              // its kernels are hand-written
        if (const std::string* backend = valueOf("attention-backend")) { // "auto": what Transformer Engine prefers
            const bool unfused = *backend == "unfused" || *backend == "local";
            t.attentionBackend = unfused ? "unfused" : *backend == "flash" ? "flash2" : "cudnn";
        }
        if (given("fp8-dot-product-attention") && t.attentionBackend == "cudnn")
            t.attentionBackend = "cudnn_fp8";
        const std::string* maker = valueOf("cuda-graph-impl");
        if (maker != nullptr)
            t.cudaGraphs = *maker == "none" ? "none" : "layer";
        if (const std::string* scope = valueOf("cuda-graph-scope"); scope != nullptr && (maker == nullptr || *maker != "none"))
            t.cudaGraphs = *scope == "full_iteration" ? "full_iteration" : "layer";
    }

    void world()
    {
        const ParallelismConfig& p = m_scenario.parallelism;
        TrainingConfig& t = m_scenario.training;
        const std::int64_t ranks =
            static_cast<std::int64_t>(p.tensorModelParallelSize) * p.pipelineModelParallelSize * p.contextParallelSize;
        if (const auto gpus = gpuCount()) {
            set("nnodes", "cluster.num_gpus", std::to_string(*gpus));
        } else if (m_scenario.cluster.numGpus % ranks != 0) {
            m_scenario.cluster.numGpus = ranks;
            note(Severity::warning, "cluster.num_gpus",
                 "the arguments do not say the number of GPUs; one replica of " + countText(ranks) + " is taken");
        } else {
            note(Severity::note, "cluster.num_gpus",
                 "the arguments do not say the number of GPUs; " + countText(m_scenario.cluster.numGpus) + " of the base scenario stay");
        }
        if (const auto instances = integerOf("num-distributed-optimizer-instances"); instances && *instances > 1)
            set("num-distributed-optimizer-instances", "parallelism.hsdp_shard_size",
                std::to_string(m_scenario.dataParallelSize() * p.contextParallelSize / *instances));
        if (t.globalBatchSize == 0) // Megatron-LM's default: one micro-batch per data-parallel rank
            t.globalBatchSize = t.microBatchSize * std::max<std::int64_t>(1, m_scenario.dataParallelSize());
        const auto sequence = static_cast<double>(m_scenario.model.seqLength);
        if (const auto samples = integerOf("train-samples"))
            t.trainTokens = static_cast<double>(*samples) * sequence;
        else if (const auto iterations = integerOf("train-iters"))
            t.trainTokens = static_cast<double>(*iterations) * static_cast<double>(t.globalBatchSize) * sequence;
    }

    std::optional<std::int64_t> gpuCount()
    {
        const auto variable = [&](const char* name) -> std::optional<std::int64_t> {
            const auto it = m_shell.variables.find(name);
            return it == m_shell.variables.end() ? std::nullopt : integerFromText(it->second);
        };
        const auto first = [&](std::initializer_list<const char*> names) -> std::optional<std::int64_t> {
            for (const char* name : names)
                if (const auto number = variable(name); number && *number > 0 && *number <= (1 << 20))
                    return number;
            return std::nullopt;
        };
        const auto plain = [&](const char* flag) -> std::optional<std::int64_t> {
            const auto it = m_flags.find(flag);
            const auto number =
                it == m_flags.end() || it->second.values.empty() ? std::nullopt : integerFromText(it->second.values.front());
            return number && *number > 0 && *number <= (1 << 20) ? number : std::nullopt;
        };
        const auto nodes = plain("nnodes") ? plain("nnodes") : first({"NNODES", "NUM_NODES", "SLURM_NNODES"});
        const auto perNode = plain("nproc-per-node") ? plain("nproc-per-node") : first({"GPUS_PER_NODE", "NPROC_PER_NODE"});
        if (nodes && perNode)
            return *nodes * *perNode;
        return first({"WORLD_SIZE", "NUM_GPUS"});
    }

    void reportOthers()
    {
        constexpr int kMaxTypos = 2; // the framework has hundreds of other flags, some of them near one of these
        const std::vector<std::string> known = knownFlags();
        for (const auto& [name, flag] : m_flags) {
            if (std::find(known.begin(), known.end(), name) != known.end())
                continue;
            const std::string path = "--" + name.substr(0, 100) + " (line " + std::to_string(flag.line) + ")";
            const std::string near = nearestName(name, known);
            if (!near.empty() && editDistance(near, name) <= kMaxTypos)
                note(Severity::warning, path, "the flag is not known and was ignored; did you mean --" + near + "?");
            else
                note(Severity::note, path, "the flag is ignored: it changes no step time here, or is not known");
        }
    }

    ShellFlags m_shell;
    Scenario m_scenario;
    std::map<std::string, ShellFlag, std::less<>> m_flags;
    Diagnostics m_errors, m_notes;
};

} // namespace

Result<ImportResult> importMegatronArguments(std::string_view text, Scenario base)
{
    Result<ShellFlags> flags = shellFlags(text);
    if (!flags)
        return flags.errors();
    if (flags->flags.empty())
        return Diagnostic{.message = "there is no argument in this text",
                          .found = std::string(text.substr(0, 60)),
                          .accepted = "Megatron-LM arguments such as --num-layers 96 --hidden-size 12288"};
    return MegatronImport(std::move(flags).value(), std::move(base)).run();
}

} // namespace prism
