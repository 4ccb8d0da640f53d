// SPDX-License-Identifier: GPL-3.0-or-later
// The promises of the command line: keys and consistency of predict, the same bits, graph | simulate, help, exit codes.
#include "run_cli.h"

#include "core/engine/evaluator.h"
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

/// The metrics of a distribution as predict prints them.
void expectPrinted(const Json& printed, const DistributionSummary& d, const char* what)
{
    SCOPED_TRACE(what);
    const std::pair<const char*, double> metrics[] = {{"mean", d.mean}, {"std", d.std}, {"cv", d.cv},  {"p5", d.p5},
                                                      {"p50", d.p50},   {"p95", d.p95}, {"p99", d.p99}};
    for (const auto& [key, value] : metrics)
        EXPECT_EQ(printed[key].get<double>(), value) << key;
    const std::pair<const char*, double> intervals[] = {{"mean", d.ciMean}, {"p50", d.ciP50}, {"p95", d.ciP95}, {"p99", d.ciP99}};
    for (const auto& [key, value] : intervals)
        EXPECT_EQ(printed["ci95"][key].get<double>(), value) << key;
}

// What every preset predicts is in the table of golden metrics; here what is printed is what the library predicts, to the last bit.
TEST(CliPredict, PrintsWhatTheLibraryComputes)
{
    for (const char* name : {"llama2-7b-8-a100", "llama3-70b-256-h100"}) {
        SCOPED_TRACE(name);
        Scenario scenario = *scenarioPreset(name);
        scenario.training.trainTokens = 1e9;
        scenario.cluster.gpuHourPriceUsd = 3;
        const Json p =
            predict(std::string(name) + " --samples 200 --seed 3 --set training.train_tokens=1e9 --set cluster.gpu_hour_price_usd=3");
        Evaluator evaluator;
        const SnapshotPtr s = evaluator.evaluate(scenario, {.seed = 3, .numSamples = 200});
        expectFinite(p, "");
        EXPECT_EQ(p["hash"], scenario.hash().text());
        EXPECT_EQ(p["seed"], 3);
        expectPrinted(p["step_time_s"], s->across, "across jobs");
        expectPrinted(p["within_job_s"], s->within, "within a job");
        const double noiseFree = s->samples->noiseFreeSeconds, p50 = s->across.p50, gpus = static_cast<double>(scenario.cluster.numGpus);
        const std::pair<const char*, double> metrics[] = {{"noise_free_step_time_s", noiseFree},
                                                          {"slowdown_p50", p50 / noiseFree},
                                                          {"slowdown_p95", s->across.p95 / noiseFree},
                                                          {"tokens_per_s", s->costed->tokensPerStep / p50},
                                                          {"tflops_per_gpu", s->costed->modelFlopsPerStep / p50 / gpus / 1e12},
                                                          {"mfu", s->mfu},
                                                          {"hfu", s->hfu}};
        for (const auto& [key, value] : metrics)
            EXPECT_EQ(p[key].get<double>(), value) << key;
        EXPECT_NEAR(s->mfu, s->costed->modelFlopsPerStep / p50 / gpus / 1e12 / s->costed->peakTflopsPerGpu, 1e-12);
        EXPECT_NEAR(p["cost_usd"].get<double>(), 1e9 / s->costed->tokensPerStep * s->across.mean / 3'600 * gpus * 3, 1e-6);
        EXPECT_GT(p50, noiseFree) << "noise lengthens a step";
        double total = 0, shares = 0;
        for (const auto& [key, value] : p["breakdown_s"].items())
            total += value.get<double>();
        EXPECT_NEAR(total, noiseFree, 1e-6 * noiseFree);
        ASSERT_EQ(p["stage_breakdown_s"].size(), static_cast<std::size_t>(scenario.parallelism.pipelineModelParallelSize));
        for (const auto& stage : p["stage_breakdown_s"]) {
            double sum = 0;
            for (const auto& [key, value] : stage.items())
                sum += value.get<double>();
            EXPECT_NEAR(sum, noiseFree, 1e-6 * noiseFree);
        }
        for (const char* key : {"spatial", "temporal", "regime", "data", "rare", "step_jitter", "stalls", "interaction"})
            shares += p["variance_share"][key].get<double>();
        EXPECT_NEAR(shares, 1.0, 1e-9);
        EXPECT_EQ(p["variance_share"]["spatial"].get<double>(), s->varianceShare.spatial);
        EXPECT_EQ(p["world"]["dp"].get<long>(), scenario.dataParallelSize());
        ASSERT_EQ(p["memory_gib"]["stages"].size(), s->costed->memory.stages.size());
        for (std::size_t stage = 0; stage < s->costed->memory.stages.size(); ++stage)
            EXPECT_EQ(p["memory_gib"]["stages"][stage]["activations"].get<double>(), s->costed->memory.stages[stage].activationsGib);
    }
}

TEST(CliPredict, PublishedLlama3UtilisationIsInTheNeighbourhood)
{
    // Llama 3 (arXiv 2407.21783, table 4): MFU 41 % on 16,384 H100 at TP 8, PP 16, DP 128.
    const Json p = predict("llama3-405b-16k-h100");
    EXPECT_NEAR(p["mfu"].get<double>(), 0.41, 0.06);
}

TEST(CliPredict, SameBitsTwiceAndOnAnyNumberOfThreads)
{
    const Json first = withoutElapsed(predict("llama3-70b-256-h100 --samples 500 --threads 1"));
    EXPECT_EQ(first, withoutElapsed(predict("llama3-70b-256-h100 --samples 500 --threads 1")));
    EXPECT_EQ(first, withoutElapsed(predict("llama3-70b-256-h100 --samples 500 --threads 2")));
    EXPECT_EQ(first, withoutElapsed(predict("llama3-70b-256-h100 --samples 500 --threads 4")));
    EXPECT_NE(first["step_time_s"], predict("llama3-70b-256-h100 --samples 500 --seed 2")["step_time_s"]);
}

TEST(CliGraph, SimulatingTheWrittenGraphGivesTheSameSamples)
{
    const auto a = scratch() / "a.csv", b = scratch() / "b.csv", graph = scratch() / "graph.json";
    ASSERT_EQ(runCli("predict gpt3-175b-1024-a100 --samples 2000 --samples-out " + a.string()).exitCode, 0);
    ASSERT_EQ(runCli("graph gpt3-175b-1024-a100 --output " + graph.string()).exitCode, 0);
    const CliRun run = runCli("graph simulate - --samples 2000 --json --samples-out " + b.string() + " <" + graph.string());
    ASSERT_EQ(run.exitCode, 0) << run.err;
    EXPECT_EQ(slurp(a), slurp(b));
    EXPECT_GT(slurp(a).size(), 2000U);
}

TEST(Cli, HelpOfEveryCommandNamesItsOptions)
{
    const CliRun help = runCli("--help");
    ASSERT_EQ(help.exitCode, 0);
    for (const char* command :
         {"predict", "check", "presets", "graph", "graph simulate", "import", "sensitivity", "sensitivity attribution", "placement",
          "scale", "compare", "guarantee", "timeline", "study", "validate published"}) {
        const std::string name = command;
        EXPECT_NE(help.out.find(name.substr(0, name.find(' '))), std::string::npos) << command;
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
