// SPDX-License-Identifier: GPL-3.0-or-later
// Whole searches, moves and studies whose parts are known beforehand, or whose steps vary by the jitter of the hosts alone.
#include "core/explore/explore.h"
#include "core/explore/moves.h"
#include "core/explore/proposals.h"
#include "core/explore/question.h"
#include "core/explore/sampler.h"

#include "core/insight/guarantee/guarantee.h"
#include "core/insight/paired.h"
#include "core/job/jobsection.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace prism {
namespace {

/// 8 GPUs in one node; steps vary by a jitter of 20 ms alone, so that no pass is drawn.
Scenario quietJob()
{
    Scenario s = *scenarioPreset("llama2-7b-8-a100");
    s.variability = {};
    s.variability.stepJitterS = 0.02;
    return s;
}

ExploreQuery runQuery(std::size_t points)
{
    ExploreQuery q;
    q.space.axes.push_back({{"training.micro_batch_size"}, std::vector<std::vector<std::string>>(points, {"1"})});
    q.keep = 1;
    q.maxSampled = 10;
    return q;
}

SampleRow knownRow(std::int64_t index, int samples, double p95)
{
    SampleRow r;
    r.index = index;
    r.samples = samples;
    r.noiseFreeSeconds = 2;
    r.peakGib = 20;
    r.capacityGib = 80;
    r.mean = r.p50 = r.p95 = r.p99 = {p95, 0};
    return r;
}

/// 300 points in two parts: 5 fits and is the best, 7 and 290 fit by their bound only, all others have reasons.
ExploreRecords knownRecords()
{
    ExploreRecords known;
    QuickPart &first = known.parts[0], &second = known.parts[1];
    first.points = 256;
    first.valid = 200;
    first.fitting = {{5, 2, 20, 80, 1e6, false}, {7, 1, 20, 80, 1e6, true}};
    for (int i = 0; i < 35; ++i)
        first.reasons.push_back({std::string("a") + char('A' + i), 100 + i, i, 10 + i});
    first.rejected.assign(9'990, {12, {"aA"}});
    second.points = 44;
    second.valid = 30;
    second.fitting = {{290, 1.5, 20, 80, 1e6, true}};
    for (int i = 0; i < 10; ++i)
        second.reasons.push_back({std::string("b") + char('A' + i), 1, 1, 260});
    second.rejected.assign(20, {257, {"bA"}});
    for (const int samples : {512, 1'024, 2'048, 4'096})
        known.rows[{5, samples}] = knownRow(5, samples, 3);
    for (const std::int64_t index : {7, 290}) {
        known.rows[{index, 0}] = knownRow(index, 0, 0);
        known.rows[{index, 0}].fits = false;
    }
    return known;
}

struct KnownRun {
    Result<Exploration> exploration;
    std::string text;
    int writes = 0;
    std::vector<double> progress;
};

KnownRun knownRun(const ExploreQuery& query, const ExploreRecords& known, std::uint64_t seed = 5)
{
    Evaluator evaluator;
    std::string text;
    int writes = 0;
    std::vector<double> progress;
    InsightOptions options;
    options.seed = seed;
    options.progress = [&](double fraction, std::string_view) { progress.push_back(fraction); };
    Result<Exploration> e = explore(evaluator, quietJob(), query, options, {known, [&](const std::string& t) {
                                                                                text = t;
                                                                                ++writes;
                                                                            }});
    return {std::move(e), text, writes, progress};
}

TEST(SearchRuns, PartsAddUpAndUnfitBoundsAreTakenOff)
{
    ExploreQuery q = runQuery(300);
    q.listRejected = true;
    const KnownRun run = knownRun(q, knownRecords());
    ASSERT_TRUE(run.exploration.ok());
    const Exploration& e = *run.exploration;
    EXPECT_EQ(e.points, 300);
    EXPECT_EQ(e.valid, 230);
    EXPECT_EQ(e.fitting, 1) << "three, of which two do not fit when they are costed";
    EXPECT_EQ(e.seed, 5U);
    EXPECT_GT(e.deterministicSeconds, 0);
    EXPECT_GE(e.elapsedSeconds, e.deterministicSeconds);
    ASSERT_EQ(e.candidates.size(), 1U);
    EXPECT_EQ(e.candidates[0].index, 5);
    EXPECT_EQ(e.candidates[0].samples, 4'096);
    EXPECT_EQ(e.excluded.size(), 10'000U) << "of 10,010";
    // 46 reasons, of which the 40 largest are kept: 35 of the first part, then those of one configuration and the two without memory.
    ASSERT_EQ(e.rejected.size(), 40U);
    EXPECT_EQ(e.rejected[0].count, 134);
    EXPECT_EQ(e.rejected[0].alone, 34);
    EXPECT_EQ(e.rejected[34].count, 100);
    EXPECT_EQ(e.rejected[35].reason, kDoesNotFit);
    EXPECT_EQ(e.rejected[35].count, 2);
    EXPECT_EQ(e.rejected[35].alone, 2);
    EXPECT_EQ(e.rejected[39].count, 1);
    // The quick pass is a fifth; one of ten joins: 0.2 + 0.8 x 0.05; rounds: 0.2 + 0.8 (0.5 + 1/8, 1/4, 1/2).
    const double expected[] = {0.2, 0.24, 0.7, 0.8, 1};
    ASSERT_EQ(run.progress.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_NEAR(run.progress[i], expected[i], 1e-12) << i;
}

TEST(SearchRuns, PartsAreTakenInSetsOf64)
{
    ExploreQuery q = runQuery(300);
    q.space.axes.push_back({{"parallelism.zero_stage"}, std::vector<std::vector<std::string>>(60, {"1"})}); // 18,000 points in 71 parts
    ExploreRecords known;
    std::int64_t points = 0, valid = 0;
    for (std::int64_t part = 0; part < 71; ++part) {
        known.parts[part].points = 200 + part;
        known.parts[part].valid = 3 * part;
        points += 200 + part;
        valid += 3 * part;
    }
    known.parts[70].fitting = {{17'990, 2, 20, 80, 1e6, false}};
    for (const int samples : {512, 1'024, 2'048, 4'096})
        known.rows[{17'990, samples}] = knownRow(17'990, samples, 3);
    const KnownRun run = knownRun(q, known);
    ASSERT_TRUE(run.exploration.ok());
    EXPECT_EQ(run.exploration->points, points);
    EXPECT_EQ(run.exploration->valid, valid);
    EXPECT_EQ(run.exploration->fitting, 1);
    EXPECT_EQ(run.exploration->candidates.at(0).index, 17'990);
    ASSERT_GT(run.progress.size(), 2U);
    EXPECT_NEAR(run.progress[0], 0.2 * 64 / 71, 1e-12);
    EXPECT_NEAR(run.progress[1], 0.2, 1e-12);
}

TEST(SearchRuns, FortyReasonsAreAllNamed)
{
    ExploreRecords known = knownRecords();
    known.parts[1].reasons.resize(5);
    EXPECT_EQ(knownRun(runQuery(300), known).exploration->rejected.size(), 40U) << "one is too many";
    known.parts[1].reasons.resize(4);
    EXPECT_EQ(knownRun(runQuery(300), known).exploration->rejected.size(), 40U) << "35, 4 and the memory";
    known.parts[1].reasons.resize(3);
    EXPECT_EQ(knownRun(runQuery(300), known).exploration->rejected.size(), 39U);
}

TEST(SearchRuns, WhatIsWrittenIsReadBackAndContinues)
{
    const KnownRun run = knownRun(runQuery(300), knownRecords());
    EXPECT_LE(run.writes, 2) << "at the end; in between only every few seconds";
    EXPECT_GE(run.writes, 1);
    const Result<ExploreRecords> read = recordsFromText(run.text, "r");
    ASSERT_TRUE(read.ok());
    EXPECT_TRUE(read->complete);
    EXPECT_EQ(read->parts.size(), 2U);
    EXPECT_EQ(read->rows.size(), 6U);
    Evaluator evaluator;
    std::string text;
    const Result<Exploration> merged = mergedExploration(evaluator, {*read}, {}, [&](const std::string& t) { text = t; });
    ASSERT_TRUE(merged.ok());
    EXPECT_EQ(merged->seed, 5U) << "that of the records";
    EXPECT_EQ(text, run.text);
}

TEST(SearchRuns, AShardLooksAtEveryNthPart)
{
    ExploreQuery q = runQuery(300);
    q.shard = {2, 2};
    const KnownRun second = knownRun(q, knownRecords());
    ASSERT_TRUE(second.exploration.ok()) << "without a candidate";
    EXPECT_EQ(second.exploration->points, 44);
    EXPECT_EQ(second.exploration->valid, 30);
    EXPECT_EQ(second.exploration->fitting, 0);
    EXPECT_TRUE(recordsFromText(second.text, "r")->complete);
    q.shard = {1, 2};
    EXPECT_EQ(knownRun(q, knownRecords()).exploration->points, 256);
    ExploreRecords nothing = knownRecords();
    for (auto& [number, part] : nothing.parts)
        part.fitting.clear();
    q.shard = {1, 2};
    const KnownRun empty = knownRun(q, nothing);
    EXPECT_TRUE(empty.exploration.ok());
    EXPECT_TRUE(recordsFromText(empty.text, "r")->complete) << "a shard without anything ends as well";
    const KnownRun whole = knownRun(runQuery(300), nothing);
    ASSERT_FALSE(whole.exploration.ok());
    EXPECT_EQ(whole.exploration.errors()[0].found, "300 configurations");
    EXPECT_EQ(whole.exploration.errors()[1].message, "removes 134 configurations, 34 of them alone: ac");
    EXPECT_FALSE(recordsFromText(whole.text, "r")->complete);
    ExploreRecords unfit = knownRecords();
    unfit.parts[0].fitting.erase(unfit.parts[0].fitting.begin());
    EXPECT_FALSE(knownRun(runQuery(300), unfit).exploration.ok()) << "two that fit by their bound alone";
}

TEST(SearchRuns, OneConfigurationAloneIsRanked)
{
    ExploreRecords known;
    known.parts[0].points = known.parts[0].valid = 1;
    known.parts[0].fitting = {{0, 2, 20, 80, 1e6, false}};
    for (const int samples : {512, 1'024, 2'048, 4'096})
        known.rows[{0, samples}] = knownRow(0, samples, 3);
    const KnownRun run = knownRun(runQuery(1), known);
    ASSERT_TRUE(run.exploration.ok());
    EXPECT_EQ(run.exploration->fitting, 1);
    EXPECT_TRUE(run.exploration->rejected.empty());
    ExploreQuery q = runQuery(1);
    q.objective = *exploreObjective("deadline:1");
    EXPECT_EQ(knownRun(q, known).exploration.errors().at(0).path, "training.train_tokens");
    Scenario trained = quietJob();
    trained.training.trainTokens = 0.5;
    Evaluator evaluator;
    EXPECT_TRUE(explore(evaluator, trained, q, {}, {known, {}}).ok()) << "half a token is a number of tokens";
}

TEST(SearchRuns, ASampledRowHasTheNumbersOfItsSteps)
{
    Scenario base = quietJob();
    base.cluster.gpu.memoryGib = 200;
    ExploreQuery q;
    q.space.axes.push_back(*searchAxis("micro_batch_size=1,2,3"));
    const PointMaker maker = *PointMaker::make(q.space, base);
    Evaluator evaluator;
    InsightOptions options;
    options.samples = 40;
    CostedPoints costed(maker);
    const auto row = [&](std::int64_t index, int samples) { return sampledRow({evaluator, maker, q, options, costed}, index, samples); };
    const CostedStep second = *costStep(maker.at(1));
    const SampleRow exact = *row(1, 0);
    EXPECT_EQ(exact.index, 1);
    EXPECT_EQ(exact.samples, 0);
    EXPECT_EQ(exact.noiseFreeSeconds, second.noiseFreeSeconds);
    EXPECT_EQ(exact.peakGib, second.memory.peakGib);
    EXPECT_EQ(exact.capacityGib, second.memory.capacityGib);
    EXPECT_EQ(exact.p95.value, 0) << "not sampled";
    EXPECT_TRUE(exact.fits);
    EXPECT_GT(row(1, 1)->p95.value, 0) << "one step is a sample";
    const auto steps = evaluator.samples(second.graph, pairedSampling(options, 100));
    const DistributionSummary s = summarize(steps->acrossSeconds, steps.get());
    const double limit = 0.5 * (s.p50 + s.p75);
    q.objective = *exploreObjective("over:1");
    q.objective.limit = limit;
    const SampleRow sampled = *row(1, 100);
    EXPECT_EQ(sampled.samples, 100);
    const std::pair<Estimate, Estimate> numbers[] = {{sampled.mean, {s.mean, s.ciMean}},
                                                     {sampled.p50, {s.p50, s.ciP50}},
                                                     {sampled.p95, {s.p95, s.ciP95}},
                                                     {sampled.p99, {s.p99, s.ciP99}}};
    for (const auto& [found, expected] : numbers) {
        EXPECT_EQ(found.value, expected.value);
        EXPECT_EQ(found.halfWidth, expected.halfWidth);
    }
    options.samples = 100;
    const ExceedanceOverSystems promised =
        guarantee(evaluator, maker.at(1), {.limitsSeconds = {limit}}, options)->exceedances[0].overSystems;
    EXPECT_EQ(sampled.probability.value, promised.probability.value) << "the same question, the same number";
    EXPECT_EQ(sampled.probability.halfWidth, promised.probability.halfWidth);
    EXPECT_GT(sampled.probability.value, 0.25);
    const double room = exact.capacityGib - exact.peakGib;
    q.constraints.memoryMarginGib = room * (1 - 1e-9);
    EXPECT_TRUE(row(1, 0)->fits);
    q.constraints.memoryMarginGib = room * (1 + 1e-9);
    EXPECT_FALSE(row(1, 0)->fits);
    EXPECT_FALSE(row(2, 0).has_value()) << "3 does not divide 16 sequences of a replica";
}

TEST(SearchRuns, LatenessIsWhatTheDeadlineLeavesOfOne)
{
    Scenario base = quietJob();
    base.training.trainTokens = 5e9;
    ExploreQuery q;
    q.space.axes.push_back(*searchAxis("micro_batch_size=1"));
    const PointMaker maker = *PointMaker::make(q.space, base);
    Evaluator evaluator;
    InsightOptions options;
    options.samples = 40;
    CostedPoints costed(maker);
    const CostedStep step = *costStep(base);
    q.objective = *exploreObjective("deadline:1");
    q.objective.limit = base.training.trainTokens / step.tokensPerStep * step.noiseFreeSeconds / 86'400 * 1.1;
    InsightOptions ofRow = options;
    ofRow.samples = 64;
    const Result<JobReport> job = jobOf(evaluator, base, {.deadlineDays = q.objective.limit}, ofRow);
    ASSERT_TRUE(job.ok());
    const SampleRow row = *sampledRow({evaluator, maker, q, options, costed}, 0, 64);
    EXPECT_DOUBLE_EQ(row.probability.value + job->deadlineProbability.value, 1);
    EXPECT_EQ(row.probability.halfWidth, job->deadlineProbability.halfWidth);
    EXPECT_GT(row.probability.value, 0);
    EXPECT_LT(row.probability.value, 1);
}

TEST(SearchRuns, MovesReportTheirShareAndPairTheFiveBest)
{
    Evaluator evaluator;
    std::vector<double> progress;
    InsightOptions options;
    options.samples = 30;
    options.seed = 3;
    Scenario s = quietJob();
    s.variability.slow = {{0, -1, 1.5, 1}};
    s.cluster.gpu.memoryGib = 200;
    s.training.recomputeGranularity = "full";
    s.training.attentionBackend = "unfused";
    s.parallelism.zeroStage = 3;
    const Result<Moves> single = nextMoves(evaluator, s, {}, options);
    ASSERT_TRUE(single.ok());
    EXPECT_EQ(single->seed, 3U);
    EXPECT_EQ(single->samples, 30);
    std::vector<Proposal> best;
    for (const Move& m : single->moves)
        if (m.improves && best.size() < 5)
            best.push_back({m.changes, m.settings, m.slow, {}});
    ASSERT_EQ(best.size(), 5U);
    ASSERT_GT(std::count_if(single->moves.begin(), single->moves.end(), [](const Move& m) { return m.improves; }), 5);
    int pairs = 0;
    for (std::size_t i = 0; i < best.size(); ++i)
        for (std::size_t j = i + 1; j < best.size(); ++j)
            pairs += together(s, best[i], best[j]).has_value() ? 1 : 0;
    ASSERT_GT(pairs, 1);
    options.progress = [&](double fraction, std::string_view) { progress.push_back(fraction); };
    const Result<Moves> both = nextMoves(evaluator, s, {.pairs = true}, options);
    ASSERT_TRUE(both.ok());
    EXPECT_EQ(both->tried, single->tried + pairs);
    ASSERT_EQ(progress.size(), static_cast<std::size_t>(both->tried));
    // Single moves are seven tenths, in equal parts; pairs the rest.
    for (std::size_t i = 0; i < progress.size(); ++i) {
        const double done = static_cast<double>(i + 1);
        EXPECT_NEAR(progress[i], done <= single->tried ? 0.7 * done / single->tried : 0.7 + 0.3 * (done - single->tried) / pairs, 1e-12)
            << i;
    }
    progress.clear();
    const auto steps = evaluator.samples(costStep(s)->graph, pairedSampling(options, 30));
    const PairedSample own(steps);
    EXPECT_EQ((std::vector<double>{single->p50, single->p95, single->p99}), (std::vector<double>{own.p50, own.p95, own.p99}));
    EXPECT_EQ(single->tried, static_cast<int>(proposalsOf(s, false).list.size()));
    for (std::size_t i = 1; i < both->moves.size(); ++i)
        EXPECT_GE(both->moves[i - 1].p95Gain.value, both->moves[i].p95Gain.value);
    for (const Move& m : single->moves) {
        EXPECT_EQ(m.reachesGoal, 0) << "no goal";
        const PairedSample after(evaluator.samples(costStep(*movedScenario(s, m))->graph, pairedSampling(options, 30)));
        const MetricChange change = pairedChange(own, after);
        EXPECT_EQ((std::array{m.p50Gain.halfWidth, m.p95Gain.halfWidth, m.p99Gain.halfWidth}),
                  (std::array{change.p50.halfWidth, change.p95.halfWidth, change.p99.halfWidth}))
            << m.changes.front();
        EXPECT_EQ((std::array{m.p50Gain.value, m.p95Gain.value, m.p99Gain.value}),
                  (std::array{own.p50 - after.p50, own.p95 - after.p95, own.p99 - after.p99}))
            << m.changes.front();
        EXPECT_EQ(costStep(*movedScenario(s, m))->tokensPerStep, costStep(s)->tokensPerStep) << m.changes.front();
    }
}

TEST(SearchRuns, MovesWithoutEffectAndThoseThatDoNotFitAreCounted)
{
    Scenario s = quietJob();
    s.cluster.gpu.memoryGib = 1.02 * costStep(s)->memory.peakGib; // what needs more does not fit
    Evaluator evaluator;
    InsightOptions options;
    options.samples = 10;
    const Result<Moves> moves = nextMoves(evaluator, s, {}, options);
    ASSERT_TRUE(moves.ok());
    std::vector<Proposal> improving;
    for (const Move& m : moves->moves)
        if (m.improves)
            improving.push_back({m.changes, m.settings, m.slow, {}});
    ASSERT_LT(improving.size(), 5U);
    int pairs = 0;
    for (std::size_t i = 0; i < improving.size(); ++i)
        for (std::size_t j = i + 1; j < improving.size(); ++j)
            pairs += together(s, improving[i], improving[j]).has_value() ? 1 : 0;
    EXPECT_EQ(nextMoves(evaluator, s, {.pairs = true}, options)->tried, moves->tried + pairs) << "of fewer than five";
    const Proposals proposals = proposalsOf(s, false);
    int invalid = proposals.invalid, tooLarge = 0, shown = 0;
    for (const Proposal& p : proposals.list) {
        const Result<CostedStep> step = costStep(p.scenario);
        invalid += step.ok() ? 0 : 1;
        tooLarge += step.ok() && !step->memory.fits ? 1 : 0;
        shown += step.ok() && step->memory.fits ? 1 : 0;
    }
    EXPECT_GT(tooLarge, 0);
    EXPECT_EQ(moves->invalid, invalid);
    EXPECT_EQ(moves->tooLarge, tooLarge);
    EXPECT_EQ(moves->withoutEffect + static_cast<int>(moves->moves.size()), shown);
    EXPECT_GT(moves->withoutEffect, 0);
    options.samples = 0;
    EXPECT_EQ(nextMoves(evaluator, s, {}, options)->samples, 2'000);
    EXPECT_TRUE(std::none_of(moves->moves.begin(), moves->moves.end(), [](const Move& m) {
        return m.p50Gain.value == 0 && m.memoryChangeGib == 0 && m.usdPerBillionTokensChange == 0 && m.gpusChange == 0;
    }));
}

TEST(SearchRuns, AStudyComparesItsRowsPerToken)
{
    Scenario half = quietJob(), stalls = quietJob();
    half.training.globalBatchSize = 64; // half the tokens
    half.variability.stepJitterS = 0.05;
    stalls.variability.stallsPerGpuHour = 20;
    stalls.variability.stallMeanS = 0.5;
    const Question question{"n", "t", "q?", "", "", {{"first", quietJob()}, {"half", half}, {"stalls", stalls}}};
    Evaluator evaluator;
    std::vector<double> progress;
    InsightOptions options;
    options.samples = 200;
    options.seed = 4;
    options.progress = [&](double fraction, std::string_view) { progress.push_back(fraction); };
    const Result<QuestionAnswer> a = answered(evaluator, question, options);
    ASSERT_TRUE(a.ok());
    EXPECT_EQ(a->seed, 4U);
    EXPECT_EQ(a->samples, 200);
    ASSERT_EQ(progress.size(), 3U);
    EXPECT_DOUBLE_EQ(progress[0], 1.0 / 3);
    EXPECT_DOUBLE_EQ(progress[1], 2.0 / 3);
    EXPECT_EQ(progress[2], 1);
    EXPECT_EQ(a->rows[0].p50Ratio.value, 1);
    EXPECT_EQ(a->rows[0].p95Ratio.value, 1);
    const auto paired = [&](const Scenario& s) {
        return PairedSample(evaluator.samples(costStep(s)->graph, pairedSampling(options, 200)));
    };
    const PairedSample first = paired(quietJob()), second = paired(half), third = paired(stalls);
    EXPECT_DOUBLE_EQ(a->rows[1].p50Ratio.value, 2 * second.p50 / first.p50);
    EXPECT_DOUBLE_EQ(a->rows[1].p95Ratio.value, 2 * second.p95 / first.p95);
    EXPECT_DOUBLE_EQ(a->rows[1].p95Ratio.halfWidth, 2 * quantileRatio(second, first, 0.95).halfWidth);
    EXPECT_DOUBLE_EQ(a->rows[1].p50Ratio.halfWidth, 2 * quantileRatio(second, first, 0.5).halfWidth);
    EXPECT_DOUBLE_EQ(a->rows[2].p95Ratio.value, third.p95 / first.p95);
    EXPECT_EQ(a->rows[1].noiseFreeSeconds, costStep(half)->noiseFreeSeconds);
    options.samples = 0;
    options.progress = {};
    EXPECT_EQ(answered(evaluator, question, options)->samples, 2'000);
}

TEST(SearchRuns, FindingsNameTheLongestRowAndNoneWhereAllAreEqual)
{
    Scenario constant = quietJob(), slow;
    constant.variability = {};
    slow = constant;
    slow.variability.slow = {{0, -1, 1.5, 1}};
    Evaluator evaluator;
    InsightOptions options;
    options.samples = 20;
    const auto findings = [&](const Scenario& other) {
        return answered(evaluator, {"n", "t", "q?", "", "", {{"first", constant}, {"other", other}}}, options)->findings;
    };
    EXPECT_EQ(findings(constant).front(), "No row differs from first in p95 by more than its interval.");
    EXPECT_TRUE(findings(slow).front().starts_with("other has the longest p95 per token: +")) << findings(slow).front();
    slow.variability.slow[0].computeFactor = 1;
    constant.variability.slow = {{0, -1, 1.5, 1}};
    EXPECT_TRUE(findings(slow).front().starts_with("other has the shortest p95 per token: -")) << findings(slow).front();
}

} // namespace
} // namespace prism
