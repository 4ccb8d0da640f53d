// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter table: the model section.
#include "core/scenario/parameterentry.h"
#include "core/scenario/presetlibrary.h"

namespace prism::table {
namespace {

std::vector<std::string> withNone(std::vector<std::string> names)
{
    names.insert(names.begin(), "");
    return names;
}

void addTransformer(std::vector<Parameter>& t)
{
    t.push_back(
        integer({"model.num_layers", "Layers", "L", "", "Transformer layers (decoder blocks), without multi-token prediction layers."}, 1,
                4096, PRISM_FIELD(model.numLayers)));
    t.push_back(
        integer({"model.hidden_size", "Hidden size", "h", "", "Width of the residual stream."}, 1, 1 << 20, PRISM_FIELD(model.hiddenSize)));
    t.push_back(integer({"model.num_attention_heads", "Attention heads", "a", "", "Query heads per layer. Tensor parallelism splits them."},
                        1, 4096, PRISM_FIELD(model.numAttentionHeads)));
    t.push_back(integer({"model.num_query_groups", "Query groups", "GQA", "",
                         "Key/value heads per layer (grouped-query attention); equal to the attention heads for multi-head attention, 1 "
                         "for multi-query attention."},
                        1, 4096, PRISM_FIELD(model.numQueryGroups)));
    t.push_back(
        advanced(integer({"model.kv_channels", "Head dimension", "", "", "Channels per attention head; usually hidden size / heads."}, 1,
                         1 << 16, PRISM_FIELD(model.kvChannels))));
    t.push_back(integer({"model.ffn_hidden_size", "FFN hidden size", "", "",
                         "Inner width of a dense MLP. Also the width of the leading dense layers of a mixture-of-experts model."},
                        0, 1 << 22, PRISM_FIELD(model.ffnHiddenSize)));
    t.push_back(integer({"model.vocab_size", "Vocabulary", "V", "tokens",
                         "Rows of the embedding table (padding to a multiple of 128 x TP is added as Megatron-LM does)."},
                        1, 1 << 24, PRISM_FIELD(model.vocabSize)));
    t.push_back(
        integer({"model.seq_length", "Sequence length", "s", "tokens", "Tokens per sequence."}, 1, 1 << 24, PRISM_FIELD(model.seqLength)));
    t.push_back(advanced(boolean({"model.gated_mlp", "Gated MLP", "", "", "SwiGLU-style MLP with three matrices instead of two."},
                                 PRISM_FIELD(model.gatedMlp))));
    t.push_back(advanced(
        boolean({"model.tied_embeddings", "Tied embeddings", "", "",
                 "Input and output embeddings share one table; with PP > 1 the first and last stage then all-reduce its gradient."},
                PRISM_FIELD(model.tiedEmbeddings))));
    t.push_back(advanced(boolean({"model.parallel_attention", "Parallel attention", "", "",
                                  "Attention and MLP read the same input and run in parallel (GPT-J, PaLM)."},
                                 PRISM_FIELD(model.parallelAttention))));
    t.push_back(advanced(boolean(
        {"model.causal_attention", "Causal attention", "", "", "Half of the attention matrix is masked and not computed by fused kernels."},
        PRISM_FIELD(model.causalAttention))));
    t.push_back(advanced(boolean({"model.add_bias_linear", "Linear biases", "", "", "Bias vectors in all linear layers (GPT-2, GPT-3)."},
                                 PRISM_FIELD(model.addBiasLinear))));
    t.push_back(
        advanced(boolean({"model.add_qkv_bias", "QKV bias", "", "", "Bias vectors in the query, key and value projection only (Qwen 2)."},
                         PRISM_FIELD(model.addQkvBias))));
    t.push_back(advanced(boolean({"model.position_embedding_learned", "Learned positions", "", "",
                                  "A learned position table of sequence length x hidden size instead of rotary embeddings."},
                                 PRISM_FIELD(model.positionEmbeddingLearned))));
    t.push_back(advanced(boolean({"model.qk_layernorm", "QK norm", "", "", "Normalises queries and keys per head (Qwen 3)."},
                                 PRISM_FIELD(model.qkLayernorm))));
    t.push_back(advanced(choice({"model.normalization", "Normalization", "", "", "Kind of normalisation layer."}, {"rmsnorm", "layernorm"},
                                PRISM_FIELD(model.normalization))));
    t.push_back(advanced(integer(
        {"model.sliding_window", "Sliding window", "", "tokens",
         "Attention looks back at most this far in layers of kind 'sliding', or in all layers of a uniform model; 0 = full attention."},
        0, 1 << 24, PRISM_FIELD(model.slidingWindow))));
}

void addLatentAttention(std::vector<Parameter>& t)
{
    t.push_back(advanced(boolean({"model.multi_latent_attention", "Multi-latent attention", "MLA", "",
                                  "Low-rank compressed keys and values (DeepSeek-V2, arXiv 2405.04434)."},
                                 PRISM_FIELD(model.multiLatentAttention))));
    t.push_back(
        advanced(integer({"model.q_lora_rank", "Query rank", "", "", "Rank of the query compression; 0 = queries are not compressed."}, 0,
                         1 << 16, PRISM_FIELD(model.qLoraRank))));
    t.push_back(
        advanced(integer({"model.kv_lora_rank", "Key/value rank", "", "", "Rank of the key/value compression of multi-latent attention."},
                         0, 1 << 16, PRISM_FIELD(model.kvLoraRank))));
    t.push_back(
        advanced(integer({"model.qk_head_dim", "QK head dimension", "", "", "Multi-latent attention: channels per head without position."},
                         1, 1 << 16, PRISM_FIELD(model.qkHeadDim))));
    t.push_back(
        advanced(integer({"model.qk_pos_emb_head_dim", "QK rotary dimension", "", "", "Multi-latent attention: rotary channels per head."},
                         0, 1 << 16, PRISM_FIELD(model.qkPosEmbHeadDim))));
    t.push_back(advanced(integer({"model.v_head_dim", "Value head dimension", "", "", "Multi-latent attention: value channels per head."},
                                 1, 1 << 16, PRISM_FIELD(model.vHeadDim))));
}

void addExperts(std::vector<Parameter>& t)
{
    t.push_back(integer({"model.num_experts", "Experts", "E", "", "Routed experts per mixture-of-experts layer; 0 = dense model."}, 0, 8192,
                        PRISM_FIELD(model.numExperts)));
    t.push_back(integer({"model.moe_router_topk", "Experts per token", "top-k", "", "Routed experts that each token visits."}, 0, 256,
                        PRISM_FIELD(model.moeRouterTopk)));
    t.push_back(integer({"model.moe_ffn_hidden_size", "Expert FFN size", "", "", "Inner width of one routed expert."}, 0, 1 << 22,
                        PRISM_FIELD(model.moeFfnHiddenSize)));
    t.push_back(advanced(integer({"model.moe_shared_expert_intermediate_size", "Shared expert size", "", "",
                                  "Total inner width of the shared experts that every token visits; 0 = none."},
                                 0, 1 << 22, PRISM_FIELD(model.moeSharedExpertIntermediateSize))));
    t.push_back(advanced(
        integer({"model.moe_first_k_dense", "Leading dense layers", "", "", "Layers at the start that keep a dense MLP (DeepSeek)."}, 0,
                4096, PRISM_FIELD(model.moeFirstKDense))));
    t.push_back(advanced(
        integer({"model.moe_layer_freq", "MoE layer frequency", "", "", "Every n-th layer is a mixture-of-experts layer; 1 = all of them."},
                1, 4096, PRISM_FIELD(model.moeLayerFreq))));
    t.push_back(advanced(integer({"model.moe_router_num_groups", "Router groups", "", "",
                                  "Groups of experts for group-limited routing, usually one per node (DeepSeek-V3: 8); 0 = none."},
                                 0, 1024, PRISM_FIELD(model.moeRouterNumGroups))));
    t.push_back(advanced(integer({"model.moe_router_group_topk", "Router groups per token", "", "",
                                  "Groups that the experts of one token may come from (DeepSeek-V3: 4); 0 = all."},
                                 0, 1024, PRISM_FIELD(model.moeRouterGroupTopk))));
    t.push_back(
        advanced(real({"model.moe_capacity_factor", "Capacity factor", "", "",
                       "Rows that every expert computes over its even share: fewer tokens are padded to it, more are dropped (Megatron-LM "
                       "--moe-pad-expert-input-to-capacity). 0 = dropless."},
                      0, 64, PRISM_FIELD(model.moeCapacityFactor))));
    t.push_back(advanced(integer(
        {"model.mtp_num_layers", "Multi-token prediction layers", "MTP", "", "Extra layers that predict further tokens (DeepSeek-V3)."}, 0,
        16, PRISM_FIELD(model.mtpNumLayers))));
}

} // namespace

void addModel(std::vector<Parameter>& t)
{
    t.push_back(
        choice({"model.preset", "Model preset", "", "",
                "The model of the library that the section starts from. Setting it loads the whole model; fields can then be changed."},
               withNone(presetNames("model")), PRISM_FIELD(model.preset)));
    t.push_back(advanced(text({"model.name", "Model name", "", "", "Name on charts; changes no number."}, PRISM_FIELD(model.name))));
    addTransformer(t);
    addLatentAttention(t);
    addExperts(t);
}

} // namespace prism::table
