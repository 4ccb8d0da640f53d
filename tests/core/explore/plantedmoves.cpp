// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/plantedmoves.h"

#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace prism::test {
namespace {

constexpr int kSamples = 500;

Scenario plantedScenario(const PlantedMove& planted)
{
    Scenario s = *scenarioPreset(planted.preset);
    for (const auto& [id, text] : planted.quiet)
        s = *setParameter(s, id, text);
    if (planted.id == std::string("slow"))
        s.variability.slow = {{0, -1, std::stod(planted.bad), 1.0}};
    else if (planted.id == std::string("slow link"))
        s.variability.slow = {{0, -1, 1.0, std::stod(planted.bad)}};
    else
        s = *setParameter(s, planted.id, planted.bad);
    return s;
}

std::string allOf(const Move& move)
{
    std::string text;
    for (const std::string& change : move.changes)
        text += (text.empty() ? "" : "; ") + change;
    return text;
}

} // namespace

const std::vector<PlantedMove>& plantedMoves()
{
    constexpr const char *kTp = "parallelism.tensor_model_parallel_size", *kPp = "parallelism.pipeline_model_parallel_size",
                         *kVpp = "parallelism.virtual_pipeline_model_parallel_size", *kCp = "parallelism.context_parallel_size",
                         *kEp = "parallelism.expert_model_parallel_size", *kSchedule = "parallelism.pipeline_schedule",
                         *kMbs = "training.micro_batch_size", *kGbs = "training.global_batch_size", *kZero = "parallelism.zero_stage",
                         *kRecompute = "training.recompute_granularity", *kSequence = "parallelism.sequence_parallel",
                         *kTpOverlap = "parallelism.tp_comm_overlap", *kGradOverlap = "parallelism.overlap_grad_reduce",
                         *kMoeOverlap = "parallelism.overlap_moe_expert_parallel_comm", *kSpread = "variability.spatial.cv",
                         *kLinks = "cluster.inter_node_gb_per_s", *kGemm = "variability.gemm.cv", *kAttention = "variability.attention.cv",
                         *kData = "variability.data.cv";
    constexpr const char *k7b = "llama2-7b-8-a100", *k70b = "llama3-70b-256-h100", *k405b = "llama3-405b-16k-h100",
                         *kMoe = "qwen3-235b-256-h100";
    constexpr std::pair<const char*, const char*> kQuiet = {kSpread, "0.002"};
    static const std::vector<PlantedMove> planted = {
        {"tensor parallelism too wide", k70b, {kQuiet}, kTp, "8", kTp},
        {"too many pipeline stages", k70b, {kQuiet, {kGbs, "128"}}, kPp, "16", kPp},
        {"no virtual stages",
         k405b,
         {kQuiet, {kTpOverlap, "true"}, {kSchedule, "1f1b"}, {"cluster.gpu.memory_gib", "200"}}, // chunks hold more micro-batches
         kVpp,
         "1",
         kVpp},
        {"sequences cut too small", k70b, {kQuiet}, kCp, "8", kCp},
        {"experts spread too far", kMoe, {kQuiet, {kMoeOverlap, "true"}, {kLinks, "12.5"}, {kRecompute, "full"}}, kEp, "32", kEp},
        {"a schedule of full bubbles",
         k405b,
         {kQuiet, {kTpOverlap, "true"}, {kVpp, "1"}, {kZero, "1"}, {"cluster.gpu.memory_gib", "200"}},
         kSchedule,
         "gpipe",
         kSchedule},
        {"micro-batch too small", k70b, {kQuiet, {"model.seq_length", "1024"}, {kCp, "1"}}, kMbs, "1", kMbs},
        {"everything computed twice", k70b, {kQuiet}, kRecompute, "full", kRecompute},
        {"parameters gathered in every pass", k70b, {kQuiet}, kZero, "3", kZero},
        {"whole norms on every rank", k70b, {kQuiet}, kSequence, "false", kSequence},
        {"bare tensor-parallel traffic", k70b, {kQuiet}, kTpOverlap, "false", kTpOverlap},
        {"bare gradient reduction", k7b, {kQuiet, {kGbs, "8"}}, kGradOverlap, "false", kGradOverlap},
        {"bare all-to-all", kMoe, {kQuiet}, kMoeOverlap, "false", kMoeOverlap},
        {"a node that computes slowly", k70b, {kQuiet}, "slow", "1.5", "slow"},
        {"a node whose links are slow", k405b, {kQuiet, {kTpOverlap, "true"}}, "slow link", "8", "slow"},
        {"a slow fabric", k405b, {kQuiet}, kLinks, "1", "cluster.fabric", true},
        {"uneven matrix products", k70b, {kQuiet}, kGemm, "1", kGemm},
        {"uneven attention", k70b, {kQuiet}, kAttention, "1", kAttention},
        {"GPUs unlike each other", k7b, {}, kSpread, "0.1", kSpread},
        {"unequal micro-batches", k70b, {kQuiet}, kData, "0.5", kData},
    };
    return planted;
}

void expectRepaired(const PlantedMove& planted)
{
    Evaluator evaluator;
    InsightOptions options;
    options.samples = kSamples;
    MovesQuery query;
    query.hardware = planted.hardware;
    const Result<Moves> moves = nextMoves(evaluator, plantedScenario(planted), query, options);
    ASSERT_TRUE(moves.ok()) << planted.what;
    ASSERT_FALSE(moves->moves.empty()) << planted.what;
    const Move& first = moves->moves.front();
    const bool sets = std::any_of(first.settings.begin(), first.settings.end(), [&](const auto& s) { return s.first == planted.repairs; });
    EXPECT_TRUE(planted.repairs == "slow" ? first.slow.has_value() : sets) << planted.what << ": " << allOf(first);
    EXPECT_TRUE(first.improves) << planted.what;
}

} // namespace prism::test
