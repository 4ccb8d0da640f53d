// SPDX-License-Identifier: GPL-3.0-or-later
// Bad and hostile scenario files: all errors, exit code 1, bounded time and memory, no crash.
#include "run_cli.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace prism::test {
namespace {

CliRun runOnText(const std::string& text, const std::string& command = "predict")
{
    const auto file = scratch() / "scenario.json";
    std::ofstream(file, std::ios::binary) << text;
    return runCli(command + " " + file.string() + " --json", 2048, 20);
}

void expectRefused(const std::string& text, const std::string& what)
{
    const CliRun run = runOnText(text);
    EXPECT_EQ(run.exitCode, 1) << what << "\n" << run.err.substr(0, 500);
    EXPECT_TRUE(run.out.empty()) << what;
    const auto errors = nlohmann::json::parse(run.err, nullptr, false);
    ASSERT_FALSE(errors.is_discarded()) << what << "\n" << run.err.substr(0, 500);
    EXPECT_GE(errors["errors"].size(), 1U) << what;
}

TEST(CliHostile, MalformedText)
{
    expectRefused("", "empty");
    expectRefused("{", "truncated");
    expectRefused("[]", "an array");
    expectRefused("{\"version\":1} x", "text after the end");
    expectRefused(std::string("{\"name\":\"\xff\xfe\"}"), "not UTF-8");
    expectRefused("{\"version\":99}", "a newer version");
}

TEST(CliHostile, ImpossibleValues)
{
    for (const char* model : {R"({"num_layers":0})", R"({"num_layers":-3})", R"({"num_layers":"many"})", R"({"num_layers":1e300})",
                              R"({"hidden_size":9223372036854775807})", R"({"num_layers":1.5})", R"({"seq_length":null})"})
        expectRefused(std::string(R"({"version":1,"model":)") + model + "}", model);
    expectRefused(R"({"version":1,"cluster":{"num_gpus":1000000000}})", "a thousand million GPUs");
    expectRefused(R"({"version":1,"variability":{"gemm":{"family":"lognormal","cv":NaN}}})", "NaN");
    expectRefused(R"({"version":1,"variability":{"gemm":{"family":"lognormal","cv":-1}}})", "negative");
    expectRefused(R"({"version":1,"variability":{"gemm":{"family":"lognormal","cv":1e999}}})", "infinite");
}

TEST(CliHostile, AllErrorsAtOnceWithASuggestion)
{
    const CliRun run =
        runOnText(R"({"version":1,"model":{"num_layer":4,"hidden_size":-1},"parallelism":{"tensor_model_parallel_size":0}})");
    EXPECT_EQ(run.exitCode, 1);
    const auto errors = nlohmann::json::parse(run.err)["errors"];
    EXPECT_GE(errors.size(), 3U);
    EXPECT_NE(run.err.find("num_layers"), std::string::npos);
}

TEST(CliHostile, TooLargeAndTooDeep)
{
    expectRefused("{\"name\":\"" + std::string(std::size_t{100} << 20, 'a') + "\"}", "100 MB");
    expectRefused(std::string(10'000, '[') + std::string(10'000, ']'), "nested 10,000 deep");
    std::string objects;
    for (int i = 0; i < 10'000; ++i)
        objects += "{\"model\":";
    expectRefused(objects + "1" + std::string(10'000, '}'), "objects nested 10,000 deep");
}

TEST(CliHostile, GraphFiles)
{
    for (const char* text : {"", "{}", "[1,2", R"({"format":"prism-stepgraph-1","num_replicas":1000000000000})"}) {
        const CliRun run = runOnText(text, "graph simulate");
        EXPECT_EQ(run.exitCode, 1) << text;
    }
}

} // namespace
} // namespace prism::test
