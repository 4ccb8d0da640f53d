// SPDX-License-Identifier: GPL-3.0-or-later
// Study files from the command line: scenarios in and out, differences, the folder form, damage.
#include "run_cli.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace prism::test {
namespace {

using Json = nlohmann::json;

struct CliStudy : testing::Test {
    CliStudy() { std::filesystem::remove_all(folder), std::filesystem::create_directories(folder); }
    ~CliStudy() override { std::filesystem::remove_all(folder); }
    std::filesystem::path folder = scratch() / "study";
    std::string file = (folder / "a.prism").string();

    static CliRun done(const std::string& arguments)
    {
        CliRun run = runCli("study " + arguments);
        EXPECT_EQ(run.exitCode, 0) << arguments << "\n" << run.err;
        return run;
    }
};

TEST_F(CliStudy, ScenariosGoInAndComeOut)
{
    done("add " + file + " llama3-70b-256-h100 --name base --note 'as published'");
    done("add " + file + " " + file + ":base --name more --set training.global_batch_size=2048");
    done("add " + file + " llama3-70b-256-h100 --name base");
    done("add " + file + " " + file + ":more --name base --replace");
    const Json list = Json::parse(done("list " + file + " --json").out);
    ASSERT_EQ(list["scenarios"].size(), 3U);
    EXPECT_EQ(list["scenarios"][0]["note"], "as published");
    EXPECT_EQ(list["scenarios"][0]["revisions"], 2);
    EXPECT_EQ(list["scenarios"][2]["name"], "base 2");
    const Json diff = Json::parse(done("diff " + file + " base@1 more --json").out);
    ASSERT_EQ(diff["differences"].size(), 1U);
    EXPECT_EQ(diff["differences"][0]["path"], "training.global_batch_size");
    EXPECT_EQ(diff["differences"][0]["b"], "2048");
    EXPECT_TRUE(Json::parse(done("diff " + file + " base more --json").out)["same_result"]);
    const Json show = Json::parse(done("show " + file + " base --json").out);
    EXPECT_EQ(show["revisions"].size(), 2U);
    EXPECT_TRUE(show["revisions"][1]["current"]);

    // The same scenario through the study and through a file gives the same content.
    const std::string exported = (folder / "base.json").string();
    done("export " + file + " 'base 2' --output " + exported);
    const CliRun fromFile = runCli("predict " + exported + " --samples 200 --json");
    const CliRun fromStudy = runCli("predict " + file + ":'base 2' --samples 200 --json");
    ASSERT_EQ(fromStudy.exitCode, 0) << fromStudy.err;
    EXPECT_EQ(Json::parse(fromFile.out)["hash"], Json::parse(fromStudy.out)["hash"]);
    EXPECT_EQ(Json::parse(fromFile.out)["step_time_s"], Json::parse(fromStudy.out)["step_time_s"]);
}

TEST_F(CliStudy, FoldersDamageAndExitCodes)
{
    done("add " + file + " llama3-405b-16k-h100 --name base");
    const std::string out = (folder / "out").string();
    const std::string second = (folder / "b.prism").string();
    done("export " + file + " --output " + out);
    done("import " + second + " " + out);
    EXPECT_EQ(Json::parse(done("list " + second + " --json").out)["scenarios"].size(), 1U);
    done("check " + second);
    done("compact " + second + " --drop-history");
    const auto fails = [&](const std::string& arguments) {
        const CliRun run = runCli("study " + arguments + " --json");
        EXPECT_EQ(run.exitCode, 1) << arguments;
        EXPECT_NE(run.err.find("\"errors\""), std::string::npos) << arguments << run.err;
    };
    fails("export " + file + " --output " + out); // not empty
    fails("import " + second + " " + out);        // exists
    fails("export " + file);                      // where to?
    fails("show " + file + " nobody");
    fails("show " + file + " base --revision 7");
    fails("list " + (folder / "none.prism").string());
    fails("list /");
    fails("add " + file + " no-such-preset");
    EXPECT_EQ(runCli("study").exitCode, 2);
    EXPECT_EQ(runCli("study list").exitCode, 2);
    EXPECT_EQ(runCli("predict " + file + ":nobody").exitCode, 1);

    std::string bytes = slurp(second);
    std::fill(bytes.begin(), bytes.begin() + 4096, 'x');
    std::ofstream(second, std::ios::binary) << bytes;
    EXPECT_EQ(runCli("study check " + second).exitCode, 1);
    const std::string third = (folder / "c.prism").string();
    const Json report = Json::parse(done("salvage " + second + " --output " + third + " --json").out);
    EXPECT_EQ(report["scenarios"], 1);
    EXPECT_GE(report["losses"].size(), 1U);
    EXPECT_TRUE(Json::parse(done("diff " + third + " base base --json").out)["same_result"]);
}

} // namespace
} // namespace prism::test
