// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/import/modelfamilies.h"

#include "core/base/valuetext.h"
#include "core/base/text.h"
#include "core/scenario/import/configreader.h"

#include <algorithm>
#include <iterator>

namespace prism {
namespace {

constexpr const char *kFull = "full_attention", *kSliding = "sliding_attention";
constexpr std::int64_t kMaxLayerTypes = 4096; // as many as a pattern's entry may count

/// The keys that decoder-only models of the Llama lineage share.
void readLlamaLike(ConfigReader& r)
{
    ModelConfig& m = r.model;
    m.gatedMlp = true;
    m.normalization = "rmsnorm";
    r.needed("num_hidden_layers", m.numLayers);
    r.needed("hidden_size", m.hiddenSize);
    r.needed("num_attention_heads", m.numAttentionHeads);
    r.needed("intermediate_size", m.ffnHiddenSize);
    r.needed("vocab_size", m.vocabSize);
    m.numQueryGroups = m.numAttentionHeads;
    r.integer("num_key_value_heads", m.numQueryGroups);
    if (!r.integer("head_dim", m.kvChannels) && m.numAttentionHeads > 0)
        m.kvChannels = m.hiddenSize / m.numAttentionHeads;
    r.boolean("tie_word_embeddings", m.tiedEmbeddings);
    bool mlpBias = false, attentionBias = false;
    r.boolean("mlp_bias", mlpBias);
    r.boolean("attention_bias", attentionBias);
    m.addBiasLinear = mlpBias && attentionBias;
    m.addQkvBias = attentionBias && !mlpBias;
    if (mlpBias && !attentionBias)
        r.note(Severity::warning, "mlp_bias", "biases in the MLP alone are omitted");
}

void readMistral(ConfigReader& r)
{
    readLlamaLike(r);
    r.integer("sliding_window", r.model.slidingWindow);
}

void readMixtral(ConfigReader& r)
{
    readMistral(r);
    r.needed("num_local_experts", r.model.numExperts);
    r.needed("num_experts_per_tok", r.model.moeRouterTopk);
    r.model.moeFfnHiddenSize = r.model.ffnHiddenSize;
}

void readQwen2(ConfigReader& r)
{
    readLlamaLike(r);
    r.model.addQkvBias = true; // Qwen2Attention always has biases in q, k and v
    bool sliding = false;
    r.boolean("use_sliding_window", sliding);
    std::int64_t window = 0;
    r.integer("sliding_window", window);
    if (sliding)
        r.model.slidingWindow = window;
}

void readQwen3(ConfigReader& r)
{
    readLlamaLike(r);
    r.model.qkLayernorm = true; // Qwen3Attention normalises queries and keys
}

void readQwenExperts(ConfigReader& r)
{
    ModelConfig& m = r.model;
    r.needed("num_experts", m.numExperts);
    r.needed("num_experts_per_tok", m.moeRouterTopk);
    r.needed("moe_intermediate_size", m.moeFfnHiddenSize);
    r.integer("shared_expert_intermediate_size", m.moeSharedExpertIntermediateSize);
    r.integer("decoder_sparse_step", m.moeLayerFreq);
    if (r.listSize("mlp_only_layers") > 0)
        r.note(Severity::warning, "mlp_only_layers", "single dense layers in between are omitted");
}

void readQwen2Moe(ConfigReader& r)
{
    readQwen2(r);
    readQwenExperts(r);
}

void readQwen3Moe(ConfigReader& r)
{
    readQwen3(r);
    readQwenExperts(r);
}

/// The routed experts as DeepSeek's configurations name them, and those of others after it.
void readRoutedExperts(ConfigReader& r)
{
    ModelConfig& m = r.model;
    std::int64_t shared = 0;
    r.integer("n_routed_experts", m.numExperts);
    r.integer("num_experts_per_tok", m.moeRouterTopk);
    r.integer("moe_intermediate_size", m.moeFfnHiddenSize);
    r.integer("n_shared_experts", shared);
    m.moeSharedExpertIntermediateSize = std::min(shared, std::int64_t{1024}) * m.moeFfnHiddenSize;
    r.integer("first_k_dense_replace", m.moeFirstKDense);
    r.integer("n_group", m.moeRouterNumGroups);
    r.integer("topk_group", m.moeRouterGroupTopk);
    r.integer("moe_layer_freq", m.moeLayerFreq);
    r.integer("num_nextn_predict_layers", m.mtpNumLayers);
}

void readDeepSeek(ConfigReader& r)
{
    readLlamaLike(r);
    ModelConfig& m = r.model;
    m.multiLatentAttention = true;
    m.numQueryGroups = m.numAttentionHeads;
    m.qLoraRank = 0;
    r.integer("q_lora_rank", m.qLoraRank);
    r.needed("kv_lora_rank", m.kvLoraRank);
    r.needed("qk_nope_head_dim", m.qkHeadDim);
    r.needed("qk_rope_head_dim", m.qkPosEmbHeadDim);
    r.needed("v_head_dim", m.vHeadDim);
    m.kvChannels = m.vHeadDim;
    readRoutedExperts(r);
}

void readGptLike(ModelConfig& m)
{
    m.gatedMlp = false;
    m.addBiasLinear = true;
    m.normalization = "layernorm";
}

/// What a family calls its sizes.
struct SizeNames {
    const char *layers, *hidden, *heads, *ffn;
};

/// Heads share the hidden size, and an MLP is four times as wide unless the configuration has another width.
void readGptSizes(ConfigReader& r, const SizeNames& names)
{
    ModelConfig& m = r.model;
    r.needed(names.layers, m.numLayers);
    r.needed(names.hidden, m.hiddenSize);
    r.needed(names.heads, m.numAttentionHeads);
    r.needed("vocab_size", m.vocabSize);
    m.ffnHiddenSize = 4 * m.hiddenSize;
    r.integer(names.ffn, m.ffnHiddenSize);
    m.numQueryGroups = m.numAttentionHeads;
    m.kvChannels = m.numAttentionHeads > 0 ? m.hiddenSize / m.numAttentionHeads : 0;
}

void readGpt2(ConfigReader& r)
{
    ModelConfig& m = r.model;
    readGptLike(m);
    m.positionEmbeddingLearned = true;
    m.tiedEmbeddings = true;
    readGptSizes(r, {.layers = "n_layer", .hidden = "n_embd", .heads = "n_head", .ffn = "n_inner"});
    r.boolean("tie_word_embeddings", m.tiedEmbeddings);
}

void readGptNeox(ConfigReader& r)
{
    ModelConfig& m = r.model;
    readLlamaLike(r);
    readGptLike(m);
    m.addQkvBias = false;
    m.parallelAttention = true;
    r.boolean("use_parallel_residual", m.parallelAttention);
}

/// Layers of two kinds of attention: the list of the layers' kinds, else one layer in `every` attends to the whole past and the others
/// at most to the window. The shortest pattern that gives all layers when it is repeated.
void readSlidingLayers(ConfigReader& r, std::int64_t every)
{
    ModelConfig& m = r.model;
    r.integer("sliding_window", m.slidingWindow);
    r.integer("sliding_window_pattern", every);
    std::vector<std::string> types = r.texts("layer_types");
    const std::vector<std::string> kinds = {kFull, kSliding};
    const auto named = static_cast<std::int64_t>(types.size());
    if (every < 1 || every > kMaxLayerTypes || named > kMaxLayerTypes) {
        const bool list = named > kMaxLayerTypes;
        r.errors.push_back({.path = list ? "layer_types" : "sliding_window_pattern",
                            .message = "the pattern of layers is out of range",
                            .found = countText(list ? named : every),
                            .accepted = "1 to " + countText(kMaxLayerTypes)});
        return;
    }
    if (types.empty())
        for (std::int64_t i = 1; i <= every; ++i)
            types.emplace_back(i == every ? kFull : kSliding);
    for (const std::string& type : types)
        if (type != kFull && type != kSliding) {
            r.errors.push_back(unknownName("layer_types", "kind of layer", type, kinds));
            return;
        }
    if (m.slidingWindow == 0 || std::find(types.begin(), types.end(), kSliding) == types.end()) {
        m.slidingWindow = 0;
        return;
    }
    if (m.numExperts > 0) {
        m.slidingWindow = 0;
        r.note(Severity::warning, "sliding_window", "layers with experts and a window are taken with full attention");
        return;
    }
    if (std::find(types.begin(), types.end(), kFull) == types.end())
        return;
    std::size_t period = 1;
    while (period < types.size() && !std::equal(types.begin() + static_cast<std::ptrdiff_t>(period), types.end(), types.begin()))
        ++period;
    for (std::size_t i = 0; i < period; ++i) {
        const char* kind = types[i] == kFull ? "dense" : "sliding";
        if (m.layerPattern.empty() || m.layerPattern.back().kind != kind)
            m.layerPattern.push_back({kind, 0});
        ++m.layerPattern.back().count;
    }
}

/// Norms after attention and MLP as well as before them.
void noteSecondNorms(ConfigReader& r)
{
    r.note(Severity::note, "model.normalization", "the norms behind attention and MLP are omitted");
}

void readGemma(ConfigReader& r)
{
    r.model.tiedEmbeddings = true;
    readLlamaLike(r);
}

void readGemma2(ConfigReader& r)
{
    readGemma(r);
    readSlidingLayers(r, 2);
    noteSecondNorms(r);
}

void readGemma3(ConfigReader& r)
{
    readGemma(r);
    readSlidingLayers(r, 6);
    r.model.qkLayernorm = true;
    noteSecondNorms(r);
}

void readGptOss(ConfigReader& r)
{
    readLlamaLike(r);
    ModelConfig& m = r.model;
    r.needed("num_local_experts", m.numExperts);
    r.needed("num_experts_per_tok", m.moeRouterTopk);
    m.moeFfnHiddenSize = m.ffnHiddenSize;
    readSlidingLayers(r, 2);
}

void readGlm4Moe(ConfigReader& r)
{
    readLlamaLike(r);
    readRoutedExperts(r);
    r.boolean("use_qk_norm", r.model.qkLayernorm);
}

/// `intermediate_size` is the width of an expert and of the shared one, `intermediate_size_mlp` that of the dense layers between.
void readLlama4(ConfigReader& r)
{
    readLlamaLike(r);
    ModelConfig& m = r.model;
    m.moeFfnHiddenSize = m.moeSharedExpertIntermediateSize = m.ffnHiddenSize;
    r.integer("intermediate_size_mlp", m.ffnHiddenSize);
    r.needed("num_local_experts", m.numExperts);
    r.needed("num_experts_per_tok", m.moeRouterTopk);
    r.integer("interleave_moe_layer_step", m.moeLayerFreq);
    r.boolean("use_qk_norm", m.qkLayernorm);
    std::int64_t chunk = 0;
    if (r.integer("attention_chunk_size", chunk) && chunk > 0)
        r.note(Severity::warning, "attention_chunk_size", "attention in chunks is taken as full; sequences up to a chunk are the same");
}

void readCohere(ConfigReader& r)
{
    readGemma(r);
    r.model.normalization = "layernorm";
    r.model.parallelAttention = true;
    r.boolean("use_qk_norm", r.model.qkLayernorm);
}

void readFalcon(ConfigReader& r)
{
    ModelConfig& m = r.model;
    readGptLike(m);
    m.tiedEmbeddings = m.parallelAttention = true;
    m.addBiasLinear = false;
    readGptSizes(r, {.layers = "num_hidden_layers", .hidden = "hidden_size", .heads = "num_attention_heads", .ffn = "ffn_hidden_size"});
    bool grouped = false, single = true;
    r.boolean("new_decoder_architecture", grouped);
    r.boolean("multi_query", single);
    m.numQueryGroups = single ? 1 : m.numAttentionHeads;
    if (grouped) {
        m.numQueryGroups = m.numAttentionHeads;
        r.integer("num_kv_heads", m.numQueryGroups);
    }
    r.boolean("bias", m.addBiasLinear);
    r.boolean("parallel_attn", m.parallelAttention);
    r.boolean("tie_word_embeddings", m.tiedEmbeddings);
}

/// A squared ReLU between two products instead of a gate.
void readNemotron(ConfigReader& r)
{
    readLlamaLike(r);
    r.model.gatedMlp = false;
    r.model.normalization = "layernorm";
}

struct Architecture {
    const char* type;
    void (*read)(ConfigReader&);
};

constexpr Architecture kArchitectures[] = {
    {"llama", readLlamaLike},      {"mistral", readMistral},   {"mixtral", readMixtral},    {"qwen2", readQwen2},
    {"qwen2_moe", readQwen2Moe},   {"qwen3", readQwen3},       {"qwen3_moe", readQwen3Moe}, {"deepseek_v2", readDeepSeek},
    {"deepseek_v3", readDeepSeek}, {"kimi_k2", readDeepSeek},  {"glm4_moe", readGlm4Moe},   {"gpt_oss", readGptOss},
    {"llama4_text", readLlama4},   {"gemma", readGemma},       {"gemma2", readGemma2},      {"gemma3_text", readGemma3},
    {"phi3", readMistral},         {"olmo2", readQwen3},       {"granite", readLlamaLike},  {"cohere", readCohere},
    {"falcon", readFalcon},        {"nemotron", readNemotron}, {"gpt2", readGpt2},          {"gpt_neox", readGptNeox},
};

} // namespace

std::vector<std::string> modelFamilies()
{
    std::vector<std::string> types;
    for (const Architecture& a : kArchitectures)
        types.emplace_back(a.type);
    return types;
}

bool readModelFamily(const std::string& type, ConfigReader& reader)
{
    const auto* known =
        std::find_if(std::begin(kArchitectures), std::end(kArchitectures), [&](const Architecture& a) { return type == a.type; });
    if (known == std::end(kArchitectures))
        return false;
    known->read(reader);
    return true;
}

} // namespace prism
