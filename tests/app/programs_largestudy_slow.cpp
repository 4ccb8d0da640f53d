// SPDX-License-Identifier: GPL-3.0-or-later
// The largest study that people may honestly have: 5,000 scenarios with 100,000 revisions of more than 64 MiB. Every command works on it
// within 10 s of processor time and 1 GiB of memory, and the window opens it.
#include "window_script.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace prism::test {
namespace {

namespace fs = std::filesystem;

constexpr int kScenarios = 5'000, kRevisionsOfEach = 20, kMemoryMib = 1'024, kCpuSeconds = 10;

/// Adds scenarios 2 to kScenarios, each with its revisions and undo steps, to a study of one scenario.
void fill(const std::string& file)
{
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
    const std::string scenarios = std::to_string(kScenarios), each = std::to_string(kRevisionsOfEach);
    const std::string numbers =
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < (" + scenarios + " - 1) * " + each + " - 1) ";
    const std::string script =
        "BEGIN;"
        "INSERT INTO revision (id, scenario, time_ms, label, json) "
        + numbers + "SELECT i + 2, 2 + i / " + each + ", 1767225600000 + i, 'edit ' || (i % " + each
        + "), json_set((SELECT json FROM revision WHERE id = 1), '$.note', 'edit ' || i || hex(randomblob(320))) FROM n;"
          "INSERT INTO step (id, time_ms, label) "
        + numbers
        + "SELECT i + 2, 1767225600000 + i, 'edit' FROM n;"
          "INSERT INTO change (id, step, scenario, field, before, after) "
        + numbers + "SELECT i + 2, i + 2, 2 + i / " + each + ", 'current', CASE WHEN i % " + each
        + " = 0 THEN NULL ELSE i + 1 END, i + 2 FROM n;"
          "INSERT INTO scenario (id, name, position, current) WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < "
        + scenarios + ") SELECT i, 'scenario ' || i, i - 1, 1 + (i - 1) * " + each
        + " FROM n;"
          "UPDATE study SET cursor = (SELECT max(id) FROM step);"
          "COMMIT;";
    char* error = nullptr;
    EXPECT_EQ(sqlite3_exec(db, script.c_str(), nullptr, nullptr, &error), SQLITE_OK) << (error != nullptr ? error : "");
    sqlite3_free(error);
    sqlite3_close(db);
}

TEST(LargeStudy, EveryCommandStaysWithinTenSecondsAndOneGibibyte)
{
    const fs::path folder = scratch() / "large";
    fs::remove_all(folder);
    fs::create_directories(folder);
    const std::string study = (folder / "large.prism").string();
    ASSERT_EQ(runCli("study add " + study + " sample-baseline --name first").exitCode, 0);
    fill(study);
    ASSERT_GT(fs::file_size(study), std::size_t{64} << 20);
    const auto run = [&](const std::string& arguments) {
        const CliRun done = runCli(arguments, kMemoryMib, kCpuSeconds);
        EXPECT_EQ(done.exitCode, 0) << arguments << "\n" << done.err;
        return done.out;
    };
    EXPECT_NE(run("study check " + study).find("sound"), std::string::npos);
    EXPECT_NE(run("study list " + study).find("scenario " + std::to_string(kScenarios)), std::string::npos);
    EXPECT_NE(run("study show " + study + " 'scenario 77'").find("edit"), std::string::npos);
    run("study export " + study + " --output " + (folder / "out").string());
    EXPECT_NE(run("study salvage " + study + " --output " + (folder / "salvaged.prism").string()).find("nothing was lost"),
              std::string::npos);
    EXPECT_NE(run("study check " + (folder / "salvaged.prism").string()).find("sound"), std::string::npos);
    run("study add " + study + " sample-baseline --name last");
    run("study compact " + study);
    EXPECT_NE(run("study list " + study).find("last"), std::string::npos);
    fs::remove_all(folder);
}

TEST(LargeStudy, TheWindowOpensIt)
{
    if (!hasExplorer())
        GTEST_SKIP() << "built without the window";
    const WindowStudy study("large-window");
    fill(study.study());
    const CliRun run = study.run("rss\n", "ulimit -t " + std::to_string(2 * kCpuSeconds) + "; ");
    ASSERT_EQ(run.exitCode, 0) << run.err;
    EXPECT_LT(std::stod(run.out.substr(run.out.find("rss ") + 4)), kMemoryMib * 1024.0);
}

} // namespace
} // namespace prism::test
