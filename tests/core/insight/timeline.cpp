// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/onestep/timeline.h"

#include "core/insight/onestep/rangesum.h"

#include "core/insight/graphs.h"
#include "core/schedule/dualpipe.h"
#include "core/schedule/generators.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

using namespace prism;
using namespace prism::testscenarios;

namespace {

DrawChoice sampleChoice(int sample)
{
    DrawChoice draw;
    draw.kind = DrawChoice::Kind::sample;
    draw.sample = sample;
    return draw;
}

nlohmann::json traceOf(const StepGraph& graph)
{
    const auto t = timeline(graph, sampleChoice(0));
    EXPECT_TRUE(t.ok()) << (t.ok() ? "" : t.errors().front().path + ": " + t.errors().front().message);
    return t.ok() ? nlohmann::json::parse(toChromeTrace(*t)) : nlohmann::json{{"traceEvents", nlohmann::json::array()}};
}

using Track = std::pair<int, int>; // process, thread

/// Slices of one track: disjoint, or one inside the other; what overlaps otherwise is cut by the importer.
void expectNested(std::vector<std::pair<double, double>> slices, const Track& track)
{
    std::sort(slices.begin(), slices.end(),
              [](const auto& a, const auto& b) { return a.first < b.first || (a.first == b.first && a.second > b.second); });
    std::vector<double> open;
    for (const auto& [start, end] : slices) {
        while (!open.empty() && open.back() <= start + 1e-6)
            open.pop_back();
        if (!open.empty()) {
            EXPECT_LE(end, open.back() + 1e-6) << "stage " << track.first << " track " << track.second << " at " << start;
        }
        open.push_back(end);
    }
}

void expectEventFormat(const nlohmann::json& trace)
{
    ASSERT_TRUE(trace.at("traceEvents").is_array());
    ASSERT_FALSE(trace["traceEvents"].empty());
    EXPECT_TRUE(trace.at("displayTimeUnit") == "ms" || trace.at("displayTimeUnit") == "ns");
    std::map<Track, std::vector<std::pair<double, double>>> slices;
    std::map<Track, std::string> threadNames;
    std::map<int, std::string> processNames;
    std::map<int, std::vector<nlohmann::json>> flows;
    std::map<std::pair<int, std::string>, double> counterAt;
    for (const nlohmann::json& e : trace["traceEvents"]) {
        const std::string phase = e.at("ph"), name = e.at("name");
        ASSERT_TRUE(e.at("pid").is_number_integer() && e.at("tid").is_number_integer());
        const Track track{e["pid"], e["tid"]};
        if (phase == "M") {
            EXPECT_TRUE(name == "process_name" || name == "thread_name" || name == "process_sort_index" || name == "thread_sort_index")
                << name;
            EXPECT_TRUE(name.ends_with("_name") ? e.at("args").at("name").is_string() : e.at("args").at("sort_index").is_number_integer());
            if (name == "process_name") {
                EXPECT_TRUE(processNames.emplace(track.first, e["args"]["name"]).second);
            } else if (name == "thread_name") {
                EXPECT_TRUE(threadNames.emplace(track, e["args"]["name"]).second);
            }
            continue;
        }
        ASSERT_TRUE(e.at("ts").is_number());
        const double at = e["ts"];
        EXPECT_TRUE(std::isfinite(at) && at >= 0) << name;
        if (phase == "X") {
            ASSERT_TRUE(e.at("dur").is_number());
            EXPECT_GT(e["dur"].get<double>(), 0) << name;
            EXPECT_TRUE(e.at("cat").is_string() && e.at("args").is_object());
            slices[track].emplace_back(at, at + e["dur"].get<double>());
        } else if (phase == "s" || phase == "f") {
            flows[e.at("id").get<int>()].push_back(e);
        } else if (phase == "C") {
            double& last = counterAt.try_emplace({track.first, name}, -1.0).first->second;
            EXPECT_GT(at, last) << "counters come in the order of their time";
            last = at;
            for (const auto& [series, value] : e.at("args").items())
                EXPECT_TRUE(value.is_number()) << series;
        } else {
            ADD_FAILURE() << "phase " << phase;
        }
    }
    for (const auto& [track, list] : slices) {
        EXPECT_TRUE(threadNames.contains(track)) << track.first << ", " << track.second;
        EXPECT_TRUE(processNames.contains(track.first));
        expectNested(list, track);
    }
    const auto holds = [&](const nlohmann::json& e) {
        const auto& list = slices[{e["pid"], e["tid"]}];
        const double at = e["ts"];
        return std::any_of(list.begin(), list.end(),
                           [at](const auto& slice) { return slice.first <= at + 1e-6 && at <= slice.second + 1e-6; });
    };
    for (const auto& [id, ends] : flows) {
        ASSERT_EQ(ends.size(), 2U) << id;
        EXPECT_EQ(ends[0]["ph"], "s");
        EXPECT_EQ(ends[1]["ph"], "f");
        EXPECT_EQ(ends[0]["cat"], ends[1]["cat"]);
        EXPECT_EQ(ends[0]["name"], ends[1]["name"]);
        EXPECT_LE(ends[0]["ts"].get<double>(), ends[1]["ts"].get<double>());
        EXPECT_EQ(ends[1].at("bp"), "e");
        // A flow hangs on the slice that encloses its time.
        EXPECT_TRUE(holds(ends[0])) << "start of flow " << id;
        EXPECT_TRUE(holds(ends[1])) << "end of flow " << id;
    }
}

} // namespace

TEST(Timeline, StagesAreFilledWithoutOverlap)
{
    const auto t = timeline(pipelineGraph(4, 8, 8, 2), sampleChoice(3));
    ASSERT_TRUE(t.ok());
    std::map<int, double> at, covered;
    for (const TimelineSpan& span : t->spans) {
        if (span.kind == SpanKind::send)
            continue;
        EXPECT_GE(span.startSeconds, at[span.stage] - 1e-12);
        at[span.stage] = span.endSeconds;
        covered[span.stage] += span.endSeconds - span.startSeconds;
    }
    for (int s = 0; s < 4; ++s)
        EXPECT_NEAR(covered[s], t->stepSeconds, 1e-9);
    EXPECT_NEAR(t->criticalSeconds, t->stepSeconds, 1e-9);
}

TEST(Timeline, ForwardAndBackwardInOnePieceAreShownTogether)
{
    StepGraph g = pipelineGraph(2, 6, 2, 2);
    g.schedule = withPieces(makeSchedule("dualpipev", 2, 2, 6).value());
    g.programs.push_back(g.programs[0]); // weights
    g.programOf.assign(2, std::vector<std::array<int, kPhases>>(2, {0, 1, 2}));
    g.sendForward.assign(3, g.sendForward[0]);
    g.sendForward[1] = {}; // the turn of the path
    g.sendBackward = g.sendForward;
    const auto t = timeline(g, sampleChoice(3));
    ASSERT_TRUE(t.ok()) << t.errors().front().message;
    std::map<int, double> covered;
    std::map<std::pair<int, double>, int> pieces; // stage and start: passes
    for (const TimelineSpan& span : t->spans) {
        if (span.kind != SpanKind::send)
            covered[span.stage] += span.endSeconds - span.startSeconds;
        if (span.pairedMicrobatch < 0)
            continue;
        EXPECT_GE(span.startSeconds, span.pieceStart);
        EXPECT_LE(span.endSeconds, span.pieceEnd);
        EXPECT_EQ(span.pairedChunk, 1 - span.chunk);
        ++pieces[{span.stage, span.pieceStart}];
    }
    // Stage 0 runs M - 2 P + 1 times two pairs and one more of the fifth step; the first pair of the last stage stays separate.
    EXPECT_EQ(pieces.size(), 2U * (6 - 4 + 1) + 1 + 2U * (6 - 4 + 2) - 1);
    for (const auto& [at, passes] : pieces)
        EXPECT_EQ(passes, 3) << "forward, backward and weights of stage " << at.first;
    for (int s = 0; s < 2; ++s)
        EXPECT_NEAR(covered[s], t->stepSeconds, 1e-9);
    EXPECT_NEAR(t->criticalSeconds, t->stepSeconds, 1e-9);
    const nlohmann::json trace = nlohmann::json::parse(toChromeTrace(*t));
    expectEventFormat(trace);
    std::size_t around = 0;
    for (const auto& e : trace["traceEvents"])
        around += e.value("cat", "") == "piece" ? 1 : 0;
    EXPECT_EQ(around, pieces.size());
}

TEST(Timeline, QuantilesAreInOrder)
{
    const StepGraph g = pipelineGraph(4, 4, 8, 2);
    DrawChoice median, tail;
    tail.quantile = 0.95;
    const auto a = timeline(g, median), b = timeline(g, tail);
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_LT(a->stepSeconds, b->stepSeconds);
    EXPECT_EQ(a->draw, "p50 step");
    EXPECT_EQ(b->draw, "p95 step");
    EXPECT_FALSE(timeline(g, sampleChoice(-1)).ok());
    tail.quantile = 1.5;
    EXPECT_FALSE(timeline(g, tail).ok());
}

TEST(Timeline, AnotherReplicaWaitsForTheSlowest)
{
    const StepGraph g = pipelineGraph(4, 4, 8, 2);
    const auto slowest = timeline(g, sampleChoice(3));
    ASSERT_TRUE(slowest.ok());
    ASSERT_EQ(slowest->replica, slowest->slowestReplica);
    DrawChoice other = sampleChoice(3);
    other.replica = (slowest->replica + 1) % g.numReplicas;
    const auto t = timeline(g, other);
    ASSERT_TRUE(t.ok());
    EXPECT_EQ(t->replica, other.replica);
    EXPECT_EQ(t->slowestReplica, slowest->replica);
    EXPECT_EQ(t->stepSeconds, slowest->stepSeconds) << "one step, looked at elsewhere";
    EXPECT_LT(t->criticalSeconds, slowest->criticalSeconds);
    std::map<int, double> covered;
    for (const TimelineSpan& span : t->spans) {
        if (span.kind != SpanKind::send)
            covered[span.stage] += span.endSeconds - span.startSeconds;
        if (span.kind == SpanKind::forward || span.kind == SpanKind::backward) {
            EXPECT_FALSE(span.critical) << "the path runs through another replica";
        }
    }
    for (int s = 0; s < 4; ++s)
        EXPECT_NEAR(covered[s], t->stepSeconds, 1e-9);
    // Requested by its number, the slowest replica is the same as without a number.
    other.replica = slowest->replica;
    EXPECT_EQ(timeline(g, other)->spans.size(), slowest->spans.size());
    EXPECT_NEAR(timeline(g, other)->criticalSeconds, slowest->criticalSeconds, 1e-12);
    other.replica = g.numReplicas;
    ASSERT_FALSE(timeline(g, other).ok());
    EXPECT_EQ(timeline(g, other).errors().front().path, "replica");
}

TEST(Timeline, ARangeSumsToItsStageSeconds)
{
    const StepGraph g = pipelineGraph(4, 8, 8, 2);
    const auto t = timeline(g, sampleChoice(3));
    ASSERT_TRUE(t.ok());
    const auto work = [](const RangeSum& sum) {
        double seconds = 0;
        for (std::size_t k = 0; k < kSpanKinds; ++k)
            seconds += static_cast<SpanKind>(k) == SpanKind::send ? 0 : sum.byKind[k];
        return seconds;
    };
    const double from = 0.2 * t->stepSeconds, to = 0.7 * t->stepSeconds;
    const RangeSum all = sumOverRange(*t, 0, t->stepSeconds), part = sumOverRange(*t, to, from);
    EXPECT_NEAR(work(all), 4 * t->stepSeconds, 1e-9);
    EXPECT_NEAR(work(part), 4 * (to - from), 1e-9);
    EXPECT_NEAR(all.criticalSeconds, t->criticalSeconds, 1e-9);
    double byStage = 0;
    for (int s = 0; s < 4; ++s)
        byStage += sumOverRange(*t, from, to, s).of(SpanKind::forward);
    EXPECT_NEAR(byStage, part.of(SpanKind::forward), 1e-9);
    // Two halves hold what the whole holds, class by class.
    const RangeSum left = sumOverRange(*t, 0, from), right = sumOverRange(*t, from, 2 * t->stepSeconds);
    const auto secondsOf = [](const RangeSum& sum, int kernelClass) {
        for (const SpanPart& p : sum.byClass)
            if (p.kernelClass == kernelClass)
                return p.seconds;
        return 0.0;
    };
    ASSERT_FALSE(all.byClass.empty());
    for (const SpanPart& p : all.byClass)
        EXPECT_NEAR(secondsOf(left, p.kernelClass) + secondsOf(right, p.kernelClass), p.seconds, 1e-9);
    EXPECT_EQ(work(sumOverRange(*t, 3 * t->stepSeconds, 4 * t->stepSeconds)), 0);
}

TEST(Timeline, TheChangeOfAStepIsTheSumOfItsKinds)
{
    const StepGraph g = pipelineGraph(4, 8, 8, 2);
    const auto shorter = timeline(g, sampleChoice(3)), longer = timeline(g, sampleChoice(5));
    ASSERT_TRUE(shorter.ok() && longer.ok());
    const StepChange change = changeOfStep(*shorter, *longer), back = changeOfStep(*longer, *shorter);
    EXPECT_NE(change.stepSeconds, 0);
    EXPECT_NEAR(change.stepSeconds, longer->stepSeconds - shorter->stepSeconds, 1e-12);
    double kinds = 0;
    for (std::size_t k = 0; k < kSpanKinds; ++k) {
        kinds += static_cast<SpanKind>(k) == SpanKind::send ? 0 : change.byKind[k];
        EXPECT_NEAR(change.byKind[k], -back.byKind[k], 1e-12);
    }
    EXPECT_NEAR(kinds, change.stepSeconds, 1e-9);
    ASSERT_FALSE(change.byClass.empty());
    for (std::size_t i = 1; i < change.byClass.size(); ++i)
        EXPECT_GE(std::abs(change.byClass[i - 1].seconds), std::abs(change.byClass[i].seconds));
    for (const double nothing : changeOfStep(*longer, *longer).byKind)
        EXPECT_EQ(nothing, 0);
}

TEST(Timeline, InFlightMatchesTheSchedule)
{
    const StepGraph g = pipelineGraph(4, 8, 2, 1);
    const auto t = timeline(g, sampleChoice(0));
    ASSERT_TRUE(t.ok());
    const std::vector<int> expected = activationsInFlight(g.schedule);
    for (std::size_t s = 0; s < 4; ++s) {
        int largest = 0;
        for (const InFlightPoint& p : t->inFlight[s])
            largest = std::max(largest, p.microbatches);
        EXPECT_EQ(largest, expected[s]);
        EXPECT_EQ(t->inFlight[s].back().microbatches, 0);
    }
}

TEST(Timeline, ChromeTraceHasEveryPieceOnce)
{
    const nlohmann::json trace = traceOf(pipelineGraph(3, 4, 2, 2));
    std::map<std::string, int> phases;
    for (const nlohmann::json& e : trace["traceEvents"])
        ++phases[e.at("ph")];
    // 3 stages x 4 micro-batches x 2 phases, 16 transfers, 3 synchronisations, 3 optimizers
    EXPECT_EQ(phases["X"], 24 + 16 + 3 + 3);
    EXPECT_EQ(phases["s"], 16);
    EXPECT_EQ(phases["f"], 16);
}

/// The rules of the Trace Event Format that Perfetto's importer relies on, on plain, interleaved, split-weight and blocking pipelines.
TEST(Timeline, ChromeTraceFollowsTheEventFormat)
{
    StepGraph blocking = pipelineGraph(4, 8, 4, 2), split = blocking, interleaved = blocking, slowLinks = blocking;
    for (StepOp& op : slowLinks.sendForward)
        op.meanSeconds = 3e-2; // longer than a chunk: transfers of one stage overlap
    blocking.transferOccupiesSender = true;
    split.programOf.assign(4, {{0, 0, 0}});
    split.schedule = makeSchedule("zb-h1", 4, 1, 8).value();
    interleaved.programOf.assign(4, {{0, 1, -1}, {0, 1, -1}});
    interleaved.schedule = makeSchedule("interleaved", 4, 2, 8).value();
    interleaved.sendForward.assign(7, blocking.sendForward[0]);
    interleaved.sendBackward = interleaved.sendForward;
    for (const StepGraph& graph : {pipelineGraph(1, 3, 2, 1), pipelineGraph(4, 8, 16, 2), blocking, split, interleaved, slowLinks})
        expectEventFormat(traceOf(graph));
}
