// SPDX-License-Identifier: GPL-3.0-or-later
// The search: axes as texts, the same winner as an exhaustive search, reasons counted, spaces that are refused.
#include "core/explore/explore.h"

#include "core/explore/earlystop.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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
    query.maxSampled = 100;
    const Result<Exploration> all = explore(evaluator, base, query);
    ASSERT_TRUE(all.ok());
    EXPECT_EQ(static_cast<std::int64_t>(all->candidates.size()), all->fitting);
    EXPECT_LE(raced->candidates.size(), all->candidates.size());
    const Estimate &a = raced->candidates.front().score, &b = all->candidates.front().score;
    EXPECT_NEAR(a.value, b.value, a.halfWidth + b.halfWidth);
    double probabilities = 0;
    for (const ExploreCandidate& c : all->candidates) {
        EXPECT_TRUE(c.probabilityBest > 0 && c.probabilityBest < 1)
            << c.probabilityBest; // what 2,000 draws never saw is rare, not impossible
        probabilities += c.probabilityBest;
    }
    EXPECT_NEAR(probabilities, 1, 1e-12);
    EXPECT_TRUE(std::any_of(all->candidates.begin(), all->candidates.end(), [](const ExploreCandidate& c) { return c.pareto; }));
}

TEST(Explore, NamesConfigurationsThatDifferInNothingTogether)
{
    ExploreQuery query;
    query.space = spaceOf({"tp=1,2", "zero=1,2", "sequence_parallel=true,false"});
    query.keep = 100;
    Evaluator evaluator;
    const Result<Exploration> e = explore(evaluator, *scenarioPreset("llama2-7b-8-a100"), query);
    ASSERT_TRUE(e.ok());
    std::size_t named = 0;
    for (const ExploreCandidate& c : e->candidates) {
        named += 1 + c.equals.size();
        const bool tensorParallel = c.values.front().second != "1"; // without it there is no sequence to divide
        EXPECT_EQ(c.equals.size(), tensorParallel ? 0U : 1U) << shortText(c.values);
        EXPECT_EQ(equalsText(c), tensorParallel ? "" : "SP false");
        const auto better = std::count_if(e->candidates.begin(), e->candidates.end(),
                                          [&](const ExploreCandidate& other) { return other.score.value < c.score.value; });
        EXPECT_EQ(c.rank, 1 + better) << shortText(c.values);
    }
    EXPECT_EQ(static_cast<std::int64_t>(named), e->fitting);
    EXPECT_EQ(e->fitting, 8);
    EXPECT_LT(e->candidates[0].score.value, e->candidates[1].score.value); // ZeRO 2 reduces in every micro-batch
    EXPECT_NE(e->candidates[0].peakMemoryGib, e->candidates[1].peakMemoryGib);
}

TEST(Explore, LeavesOutNoneOfTheBestForItsSamples) // a hundred searches: slow_earlystop.cpp
{
    const test::EarlyStops e = test::earlyStops(3, 4);
    EXPECT_EQ(e.invalid, 0);
    EXPECT_EQ(e.otherWinners, 0);
    EXPECT_LT(e.toTheEnd, e.runs * e.fitting);
}

TEST(Explore, CountsWhatItLeavesOutByReason)
{
    ExploreQuery query;
    query.space = spaceOf({"tp=1,2,3,5"}); // 3 and 5 do not divide 8 GPUs
    Evaluator evaluator;
    const Result<Exploration> e = explore(evaluator, *scenarioPreset("llama2-7b-8-a100"), query);
    ASSERT_TRUE(e.ok());
    std::int64_t alone = 0;
    for (const ExploreRejection& r : e->rejected) {
        EXPECT_LE(r.alone, r.count);
        EXPECT_LE(r.count, e->points - e->fitting);
        alone += r.alone;
    }
    EXPECT_LE(alone, e->points - e->fitting);
    EXPECT_GE(e->points - e->fitting, 2);
    EXPECT_NE(e->rejected.front().example.find("tensor_model_parallel_size = "), std::string::npos);
}

TEST(Explore, RefusesWhatIsTooLargeAndReportsWhichAxisToNarrow)
{
    ExploreQuery query;
    query.space = spaceOf({"tp=1..8", "pp=1..64"});
    query.maxPoints = 10;
    Evaluator evaluator;
    const Result<Exploration> e = explore(evaluator, Scenario{}, query);
    ASSERT_FALSE(e.ok());
    EXPECT_EQ(e.errors().front().path, "parallelism.pipeline_model_parallel_size");
    query.space = {};
    EXPECT_FALSE(explore(evaluator, Scenario{}, query).ok());
}

TEST(Explore, RefusesABillionWithItsCountAndDrawsWhenRequested)
{
    ExploreQuery query;
    query.space = spaceOf({"tp=1,2,4", "micro_batch_size=1,2"});
    std::string sizes = "model.vocab_size=";
    for (int i = 0; i < 1'000; ++i)
        sizes += (i > 0 ? "," : "") + std::to_string(32'000 + 128 * i);
    for (int i = 0; i < 3; ++i)
        query.space.axes.push_back(*searchAxis(sizes));
    ASSERT_EQ(query.space.size(), 6'000'000'000);
    Evaluator evaluator;
    const Scenario base = *scenarioPreset("llama2-7b-8-a100");
    const Result<Exploration> refused = explore(evaluator, base, query);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.errors().front().path, "model.vocab_size");
    EXPECT_NE(refused.errors().front().found.find("6000000000"), std::string::npos);
    query.drawPoints = 40;
    query.keep = 2;
    query.maxSampled = 2;
    const Result<Exploration> drawn = explore(evaluator, base, query);
    ASSERT_TRUE(drawn.ok());
    EXPECT_EQ(drawn->points, 40);
}

TEST(Explore, KeepsToWhatPeopleMeanBesidesTheAxes)
{
    const Scenario base = *scenarioPreset("llama2-7b-8-a100");
    ExploreQuery query;
    query.space = spaceOf({"gpus=8,16,32", "tp=1,2,16"});
    query.constraints.maxGpus = 16;
    query.constraints.tensorInsideNode = true;
    query.listRejected = true;
    Evaluator evaluator;
    const Result<Exploration> e = explore(evaluator, base, query);
    ASSERT_TRUE(e.ok());
    for (const ExploreCandidate& c : e->candidates)
        EXPECT_LE(c.gpus, 16);
    EXPECT_EQ(static_cast<std::int64_t>(e->excluded.size()), e->points - e->fitting);
    const auto both = std::find_if(e->excluded.begin(), e->excluded.end(), [](const ExcludedLayout& l) {
        return l.values.front().second == "32" && l.values.back().second == "16";
    });
    ASSERT_NE(both, e->excluded.end());
    EXPECT_GE(both->reasons.size(), 2U); // too many GPUs, and TP beyond the node
    query.constraints.memoryMarginGib = 1'000;
    const Result<Exploration> none = explore(evaluator, base, query);
    ASSERT_FALSE(none.ok());
    EXPECT_NE(none.errors()[1].message.find("removes"), std::string::npos);
}

TEST(Explore, ObjectivesAreReadAndWritten)
{
    for (const char* text : {"mean", "p50", "p95", "p99", "cost_p95", "energy_mean", "over:4", "deadline:30"})
        EXPECT_EQ(objectiveText(*exploreObjective(text)), text);
    EXPECT_EQ(exploreObjective("over:900ms")->limit, 0.9);
    EXPECT_EQ(objectiveText(*exploreObjective("tokens_per_s")), "p50");
    EXPECT_EQ(objectiveText(*exploreObjective("tokens_per_usd")), "cost_p50");
    for (const char* invalid : {"", "p90", "cost_", "over:", "over:-1s", "deadline:soon", "energy_over:3"})
        EXPECT_FALSE(exploreObjective(invalid).ok()) << invalid;
    for (const char* invalid : {"", "time", "time,time", "time,memory,cost,gpus", "time,beauty"})
        EXPECT_FALSE(paretoAxes(invalid).ok()) << invalid;
    EXPECT_EQ(paretoText(*paretoAxes("gpus, time")), "gpus,time");
}

TEST(Explore, RanksByTheProbabilityToMissALimit)
{
    Scenario base = *scenarioPreset("llama2-7b-8-a100");
    base.training.trainTokens = 1e10;
    ExploreQuery query;
    query.space = spaceOf({"micro_batch_size=1,2", "tp=1,2,4"});
    Evaluator evaluator;
    const Result<Exploration> byTime = explore(evaluator, base, query);
    ASSERT_TRUE(byTime.ok());
    // With the p95 of the best as the limit a twentieth of its predicted steps misses, and more with the error of the mean.
    query.objective = *exploreObjective("over:" + std::to_string(byTime->candidates.front().p95.value));
    const Result<Exploration> byProbability = explore(evaluator, base, query);
    ASSERT_TRUE(byProbability.ok());
    EXPECT_GT(byProbability->candidates.front().score.value, 0.05);
    EXPECT_LT(byProbability->candidates.front().score.value, 0.5);
    EXPECT_EQ(byProbability->candidates.front().values, byTime->candidates.front().values);
    const double days =
        base.training.trainTokens / byTime->candidates.front().tokensPerStep * byTime->candidates.front().mean.value / 86'400;
    query.objective = *exploreObjective("deadline:" + std::to_string(days));
    const Result<Exploration> late = explore(evaluator, base, query);
    ASSERT_TRUE(late.ok());
    EXPECT_GT(late->candidates.front().score.value, 0.1); // the mean itself is kept about every other time
    EXPECT_LT(late->candidates.front().score.value, 0.9);
}

TEST(Explore, NothingBeatsWhatIsOnTheFront)
{
    ExploreQuery query;
    query.space = spaceOf({"gpus=8,16,32", "tp=1,2,4", "micro_batch_size=1,2"});
    query.pareto = *paretoAxes("time,gpus");
    query.keep = 18;
    Evaluator evaluator;
    const Result<Exploration> e = explore(evaluator, *scenarioPreset("llama2-7b-8-a100"), query);
    ASSERT_TRUE(e.ok());
    double fastest = INFINITY;
    for (const ExploreCandidate& c : e->candidates)
        fastest = std::min(fastest, c.p95Score);
    int front = 0;
    for (const ExploreCandidate& c : e->candidates) {
        front += c.pareto ? 1 : 0;
        for (const ExploreCandidate& o : e->candidates)
            EXPECT_FALSE(c.pareto && o.p95Score < c.p95Score && o.gpus <= c.gpus);
        if (c.p95Score == fastest) {
            EXPECT_TRUE(c.pareto);
        }
    }
    EXPECT_GE(front, 1);
    EXPECT_EQ(e->candidates[e->bestByP95].p95Score, fastest);
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
