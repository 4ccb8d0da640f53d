// SPDX-License-Identifier: GPL-3.0-or-later
// Whole documents of searches made by hand: every number differs, so that none may be missing or in the place of another.
#include "core/explore/exploration.h"
#include "core/explore/moves.h"
#include "core/explore/question.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace prism {
namespace {

using Json = nlohmann::json;

void expectSame(const std::string& document, const Json& expected)
{
    const Json found = Json::parse(document);
    EXPECT_EQ(found, expected) << Json::diff(expected, found).dump();
}

TEST(ExploreDocuments, AnExplorationHasEveryNumberInItsPlace)
{
    ExploreCandidate first;
    first.rank = 2;
    first.values = {{"parallelism.zero_stage", "3"}};
    first.equals = {{{"parallelism.zero_stage", "2"}}};
    first.noiseFreeSeconds = 4;
    first.peakMemoryGib = 5;
    first.capacityGib = 6;
    first.gpus = 7;
    first.tokensPerStep = 8;
    first.usdPerBillionTokens = 9;
    first.kwhPerBillionTokens = 10;
    first.mean = {11, 12};
    first.p50 = {13, 14};
    first.p95 = {15, 16};
    first.p99 = {17, 18};
    first.score = {19, 20};
    first.probabilityBest = 0.25;
    first.samples = 21;
    ExploreCandidate second = first;
    second.rank = 3;
    second.pareto = true;
    second.equals.clear();
    Exploration e;
    e.query.objective = *exploreObjective("cost_p99");
    e.query.pareto = *paretoAxes("gpus,energy");
    e.query.confidence = 0.875;
    e.points = 31;
    e.valid = 32;
    e.fitting = 33;
    e.candidates = {first, second};
    e.bestByMean = 34;
    e.bestByP95 = 35;
    e.priceOfMean = {36, 37};
    e.p95OfMean = {38, 39};
    e.rejected = {{"r", 40, 41, "x"}};
    e.cut = true;
    e.seed = 42;
    e.elapsedSeconds = 43;
    e.deterministicSeconds = 44;
    e.notes = {"n"};
    Json expected = Json::parse(R"({"points": 31, "valid": 32, "fitting": 33, "sampled": 2, "objective": "cost_p99",
        "pareto_axes": "gpus,energy", "pareto": [1], "best_by_objective": 0, "best_by_mean": 34, "best_by_p95": 35,
        "price_of_mean": {"value": 36, "ci95": 37}, "p95_of_best_by_mean_over_best_by_p95_s": {"value": 38, "ci95": 39},
        "rejected": [{"reason": "r", "count": 40, "alone": 41, "example": "x"}], "cut": true, "confidence": 0.875, "seed": 42,
        "deterministic_s": 44, "elapsed_s": 43, "notes": ["n"], "objective_unit": "USD per million tokens"})");
    Json candidate = Json::parse(R"({"rank": 2, "parameters": {"parallelism.zero_stage": "3"}, "equals": [{"parallelism.zero_stage": "2"}],
        "noise_free_s": 4, "mean": {"value": 11, "ci95": 12}, "p50": {"value": 13, "ci95": 14}, "p95": {"value": 15, "ci95": 16},
        "p99": {"value": 17, "ci95": 18}, "score": {"value": 19, "ci95": 20}, "memory_gib": 5, "capacity_gib": 6, "fits": true, "gpus": 7,
        "tokens_per_step": 8, "usd_per_billion_tokens": 9, "kwh_per_billion_tokens": 10, "chance_best": 0.25, "pareto": false,
        "samples": 21})");
    expected["candidates"] = {candidate, candidate};
    expected["candidates"][1].update({{"rank", 3}, {"pareto", true}, {"equals", Json::array()}});
    expectSame(toJson(e), expected);
    const std::string csv = toCsv(e, TableText::exact);
    EXPECT_EQ(csv.substr(csv.find('\n') + 1), "2,parallelism.zero_stage=3,4,13,14,15,16,17,18,5,9,0.25,0,ZeRO 2\n"
                                              "3,parallelism.zero_stage=3,4,13,14,15,16,17,18,5,9,0.25,1,\n");
}

TEST(ExploreDocuments, MovesHaveEveryNumberInItsPlace)
{
    Move m;
    m.changes = {"c"};
    m.settings = {{"a.b", "7"}};
    m.p50Gain = {1, 2};
    m.p95Gain = {3, 4};
    m.p99Gain = {5, 6};
    m.memoryChangeGib = 8;
    m.usdPerBillionTokensChange = 9;
    m.gpusChange = 10;
    m.reachesGoal = 11;
    m.shortOfGoalSeconds = 12;
    m.improves = true;
    Moves moves;
    moves.p50 = 21;
    moves.p95 = 22;
    moves.p99 = 23;
    moves.moves = {m};
    moves.tried = 24;
    moves.invalid = 25;
    moves.tooLarge = 26;
    moves.withoutEffect = 27;
    moves.samples = 28;
    moves.seed = 29;
    moves.elapsedSeconds = 30;
    moves.notes = {"n"};
    expectSame(toJson(moves), Json::parse(R"({"p50_s": 21, "p95_s": 22, "p99_s": 23, "tried": 24, "invalid": 25, "does_not_fit": 26,
        "without_effect": 27, "samples": 28, "seed": 29, "elapsed_s": 30, "notes": ["n"], "moves": [{"changes": ["c"],
        "set": {"a.b": "7"}, "p50_gain_s": {"value": 1, "ci95": 2}, "p95_gain_s": {"value": 3, "ci95": 4},
        "p99_gain_s": {"value": 5, "ci95": 6}, "improves": true, "memory_change_gib": 8, "usd_per_billion_tokens_change": 9,
        "gpus_change": 10, "reaches_goal": 11, "short_of_goal_s": 12}]})"));
}

TEST(ExploreDocuments, AnAnswerHasEveryNumberInItsPlace)
{
    QuestionAnswerRow row;
    row.label = "l";
    row.noiseFreeSeconds = 1;
    row.peakMemoryGib = 2;
    row.fits = false;
    row.step.mean = 3;
    row.step.std = 4;
    row.step.cv = 5;
    row.step.p5 = 6;
    row.step.p50 = 7;
    row.step.p95 = 8;
    row.step.p99 = 9;
    row.step.samples = 10;
    row.step.ciMean = 11;
    row.step.ciP50 = 12;
    row.step.ciP95 = 13;
    row.step.ciP99 = 14;
    row.p50Ratio = {15, 16};
    row.p95Ratio = {17, 18};
    QuestionAnswer a;
    a.question = {"name", "title", "question", "published", "source", {}};
    a.rows = {row};
    a.findings = {"f"};
    a.samples = 21;
    a.seed = 22;
    a.elapsedSeconds = 23;
    expectSame(toJson(a), Json::parse(R"({"name": "name", "title": "title", "question": "question", "published": "published",
        "source": "source", "findings": ["f"], "samples": 21, "seed": 22, "elapsed_s": 23, "rows": [{"label": "l", "noise_free_s": 1,
        "step_time_s": {"mean": 3, "std": 4, "cv": 5, "p5": 6, "p50": 7, "p95": 8, "p99": 9, "samples": 10,
        "ci95": {"mean": 11, "p50": 12, "p95": 13, "p99": 14}}, "p50_over_first": {"value": 15, "ci95": 16},
        "p95_over_first": {"value": 17, "ci95": 18}, "memory_gib": 2, "fits": false}]})"));
    EXPECT_TRUE(toCsv(a, TableText::exact).ends_with("\nl,1,7,8,9,5,17,18,2\n")) << toCsv(a, TableText::exact);
}

} // namespace
} // namespace prism
