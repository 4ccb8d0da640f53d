// SPDX-License-Identifier: GPL-3.0-or-later
// Measured tables and published steps from the command line: import, comparison, and the keys of the validation report.
#include "run_cli.h"

#include "prism_paths.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace prism::test {
namespace {

std::string file(const char* name, const std::string& text)
{
    const auto path = scratch() / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
}

TEST(CliMeasured, ImportedOperatorsChangeThePrediction)
{
    const std::string table = file("operators.csv", "op,m,n,k,dtype,time_us\ngemm,4096,12288,4096,bf16,90000\n");
    const std::string scenario = (scratch() / "measured.json").string();
    const CliRun import = runCli("import operators " + table + " --base llama2-7b-8-a100 --output " + scenario);
    ASSERT_EQ(import.exitCode, 0) << import.err;
    EXPECT_NE(import.err.find("1 measured rows"), std::string::npos);
    const auto noiseFree = [](const std::string& which) {
        const CliRun run = runCli("predict " + which + " --samples 50 --json");
        return nlohmann::json::parse(run.out)["noise_free_step_time_s"].get<double>();
    };
    EXPECT_GT(noiseFree(scenario), 2 * noiseFree("llama2-7b-8-a100"));
}

TEST(CliMeasured, BadTablesAndLogsGiveAllErrorsWithLines)
{
    const CliRun table = runCli("import operators " + file("bad.csv", "m,n,k,time_us\n0,1,1,1\n1,1,1,-5\n") + " --json");
    EXPECT_EQ(table.exitCode, 1);
    const auto errors = nlohmann::json::parse(table.err)["errors"];
    ASSERT_EQ(errors.size(), 2U);
    EXPECT_EQ(errors[0]["path"], "line 2");
    EXPECT_EQ(errors[1]["path"], "line 3");
    EXPECT_EQ(runCli("import nccl-tests " + file("bad.log", "1 2 3\n") + " --op all_reduce --ranks 8").exitCode, 1);
}

TEST(CliMeasured, AnAlarmStartsACommandWithoutAShell)
{
    // A table as W&B exports it, with a step that is 1.5 times as long every other step from the 60th on.
    std::string log = "\"_step\",\"_runtime\",\"train/loss\",\"train/step_time\"\n";
    for (int i = 0; i < 100; ++i)
        log += std::to_string(i) + "," + std::to_string(30 * i) + ",3.2," + (i > 60 && i % 2 == 0 ? "45.0" : "30.0") + "\n";
    const std::string table = file("history.csv", log), kept = (scratch() / "alarms.txt").string();
    const std::string script = file("notify.sh", "#!/bin/sh\necho \"$#: $1; $2\" >> " + kept + "\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    const CliRun run = runCli("follow " + table + " --once --scenario llama2-7b-8-a100 --samples 200 --on-alarm '" + script + " $HOME'");
    EXPECT_EQ(run.exitCode, 0) << run.err;
    EXPECT_EQ(run.err.find("--on-alarm"), std::string::npos) << run.err;
    EXPECT_TRUE(slurp(kept).starts_with("2: $HOME; ALARM at step ")) << slurp(kept);
    EXPECT_NE(slurp(kept).find("step times were lost"), std::string::npos) << slurp(kept);
    const CliRun missing = runCli("follow " + table + " --once --scenario llama2-7b-8-a100 --samples 200 --on-alarm /no/such/program");
    EXPECT_EQ(missing.exitCode, 0);
    EXPECT_NE(missing.err.find("the command cannot be started"), std::string::npos) << missing.err;
}

TEST(CliMeasured, TwoLogsAreComparedInThreeForms)
{
    std::string before = "step,step_time_s\n", after = before;
    for (int i = 0; i < 100; ++i) {
        const double seconds = 10 + 0.05 * ((37 * i) % 11 - 5);
        before += std::to_string(i) + "," + std::to_string(seconds) + "\n";
        after += std::to_string(i) + "," + std::to_string(1.05 * seconds) + "\n";
    }
    const std::string files = file("before.csv", before) + " " + file("after.csv", after);
    const CliRun run = runCli("validate logs " + files + " --json");
    ASSERT_EQ(run.exitCode, 0) << run.err;
    const auto report = nlohmann::json::parse(run.out);
    EXPECT_EQ(report["changed"], nlohmann::json({"step: mean", "step: p50", "step: p95", "step: p99"}));
    const auto& p50 = report["figures"][1];
    EXPECT_NEAR(p50["relative"].get<double>(), 0.05, 1e-6);
    EXPECT_NEAR(p50["change"]["value"].get<double>(), 0.5, 1e-6);
    EXPECT_LT(p50["change"]["ci95"][0].get<double>(), 0.5);
    EXPECT_GT(p50["change"]["ci95"][0].get<double>(), 0);
    EXPECT_EQ(report["figures"][5]["figure"], "stalls");
    EXPECT_TRUE(report["figures"][5]["relative"].is_null()) << "none before";
    const CliRun csv = runCli("validate logs " + files + " --csv"), text = runCli("validate logs " + files);
    EXPECT_TRUE(csv.out.starts_with("subject,figure,unit,before,after,change,change_low,change_high,relative,beyond_noise\nstep,mean,s,"));
    EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 9);
    EXPECT_NE(text.out.find("4 of 8 figures changed by more than noise"), std::string::npos) << text.out;
}

TEST(CliMeasured, BothRecordingsThatCannotBeReadAreReported)
{
    const std::string bad = file("bad_before.csv", "a,b\n1,2\n"), none = (scratch() / "none.csv").string();
    for (const char* command : {"validate logs ", "trace compare "}) {
        const CliRun run = runCli(command + bad + " " + none + " --json");
        EXPECT_EQ(run.exitCode, 1);
        const auto errors = nlohmann::json::parse(run.err)["errors"];
        ASSERT_GE(errors.size(), 2U) << run.err; // a table of operations names every column that it lacks
        EXPECT_TRUE(errors.front()["path"].get<std::string>().starts_with(bad)) << run.err;
        EXPECT_TRUE(errors.back()["path"].get<std::string>().starts_with(none)) << run.err;
    }
}

TEST(CliMeasured, CollectivesAreComparedRowByRow)
{
    const std::string log = file("nccl.log", "  1048576 262144 float sum 72.5 14.4 25.3 0e+00 71.0 14.7 25.8 0e+00\n"
                                             "  67108864 16777216 float sum 566.1 118.5 207.4 0e+00 566.0 118.6 207.5 0e+00\n");
    const CliRun run =
        runCli("validate collectives " + log + " --op all_reduce --ranks 8 --gpu a100-sxm-80gb --fabric dgx-a100-hdr200 --json");
    ASSERT_EQ(run.exitCode, 0) << run.err;
    const auto report = nlohmann::json::parse(run.out);
    ASSERT_EQ(report["rows"].size(), 2U);
    for (const auto& row : report["rows"])
        EXPECT_NEAR(row["error"].get<double>(), row["predicted_s"].get<double>() / row["measured_s"].get<double>() - 1, 1e-12);
}

TEST(CliMeasured, AFolderOfTablesHasALineForEach)
{
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "cli_collectives";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "vista_allreduce_2_1.csv") << "shape,nodes,GPUsPerNode,dur(us)\n67108864,2,1,3000\n600000000,2,1,26000\n";
    std::ofstream(folder / "other.csv") << "a,b\n";
    const CliRun run = runCli("validate collectives " + folder.string() + " --json");
    ASSERT_EQ(run.exitCode, 0) << run.err;
    const auto report = nlohmann::json::parse(run.out);
    ASSERT_EQ(report["tables"].size(), 1U);
    EXPECT_EQ(report["tables"][0]["fabric"], "vista-gh200-ndr400");
    EXPECT_EQ(report["tables"][0]["rows"], 2);
    EXPECT_EQ(report["not_read"].size(), 1U);
    std::ofstream(folder / "vista_allreduce_2_1.csv") << "shape,nodes,GPUsPerNode,dur(us)\nten,2,1,3000\n";
    const CliRun bad = runCli("validate collectives " + folder.string() + " --json");
    EXPECT_EQ(bad.exitCode, 1);
    EXPECT_EQ(nlohmann::json::parse(bad.err)["errors"][0]["path"], "vista_allreduce_2_1.csv:2");
}

TEST(CliMeasured, ValidationReportHasTheAgreedKeys)
{
    const CliRun run = runCli("validate published " PRISM_SOURCE_DIR "/presets/published/steps.json --tier A --suite megascale --json");
    ASSERT_EQ(run.exitCode, 0) << run.err;
    const auto report = nlohmann::json::parse(run.out);
    for (const char* key : {"rows", "by_suite", "mean_abs_error", "bias", "worst", "band_coverage"})
        EXPECT_TRUE(report.contains(key)) << key;
    ASSERT_FALSE(report["rows"].empty());
    for (const auto& row : report["rows"]) {
        for (const char* key :
             {"id", "suite", "tier", "predicted_s", "published_s", "error", "band", "predicted_p50_s", "predicted_p95_s", "skipped"})
            EXPECT_TRUE(row.contains(key)) << key;
        EXPECT_GT(row["predicted_p95_s"].get<double>(), row["predicted_p50_s"].get<double>());
        EXPECT_EQ(row["band"].size(), 2U);
    }
}

TEST(CliMeasured, StepSeriesAreComparedWithTheScenarioOfAPublishedRow)
{
    const CliRun row = runCli("validate published " PRISM_SOURCE_DIR "/presets/published/steps.json --scenario sc21-t1-1.7B");
    ASSERT_EQ(row.exitCode, 0) << row.err;
    std::string csv = "system,step_time_s\n";
    for (int i = 0; i < 60; ++i)
        csv += "a," + std::to_string(3.5 + 0.01 * (i % 7)) + "\nb,99\n";
    const CliRun run =
        runCli("validate steps " + file("row.json", row.out) + " " + file("steps.csv", csv) + " --where system=a --samples 500 --json");
    ASSERT_EQ(run.exitCode, 0) << run.err;
    const auto report = nlohmann::json::parse(run.out);
    EXPECT_EQ(report["steps"], 58);
    EXPECT_NEAR(report["measured_median_s"].get<double>(), 3.53, 0.011);
    EXPECT_GT(report["ks"]["value"].get<double>(), 0.0);
    const auto& over = report["over_systems"]["p95_over_p50"];
    EXPECT_EQ(over["inside"], report["measured_over_median"]["p95"] >= over["p5"] && report["measured_over_median"]["p95"] <= over["p95"]);
    const auto steps = report["over_systems"]["steps_over_p50"].get<std::vector<double>>();
    EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
    ASSERT_EQ(steps.size(), 200U);
    EXPECT_NEAR(steps[100], 1, 0.003) << "over the p50 of their run";
    const CliRun noiseFree = runCli("validate steps " + file("row.json", row.out) + " " + file("steps.csv", csv)
                                    + " --where system=a --samples 500 --json --set variability.preset=none");
    EXPECT_TRUE(nlohmann::json::parse(noiseFree.out)["over_systems"].is_null());
    EXPECT_EQ(runCli("validate steps sample-baseline " + file("steps.csv", csv) + " --where colour=a").exitCode, 1);
    EXPECT_EQ(runCli("validate published " PRISM_SOURCE_DIR "/presets/published/steps.json --scenario nothing").exitCode, 1);
}

TEST(CliMeasured, OperatorsAreComparedRowByRow)
{
    const std::string table = file("products.csv", "system,m,n,k,dtype,latency_us\na100_sxm,4096,4096,4096,bf16,600\n"
                                                   "a100_sxm,8192,4096,4096,bf16,1150\nh100_sxm,8192,4096,4096,bf16,400\n");
    const CliRun run = runCli("validate operators " + table + " --gpu a100-sxm-80gb --json");
    ASSERT_EQ(run.exitCode, 0) << run.err;
    const auto report = nlohmann::json::parse(run.out);
    EXPECT_EQ(report["rows"].size(), 2U);
    EXPECT_EQ(report["rows_of_other_systems"], 1);
    EXPECT_LT(report["groups"][0]["mean_abs_error"].get<double>(), 0.2);
    const std::string modules = file("times.csv", "b,l,dim,F_dur(us),B_dur(us)\n2,1024,4096,100,200\n");
    EXPECT_EQ(runCli("validate operators " + modules).exitCode, 1); // what was measured?
    const CliRun named = runCli("validate operators " + modules + " --op norm --rows");
    ASSERT_EQ(named.exitCode, 0) << named.err;
    EXPECT_NE(named.out.find("norm backward"), std::string::npos);
    EXPECT_EQ(runCli("validate operators " + table + " --gpu b200-sxm-180gb").exitCode, 1);
}

TEST(CliMeasured, AnUncalibratedGpuReportsIt)
{
    const CliRun run = runCli("predict llama3-70b-128-mi300x --samples 50 --json");
    ASSERT_EQ(run.exitCode, 0) << run.err;
    const auto report = nlohmann::json::parse(run.out);
    EXPECT_FALSE(report["within_calibration"].get<bool>());
    EXPECT_LT(report["error_band"][0].get<double>(), -0.2);
    EXPECT_NE(report["warnings"].dump().find("outside of the calibration"), std::string::npos);
    EXPECT_NE(runCli("predict llama3-70b-128-mi300x --samples 50").out.find("outside of what was validated"), std::string::npos);
}

} // namespace
} // namespace prism::test
