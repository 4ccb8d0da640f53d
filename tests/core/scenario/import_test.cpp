// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/import/importers.h"
#include "core/scenario/import/shelltext.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <tuple>

namespace prism {
namespace {

bool mentions(const Diagnostics& notes, const std::string& text)
{
    for (const Diagnostic& d : notes)
        if ((d.path + " " + d.message).find(text) != std::string::npos)
            return true;
    return false;
}

/// The imported model with the labels of the preset, so that only sizes are compared.
ModelConfig labelled(ModelConfig model, const ModelConfig& like)
{
    model.preset = like.preset;
    model.name = like.name;
    model.seqLength = like.seqLength;
    return model;
}

struct Config {
    const char* preset;
    const char* text;
};

class HuggingFace : public testing::TestWithParam<Config> {};

TEST_P(HuggingFace, GivesTheModelOfTheLibrary)
{
    const Result<ImportResult> r = importHuggingFaceConfig(GetParam().text, {});
    ASSERT_TRUE(r.ok()) << r.errors().front().path << ": " << r.errors().front().message;
    const ModelConfig expected = *modelPreset(GetParam().preset);
    EXPECT_EQ(labelled(r->scenario.model, expected), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Architectures, HuggingFace,
    testing::Values(
        Config{"llama3-8b",
               R"({"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
        "intermediate_size": 14336, "vocab_size": 128256, "tie_word_embeddings": false, "max_position_embeddings": 131072})"},
        Config{
            "mixtral-8x7b",
            R"({"model_type": "mixtral", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
        "intermediate_size": 14336, "vocab_size": 32000, "num_local_experts": 8, "num_experts_per_tok": 2, "sliding_window": null})"},
        Config{"qwen2.5-7b",
               R"({"model_type": "qwen2", "num_hidden_layers": 28, "hidden_size": 3584, "num_attention_heads": 28, "num_key_value_heads": 4,
        "intermediate_size": 18944, "vocab_size": 152064, "use_sliding_window": false, "sliding_window": 131072})"},
        Config{
            "qwen3-30b-a3b",
            R"({"model_type": "qwen3_moe", "num_hidden_layers": 48, "hidden_size": 2048, "num_attention_heads": 32, "num_key_value_heads": 4,
        "head_dim": 128, "intermediate_size": 6144, "vocab_size": 151936, "num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 768,
        "decoder_sparse_step": 1, "mlp_only_layers": []})"},
        Config{
            "deepseek-v3",
            R"({"model_type": "deepseek_v3", "num_hidden_layers": 61, "hidden_size": 7168, "num_attention_heads": 128, "num_key_value_heads": 128,
        "intermediate_size": 18432, "vocab_size": 129280, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
        "v_head_dim": 128, "n_routed_experts": 256, "num_experts_per_tok": 8, "moe_intermediate_size": 2048, "n_shared_experts": 1,
        "first_k_dense_replace": 3, "moe_layer_freq": 1, "num_nextn_predict_layers": 1, "n_group": 8, "topk_group": 4})"}));

TEST(HuggingFaceConfig, ReadsGpt2AndNeox)
{
    const Result<ImportResult> gpt2 =
        importHuggingFaceConfig(R"({"model_type": "gpt2", "n_layer": 48, "n_embd": 1600, "n_head": 25, "n_inner": null,
        "n_positions": 1024, "vocab_size": 50257})",
                                {});
    ASSERT_TRUE(gpt2.ok());
    EXPECT_EQ(gpt2->scenario.model.ffnHiddenSize, 6400);
    EXPECT_EQ(gpt2->scenario.model.seqLength, 1024);
    EXPECT_TRUE(gpt2->scenario.model.tiedEmbeddings);
    const Result<ImportResult> neox = importHuggingFaceConfig(R"({"model_type": "gpt_neox", "num_hidden_layers": 44, "hidden_size": 6144,
        "num_attention_heads": 64, "intermediate_size": 24576, "vocab_size": 50432, "use_parallel_residual": true})",
                                                              {});
    ASSERT_TRUE(neox.ok());
    EXPECT_TRUE(neox->scenario.model.parallelAttention);
    EXPECT_FALSE(neox->scenario.model.gatedMlp);
}

TEST(HuggingFaceConfig, ReportsWhatIsUnknown)
{
    const Diagnostics unknown = importHuggingFaceConfig(R"({"model_type": "lama"})", {}).errors();
    ASSERT_EQ(unknown.size(), 1U);
    EXPECT_NE(unknown.front().message.find("\"llama\""), std::string::npos);
    EXPECT_TRUE(unknown.front().accepted.starts_with("one of: llama,")) << "the nearest first";
    EXPECT_TRUE(unknown.front().accepted.ends_with(" more"));
    const Diagnostics missing = importHuggingFaceConfig(R"({"model_type": "llama", "hidden_size": "big"})", {}).errors();
    EXPECT_TRUE(mentions(missing, "num_hidden_layers"));
    EXPECT_TRUE(mentions(missing, "hidden_size"));
    EXPECT_FALSE(importHuggingFaceConfig("[]", {}).ok());
}

/// Sizes shared by the configurations below; what a family adds comes before them.
std::string familyConfig(const std::string& keys)
{
    return "{" + keys + R"(, "num_hidden_layers": 12, "hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 4,
        "intermediate_size": 3072, "vocab_size": 32000})";
}

std::string patternText(const ModelConfig& model)
{
    std::string text;
    for (const LayerPatternEntry& e : model.layerPattern)
        text += std::to_string(e.count) + " " + e.kind + " ";
    return text;
}

TEST(HuggingFaceConfig, LayersWithAWindowBecomeTheShortestPattern)
{
    const auto model = [](const std::string& keys) {
        const Result<ImportResult> r = importHuggingFaceConfig(familyConfig(keys), {});
        EXPECT_TRUE(r.ok()) << keys;
        return r.ok() ? r->scenario.model : ModelConfig();
    };
    // Transformers' Gemma 2 looks back all the way in every second layer, Gemma 3 in every sixth unless the file says otherwise.
    EXPECT_EQ(patternText(model(R"("model_type": "gemma2", "sliding_window": 4096)")), "1 sliding 1 dense ");
    EXPECT_EQ(patternText(model(R"("model_type": "gemma3_text", "sliding_window": 512)")), "5 sliding 1 dense ");
    EXPECT_EQ(patternText(model(R"("model_type": "gemma3_text", "sliding_window": 512, "sliding_window_pattern": 4)")),
              "3 sliding 1 dense ");
    EXPECT_EQ(patternText(model(R"("model_type": "gemma2", "sliding_window": 4096,
        "layer_types": ["full_attention", "sliding_attention", "sliding_attention", "full_attention", "sliding_attention"])")),
              "1 dense 2 sliding ");
    const ModelConfig none =
        model(R"("model_type": "gemma2", "sliding_window": 0, "layer_types": ["full_attention", "sliding_attention"])");
    EXPECT_EQ(patternText(none), "") << "without a window every layer looks back all the way";
    EXPECT_EQ(none.slidingWindow, 0);
    EXPECT_EQ(model(R"("model_type": "gemma2")").kvChannels, 64) << "1,024 over 16 heads";
    EXPECT_EQ(model(R"("model_type": "gemma2", "head_dim": 96)").kvChannels, 96);
    EXPECT_TRUE(model(R"("model_type": "gemma2", "sliding_window": 4096)").tiedEmbeddings);
    EXPECT_EQ(model(R"("model_type": "gemma2")").slidingWindow, 0);
    const ModelConfig phi = model(R"("model_type": "phi3", "sliding_window": 2047)");
    EXPECT_TRUE(phi.layerPattern.empty() && phi.slidingWindow == 2047);
}

TEST(HuggingFaceConfig, FamiliesWithExperts)
{
    const Result<ImportResult> llama4 =
        importHuggingFaceConfig(R"({"model_type": "llama4", "tie_word_embeddings": true, "text_config": )"
                                    + familyConfig(R"("model_type": "llama4_text", "intermediate_size_mlp": 8192, "num_local_experts": 16,
        "num_experts_per_tok": 1, "interleave_moe_layer_step": 2, "attention_chunk_size": 8192)")
                                    + "}",
                                {});
    ASSERT_TRUE(llama4.ok());
    const ModelConfig& m = llama4->scenario.model;
    EXPECT_EQ(m.ffnHiddenSize, 8192);
    EXPECT_EQ(m.moeFfnHiddenSize, 3072);
    EXPECT_EQ(m.moeSharedExpertIntermediateSize, 3072);
    EXPECT_EQ(m.moeLayerFreq, 2);
    EXPECT_TRUE(m.tiedEmbeddings); // set outside of the language model's section
    EXPECT_TRUE(mentions(llama4->notes, "attention_chunk_size"));
    const Result<ImportResult> oss = importHuggingFaceConfig(
        familyConfig(
            R"("model_type": "gpt_oss", "num_local_experts": 128, "num_experts_per_tok": 4, "sliding_window": 128, "attention_bias": true)"),
        {});
    ASSERT_TRUE(oss.ok());
    EXPECT_TRUE(mentions(oss->notes, "full attention"));
    EXPECT_EQ(oss->scenario.model.slidingWindow, 0);
    EXPECT_TRUE(oss->scenario.model.layerPattern.empty());
    EXPECT_EQ(oss->scenario.model.moeFfnHiddenSize, 3072);
    EXPECT_TRUE(oss->scenario.model.addQkvBias);
    const Result<ImportResult> glm = importHuggingFaceConfig(
        familyConfig(R"("model_type": "glm4_moe", "n_routed_experts": 160, "num_experts_per_tok": 8, "moe_intermediate_size": 1536,
        "n_shared_experts": 1, "first_k_dense_replace": 3, "attention_bias": true, "use_qk_norm": true)"),
        {});
    ASSERT_TRUE(glm.ok());
    EXPECT_EQ(glm->scenario.model.moeSharedExpertIntermediateSize, 1536);
    EXPECT_EQ(glm->scenario.model.moeFirstKDense, 3);
    EXPECT_FALSE(glm->scenario.model.multiLatentAttention);
}

TEST(HuggingFaceConfig, FalconSharesKeysAsItsFileStates)
{
    const auto groups = [](const std::string& keys) {
        const Result<ImportResult> r =
            importHuggingFaceConfig(R"({"model_type": "falcon", "num_hidden_layers": 60, "hidden_size": 8192, "num_attention_heads": 128,
        "vocab_size": 65024)" + keys + "}",
                                    {});
        EXPECT_TRUE(r.ok());
        return r.ok() ? r->scenario.model.numQueryGroups : -1;
    };
    EXPECT_EQ(groups(R"(, "new_decoder_architecture": true, "num_kv_heads": 8)"), 8);
    EXPECT_EQ(groups(R"(, "new_decoder_architecture": true)"), 128) << "its own default, with any multi_query";
    EXPECT_EQ(groups(R"(, "multi_query": true)"), 1);
    EXPECT_EQ(groups(R"(, "multi_query": false)"), 128);
}

TEST(HuggingFaceConfig, PatternsOutOfRangeAreRefused)
{
    const auto errors = [](const std::string& keys) { return importHuggingFaceConfig(familyConfig(keys), {}).errors(); };
    EXPECT_TRUE(mentions(errors(R"("model_type": "gemma3_text", "sliding_window": 1, "sliding_window_pattern": 1099511627776)"),
                         "sliding_window_pattern"));
    EXPECT_TRUE(mentions(errors(R"("model_type": "gemma2", "layer_types": ["linear_attention"])"), "layer_types"));
    EXPECT_TRUE(mentions(errors(R"("model_type": "gemma2", "layer_types": [1])"), "layer_types"));
    std::string many = R"("full_attention")";
    for (int i = 1; i < 4096; ++i)
        many += R"(,"full_attention")";
    EXPECT_FALSE(mentions(errors(R"("model_type": "gemma2", "layer_types": [)" + many + "]"), "layer_types")) << "4,096 are a pattern";
    EXPECT_TRUE(mentions(errors(R"("model_type": "gemma2", "sliding_window_pattern": 4097, "layer_types": [)" + many + "]"),
                         "sliding_window_pattern"));
    many += R"(,"full_attention")";
    EXPECT_TRUE(mentions(errors(R"("model_type": "gemma2", "layer_types": [)" + many + "]"), "layer_types"));
}

constexpr const char* kScript = R"(#!/bin/bash
# 70B on 32 nodes
export CUDA_DEVICE_MAX_CONNECTIONS=1
GPUS_PER_NODE=8
NNODES=${SLURM_NNODES:-32}
TP=4
MODEL_ARGS=(
    --num-layers 80          # decoder blocks
    --hidden-size 8192 --ffn-hidden-size 28672
    --num-attention-heads 64
    --group-query-attention --num-query-groups 8
    --seq-length 8192 --max-position-embeddings 8192
    --swiglu --disable-bias-linear --normalization RMSNorm
    --untie-embeddings-and-output-weights --position-embedding-type rope
    --vocab-size 128256
)
TRAIN="--micro-batch-size 1 --global-batch-size 512 --bf16 \
  --train-samples 1000000 --lr 1.5e-4"
torchrun --nproc_per_node $GPUS_PER_NODE --nnodes=$NNODES pretrain_gpt.py \
    ${MODEL_ARGS[@]} $TRAIN \
    --tensor-model-parallel-size ${TP} --pipeline-model-parallel-size 4 --context-parallel-size 2 \
    --num-layers-per-virtual-pipeline-stage 4 --sequence-parallel --use-distributed-optimizer \
    --overlap-grad-reduce --overlap-param-gather --tp-comm-overlap --save-intervall 10 --swigluu
)";

TEST(MegatronArguments, ReadALaunchScript)
{
    const Result<ImportResult> r = importMegatronArguments(kScript, {});
    ASSERT_TRUE(r.ok()) << r.errors().front().path << ": " << r.errors().front().message;
    const Scenario& s = r->scenario;
    const Scenario expected = *scenarioPreset("llama3-70b-256-h100");
    EXPECT_EQ(labelled(s.model, expected.model), expected.model);
    EXPECT_EQ(s.parallelism, expected.parallelism);
    EXPECT_EQ(s.cluster.numGpus, 256);
    EXPECT_EQ(s.training.globalBatchSize, 512);
    EXPECT_EQ(s.training.precision, "bf16");
    EXPECT_DOUBLE_EQ(s.training.trainTokens, 1e6 * 8192);
    EXPECT_FALSE(hasErrors(check(s)));
    EXPECT_TRUE(mentions(r->notes, "--save-intervall"));
    EXPECT_TRUE(mentions(r->notes, "did you mean --swiglu?"));
}

TEST(MegatronArguments, FollowMegatronDefaults)
{
    const Result<ImportResult> r = importMegatronArguments("--num-layers 24 --hidden-size 2304 --num-attention-heads 24 --seq-length 2048 "
                                                           "--micro-batch-size 16 --fp16 --tokenizer-type GPT2BPETokenizer",
                                                           {});
    ASSERT_TRUE(r.ok());
    const ModelConfig& m = r->scenario.model;
    EXPECT_EQ(m.ffnHiddenSize, 4 * 2304);
    EXPECT_EQ(m.numQueryGroups, 24);
    EXPECT_EQ(m.kvChannels, 96);
    EXPECT_EQ(m.vocabSize, 50257);
    EXPECT_TRUE(m.tiedEmbeddings && m.addBiasLinear && m.positionEmbeddingLearned && !m.gatedMlp);
    EXPECT_EQ(r->scenario.parallelism.zeroStage, 0);
    EXPECT_EQ(r->scenario.training.precision, "fp16");
}

TEST(MegatronArguments, GpusBatchAndTokensFollowFromTheFlags)
{
    const auto read = [](const std::string& flags) {
        const Result<ImportResult> r = importMegatronArguments(flags
                                                                   + "\ntrain --num-layers 24 --hidden-size 2304 --num-attention-heads 24 "
                                                                     "--seq-length 2048 --micro-batch-size 3 --bf16 ${REST}",
                                                               {});
        EXPECT_TRUE(r.ok()) << flags << ": " << (r.ok() ? "" : r.errors().front().message);
        return r.ok() ? r->scenario : Scenario{};
    };
    const auto rest = [&](const std::string& variables, const std::string& flags) { return read(variables + "\nREST=\"" + flags + "\""); };
    EXPECT_EQ(rest("", "--nnodes 4 --nproc_per_node 2").cluster.numGpus, 8);
    EXPECT_EQ(rest("", "--nnodes 4 --nproc_per_node 2").training.globalBatchSize, 3 * 8) << "one micro-batch a rank";
    EXPECT_EQ(rest("", "--nnodes 4 --nproc_per_node 2 --tensor-model-parallel-size 4").training.globalBatchSize, 3 * 2);
    EXPECT_EQ(rest("NNODES=3\nGPUS_PER_NODE=4", "").cluster.numGpus, 12);
    EXPECT_EQ(rest("NNODES=3\nGPUS_PER_NODE=4", "--nnodes 5").cluster.numGpus, 20);
    EXPECT_EQ(rest("WORLD_SIZE=48", "").cluster.numGpus, 48);
    EXPECT_EQ(rest("WORLD_SIZE=48\nNNODES=0\nGPUS_PER_NODE=8", "").cluster.numGpus, 48) << "0 is not a number of nodes";
    EXPECT_EQ(rest("WORLD_SIZE=1048577\nNUM_GPUS=16", "").cluster.numGpus, 16);
    EXPECT_EQ(rest("", "--pipeline-model-parallel-size 3").cluster.numGpus, 3) << "8 GPUs of the base do not hold replicas of 3";
    EXPECT_EQ(rest("", "--tensor-model-parallel-size 2").cluster.numGpus, Scenario{}.cluster.numGpus);
    EXPECT_EQ(rest("", "--train-iters 1000 --global-batch-size 96 --nnodes 1 --nproc_per_node 8").training.trainTokens, 1000.0 * 96 * 2048);
    EXPECT_EQ(rest("", "--train-samples 500").training.trainTokens, 500.0 * 2048);
    EXPECT_EQ(rest("", "--tokenizer-type Llama2Tokenizer").model.vocabSize, 32000);
    EXPECT_EQ(rest("", "--tokenizer-type Llama2Tokenizer --vocab-size 7").model.vocabSize, 7);
    EXPECT_EQ(rest("", "--tokenizer-type Other").model.vocabSize, Scenario{}.model.vocabSize);
    EXPECT_TRUE(rest("", "--tensor-model-parallel-size 2 --sequence-parallel").parallelism.sequenceParallel);
    EXPECT_FALSE(rest("", "--sequence-parallel").parallelism.sequenceParallel);
    EXPECT_EQ(
        rest("", "--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 3").parallelism.virtualPipelineModelParallelSize,
        4);
    EXPECT_EQ(rest("", "--pipeline-model-parallel-size 2").parallelism.pipelineSchedule, "1f1b");
    EXPECT_EQ(rest("", "--data-parallel-sharding-strategy optim_grads").parallelism.zeroStage, 2);
    const Result<ImportResult> lines =
        importMegatronArguments("A='x\ny\nz'\ntrain --num-layers 24 --hidden-size 2304 --num-attention-heads 24\\\n"
                                " --seq-length 2048 --micro-batch-size 1 \"--unheard-of\"",
                                {});
    ASSERT_TRUE(lines.ok());
    EXPECT_TRUE(mentions(lines->notes, "--unheard-of (line 5)"));
}

TEST(MegatronArguments, GradientPrecisionAndGraphsAsTheFlagsRequest)
{
    const auto training = [](const std::string& flags) {
        const Result<ImportResult> r = importMegatronArguments(
            "--num-layers 24 --hidden-size 2304 --num-attention-heads 24 --seq-length 2048 --micro-batch-size 1 --bf16 " + flags, {});
        EXPECT_TRUE(r.ok());
        return r.ok() ? r->scenario.training : TrainingConfig();
    };
    EXPECT_TRUE(training("").gradReduceInFp32);
    EXPECT_FALSE(training("--grad-reduce-in-bf16").gradReduceInFp32);
    EXPECT_EQ(training("--cuda-graph-impl transformer_engine").cudaGraphs, "layer");
    EXPECT_EQ(training("--cuda-graph-impl local --cuda-graph-scope full_iteration").cudaGraphs, "full_iteration");
    EXPECT_EQ(training("--cuda-graph-impl none --cuda-graph-scope full_iteration").cudaGraphs, "none");
}

TEST(MegatronArguments, ConflictsAndMissingFlagsAreErrors)
{
    const Diagnostics errors = importMegatronArguments("--num-layers 24 --num-layers 32 --bf16 --fp16 --micro-batch-size $MBS --fp8-format "
                                                       "e4m3 --fp8-recipe magic --tensor-model-parallel-size 0",
                                                       {})
                                   .errors();
    for (const char* text :
         {"--num-layers", "--fp16", "--micro-batch-size", "--fp8-recipe", "--tensor-model-parallel-size", "--hidden-size", "--seq-length"})
        EXPECT_TRUE(mentions(errors, text)) << text;
    EXPECT_FALSE(importMegatronArguments("just words", {}).ok());
    EXPECT_FALSE(importMegatronArguments("--num-layers \"24", {}).ok());
}

TEST(MegatronArguments, ExpertPatterns)
{
    const Result<ImportResult> r = importMegatronArguments(
        "--num-layers 61 --hidden-size 7168 --num-attention-heads 128 --seq-length 4096 --micro-batch-size 1 --bf16 --num-experts 256 "
        "--moe-router-topk 8 --moe-ffn-hidden-size 2048 --moe-layer-freq \"([0]*3+[1]*58)\" --expert-model-parallel-size 64",
        {});
    ASSERT_TRUE(r.ok()) << r.errors().front().message;
    EXPECT_EQ(r->scenario.model.moeFirstKDense, 3);
    EXPECT_EQ(r->scenario.model.moeFfnHiddenSize, 2048);
    EXPECT_EQ(r->scenario.model.moeRouterTopk, 8);
    const Result<ImportResult> plain =
        importMegatronArguments("--num-layers 24 --hidden-size 2304 --num-attention-heads 24 --seq-length 2048 "
                                "--micro-batch-size 1 --bf16 --ffn-hidden-size 5120 --num-experts 8",
                                {});
    ASSERT_TRUE(plain.ok());
    EXPECT_EQ(plain->scenario.model.moeRouterTopk, 2) << "Megatron-LM's default";
    EXPECT_EQ(plain->scenario.model.moeFfnHiddenSize, 5120);
    const auto patternOf = [](const std::string& pattern) {
        return importMegatronArguments(
            "--num-layers 24 --hidden-size 2304 --num-attention-heads 24 --seq-length 2048 --micro-batch-size 1 --bf16 "
            "--num-experts 8 --moe-layer-freq \""
                + pattern + "\"",
            {});
    };
    for (const char* unknown : {"([0]*x+[1]*21)", "([0]*3+[2]*21)", "[1]*24", "([1]*3+[0]*21)"}) {
        const Result<ImportResult> other = patternOf(unknown);
        ASSERT_TRUE(other.ok()) << unknown;
        EXPECT_EQ(other->scenario.model.moeFirstKDense, 0) << unknown;
        EXPECT_TRUE(mentions(other->notes, "is not recognised")) << unknown;
    }
    EXPECT_EQ(patternOf("2")->scenario.model.moeLayerFreq, 2);
    EXPECT_EQ(r->scenario.model.moeLayerFreq, 1);
    EXPECT_EQ(r->scenario.parallelism.expertModelParallelSize, 64);
}

TEST(MegatronArguments, ExpertOverlapRecomputedModulesAndRouterGroups)
{
    const Result<ImportResult> r =
        importMegatronArguments("--num-layers 61 --hidden-size 7168 --num-attention-heads 128 --seq-length 4096 --micro-batch-size 1 "
                                "--bf16 --num-experts 256 --moe-router-topk 8 "
                                "--moe-router-num-groups 8 --moe-router-group-topk 4 --overlap-moe-expert-parallel-comm "
                                "--recompute-granularity selective --recompute-modules mla_up_proj moe_act",
                                {});
    ASSERT_TRUE(r.ok()) << r.errors().front().message;
    EXPECT_TRUE(r->scenario.parallelism.overlapMoeExpertParallelComm);
    EXPECT_EQ(r->scenario.training.recomputeModules, "mla_up_proj moe_act");
    EXPECT_EQ(r->scenario.model.moeRouterNumGroups, 8);
    EXPECT_EQ(r->scenario.model.moeRouterGroupTopk, 4);
}

TEST(MegatronArguments, PipelineLayoutsBringTheirVirtualStages)
{
    const std::string model =
        "--num-layers 61 --hidden-size 7168 --num-attention-heads 128 --seq-length 4096 --micro-batch-size 1 --bf16 --mtp-num-layers 1 ";
    const Result<ImportResult> r =
        importMegatronArguments(model + "--pipeline-model-parallel-size 8 --pipeline-model-parallel-layout \"Et*4|(t*4|)*14tmL\"", {});
    ASSERT_TRUE(r.ok()) << r.errors().front().message;
    EXPECT_EQ(r->scenario.parallelism.virtualPipelineModelParallelSize, 2);
    EXPECT_EQ(r->scenario.parallelism.pipelineSchedule, "interleaved");
    EXPECT_EQ(r->scenario.parallelism.pipelineModelParallelLayout, "Et*4|(t*4|)*14tmL");
    EXPECT_FALSE(
        importMegatronArguments(model + "--pipeline-model-parallel-size 7 --pipeline-model-parallel-layout \"Et*4|(t*4|)*14tmL\"", {})
            .ok());
    EXPECT_FALSE(importMegatronArguments(model + "--pipeline-model-parallel-layout Et?L", {}).ok());
}

TEST(MegatronArguments, TokensOfTheBaseStayWithoutFlagsThatSetThem)
{
    Scenario base;
    base.training.trainTokens = 7e11;
    base.training.globalBatchSize = 999;
    const Result<ImportResult> r = importMegatronArguments(
        "--num-layers 24 --hidden-size 2304 --num-attention-heads 24 --seq-length 2048 --micro-batch-size 1 --global-batch-size 8 --bf16",
        base);
    ASSERT_TRUE(r.ok());
    EXPECT_EQ(r->scenario.training.trainTokens, 7e11);
    EXPECT_EQ(r->scenario.training.globalBatchSize, 8);
}

TEST(ShellFlags, WordsLinesAndQuotes)
{
    const Result<ShellFlags> read = shellFlags("train --a 'x\\y' \\\n --b_C \"p\\\nq\"\n# --c 1\n--d=5 --e\n'f'");
    ASSERT_TRUE(read.ok());
    const std::tuple<std::string, std::vector<std::string>, int> expected[] = {
        {"a", {"x\\y"}, 1}, {"b-c", {"p \nq"}, 2}, {"d", {"5"}, 5}, {"e", {"f"}, 5}};
    ASSERT_EQ(read->flags.size(), std::size(expected));
    for (std::size_t i = 0; i < std::size(expected); ++i)
        EXPECT_EQ(std::tuple(read->flags[i].name, read->flags[i].values, read->flags[i].line), expected[i]) << i;
}

TEST(MegatronArguments, ScriptsAreReadAsTheShellReadsThem)
{
    const std::string rest = " --hidden-size 2304 --num-attention-heads 24 --seq-length 2048 --micro-batch-size 1 --bf16";
    const auto layers = [&](const std::string& script) {
        const Result<ImportResult> r = importMegatronArguments(script, {});
        EXPECT_TRUE(r.ok()) << script << ": " << (r.ok() ? "" : r.errors().front().path + " " + r.errors().front().message);
        return r.ok() ? r->scenario.model.numLayers : 0;
    };
    EXPECT_EQ(layers("L=24\ntrain --num-layers $L" + rest), 24) << "a name of one letter";
    EXPECT_EQ(layers("L=24; L2=7\ntrain --num-layers ${L}" + rest), 24) << "names with the same beginning";
    EXPECT_EQ(layers("train --num-layers 24" + rest + " # --num-layers 32"), 24) << "a comment at the end of the text";
    EXPECT_EQ(layers("# --num-layers 32\ntrain --num-layers 24" + rest), 24) << "a comment at its beginning";
    EXPECT_EQ(layers("A='--num-layers 24'\nA+=\"" + rest + "\"\ntrain $A"), 24) << "more is added to a variable";
    EXPECT_EQ(layers("train --num-layers \\\n 24" + rest), 24) << "a line that continues";
}

TEST(MegatronArguments, ListsInVariablesAreTakenOnceAndNotReportedAsMissing)
{
    const std::string lists[] = {"MODEL_ARGS=\"--num-layers 16 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096\"\n",
                                 "MODEL_ARGS=(\n --num-layers 16\n --hidden-size 4096\n --num-attention-heads 32 --seq-length 4096\n)\n"};
    const std::string uses[] = {"torchrun --nproc_per_node 8 pretrain_gpt.py $MODEL_ARGS --micro-batch-size 1 --bf16 --tokenizer-type "
                                "Llama2Tokenizer $OUTPUT_ARGS",
                                "torchrun --nproc_per_node 8 pretrain_gpt.py ${MODEL_ARGS[@]} \\\n --micro-batch-size 1 --bf16"};
    for (const std::string& list : lists)
        for (const std::string& use : uses) {
            const Result<ImportResult> r = importMegatronArguments(list + use, {});
            ASSERT_TRUE(r.ok()) << r.errors().front().message;
            EXPECT_EQ(r->scenario.model.numLayers, 16);
            for (const Diagnostic& d : r->notes)
                EXPECT_NE(d.path, "$MODEL_ARGS") << d.message;
        }
}

TEST(HuggingFaceConfig, TheUnevenSplitOfTheBaseStaysWithItsModelAndIsNamed)
{
    Scenario base;
    base.parallelism.accountForEmbeddingInPipelineSplit = base.parallelism.accountForLossInPipelineSplit = true;
    const Result<ImportResult> r = importHuggingFaceConfig(
        R"({"model_type": "llama", "num_hidden_layers": 64, "hidden_size": 4096, "num_attention_heads": 32, "intermediate_size": 14336, "vocab_size": 128256})",
        base);
    ASSERT_TRUE(r.ok()) << r.errors().front().message;
    EXPECT_FALSE(r->scenario.parallelism.accountForEmbeddingInPipelineSplit);
    EXPECT_FALSE(r->scenario.parallelism.accountForLossInPipelineSplit);
    for (const char* path : {"parallelism.account_for_embedding_in_pipeline_split", "parallelism.account_for_loss_in_pipeline_split"})
        EXPECT_TRUE(std::any_of(r->notes.begin(), r->notes.end(), [&](const Diagnostic& d) { return d.path == path; })) << path;
}

} // namespace
} // namespace prism
