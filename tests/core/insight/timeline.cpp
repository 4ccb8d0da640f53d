#include "core/insight/timeline.h"

#include "core/insight/graphs.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>

using namespace prism;
using namespace prism::testing;

namespace {

DrawChoice sampleChoice(int sample)
{
    DrawChoice draw;
    draw.kind = DrawChoice::Kind::sample;
    draw.sample = sample;
    return draw;
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

TEST(Timeline, InFlightMatchesTheSchedule)
{
    const StepGraph g = pipelineGraph(4, 8, 2, 1);
    const auto t = timeline(g, sampleChoice(0));
    ASSERT_TRUE(t.ok());
    const std::vector<int> most = activationsInFlight(g.schedule);
    for (std::size_t s = 0; s < 4; ++s) {
        int largest = 0;
        for (const InFlightPoint& p : t->inFlight[s])
            largest = std::max(largest, p.microbatches);
        EXPECT_EQ(largest, most[s]);
        EXPECT_EQ(t->inFlight[s].back().microbatches, 0);
    }
}

TEST(Timeline, ChromeTraceFollowsTheEventFormat)
{
    const auto t = timeline(pipelineGraph(3, 4, 2, 2), sampleChoice(0));
    ASSERT_TRUE(t.ok());
    const nlohmann::json trace = nlohmann::json::parse(toChromeTrace(*t));
    ASSERT_TRUE(trace.at("traceEvents").is_array());
    std::map<std::string, int> phases;
    std::map<int, int> flows;
    for (const nlohmann::json& e : trace["traceEvents"]) {
        const std::string phase = e.at("ph");
        ++phases[phase];
        EXPECT_TRUE(e.at("pid").is_number_integer() && e.at("tid").is_number_integer() && e.at("name").is_string());
        if (phase == "X") {
            EXPECT_GE(e.at("dur").get<double>(), 0);
            EXPECT_GE(e.at("ts").get<double>(), 0);
        }
        if (phase == "s" || phase == "f")
            flows[e.at("id").get<int>()] += phase == "s" ? 1 : -1;
    }
    for (const auto& [id, balance] : flows)
        EXPECT_EQ(balance, 0) << id;
    // 3 stages x 4 micro-batches x 2 phases, 16 transfers, 3 synchronisations, 3 optimizers
    EXPECT_EQ(phases["X"], 24 + 16 + 3 + 3);
}
