// SPDX-License-Identifier: GPL-3.0-or-later
// Runs without a user leave the user's session and the study as they were, and read a study as `prism-cli study list` reads it.
#include "window_script.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <map>

#include <sys/stat.h>

namespace prism::test {
namespace {

namespace fs = std::filesystem;

struct Batch : testing::Test {
    Batch() : study("batch"), home(study.at("home"))
    {
        fs::create_directories(home + "/.config/prism-explorer");
        fs::create_directories(home + "/.local/share/prism-explorer/prism-explorer");
        fs::create_directories(home + "/tmp");
        fs::create_directories(study.at("runtime"));
        fs::permissions(study.at("runtime"), fs::perms::owner_all);
        std::ofstream(home + "/.config/prism-explorer/prism-explorer.conf") << "[session]\nstudy=/home/me/mine.prism\n";
        fs::copy_file(study.study(), home + "/.local/share/prism-explorer/prism-explorer/untitled.prism");
    }
    void SetUp() override
    {
        if (!hasExplorer())
            GTEST_SKIP() << "built without the window";
    }
    /// Of every file of the user's: where, and the hash of what it contains.
    [[nodiscard]] std::map<std::string, std::size_t> files() const
    {
        const std::hash<std::string> hash;
        std::map<std::string, std::size_t> found{{study.study(), hash(slurp(study.study()))}};
        for (const auto& entry : fs::recursive_directory_iterator(home))
            found[entry.path().string()] = entry.is_regular_file() ? hash(slurp(entry.path().string())) : 0;
        return found;
    }
    /// With a separate home directory; a run that hangs is ended.
    [[nodiscard]] CliRun run(const std::string& arguments) const
    {
        const std::string environment = "env -u XDG_CONFIG_HOME -u XDG_DATA_HOME -u XDG_CACHE_HOME HOME=" + home + " TMPDIR=" + home
                                        + "/tmp XDG_RUNTIME_DIR=" + study.at("runtime") + " QT_QPA_PLATFORM=offscreen timeout 120 \"";
        const int status =
            std::system((environment + PRISM_EXPLORER + "\" " + arguments + " >" + study.at("out") + " 2>" + study.at("err")).c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), slurp(study.at("out")), slurp(study.at("err"))};
    }
    void expectUntouched(const std::string& arguments, int exitCode)
    {
        const auto before = files();
        const CliRun ran = run(arguments);
        EXPECT_EQ(ran.exitCode, exitCode) << arguments << "\n" << ran.err;
        const auto after = files();
        for (const auto& [path, content] : after)
            EXPECT_TRUE(before.contains(path) && before.at(path) == content) << arguments << ": " << path;
        EXPECT_EQ(after.size(), before.size()) << arguments;
    }
    WindowStudy study;
    std::string home;
};

TEST_F(Batch, NoModeTouchesTheUsersSessionOrTheStudy)
{
    const std::string s = study.study(), out = study.at("files");
    std::ofstream(study.at("look")) << "page pipeline\nwait\n";
    std::ofstream(study.at("edit")) << "set training.global_batch_size 32\nwait\nsave\n";
    std::ofstream(study.at("bad")) << "fly\n";
    expectUntouched("--script " + study.at("look") + " " + s, 0);
    expectUntouched("--script " + study.at("edit"), 0); // of the sample study
    expectUntouched("--script " + study.at("bad"), 1);
    expectUntouched("--report " + s + " --samples 200 --output " + study.at("r.html"), 0);
    expectUntouched("--report " + study.at("none.prism") + " --output " + study.at("r2.html"), 1);
    expectUntouched("--export csv --output " + out + " " + s, 0);
    expectUntouched("--export csv --output " + out + " " + study.at("none.prism"), 1);
    expectUntouched("--export csv --output " + s + "/no " + s, 1);
    expectUntouched("--screenshots " + study.at("none/\\0") + " " + study.at("none.json"), 1);
}

TEST_F(Batch, AScriptStoresItsEditsInTheStudyAlone)
{
    const auto before = files();
    std::ofstream(study.at("edit")) << "set training.global_batch_size 32\nsave\n";
    const CliRun ran = run("--script " + study.at("edit") + " " + study.study());
    EXPECT_EQ(ran.exitCode, 0) << ran.err;
    EXPECT_EQ(study.parameter("training", "global_batch_size"), 32);
    auto after = files();
    after[study.study()] = before.at(study.study());
    EXPECT_EQ(after, before);
}

// A writer that was killed left a change half done; its journal lies next to the file.
TEST_F(Batch, AReportShowsTheStateThatAKilledWriterLeft)
{
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(study.study().c_str(), &db), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(db,
                           "PRAGMA cache_size = 2; BEGIN IMMEDIATE; UPDATE scenario SET name = 'halfdone'; "
                           "INSERT INTO view_state VALUES ('big', hex(zeroblob(400000)))",
                           nullptr, nullptr, nullptr),
              SQLITE_OK);
    for (const char* suffix : {"", "-journal"})
        fs::copy_file(study.study() + suffix, study.at("killed.prism") + suffix);
    sqlite3_close(db);
    const CliRun ran = run("--report " + study.at("killed.prism") + " --samples 200 --output " + study.at("r.html"));
    ASSERT_EQ(ran.exitCode, 0) << ran.err;
    EXPECT_EQ(slurp(study.at("r.html")).find("halfdone"), std::string::npos);
    EXPECT_NE(slurp(study.at("r.html")).find("base"), std::string::npos);
}

TEST_F(Batch, WhatIsNoFileIsRefusedAtOnce)
{
    ASSERT_EQ(mkfifo(study.at("pipe").c_str(), 0600), 0);
    ASSERT_EQ(mkfifo(study.at("pipe.prism").c_str(), 0600), 0);
    fs::create_directories(study.at("folder.prism"));
    for (const std::string& path : {study.at("pipe"), study.at("pipe.prism"), study.at("folder.prism"), home, std::string("/dev/zero")})
        for (const std::string& mode :
             {"--report " + path + " --output " + study.at("r.html"), "--export csv --output " + study.at("files") + " " + path}) {
            const CliRun ran = run(mode);
            EXPECT_EQ(ran.exitCode, 1) << mode;
            EXPECT_NE(ran.err.find(path), std::string::npos) << "the message names the file: " << ran.err;
        }
}

} // namespace
} // namespace prism::test
