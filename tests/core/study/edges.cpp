// SPDX-License-Identifier: GPL-3.0-or-later
// A study at its limits: the size of an export and of what is shown, the cache of results, lists, copies on a full disk.
#include "core/study/compress.h"
#include "core/study/database.h"
#include "core/study/impl.h"
#include "core/study/openfile.h"
#include "core/study/studyerror.h"
#include "core/study/support.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

namespace prism::study_test {
namespace {

/// Letters that hardly compress: one of the 64 characters from each look at the generator of Park and Miller (1988).
std::string letters(std::size_t bytes, std::uint64_t seed)
{
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
    std::string out(bytes, ' ');
    for (char& c : out) {
        seed = seed * 48'271 % 2'147'483'647;
        c = kAlphabet[seed >> 10 & 63U];
    }
    return out;
}

TEST(StudyEdges, BytesOfAColumnAreThoseOfTextsAndBlobs)
{
    const Folder folder;
    const Result<Study> study = Study::create(folder / "a.prism", options());
    const Database db(folder / "a.prism", Database::Mode::readWrite, {});
    Statement row(db.handle(), "SELECT x'010203', 'abcde', 7, 0.5, NULL");
    ASSERT_TRUE(row.row());
    const std::size_t expected[] = {3, 5, 0, 0, 0};
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(row.bytes(i), expected[i]) << i;
}

TEST(StudyEdges, TheOnlyScenarioNeedsNoName)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    Result<Study> study = Study::create(path, options());
    const auto message = [&] {
        const Result<Scenario> found = scenarioFromStudy(path, "");
        return found.ok() ? std::string("found") : found.errors().front().message;
    };
    EXPECT_EQ(message(), "The study has no scenarios.");
    ASSERT_TRUE(study->addScenario("a", toJson(Scenario{})).ok());
    EXPECT_EQ(message(), "found");
    ASSERT_TRUE(study->addScenario("b", toJson(Scenario{})).ok());
    EXPECT_EQ(message(), "The study has several scenarios: name one.");
}

TEST(StudyEdges, OnlyAFileWithoutAByteIsEmpty)
{
    const Folder folder;
    const auto message = [&](const std::string& bytes) {
        std::ofstream(folder / "a.prism", std::ios::trunc) << bytes;
        return Study::open(folder / "a.prism", options()).errors().front().message;
    };
    EXPECT_EQ(message(""), "The file is empty.");
    EXPECT_NE(message("x"), "The file is empty.");
}

TEST(StudyEdges, AFolderIsNotOpenedAsAFile)
{
    const Folder folder;
    errno = 0;
    EXPECT_FALSE(OpenFile::at(folder.path()));
    EXPECT_EQ(errno, EISDIR) << "it is not opened for reading either";
}

TEST(StudyEdges, RevisionsWithLongLabelsAreListed)
{
    const Folder folder;
    Result<Study> study = Study::create(folder / "a.prism", options());
    const ScenarioId id = study->addScenario("a", "{}").value();
    const std::string label(900, 'l'); // longer than the rest of a revision in memory
    ASSERT_TRUE(study->updateScenario(id, {.json = R"({"name":"b"})", .label = label}).ok());
    const auto revisions = study->revisions(id);
    ASSERT_TRUE(revisions.ok()) << text(revisions.errors());
    ASSERT_EQ(revisions->size(), 2U);
    EXPECT_EQ(revisions->back().label, label);
}

/// Two small results make way for one large one, the third stays.
TEST(StudyEdges, AsManyResultsGoAsTheNewOneNeeds)
{
    const Folder folder;
    StudyOptions small = options();
    small.resultCacheBytes = 40'000;
    Result<Study> study = Study::create(folder / "a.prism", small);
    const ResultProvenance provenance{"1.0", 1, 100};
    ASSERT_TRUE(study->putResult({0}, "summary", provenance, letters(6'000, 1)).empty());
    const std::int64_t each = study->storedResultBytes().value();
    ASSERT_GT(each, 4'000);
    ASSERT_LT(each, 5'000);
    for (std::uint64_t i = 1; i < 8; ++i)
        ASSERT_TRUE(study->putResult({i}, "summary", provenance, letters(6'000, i + 1)).empty());
    ASSERT_TRUE(study->putResult({8}, "summary", provenance, letters(12'500, 99)).empty());
    EXPECT_LE(study->storedResultBytes().value(), 40'000);
    EXPECT_GT(study->storedResultBytes().value(), 40'000 - each);
    for (std::uint64_t i = 0; i <= 8; ++i)
        EXPECT_EQ(study->result({i}, "summary", "1.0", 1)->has_value(), i > 1) << i;
}

/// Uses are numbered one by one: a look at a result counts once, at the next result that is stored.
TEST(StudyEdges, UsesOfResultsAreNumberedWithoutGaps)
{
    const Folder folder;
    const std::string path = folder / "a.prism";
    Result<Study> study = Study::create(path, options());
    const ResultProvenance provenance{"1.0", 1, 100};
    ASSERT_TRUE(study->putResult({1}, "summary", provenance, "a").empty()); // use 1
    ASSERT_TRUE(study->result({1}, "summary", "1.0", 1)->has_value());      // use 2
    ASSERT_TRUE(study->putResult({2}, "summary", provenance, "b").empty()); // use 3
    ASSERT_TRUE(study->putResult({3}, "summary", provenance, "c").empty()); // use 4
    const Database db(path, Database::Mode::readWrite, {});
    const auto used = [&](std::int64_t hash) { return db.integer("SELECT used FROM result WHERE hash = ?1", hash); };
    EXPECT_EQ(used(2) - used(1), 1);
    EXPECT_EQ(used(3) - used(2), 1);
}

/// One result claims what is missing to the limit of an export, or one byte more.
TEST(StudyEdges, AnExportOfExactlyItsLimitIsNotTooLarge)
{
    const Folder folder;
    const std::string path = folder / "a.prism", json = R"({"name":"base"})";
    ScenarioId id{};
    {
        Result<Study> study = Study::create(path, options());
        id = study->addScenario("base", json).value();
        ASSERT_TRUE(study->putResult({1}, "summary", {"1.0", 1, 100}, "a").empty());
    }
    const auto problem = [&](std::int64_t more) {
        Database db(path, Database::Mode::readWrite, {});
        const std::int64_t others = db.integer("SELECT sum(length(json) + length(label)) FROM revision");
        db.run("UPDATE result SET raw_bytes = ?1", kMaxExportBytes - others + more);
        const Diagnostics problems = Study::open(path, options())->exportFolder(folder / "out");
        std::filesystem::remove_all(folder / "out");
        return problems.empty() ? std::string() : problems.front().message;
    };
    EXPECT_NE(problem(0), "The exported study would be too large.");
    EXPECT_EQ(problem(1), "The exported study would be too large.");
}

/// Sixteen scenarios of 8 MiB are as much text as is shown; one more is too much.
TEST(StudyEdges, AsMuchTextAsIsShownOpens)
{
    const Folder folder;
    const std::string path = folder / "a.prism", open = R"({"name":"base","table":")";
    {
        Result<Study> study = Study::create(path, options());
        ASSERT_TRUE(study->addScenario("base", open + std::string(kMaxShownBytes / 16 - open.size() - 2, 'x') + "\"}").ok());
    }
    const auto add = [&](int first, int last) {
        Database db(path, Database::Mode::readWrite, {});
        db.run("WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2) "
               "INSERT INTO scenario (name, position, current) SELECT 'copy ' || i, i, 1 FROM n",
               std::int64_t{first}, std::int64_t{last});
    };
    StudyOptions reading = options();
    reading.access = StudyAccess::readOnly;
    reading.checkBudgetSeconds = 0;
    add(2, 16);
    EXPECT_TRUE(Study::open(path, reading).ok());
    add(17, 17);
    const Diagnostics refused = Study::open(path, reading).errors();
    ASSERT_FALSE(refused.empty());
    EXPECT_EQ(refused.front().path, study_problem::kTooLarge);
}

/// The section of a scenario that is stored separately has to be JSON; an import need not be.
TEST(StudyEdges, TheCheckReadsSectionsAsJsonAndImportsAsBytes)
{
    const Folder folder;
    const std::string path = folder / "a.prism", bytes = letters(50'000, 7);
    Result<Study> study = Study::create(path, options());
    ASSERT_TRUE(study->addScenario("base", R"({"name":"base","table":")" + bytes + "\"}").ok());
    EXPECT_TRUE(study->check().empty()) << text(study->check());
    {
        Database db(path, Database::Mode::readWrite, {});
        ASSERT_EQ(db.integer("SELECT count(*) FROM revision_part"), 1);
        db.run("UPDATE part SET data = ?1, raw_bytes = ?2", SqlBlob{compressBytes(bytes)}, static_cast<std::int64_t>(bytes.size()));
    }
    EXPECT_NE(text(study->check()).find("part 1"), std::string::npos) << text(study->check());
}

TEST(StudyEdges, ACopyOnAFullDiskIsReportedAsSuch)
{
    const Folder folder;
    std::ofstream(folder / "from") << letters(200'000, 3);
    const auto problem = attempt([&] { copyFile(folder / "from", folder / "whole"); });
    EXPECT_TRUE(problem.empty()) << text(problem);
    EXPECT_EQ(std::filesystem::file_size(folder / "whole"), 200'000U);
    for (const std::size_t bytes : {std::size_t{65'536}, std::size_t{100'000}}) { // a whole number of writes, and part of one
        const SmallFiles full(bytes);
        errno = 0;
        const Diagnostics found = attempt([&] { copyFile(folder / "from", folder / std::to_string(bytes)); });
        ASSERT_EQ(found.size(), 1U) << bytes;
        EXPECT_EQ(found.front().path, study_problem::kDiskFull) << bytes << ": " << text(found);
    }
}

/// Six other arguments do not start the helper of a salvage. A child process calls it, because the call marks its process as a helper.
TEST(StudyEdges, OtherArgumentsDoNotStartTheSalvageHelper)
{
    const auto answer = [] {
        std::string words[] = {"prism-cli", "check", "a", "b", "c", "d"};
        char* list[6];
        for (int i = 0; i < 6; ++i)
            list[i] = words[i].data();
        _exit(salvageHelper(6, list) ? 1 : 0);
    };
    EXPECT_EXIT(answer(), testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace prism::study_test
