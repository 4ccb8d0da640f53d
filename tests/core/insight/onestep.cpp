// SPDX-License-Identifier: GPL-3.0-or-later
// One step of a small pipeline that does not vary, computed by hand, and its views.
#include "core/insight/onestep/rangesum.h"
#include "core/insight/onestep/timeline.h"

#include "core/insight/sensitivity/attribution.h"
#include "core/sim/graphs.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>

namespace prism {
namespace {

constexpr double kClose = 1e-9;

/// Two stages, two micro-batches: F 1.0 s (0.8 compute, 0.2 collective), B 1.8 s (1.6 and 0.2), transfers 0.5 s, gradients 1 s, optimizer
/// 0.25 s.
StepGraph smallPipeline()
{
    return test::jobGraph({.stages = 2,
                           .microbatches = 2,
                           .forwardSeconds = 0.8,
                           .collectiveSeconds = 0.2,
                           .sendSeconds = 0.5,
                           .gradSyncSeconds = 1.0,
                           .optimizerSeconds = 0.25});
}

DrawChoice firstDraw()
{
    return {.kind = DrawChoice::Kind::sample, .sample = 0};
}

const TimelineSpan& spanOf(const Timeline& t, int stage, SpanKind kind, int microbatch)
{
    for (const TimelineSpan& s : t.spans)
        if (s.stage == stage && s.kind == kind && s.microbatch == microbatch)
            return s;
    ADD_FAILURE() << stage << " " << spanKindName(kind) << " " << microbatch;
    return t.spans.front();
}

TimelineSpan span(int stage, SpanKind kind, double start, double end, std::vector<SpanPart> parts, bool critical)
{
    TimelineSpan s;
    s.stage = stage;
    s.kind = kind;
    s.startSeconds = start;
    s.endSeconds = end;
    s.parts = std::move(parts);
    s.critical = critical;
    return s;
}

} // namespace

TEST(OneStep, EverySpanOfASmallPipelineIsWhereTheScheduleHasIt)
{
    const auto t = timeline(smallPipeline(), firstDraw());
    ASSERT_TRUE(t.ok());
    struct Expected {
        int stage;
        SpanKind kind;
        int microbatch;
        double start, end;
        bool critical;
    };
    using enum SpanKind;
    const Expected all[] = {{0, forward, 0, 0, 1, true},      {0, forward, 1, 1, 2, false},       {0, backward, 0, 4.8, 6.6, false},
                            {0, backward, 1, 7.6, 9.4, true}, {0, gradSync, -1, 9.4, 10.4, true}, {0, optimizer, -1, 10.4, 10.65, true},
                            {1, forward, 0, 1.5, 2.5, true},  {1, backward, 0, 2.5, 4.3, true},   {1, forward, 1, 4.3, 5.3, true},
                            {1, backward, 1, 5.3, 7.1, true}, {1, gradSync, -1, 7.1, 8.1, false}, {1, optimizer, -1, 8.1, 8.35, false},
                            {0, send, 0, 1, 1.5, true},       {0, send, 1, 2, 2.5, false},        {1, send, 0, 4.3, 4.8, false},
                            {1, send, 1, 7.1, 7.6, true}};
    for (const Expected& e : all) {
        const TimelineSpan& s = spanOf(*t, e.stage, e.kind, e.microbatch);
        EXPECT_NEAR(s.startSeconds, e.start, kClose) << e.stage << spanKindName(e.kind) << e.microbatch;
        EXPECT_NEAR(s.endSeconds, e.end, kClose) << e.stage << spanKindName(e.kind) << e.microbatch;
        EXPECT_EQ(s.critical, e.critical) << e.stage << spanKindName(e.kind) << e.microbatch;
    }
    EXPECT_NEAR(spanOf(*t, 0, send, 1).usedSeconds, 4.3, kClose) << "waits for the backward before it";
    EXPECT_NEAR(spanOf(*t, 1, send, 1).usedSeconds, 7.6, kClose);
    EXPECT_EQ(spanOf(*t, 0, send, 0).toStage, 1);
    EXPECT_EQ(spanOf(*t, 1, send, 0).toStage, 0);
    EXPECT_EQ(t->spans.size(), std::size(all) + 4); // and four bubbles
    EXPECT_NEAR(t->stepSeconds, 10.65, kClose);
    EXPECT_NEAR(t->criticalSeconds, 10.65, kClose);
    EXPECT_NEAR(t->bubbleFraction.at(0), 3.8 / 10.65, kClose); // 2 to 4.8 and 6.6 to 7.6
    EXPECT_NEAR(t->bubbleFraction.at(1), 3.8 / 10.65, kClose); // 0 to 1.5 and 8.35 to 10.65
    const TimelineSpan& f = spanOf(*t, 0, forward, 0);
    ASSERT_EQ(f.parts.size(), 2U);
    EXPECT_EQ(f.parts[0].kernelClass, 0);
    EXPECT_NEAR(f.parts[0].seconds, 0.8, kClose);
    EXPECT_NEAR(f.parts[1].seconds, 0.2, kClose);
    EXPECT_EQ(f.kernelClass, 0);
    EXPECT_EQ(f.chunk, 0);
    EXPECT_EQ(spanOf(*t, 0, gradSync, -1).kernelClass, 2);
    EXPECT_EQ(spanOf(*t, 0, send, 0).chunk, 0);
    EXPECT_EQ((std::array{t->stages, t->chunks, t->microbatches, t->replicas, t->replica, t->candidates}), (std::array{2, 1, 2, 1, 0, 1}));
    EXPECT_EQ(t->scheduleName, "1f1b");
    EXPECT_EQ(t->draw, "sample 0");
    for (std::size_t i = 1; i < t->spans.size(); ++i)
        EXPECT_LE(std::pair(t->spans[i - 1].stage, t->spans[i - 1].startSeconds), std::pair(t->spans[i].stage, t->spans[i].startSeconds));
}

TEST(OneStep, ActivationsAreHeldFromTheForwardToTheEndOfTheBackward)
{
    const auto t = timeline(smallPipeline(), firstDraw());
    ASSERT_TRUE(t.ok());
    const std::vector<std::vector<std::pair<double, int>>> expected{{{0, 1}, {1, 2}, {6.6, 1}, {9.4, 0}},
                                                                    {{0, 0}, {1.5, 1}, {4.3, 1}, {7.1, 0}}};
    for (std::size_t s = 0; s < 2; ++s) {
        ASSERT_EQ(t->inFlight[s].size(), expected[s].size());
        for (std::size_t i = 0; i < expected[s].size(); ++i) {
            EXPECT_NEAR(t->inFlight[s][i].seconds, expected[s][i].first, kClose);
            EXPECT_EQ(t->inFlight[s][i].microbatches, expected[s][i].second);
        }
    }
    // Separate weight gradients keep them until their end.
    const auto split = timeline(test::jobGraph({.schedule = "zb-h1", .stages = 1, .microbatches = 1}), firstDraw());
    ASSERT_TRUE(split.ok());
    EXPECT_EQ(split->inFlight[0].back().microbatches, 0);
    EXPECT_NEAR(split->inFlight[0].back().seconds, 3.0, kClose); // F 1, B 1, W 1
}

TEST(OneStep, ASenderThatWaitsForItsTransferHasNoBubbleThere)
{
    StepGraph g = smallPipeline();
    g.transferOccupiesSender = true;
    // Stage 0: F0 0 to 1, its transfer to 1.5, F1 to 2.5, its transfer to 3. Stage 1: F0 1.5 to 2.5, B0 to 4.3, transfer to 4.8, F1 to
    // 5.8, B1 to 7.6, transfer to 8.1. Stage 0: B0 4.8 to 6.6, B1 8.1 to 9.9, then 1.25 s.
    const auto t = timeline(g, firstDraw());
    ASSERT_TRUE(t.ok());
    EXPECT_NEAR(t->stepSeconds, 11.15, kClose);
    EXPECT_NEAR(t->bubbleFraction[0], (1.8 + 1.5) / 11.15, kClose);
    EXPECT_NEAR(t->bubbleFraction[1], (1.5 + (11.15 - 8.1 - 1.25)) / 11.15, kClose);
}

TEST(OneStep, TheTraceIsInMicroseconds)
{
    const auto t = timeline(smallPipeline(), firstDraw());
    ASSERT_TRUE(t.ok());
    const nlohmann::json trace = nlohmann::json::parse(toChromeTrace(*t));
    EXPECT_NEAR(trace["otherData"]["step_seconds"].get<double>(), 10.65, kClose);
    std::map<std::string, nlohmann::json> named;
    std::map<int, std::map<std::string, nlohmann::json>> flows;
    double lastCounter = -1;
    for (const auto& e : trace["traceEvents"]) {
        if (e["ph"] == "X")
            named[std::to_string(e["pid"].get<int>()) + " " + e["name"].get<std::string>()] = e;
        if (e["ph"] == "s" || e["ph"] == "f")
            flows[e["id"].get<int>()][e["ph"].get<std::string>()] = e;
        if (e["ph"] == "C" && e["pid"] == 0)
            lastCounter = e["ts"].get<double>();
    }
    const nlohmann::json& backward = named["0 B1"];
    EXPECT_NEAR(backward["ts"].get<double>(), 7.6e6, 1e-3);
    EXPECT_NEAR(backward["dur"].get<double>(), 1.8e6, 1e-3);
    EXPECT_EQ(backward["cat"], "backward,critical");
    EXPECT_EQ(backward["tid"], 0);
    EXPECT_EQ(backward["args"]["micro_batch"], 1);
    EXPECT_EQ(backward["args"]["chunk"], 0);
    EXPECT_NEAR(backward["args"]["us_by_class"]["gemm"].get<double>(), 1.6e6, 1e-3);
    EXPECT_FALSE(backward["args"].contains("beside"));
    EXPECT_EQ(named["0 F1"]["cat"], "forward");
    EXPECT_EQ(named["0 send 1 to stage 1"]["tid"], 1);
    EXPECT_FALSE(named["0 grad_sync"].contains("micro_batch"));
    ASSERT_EQ(flows.size(), 4U);
    for (auto& [id, ends] : flows) {
        EXPECT_GE(id, 1);
        EXPECT_EQ(ends["s"]["tid"], 1);
        EXPECT_EQ(ends["f"]["tid"], 0);
        EXPECT_EQ(ends["s"]["pid"].get<int>(), 1 - ends["f"]["pid"].get<int>());
        if (std::abs(ends["s"]["ts"].get<double>() - 2e6) < 1) {
            EXPECT_NEAR(ends["f"]["ts"].get<double>(), 4.3e6, 1e-3);
        }
    }
    EXPECT_NEAR(lastCounter, 9.4e6, 1e-3);
    const nlohmann::json json = nlohmann::json::parse(toJson(*t));
    EXPECT_NEAR(json["spans"][0]["seconds_by_class"]["gemm"].get<double>(), 0.8, kClose);
    EXPECT_NEAR(json["in_flight"][0][2][0].get<double>(), 6.6, kClose);
    EXPECT_EQ(json["in_flight"][0][2][1], 1);
    EXPECT_NE(toCsv(*t).find("0,forward,0,0,gemm,0,1,1\n"), std::string::npos) << toCsv(*t);
}

TEST(OneStep, OverlappingTransfersGetSeparateTracks)
{
    Timeline t;
    t.stages = 1;
    t.classNames = {"send"};
    for (const auto& [start, end] : {std::pair{0.0, 2.0}, {1.0, 3.0}, {2.0, 4.0}, {2.5, 5.0}})
        t.spans.push_back(span(0, SpanKind::send, start, end, {}, false));
    std::vector<int> tracks;
    const nlohmann::json trace = nlohmann::json::parse(toChromeTrace(t));
    for (const auto& e : trace["traceEvents"])
        if (e["ph"] == "X")
            tracks.push_back(e["tid"]);
    EXPECT_EQ(tracks, (std::vector<int>{1, 2, 1, 3})); // the third starts when the first ends
}

TEST(OneStep, DrawsAndReplicasHaveLimits)
{
    const StepGraph g = smallPipeline();
    const auto ok = [&](DrawChoice::Kind kind, double quantile, int sample, int replica) {
        return timeline(g, {kind, quantile, sample, replica}, {.samples = 3}).ok();
    };
    using Kind = DrawChoice::Kind;
    EXPECT_FALSE(ok(Kind::quantile, 0, 0, -1));
    EXPECT_FALSE(ok(Kind::quantile, 1, 0, -1));
    EXPECT_TRUE(ok(Kind::quantile, 0.01, 0, 0));
    EXPECT_TRUE(ok(Kind::sample, 0, 999'999, -1));
    EXPECT_FALSE(ok(Kind::sample, 0, 1'000'000, -1));
    EXPECT_FALSE(ok(Kind::sample, 0, 0, -2));
    EXPECT_FALSE(ok(Kind::sample, 0, 0, 1));
    EXPECT_EQ(timeline(g, {.replica = 1}).errors().front().accepted, "0 to 0");
    // Of 11 draws that vary, the one at 30 % is the fourth.
    StepGraph noisy = test::jobGraph({.compute = {Family::lognormal, 0.3}});
    std::vector<double> steps;
    for (int i = 0; i < 11; ++i)
        steps.push_back(timeline(noisy, {.kind = Kind::sample, .sample = i})->stepSeconds);
    std::sort(steps.begin(), steps.end());
    const auto at30 = timeline(noisy, {.quantile = 0.3}, {.samples = 11});
    EXPECT_EQ(at30->stepSeconds, steps[3]);
    EXPECT_EQ(at30->candidates, 11);
    EXPECT_EQ(at30->draw, "p30 step");
    EXPECT_EQ(timeline(noisy, {.quantile = 0.3}).value().candidates, 500);
}

TEST(OneStep, ARangeTakesTheShareOfEachSpanInside)
{
    Timeline t;
    t.stages = 2;
    t.stepSeconds = 10;
    t.classNames = {"gemm", "tp", "unused"};
    t.spans = {span(0, SpanKind::forward, 2, 6, {{0, 3}, {1, 1}}, true), span(0, SpanKind::bubble, 6, 10, {}, false),
               span(1, SpanKind::backward, 4, 9, {{1, 5}}, false), span(1, SpanKind::gradSync, 5, 5, {{0, 2}}, true)};
    const RangeSum r = sumOverRange(t, 7, 3);
    EXPECT_EQ(r.startSeconds, 3);
    EXPECT_EQ(r.endSeconds, 7);
    EXPECT_EQ(r.stages, 2);
    EXPECT_EQ(r.of(SpanKind::forward), 3);  // 3 to 6
    EXPECT_EQ(r.of(SpanKind::bubble), 1);   // 6 to 7
    EXPECT_EQ(r.of(SpanKind::backward), 3); // 4 to 7
    EXPECT_EQ(r.of(SpanKind::gradSync), 0); // takes no time
    EXPECT_EQ(r.criticalSeconds, 3);
    ASSERT_EQ(r.byClass.size(), 2U);
    EXPECT_EQ(r.byClass[0].kernelClass, 1);
    EXPECT_NEAR(r.byClass[0].seconds, 1 * 3.0 / 4 + 5 * 3.0 / 5, kClose);
    EXPECT_NEAR(r.byClass[1].seconds, 3 * 3.0 / 4, kClose);
    const RangeSum one = sumOverRange(t, -5, 50, 1);
    EXPECT_EQ(one.startSeconds, 0);
    EXPECT_EQ(one.endSeconds, 10);
    EXPECT_EQ(one.stages, 1);
    EXPECT_EQ(one.of(SpanKind::forward), 0);
    EXPECT_EQ(one.of(SpanKind::backward), 5);
    EXPECT_EQ(sumOverRange(t, 0, 10, 0).of(SpanKind::forward), 4);
}

TEST(OneStep, AChangeIsPerStageAndByTheNameOfTheClass)
{
    Timeline a, b;
    a.stages = 2;
    b.stages = 4;
    a.stepSeconds = 10;
    b.stepSeconds = 12;
    a.classNames = {"gemm", "tp"};
    b.classNames = {"tp", "gemm", "new"};
    a.spans = {span(0, SpanKind::forward, 0, 6, {{0, 4}, {1, 2}}, true)};
    b.spans = {span(0, SpanKind::forward, 0, 4, {{0, 1}, {1, 3}}, true), span(3, SpanKind::backward, 2, 10, {{2, 8}}, true)};
    const StepChange c = changeOfStep(a, b);
    EXPECT_EQ(c.stepSeconds, 2);
    EXPECT_EQ(c.of(SpanKind::forward), 4.0 / 4 - 6.0 / 2);
    EXPECT_EQ(c.of(SpanKind::backward), 8.0 / 4);
    ASSERT_EQ(c.byClass.size(), 3U);
    EXPECT_EQ(c.byClass[0].kernelClass, 2); // the largest first: new 2 s
    EXPECT_EQ(c.byClass[0].seconds, 2);
    EXPECT_EQ(c.byClass[1].kernelClass, 1); // gemm 3/4 - 4/2
    EXPECT_EQ(c.byClass[1].seconds, -1.25);
    EXPECT_EQ(c.byClass[2].seconds, 0.25 - 1);
}

TEST(Attribution, ThePathOfTheSmallPipelineByClassStageAndPiece)
{
    const auto a = attribution(smallPipeline(), {.samples = 4});
    ASSERT_TRUE(a.ok());
    EXPECT_NEAR(a->meanSeconds, 10.65, kClose);
    const auto row = [](const std::vector<AttributionRow>& rows, std::string_view name) {
        for (const AttributionRow& r : rows)
            if (r.name == name)
                return r;
        ADD_FAILURE() << name;
        return AttributionRow{};
    };
    // On the path: F0 and B1 of stage 0; F0, B0, F1, B1 of stage 1; two transfers; gradients and optimizer of stage 0.
    EXPECT_NEAR(row(a->byClass, "gemm").secondsAll.value, 0.8 + 1.6 + 2 * (0.8 + 1.6), kClose);
    EXPECT_NEAR(row(a->byClass, "tp.all_reduce").secondsAll.value, 6 * 0.2, kClose);
    EXPECT_NEAR(row(a->byClass, "dp.reduce_scatter").secondsAll.value, 2 * 0.5 + 1, kClose);
    EXPECT_NEAR(row(a->byClass, "optimizer").secondsSlow.value, 0.25, kClose);
    EXPECT_NEAR(row(a->byClass, "optimizer").shareAll.value, 0.25 / 10.65, kClose);
    // A transfer belongs to the stage that sends.
    EXPECT_NEAR(row(a->byStage, "stage 0").secondsAll.value, 1 + 0.5 + 1.8 + 1.25, kClose);
    EXPECT_NEAR(row(a->byStage, "stage 1").secondsAll.value, 5.6 + 0.5, kClose);
    EXPECT_EQ(a->slowSamples, 1);
    EXPECT_EQ(a->samples, 4);
}

TEST(Attribution, SlowStepsAreTheLargestShareAndIntervalsAreThoseOfRatios)
{
    // One kernel that varies (class 0) and a collective of 0.5 s that does not: every value follows from the steps themselves.
    const StepGraph g = test::jobGraph({.forwardSeconds = 1.0, .gradSyncSeconds = 0.5, .compute = {Family::lognormal, 0.4}});
    std::vector<double> steps;
    for (int i = 0; i < 40; ++i)
        steps.push_back(timeline(g, {.kind = DrawChoice::Kind::sample, .sample = i})->stepSeconds);
    std::sort(steps.begin(), steps.end());
    const auto a = attribution(g, {.samples = 40}, 0.1);
    ASSERT_TRUE(a.ok());
    double sum = 0, slow = 0, squares = 0, residuals = 0;
    for (std::size_t i = 0; i < 40; ++i) {
        sum += steps[i];
        slow += i >= 36 ? steps[i] / 4 : 0;
    }
    const double mean = sum / 40, ratio = 0.5 / mean;
    for (const double x : steps) {
        squares += (x - mean) * (x - mean);
        residuals += (0.5 - ratio * x) * (0.5 - ratio * x);
    }
    EXPECT_EQ(a->slowSamples, 4);
    EXPECT_NEAR(a->slowThresholdSeconds, steps[36], kClose);
    EXPECT_NEAR(a->meanSeconds, mean, kClose);
    EXPECT_NEAR(a->slowMeanSeconds, slow, kClose);
    for (const AttributionRow& r : a->byClass) {
        const bool constant = r.name == "dp.reduce_scatter";
        EXPECT_NEAR(r.secondsAll.value, constant ? 0.5 : mean - 0.5, kClose);
        EXPECT_NEAR(r.secondsAll.halfWidth, constant ? 0 : 1.959963985 * std::sqrt(squares / (40 * 39)), 1e-8);
        EXPECT_NEAR(r.secondsSlow.value, constant ? 0.5 : slow - 0.5, kClose);
        EXPECT_NEAR(r.shareAll.value, constant ? ratio : 1 - ratio, kClose);
        EXPECT_NEAR(r.shareAll.halfWidth, 1.959963985 * std::sqrt(residuals / (40 * 39)) / mean, 1e-8);
        EXPECT_NEAR(r.shareSlow.value, constant ? 0.5 / slow : 1 - 0.5 / slow, kClose);
        EXPECT_NEAR(r.excessShare.value, constant ? 0 : 1, 1e-8);
        EXPECT_NEAR(r.excessShare.halfWidth, std::hypot(r.secondsSlow.halfWidth, r.secondsAll.halfWidth) / (slow - mean), kClose);
    }
    EXPECT_EQ(a->byClass.front().name, "gemm");
}

TEST(Attribution, DelaysOfWholeStepsAreSeparateRows)
{
    StepGraph g = test::jobGraph({.forwardSeconds = 1.0});
    g.delays.jitterSeconds = 0.1;
    g.delays.stallsPerGpuHour = 600; // some 0.5 per step
    g.delays.stallMeanSeconds = 0.5;
    const auto a = attribution(g, {.samples = 200});
    ASSERT_TRUE(a.ok());
    double classes = 0, stages = 0, causes = 0;
    for (const AttributionRow& r : a->byClass) {
        classes += r.secondsAll.value;
        EXPECT_TRUE(r.name == "gemm" || r.name == "step jitter" || r.name == "stalls") << r.name;
        if (r.name == "gemm") {
            EXPECT_NEAR(r.secondsAll.value, 3, kClose);
        }
        if (r.name == "stalls") {
            EXPECT_NEAR(r.secondsAll.value, 600.0 / 3600 * 3 * 0.5, 0.1); // rate x step x size
        }
    }
    for (const AttributionRow& r : a->byStage)
        stages += r.secondsAll.value;
    for (const AttributionRow& r : a->byCause)
        causes += r.name == "step_jitter" || r.name == "stall" ? r.secondsAll.value : 0;
    EXPECT_NEAR(classes, a->meanSeconds, kClose);
    EXPECT_NEAR(stages, a->meanSeconds, kClose);
    EXPECT_EQ(a->byStage.back().name, "whole step");
    EXPECT_NEAR(a->byStage.back().secondsAll.value, a->meanSeconds - 3, kClose);
    EXPECT_NEAR(causes, a->meanSeconds - 3, kClose);
}

} // namespace prism
