// SPDX-License-Identifier: GPL-3.0-or-later
// Known answers of the study file: each column alone, lengths at their limits, the order of backups, deadlines, a closed standard input.
#include "core/study/backup.h"
#include "core/study/database.h"
#include "core/study/impl.h"
#include "core/study/openfile.h"
#include "core/study/studyerror.h"
#include "core/study/studylimits.h"
#include "core/study/support.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace prism::study_test {
namespace {

/// One field at a time, so that no column can be read in place of another.
TEST(StudyAnswers, EachFieldOfAScenarioComesBackAlone)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    std::vector<ScenarioId> ids;
    {
        Result<Study> study = Study::create(path, options());
        for (const char* name : {"plain", "hidden", "archived", "noted", "coloured", "dashed", "child"})
            ids.push_back(study->addScenario(name, std::string(R"({"name":")") + name + "\"}").value());
        ASSERT_TRUE(study->setVisible(ids[1], false).empty());
        ASSERT_TRUE(study->setArchived(ids[2], true).empty());
        ASSERT_TRUE(study->setNote(ids[3], "note").empty());
        ASSERT_TRUE(study->setColour(ids[4], "#123456").empty());
        ASSERT_TRUE(study->setLineStyle(ids[5], "dash").empty());
        ASSERT_TRUE(study->setParent(ids[6], ids[3]).empty());
        ASSERT_TRUE(study->setBaseline(ids[5]).empty());
    }
    const Result<Study> study = Study::open(path, options());
    ASSERT_TRUE(study.ok());
    const std::vector<StudyScenario> rows = study->scenarios();
    ASSERT_EQ(rows.size(), 7U);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(rows[i].id, ids[i]);
        EXPECT_EQ(rows[i].visible, i != 1) << i;
        EXPECT_EQ(rows[i].archived, i == 2) << i;
        EXPECT_EQ(rows[i].note, i == 3 ? "note" : "") << i;
        EXPECT_EQ(rows[i].colour, i == 4 ? "#123456" : "") << i;
        EXPECT_EQ(rows[i].lineStyle, i == 5 ? "dash" : "") << i;
        EXPECT_EQ(rows[i].parent.value, i == 6 ? ids[3].value : 0) << i;
        EXPECT_EQ(rows[i].json, R"({"name":")" + rows[i].name + "\"}") << i;
        const StudyRevision revision = study->revisions(ids[i])->front();
        EXPECT_EQ(revision.id, rows[i].current) << i;
        EXPECT_EQ(revision.scenario, ids[i]) << i;
        EXPECT_EQ(revision.label, "Added") << i;
        EXPECT_GT(revision.timeMs, 1767225600000) << i; // the clock of the tests starts there and steps a second
        EXPECT_LT(revision.timeMs, 1767225600000 + 100'000) << i;
    }
    EXPECT_EQ(study->baseline(), ids[5]);
}

TEST(StudyAnswers, TextsOfTheirFullLengthAreTaken)
{
    Result<Study> study = Study::memory(options());
    const ScenarioId id = study->addScenario("a", "{}").value();
    const auto at = [](std::size_t bytes) { return std::string(bytes, 'x'); };
    const std::function<bool(std::size_t)> takes[] = {
        [&](std::size_t more) { return study->addScenario(at(kMaxStudyNameBytes + more), "{}").ok(); },
        [&](std::size_t more) { return study->rename(id, std::string(kMaxStudyNameBytes + more, 'y')).empty(); },
        [&](std::size_t more) { return study->setColour(id, at(kMaxStudyNameBytes + more)).empty(); },
        [&](std::size_t more) { return study->setLineStyle(id, at(kMaxStudyNameBytes + more)).empty(); },
        [&](std::size_t more) { return study->setNote(id, at(kMaxScenarioNoteBytes + more)).empty(); },
        [&](std::size_t more) { return study->setName(at(kMaxStudyNameBytes + more)).empty(); },
        [&](std::size_t more) { return study->setViewState("a", at(kMaxViewStateBytes + more)).empty(); },
        [&](std::size_t more) { return study->setViewState(at(kMaxStudyNameBytes + more), "{}").empty(); },
        [&](std::size_t more) { return study->addAttachment({.kind = "pool", .name = at(kMaxStudyNameBytes + more)}, "1").ok(); }};
    for (std::size_t i = 0; i < std::size(takes); ++i) {
        EXPECT_FALSE(takes[i](1)) << i;
        EXPECT_TRUE(takes[i](0)) << i;
    }
}

/// 16,384 parts of one byte are a text of as many bytes; one more is refused.
TEST(StudyAnswers, ARevisionMayHaveAllItsParts)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    const RevisionId revision = [&] {
        Result<Study> study = Study::create(path, options());
        const ScenarioId id = study->addScenario("base", "{}").value();
        EXPECT_TRUE(study->updateScenario(id, {.json = R"({"name":"b"})"}).ok());
        return study->revisions(id)->front().id; // not the one that is shown
    }();
    {
        Database db(path, Database::Mode::readWrite, {});
        db.run("INSERT INTO part (id, hash, raw_bytes, data) VALUES (1, 0, 1, x'789c33040000320032')");
        db.run("UPDATE revision SET json = '' WHERE id = ?1", revision.value);
        db.run(
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) INSERT INTO revision_part SELECT ?2, i, 1 FROM n",
            static_cast<std::int64_t>(kMaxRevisionParts) - 1, revision.value);
    }
    EXPECT_EQ(Study::open(path, options())->revisionJson(revision).value(), std::string(kMaxRevisionParts, '1'));
    {
        Database db(path, Database::Mode::readWrite, {});
        db.run("INSERT INTO revision_part VALUES (?1, ?2, 1)", revision.value, static_cast<std::int64_t>(kMaxRevisionParts));
    }
    EXPECT_FALSE(Study::open(path, options())->revisionJson(revision).ok());
}

/// A hundred losses of one kind are named, then one line stands for the others.
TEST(StudyAnswers, ASalvageNamesAHundredLossesOfAKind)
{
    for (const int cut : {100, 101, 130}) {
        const Folder folder;
        const std::string path = folder / "a.prism";
        {
            Result<Study> study = Study::create(path, options());
            ASSERT_TRUE(study->addScenario("base", "{}").ok());
            Database db(path, Database::Mode::readWrite, {});
            const std::string numbers = "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i <= ?1) ";
            db.run(numbers + "INSERT INTO scenario (id, name, position, line_style) SELECT i, 'copy ' || i, i, ?2 FROM n",
                   std::int64_t{cut}, std::string(kMaxStudyNameBytes + 1, 'x'));
            db.run(numbers + "INSERT INTO revision (id, scenario, time_ms, label, json) SELECT i, i, 0, '', '{}' FROM n",
                   std::int64_t{cut});
        }
        const auto report = salvageStudy(path, folder / "b.prism", options());
        ASSERT_TRUE(report.ok()) << text(report.errors());
        int named = 0, others = 0;
        for (const Diagnostic& d : report->losses) {
            named += d.message.starts_with("a text of 1001 bytes") ? 1 : 0;
            others += d.path == "texts" && d.message == "more of this kind are not listed" ? 1 : 0;
        }
        EXPECT_EQ(named, 100) << cut;
        EXPECT_EQ(others, cut > 100 ? 1 : 0) << cut;
    }
}

TEST(StudyAnswers, TheThreeNewestBackupsStayNewestFirst)
{
    const Folder folder, backups;
    const std::string path = folder / "a.prism";
    const Result<Study> study = Study::create(path, options());
    const Database db(path, Database::Mode::readOnly, {});
    constexpr std::int64_t kMinute = 60'000;
    const auto times = [&] {
        std::vector<std::int64_t> out;
        for (const StudyBackup& b : backupsOf(path, backups.path()))
            out.push_back(b.timeMs);
        return out;
    };
    const auto keepAt = [&](std::int64_t minute) { keepBackup(db, path, backups.path(), {"test", "host", 1, 0}, minute * kMinute); };
    for (const std::int64_t minute : {100, 200, 300, 400})
        keepAt(minute);
    EXPECT_EQ(times(), (std::vector<std::int64_t>{400 * kMinute, 300 * kMinute, 200 * kMinute}));
    keepAt(409); // less than ten minutes later
    EXPECT_EQ(times().front(), 400 * kMinute);
    keepAt(410);
    EXPECT_EQ(times(), (std::vector<std::int64_t>{410 * kMinute, 400 * kMinute, 300 * kMinute}));
    EXPECT_EQ(backupsOf(path, backups.path()).front().timeText(), "1970-01-01 06:50 UTC"); // 410 minutes
    EXPECT_TRUE(backupsOf(folder / "b.prism", backups.path()).empty());
}

TEST(StudyAnswers, ADeadlineEndsAQuery)
{
    const Folder folder;
    const Result<Study> study = Study::create(folder / "a.prism", options());
    const Database db(folder / "a.prism", Database::Mode::readOnly, {});
    const std::string query = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT count(*) FROM n";
    std::stop_source stop;
    stop.request_stop();
    const auto answers = [&](double seconds, const std::stop_token& token) {
        const Deadline deadline(db, seconds, Deadline::Clock::steady, token);
        return attempt([&] { EXPECT_EQ(db.integer(query), 100'001); }).empty();
    };
    EXPECT_TRUE(answers(-1, {}));
    EXPECT_TRUE(answers(60, {}));
    EXPECT_FALSE(answers(0, {}));
    EXPECT_FALSE(answers(-1, stop.get_token()));
    EXPECT_TRUE(answers(-1, {})) << "the one before left nothing behind";
}

/// The first file that a program without standard input opens is number 0.
TEST(StudyAnswers, FilesOpenWhereStandardInputIsClosed)
{
    const Folder folder;
    const int input = dup(0);
    close(0);
    StudyOptions own = options();
    own.backupFolder = folder / "backups";
    Result<Study> made = Study::create(folder / "a.prism", own);
    const bool added = made.ok() && made->addScenario("base", "{}").ok();
    const Diagnostics copied = [&] {
        const OpenFile held = OpenFile::at(folder / "a.prism"); // not number 0 again: the copy gets that
        close(0);
        return attempt([&] { copyFile(folder / "a.prism", folder / "copied.prism"); });
    }();
    close(0);
    const bool saved = made.ok() && made->saveCopy(folder / "b.prism").empty();
    close(0);
    const Result<Study> read = Study::open(folder / "b.prism", options());
    const bool writes = read.ok() && !read->readOnly();
    if (input >= 0) {
        dup2(input, 0);
        close(input);
    }
    EXPECT_TRUE(added && saved && writes);
    EXPECT_TRUE(copied.empty()) << text(copied);
}

/// Its folder of number 0 is as good as any other: none is left behind.
TEST(StudyAnswers, APrivateFolderGoesWhereStandardInputIsClosed)
{
    const Folder folder;
    const char* before = std::getenv("TMPDIR");
    const std::string place = before ? before : "";
    setenv("TMPDIR", folder.path().c_str(), 1);
    const auto entries = [&] {
        return std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator());
    };
    const int input = dup(0);
    close(0);
    const auto during = [&] {
        const PrivateFolder copies;
        return entries();
    }();
    const auto after = entries();
    if (input >= 0) {
        dup2(input, 0);
        close(input);
    }
    before ? setenv("TMPDIR", place.c_str(), 1) : unsetenv("TMPDIR");
    EXPECT_EQ(during, 1);
    EXPECT_EQ(after, 0);
}

} // namespace
} // namespace prism::study_test
