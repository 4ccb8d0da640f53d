// SPDX-License-Identifier: GPL-3.0-or-later
// Edges of the checks of a step graph: first and last accepted index, the number of reported errors, and shapes that are not lists.
#include "core/sim/graphs.h"
#include "core/step/stepgraph.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

TEST(StepGraphEdges, SlowPlacesReachFromAllToTheLast)
{
    StepGraph g = test::jobGraph({.stages = 3, .microbatches = 3, .replicas = 2, .groupRanks = 4});
    const auto isValid = [&](SlowSpot spot) {
        g.slow = {spot};
        return !hasErrors(check(g));
    };
    for (const int replica : {-1, 0, 1})
        EXPECT_TRUE(isValid({replica, 0, 0, 2, 1})) << replica;
    for (const int stage : {-1, 0, 2})
        EXPECT_TRUE(isValid({0, stage, 0, 2, 1})) << stage;
    for (const int rank : {-1, 0, 3})
        EXPECT_TRUE(isValid({0, 0, rank, 2, 1})) << rank;
    for (const int beyond : {-2, 4}) {
        EXPECT_FALSE(isValid({beyond, 0, 0, 2, 1})) << beyond;
        EXPECT_FALSE(isValid({0, beyond, 0, 2, 1})) << beyond;
        EXPECT_FALSE(isValid({0, 0, beyond, 2, 1})) << beyond;
    }
    EXPECT_FALSE(isValid({2, 0, 0, 2, 1}));
    EXPECT_FALSE(isValid({0, 3, 0, 2, 1}));
}

TEST(StepGraphEdges, TwoHundredErrorsAreReported)
{
    StepGraph g = test::jobGraph({});
    g.slow.assign(199, {5, 0, 0, 1, 1});
    EXPECT_EQ(check(g).size(), 199U);
    g.slow.assign(200, {5, 0, 0, 1, 1});
    EXPECT_EQ(check(g).size(), 200U);
    g.slow.assign(300, {5, 0, 0, 1, 1});
    EXPECT_EQ(check(g).size(), 200U);
}

TEST(StepGraphEdges, ProgramsOfAChunkAreAListOfThreeAtMost)
{
    const auto path = [](const char* programs) {
        const auto graph = stepGraphFromJson(std::string(R"({"format": "prism-stepgraph", "version": 2, "classes": [{"name": "c"}],
            "programs": [{"blocks": [{"ops": []}]}], "program_of": [[)")
                                             + programs + R"(]], "schedule": {"name": "1f1b"}})");
        return graph.ok() ? std::string() : graph.errors().front().path;
    };
    EXPECT_EQ(path("[0, 0]"), "");
    EXPECT_EQ(path("[0, 0, -1]"), "");
    EXPECT_EQ(path("[0, 0, 0, 0]"), "program_of[0][0]");
    EXPECT_EQ(path("\"x\""), "program_of[0][0]");
    EXPECT_EQ(path("{}"), "program_of[0][0]");
    EXPECT_EQ(path("3"), "program_of[0][0]");
}

} // namespace
} // namespace prism
