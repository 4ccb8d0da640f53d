// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks, probabilities and notes of hand-made races, and the numbers of the reports.
#include "core/explore/moves.h"
#include "core/explore/question.h"
#include "core/explore/ranking.h"

#include "core/scenario/presets.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>

namespace prism {
namespace {

/// A runner of one million tokens a step, so that its score by p95 or mean is its seconds.
Runner rankedRunner(std::int64_t index, Estimate mean, Estimate p95, const Estimate& score)
{
    Runner r;
    r.point = {index, 1, 20, 80, 1e6, false};
    r.row = {index, 1'024, true, 1.25 + static_cast<double>(index), 20.5, 80.5, mean, mean, p95, p95, {}};
    r.score = score;
    return r;
}

Exploration rankedOf(const std::vector<Runner>& runners, std::int64_t boundOnly = 0, bool cut = false)
{
    Exploration out;
    out.query.space.axes.push_back(*searchAxis("micro_batch_size=1..8"));
    out.query.maxSampled = 37;
    RaceResult race;
    race.runners = runners;
    race.boundOnly = boundOnly;
    race.cut = cut;
    rank(race, *PointMaker::make(out.query.space, *scenarioPreset("llama2-7b-8-a100")), out);
    return out;
}

double standardNormal(double z)
{
    return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

TEST(RankedReports, EqualScoresShareTheRankOfTheFirst)
{
    const auto at = [](std::int64_t index, double score) { return rankedRunner(index, {score, 0}, {score, 0}, {score, 0}); };
    const Exploration e = rankedOf({at(0, 4), at(1, 3), at(2, 4), at(3, 5)});
    ASSERT_EQ(e.candidates.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(e.candidates[i].rank, (std::array{1, 2, 2, 4})[i]) << i;
    const ExploreCandidate& last = e.candidates[3];
    EXPECT_EQ(last.index, 3);
    EXPECT_EQ((std::array{last.noiseFreeSeconds, last.peakMemoryGib, last.capacityGib}), (std::array{4.25, 20.5, 80.5}));
    EXPECT_EQ(last.samples, 1'024);
    const Exploration equal = rankedOf({at(0, 3), at(1, 3), at(2, 3)});
    for (const ExploreCandidate& c : equal.candidates)
        EXPECT_EQ(c.rank, 1);
}

TEST(RankedReports, TheProbabilityOfTheBestIsThatOfTheNormalDifference)
{
    // Standard errors 0.6 and 0.8: the difference of 1 has one of 1. Of 2,000 draws the share is within four standard errors, 0.033.
    const double reach = 1.959963984540054;
    const Exploration e = rankedOf({rankedRunner(0, {3, 0}, {3, 0}, {3, 0.6 * reach}), rankedRunner(1, {4, 0}, {4, 0}, {4, 0.8 * reach})});
    EXPECT_NEAR(e.candidates[0].probabilityBest, standardNormal(1), 0.033);
    // Half a standard error of 0.1: 0.69; intervals 1.96 times as wide or narrow would give 0.60 or 0.83.
    const Exploration near =
        rankedOf({rankedRunner(0, {9, 0}, {9, 0}, {9, 0.06 * reach}), rankedRunner(1, {9, 0}, {9, 0}, {9.05, 0.08 * reach})});
    EXPECT_NEAR(near.candidates[0].probabilityBest, standardNormal(0.5), 0.042);
    const Exploration one = rankedOf({rankedRunner(2, {3, 0.1}, {3, 0.1}, {3, 0.1})});
    EXPECT_DOUBLE_EQ(one.candidates[0].probabilityBest, 1);
    EXPECT_EQ(one.candidates[0].rank, 1);
}

TEST(RankedReports, ThePriceOfTheMeanHasNoIntervalAgainstItself)
{
    // 0 is the best by mean and by score, 1 by p95.
    const Exploration e = rankedOf({rankedRunner(0, {2, 0.3}, {6, 0.4}, {2, 0.3}), rankedRunner(1, {3, 0.2}, {5, 0.5}, {3, 0.2})});
    EXPECT_EQ(e.bestByMean, 0U);
    EXPECT_EQ(e.bestByP95, 1U);
    EXPECT_EQ(e.priceOfMean.value, 0);
    EXPECT_EQ(e.priceOfMean.halfWidth, 0);
    EXPECT_DOUBLE_EQ(e.p95OfMean.value, 1);
    EXPECT_DOUBLE_EQ(e.p95OfMean.halfWidth, std::hypot(0.4, 0.5));
    // 1 is the best by mean and by p95, 0 by score.
    const Exploration other = rankedOf({rankedRunner(0, {4, 0.3}, {6, 0.4}, {2, 0.6}), rankedRunner(1, {3, 0.2}, {5, 0.5}, {3.5, 0.8})});
    EXPECT_EQ(other.bestByMean, 1U);
    EXPECT_EQ(other.bestByP95, 1U);
    EXPECT_DOUBLE_EQ(other.priceOfMean.value, 1.5);
    EXPECT_DOUBLE_EQ(other.priceOfMean.halfWidth, 1);
    EXPECT_EQ(other.p95OfMean.value, 0);
    EXPECT_EQ(other.p95OfMean.halfWidth, 0);
}

TEST(RankedReports, NotesCountWhatWasExcluded)
{
    const std::vector<Runner> one = {rankedRunner(0, {3, 0}, {3, 0}, {3, 0})};
    EXPECT_TRUE(rankedOf(one).notes.empty());
    ASSERT_EQ(rankedOf(one, 1).notes.size(), 1U);
    EXPECT_TRUE(rankedOf(one, 1).notes[0].starts_with("1 configurations"));
    ASSERT_EQ(rankedOf(one, 2, true).notes.size(), 2U);
    EXPECT_TRUE(rankedOf(one, 2, true).notes[0].starts_with("The search stopped at 37 sampled configurations"));
    EXPECT_TRUE(rankedOf(one, 2, true).cut);
}

TEST(RankedReports, AnExplorationAsJsonAndCsvHasItsNumbers)
{
    Exploration e = rankedOf({rankedRunner(0, {2.5, 0.3}, {6.5, 0.4}, {2.5, 0.3}), rankedRunner(3, {3.5, 0.2}, {5.5, 0.5}, {3, 0.2})});
    e.query.listRejected = true;
    e.excluded = {{{{"a.b", "7"}}, {"memory", "nodes"}}};
    e.rejected = {{"memory", 5, 3, "a.b = 7"}};
    e.points = 11;
    const nlohmann::json j = nlohmann::json::parse(toJson(e));
    EXPECT_EQ(j["candidates"][1]["parameters"]["training.micro_batch_size"], "8");
    EXPECT_EQ(j["candidates"][1]["rank"], 2);
    EXPECT_EQ(j["candidates"][1]["noise_free_s"], 4.25);
    EXPECT_EQ(j["candidates"][1]["p95"]["ci95"], 0.5);
    EXPECT_EQ(j["best_by_p95"], 1);
    EXPECT_EQ(j["points"], 11);
    EXPECT_EQ(j["left_out"][0]["parameters"]["a.b"], "7");
    EXPECT_EQ(j["left_out"][0]["reasons"].size(), 2U);
    EXPECT_EQ(j["rejected"][0]["alone"], 3);
    e.query.listRejected = false;
    EXPECT_FALSE(nlohmann::json::parse(toJson(e)).contains("left_out"));
    EXPECT_NE(toCsv(e).find("\n2,training.micro_batch_size=8,4.25,3.5,0.2,5.5,0.5,5.5,0.5,20.5,"), std::string::npos) << toCsv(e);
}

TEST(RankedReports, MovesAsJsonAndCsvHaveTheirNumbers)
{
    Moves moves;
    moves.p50 = 4.5, moves.p95 = 5.5, moves.p99 = 6.5;
    moves.tried = 9, moves.invalid = 2, moves.tooLarge = 3, moves.withoutEffect = 4;
    Move m;
    m.changes = {"one", "two"};
    m.settings = {{"a.b", "7"}};
    m.slow = {{{0, -1, 1.5, 1.25}, {-1, 17, 1.75, 2.25}}};
    m.p50Gain = {0.5, 0.1}, m.p95Gain = {0.6, 0.2}, m.p99Gain = {0.7, 0.3};
    m.memoryChangeGib = -1.5, m.usdPerBillionTokensChange = -2.5, m.gpusChange = 8, m.reachesGoal = 0.25, m.shortOfGoalSeconds = 0.125;
    moves.moves = {m};
    const nlohmann::json j = nlohmann::json::parse(toJson(moves)), move = j["moves"][0];
    EXPECT_EQ(move["set"]["a.b"], "7");
    EXPECT_EQ(move["slow"][0], (nlohmann::json{{"node", 0}, {"compute_factor", 1.5}, {"link_factor", 1.25}}));
    EXPECT_EQ(move["slow"][1], (nlohmann::json{{"rank", 17}, {"compute_factor", 1.75}, {"link_factor", 2.25}}));
    EXPECT_EQ(move["p95_gain_s"]["value"], 0.6);
    EXPECT_EQ(move["short_of_goal_s"], 0.125);
    EXPECT_EQ(j["p99_s"], 6.5);
    EXPECT_EQ(j["without_effect"], 4);
    EXPECT_TRUE(toCsv(moves).ends_with("\"one; two\",0.5,0.1,0.6,0.2,-1.5,-2.5,0.25\n")) << toCsv(moves);
}

TEST(RankedReports, AGoalBetweenThePercentilesIsThatOfP95)
{
    Snapshot known;
    known.across.p50 = 1'500, known.across.p95 = 1'700, known.across.p99 = 1'900;
    Moves moves;
    moves.moves.resize(1);
    moves.moves[0].p50Gain = {400, 1}, moves.moves[0].p95Gain = {500, 1}, moves.moves[0].p99Gain = {600, 1};
    const auto shortOf = [&](double p) { return onLevelOf(known, moves, MoveGoal{p, 1'000}).moves[0].shortOfGoalSeconds; };
    EXPECT_DOUBLE_EQ(shortOf(0.5), 100);
    EXPECT_DOUBLE_EQ(shortOf(0.89), 100);
    for (const double p : {0.9, 0.93, 0.95, 0.97})
        EXPECT_DOUBLE_EQ(shortOf(p), 200) << p;
    EXPECT_DOUBLE_EQ(shortOf(0.98), 300);
    EXPECT_DOUBLE_EQ(shortOf(0.99), 300);
    // Gains that are known exactly: the standard error is 1e-12 of the goal, here 1e-9 s, by which it is missed or kept.
    moves.moves[0].p95Gain = {700, 0};
    EXPECT_NEAR(onLevelOf(known, moves, MoveGoal{0.95, 1'000 + 1e-9}).moves[0].reachesGoal, standardNormal(1), 1e-3);
    EXPECT_NEAR(onLevelOf(known, moves, MoveGoal{0.95, 1'000 - 1e-9}).moves[0].reachesGoal, standardNormal(-1), 1e-3);
    EXPECT_EQ(moveGoal("p95 <= 4 s")->probability, 0.95);
    EXPECT_EQ(moveGoal("p99<=1e-3s")->seconds, 1e-3);
}

TEST(RankedReports, AStudyHasAQuestionAndTwoRows)
{
    const auto errors = [](const char* question, int rows) {
        std::string text = std::string(R"({"question": ")") + question + R"(", "scenario": "llama2-7b-8-a100", "rows": [)";
        for (int i = 0; i < rows; ++i)
            text += std::string(i > 0 ? "," : "") + R"({"label": "a"})";
        return questionFromJson(text + "]}", "t").errors().size();
    };
    EXPECT_EQ(errors("q?", 3), 0U);
    EXPECT_EQ(errors("q?", 2), 0U);
    EXPECT_EQ(errors("q?", 1), 1U);
    EXPECT_EQ(errors("", 2), 1U);
    const Result<Question> scaled = questionFromJson(R"({"question": "q?", "scenario": "llama2-7b-8-a100", "rows": [{"label": "a"},
        {"label": "b", "scale": {"training.global_batch_size": 1.5, "cluster.inter_node_gb_per_s": 0.5}, "slow": [{"node": 0}]}]})",
                                                     "t");
    ASSERT_TRUE(scaled.ok());
    const Scenario &first = scaled->rows[0].scenario, &second = scaled->rows[1].scenario;
    EXPECT_EQ(second.training.globalBatchSize, 192);
    EXPECT_DOUBLE_EQ(second.cluster.interNodeGbPerS, 0.5 * first.cluster.interNodeGbPerS);
    EXPECT_EQ(second.variability.slow, (std::vector<SlowEntry>{{0, -1, 1, 1}}));
}

} // namespace
} // namespace prism
