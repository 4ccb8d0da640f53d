// SPDX-License-Identifier: GPL-3.0-or-later
// What comes back from a damaged study.
#include "core/study/support_sample.h"
#include "core/study/database.h"
#include "core/study/study.h"
#include "core/study/studylimits.h"
#include "core/study/support.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

using namespace study_test;

void makeOneOfEverything(const std::string& path)
{
    Result<Study> study = Study::create(path, options());
    const ScenarioId id = study->addScenario("a", "{}").value();
    ASSERT_TRUE(study->putResult({1}, "summary", {"1", 1, 1}, "x").empty());
    ASSERT_TRUE(study->addAttachment({.scenario = id, .kind = "pool", .name = "n", .source = "s"}, "y").ok());
    ASSERT_TRUE(study->setViewState("layout", "{}").empty());
}

TEST(StudySalvage, ASoundFileComesBackWhole)
{
    const Folder folder;
    makeSampleStudy(folder / "a.prism");
    const auto report = salvageStudy(folder / "a.prism", folder / "b.prism", options());
    ASSERT_TRUE(report.ok()) << text(report.errors());
    EXPECT_TRUE(report->losses.empty()) << text(report->losses);
    EXPECT_EQ(report->scenarios, 8);
    EXPECT_EQ(report->revisions, 8 * 7); // added, then edited six times
    EXPECT_EQ(report->attachments, 8);
    EXPECT_EQ(report->results, 8);
    EXPECT_EQ(report->viewStates, 1);
    EXPECT_EQ(report->steps, 8 * 7 + 2); // a baseline, and a removal that was undone
    EXPECT_TRUE(Study::open(folder / "b.prism", options())->dump().value() == Study::open(folder / "a.prism", options())->dump().value());
}

/// Each text at the length that a study takes, and one byte longer.
TEST(StudySalvage, TextsAreCutBeyondTheirLengthOnly)
{
    const Folder folder;
    struct Text {
        const char *table, *column;
        std::size_t limit;
    };
    for (const Text& t : {Text{"study", "name", kMaxStudyNameBytes},
                          {"study", "program", kMaxStudyNameBytes},
                          {"scenario", "name", kMaxStudyNameBytes},
                          {"scenario", "colour", kMaxStudyNameBytes},
                          {"scenario", "line_style", kMaxStudyNameBytes},
                          {"scenario", "note", kMaxScenarioNoteBytes},
                          {"revision", "label", kMaxTextBytesListed},
                          {"step", "label", kMaxTextBytesListed},
                          {"step", "merge_key", kMaxStudyNameBytes},
                          {"attachment", "kind", kMaxStudyNameBytes},
                          {"attachment", "name", kMaxStudyNameBytes},
                          {"attachment", "source", kMaxStudyNameBytes},
                          {"view_state", "name", kMaxStudyNameBytes},
                          {"result", "engine_version", kMaxStudyNameBytes},
                          {"result", "kind", kMaxStudyNameBytes}})
        for (const std::size_t more : {0U, 1U}) {
            makeOneOfEverything(folder / "a.prism");
            {
                Database file(folder / "a.prism", Database::Mode::readWrite, {});
                file.run(std::string("UPDATE ") + t.table + " SET " + t.column + " = ?1", std::string(t.limit + more, 'x'));
            }
            const auto report = salvageStudy(folder / "a.prism", folder / "b.prism", options());
            ASSERT_TRUE(report.ok()) << text(report.errors());
            EXPECT_EQ(report->losses.size(), more) << t.table << "." << t.column << ": " << text(report->losses);
            const Database copy(folder / "b.prism", Database::Mode::readOnly, {});
            if (std::string(t.table) == "step" && more > 0) {
                EXPECT_EQ(report->steps, 0) << "undo takes a complete history";
            } else {
                EXPECT_EQ(copy.integer(std::string("SELECT max(length(") + t.column + ")) FROM " + t.table),
                          static_cast<std::int64_t>(t.limit))
                    << t.table << "." << t.column;
            }
            for (const char* file : {"a.prism", "b.prism"})
                std::filesystem::remove(folder / file);
        }
}

TEST(StudySalvage, AFullDiskIsNoDamageAndLeavesNothing)
{
    const Folder folder;
    makeSampleStudy(folder / "a.prism");
    const std::size_t size = std::filesystem::file_size(folder / "a.prism");
    for (const std::size_t bytes : {std::size_t{1000}, size / 2, size}) {
        const SmallFiles small(bytes);
        const auto report = salvageStudy(folder / "a.prism", folder / "b.prism", options());
        if (report.ok()) { // what is written again may be as small
            EXPECT_TRUE(report->losses.empty()) << text(report->losses);
            continue;
        }
        EXPECT_TRUE(report.errors().front().path == study_problem::kDiskFull || report.errors().front().path == study_problem::kInputOutput)
            << text(report.errors());
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()), 1)
            << "nothing is left behind";
    }
}

TEST(StudySalvage, ANeighbourOfTheNewStudyStaysAsItIs)
{
    const Folder folder;
    makeSampleStudy(folder / "a.prism");
    writeAll(folder / "b.prism-new", "precious");
    ASSERT_TRUE(salvageStudy(folder / "a.prism", folder / "b.prism", options()).ok());
    EXPECT_EQ(readAll(folder / "b.prism-new"), "precious");
}

/// The lines of a dump that salvage brings back without a schema: undo starts empty, view state is lost.
std::string withoutHistory(const std::string& dump)
{
    std::string kept;
    for (std::size_t i = 0; i < dump.size();) {
        const std::size_t end = dump.find('\n', i) + 1;
        const std::string line = dump.substr(i, end - i);
        if (!line.starts_with("step") && !line.starts_with("change") && !line.starts_with("view_state"))
            kept += line.substr(0, line.find(" cursor="));
        i = end;
    }
    return kept;
}

TEST(StudySalvage, WhatAnyLostPageTookComesFromTheBackup)
{
    const Folder folder, backups;
    StudyOptions withBackups = options();
    withBackups.backupFolder = backups / "kept";
    makeSampleStudy(folder / "a.prism");
    {
        EXPECT_TRUE(Study::open(folder / "a.prism", withBackups).ok()); // makes the backup
    }
    const std::string sound = readAll(folder / "a.prism"), dump = Study::open(folder / "a.prism", options())->dump().value();
    for (std::size_t at = 0; at < sound.size(); at += 4096) {
        SCOPED_TRACE(at / 4096);
        std::string bytes = sound;
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), 4096, at == 0 ? '\0' : '\xa5');
        writeAll(folder / "a.prism", bytes);
        std::filesystem::remove(folder / "c.prism");
        const auto report = salvageStudy(folder / "a.prism", folder / "c.prism", withBackups);
        ASSERT_TRUE(report.ok()) << text(report.errors());
        const Result<Study> study = Study::open(folder / "c.prism", options());
        EXPECT_TRUE(study->check().empty()) << text(study->check());
        EXPECT_TRUE(withoutHistory(study->dump().value()) == withoutHistory(dump)) << text(report->losses);
    }
}

TEST(StudySalvage, WithoutABackupRowsAroundLostLeavesAreRead)
{
    const Folder folder;
    {
        Result<Study> study = Study::create(folder / "a.prism", options());
        ASSERT_TRUE(study->addScenario("base", "{}").ok());
        Database rows(folder / "a.prism", Database::Mode::readWrite, {});
        rows.script("WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO revision "
                    "SELECT i, 1, 0, 'leaf', '{\"fill\":\"' || hex(zeroblob(100)) || '\"}' FROM n; UPDATE scenario SET current = 2000");
    }
    std::string bytes = readAll(folder / "a.prism");
    int leaves = 0;
    for (std::size_t at = 4096; at < bytes.size(); at += 4096)
        if (bytes[at] == 0x0d && bytes.substr(at, 4096).find("leaf") != std::string::npos && ++leaves % 20 == 0)
            std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), 4096, '\xa5');
    ASSERT_GT(leaves, 100);
    writeAll(folder / "a.prism", bytes);
    const auto report = salvageStudy(folder / "a.prism", folder / "b.prism", options());
    ASSERT_TRUE(report.ok()) << text(report.errors());
    EXPECT_GT(report->revisions, 2000 * 94 / 100) << text(report->losses);
    EXPECT_LT(report->revisions, 2000);
    EXPECT_TRUE(Study::open(folder / "b.prism", options())->check().empty());
}

TEST(StudySalvage, ATruncatedFileGivesItsReadableRows)
{
    const Folder folder;
    {
        Result<Study> study = Study::create(folder / "a.prism", options());
        for (int i = 0; i < 200; ++i)
            ASSERT_TRUE(study->addScenario("s" + std::to_string(i), R"({"fill":")" + std::string(2000, 'x') + "\"}").ok());
    }
    const std::string bytes = readAll(folder / "a.prism");
    writeAll(folder / "a.prism", bytes.substr(0, bytes.size() * 3 / 4));
    EXPECT_FALSE(Study::open(folder / "a.prism", options()).ok());
    const auto report = salvageStudy(folder / "a.prism", folder / "b.prism", options());
    ASSERT_TRUE(report.ok()) << text(report.errors());
    EXPECT_GT(report->scenarios, 100);
    EXPECT_LT(report->scenarios, 200);
    EXPECT_TRUE(Study::open(folder / "b.prism", options())->check().empty());
}

TEST(StudySalvage, BackupsAreMadeAtTheEndAreFewAndAreNotMadeOften)
{
    const Folder folder, backups;
    StudyOptions hourly = options(3'600'000);
    hourly.backupFolder = backups / "kept";
    const auto kept = [&] {
        return std::distance(std::filesystem::directory_iterator(hourly.backupFolder), std::filesystem::directory_iterator());
    };
    {
        Result<Study> study = Study::create(folder / "a.prism", hourly);
        EXPECT_TRUE(study->addScenario("base", "{}").ok());
        EXPECT_EQ(kept(), 1) << "an edit makes none";
    }
    EXPECT_EQ(kept(), 2) << "the end makes one";
    for (int i = 0; i < 5; ++i)
        EXPECT_TRUE(Study::open(folder / "a.prism", hourly)->setName(std::to_string(i)).empty());
    EXPECT_EQ(kept(), 3);
    StudyOptions hasty = options(0);
    hasty.backupFolder = backups / "hasty";
    for (int i = 0; i < 5; ++i)
        EXPECT_TRUE(Study::open(folder / "a.prism", hasty)->setName(std::to_string(i)).empty());
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(hasty.backupFolder), std::filesystem::directory_iterator()), 1);
}

TEST(StudySalvage, ABackupOnRequestIsOfWhatWasEditedAndEndsWhenItIsStopped)
{
    const Folder folder, backups;
    const std::string kept = backups / "kept";
    const auto count = [&] { return std::distance(std::filesystem::directory_iterator(kept), std::filesystem::directory_iterator()); };
    StudyOptions real = options();
    real.nowMs = nullptr;
    Result<Study> study = Study::create(folder / "a.prism", real);
    for (int i = 0; i < 200; ++i) // more statements than between two looks at the stop
        ASSERT_TRUE(study->addScenario("s" + std::to_string(i), R"({"fill":")" + std::string(2000, 'x') + "\"}").ok());
    std::stop_source stopped;
    stopped.request_stop();
    study->backUp(kept, stopped.get_token());
    EXPECT_EQ(count(), 0) << "nothing unfinished either";
    EXPECT_TRUE(study->setName("still writable").empty());
    study->backUp(kept, {});
    ASSERT_EQ(count(), 1);
    EXPECT_EQ(Study::open(std::filesystem::directory_iterator(kept)->path().string(), {.access = StudyAccess::readOnly})->name(),
              "still writable");
    study->backUp(kept, {});
    EXPECT_EQ(count(), 1);
    Result<Study> reader = Study::open(folder / "a.prism", {.access = StudyAccess::readOnly});
    reader->backUp(backups / "other", {});
    EXPECT_FALSE(std::filesystem::exists(backups / "other")) << "only the writer makes backups";
}

TEST(StudySalvage, RowsThatClaimMoreThanTheFileHoldsEnd)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    {
        Result<Study> study = Study::create(path, options());
        ASSERT_TRUE(study->addScenario("base", "{}").ok());
        Database rows(path, Database::Mode::readWrite, {});
        rows.script("INSERT INTO revision VALUES (2, 1, 0, 'long', '\"' || hex(zeroblob(1000000)) || '\"')");
    }
    // The overflow chain of the long text becomes a circle, and all cells of its page name its record.
    std::string bytes = readAll(path);
    const auto be = [&](std::size_t at, int n) {
        std::size_t value = 0;
        for (int i = 0; i < n; ++i)
            value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
        return value;
    };
    const std::size_t leaf = bytes.find("long\"0") / 4096 * 4096, cell = leaf + be(leaf + 10, 2);
    ASSERT_EQ(bytes[leaf], 0x0d);
    const std::size_t page = bytes.size() / 4096, first = page - 10; // the last page of the file ends the chain
    for (int shift = 24, i = 0; shift >= 0; shift -= 8, ++i)
        bytes[(page - 1) * 4096 + static_cast<std::size_t>(i)] = static_cast<char>(first >> shift & 0xffU);
    bytes[leaf + 3] = 2;
    bytes[leaf + 4] = 0; // 512 cells
    for (std::size_t i = 0; i < 512; ++i) {
        bytes[leaf + 8 + 2 * i] = static_cast<char>((cell - leaf) >> 8);
        bytes[leaf + 9 + 2 * i] = static_cast<char>((cell - leaf) & 0xffU);
    }
    writeAll(path, bytes);
    const auto report = salvageStudy(path, folder / "b.prism", options());
    if (report.ok()) {
        EXPECT_LT(std::filesystem::file_size(folder / "b.prism"), 2 * bytes.size());
    }
}

TEST(StudySalvage, WhatIsNoStudyIsRefused)
{
    const Folder folder;
    writeAll(folder / "a.prism", std::string(50'000, 'x'));
    EXPECT_EQ(salvageStudy(folder / "a.prism", folder / "b.prism").errors().front().path, study_problem::kDamaged);
    EXPECT_EQ(salvageStudy(folder / "none.prism", folder / "b.prism").errors().front().path, study_problem::kNotFound);
    EXPECT_FALSE(std::filesystem::exists(folder / "b.prism"));
}

} // namespace
} // namespace prism
