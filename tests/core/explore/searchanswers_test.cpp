// SPDX-License-Identifier: GPL-3.0-or-later
// Limits, scores, the race and the ranking of a search on a few configurations, by hand.
#include "core/explore/explore.h"
#include "core/explore/moves.h"
#include "core/explore/proposals.h"
#include "core/explore/race.h"
#include "core/explore/ranking.h"

#include "core/cost/predictor.h"
#include "core/insight/paired.h"
#include "core/scenario/presets.h"
#include "core/step/deterministicstep.h"

#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace prism {
namespace {

const double kReach = 1.959963984540054; ///< 97.5 % point of the standard normal

SearchSpace axesOf(std::initializer_list<const char*> axes)
{
    SearchSpace space;
    for (const char* text : axes)
        space.axes.push_back(*searchAxis(text));
    return space;
}

SearchAxis longAxis(std::size_t values)
{
    return {{"training.micro_batch_size"}, std::vector<std::vector<std::string>>(values, {"1"})};
}

std::vector<std::string> valuesOfAxis(const char* text)
{
    std::vector<std::string> values;
    const SearchAxis axis = *searchAxis(text);
    for (const auto& choice : axis.values)
        values.push_back(choice.front());
    return values;
}

/// Scores by index, one token a step: the score is a million times the seconds.
SampleRow sampleRow(std::int64_t index, int samples, Estimate p95)
{
    SampleRow r;
    r.index = index;
    r.samples = samples;
    r.noiseFreeSeconds = 1;
    r.p95 = p95;
    return r;
}

struct FixedRace {
    RaceResult result;
    std::vector<std::pair<std::int64_t, int>> requested;
};

/// A race of configurations with these noise-free seconds and intervals of p95, which more samples do not change.
FixedRace fixedRace(const std::vector<double>& noiseFree, const std::vector<Estimate>& p95, int keep, double confidence = 0.95)
{
    ExploreQuery query;
    query.space = axesOf({"micro_batch_size=1..8"});
    query.keep = keep;
    query.confidence = confidence;
    const PointMaker maker = *PointMaker::make(query.space, *scenarioPreset("llama2-7b-8-a100"));
    std::vector<QuickPoint> fitting;
    for (std::size_t i = 0; i < noiseFree.size(); ++i)
        fitting.push_back({static_cast<std::int64_t>(i), noiseFree[i], 1, 80, 1e6, false});
    FixedRace out;
    const RowSource rows = [&](std::int64_t index, int samples) {
        out.requested.emplace_back(index, samples);
        return std::optional<SampleRow>(sampleRow(index, samples, p95[static_cast<std::size_t>(index)]));
    };
    out.result = race({query, maker, fitting, rows, {}});
    return out;
}

} // namespace

TEST(SearchLimits, ShardsAreFromOneToAThousand)
{
    for (const char* good : {"1/1", "3/3", "1000/1000", "1/1000"})
        EXPECT_TRUE(searchShard(good).ok()) << good;
    for (const char* bad : {"0/3", "4/3", "1/1001", "1/", "/2", "1/2x", "1x/2", "12", ""})
        EXPECT_FALSE(searchShard(bad).ok()) << bad;
    EXPECT_EQ(searchShard("2/4")->index, 2);
    EXPECT_EQ(searchShard("2/4")->count, 4);
}

TEST(SearchLimits, FrontsHaveTwoOrThreeDimensions)
{
    EXPECT_FALSE(paretoAxes("time").ok());
    EXPECT_FALSE(paretoAxes("time,time").ok());
    EXPECT_FALSE(paretoAxes("time,memory,cost,gpus").ok());
    EXPECT_FALSE(paretoAxes("time,speed").ok());
    EXPECT_EQ(*paretoAxes("energy, gpus"), (std::vector<ParetoAxis>{ParetoAxis::energy, ParetoAxis::gpus}));
    EXPECT_EQ(paretoText(*paretoAxes("time,memory,cost")), "time,memory,cost");
}

TEST(SearchLimits, AQueryIsCheckedAtEachOfItsLimits)
{
    const auto with = [](auto set) {
        ExploreQuery q;
        q.space = axesOf({"tp=1,2"});
        set(q);
        return check(q).size();
    };
    EXPECT_EQ(with([](ExploreQuery&) {}), 0U);
    EXPECT_EQ(with([](ExploreQuery& q) { q.space.axes.assign(100, longAxis(1)); }), 0U);
    EXPECT_EQ(with([](ExploreQuery& q) { q.space.axes.assign(101, longAxis(1)); }), 1U);
    EXPECT_EQ(with([](ExploreQuery& q) { q.space.axes = {longAxis(1'000)}; }), 0U);
    EXPECT_EQ(with([](ExploreQuery& q) { q.space.axes = {longAxis(1'001)}; }), 1U);
    EXPECT_EQ(with([](ExploreQuery& q) { q.space.axes.clear(); }), 1U);
    EXPECT_EQ(with([](ExploreQuery& q) { q.maxPoints = 2; }), 0U);
    EXPECT_EQ(with([](ExploreQuery& q) { q.maxPoints = 1; }), 1U);
    EXPECT_EQ(with([](ExploreQuery& q) { q.maxPoints = q.drawPoints = 1; }), 0U) << "drawn";
    EXPECT_EQ(with([](ExploreQuery& q) { q.drawPoints = -1; }), 1U);
    EXPECT_EQ(with([](ExploreQuery& q) { q.drawPoints = q.maxPoints + 1; }), 1U);
    EXPECT_EQ(with([](ExploreQuery& q) { q.maxSampled = 10'000; }), 0U);
    EXPECT_EQ(with([](ExploreQuery& q) { q.maxSampled = 10'001; }), 1U);
    EXPECT_EQ(with([](ExploreQuery& q) { q.keep = 0; }), 1U);
    EXPECT_EQ(with([](ExploreQuery& q) { q.keep = q.maxSampled = 100; }), 0U);
    EXPECT_EQ(with([](ExploreQuery& q) { q.keep = 101; }), 1U);
    EXPECT_EQ(with([](ExploreQuery& q) { q.maxSampled = q.keep - 1; }), 1U);
    for (const auto& [confidence, errors] : {std::pair{0.5, 0U}, {0.49, 1U}, {0.9999, 0U}, {0.99991, 1U}})
        EXPECT_EQ(with([&, c = confidence](ExploreQuery& q) { q.confidence = c; }), errors) << confidence;
}

TEST(SearchLimits, DrawnPointsAreDistinctAndAscending)
{
    ExploreQuery q;
    q.space.axes = {longAxis(1'000), longAxis(1'000)};
    q.drawPoints = 300;
    const SearchPoints points(q, 3), others(q, 4);
    ASSERT_EQ(points.size(), 300);
    double sum = 0;
    bool differ = false;
    for (std::int64_t i = 0; i < 300; ++i) {
        EXPECT_TRUE(i == 0 || points.at(i) > points.at(i - 1));
        EXPECT_GE(points.at(i), 0);
        EXPECT_LT(points.at(i), 1'000'000);
        sum += static_cast<double>(points.at(i)) / 300;
        differ = differ || points.at(i) != others.at(i);
    }
    EXPECT_NEAR(sum, 500'000, 4 * 1e6 / std::sqrt(12 * 300)) << "from all of the space, not its start";
    EXPECT_TRUE(differ);
    q.space.axes = {longAxis(300)};
    EXPECT_EQ(SearchPoints(q, 1).size(), 300) << "all of them";
    EXPECT_EQ(SearchPoints(q, 1).at(299), 299);
    q.space.axes = {longAxis(301)}; // 600 draws of 301 find most of them, some more than once
    EXPECT_LT(SearchPoints(q, 1).size(), 300);
    EXPECT_NEAR(static_cast<double>(SearchPoints(q, 1).size()), 301 * (1 - std::exp(-600.0 / 301)), 25);
}

TEST(SearchSpace, RangesDoubleAndIndicesCountTheFirstAxisFastest)
{
    using List = std::vector<std::string>;
    EXPECT_EQ(valuesOfAxis("micro_batch_size=1..8"), (List{"1", "2", "4", "8"}));
    EXPECT_EQ(valuesOfAxis("micro_batch_size=3..20"), (List{"3", "6", "12"}));
    EXPECT_EQ(valuesOfAxis("micro_batch_size=5..5"), (List{"5"}));
    EXPECT_FALSE(searchAxis("micro_batch_size=8..4").ok());
    EXPECT_FALSE(searchAxis("micro_batch_size=0..4").ok());
    EXPECT_FALSE(searchAxis("micro_batch_size=1..4x").ok());
    const SearchSpace space = axesOf({"tp=1,2", "pp=1,2,4", "zero=1,2"});
    const PointMaker maker = *PointMaker::make(space, Scenario{});
    const ParallelismConfig p = maker.at(1 + 2 * 2 + 6 * 1).parallelism; // second of tp, third of pp, second of zero
    EXPECT_EQ((std::array{p.tensorModelParallelSize, p.pipelineModelParallelSize, p.zeroStage}), (std::array{2, 4, 2}));
    const auto values = valuesOf(space, 3); // 1 + 2 x 1 + 6 x 0
    EXPECT_EQ(values[0].second + values[1].second + values[2].second, "221");
    SearchSpace huge;
    huge.axes.assign(20, longAxis(1'000));
    EXPECT_EQ(huge.size(), std::int64_t{1} << 62);
    huge.axes.assign(6, longAxis(1'000));
    EXPECT_EQ(huge.size(), 1'000'000'000'000'000'000);
    EXPECT_EQ(SearchSpace{}.size(), 0);
}

TEST(SearchSpace, TheUsualSpaceOfADenseModelAndOfOneWithExperts)
{
    Scenario s = *scenarioPreset("llama2-7b-8-a100"); // 32 layers, 32 heads, 8 GPUs a node, sequences of 4,096
    s.training.globalBatchSize = 6;
    const SearchSpace space = defaultSpace(s);
    ASSERT_EQ(space.axes.size(), 5U);
    EXPECT_EQ(space.axes[0].values.size(), 4U); // TP 1 to 8
    // PP 1; 2, 4, 8, 16, 32 with four schedules each, and interleaved with 2, 4, 8 chunks where the layers suffice: 3, 3, 2, 1, 0.
    EXPECT_EQ(space.axes[1].values.size(), 1U + 5 * 4 + 9);
    EXPECT_EQ(space.axes[2].values.size(), 3U);
    EXPECT_EQ(space.axes[3].values.size(), 3U); // 1, 2, 4
    s.model.seqLength = 16'384;
    s.cluster.numGpus = 4;
    EXPECT_EQ(defaultSpace(s).axes[2].values.size(), 3U) << "CP at most the GPUs";
    s.model.seqLength = 16'383;
    s.model.numExperts = 8;
    s.cluster.numGpus = 64;
    s.model.numLayers = 128;
    const SearchSpace experts = defaultSpace(s);
    EXPECT_EQ(experts.axes[2].ids[0], "parallelism.expert_model_parallel_size");
    EXPECT_EQ(experts.axes[2].values.size(), 4U);
    EXPECT_EQ(experts.axes[1].values.size(), 1U + 6 * 5 + 3 + 3 + 3 + 3 + 2 + 1); // up to PP 64
}

TEST(Objective, ScoresArePerMillionTokens)
{
    Scenario s = *scenarioPreset("llama2-7b-8-a100");
    s.cluster.numGpus = 72;
    s.cluster.gpuHourPriceUsd = 2;
    s.cluster.gpu.boardPowerW = 400;
    s.cluster.gpusPerNode = 8;
    s.job.pue = 1;
    using Per = ExploreObjective::Per;
    // 3 s for 6 million tokens: 0.5 s a million on 72 GPUs, 0.01 GPU hours.
    EXPECT_DOUBLE_EQ(perMillionTokens(Per::time, 3, 6e6, s), 0.5);
    EXPECT_DOUBLE_EQ(perMillionTokens(Per::dollar, 3, 6e6, s), 0.02);
    EXPECT_DOUBLE_EQ(perMillionTokens(Per::energy, 3, 6e6, s), 0.0075); // 400 W and 350 W of the node
    s.job.nodePowerKw = 10;
    EXPECT_DOUBLE_EQ(gpuKilowatts(s), 1.25);
    const QuickPoint point{0, 3, 1, 80, 6e6, false};
    EXPECT_DOUBLE_EQ(minScore(*exploreObjective("p95"), point, s), 0.5);
    EXPECT_DOUBLE_EQ(minScore(*exploreObjective("energy_mean"), point, s), 0.0125);
    EXPECT_EQ(minScore(*exploreObjective("over:3s"), point, s), 0);
    EXPECT_EQ(minScore(*exploreObjective("over:2.999s"), point, s), 0.5);
    s.training.trainTokens = 6e6 * 86'400 / 3 * 10; // ten days
    EXPECT_EQ(minScore(*exploreObjective("deadline:10"), point, s), 0);
    EXPECT_EQ(minScore(*exploreObjective("deadline:9.99"), point, s), 0.5);
    SampleRow row;
    row.mean = {1, 0.1};
    row.p50 = {2, 0.2};
    row.p95 = {3, 0.3};
    row.p99 = {4, 0.4};
    row.probability = {0.25, 0.05};
    for (const auto& [name, seconds] : {std::pair{"mean", 1.0}, {"p50", 2.0}, {"p95", 3.0}, {"p99", 4.0}}) {
        const Estimate e = scoreOf(*exploreObjective(name), row, 2e6, s);
        EXPECT_DOUBLE_EQ(e.value, seconds / 2) << name;
        EXPECT_DOUBLE_EQ(e.halfWidth, seconds / 20) << name;
        EXPECT_EQ(objectiveText(*exploreObjective(name)), name);
        EXPECT_EQ(objectiveText(*exploreObjective(std::string("cost_") + name)), std::string("cost_") + name);
    }
    EXPECT_EQ(scoreOf(*exploreObjective("over:1s"), row, 2e6, s).value, 0.25);
    EXPECT_EQ(exploreObjective("over:900ms")->limit, 0.9);
    EXPECT_EQ(objectiveText(*exploreObjective("tokens_per_s")), "p50");
    EXPECT_EQ(objectiveText(*exploreObjective("tokens_per_usd")), "cost_p50");
    for (const char* bad : {"over:0", "over", "p95:3", "deadline:-1", "p96", ""})
        EXPECT_FALSE(exploreObjective(bad).ok()) << bad;
}

TEST(QuickPass, ReasonsAreAddedByText)
{
    std::vector<ReasonCount> reasons{{"a", 1, 1, 7}, {"c", 2, 0, 3}};
    addReasons(reasons, {{"b", 5, 4, 1}, {"c", 10, 20, 2}, {"a", 1, 0, 9}});
    ASSERT_EQ(reasons.size(), 3U);
    const auto is = [&](std::size_t i, const char* text, std::int64_t count, std::int64_t alone, std::int64_t first) {
        EXPECT_EQ(reasons[i].reason, text);
        EXPECT_EQ((std::array{reasons[i].count, reasons[i].alone, reasons[i].first}), (std::array{count, alone, first}));
    };
    is(0, "a", 2, 1, 7);
    is(1, "b", 5, 4, 1);
    is(2, "c", 12, 20, 2);
}

TEST(QuickPass, ConstraintsCountFromTheirLimits)
{
    const Scenario base = *scenarioPreset("llama2-7b-8-a100");
    ExploreQuery query;
    query.space = axesOf({"tp=1,2,4,8", "micro_batch_size=1"});
    query.listRejected = true;
    const auto reasonsOf = [&] {
        const PointMaker maker = *PointMaker::make(query.space, base);
        QuickCoster coster;
        return quickPart({query, SearchPoints(query, 1), maker}, coster, 0);
    };
    query.constraints.maxGpus = 8;
    const QuickPart all = reasonsOf();
    EXPECT_EQ(all.points, 4);
    for (const ReasonCount& r : all.reasons)
        EXPECT_EQ(r.reason.find("constraint"), std::string::npos);
    query.constraints.maxGpus = 7;
    const QuickPart none = reasonsOf();
    EXPECT_TRUE(none.fitting.empty());
    const auto more = std::find_if(none.reasons.begin(), none.reasons.end(),
                                   [](const ReasonCount& r) { return r.reason == "constraint: more GPUs than allowed"; });
    ASSERT_NE(more, none.reasons.end());
    EXPECT_EQ(more->count, 4);
    EXPECT_EQ(none.rejected.size(), 4U);
    query.constraints.maxGpus = 0;
    EXPECT_EQ(reasonsOf().fitting.size(), all.fitting.size());
    // A margin as large as what is free is left.
    ASSERT_FALSE(all.fitting.empty());
    const QuickPoint& p = all.fitting.front();
    const auto isFitting = [&](double margin) {
        query.constraints.memoryMarginGib = margin;
        const QuickPart part = reasonsOf();
        return std::any_of(part.fitting.begin(), part.fitting.end(), [&](const QuickPoint& q) { return q.index == p.index; });
    };
    EXPECT_TRUE(isFitting(p.capacityGib - p.peakGib - 1e-6));
    EXPECT_FALSE(isFitting(p.capacityGib - p.peakGib + 1e-6));
    EXPECT_NEAR(p.noiseFreeSeconds, costStep(PointMaker::make(query.space, base)->at(p.index))->noiseFreeSeconds, 1e-9);
}

TEST(Race, JoinsUntilTheNextIsWorseThanTheBorder)
{
    // Noise-free 1, 2, 3, 4 s; p95 exactly 3, 5, 6, 7 s: of the best one the border is 3 s, which the third still reaches.
    const FixedRace one = fixedRace({1, 2, 3, 4}, {{3, 0}, {5, 0}, {6, 0}, {7, 0}}, 1);
    EXPECT_EQ(one.result.runners.size(), 3U);
    EXPECT_EQ(fixedRace({1, 2, 3.001, 4}, {{3, 0}, {5, 0}, {6, 0}, {7, 0}}, 1).result.runners.size(), 2U);
    EXPECT_EQ(fixedRace({1, 2, 3, 4.9, 5.1}, {{3, 0}, {5, 0}, {6, 0}, {7, 0}, {8, 0}}, 2).result.runners.size(), 4U)
        << "of the second best 5 s";
    // Only the best is refined, round by round up to 4,096 steps.
    using Requested = std::vector<std::pair<std::int64_t, int>>;
    EXPECT_EQ(one.requested, (Requested{{0, 512}, {1, 512}, {2, 512}, {0, 1'024}, {0, 2'048}, {0, 4'096}}));
    EXPECT_FALSE(one.result.cut);
}

TEST(Race, RefinesWhatReachesTheBorderAtTheConfidence)
{
    // 3 +- 0.5 and 4 +- 0.5 touch at 3.5; at 99.99 % intervals are 3.8906 / 1.96 times as wide, at 90 % 1.6449 / 1.96.
    const auto refined = [](Estimate second, double confidence) {
        const FixedRace r = fixedRace({1, 1.1}, {{3, 0.5}, second}, 1, confidence);
        return std::count_if(r.requested.begin(), r.requested.end(), [](const auto& a) { return a.second > 512; });
    };
    EXPECT_EQ(refined({4, 0.5}, 0.95), 6);
    EXPECT_EQ(refined({4.001, 0.5}, 0.95), 3);
    EXPECT_EQ(refined({4, 0.5}, 0.90), 3);
    const double wide = boost::math::quantile(boost::math::normal(), 0.99995) / kReach;
    EXPECT_EQ(refined({3 + wide - 1e-6, 0.5}, 0.9999), 6);
    EXPECT_EQ(refined({3 + wide + 1e-6, 0.5}, 0.9999), 3);
}

TEST(Race, EqualConfigurationsAreOneRunner)
{
    ExploreQuery query;
    query.space = axesOf({"zero=1,2,3", "micro_batch_size=1"});
    query.keep = 2;
    const PointMaker maker = *PointMaker::make(query.space, *scenarioPreset("llama2-7b-8-a100"));
    const auto runners = [&](auto change) {
        const RowSource rows = [&](std::int64_t index, int samples) {
            SampleRow r = sampleRow(index, samples, {3, 0.1});
            r.mean = r.p50 = r.p99 = {3, 0.1};
            if (index == 2)
                change(r);
            return std::optional<SampleRow>(r);
        };
        const RaceResult r = race({query, maker, {{0, 1, 1, 80, 1e6, false}, {2, 1, 1, 80, 1e6, false}}, rows, {}});
        return r.runners.size();
    };
    EXPECT_EQ(runners([](SampleRow&) {}), 1U);
    EXPECT_EQ(runners([](SampleRow& r) { r.noiseFreeSeconds = 0.9; }), 2U);
    EXPECT_EQ(runners([](SampleRow& r) { r.peakGib = 1; }), 2U);
    EXPECT_EQ(runners([](SampleRow& r) { r.capacityGib = 1; }), 2U);
    for (const auto estimate : {&SampleRow::mean, &SampleRow::p50, &SampleRow::p95, &SampleRow::p99, &SampleRow::probability}) {
        EXPECT_EQ(runners([&](SampleRow& r) { (r.*estimate).value += 1e-9; }), 2U);
        EXPECT_EQ(runners([&](SampleRow& r) { (r.*estimate).halfWidth += 1e-9; }), 2U);
    }
}

TEST(Race, UnfitConfigurationsAreCountedWithTheFirst)
{
    ExploreQuery query;
    query.space = axesOf({"micro_batch_size=1..8"});
    query.keep = 1;
    const PointMaker maker = *PointMaker::make(query.space, *scenarioPreset("llama2-7b-8-a100"));
    const RowSource rows = [](std::int64_t index, int samples) {
        SampleRow r = sampleRow(index, samples, {2, 0});
        r.fits = index == 0;
        r.noiseFreeSeconds = 1.5;
        return std::optional<SampleRow>(r);
    };
    // 3, 1 and 0 are only bounded and below 2 s; 2 is bounded above it.
    const RaceResult r =
        race({query,
              maker,
              {{3, 0.5, 1, 80, 1e6, true}, {1, 0.6, 1, 80, 1e6, true}, {0, 0.7, 1, 80, 1e6, true}, {2, 2.5, 1, 80, 1e6, true}},
              rows,
              {}});
    EXPECT_EQ(r.doesNotFit, 2);
    EXPECT_EQ(r.firstUnfit, 1);
    EXPECT_EQ(r.boundOnly, 1);
    ASSERT_EQ(r.runners.size(), 1U);
    EXPECT_EQ(r.runners[0].point.noiseFreeSeconds, 1.5);
}

TEST(Ranking, OrderFrontProbabilitiesAndPricesOfThreeCandidates)
{
    ExploreQuery query;
    query.space = axesOf({"micro_batch_size=1..8"});
    Scenario base = *scenarioPreset("llama2-7b-8-a100"); // 8 GPUs
    base.cluster.gpuHourPriceUsd = 3;
    base.job.nodePowerKw = 8;
    base.job.pue = 1;
    base.cluster.gpusPerNode = 8;
    const PointMaker maker = *PointMaker::make(query.space, base);
    const auto runner = [&](std::int64_t index, Estimate mean, Estimate p95, double tokens, double gib) {
        Runner r;
        r.point = {index, 1, gib, 80, tokens, false};
        r.row = sampleRow(index, 512, p95);
        r.row.mean = mean;
        r.row.p50 = {mean.value - 0.1, 0};
        r.row.p99 = {p95.value + 1, 0};
        r.row.peakGib = gib;
        r.row.capacityGib = 80;
        r.score = scoreOf(query.objective, r.row, tokens, base);
        return r;
    };
    RaceResult race;
    race.runners = {runner(0, {2.0, 0.3}, {4, 0}, 1e6, 40), runner(1, {2.5, 0.4}, {3, 0}, 1e6, 50), runner(2, {6, 0}, {6, 0}, 2e6, 60)};
    race.runners[0].equals = {3};
    Exploration out;
    out.query = query;
    rank(race, maker, out);
    ASSERT_EQ(out.candidates.size(), 3U);
    const ExploreCandidate &first = out.candidates[0], &second = out.candidates[1], &third = out.candidates[2];
    EXPECT_EQ((std::array{first.index, second.index, third.index}), (std::array<std::int64_t, 3>{1, 2, 0}));
    EXPECT_EQ((std::array{first.rank, second.rank, third.rank}), (std::array{1, 1, 3})); // 3 s per million twice, then 4 s
    EXPECT_DOUBLE_EQ(third.meanScore, 2);
    EXPECT_DOUBLE_EQ(second.meanScore, 3);
    EXPECT_DOUBLE_EQ(second.p95Score, 3);
    // Per billion tokens: 3,000 s at p95 on 8 GPUs are 20 / 3 GPU hours of 3 USD and 1 kW.
    EXPECT_NEAR(first.usdPerBillionTokens, 20, 1e-9);
    EXPECT_NEAR(first.kwhPerBillionTokens, 20.0 / 3, 1e-9);
    EXPECT_EQ(first.gpus, 8);
    EXPECT_EQ(third.equals.size(), 1U);
    EXPECT_EQ(third.p50.value, 1.9);
    EXPECT_EQ(third.p99.value, 5);
    // 2 is as fast and dear as 1 and takes more memory; 0 takes the least.
    EXPECT_TRUE(first.pareto);
    EXPECT_FALSE(second.pareto);
    EXPECT_TRUE(third.pareto);
    // Known scores: the first of the best wins each draw. One draw more is shared by all.
    EXPECT_NEAR(first.probabilityBest, (2'000 + 1.0 / 3) / 2'001, 1e-12);
    EXPECT_NEAR(third.probabilityBest, 1.0 / 3 / 2'001, 1e-12);
    EXPECT_EQ(out.bestByMean, 2U);
    EXPECT_EQ(out.bestByP95, 0U);
    EXPECT_NEAR(out.priceOfMean.value, 1, 1e-12);
    EXPECT_NEAR(out.p95OfMean.value, 1, 1e-12);
    // With a probability as the objective, cost is taken at the mean.
    out = {};
    out.query = query;
    out.query.objective = *exploreObjective("over:1s");
    rank(race, maker, out);
    for (const ExploreCandidate& c : out.candidates)
        EXPECT_TRUE(c.index != 0 || std::abs(c.usdPerBillionTokens - 2'000 / 3'600.0 * 8 * 3) < 1e-9);
    // Two equal intervals win half of the draws each; the best by mean makes half the tokens of the best by p95.
    race.runners = {runner(0, {2.0, 0.3}, {4, 0.5}, 1e6, 40), runner(1, {9, 0}, {8, 0.5}, 2e6, 40)};
    race.runners[1].score = race.runners[0].score;
    out = {};
    out.query = query;
    rank(race, maker, out);
    EXPECT_NEAR(out.candidates[0].probabilityBest, 0.5, 0.05);
    EXPECT_NEAR(out.candidates[0].probabilityBest + out.candidates[1].probabilityBest, 1, 1e-12);
    race.runners[0].row.p95.value = 5; // 5 s per million against 4: the other is the best by p95
    race.runners[0].score = scoreOf(query.objective, race.runners[0].row, 1e6, base);
    race.runners[1].score = {4, 0.25};
    out = {};
    out.query = query;
    rank(race, maker, out);
    EXPECT_EQ(out.candidates[out.bestByP95].index, 1);
    EXPECT_NEAR(out.p95OfMean.value, 5 * 2 - 8, 1e-12); // of twice the tokens
    EXPECT_NEAR(out.p95OfMean.halfWidth, std::hypot(2 * 0.5, 0.5), 1e-12);
    EXPECT_NEAR(out.priceOfMean.value, 1, 1e-12);
    EXPECT_NEAR(out.priceOfMean.halfWidth, std::hypot(0.5, 0.25), 1e-12);
}

TEST(Moves, GoalsAreReadAndReachedByTheNormalProbability)
{
    EXPECT_EQ(moveGoal("p50<=900ms")->probability, 0.5);
    EXPECT_EQ(moveGoal("p50<=900ms")->seconds, 0.9);
    EXPECT_EQ(moveGoal("p99 <= 4.0 s")->probability, 0.99);
    for (const char* bad : {"p90 <= 4 s", "p95 <= 0 s", "p95 = 4", "p95 <= soon"})
        EXPECT_FALSE(moveGoal(bad).ok()) << bad;
    Snapshot known;
    known.across.p50 = 10;
    known.across.p95 = 12;
    known.across.p99 = 15;
    Moves moves;
    moves.moves.resize(1);
    moves.moves[0].p50Gain = {1, kReach};
    moves.moves[0].p95Gain = {2, 2 * kReach};
    moves.moves[0].p99Gain = {3, 4 * kReach};
    const auto at = [&](double p, double seconds) { return onLevelOf(known, moves, MoveGoal{p, seconds}).moves[0]; };
    const auto phi = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
    EXPECT_NEAR(at(0.5, 8).reachesGoal, phi(-1), 1e-12); // 9 s reached, one standard error short
    EXPECT_NEAR(at(0.5, 8).shortOfGoalSeconds, 1, 1e-12);
    EXPECT_NEAR(at(0.95, 12).reachesGoal, phi(1), 1e-12); // 10 s, 2 s to spare
    EXPECT_EQ(at(0.95, 12).shortOfGoalSeconds, 0);
    EXPECT_NEAR(at(0.99, 10).reachesGoal, phi(-0.5), 1e-12); // 12 s
    moves.moves[0].p95Gain = {2, 0};
    EXPECT_NEAR(at(0.95, 10).reachesGoal, 0.5, 1e-9);
    EXPECT_NEAR(at(0.95, 10.001).reachesGoal, 1, 1e-9);
    const Moves level = onLevelOf(known, moves, std::nullopt);
    EXPECT_EQ((std::array{level.p50, level.p95, level.p99, level.moves[0].reachesGoal}), (std::array{10.0, 12.0, 15.0, 0.0}));
}

TEST(Moves, GainsAreTheDifferencesOfTheStepsPerToken)
{
    Scenario s = *scenarioPreset("llama2-7b-8-a100");
    s.variability = {};
    s.cluster.gpuHourPriceUsd = 3;
    s.variability.slow = {{0, -1, 1.5, 1}};
    Evaluator evaluator;
    const auto moves = nextMoves(evaluator, s, {.goal = MoveGoal{0.95, 1.0}, .hardware = true}, {.samples = 10});
    ASSERT_TRUE(moves.ok());
    const CostedStep now = *costStep(s);
    const double before = deterministicStepSeconds(now.graph);
    EXPECT_NEAR(moves->p95, before, 1e-5 * before);
    EXPECT_EQ(moves->samples, 10);
    ASSERT_GT(moves->moves.size(), 5U);
    bool larger = false;
    for (const Move& m : moves->moves) {
        const Scenario changed = *movedScenario(s, m);
        const CostedStep then = *costStep(changed);
        const double after = deterministicStepSeconds(then.graph), gain = before - after * now.tokensPerStep / then.tokensPerStep;
        for (const Estimate& e : {m.p50Gain, m.p95Gain, m.p99Gain})
            EXPECT_NEAR(e.value, gain, 1e-5 * before) << m.changes.front();
        EXPECT_NEAR(m.memoryChangeGib, then.memory.peakGib - now.memory.peakGib, 1e-9);
        EXPECT_EQ(m.gpusChange, static_cast<double>(changed.cluster.numGpus - s.cluster.numGpus));
        const auto usd = [](const Scenario& x, double seconds, double tokens) {
            return seconds / 3'600 * static_cast<double>(x.cluster.numGpus) * x.cluster.gpuHourPriceUsd / tokens * 1e9;
        };
        EXPECT_NEAR(m.usdPerBillionTokensChange, usd(changed, after, then.tokensPerStep) - usd(s, before, now.tokensPerStep),
                    1e-4 * usd(s, before, now.tokensPerStep))
            << m.changes.front();
        EXPECT_EQ(m.improves, m.p95Gain.value > m.p95Gain.halfWidth);
        EXPECT_NEAR(m.shortOfGoalSeconds, std::max(0.0, moves->p95 - m.p95Gain.value - 1.0), 1e-9);
        larger = larger || m.gpusChange > 0;
    }
    EXPECT_TRUE(larger) << "twice the GPUs";
    for (std::size_t i = 1; i < moves->moves.size(); ++i)
        EXPECT_GE(moves->moves[i - 1].p95Gain.value, moves->moves[i].p95Gain.value);
    EXPECT_EQ(static_cast<std::size_t>(moves->tried), proposalsOf(s, true).list.size());
    EXPECT_EQ(moves->tried - moves->tooLarge - moves->withoutEffect - (moves->invalid - proposalsOf(s, true).invalid),
              static_cast<int>(moves->moves.size()));
}

TEST(Proposals, SizesAreHalvedAndDoubledUpToEightTimes)
{
    Scenario s = *scenarioPreset("llama3-70b-256-h100");
    s.parallelism.tensorModelParallelSize = 4;
    s.training.microBatchSize = 1;
    s.variability.slow = {{3, -1, 1.2, 1}, {-1, 17, 1.1, 1}};
    s.variability.gemm = {Family::lognormal, 0.04};
    std::multiset<std::string> settings;
    int swapped = 0, moved = 0;
    for (const Proposal& p : proposalsOf(s, true).list) {
        for (const auto& [id, text] : p.settings)
            settings.insert(id + "=" + text);
        swapped += p.changes.front().ends_with("swapped out") ? 1 : 0;
        moved += p.changes.front().find(" moved to node ") != std::string::npos ? 1 : 0;
    }
    for (const char* there : {"parallelism.tensor_model_parallel_size=2", "parallelism.tensor_model_parallel_size=1",
                              "parallelism.tensor_model_parallel_size=8", "training.micro_batch_size=2", "cluster.num_gpus=512",
                              "cluster.num_gpus=128", "variability.gemm.cv=0.02", "parallelism.zero_stage=3"})
        EXPECT_EQ(settings.count(there), 1U) << there;
    EXPECT_EQ(settings.count("cluster.num_gpus=1024"), 0U) << "once more or less";
    EXPECT_EQ(swapped, 2);
    EXPECT_EQ(moved, std::min(16, s.parallelism.pipelineModelParallelSize)) << "node 3 and the node of rank 17 are not first of a stage";
    EXPECT_FALSE(together(s, {{"a"}, {{"x", "1"}}, {}, {}}, {{"b"}, {{"x", "2"}}, {}, {}}));
}

} // namespace prism
