// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a search with hand-made configurations and rows: axes, drawn points, quick pass and race.
#include "core/explore/race.h"

#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace prism {
namespace {

const Scenario& partsBase()
{
    static const Scenario kBase = *scenarioPreset("llama2-7b-8-a100"); // 8 GPUs in one node, global batch 128
    return kBase;
}

SearchSpace partsSpace(std::initializer_list<const char*> axes)
{
    SearchSpace space;
    for (const char* text : axes)
        space.axes.push_back(*searchAxis(text));
    return space;
}

/// An axis of that number of values, all equal.
SearchAxis repeatedAxis(std::size_t values)
{
    return {{"training.micro_batch_size"}, std::vector<std::vector<std::string>>(values, {"1"})};
}

SampleRow partsRow(std::int64_t index, int samples, Estimate p95)
{
    SampleRow r;
    r.index = index;
    r.samples = samples;
    r.noiseFreeSeconds = 1;
    r.p95 = p95;
    return r;
}

std::vector<std::string> firstValues(const SearchAxis& axis)
{
    std::vector<std::string> values;
    for (const auto& choice : axis.values)
        values.push_back(choice.front());
    return values;
}

struct PartsRace {
    RaceResult result;
    std::vector<std::pair<std::int64_t, int>> requested;
    std::vector<double> progress;
};

PartsRace partsRace(const ExploreQuery& query, const std::vector<QuickPoint>& fitting, const std::vector<Estimate>& p95)
{
    const PointMaker maker = *PointMaker::make(query.space, partsBase());
    PartsRace out;
    const RowSource rows = [&](std::int64_t index, int samples) {
        out.requested.emplace_back(index, samples);
        return std::optional<SampleRow>(partsRow(index, samples, p95[static_cast<std::size_t>(index)]));
    };
    out.result = race({query, maker, fitting, rows, [&](double fraction) { out.progress.push_back(fraction); }});
    return out;
}

} // namespace

TEST(SearchAxes, ValuesEndAtTheLimitsOfTheScenario)
{
    using List = std::vector<std::string>;
    Scenario s = partsBase();
    s.cluster.gpusPerNode = 64;
    s.model.numAttentionHeads = 12;
    s.cluster.numGpus = 40;
    s.model.seqLength = 16'384;
    s.training.globalBatchSize = 30;
    SearchSpace space = defaultSpace(s);
    ASSERT_EQ(space.axes.size(), 6U);
    EXPECT_EQ(firstValues(space.axes[0]), (List{"1", "2", "4", "8"})) << "TP at largest the heads";
    EXPECT_EQ(firstValues(space.axes[2]), (List{"1", "2", "4", "8", "16"})) << "CP at largest 16";
    EXPECT_EQ(firstValues(space.axes[4]), (List{"1", "2", "4", "8"})) << "micro-batch at largest 8";
    s.cluster.gpusPerNode = 4;
    EXPECT_EQ(firstValues(defaultSpace(s).axes[0]), (List{"1", "2", "4"})) << "TP at largest the node";
    s.model.seqLength = 16'383;
    s.model.numExperts = 16;
    s.cluster.numGpus = 8;
    space = defaultSpace(s);
    EXPECT_EQ(space.axes[2].ids[0], "parallelism.expert_model_parallel_size");
    EXPECT_EQ(firstValues(space.axes[2]), (List{"1", "2", "4", "8"})) << "EP at largest the GPUs";
    s.model.numExperts = 3;
    EXPECT_EQ(firstValues(defaultSpace(s).axes[2]), (List{"1", "2"})) << "EP at largest the experts";
    const auto dualPipes = [](const Scenario& of) {
        const SearchAxis axis = defaultSpace(of).axes[1];
        return std::count_if(axis.values.begin(), axis.values.end(), [](const auto& v) { return v[1] == "dualpipev" && v[2] == "2"; });
    };
    s.model.numExperts = 1;
    EXPECT_EQ(dualPipes(s), 5) << "PP 2 to 32";
    EXPECT_EQ(firstValues(defaultSpace(s).axes[2]), (List{"1"}));
    s.model.numExperts = 0;
    EXPECT_EQ(dualPipes(s), 0);
    EXPECT_EQ(defaultSpace(s).axes.size(), 5U);
}

TEST(SearchAxes, ProductsEndAtTwoToThe62)
{
    const auto size = [](std::initializer_list<std::size_t> values) {
        SearchSpace space;
        for (const std::size_t n : values)
            space.axes.push_back(repeatedAxis(n));
        return space.size();
    };
    EXPECT_EQ(size({2, 3, 7}), 42);
    EXPECT_EQ(size({3, 0, 7}), 0) << "an axis without values";
    EXPECT_EQ(size({1, 1}), 1);
    const std::int64_t largest = std::int64_t{1} << 62;
    EXPECT_EQ(size({512, 512, 512, 512, 512, 512, 256}), largest) << "2^62 itself";
    EXPECT_EQ(size({512, 512, 512, 512, 512, 512, 255}), largest / 256 * 255);
    EXPECT_EQ(size({512, 512, 512, 512, 512, 512, 255, 3}), largest);
    EXPECT_EQ(size({512, 512, 512, 512, 512, 512, 512}), largest);
}

TEST(SearchAxes, AThousandValuesAreTakenAndOneMoreIsNot)
{
    std::string text = "micro_batch_size=1";
    for (int i = 1; i < 1'000; ++i)
        text += ",1";
    ASSERT_TRUE(searchAxis(text).ok());
    EXPECT_EQ(searchAxis(text)->values.size(), 1'000U);
    const Result<SearchAxis> more = searchAxis(text + ",1");
    ASSERT_FALSE(more.ok());
    EXPECT_EQ(more.errors()[0].found, "1001");
    EXPECT_FALSE(searchAxis("micro_batch_size=..8").ok()) << "a range has both ends";
    EXPECT_FALSE(searchAxis("micro_batch_size=1..").ok());
    SearchSpace space = partsSpace({"tp=1,2", "pp=1,2"});
    space.axes[1].values[1] = {"many"};
    EXPECT_EQ(PointMaker::make(space, partsBase()).errors().size(), 1U);
}

TEST(SearchAxes, TheFirstOfTheLongestIsToBeNarrowed)
{
    ExploreQuery q;
    q.space = partsSpace({"zero=1,2", "tp=1,2,4", "pp=1,2,4"});
    q.maxPoints = 17;
    ASSERT_EQ(check(q).size(), 1U);
    EXPECT_EQ(check(q)[0].path, "parallelism.tensor_model_parallel_size");
    EXPECT_EQ(check(q)[0].found, "18 configurations (2 x 3 x 3)");
    q.maxPoints = 18;
    EXPECT_TRUE(check(q).empty());
    q.keep = 1;
    EXPECT_TRUE(check(q).empty());
}

TEST(SearchAxes, DrawnPointsOfADenseSpaceAreDistinct)
{
    ExploreQuery q;
    q.space.axes = {repeatedAxis(1'000)};
    q.drawPoints = 300; // of 600 draws from 1,000 some 450 differ, and some repeat before there are 300
    const SearchPoints points(q, 3);
    ASSERT_EQ(points.size(), 300);
    std::set<std::int64_t> distinct;
    for (std::int64_t i = 0; i < points.size(); ++i)
        distinct.insert(points.at(i));
    EXPECT_EQ(distinct.size(), 300U);
    EXPECT_GE(*distinct.begin(), 0);
    EXPECT_LE(*distinct.rbegin(), 999);
}

TEST(SearchPower, ThePartOfANodeCountsWithTheFacility)
{
    Scenario s = partsBase();
    s.job.nodePowerKw = 10;
    s.job.pue = 1.25;
    s.cluster.gpusPerNode = 8;
    EXPECT_DOUBLE_EQ(gpuKilowatts(s), 1.5625);
    s.cluster.gpusPerNode = 1;
    EXPECT_DOUBLE_EQ(gpuKilowatts(s), 12.5);
    s.cluster.gpusPerNode = 0;
    EXPECT_DOUBLE_EQ(gpuKilowatts(s), 12.5) << "at least one";
}

TEST(SearchQuickPass, PartsHold256PointsAndTheLastOneTheRest)
{
    ExploreQuery q;
    q.space.axes = {repeatedAxis(600)};
    const PointMaker maker = *PointMaker::make(q.space, partsBase());
    const SearchPoints points(q, 1);
    QuickCoster coster;
    const std::int64_t first[] = {0, 256, 512}, sizes[] = {256, 256, 88};
    for (std::int64_t part = 0; part < 3; ++part) {
        const QuickPart made = quickPart({q, points, maker}, coster, part);
        EXPECT_EQ(made.points, sizes[part]);
        EXPECT_EQ(made.valid, sizes[part]);
        ASSERT_EQ(made.fitting.size(), static_cast<std::size_t>(sizes[part]));
        EXPECT_EQ(made.fitting.front().index, first[part]);
        EXPECT_EQ(made.fitting.back().index, first[part] + sizes[part] - 1);
    }
}

TEST(SearchQuickPass, ReasonsAreCountedAloneWhereThereIsNoOther)
{
    ExploreQuery q;
    q.space = partsSpace({"tp=1,3,16", "gpus=8,16"}); // 3 divides neither; 16 divides 16 GPUs, in two nodes
    q.listRejected = true;
    q.constraints.tensorInsideNode = true;
    const PointMaker maker = *PointMaker::make(q.space, partsBase());
    QuickCoster coster;
    const auto part = [&] { return quickPart({q, SearchPoints(q, 1), maker}, coster, 0); };
    const auto reason = [](const QuickPart& p, const char* text) {
        const auto at = std::find_if(p.reasons.begin(), p.reasons.end(), [&](const ReasonCount& r) { return r.reason == text; });
        return at == p.reasons.end() ? ReasonCount{} : *at;
    };
    QuickPart made = part();
    EXPECT_EQ(made.points, 6);
    EXPECT_EQ(made.valid, 3) << "TP 1 on 8 and 16 GPUs, TP 16 on 16";
    EXPECT_EQ(made.fitting.size(), 2U);
    const ReasonCount outside = reason(made, "constraint: tensor parallelism leaves the node");
    EXPECT_EQ(outside.count, 2) << "also where TP 16 does not divide 8 GPUs";
    EXPECT_EQ(outside.alone, 1);
    EXPECT_EQ(outside.first, 2);
    std::int64_t alone = 0, single = 0;
    for (const ReasonCount& r : made.reasons)
        alone += r.alone;
    for (const RejectedPoint& r : made.rejected)
        single += r.reasons.size() == 1 ? 1 : 0;
    EXPECT_EQ(alone, single);
    q.constraints.tensorInsideNode = false;
    made = part();
    EXPECT_EQ(reason(made, "constraint: tensor parallelism leaves the node").count, 0);
    EXPECT_EQ(made.fitting.size(), 3U);
    q.space = partsSpace({"tp=8", "gpus=8,16"});
    q.constraints.tensorInsideNode = true;
    const PointMaker whole = *PointMaker::make(q.space, partsBase());
    EXPECT_EQ(quickPart({q, SearchPoints(q, 1), whole}, coster, 0).fitting.size(), 2U) << "a whole node is inside";
    q.constraints.maxGpus = 1;
    EXPECT_EQ(reason(quickPart({q, SearchPoints(q, 1), whole}, coster, 0), "constraint: more GPUs than allowed").count, 2);
}

TEST(SearchRace, ReportsHalfForJoiningAndHalfForRounds)
{
    ExploreQuery q;
    q.space = partsSpace({"micro_batch_size=1..8"});
    q.keep = 1;
    q.maxSampled = 10;
    const PartsRace r =
        partsRace(q, {{0, 1, 1, 80, 1e6, false}, {1, 2, 1, 80, 1e6, false}, {2, 9, 1, 80, 1e6, false}}, {{3, 0}, {4, 0}, {10, 0}});
    // Two join, of ten that may: 0.05 and 0.1. Rounds of 1,024, 2,048 and 4,096 steps: 0.5 and 1/8, 1/4, 1/2.
    ASSERT_EQ(r.progress.size(), 5U);
    const double expected[] = {0.05, 0.1, 0.625, 0.75, 1};
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_DOUBLE_EQ(r.progress[i], expected[i]) << i;
}

TEST(SearchRace, TheBorderIsThatOfTheLastThatIsKept)
{
    ExploreQuery q;
    q.space = partsSpace({"micro_batch_size=1..8"});
    q.keep = 20;
    std::vector<QuickPoint> fitting;
    std::vector<Estimate> p95;
    for (std::int64_t i = 0; i < 40; ++i) {
        fitting.push_back({i, 1, 1, 80, 1e6, false});
        p95.push_back({2 + static_cast<double>(i * 17 % 40), 0}); // 2 to 41 s, each once
    }
    const PartsRace r = partsRace(q, fitting, p95);
    EXPECT_EQ(r.result.runners.size(), 40U);
    int refined = 0;
    for (const Runner& runner : r.result.runners) {
        EXPECT_EQ(runner.row.samples, runner.score.value <= 21 ? 4'096 : 512) << runner.score.value;
        refined += runner.row.samples == 4'096 ? 1 : 0;
    }
    EXPECT_EQ(refined, 20);
}

TEST(SearchRace, WhatIsOnlyBoundedAndWorseIsCounted)
{
    ExploreQuery q;
    q.space = partsSpace({"micro_batch_size=1..8"});
    q.keep = 1;
    // 0 joins; 1, 3 and 4 are beyond its 3 s, two of them by a bound; 2 as well.
    const PartsRace r = partsRace(q,
                                  {{0, 1, 1, 80, 1e6, false},
                                   {1, 4, 1, 80, 1e6, true},
                                   {2, 5, 1, 80, 1e6, false},
                                   {3, 6, 1, 80, 1e6, true},
                                   {4, 7, 1, 80, 1e6, true}},
                                  {{3, 0}, {9, 0}, {9, 0}, {9, 0}, {9, 0}});
    EXPECT_EQ(r.result.boundOnly, 3);
    EXPECT_EQ(r.result.runners.size(), 1U);
}

TEST(SearchRace, TheFirstUnfitOneHasTheSmallestIndex)
{
    for (const std::vector<std::int64_t>& order : {std::vector<std::int64_t>{3, 1, 2}, {1, 3, 2}, {2, 3, 1}}) {
        ExploreQuery q;
        q.space = partsSpace({"micro_batch_size=1..8"});
        q.keep = 1;
        const PointMaker maker = *PointMaker::make(q.space, partsBase());
        std::vector<QuickPoint> fitting;
        for (const std::int64_t index : order)
            fitting.push_back({index, 0.1 + 0.1 * static_cast<double>(fitting.size()), 1, 80, 1e6, true});
        const RowSource rows = [](std::int64_t index, int samples) {
            SampleRow r = partsRow(index, samples, {2, 0});
            r.fits = false;
            return std::optional<SampleRow>(r);
        };
        const RaceResult r = race({q, maker, fitting, rows, {}});
        EXPECT_EQ(r.doesNotFit, 3);
        EXPECT_EQ(r.firstUnfit, 1);
    }
}

TEST(SearchRace, ConfigurationsOfAnotherPriceOrSizeAreSeparateRunners)
{
    const auto runners = [](const char* axis, double tokens) {
        ExploreQuery q;
        q.space = partsSpace({axis});
        q.keep = 2;
        return partsRace(q, {{0, 1, 1, 80, 1e6, false}, {1, 1, 1, 80, tokens, false}}, {{3, 0}, {3, 0}}).result.runners.size();
    };
    EXPECT_EQ(runners("zero=1,2", 1e6), 1U);
    EXPECT_EQ(runners("zero=1,2", 2e6), 2U) << "another number of tokens";
    EXPECT_EQ(runners("gpus=8,16", 1e6), 2U);
    EXPECT_EQ(runners("cluster.gpu_hour_price_usd=2,3", 1e6), 2U);
    EXPECT_EQ(runners("job.node_power_kw=5,6", 1e6), 2U);
}

} // namespace prism
