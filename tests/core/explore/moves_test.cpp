// SPDX-License-Identifier: GPL-3.0-or-later
// Next moves: goals as texts, and scenarios that were made bad in one parameter.
#include "core/explore/moves.h"

#include "core/explore/plantedmoves.h"
#include "core/explore/proposals.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace prism {
namespace {

TEST(Moves, GoalsAreReadFromText)
{
    EXPECT_EQ(moveGoal("p95 <= 4.0 s")->seconds, 4);
    EXPECT_EQ(moveGoal("p50<=900ms")->probability, 0.5);
    EXPECT_NEAR(moveGoal("p50<=900ms")->seconds, 0.9, 1e-12);
    for (const char* invalid : {"", "p95", "p90 <= 4 s", "p95 <= -1 s", "p95 <= soon"})
        EXPECT_FALSE(moveGoal(invalid).ok()) << invalid;
}

TEST(Moves, FindWhatWasPlantedFirst) // all twenty: slow_moves.cpp
{
    ASSERT_EQ(test::plantedMoves().size(), 20U);
    for (const std::size_t i : {5U, 11U, 18U}) // a layout, an overlap, a spread; a slow node is below
        test::expectRepaired(test::plantedMoves()[i]);
}

TEST(Moves, ASlowNodeIsSwappedOut)
{
    Scenario slow = *scenarioPreset("llama2-7b-8-a100");
    slow.variability.slow = {{0, -1, 4.0, 1.0}};
    Evaluator evaluator;
    InsightOptions options;
    options.samples = 500;
    MovesQuery query;
    query.goal = MoveGoal{0.95, 1e9};
    const Result<Moves> moves = nextMoves(evaluator, slow, query, options);
    ASSERT_TRUE(moves.ok());
    EXPECT_EQ(moves->moves.front().changes.front(), "Slow node 0 swapped out");
    EXPECT_NEAR(moves->moves.front().reachesGoal, 1, 1e-9); // any step is below a billion seconds
    EXPECT_EQ(moves->moves.front().shortOfGoalSeconds, 0);
}

TEST(Moves, OnTheKnownLevelGainsStayAndTheGoalIsReadAgain)
{
    const Scenario scenario = *scenarioPreset("llama2-7b-8-a100");
    Evaluator evaluator;
    InsightOptions options;
    options.samples = 300;
    MovesQuery query;
    query.goal = MoveGoal{0.95, 1e-3};
    const Result<Moves> drawn = nextMoves(evaluator, scenario, query, options);
    ASSERT_TRUE(drawn.ok());
    const SnapshotPtr known = evaluator.evaluate(scenario, evaluateOptions(options, 3'000));
    const Moves reported = onLevelOf(*known, *drawn, query.goal);
    EXPECT_EQ(reported.p95, known->across.p95);
    ASSERT_EQ(reported.moves.size(), drawn->moves.size());
    for (std::size_t i = 0; i < reported.moves.size(); ++i) {
        EXPECT_EQ(reported.moves[i].p95Gain.value, drawn->moves[i].p95Gain.value);
        EXPECT_NEAR(reported.moves[i].shortOfGoalSeconds, known->across.p95 - reported.moves[i].p95Gain.value - 1e-3, 1e-9);
    }
    const Moves reached = onLevelOf(*known, *drawn, MoveGoal{0.95, 1e9});
    EXPECT_NEAR(reached.moves.front().reachesGoal, 1, 1e-9);
}

} // namespace
} // namespace prism
