// SPDX-License-Identifier: GPL-3.0-or-later
// The replay by hand: chains, groups that end together, circles.
#include "core/trace/replay.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

TEST(Replay, ChainAddsGapsAndDurations)
{
    ReplayGraph::Builder builder;
    (void)builder.addNodes(3);
    builder.addDependency(1, 0);
    builder.addDependency(2, 1);
    const auto graph = builder.graph();
    ASSERT_TRUE(graph.has_value());
    ReplayTimes times;
    graph->run(std::vector{1.0, 2.0, 3.0}, std::vector{0.5, 0.25, 0.0}, times);
    EXPECT_EQ(times.end, (std::vector{1.5, 3.75, 6.75}));
    EXPECT_EQ(times.seconds(), 6.25); // from the first start at 0.5
}

TEST(Replay, GroupEndsAfterItsLastArrivalPlusEachOwnTransfer)
{
    ReplayGraph::Builder builder; // 0 -> 2, 1 -> 3; 2 and 3 are a group; 4 follows 2
    (void)builder.addNodes(5);
    builder.addDependency(2, 0);
    builder.addDependency(3, 1);
    builder.addDependency(4, 2);
    builder.addGroup({2, 3});
    const auto graph = builder.graph();
    ASSERT_TRUE(graph.has_value());
    ReplayTimes times;
    graph->run(std::vector{1.0, 5.0, 0.25, 0.5, 1.0}, {}, times);
    EXPECT_EQ(times.start[2], 1.0);
    EXPECT_EQ(times.end[2], 5.25);
    EXPECT_EQ(times.end[3], 5.5);
    EXPECT_EQ(times.end[4], 6.25);
}

TEST(Replay, WaitingInACircleIsNoGraph)
{
    ReplayGraph::Builder builder; // the groups {0, 1} and {2, 3} wait for each other
    (void)builder.addNodes(4);
    builder.addGroup({0, 1});
    builder.addGroup({2, 3});
    builder.addDependency(1, 2);
    builder.addDependency(3, 0);
    EXPECT_FALSE(builder.graph().has_value());
}

} // namespace
} // namespace prism
