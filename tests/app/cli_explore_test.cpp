// SPDX-License-Identifier: GPL-3.0-or-later
// Searches, fleets and studies on the command line: shards that merge, files of another search, tables that are wrong.
#include "run_cli.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace prism::test {
namespace {

using Json = nlohmann::json;

const std::string kSearch = "explore llama2-7b-8-a100 --axis tp=1,2,4 --axis mbs=1,2,4 --axis zero=1,2 --keep 2 --most 6 ";

std::string place(const char* name)
{
    return (scratch() / name).string();
}

TEST(CliExplore, ShardsMergeToTheFileOfOneRun)
{
    std::string files;
    for (int i = 1; i <= 3; ++i) {
        const std::string file = place("part") + std::to_string(i);
        const CliRun run = runCli(kSearch + "--shard " + std::to_string(i) + "/3 --output " + file);
        ASSERT_EQ(run.exitCode, 0) << run.err;
        files += " " + file;
    }
    const CliRun merged = runCli("explore merge" + files + " --json --records " + place("merged"));
    ASSERT_EQ(merged.exitCode, 0) << merged.err;
    const CliRun whole = runCli(kSearch + "--json --records " + place("whole"));
    ASSERT_EQ(whole.exitCode, 0) << whole.err;
    EXPECT_EQ(slurp(scratch() / "merged"), slurp(scratch() / "whole"));
    EXPECT_EQ(Json::parse(merged.out)["candidates"], Json::parse(whole.out)["candidates"]);
    // A file cut in the middle of a line, as after Ctrl+C: the search resumes from it to the same bytes.
    const std::string text = slurp(scratch() / "whole");
    std::ofstream(scratch() / "half", std::ios::binary) << text.substr(0, text.size() * 2 / 3);
    ASSERT_EQ(runCli(kSearch + "--records " + place("half")).exitCode, 0);
    EXPECT_EQ(slurp(scratch() / "half"), text);
    // Other options are another search, and parts must be all there.
    EXPECT_EQ(runCli(kSearch + "--objective p50 --records " + place("whole")).exitCode, 1);
    EXPECT_EQ(runCli("explore merge " + place("part") + "1").exitCode, 1);
    EXPECT_EQ(runCli(kSearch + "--shard 1/3").exitCode, 1);
    EXPECT_EQ(runCli(kSearch + "--shard 4/3 --output " + place("x")).exitCode, 1);
}

TEST(CliExplore, WritesASlurmScriptThatAShellReads)
{
    const CliRun run = runCli(kSearch + "--slurm " + place("search.sh") + " --shards 2");
    ASSERT_EQ(run.exitCode, 0) << run.err;
    EXPECT_NE(run.out.find("sbatch '" + place("search.sh") + "'\n"), std::string::npos) << "a name is not a command: " << run.out;
    EXPECT_NE(run.out.find("explore merge '" + place("search.sh") + "'-*.jsonl"), std::string::npos) << run.out;
    const std::string shell = "SLURM_ARRAY_TASK_ID=2 sh " + place("search.sh") + " >" + place("task") + " 2>&1";
    ASSERT_EQ(std::system(shell.c_str()), 0) << slurp(scratch() / "task");
    EXPECT_NE(slurp(scratch() / "search.sh-2.jsonl").find("{\"shard\":\"2/2\",\"crc\":"), std::string::npos);
}

TEST(CliFleet, RunsATableAndReportsEveryError)
{
    std::ofstream(scratch() / "jobs.csv") << "job_id,submit_time,gpu_num,duration\n1,0,8,3600\n2,10,16,600\n3,20,1,60\n";
    const CliRun run = runCli("job fleet " + place("jobs.csv") + " shared-1280 --runs 3 --json");
    ASSERT_EQ(run.exitCode, 0) << run.err;
    const Json report = Json::parse(run.out);
    EXPECT_EQ(report["policies"].size(), 5U);
    EXPECT_EQ(report["policies"][0]["over_fifo"]["mean"]["value"], 1.0);
    EXPECT_EQ(runCli("job fleet " + place("jobs.csv") + " shared-1280 --runs 2").exitCode, 0);
    std::ofstream(scratch() / "wrong.csv") << "job_id,submit_time,gpu_num,duration\n1,-5,8,3600\n2,10,x,600\n3,20,1,-60\n";
    const CliRun invalid = runCli("job fleet " + place("wrong.csv") + " shared-1280 --json");
    EXPECT_EQ(invalid.exitCode, 1);
    EXPECT_EQ(Json::parse(invalid.err)["errors"].size(), 3U);
    EXPECT_EQ(runCli("job fleet " + place("jobs.csv") + " no-such-cluster").exitCode, 1);
}

TEST(CliStudies, EveryStudyOfTheLibraryIsAnswered)
{
    const CliRun list = runCli("presets studies list --json");
    ASSERT_EQ(list.exitCode, 0) << list.err;
    const Json studies = Json::parse(list.out)["studies"];
    EXPECT_GE(studies.size(), 9U);
    const CliRun run = runCli("presets studies run slow-node --samples 200 --json");
    ASSERT_EQ(run.exitCode, 0) << run.err;
    const Json answer = Json::parse(run.out);
    EXPECT_EQ(answer["rows"][0]["p95_over_first"]["value"], 1.0);
    EXPECT_GT(answer["rows"][1]["p95_over_first"]["value"].get<double>(), 1.0);
    EXPECT_FALSE(answer["findings"].empty());
    const CliRun text = runCli("presets studies run slow-node --samples 200");
    EXPECT_NE(text.out.find("Published: "), std::string::npos);
    EXPECT_EQ(runCli("presets studies run no-such").exitCode, 1);
}

} // namespace
} // namespace prism::test
