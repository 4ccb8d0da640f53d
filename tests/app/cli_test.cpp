// SPDX-License-Identifier: GPL-3.0-or-later
// The promises of the command line: keys and consistency of predict, the same bits, graph | simulate, help, exit codes.
#include "run_cli.h"

#include "core/scenario/presets.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace prism::test {
namespace {

using Json = nlohmann::json;

Json predict(const std::string& arguments)
{
    const CliRun run = runCli("predict " + arguments + " --json");
    EXPECT_EQ(run.exitCode, 0) << arguments << "\n" << run.err;
    return run.exitCode == 0 ? Json::parse(run.out) : Json();
}

void expectFinite(const Json& value, const std::string& path)
{
    if (value.is_number()) {
        EXPECT_TRUE(std::isfinite(value.get<double>())) << path;
    } else if (value.is_structured()) {
        for (const auto& [key, child] : value.items())
            expectFinite(child, path + "/" + key);
    } else {
        EXPECT_FALSE(value.is_null()) << path;
    }
}

Json withoutElapsed(Json value)
{
    value.erase("elapsed_s");
    return value;
}

TEST(CliPredict, EveryScenarioPresetHasAllKeysFiniteAndConsistent)
{
    int count = 0;
    for (const PresetInfo& info : presetList()) {
        if (info.kind != "scenario")
            continue;
        ++count;
        SCOPED_TRACE(info.name);
        const Json p = predict(info.name + " --samples 1000");
        for (const char* key : {"scenario",     "hash",           "engine_version",
                                "seed",         "samples",        "elapsed_s",
                                "step_time_s",  "within_job_s",   "noise_free_step_time_s",
                                "slowdown_p50", "slowdown_p95",   "variance_share",
                                "tokens_per_s", "tflops_per_gpu", "mfu",
                                "hfu",          "memory_gib",     "breakdown_s",
                                "world",        "warnings"})
            ASSERT_TRUE(p.contains(key)) << key;
        expectFinite(p, "");
        const Json& t = p["step_time_s"];
        EXPECT_LE(t["p5"], t["p50"]);
        EXPECT_LE(t["p50"], t["p95"]);
        EXPECT_LE(t["p95"], t["p99"]);
        EXPECT_GT(t["p5"].get<double>(), 0.0);
        const Json& w = p["within_job_s"];
        EXPECT_LE(w["p5"], w["p50"]);
        EXPECT_LE(w["p50"], w["p95"]);
        const double noiseFree = p["noise_free_step_time_s"];
        EXPECT_NEAR(p["slowdown_p50"].get<double>(), t["p50"].get<double>() / noiseFree, 1e-9);
        EXPECT_NEAR(p["slowdown_p95"].get<double>(), t["p95"].get<double>() / noiseFree, 1e-9);
        double total = 0;
        for (const auto& [key, value] : p["breakdown_s"].items())
            total += value.get<double>();
        EXPECT_NEAR(total, noiseFree, 1e-6 * noiseFree);
        double shares = 0;
        for (const char* key : {"spatial", "temporal", "regime", "data", "rare", "step_jitter", "stalls", "interaction"})
            shares += p["variance_share"][key].get<double>();
        EXPECT_NEAR(shares, 1.0, 1e-6);
        const Json& world = p["world"];
        EXPECT_EQ(world["gpus"].get<long>(),
                  world["tp"].get<long>() * world["pp"].get<long>() * world["cp"].get<long>() * world["dp"].get<long>());
        EXPECT_EQ(p["memory_gib"]["stages"].size(), world["pp"].get<std::size_t>());
        EXPECT_GT(p["mfu"].get<double>(), 0.0);
        EXPECT_LE(p["mfu"].get<double>(), p["hfu"].get<double>() + 1e-12);
        EXPECT_LT(p["hfu"].get<double>(), 1.0);
    }
    EXPECT_GE(count, 8);
}

TEST(CliPredict, PublishedLlama3UtilisationIsInTheNeighbourhood)
{
    // Llama 3 (arXiv 2407.21783, table 4): MFU 41 % on 16,384 H100 at TP 8, PP 16, DP 128.
    const Json p = predict("llama3-405b-16k-h100");
    EXPECT_NEAR(p["mfu"].get<double>(), 0.41, 0.06);
}

TEST(CliPredict, SameBitsTwiceAndOnAnyNumberOfThreads)
{
    const Json first = withoutElapsed(predict("llama3-405b-16k-h100 --threads 1"));
    EXPECT_EQ(first, withoutElapsed(predict("llama3-405b-16k-h100 --threads 1")));
    EXPECT_EQ(first, withoutElapsed(predict("llama3-405b-16k-h100 --threads 2")));
    EXPECT_EQ(first, withoutElapsed(predict("llama3-405b-16k-h100 --threads 4")));
    EXPECT_NE(first["step_time_s"], predict("llama3-405b-16k-h100 --seed 2")["step_time_s"]);
}

TEST(CliGraph, SimulatingTheWrittenGraphGivesTheSameSamples)
{
    const auto a = scratch() / "a.csv", b = scratch() / "b.csv", graph = scratch() / "graph.json";
    ASSERT_EQ(runCli("predict gpt3-175b-1024-a100 --samples 2000 --samples-out " + a.string()).exitCode, 0);
    ASSERT_EQ(runCli("graph gpt3-175b-1024-a100 --output " + graph.string()).exitCode, 0);
    const CliRun run = runCli("simulate - --samples 2000 --json --samples-out " + b.string() + " <" + graph.string());
    ASSERT_EQ(run.exitCode, 0) << run.err;
    EXPECT_EQ(slurp(a), slurp(b));
    EXPECT_GT(slurp(a).size(), 2000U);
}

TEST(Cli, HelpOfEveryCommandNamesItsOptions)
{
    const CliRun help = runCli("--help");
    ASSERT_EQ(help.exitCode, 0);
    for (const char* command : {"predict", "check", "presets", "graph", "simulate", "import", "sensitivity", "attribution", "placement",
                                "scale", "compare", "guarantee", "timeline", "study", "validate-published", "bench"}) {
        EXPECT_NE(help.out.find(command), std::string::npos) << command;
        const CliRun own = runCli(std::string(command) + " --help");
        EXPECT_EQ(own.exitCode, 0) << command;
        EXPECT_GT(own.out.size(), 100U) << command;
    }
}

TEST(Cli, ExitCodes)
{
    EXPECT_EQ(runCli("").exitCode, 2);
    EXPECT_EQ(runCli("no-such-command").exitCode, 2);
    EXPECT_EQ(runCli("predict").exitCode, 2);
    EXPECT_EQ(runCli("predict llama2-7b-8-a100 --samples many").exitCode, 2);
    EXPECT_EQ(runCli("predict no-such-scenario").exitCode, 1);
    EXPECT_EQ(runCli("predict llama2-7b-8-a100 --set parallelism.tensor_model_paralel_size=4").exitCode, 1);
    EXPECT_EQ(runCli("check llama2-7b-8-a100").exitCode, 0);
    EXPECT_EQ(runCli("--version").exitCode, 0);
}

} // namespace
} // namespace prism::test
