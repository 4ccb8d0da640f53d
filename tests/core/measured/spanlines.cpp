// SPDX-License-Identifier: GPL-3.0-or-later
// OpenTelemetry spans of training steps in each form in which they reach a file. No real file was at hand: forms of the SDK's to_json and
// of OTLP/JSON.
#include "core/measured/loglines.h"
#include "core/measured/steplog.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

namespace prism {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSpanSteps = 9;
constexpr const char* kIteration = "megatron.train.iteration";

/// Milliseconds of step `k`, and its start after the hour: steps follow each other with 3 ms between.
int stepMs(int k)
{
    return 2'400 + 125 * ((5 * k) % 7);
}
int startMs(int k)
{
    return k == 1 ? 17 : startMs(k - 1) + stepMs(k - 1) + 3;
}

std::string isoText(int ms)
{
    return fmt::format("2026-03-01T10:{:02}:{:02}.{:03}500Z", ms / 60'000, ms / 1'000 % 60, ms % 1'000);
}

/// As the SDK's exporter prints it.
Json sdkSpan(const char* name, int iteration, int start, int end)
{
    return {{"name", name},
            {"context", {{"trace_id", "0x1f"}, {"span_id", fmt::format("0x{:x}", iteration)}}},
            {"start_time", isoText(start)},
            {"end_time", isoText(end)},
            {"attributes", {{"megatron.iteration", iteration}}},
            {"resource", {{"attributes", {{"service.instance.id", "run7-rank3"}, {"nemo.run.id", "run7"}}}}}};
}

/// As OTLP has it: nanoseconds and integers are texts.
Json otlpSpan(const char* name, int iteration, int start, int end)
{
    const auto nanoseconds = [](int ms) { return std::to_string(1'772'359'200'000LL + ms) + "500000"; };
    return {{"name", name},
            {"startTimeUnixNano", nanoseconds(start)},
            {"endTimeUnixNano", nanoseconds(end)},
            {"attributes", {{{"key", "megatron.iteration"}, {"value", {{"intValue", std::to_string(iteration)}}}}}}};
}

Json otlpBatch(const Json& spans)
{
    const Json resource = {{"attributes", {{{"key", "nemo.run.id"}, {"value", {{"stringValue", "run7"}}}}}}};
    return {{"resourceSpans", {{{"resource", resource}, {"scopeSpans", {{{"spans", spans}}}}}}}};
}

/// Every step with parts of it, a checkpoint and an evaluation, which name an iteration too.
template <typename Make, typename Write>
std::string logWith(const Make& make, const Write& write)
{
    std::string text = "[rank3] training starts\n";
    for (int k = 1; k <= kSpanSteps; ++k) {
        const int start = startMs(k), end = start + stepMs(k);
        text += write(make("megatron.forward_backward", k, start + 1, end - 200)) + write(make(kIteration, k, start, end));
        text += k % 3 == 0 ? write(make("megatron.checkpoint.save", k, end, end + 2)) : "some other line\n";
    }
    return text;
}

void expectTheSteps(const std::string& text, const char* run)
{
    const Result<StepLog> log = readStepLog(text);
    ASSERT_TRUE(log.ok()) << log.errors()[0].message << "\n" << text.substr(0, 500);
    EXPECT_EQ(log->format, "OpenTelemetry spans");
    EXPECT_EQ(log->timeField, std::string("duration of ") + kIteration);
    ASSERT_EQ(log->runs.size(), 1U);
    EXPECT_EQ(log->runs[0].name, run);
    ASSERT_EQ(log->steps(), static_cast<std::size_t>(kSpanSteps));
    for (int k = 1; k <= kSpanSteps; ++k) {
        const LoggedStep& step = log->runs[0].steps[static_cast<std::size_t>(k - 1)];
        EXPECT_EQ(step.number, k);
        EXPECT_NEAR(step.seconds, 1e-3 * stepMs(k), 1e-6);
        EXPECT_NEAR(step.pauseSeconds, k == 1 ? -1 : 0.003, 1e-6) << "from the end of a span to the start of the next";
    }
}

std::string onOneLine(const Json& span)
{
    return span.dump() + "\n";
}

TEST(SpanLines, ObjectsOfTheSdkOnOneLineAndOverMany)
{
    expectTheSteps(logWith(sdkSpan, onOneLine), "run7");
    expectTheSteps(logWith(sdkSpan, [](const Json& span) { return span.dump(4) + "\n"; }), "run7");
}

TEST(SpanLines, OtlpInLinesAndAsOneDocument)
{
    expectTheSteps(logWith(otlpSpan, [](const Json& span) { return onOneLine(otlpBatch({span})); }), "run7");
    Json spans = Json::array();
    (void)logWith(otlpSpan, [&](const Json& span) {
        spans.push_back(span);
        return std::string();
    });
    expectTheSteps(otlpBatch(spans).dump() + "\n", "run7");
    expectTheSteps(otlpBatch(spans).dump(2) + "\n", "run7");
}

/// A collector writes a batch of 512 spans on one line.
TEST(SpanLines, ABatchOfFiveHundredSpansOnOneLine)
{
    Json spans = Json::array();
    for (int k = 1; k <= 256; ++k)
        for (const char* name : {"megatron.optimizer_step", kIteration})
            spans.push_back(otlpSpan(name, k, 3'000 * k, 3'000 * k + 2'900));
    const std::string line = otlpBatch(spans).dump();
    EXPECT_GT(line.size(), 64U << 10);
    ASSERT_LT(line.size(), kLongestLogLine);
    const Result<StepLog> log = readStepLog("training starts\n" + line + "\n");
    ASSERT_TRUE(log.ok());
    EXPECT_EQ(log->steps(), 256U);
}

TEST(SpanLines, ASpanLiesAtMostEightLevelsDeepAndInAMebibyte)
{
    // Every list is a level. An object over many lines ends with its brace, or where it is longer than a mebibyte.
    const auto stepsIn = [](int levels) {
        Json nested = sdkSpan(kIteration, 1, 17, 2'417), object = Json::object();
        for (int k = 0; k < levels; ++k)
            nested = Json::array({nested});
        object["spans"] = nested;
        const Result<StepLog> log = readStepLog(onOneLine(object));
        return log.ok() ? std::ssize(log->runs[0].steps) : 0;
    };
    EXPECT_EQ(stepsIn(7), 1) << "the object of the line, then eight levels";
    EXPECT_EQ(stepsIn(8), 0);
    const auto unusable = [](int attributes) { // of 1,000 bytes each without what indents them
        Json span = sdkSpan(kIteration, 2, 2'500, 4'900);
        for (int k = 0; k < attributes; ++k)
            span["attributes"]["note" + std::to_string(1'000 + k)] = std::string(985, 'x');
        const StepLog log = readStepLog(sdkSpan(kIteration, 1, 17, 2'417).dump(4) + "\n" + span.dump(4) + "\n").value();
        return std::pair(log.unusable, log.steps());
    };
    EXPECT_EQ(unusable(1'040), std::pair(decltype(StepLog::unusable){0}, std::size_t{2}));
    EXPECT_EQ(unusable(1'070), std::pair(decltype(StepLog::unusable){1}, std::size_t{1}));
}

TEST(SpanLines, OtherRanksRepeatASpanThatIsCutOffIsCounted)
{
    std::string text;
    for (int k = 1; k <= kSpanSteps; ++k)
        for (const char* rank : {"run7-rank0", "run7-rank3"}) {
            Json span = sdkSpan(kIteration, k, startMs(k), startMs(k) + stepMs(k));
            span["resource"]["attributes"]["service.instance.id"] = rank;
            text += onOneLine(span);
        }
    const std::string cut = onOneLine(sdkSpan(kIteration, 10, 40'000, 41'000));
    const Result<StepLog> log = readStepLog(text + cut.substr(0, cut.size() / 2) + "}\n");
    ASSERT_TRUE(log.ok());
    EXPECT_EQ(log->steps(), static_cast<std::size_t>(kSpanSteps));
    EXPECT_EQ(log->repeated, kSpanSteps);
    EXPECT_EQ(log->unusable, 1);
}

} // namespace
} // namespace prism
