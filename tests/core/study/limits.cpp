// SPDX-License-Identifier: GPL-3.0-or-later
// Each limit of a study file just kept and just passed: lists, findings, backups and their folder, names of exported files.
#include "core/study/backup.h"
#include "core/study/database.h"
#include "core/study/impl.h"
#include "core/study/support.h"
#include "core/study/support_sample.h"

#include <gtest/gtest.h>

namespace prism::study_test {
namespace {

namespace fs = std::filesystem;

TEST(StudyLimits, AListMayHaveAllItsBytes)
{
    const Folder folder;
    const Result<Study> study = Study::create(folder / "a.prism", options());
    const Database db(folder / "a.prism", Database::Mode::readOnly, {});
    constexpr std::size_t kMib = std::size_t{1} << 20;
    ListBudget budget(db);
    for (int i = 0; i < 160; ++i)
        budget.take(kMib);
    const Diagnostics problem = attempt([&] { budget.take(1); });
    ASSERT_EQ(problem.size(), 1U);
    EXPECT_EQ(problem.front().path, study_problem::kTooLarge);
    EXPECT_EQ(problem.front().accepted, "up to 160 MiB of imports, revisions or undo steps");
}

TEST(StudyLimits, AHundredFindingsAreListed)
{
    for (const int invalid : {1, 99, 100, 101, 150}) {
        const Folder folder;
        Result<Study> study = Study::create(folder / "a.prism", options());
        ASSERT_TRUE(study->addScenario("base", "{}").ok());
        {
            Database db(folder / "a.prism", Database::Mode::readWrite, {});
            db.run("WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i <= ?1) "
                   "INSERT INTO revision (id, scenario, time_ms, label, json) SELECT i, 1, 0, '', '{' FROM n",
                   std::int64_t{invalid});
        }
        const Diagnostics found = study->check();
        EXPECT_EQ(found.size(), static_cast<std::size_t>(std::min(invalid, 100)));
        EXPECT_NE(found.front().message.find("not a JSON text"), std::string::npos) << text(found);
    }
}

/// The size of a study without data: a file with holes takes no space.
void makeHollow(const std::string& path, std::uintmax_t bytes)
{
    writeAll(path, "x");
    fs::resize_file(path, bytes);
}

std::vector<std::int64_t> minutesOf(const std::string& path, const std::string& folder)
{
    std::vector<std::int64_t> minutes;
    for (const StudyBackup& b : backupsOf(path, folder))
        minutes.push_back(b.timeMs / 60'000);
    return minutes;
}

TEST(StudyLimits, AStudyOf256MibIsBackedUpALargerOneIsNot)
{
    const Folder folder, backups;
    const Result<Study> study = Study::create(folder / "a.prism", options());
    const Database db(folder / "a.prism", Database::Mode::readOnly, {});
    for (const std::uintmax_t more : {0U, 1U}) {
        const std::string large = folder / ("large" + std::to_string(more));
        makeHollow(large, 268'435'456 + more);
        keepBackup(db, large, backups.path(), {"test", "host", 1, 0}, 60'000);
        EXPECT_EQ(minutesOf(large, backups.path()).size(), 1 - more) << more;
    }
    keepBackup(db, folder / "none", backups.path(), {"test", "host", 1, 0}, 60'000);
    EXPECT_TRUE(minutesOf(folder / "none", backups.path()).empty()) << "a file that is not there";
}

/// All backups of all studies take 1 GiB at most; the oldest go.
TEST(StudyLimits, TheOldestBackupsGoBeyondAGibibyte)
{
    for (const std::uintmax_t more : {0U, 1U}) {
        const Folder folder, backups;
        const Result<Study> study = Study::create(folder / "a.prism", options());
        const Database db(folder / "a.prism", Database::Mode::readOnly, {});
        const auto keep = [&](std::int64_t minute) {
            keepBackup(db, folder / "a.prism", backups.path(), {"test", "host", 1, 0}, minute * 60'000);
        };
        keep(100);
        const std::uintmax_t own = fs::file_size(backupsOf(folder / "a.prism", backups.path()).front().path);
        makeHollow(backups / "other-5000000.prism", 536'870'912);                    // minute 83
        makeHollow(backups / "another-4000000.prism", 536'870'912 - 2 * own + more); // minute 67, the oldest
        makeHollow(backups / "note.txt", 536'870'912);
        keep(200);
        EXPECT_EQ(minutesOf(folder / "a.prism", backups.path()), (std::vector<std::int64_t>{200, 100})) << more;
        EXPECT_TRUE(fs::exists(backups / "other-5000000.prism"));
        EXPECT_EQ(fs::exists(backups / "another-4000000.prism"), more == 0);
        EXPECT_TRUE(fs::exists(backups / "note.txt")) << "not a backup";
    }
}

/// Files of an export have the names of their sources, up to 60 characters of letters, digits, "-", "_" and inner dots.
TEST(StudyLimits, ExportedImportsAreNamedAfterTheirSources)
{
    const Folder folder;
    Result<Study> study = Study::create(folder / "a.prism", options());
    const ScenarioId id = study->addScenario("base", "{}").value();
    const std::pair<const char*, std::string> sources[] = {
        {"1-azAZ09-_.csv", "azAZ09-_.csv"},
        {"2-____.csv", ".{@`.csv"},
        {"3-___", "[:^"},
        {"4-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", std::string(61, 'x')}};
    for (const auto& [file, source] : sources)
        ASSERT_TRUE(study->addAttachment({.scenario = id, .kind = "pool", .name = "n", .source = source}, "y").ok());
    ASSERT_TRUE(study->exportFolder(folder / "out").empty());
    for (const auto& [file, source] : sources)
        EXPECT_TRUE(fs::exists(folder / ("out/attachments/" + std::string(file)))) << file;
}

} // namespace
} // namespace prism::study_test
