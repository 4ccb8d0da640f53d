// SPDX-License-Identifier: GPL-3.0-or-later
// The window under faults: kill -9, a full disk, a second opener, other journals, damage, long use.
#include "window_script.h"

#include <gtest/gtest.h>

#include <sqlite3.h>

#include <sstream>

namespace prism::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEditsWithoutEnd = "repeat 1000000\nset training.train_tokens {i}\nsave\nend\n";

struct Window : testing::Test {
    void SetUp() override
    {
        if (!hasExplorer())
            GTEST_SKIP() << "built without the window";
    }
};

TEST_F(Window, RunsAScript)
{
    const WindowStudy study("script");
    const CliRun run = study.run("# two edits\nset training.global_batch_size 32\nset training.global_batch_size 64\nundo\nwait\nsave\n");
    EXPECT_EQ(run.exitCode, 0) << run.err;
    EXPECT_EQ(study.parameter("training", "global_batch_size"), 32);
    EXPECT_EQ(study.run("fly\n").exitCode, 1);
    EXPECT_EQ(study.run("set training.no_such_thing 1\n").exitCode, 1);
}

// The same options as prism-cli has, with the same words in the same lines.
TEST_F(Window, ReportsWhatItComputesWhereItIsRequested)
{
    const WindowStudy study("log");
    const std::string edit = "set training.global_batch_size 32\nwait\n", file = "--log-file " + study.at("log");
    const CliRun quiet = study.run(edit);
    ASSERT_EQ(quiet.exitCode, 0) << quiet.err;
    EXPECT_EQ(quiet.out.find("evaluated"), std::string::npos) << quiet.out;
    EXPECT_EQ(quiet.err.find("evaluated"), std::string::npos) << quiet.err;
    const CliRun printed = study.run(edit, "", "--verbose " + file);
    ASSERT_EQ(printed.exitCode, 0) << printed.err;
    const std::string kept = slurp(study.at("log"));
    EXPECT_NE(kept.find(" debug evaluated "), std::string::npos) << kept;
    std::istringstream lines(kept);
    for (std::string line; std::getline(lines, line);) // Qt's own messages come between them
        EXPECT_NE(printed.err.find(line + '\n'), std::string::npos) << "the terminal says the same: " << line;
    ASSERT_EQ(study.run(edit, "", file).exitCode, 0);
    const std::string both = slurp(study.at("log"));
    EXPECT_GT(both.size(), kept.size());
    EXPECT_EQ(both.substr(0, kept.size()), kept) << "it is appended to";
}

TEST_F(Window, ALogThatCannotBeWrittenIsReported)
{
    const WindowStudy study("nolog");
    const CliRun run = study.run("page distribution\n", "", "--log-file " + study.at("."));
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_NE(run.err.find("The log cannot be written."), std::string::npos) << run.err;
}

TEST_F(Window, WritesAReportWithItsFilesWithoutADisplay)
{
    const WindowStudy study("report");
    const std::string program = "QT_QPA_PLATFORM=offscreen \"" PRISM_EXPLORER "\" --report " + study.study() + " --samples 500 ";
    EXPECT_EQ(std::system((program + "--bundle --output " + study.at("plan.pdf") + " >/dev/null").c_str()), 0);
    EXPECT_TRUE(slurp(study.at("plan.pdf")).starts_with("%PDF-"));
    EXPECT_TRUE(slurp(study.at("plan-files/steps.png")).starts_with("\x89PNG"));
    EXPECT_NE(slurp(study.at("plan-files/scenarios.csv")).find("base"), std::string::npos);
    EXPECT_NE(std::system((program + "--output " + study.at("plan.doc") + " >/dev/null 2>&1").c_str()), 0);
}

TEST_F(Window, KillsLoseNoEditThatWasSaved)
{
    const WindowStudy study("kill");
    for (int k = 0; k < 3; ++k) {
        const int saved = study.killed(kEditsWithoutEnd, "save", 37 * k);
        ASSERT_GT(saved, 0);
        EXPECT_GE(study.parameter("training", "train_tokens"), saved);
        EXPECT_EQ(runCli("study check " + study.study()).exitCode, 0);
    }
}

// A file that may not be written beyond some blocks of 512 bytes is what a full disk looks like to the program; the signal is ignored,
// as a disk sends none. Where the edit still finds room it is kept, and saying so is right.
TEST_F(Window, AFullDiskIsReportedAndTheFileStaysSound)
{
    int refused = 0;
    for (const char* blocks : {"8", "32", "100"}) {
        const WindowStudy study("full");
        const CliRun run =
            study.run("repeat 200\nset training.train_tokens {i}\nend\nsave\n", "trap '' XFSZ; ulimit -f " + std::string(blocks) + ";");
        EXPECT_LT(run.exitCode, 128) << "no signal";
        EXPECT_EQ(run.exitCode == 0, study.parameter("training", "train_tokens") == 200) << blocks << " blocks: " << run.err;
        EXPECT_EQ(runCli("study check " + study.study()).exitCode, 0) << blocks << " blocks";
        if (run.exitCode != 0) {
            ++refused;
            EXPECT_NE(run.err.find("was not written"), std::string::npos) << run.err;
        }
    }
    EXPECT_GT(refused, 0) << "no disk was full";
}

TEST_F(Window, ASecondOneLooksAndChangesNothing)
{
    const WindowStudy study("second");
    const pid_t first = study.started("set training.train_tokens 3\nsave\nrepeat 1000000\nrss\nend\n", "save");
    const CliRun look = study.run("page distribution\n"), change = study.run("set training.train_tokens 7\nsave\n");
    EXPECT_GT(study.ended(first, "save"), 0) << "the first was still there";
    EXPECT_EQ(look.exitCode, 0) << look.err;
    EXPECT_EQ(change.exitCode, 1) << "what cannot be kept is reported";
    EXPECT_NE(change.err.find("read-only"), std::string::npos) << change.err;
    EXPECT_EQ(study.parameter("training", "train_tokens"), 3);
    EXPECT_EQ(runCli("study check " + study.study()).exitCode, 0);
}

TEST_F(Window, AStudyThatMayNotBeWrittenIsShownAndStays)
{
    const WindowStudy study("readonly");
    // Permissions do not bind the superuser: the program runs as the user "nobody", where that user may run it.
    const std::string asOther = geteuid() == 0 ? "setpriv --reuid=65534 --clear-groups --" : "env";
    if (std::system((asOther + " test -x \"" PRISM_EXPLORER "\" -a -r " + study.study()).c_str()) != 0)
        GTEST_SKIP() << "no other user can run the program";
    const std::string before = slurp(study.study());
    fs::permissions(study.study(), fs::perms(0444));
    const CliRun look = study.run("page distribution\n", asOther + " env");
    const CliRun change = study.run("set training.train_tokens 7\nsave\n", asOther + " env");
    EXPECT_EQ(look.exitCode, 0) << look.err;
    EXPECT_EQ(change.exitCode, 1) << change.err;
    EXPECT_NE(change.err.find("read-only"), std::string::npos) << change.err;
    EXPECT_EQ(slurp(study.study()), before);
}

TEST_F(Window, OpensAStudyThatAnotherProgramPutIntoWalMode)
{
    const WindowStudy study("wal");
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(study.study().c_str(), &db), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(db, "PRAGMA journal_mode = WAL; UPDATE scenario SET note = 'in the log';", nullptr, nullptr, nullptr),
              SQLITE_OK);
    fs::copy_file(study.study(), study.at("copy.prism"));
    fs::copy_file(study.study() + "-wal", study.at("copy.prism-wal"));
    sqlite3_close(db);
    fs::rename(study.at("copy.prism"), study.study());
    fs::rename(study.at("copy.prism-wal"), study.study() + "-wal");
    EXPECT_EQ(study.run("set training.train_tokens 5\nsave\n").exitCode, 0);
    EXPECT_EQ(study.parameter("training", "train_tokens"), 5);
    EXPECT_NE(runCli("study list " + study.study()).out.find("in the log"), std::string::npos);
}

TEST_F(Window, ADamagedStudyIsShownAsFarAsItCanBe)
{
    const WindowStudy study("damage");
    for (const std::uintmax_t size : {fs::file_size(study.study()) / 2, std::uintmax_t{100}, std::uintmax_t{0}}) {
        fs::resize_file(study.study(), size);
        const CliRun run = study.run("page distribution\n");
        EXPECT_LE(run.exitCode, 3) << "no signal; " << run.err;
    }
}

TEST_F(Window, KeepsItsMemoryOverManyActions)
{
    const WindowStudy study("soak");
    const std::string round = "set training.global_batch_size 32\nset training.micro_batch_size 2\nundo\nundo\n";
    const CliRun run = study.run("repeat 100\n" + round + "end\nwait\nrss\nrepeat 300\n" + round + "end\nwait\nrss\n");
    ASSERT_EQ(run.exitCode, 0) << run.err;
    const std::size_t first = run.out.find("rss "), second = run.out.rfind("rss ");
    ASSERT_NE(first, second);
    const double before = std::stod(run.out.substr(first + 4)), after = std::stod(run.out.substr(second + 4));
    EXPECT_LT(after, 1.15 * before) << before << " KiB, then " << after << " KiB";
}

} // namespace
} // namespace prism::test
