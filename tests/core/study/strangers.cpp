// SPDX-License-Identifier: GPL-3.0-or-later
// Studies as strangers or other programs leave them: a foreign log, hundreds of thousands of scenarios, texts without a bottom, links
// that lead out of a folder.
#include "core/study/database.h"
#include "core/study/support.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <ctime>
#include <fstream>
#include <functional>
#include <vector>

#include <sys/stat.h>

namespace prism::study_test {
namespace {

namespace fs = std::filesystem;

/// Runs SQL as another program does; the connection stays open so that its log stays.
class Elsewhere final {
public:
    explicit Elsewhere(const std::string& path) { EXPECT_EQ(sqlite3_open(path.c_str(), &m_db), SQLITE_OK); }
    ~Elsewhere() { sqlite3_close(m_db); }
    Elsewhere(const Elsewhere&) = delete;
    Elsewhere& operator=(const Elsewhere&) = delete;
    void run(const std::string& sql) const
    {
        EXPECT_EQ(sqlite3_exec(m_db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(m_db);
    }

private:
    sqlite3* m_db = nullptr;
};

std::string studyWith(const Folder& folder, const std::string& name, const std::string& json)
{
    const std::string path = folder / name;
    Result<Study> study = Study::create(path, options());
    EXPECT_TRUE(study.ok() && study->addScenario("base", json).ok());
    return path;
}

/// A copy of a study whose last change is in another program's log alone.
std::string withLog(const Folder& folder)
{
    const std::string path = studyWith(folder, "open.prism", "1"), copy = folder / "copy.prism";
    const Elsewhere other(path);
    other.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE scenario SET note = 'in the log'");
    fs::copy_file(path, copy);
    fs::copy_file(path + "-wal", copy + "-wal");
    return copy;
}

TEST(StudyStrangers, AnotherProgramsLogIsPartOfTheStudy)
{
    const Folder folder;
    const std::string path = withLog(folder);
    {
        const Result<Study> study = Study::open(path, options());
        ASSERT_TRUE(study.ok()) << text(study.errors());
        EXPECT_EQ(study->scenario("base")->note, "in the log");
    }
    const Folder second;
    const std::string again = withLog(second);
    const Result<Study> look = Study::open(again, {.access = StudyAccess::readOnly});
    ASSERT_TRUE(look.ok()) << text(look.errors());
    EXPECT_EQ(look->scenario("base")->note, "in the log");
    EXPECT_TRUE(fs::exists(again + "-wal")) << "looking changes nothing";
}

TEST(StudyStrangers, SalvageReadsAnotherProgramsLogToo)
{
    const Folder folder;
    const std::string path = withLog(folder);
    ASSERT_TRUE(salvageStudy(path, folder / "rescued.prism", options()).ok());
    EXPECT_EQ(Study::open(folder / "rescued.prism", options())->scenario("base")->note, "in the log");
}

TEST(StudyStrangers, HundredsOfThousandsOfScenariosAreRefused)
{
    const Folder folder;
    const std::string path = studyWith(folder, "many.prism", R"({"name":"base"})");
    Elsewhere(path).run("WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) "
                        "INSERT INTO scenario (id, name, position, current) SELECT i, 's' || i, i, 1 FROM n");
    const Result<Study> study = Study::open(path, options());
    ASSERT_FALSE(study.ok());
    EXPECT_NE(text(study.errors()).find("20000"), std::string::npos) << text(study.errors());
    EXPECT_FALSE(Study::open(path, {.access = StudyAccess::readOnly}).ok());
}

TEST(StudyStrangers, NamesAndNotesThatNoEditTakesAreRefusedAndSalvagedShortened)
{
    for (const std::string column : {"name", "note", "colour", "line_style"}) {
        const Folder folder;
        const std::string path = studyWith(folder, "long.prism", R"({"name":"base"})");
        Elsewhere(path).run("UPDATE scenario SET " + column + " = 'a' || replace(hex(zeroblob(3000000)), '00', '\xc3\xa4')");
        for (const auto& how : {options(), StudyOptions{.access = StudyAccess::readOnly}}) {
            const Result<Study> study = Study::open(path, how);
            ASSERT_FALSE(study.ok()) << column;
            EXPECT_EQ(study.errors().front().path, study_problem::kTooLarge);
            EXPECT_NE(text(study.errors()).find(path), std::string::npos) << text(study.errors());
        }
        const auto report = salvageStudy(path, folder / "short.prism", options());
        ASSERT_TRUE(report.ok()) << text(report.errors());
        EXPECT_EQ(report->losses.front().path, "scenario 1") << text(report->losses);
        const Result<Study> study = Study::open(folder / "short.prism", options());
        ASSERT_TRUE(study.ok()) << text(study.errors());
        EXPECT_EQ(study->scenarios().size(), 1U);
    }
}

TEST(StudyStrangers, ATextWithoutABottomIsNoScenario)
{
    const Folder folder;
    const std::string path = studyWith(folder, "deep.prism", "1");
    Elsewhere(path).run("UPDATE revision SET json = replace(hex(zeroblob(100000)), '0', '[')"); // 200,000 of them
    const Result<Scenario> scenario = scenarioFromStudy(path, "base");
    ASSERT_FALSE(scenario.ok());
    EXPECT_LT(text(scenario.errors()).size(), 2'000U);
    if (const Result<Study> study = Study::open(path, options())) {
        EXPECT_FALSE(study->check().empty()) << "the check finds it";
    }
}

TEST(StudyStrangers, LinksThatLeadOutOfAFolderAreNotFollowed)
{
    const Folder folder;
    std::ofstream(folder / "secret.json") << R"({"name":"secret"})";
    const Result<Study> study = Study::open(studyWith(folder, "a.prism", R"({"name":"base"})"), options());
    ASSERT_TRUE(study->exportFolder(folder / "out").empty());
    const fs::path revision = *fs::directory_iterator(folder / "out/revisions");
    fs::remove(revision);
    fs::create_symlink(folder / "secret.json", revision);
    const Result<Study> made = Study::importFolder(folder / "out", folder / "b.prism", options());
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(text(made.errors()).find("secret\""), std::string::npos);
    EXPECT_FALSE(fs::exists(folder / "b.prism"));
}

/// `value` as the four bytes of SQLite's journals.
std::string four(std::size_t value)
{
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes += static_cast<char>(value >> shift & 0xffU);
    return bytes;
}

/// A journal without a page that names another file as the journal of journals, which SQLite deletes when the change is undone
/// (sqlite.org/fileformat2.html, 3; the record at the end as pager.c reads it).
std::string journalThatNames(const std::string& file, std::uintmax_t studyBytes)
{
    constexpr std::size_t kPageBytes = 4096, kSectorBytes = 512, kPageOfNoRecord = (std::size_t{1} << 30) / kPageBytes + 1;
    const std::string magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
    std::string journal = magic + four(0) + four(1) + four(studyBytes / kPageBytes) + four(kSectorBytes) + four(kPageBytes);
    journal.resize(kSectorBytes, '\0');
    std::size_t sum = 0;
    for (const char c : file)
        sum += static_cast<unsigned char>(c);
    return journal + four(kPageOfNoRecord) + file + four(file.size()) + four(sum) + magic;
}

TEST(StudyStrangers, AJournalDeletesNobodysFile)
{
    const Folder folder;
    const std::string path = studyWith(folder, "a.prism", R"({"name":"base"})"), precious = folder / "precious.txt";
    const auto with = [&](const std::function<void()>& look) {
        std::ofstream(precious) << "dear words";
        std::ofstream(path + "-journal") << journalThatNames(precious, fs::file_size(path));
        look();
        EXPECT_TRUE(fs::exists(precious));
        fs::remove(path + "-journal");
    };
    with([&] { (void)Study::open(path, {.access = StudyAccess::readOnly}).ok(); });
    with([&] { (void)Study::open(path, options()).ok(); });
    with([&] { (void)salvageStudy(path, folder / "b.prism", options()).ok(); });
    Elsewhere(path).run("PRAGMA journal_mode = WAL");
    with([&] { (void)Study::open(path, options()).ok(); });
    const Result<Study> study = Study::open(path, options());
    ASSERT_TRUE(study.ok()) << text(study.errors());
    EXPECT_EQ(study->scenarios().size(), 1U);
}

TEST(StudyStrangers, WhatIsNoJournalIsReportedAndNotWaitedFor)
{
    const Folder folder;
    const std::string path = studyWith(folder, "a.prism", R"({"name":"base"})");
    const std::vector<std::function<void(const std::string&)>> kinds = {
        [](const std::string& name) { ASSERT_EQ(mkfifo(name.c_str(), 0600), 0); },
        [](const std::string& name) { fs::create_directory(name); },
        [](const std::string& name) { fs::create_symlink("/dev/zero", name); },
        [](const std::string& name) { fs::create_symlink("nowhere", name); },
    };
    for (const char* suffix : {"-journal", "-wal"})
        for (const auto& make : kinds) {
            make(path + suffix);
            const auto printed = [&](const Diagnostics& errors) { return text(errors).find(path + suffix) != std::string::npos; };
            EXPECT_TRUE(printed(Study::open(path, options()).errors()));
            EXPECT_TRUE(printed(Study::open(path, {.access = StudyAccess::readOnly}).errors()));
            EXPECT_TRUE(printed(salvageStudy(path, folder / "b.prism", options()).errors()));
            fs::remove(path + suffix);
        }
}

TEST(StudyStrangers, ALogOfAHundredGibIsNotCopied)
{
    const Folder folder;
    const std::string path = withLog(folder);
    fs::resize_file(path + "-wal", std::uintmax_t{100} << 30);
    EXPECT_EQ(Study::open(path, {.access = StudyAccess::readOnly}).errors().front().path, study_problem::kTooLarge);
    EXPECT_EQ(salvageStudy(path, folder / "b.prism", options()).errors().front().path, study_problem::kTooLarge);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 3) << "nothing is left behind";
}

TEST(StudyStrangers, ALogIsReadWithAnyHeader)
{
    const Folder folder;
    const std::string path = studyWith(folder, "a.prism", R"({"name":"base"})");
    std::ofstream(path + "-wal") << "left over";
    EXPECT_TRUE(Study::open(path, {.access = StudyAccess::readOnly}).ok());
    const Result<Study> study = Study::open(path, options());
    ASSERT_TRUE(study.ok()) << text(study.errors());
    EXPECT_FALSE(study->readOnly());
}

TEST(StudyStrangers, BehindALinkTheLogIsReadToo)
{
    const Folder folder, elsewhere;
    const std::string link = elsewhere / "link.prism";
    fs::create_symlink(withLog(folder), link);
    const Result<Study> look = Study::open(link, {.access = StudyAccess::readOnly});
    ASSERT_TRUE(look.ok()) << text(look.errors());
    EXPECT_EQ(look->scenario("base")->note, "in the log");
    ASSERT_TRUE(salvageStudy(link, folder / "rescued.prism", options()).ok());
    EXPECT_EQ(Study::open(folder / "rescued.prism", options())->scenario("base")->note, "in the log");
}

/// Processor seconds of this thread so far.
double processorSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TEST(StudyStrangers, ARevisionOfAHundredThousandPartsIsRefusedAtOnce)
{
    const Folder folder;
    const std::string path = studyWith(folder, "a.prism", R"({"name":"base"})");
    Elsewhere(path).run("INSERT INTO part (id, hash, raw_bytes, data) VALUES (1, 0, 1, x'789c33040000320032');"
                        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999) "
                        "INSERT INTO revision_part SELECT 1, i, 1 FROM n");
    const double before = processorSeconds();
    const Diagnostics found = Study::open(path, options()).errors();
    EXPECT_LT(processorSeconds() - before, 1) << "16 s where each part was put in by moving all behind it";
    EXPECT_NE(text(found).find("revision 1"), std::string::npos) << text(found);
    EXPECT_NE(text(found).find("16384"), std::string::npos) << text(found);
}

TEST(StudyStrangers, AMillionImportsAreTooLongAList)
{
    const Folder folder;
    const std::string path = studyWith(folder, "a.prism", R"({"name":"base"})");
    Elsewhere(path).run("PRAGMA synchronous = OFF; INSERT INTO part (id, hash, raw_bytes, data) VALUES (1, 0, 1, x'789c33040000320032');"
                        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250000) "
                        "INSERT INTO attachment (id, kind, name, source, time_ms, part) SELECT i, 'pool', 'a', 'b', 0, 1 FROM n");
    const Result<Study> study = Study::open(path, options());
    ASSERT_TRUE(study.ok()) << text(study.errors());
    const Diagnostics found = study->attachments().errors();
    EXPECT_EQ(found.front().path, study_problem::kTooLarge);
    EXPECT_NE(text(found).find(path), std::string::npos) << text(found);
}

TEST(StudyStrangers, ALongNameOfTheStudyIsRefusedWithTheFile)
{
    const Folder folder;
    const std::string path = studyWith(folder, "a.prism", R"({"name":"base"})");
    Elsewhere(path).run("UPDATE study SET name = replace(hex(zeroblob(2000000)), '00', 'ab')");
    const Diagnostics found = Study::open(path, options()).errors();
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front().path, study_problem::kTooLarge);
    EXPECT_NE(text(found).find(path), std::string::npos) << text(found);
}

TEST(StudyStrangers, ManyRevisionsOfOneBigSectionAreCheckedButNotExported)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    {
        Result<Study> study = Study::create(path, options());
        ASSERT_TRUE(study->addScenario("base", R"({"name":"base","table":")" + std::string(8 << 20, 'x') + "\"}").ok());
    }
    Elsewhere(path).run("WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO revision "
                        "SELECT i, 1, 0, 'again', json FROM n JOIN revision ON revision.id = 1;"
                        "INSERT INTO revision_part SELECT r.id, p.at, p.part FROM revision AS r JOIN revision_part AS p WHERE r.id > 1");
    const Result<Study> study = Study::open(path, options());
    ASSERT_TRUE(study.ok()) << text(study.errors());
    const double before = processorSeconds();
    EXPECT_TRUE(study->check().empty()) << text(study->check());
    EXPECT_LT(processorSeconds() - before, 4) << "each section is parsed once";
    const Diagnostics refused = study->exportFolder(folder / "out");
    EXPECT_EQ(refused.front().path, study_problem::kTooLarge);
    EXPECT_NE(text(refused).find(path), std::string::npos) << text(refused);
    EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST(StudyStrangers, TooManyViewsOrScenariosAreNotExported)
{
    const Folder folder;
    for (const char* row : {"view_state SELECT i, '{}'", "scenario (name, position, removed) SELECT i, i, 1"}) {
        const std::string path = studyWith(folder, "a.prism", R"({"name":"base"})");
        Elsewhere(path).run(std::string("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= 200000) INSERT INTO ")
                            + row + " FROM n");
        const Diagnostics refused = Study::open(path, options())->exportFolder(folder / "out");
        ASSERT_FALSE(refused.empty()) << row;
        EXPECT_EQ(refused.front().path, study_problem::kTooLarge);
        EXPECT_FALSE(fs::exists(folder / "out"));
        fs::remove(path);
    }
}

TEST(StudyStrangers, TheCheckFindsTextsThatAListRefuses)
{
    for (const char* edit : {"UPDATE revision SET label = %1", "UPDATE step SET label = %1"}) {
        for (const int bytes : {1 << 20, (1 << 20) + 1}) {
            const Folder folder;
            const std::string path = studyWith(folder, "a.prism", R"({"name":"base"})");
            std::string statement = edit;
            statement.replace(statement.find("%1"), 2, "printf('%.*c', " + std::to_string(bytes) + ", 'x')");
            Elsewhere(path).run(statement);
            const std::string found = text(Study::open(path, options())->check());
            EXPECT_EQ(found.empty(), bytes == 1 << 20) << edit;
            if (!found.empty()) {
                EXPECT_NE(found.find(path), std::string::npos) << found;
                EXPECT_NE(found.find("1048576 bytes"), std::string::npos) << found;
            }
        }
    }
}

TEST(StudyStrangers, TheCheckFindsReferencesToWhatIsRemoved)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    {
        Result<Study> study = Study::create(path, options());
        const ScenarioId base = study->addScenario("base", "{}").value();
        ASSERT_TRUE(study->addScenario("child", "{}", base).ok() && study->setBaseline(base).empty());
        EXPECT_TRUE(study->check().empty());
        ASSERT_TRUE(study->remove(base).empty() && study->check().empty()) << "removing takes the references away";
        ASSERT_TRUE(study->undo().empty() && study->check().empty());
    }
    Elsewhere(path).run("UPDATE scenario SET removed = 1 WHERE name = 'base'");
    const std::string found = text(Study::open(path, options())->check());
    EXPECT_NE(found.find("baseline is scenario 1"), std::string::npos) << found;
    EXPECT_NE(found.find("scenario 2: its parent is scenario 1"), std::string::npos) << found;
    Elsewhere(path).run("UPDATE scenario SET removed = 0; UPDATE scenario SET current = 1");
    EXPECT_NE(text(Study::open(path, options())->check()).find("of another scenario"), std::string::npos);
}

} // namespace
} // namespace prism::study_test
