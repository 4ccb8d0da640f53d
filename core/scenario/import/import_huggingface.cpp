// SPDX-License-Identifier: GPL-3.0-or-later
// Hugging Face config.json -> model section. Field names are those of the transformers library's configuration classes.
#include "core/base/figure.h"
#include "core/base/jsontext.h"
#include "core/scenario/scenariolimits.h"
#include "core/base/text.h"
#include "core/scenario/objectreader.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/import/importers.h"
#include "core/scenario/parametertable.h"
#include "core/scenario/presets.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace prism {
namespace {

using nlohmann::json;

constexpr std::int64_t kMaxSize = std::int64_t{1} << 40; // the parameter table has the exact ranges; this bounds arithmetic

/// Reads keys of a configuration; remembers which it knew.
class ConfigReader final {
public:
    ConfigReader(const json& config, ModelConfig& m) : model(m), m_config(config) {}

    /// An integer; null and absent leave the target alone. True when it was there.
    bool integer(const char* key, std::int64_t& target)
    {
        const json* value = find(key);
        if (value == nullptr)
            return false;
        std::int64_t number = 0;
        if (!wholeNumber(*value, number) || number < 0 || number > kMaxSize) {
            errors.push_back(wrongType(key, "an integer >= 0", *value));
            return false;
        }
        target = number;
        return true;
    }
    void needed(const char* key, std::int64_t& target)
    {
        if (!m_config.contains(key))
            errors.push_back({.path = key, .message = "the key is missing", .found = "nothing", .accepted = "an integer"});
        integer(key, target);
    }
    void boolean(const char* key, bool& target)
    {
        const json* value = find(key);
        if (value != nullptr && value->is_boolean())
            target = value->get<bool>();
        else if (value != nullptr)
            errors.push_back(wrongType(key, "true or false", *value));
    }
    [[nodiscard]] std::string text(const char* key)
    {
        const json* value = find(key);
        return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
    }
    [[nodiscard]] std::size_t listSize(const char* key)
    {
        const json* value = find(key);
        return value != nullptr && value->is_array() ? value->size() : 0;
    }
    void note(Severity severity, std::string path, std::string message)
    {
        notes.push_back({.severity = severity, .path = std::move(path), .message = std::move(message)});
    }
    [[nodiscard]] std::string ignoredKeys() const
    {
        std::vector<std::string> ignored;
        for (const auto& [key, value] : m_config.items())
            if (!m_known.contains(key))
                ignored.push_back(key.substr(0, 60));
        if (ignored.size() > 60)
            ignored.resize(60);
        return joined(ignored, ", ");
    }

    ModelConfig& model;
    Diagnostics errors, notes;

private:
    const json* find(const char* key)
    {
        m_known.insert(key);
        const auto it = m_config.find(key);
        return it == m_config.end() || it->is_null() ? nullptr : &*it;
    }

    const json& m_config;
    std::set<std::string> m_known;
};

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
        r.note(Severity::warning, "mlp_bias", "biases in the MLP alone are left out");
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
        r.note(Severity::warning, "mlp_only_layers", "single dense layers in between are left out");
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

void readGptLike(ModelConfig& m)
{
    m.gatedMlp = false;
    m.addBiasLinear = true;
    m.normalization = "layernorm";
}

void readGpt2(ConfigReader& r)
{
    ModelConfig& m = r.model;
    readGptLike(m);
    m.positionEmbeddingLearned = true;
    m.tiedEmbeddings = true;
    r.needed("n_layer", m.numLayers);
    r.needed("n_embd", m.hiddenSize);
    r.needed("n_head", m.numAttentionHeads);
    r.needed("vocab_size", m.vocabSize);
    m.ffnHiddenSize = 4 * m.hiddenSize;
    r.integer("n_inner", m.ffnHiddenSize);
    m.numQueryGroups = m.numAttentionHeads;
    m.kvChannels = m.numAttentionHeads > 0 ? m.hiddenSize / m.numAttentionHeads : 0;
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

struct Architecture {
    const char* type;
    void (*read)(ConfigReader&);
};

constexpr Architecture kArchitectures[] = {
    {"llama", readLlamaLike},      {"mistral", readMistral}, {"mixtral", readMixtral},    {"qwen2", readQwen2},
    {"qwen2_moe", readQwen2Moe},   {"qwen3", readQwen3},     {"qwen3_moe", readQwen3Moe}, {"deepseek_v2", readDeepSeek},
    {"deepseek_v3", readDeepSeek}, {"gpt2", readGpt2},       {"gpt_neox", readGptNeox},
};

Diagnostic unknownArchitecture(const json& config)
{
    std::vector<std::string> known;
    for (const Architecture& a : kArchitectures)
        known.emplace_back(a.type);
    const auto it = config.find("model_type");
    if (it == config.end() || !it->is_string())
        return {.path = "model_type",
                .message = "the architecture is not named",
                .found = it == config.end() ? "nothing" : jsonShort(*it),
                .accepted = "one of: " + joined(known, ", ")};
    return unknownName("model_type", "architecture", it->get<std::string>(), known);
}

/// The file says how long a sequence may be, not how long the training's are.
void chooseSequenceLength(ConfigReader& r, const Scenario& base)
{
    std::int64_t longest = 0;
    const bool known = r.integer("max_position_embeddings", longest) || r.integer("n_positions", longest) || r.integer("n_ctx", longest);
    r.model.seqLength = base.model.seqLength;
    if (known && longest > 0 && longest < r.model.seqLength)
        r.model.seqLength = longest;
    r.note(Severity::note, "model.seq_length",
           "training length taken as " + countText(r.model.seqLength) + " tokens"
               + (known ? "; the model accepts " + countText(longest) : std::string()));
}

/// How layers are dealt to the stages belongs to the model that they were counted for.
void forgetUnevenSplit(ConfigReader& r, ParallelismConfig& p)
{
    const auto reset = [&](auto ParallelismConfig::*member, const char* key, const char* what) {
        const ParallelismConfig fresh;
        if (p.*member == fresh.*member)
            return;
        p.*member = fresh.*member;
        r.note(Severity::note, std::string("parallelism.") + key, std::string(what) + " was of the base scenario's model; not taken over");
    };
    reset(&ParallelismConfig::accountForEmbeddingInPipelineSplit, "account_for_embedding_in_pipeline_split",
          "counting the embedding as a layer");
    reset(&ParallelismConfig::accountForLossInPipelineSplit, "account_for_loss_in_pipeline_split", "counting the loss as a layer");
    reset(&ParallelismConfig::numLayersInFirstPipelineStage, "num_layers_in_first_pipeline_stage", "the size of the first stage");
    reset(&ParallelismConfig::numLayersInLastPipelineStage, "num_layers_in_last_pipeline_stage", "the size of the last stage");
    reset(&ParallelismConfig::pipelineModelParallelLayout, "pipeline_model_parallel_layout", "the pipeline layout");
    reset(&ParallelismConfig::customSchedule, "custom_schedule", "the custom schedule");
}

std::string modelName(ConfigReader& r, const std::string& type)
{
    const std::string path = r.text("_name_or_path");
    const std::string last = path.substr(path.rfind('/') + 1);
    return (last.empty() ? type : last).substr(0, 200);
}

} // namespace

Result<ImportResult> importHuggingFaceConfig(std::string_view text, const Scenario& base)
{
    Result<json> document = parseJson(text, {.maxBytes = kMaxImportBytes, .maxValues = kMaxImportValues});
    if (!document)
        return document.errors();
    if (!document->is_object())
        return wrongType("", "the object of a config.json", *document);
    // Multimodal configurations hold the language model in a section of its own.
    const json config =
        document->contains("text_config") && (*document)["text_config"].is_object() ? (*document)["text_config"] : *document;
    const std::string type =
        config.contains("model_type") && config["model_type"].is_string() ? config["model_type"].get<std::string>() : "";
    const auto* architecture =
        std::find_if(std::begin(kArchitectures), std::end(kArchitectures), [&](const Architecture& a) { return type == a.type; });
    if (architecture == std::end(kArchitectures))
        return unknownArchitecture(config);

    ImportResult result;
    result.scenario = base;
    ModelConfig model;
    ConfigReader reader(config, model);
    architecture->read(reader);
    chooseSequenceLength(reader, base);
    forgetUnevenSplit(reader, result.scenario.parallelism);
    model.name = modelName(reader, type);
    result.scenario.model = model;
    for (const Parameter& p : parameters())
        if (p.group == "model")
            if (auto error = rangeError(p, p.get(result.scenario)))
                reader.errors.push_back(std::move(*error));
    if (hasErrors(reader.errors))
        return reader.errors;
    static_cast<void>(reader.text("model_type"));
    if (const std::string ignored = reader.ignoredKeys(); !ignored.empty())
        reader.note(Severity::note, "", "keys that change no step time here: " + ignored);
    result.notes = std::move(reader.notes);
    return result;
}

} // namespace prism
