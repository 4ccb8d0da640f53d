// SPDX-License-Identifier: GPL-3.0-or-later
// The search: axes as texts, the same winner as an exhaustive search, reasons counted, spaces that are refused.
#include "core/explore/explore.h"

#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace prism {
namespace {

SearchSpace spaceOf(std::initializer_list<const char*> axes)
{
    SearchSpace space;
    for (const char* text : axes)
        space.axes.push_back(*searchAxis(text));
    return space;
}

TEST(SearchSpace, AxesAreReadFromText)
{
    EXPECT_EQ(searchAxis("tp=1..8")->values.size(), 4U);
    EXPECT_EQ(searchAxis("tp=1..8")->ids.front(), "parallelism.tensor_model_parallel_size");
    EXPECT_EQ(searchAxis("schedule=1f1b, interleaved")->values[1].front(), "interleaved");
    EXPECT_EQ(searchAxis("micro_batch_size=3")->values.front().front(), "3");
    EXPECT_FALSE(searchAxis("nonsense=1").ok());
    EXPECT_FALSE(searchAxis("tp").ok());
    EXPECT_FALSE(searchAxis("tp=-4,many").ok());
    EXPECT_EQ(searchAxis("tp=-4,many").errors().size(), 2U);
}

TEST(SearchSpace, EveryPointIsMadeOnce)
{
    const SearchSpace space = spaceOf({"tp=1,2", "pp=1,2,4", "zero=1,2"});
    ASSERT_EQ(space.size(), 12);
    const PointMaker maker = *PointMaker::make(space, Scenario{});
    std::vector<std::array<int, 3>> seen;
    for (std::int64_t i = 0; i < space.size(); ++i) {
        const ParallelismConfig p = maker.at(i).parallelism;
        seen.push_back({p.tensorModelParallelSize, p.pipelineModelParallelSize, p.zeroStage});
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
}

TEST(Explore, FindsTheWinnerOfAnExhaustiveSearch)
{
    const Scenario base = *scenarioPreset("llama2-7b-8-a100");
    ExploreQuery query;
    query.space = spaceOf({"tp=1,2,4", "micro_batch_size=1,2", "zero=1,2"});
    query.keep = 1;
    Evaluator evaluator;
    const Result<Exploration> raced = explore(evaluator, base, query);
    ASSERT_TRUE(raced.ok());
    query.keep = 100;
    query.mostSampled = 100;
    const Result<Exploration> all = explore(evaluator, base, query);
    ASSERT_TRUE(all.ok());
    EXPECT_EQ(static_cast<std::int64_t>(all->candidates.size()), all->fitting);
    EXPECT_LE(raced->candidates.size(), all->candidates.size());
    const Estimate &a = raced->candidates.front().score, &b = all->candidates.front().score;
    EXPECT_NEAR(a.value, b.value, a.halfWidth + b.halfWidth);
    double chances = 0;
    for (const ExploreCandidate& c : all->candidates)
        chances += c.chanceBest;
    EXPECT_NEAR(chances, 1, 1e-12);
    EXPECT_TRUE(std::any_of(all->candidates.begin(), all->candidates.end(), [](const ExploreCandidate& c) { return c.pareto; }));
}

TEST(Explore, CountsWhatItLeavesOutByReason)
{
    ExploreQuery query;
    query.space = spaceOf({"tp=1,2,3,5"}); // 3 and 5 do not divide 8 GPUs
    Evaluator evaluator;
    const Result<Exploration> e = explore(evaluator, *scenarioPreset("llama2-7b-8-a100"), query);
    ASSERT_TRUE(e.ok());
    std::int64_t rejected = 0;
    for (const ExploreRejection& r : e->rejected)
        rejected += r.count;
    EXPECT_EQ(rejected + e->fitting, e->points);
    EXPECT_GE(rejected, 2);
    EXPECT_NE(e->rejected.front().example.find("tensor_model_parallel_size = "), std::string::npos);
}

TEST(Explore, RefusesWhatIsTooLargeAndSaysWhichAxisToNarrow)
{
    ExploreQuery query;
    query.space = spaceOf({"tp=1..8", "pp=1..64"});
    query.mostPoints = 10;
    Evaluator evaluator;
    const Result<Exploration> e = explore(evaluator, Scenario{}, query);
    ASSERT_FALSE(e.ok());
    EXPECT_EQ(e.errors().front().path, "parallelism.pipeline_model_parallel_size");
    query.space = {};
    EXPECT_FALSE(explore(evaluator, Scenario{}, query).ok());
}

TEST(Explore, GivesTheSameBitsOnAnyNumberOfThreads)
{
    ExploreQuery query;
    query.space = spaceOf({"tp=1,2", "micro_batch_size=1,2"});
    InsightOptions one, two;
    one.threads = 1;
    two.threads = 2;
    Evaluator a, b;
    const Result<Exploration> x = explore(a, *scenarioPreset("llama2-7b-8-a100"), query, one),
                              y = explore(b, *scenarioPreset("llama2-7b-8-a100"), query, two);
    ASSERT_TRUE(x.ok() && y.ok());
    ASSERT_EQ(x->candidates.size(), y->candidates.size());
    for (std::size_t i = 0; i < x->candidates.size(); ++i)
        EXPECT_EQ(x->candidates[i].p95.value, y->candidates[i].p95.value);
}

} // namespace
} // namespace prism
