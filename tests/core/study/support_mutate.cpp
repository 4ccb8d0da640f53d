// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/support_mutate.h"

#include "core/study/database.h"
#include "core/study/support_sample.h"
#include "core/study/support.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <iostream>
#include <random>

#include <unistd.h>

namespace prism::study_test {

namespace {

constexpr std::size_t kPage = 4096;
constexpr unsigned kHangSeconds = 300; // ends the test program: nothing here takes a second

/// Changes that a program with SQLite can make and this one never does.
const std::vector<std::string> kHostileSql = {
    "DROP TABLE result",
    "DROP TABLE scenario",
    "CREATE TRIGGER evil AFTER UPDATE ON study BEGIN DELETE FROM scenario; END",
    "CREATE VIEW evil AS SELECT * FROM scenario",
    "ALTER TABLE scenario ADD COLUMN extra TEXT",
    "CREATE INDEX extra ON scenario (name)",
    "PRAGMA user_version = 0",
    "PRAGMA user_version = 2",
    "PRAGMA user_version = 4",
    "PRAGMA user_version = -5",
    "PRAGMA user_version = 2147483647",
    "PRAGMA application_id = 1",
    "PRAGMA journal_mode = WAL",
    "UPDATE part SET raw_bytes = 9223372036854775807",
    "UPDATE part SET raw_bytes = -1",
    "UPDATE part SET raw_bytes = 268435456",
    "UPDATE part SET data = zeroblob(500000)",
    "UPDATE part SET data = x''",
    "UPDATE result SET raw_bytes = 1000000000000, data = zeroblob(1000000)",
    "UPDATE result SET samples = -9223372036854775808, used = 9223372036854775807",
    "UPDATE revision_part SET at = 9223372036854775807",
    "UPDATE revision_part SET at = -9223372036854775808",
    "UPDATE scenario SET current = NULL",
    "UPDATE scenario SET current = 999999",
    "UPDATE scenario SET parent = id",
    "UPDATE scenario SET parent = 9 - id",
    "UPDATE scenario SET position = 9223372036854775807",
    "UPDATE scenario SET name = 'same'",
    "UPDATE scenario SET name = CAST(x'fffe00c0' AS TEXT), note = CAST(x'00ff' AS TEXT)",
    "UPDATE revision SET json = '', label = CAST(x'c3' AS TEXT)",
    "UPDATE revision SET json = '[[[[' || hex(zeroblob(100000))",
    "UPDATE revision SET time_ms = -9223372036854775808",
    "UPDATE change SET field = 'id = 1; DROP TABLE scenario; --'",
    "UPDATE change SET field = 'current', before = 'text', after = x'00ff'",
    "UPDATE change SET field = 'visible', before = 77, after = 77",
    "UPDATE study SET cursor = 9223372036854775807",
    "UPDATE study SET cursor = -1",
    "UPDATE study SET baseline = 424242",
    "DELETE FROM study",
    "DELETE FROM revision",
    "DELETE FROM step",
    "DELETE FROM part",
    "INSERT INTO view_state VALUES ('big', hex(zeroblob(4000000)))",
    "UPDATE attachment SET source = '../../../etc/passwd', name = hex(zeroblob(100000))",
    "INSERT INTO step (id, time_ms, label) VALUES (9223372036854775807, 0, 'last')",
    "INSERT INTO revision (id, scenario, time_ms, label, json) VALUES (9223372036854775807, 1, 0, 'last', '{}')",
    "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
    "INSERT INTO scenario (id, name, position) SELECT i, i, i FROM n",
};

void runHostileSql(const std::string& path, const std::string& sql)
{
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    sqlite3_exec(db, "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON", nullptr, nullptr, nullptr);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << sql << ": " << (message ? message : "");
    sqlite3_free(message);
    sqlite3_close(db);
}

std::string mutated(std::string bytes, std::mt19937& random)
{
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    switch (below(6)) {
    case 0: // bit flips anywhere
        for (std::size_t i = 0, n = 1 + below(64); i < n; ++i)
            bytes[below(bytes.size())] ^= static_cast<char>(1U << below(8));
        break;
    case 1: // bit flips where pages keep their structure
        for (std::size_t i = 0, n = 1 + below(32); i < n; ++i)
            bytes[below(bytes.size() / kPage) * kPage + below(64)] ^= static_cast<char>(1U << below(8));
        break;
    case 2: // truncation
        bytes.resize(below(bytes.size()));
        break;
    case 3: { // a block of noise or of zeros
        const std::size_t size = 1 + below(8 * kPage);
        const std::size_t at = below(bytes.size());
        const bool zeros = below(2) == 0;
        for (std::size_t i = at; i < std::min(bytes.size(), at + size); ++i)
            bytes[i] = zeros ? '\0' : static_cast<char>(below(256));
        break;
    }
    case 4: { // two pages change places
        const std::size_t a = below(bytes.size() / kPage) * kPage;
        const std::size_t b = below(bytes.size() / kPage) * kPage;
        std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(a), bytes.begin() + static_cast<std::ptrdiff_t>(a + kPage),
                         bytes.begin() + static_cast<std::ptrdiff_t>(b));
        break;
    }
    default: // the file header
        for (std::size_t i = 0, n = 1 + below(8); i < n; ++i)
            bytes[below(100)] = static_cast<char>(below(256));
    }
    return bytes;
}

/// Everything that a program does with a study.
void use(Study& study, const Folder& folder)
{
    (void)study.dump();
    (void)study.check();
    for (const StudyScenario& s : study.scenarios()) {
        if (const auto revisions = study.revisions(s.id); revisions.ok())
            for (const StudyRevision& r : *revisions)
                (void)study.revisionJson(r.id);
        if (s.id.value > 20)
            break;
    }
    (void)study.steps();
    (void)study.result({3}, "summary", "0.1.0", 1);
    if (const auto imports = study.attachments(); imports.ok())
        for (const StudyAttachment& a : *imports)
            (void)study.attachmentBytes(a.id);
    (void)study.viewState("layout");
    for (int i = 0; i < 5; ++i)
        (void)study.undo();
    for (int i = 0; i < 3; ++i)
        (void)study.redo();
    const auto id = study.addScenario("new", "{}");
    if (id.ok()) {
        (void)study.updateScenario(*id, {.json = "{\"a\":1}"});
        (void)study.setParent(*id, study.scenarios().front().id);
        (void)study.setParent(study.scenarios().front().id, *id);
        (void)study.reorder(*id, 0);
        (void)study.remove(*id);
    }
    (void)study.putResult({77}, "summary", {"1", 1, 1}, "bytes");
    (void)study.saveCopy(folder / "copy.prism");
    (void)study.exportFolder(folder / "out");
    (void)study.compact();
    (void)study.changedUnderneath();
    (void)study.reload();
}

} // namespace

void mutateStudies(int count, unsigned seed)
{
    const Folder source;
    makeSampleStudy(source / "sample.prism");
    const std::string sample = readAll(source / "sample.prism");
    ASSERT_GT(sample.size(), 20 * kPage);
    std::mt19937 random(seed);
    int opened = 0;
    int salvaged = 0;
    for (int i = 0; i < count; ++i) {
        SCOPED_TRACE(i);
        alarm(kHangSeconds);
        const auto began = std::chrono::steady_clock::now();
        const Folder folder;
        const std::string path = folder / "a.prism";
        const bool hostile = static_cast<std::size_t>(i) < kHostileSql.size();
        writeAll(path, hostile ? sample : mutated(sample, random));
        if (hostile)
            runHostileSql(path, kHostileSql[static_cast<std::size_t>(i)]);
        const std::string before = readAll(path);
        const auto report = salvageStudy(path, folder / "salvaged.prism", options());
        EXPECT_EQ(readAll(path), before) << "salvage wrote to the damaged file";
        if (report.ok()) {
            ++salvaged;
            const auto result = Study::open(folder / "salvaged.prism", options());
            ASSERT_TRUE(result.ok()) << text(result.errors());
            const Diagnostics findings = result->check();
            EXPECT_TRUE(findings.empty()) << text(findings);
        }
        StudyOptions careless = options();
        careless.checkBudgetSeconds = i % 2 ? 0.1 : 0; // what the check would refuse must not crash either
        Result<Study> study = Study::open(path, careless);
        if (study.ok()) {
            ++opened;
            use(*study, folder);
        } else {
            EXPECT_TRUE(study.errors().front().path.starts_with("study:"));
        }
        if (std::getenv("PRISM_TIMES"))
            std::cout << i << ": " << std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() << "\n";
    }
    alarm(0);
    std::cout << count << " mutated files: " << opened << " opened, " << count - opened << " refused, " << salvaged << " salvaged\n";
}

} // namespace prism::study_test
