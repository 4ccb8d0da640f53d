// SPDX-License-Identifier: GPL-3.0-or-later
// prism-develop: a record of bench is printed again and turned into the help page, and a wrong record is rejected; calibrate fits a
// folder of measurements and reports missing ones.
#include "prism_paths.h"
#include "run_cli.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>

namespace prism::test {
namespace {

const std::string kRecord = PRISM_SOURCE_DIR "/resources/record/bench.json";

TEST(Bench, ARecordIsShownAgainWithoutMeasuring)
{
    const CliRun again = runCli("bench --json --record " + kRecord);
    ASSERT_EQ(again.exitCode, 0) << again.err;
    EXPECT_EQ(again.out, slurp(kRecord));
    const CliRun text = runCli("bench --record " + kRecord);
    EXPECT_NE(text.out.find("PRISM Explorer"), std::string::npos);
    EXPECT_NE(text.out.find("holds"), std::string::npos);
}

TEST(Bench, TheHelpPageIsMadeOfTheRecord)
{
    const CliRun page = runCli("bench --markdown --record " + kRecord);
    EXPECT_EQ(page.out, slurp(PRISM_SOURCE_DIR "/resources/help/side-by-side.md"));
    const nlohmann::json record = nlohmann::json::parse(slurp(kRecord));
    EXPECT_NE(page.out.find(record["date"].get<std::string>()), std::string::npos);
    EXPECT_NE(page.out.find(record["processor"].get<std::string>()), std::string::npos);
}

TEST(Bench, EveryQuestionIsAnsweredByUsAndByAnother)
{
    const nlohmann::json record = nlohmann::json::parse(slurp(kRecord));
    std::map<std::string, std::set<bool>> answered;
    for (const nlohmann::json& f : record["side_by_side"])
        if (f["value"].is_number())
            answered[f["question"]].insert(f["tool"].get<std::string>().starts_with("PRISM Explorer"));
    EXPECT_GE(answered.size(), 7U);
    for (const auto& [question, tools] : answered)
        EXPECT_EQ(tools.size(), 2U) << question;
}

TEST(Bench, AnInvalidRecordReportsEveryError)
{
    nlohmann::json record = nlohmann::json::parse(slurp(kRecord));
    record["date"] = 7;
    record["bench"][0].erase("measured");
    record["side_by_side"][0]["value"] = "1e999";
    const auto file = scratch() / "record.json";
    std::ofstream(file) << record;
    const CliRun run = runCli("bench --record " + file.string());
    EXPECT_EQ(run.exitCode, 1);
    for (const char* place : {"date:", "bench[0].measured:", "side_by_side[0].value:"})
        EXPECT_NE(run.err.find(place), std::string::npos) << run.err;
    std::ofstream(file) << R"({"bench": {}})";
    EXPECT_EQ(runCli("bench --record " + file.string()).exitCode, 1);
}

TEST(Bench, TextOfARecordIsNoMarkup)
{
    nlohmann::json record = nlohmann::json::parse(slurp(kRecord));
    record["side_by_side"][0]["tool"] = "<b>|`x`\nnext";
    const auto file = scratch() / "markup.json";
    std::ofstream(file) << record;
    const CliRun run = runCli("bench --markdown --record " + file.string());
    EXPECT_NE(run.out.find("\\<b>\\|\\`x\\`\\nnext"), std::string::npos) << run.out;
}

TEST(CalibrateCommand, ReportsWhatIsMissing)
{
    const std::filesystem::path folder = scratch() / "calibrate";
    std::filesystem::create_directories(folder);
    EXPECT_EQ(runCli("calibrate " + folder.string()).exitCode, 1);
    std::ofstream(folder / "any-name.csv")
        << "system,collector,dtype,m,n,k,latency_us,tflops\na100_sxm,vllm,bfloat16,4096,4096,4096,600,0\n";
    const CliRun run = runCli("calibrate " + folder.string());
    ASSERT_EQ(run.exitCode, 0) << run.err;
    EXPECT_NE(run.err.find("no published steps"), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(run.out)["format"], "prism-calibration-1");
}

} // namespace
} // namespace prism::test
