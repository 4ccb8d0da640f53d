// SPDX-License-Identifier: GPL-3.0-or-later
// The commands around scenario files: check, presets, parameters, import, repeated --set.
#include "run_cli.h"

#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

namespace prism {
namespace {

using nlohmann::json;
using test::CliRun;
using test::runCli;

TEST(CliCheck, ReportsEachErrorOnceAndHowToFixIt)
{
    const CliRun run = runCli("check llama3-70b-256-h100 --json --set cluster.num_gpus=250 --set model.num_query_groups=7");
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_EQ(run.out, "");
    std::map<std::string, json> errors;
    const json report = json::parse(run.err);
    for (const json& e : report["errors"])
        errors[e["path"]] = e;
    EXPECT_EQ(errors.at("cluster.num_gpus")["fix"]["value"], "256");
    EXPECT_TRUE(errors.contains("model.num_query_groups"));
}

TEST(CliCheck, DescribesAGoodScenario)
{
    const CliRun run = runCli("check gpt3-175b-1024-a100 --json");
    ASSERT_EQ(run.exitCode, 0) << run.err;
    const json report = json::parse(run.out);
    EXPECT_EQ(report["dp"], 16);
    EXPECT_EQ(report["num_microbatches"], 96);
    EXPECT_EQ(report["hash"].get<std::string>().size(), 16U);
}

TEST(CliPresets, ListAndShow)
{
    const json list = json::parse(runCli("presets list --json").out)["presets"];
    EXPECT_GE(list.size(), 60U);
    const CliRun shown = runCli("presets show gpu/h100-sxm-80gb");
    ASSERT_EQ(shown.exitCode, 0);
    EXPECT_TRUE(json::parse(shown.out).contains("sources"));
    const CliRun invalid = runCli("presets show h100-smx-80gb --kind gpu");
    EXPECT_EQ(invalid.exitCode, 1);
    EXPECT_NE(invalid.err.find("did you mean \"h100-sxm-80gb\""), std::string::npos);
    EXPECT_EQ(runCli("presets").exitCode, 2);
}

TEST(CliParameters, AreListedForPeopleProgramsAndHelp)
{
    EXPECT_GE(json::parse(runCli("help parameters --json").out)["parameters"].size(), 100U);
    EXPECT_EQ(runCli("help parameters --markdown").out.substr(0, 12), "# Parameters");
    EXPECT_NE(runCli("help parameters").out.find("Tensor parallel (TP)"), std::string::npos);
}

TEST(CliImport, WritesAScenarioThatCheckAccepts)
{
    const std::string arguments =
        "--num-layers 24 --hidden-size 2304 --num-attention-heads 24 --seq-length 2048 --micro-batch-size 16 "
        "--global-batch-size 512 --fp16 --use-distributed-optimizer --vocab-size 51200 --nnodes 4 --nproc_per_node 8";
    const auto input = test::scratch() / "input", file = test::scratch() / "imported.json";
    std::ofstream(input) << arguments;
    const CliRun imported = runCli("import megatron-args " + input.string() + " --name small --output " + file.string());
    ASSERT_EQ(imported.exitCode, 0) << imported.err;
    const CliRun checked = runCli("check " + file.string() + " --json");
    ASSERT_EQ(checked.exitCode, 0) << checked.err;
    EXPECT_EQ(json::parse(checked.out)["gpus"], 32);
    EXPECT_EQ(json::parse(checked.out)["scenario"], "small");
    std::ofstream(input) << R"({"model_type": "bert"})";
    const CliRun unknown = runCli("import hf-config " + input.string());
    EXPECT_EQ(unknown.exitCode, 1);
    EXPECT_NE(unknown.err.find("unknown architecture \"bert\""), std::string::npos);
}

} // namespace
} // namespace prism
