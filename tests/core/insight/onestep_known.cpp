// SPDX-License-Identifier: GPL-3.0-or-later
// Which draw is shown, what comes on top of it, what a step's slow draws are, and the shares of activations.
#include "core/insight/onestep/rangesum.h"
#include "core/insight/onestep/timeline.h"

#include "core/insight/scenarios.h"
#include "core/insight/sensitivity/attribution.h"
#include "core/schedule/schedule.h"
#include "core/sim/graphs.h"
#include "core/sim/simulate.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace prism {
namespace {

using DrawKind = DrawChoice::Kind;

std::string notesOf(const Timeline& t)
{
    std::string all;
    for (const std::string& note : t.notes)
        all += note + "\n";
    return all;
}

std::string msOrSeconds(double seconds)
{
    return seconds < 1 ? fmt::format("{:.1f} ms", seconds * 1'000) : fmt::format("{:.2f} s", seconds);
}

bool holdsText(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

const AttributionRow& rowNamed(const std::vector<AttributionRow>& rows, std::string_view name)
{
    const auto it = std::find_if(rows.begin(), rows.end(), [&](const AttributionRow& r) { return r.name == name; });
    static const AttributionRow none;
    return it == rows.end() ? none : *it;
}

TimelineSpan spanOf(SpanKind kind, int stage, double start, double end)
{
    TimelineSpan s;
    s.kind = kind;
    s.stage = stage;
    s.startSeconds = start;
    s.endSeconds = end;
    return s;
}

} // namespace

TEST(OneStepKnown, AQuantileIsTheNearestOfTheDraws)
{
    const StepGraph noisy = test::jobGraph({.compute = {Family::lognormal, 0.3}});
    const std::vector<double> draws = simulate(noisy, {.numSamples = 6, .numWithinSamples = -1}).acrossSeconds;
    std::map<double, int> sampleOf; // by their seconds
    for (std::size_t i = 0; i < draws.size(); ++i)
        sampleOf[draws[i]] = static_cast<int>(i);
    const auto rankOf = [&](double quantile) {
        const Timeline t = *timeline(noisy, {.quantile = quantile}, {.samples = 6, .threads = 1});
        EXPECT_EQ(t.candidates, 6);
        EXPECT_NEAR(t.totalSeconds(), draws[static_cast<std::size_t>(t.sample)], 1e-6);
        EXPECT_TRUE(holdsText(notesOf(t), fmt::format("Step {} of 6 sampled ones", t.sample)));
        return std::distance(sampleOf.begin(), sampleOf.find(draws[static_cast<std::size_t>(t.sample)]));
    };
    EXPECT_EQ(rankOf(0.28), 1); // 1.4 of ranks 0 to 5
    EXPECT_EQ(rankOf(0.34), 2); // 1.7
    EXPECT_EQ(rankOf(0.92), 5); // 4.6
    const Timeline other = *timeline(noisy, {.quantile = 0.975}, {.seed = 2, .samples = 2, .threads = 1});
    EXPECT_EQ(other.draw, "p97.5 step");
    for (const double seconds : draws)
        EXPECT_GT(std::abs(other.totalSeconds() - seconds), 1e-5) << "another seed";
    EXPECT_EQ(timeline(noisy, {.kind = DrawKind::sample, .sample = 9}, {.samples = 40, .threads = 1})->candidates, 1);
}

TEST(OneStepKnown, DelaysAreOnTopOfWhatIsDrawn)
{
    for (const double size : {0.25, 1.0}) {
        StepGraph g = test::jobGraph({});
        g.delays = {.jitterSeconds = 0.2, .stallsPerGpuHour = 600, .stallMeanSeconds = size}; // some 0.5 stalls in a step of 3 s
        int stalls = 0, longer = 0, shorter = 0;
        for (int i = 0; i < 6; ++i) {
            const Timeline t = *timeline(g, {.kind = DrawKind::sample, .sample = i}, {.threads = 1});
            EXPECT_NEAR(t.stepSeconds, 3, 1e-6);
            const double count = t.stallSeconds / size;
            EXPECT_NEAR(count, std::round(count), 1e-6) << "stalls of one size";
            const std::string stall = fmt::format("A stall makes this step {} longer", msOrSeconds(t.stallSeconds));
            EXPECT_EQ(holdsText(notesOf(t), stall), t.stallSeconds > 0) << notesOf(t);
            const std::string way = t.jitterSeconds > 0 ? "longer" : "shorter";
            EXPECT_TRUE(
                holdsText(notesOf(t), fmt::format("Step jitter makes this step {} {}", msOrSeconds(std::abs(t.jitterSeconds)), way)));
            EXPECT_DOUBLE_EQ(t.delaySeconds(), t.jitterSeconds + t.stallSeconds);
            EXPECT_DOUBLE_EQ(t.totalSeconds(), t.stepSeconds + t.jitterSeconds + t.stallSeconds);
            stalls += t.stallSeconds > 0 ? 1 : 0;
            longer += t.jitterSeconds > 0 ? 1 : 0;
            shorter += t.jitterSeconds < 0 ? 1 : 0;
        }
        EXPECT_TRUE(stalls > 0 && stalls < 6 && longer > 0 && shorter > 0);
    }
    EXPECT_FALSE(holdsText(notesOf(*timeline(test::jobGraph({}), {.kind = DrawKind::sample})), "makes this step"));
    Timeline a, b;
    a.stepSeconds = 10;
    a.jitterSeconds = 0.5;
    a.stallSeconds = 0.25;
    b.stepSeconds = 12;
    b.jitterSeconds = -2;
    b.stallSeconds = 7;
    const StepChange c = changeOfStep(a, b);
    EXPECT_DOUBLE_EQ(c.stepSeconds, 17 - 10.75);
    EXPECT_DOUBLE_EQ(c.delaySeconds, 5 - 0.75);
}

TEST(OneStepKnown, AChangeOfAStepWithoutStagesIsThatOfOne)
{
    Timeline a, b;
    a.stages = b.stages = 0;
    a.stepSeconds = b.stepSeconds = 10;
    a.classNames = b.classNames = {"gemm"};
    a.spans = {spanOf(SpanKind::forward, 0, 1, 4)};
    b.spans = {spanOf(SpanKind::forward, 0, 1, 6)};
    a.spans[0].parts = {{0, 3}};
    b.spans[0].parts = {{0, 5}, {7, 1}, {-1, 1}}; // parts of no class are omitted
    const StepChange c = changeOfStep(a, b);
    EXPECT_DOUBLE_EQ(c.of(SpanKind::forward), 2);
    ASSERT_EQ(c.byClass.size(), 1U);
    EXPECT_DOUBLE_EQ(c.byClass[0].seconds, 2);
    // A span that a range touches in no more than a point is not in it; one that ends before it starts is in none.
    b.spans.push_back(spanOf(SpanKind::backward, 0, 8, 7));
    EXPECT_EQ(sumOverRange(b, 6, 9).of(SpanKind::forward), 0);
    EXPECT_EQ(sumOverRange(b, 6, 9).of(SpanKind::backward), 0);
    EXPECT_EQ(sumOverRange(b, 6, 6).criticalSeconds, 0);
    EXPECT_EQ(sumOverRange(b, 4.5, 5.25, 0).of(SpanKind::forward), 0.75);
    EXPECT_EQ(sumOverRange(b, 4.5, 5.25, 0).byClass[0].seconds, 0.75);
    EXPECT_EQ(sumOverRange(b, 4.5, 5.25, 1).of(SpanKind::forward), 0);
    EXPECT_EQ(sumOverRange(b, 7.5, 9).of(SpanKind::forward), 0);
    b.spans.push_back(spanOf(SpanKind::weight, 1, 2, 5));
    EXPECT_EQ(sumOverRange(b, 0, 10, 0).of(SpanKind::weight), 0);
    EXPECT_EQ(sumOverRange(b, 0, 10, 1).of(SpanKind::weight), 3);
}

TEST(OneStepKnown, BubblesFillWhatNothingOccupies)
{
    // Two stages, two micro-batches, F 1 s and B 2 s, transfers that take no time: no span shows them.
    const Timeline t = *timeline(test::jobGraph({.stages = 2, .microbatches = 2}), {.kind = DrawKind::sample});
    std::vector<std::array<double, 3>> bubbles;
    for (const TimelineSpan& s : t.spans) {
        EXPECT_NE(s.kind, SpanKind::send);
        if (s.kind == SpanKind::bubble)
            bubbles.push_back({static_cast<double>(s.stage), s.startSeconds, s.endSeconds});
    }
    // Stage 0: F0, F1, then B0 from 4 s and B1 from 7 s. Stage 1: F0 from 1 s, B0, F1, B1 to 7 s.
    const std::vector<std::array<double, 3>> expected{{0, 2, 4}, {0, 6, 7}, {1, 0, 1}, {1, 7, 9}};
    ASSERT_EQ(bubbles.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_NEAR(bubbles[i][k], expected[i][k], 1e-6) << i;
    EXPECT_NEAR(t.bubbleFraction[0], 3.0 / 9, 1e-6);
    EXPECT_NEAR(t.criticalSeconds, 9, 1e-6);
}

TEST(OneStepKnown, ActivationsOfAStageAreSharedByItsMicrobatches)
{
    Scenario s = testscenarios::smallScenario();
    s.training.globalBatchSize = 8; // four micro-batches a replica
    const Result<CostedStep> costed = costStep(s);
    ASSERT_TRUE(costed.ok());
    Evaluator evaluator;
    const auto t = timeline(evaluator, s, {.kind = DrawKind::sample, .sample = 0}, {.threads = 1});
    ASSERT_TRUE(t.ok());
    const std::vector<int> held = activationsInFlight(costed->graph.schedule);
    ASSERT_EQ(t->inFlight.size(), 4U);
    EXPECT_EQ(held[0], 4); // one more a stage from the last to the first
    EXPECT_EQ(held[3], 1);
    for (std::size_t stage = 0; stage < 4; ++stage) {
        const double gib = costed->memory.stages[stage].activationsGib;
        EXPECT_GT(gib, 0);
        for (const InFlightPoint& p : t->inFlight[stage])
            EXPECT_NEAR(p.activationGib, gib * p.microbatches / static_cast<double>(4 - stage), 1e-12 * gib);
    }
    EXPECT_EQ(timeline(costed->graph, {.kind = DrawKind::sample})->inFlight[0][1].activationGib, 0);
}

TEST(OneStepKnown, ATraceNamesEveryTrackAndOnlyRealFlows)
{
    Timeline t;
    t.stages = 2;
    t.chunks = 2;
    t.classNames = {"gemm"};
    t.spans = {spanOf(SpanKind::forward, 0, 0.5, 2), spanOf(SpanKind::send, 0, 2, 4), spanOf(SpanKind::send, 0, 3, 5),
               spanOf(SpanKind::send, 1, 1, 2), spanOf(SpanKind::bubble, 1, 0, 1)};
    t.spans[0].chunk = 0;
    t.spans[0].microbatch = 0;
    t.spans[0].pairedChunk = 1;
    t.spans[0].pairedMicrobatch = 0;
    t.spans[0].pieceStart = 0.25;
    t.spans[0].pieceEnd = 2.5;
    t.spans[1].toStage = 1;
    t.spans[1].usedSeconds = 4.5;
    t.spans[2].toStage = 0;
    t.inFlight = {{{0.125, 3, 0}}, {}};
    std::set<std::string> threads;
    std::map<int, int> flows;
    int pieces = 0;
    const nlohmann::json trace = nlohmann::json::parse(toChromeTrace(t));
    for (const auto& e : trace["traceEvents"]) {
        if (e["name"] == "thread_name")
            threads.insert(fmt::format("{} {} {}", e["pid"].get<int>(), e["tid"].get<int>(), e["args"]["name"].get<std::string>()));
        if (e["ph"] == "s" || e["ph"] == "f")
            ++flows[e["id"].get<int>()];
        if (e.value("cat", "") == "piece") {
            EXPECT_EQ(e["name"], "F0.0 & B0.1");
            ++pieces;
            EXPECT_DOUBLE_EQ(e["ts"].get<double>(), 250'000);
            EXPECT_DOUBLE_EQ(e["dur"].get<double>(), 2'250'000);
        }
        if (e.value("cat", "") == "forward") {
            EXPECT_DOUBLE_EQ(e["ts"].get<double>(), 500'000);
            EXPECT_DOUBLE_EQ(e["dur"].get<double>(), 1'500'000);
            EXPECT_EQ(e["args"]["micro_batch"], 0);
            EXPECT_EQ(e["args"]["chunk"], 0);
            EXPECT_EQ(e["args"]["beside"]["chunk"], 1);
        }
        if (e["ph"] == "f" && e.value("id", 0) == 1) {
            EXPECT_DOUBLE_EQ(e["ts"].get<double>(), 4.5e6);
            EXPECT_EQ(e["bp"], "e");
        }
        if (e["name"] == "process_name") {
            EXPECT_EQ(e["tid"], 0);
        }
        if (e["ph"] == "C") {
            EXPECT_DOUBLE_EQ(e["ts"].get<double>(), 125'000);
            EXPECT_EQ(e["args"]["chunks"], 3);
        }
        EXPECT_NE(e.value("cat", ""), "bubble");
    }
    EXPECT_EQ(threads, (std::set<std::string>{"0 0 compute and step operations", "0 1 transfers", "0 2 transfers 2",
                                              "1 0 compute and step operations", "1 1 transfers"}));
    EXPECT_EQ(pieces, 1);
    EXPECT_EQ(flows, (std::map<int, int>{{1, 2}, {2, 2}})); // to stages 1 and 0; the third goes nowhere
}

TEST(OneStepKnown, SpansNameTheirClassAndTheirPartner)
{
    Timeline t;
    t.classNames = {"gemm"};
    t.spans = {spanOf(SpanKind::forward, 0, 0.5, 2), spanOf(SpanKind::send, 0, 2, 4)};
    t.spans[0].chunk = t.spans[0].microbatch = t.spans[0].kernelClass = 0;
    t.spans[0].pairedChunk = 1;
    t.spans[0].pairedMicrobatch = 0;
    const auto spans = nlohmann::json::parse(toJson(t))["spans"];
    EXPECT_EQ(spans[0]["class"], "gemm");
    EXPECT_EQ(spans[0]["beside"]["micro_batch"], 0);
    EXPECT_EQ(spans[1]["class"], "");
    EXPECT_FALSE(spans[1].contains("beside"));
    EXPECT_NE(toCsv(t).find("\n0,forward,0,0,gemm,0.5,2,0\n0,send,-1,-1,,2,4,0\n"), std::string::npos) << toCsv(t);
}

TEST(AttributionKnown, TheSlowStepsAreARoundedShareAndAtLeastOne)
{
    const StepGraph g = test::jobGraph({.gradSyncSeconds = 0.5, .compute = {Family::lognormal, 0.4}});
    const auto slowOf = [&](int samples, double fraction) {
        return attribution(g, {.samples = samples, .threads = 1}, fraction)->slowSamples;
    };
    EXPECT_EQ(slowOf(30, 0.05), 2); // 1.5
    EXPECT_EQ(slowOf(30, 0.04), 1);
    EXPECT_EQ(slowOf(30, 0.001), 1);
    EXPECT_EQ(slowOf(3, 0.9), 3); // 2.7
    const auto usual = attribution(g);
    EXPECT_EQ(usual->samples, 1'000);
    EXPECT_EQ(usual->slowSamples, 50);
    // One slow step has no interval: the excess has that of all steps.
    const auto one = attribution(g, {.samples = 30, .threads = 1}, 0.04);
    const AttributionRow& gemm = rowNamed(one->byClass, "gemm");
    EXPECT_EQ(gemm.secondsSlow.halfWidth, 0);
    EXPECT_EQ(gemm.shareSlow.halfWidth, 0);
    EXPECT_NEAR(gemm.excessShare.halfWidth, gemm.secondsAll.halfWidth / (one->slowMeanSeconds - one->meanSeconds), 1e-12);
    EXPECT_NEAR(gemm.secondsSlow.value, one->slowThresholdSeconds - 0.5, 1e-6);
    // Without spread there is no excess to share.
    const auto noiseFree = attribution(test::jobGraph({}), {.samples = 8, .threads = 1});
    EXPECT_EQ(rowNamed(noiseFree->byClass, "gemm").excessShare.value, 0);
    EXPECT_EQ(rowNamed(noiseFree->byClass, "gemm").shareAll.value, 1);
    EXPECT_NEAR(rowNamed(noiseFree->byClass, "gemm").shareAll.halfWidth, 0, 1e-7);
}

TEST(AttributionKnown, StepsAreRecordedInBatchesOfThirtyTwo)
{
    const StepGraph g = test::jobGraph({});
    std::vector<double> progress;
    InsightOptions options{.samples = 65, .threads = 1};
    options.progress = [&](double fraction, std::string_view) { progress.push_back(fraction); };
    ASSERT_TRUE(attribution(g, options).ok());
    ASSERT_EQ(progress.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_DOUBLE_EQ(progress[i], static_cast<double>(i + 1) / 3);
}

TEST(AttributionKnown, DelaysHaveRowsWhereTheGraphHasThem)
{
    StepGraph g = test::jobGraph({});
    EXPECT_EQ(attribution(g, {.samples = 4, .threads = 1})->byStage.size(), 1U);
    g.delays.stallMeanSeconds = 0.5; // none happens
    EXPECT_EQ(attribution(g, {.samples = 4, .threads = 1})->byStage.size(), 1U);
    g.delays.jitterSeconds = 0.2;
    const auto jitter = attribution(g, {.samples = 40, .threads = 1});
    EXPECT_EQ(jitter->byStage.size(), 2U);
    EXPECT_EQ(rowNamed(jitter->byClass, "stalls").name, "") << "always zero";
    EXPECT_NEAR(rowNamed(jitter->byClass, "step jitter").secondsAll.value, jitter->meanSeconds - 3, 1e-6);
    EXPECT_NEAR(rowNamed(jitter->byCause, "step_jitter").secondsAll.value, jitter->meanSeconds - 3, 1e-6);
    g.delays.jitterSeconds = 0;
    g.delays.stallsPerGpuHour = 600;
    const auto stalls = attribution(g, {.samples = 40, .threads = 1});
    EXPECT_EQ(stalls->byStage.size(), 2U);
    EXPECT_NEAR(rowNamed(stalls->byClass, "stalls").secondsSlow.value, stalls->slowMeanSeconds - 3, 1e-6);
    EXPECT_NEAR(rowNamed(stalls->byStage, "whole step").secondsAll.value, stalls->meanSeconds - 3, 1e-6);
    EXPECT_NEAR(rowNamed(stalls->byCause, "stall").secondsAll.value, stalls->meanSeconds - 3, 1e-6);
    for (std::size_t i = 1; i < stalls->byClass.size(); ++i)
        EXPECT_GE(stalls->byClass[i - 1].shareSlow.value, stalls->byClass[i].shareSlow.value);
}

TEST(AttributionKnown, PathsOfEveryOperationGoToTheirClassAndStage)
{
    // One replica, two stages, one micro-batch: F, transfer, F, B, transfer, B, then all operations of stage 0, each of another length.
    StepGraph g = test::jobGraph({.stages = 2,
                                  .microbatches = 1,
                                  .forwardSeconds = 0.8,
                                  .collectiveSeconds = 0.2,
                                  .sendSeconds = 0.5,
                                  .gradSyncSeconds = 1.0,
                                  .optimizerSeconds = 0.25,
                                  .paramGatherSeconds = 0.3,
                                  .gradNormSeconds = 0.125,
                                  .embeddingSeconds = 0.0625});
    g.classes.push_back({"embedding", Scope::interNode});
    g.classes.push_back({"norm", Scope::interNode});
    g.classes.push_back({"gather", Scope::interNode});
    g.classes.push_back({"send", Scope::interNode});
    g.embeddingAllReduce.kernelClass = 4;
    g.gradNorm.kernelClass = 5;
    for (StepOp& op : g.paramGather)
        op.kernelClass = 6;
    for (auto* list : {&g.sendForward, &g.sendBackward})
        for (StepOp& op : *list)
            op.kernelClass = 7;
    g.gradSync[1].meanSeconds = 0.5;
    g.optimizer[1].meanSeconds = 0.2;
    const auto a = attribution(g, {.samples = 2, .threads = 1});
    ASSERT_TRUE(a.ok());
    EXPECT_NEAR(a->meanSeconds, 2 * 1.0 + 2 * 1.8 + 2 * 0.5 + 0.0625 + 1 + 0.125 + 0.25 + 0.3, 1e-6);
    const std::pair<const char*, double> expected[] = {{"gemm", 4.8},       {"tp.all_reduce", 0.8}, {"dp.reduce_scatter", 1.0},
                                                       {"optimizer", 0.25}, {"embedding", 0.0625},  {"norm", 0.125},
                                                       {"gather", 0.3},     {"send", 1.0}};
    for (const auto& [name, seconds] : expected)
        EXPECT_NEAR(rowNamed(a->byClass, name).secondsAll.value, seconds, 1e-6) << name;
    EXPECT_NEAR(rowNamed(a->byCause, "compute_mean").secondsAll.value, 4.8 + 0.25, 1e-6);
    EXPECT_NEAR(rowNamed(a->byCause, "communication_mean").secondsAll.value, 0.8 + 1 + 0.0625 + 0.125 + 0.3 + 1, 1e-6);
    EXPECT_NEAR(rowNamed(a->byStage, "stage 1").secondsAll.value, 2.8 + 0.5, 1e-6);
}

} // namespace prism
