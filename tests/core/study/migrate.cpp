// SPDX-License-Identifier: GPL-3.0-or-later
// Stored studies of every earlier format open, keep everything, and leave a backup; newer ones open for reading.
#include "core/study/database.h"
#include "core/study/support_sample.h"
#include "core/study/schema.h"
#include "core/study/study.h"
#include "core/study/support.h"

#include "prism_paths.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

using namespace study_test;
namespace fs = std::filesystem;

/// A study file of an earlier format from tests/data/study.
void replay(int version, const std::string& path)
{
    Database db(path, Database::Mode::create, {});
    db.script(readAll(PRISM_TEST_DATA "/study/version" + std::to_string(version) + ".sql"));
}

class Migration : public testing::TestWithParam<int> {};

TEST_P(Migration, KeepsEverythingAndTheFileAsItWas)
{
    const Folder folder;
    const std::string path = folder / "old.prism";
    const int version = GetParam();
    replay(version, path);
    {
        Database old(path, Database::Mode::readOnly, {});
        ASSERT_EQ(schemaDifference(old, version), "");
    }
    Result<Study> study = Study::open(path, options());
    ASSERT_TRUE(study.ok()) << text(study.errors());
    EXPECT_FALSE(study->readOnly()) << study->readOnlyReason();
    ASSERT_EQ(study->notes().size(), 1U);
    EXPECT_TRUE(study->check().empty()) << text(study->check());
    EXPECT_EQ(study->name(), "Plan of the spring");
    const auto scenarios = study->scenarios();
    ASSERT_EQ(scenarios.size(), 3U);
    EXPECT_EQ(scenarios[0].json, R"({"version":1,"name":"base","note":"ü","model":{"seq_length":8192}})");
    EXPECT_EQ(scenarios[0].colour, "#0072b2");
    EXPECT_EQ(scenarios[1].json, R"({"version":1,"name":"tp 4","parallelism":{"tensor_model_parallel_size":4}})");
    EXPECT_FALSE(scenarios[1].visible);
    EXPECT_EQ(scenarios[1].parent, scenarios[0].id);
    EXPECT_EQ(scenarios[2].name, "with \"quotes\", and, commas");
    EXPECT_EQ(scenarios[2].note, "line one\nline two");
    EXPECT_EQ(study->baseline(), scenarios[0].id);
    EXPECT_EQ(study->viewState("layout").value(), R"({"dock":"left"})");
    EXPECT_EQ(study->revisions(scenarios[0].id)->size(), 3U);

    // The history that follows from the revisions can be undone to the first texts.
    if (version == 2) {
        EXPECT_TRUE(scenarios[2].archived);
        ASSERT_TRUE(study->redo().empty());
        EXPECT_EQ(study->scenario(scenarios[1].id)->name, "four");
    }
    while (study->undo().empty()) {
    }
    EXPECT_EQ(study->scenario(scenarios[0].id)->json, R"({"version":1,"name":"base"})");
    EXPECT_EQ(study->scenario(scenarios[1].id)->json, R"({"version":1,"name":"tp 4"})");

    // The backup is the old file, format and all; opening again has nothing to migrate.
    const std::string backup = path + ".backup-v" + std::to_string(version);
    {
        Database old(backup, Database::Mode::readOnly, {});
        EXPECT_EQ(old.integer("PRAGMA user_version"), version);
        EXPECT_EQ(schemaDifference(old, version), "");
        EXPECT_EQ(old.integer("SELECT count(*) FROM revision"), 7);
    }
    study = Study::memory();
    EXPECT_TRUE(Study::open(path, options())->notes().empty());
}

TEST_P(Migration, AReadOnlyFileIsShownAsItWouldBe)
{
    const Folder folder;
    const std::string path = folder / "old.prism";
    replay(GetParam(), path);
    const std::string before = readAll(path);
    {
        StudyOptions reading = options();
        reading.access = StudyAccess::readOnly;
        Result<Study> study = Study::open(path, reading);
        ASSERT_TRUE(study.ok()) << text(study.errors());
        EXPECT_TRUE(study->readOnly());
        EXPECT_EQ(study->scenarios().size(), 3U);
        EXPECT_EQ(study->revisions(study->scenarios().front().id)->size(), 3U);
        EXPECT_FALSE(hasErrors(study->saveCopy(folder / "new.prism")));
    }
    EXPECT_EQ(readAll(path), before);
    EXPECT_TRUE(Study::open(folder / "new.prism", options())->notes().empty());
}

TEST_P(Migration, WithoutRoomForTheBackupNothingIsChanged)
{
    const Folder folder;
    const std::string path = folder / "old.prism";
    replay(GetParam(), path);
    const std::string before = readAll(path);
    const SmallFiles small(before.size() / 2);
    EXPECT_FALSE(Study::open(path, options()).ok());
    EXPECT_EQ(readAll(path), before);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1) << "nothing is left behind";
}

INSTANTIATE_TEST_SUITE_P(Versions, Migration, testing::Range(1, kStudySchemaVersion));

TEST(Migrations, ANewerFormatOpensForReadingAndReportsIt)
{
    const Folder folder;
    const std::string path = folder / "new.prism";
    ASSERT_TRUE(Study::create(path, options())->addScenario("a", "{}").ok());
    {
        Database db(path, Database::Mode::readWrite, {});
        db.script("ALTER TABLE scenario ADD COLUMN mood TEXT NOT NULL DEFAULT ''; CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT; "
                  "PRAGMA user_version = 4");
    }
    const std::string before = readAll(path);
    {
        Result<Study> study = Study::open(path, options());
        ASSERT_TRUE(study.ok()) << text(study.errors());
        EXPECT_TRUE(study->readOnly());
        EXPECT_NE(study->readOnlyReason().find("newer version"), std::string::npos);
        EXPECT_EQ(study->notes().front().path, study_problem::kNewer);
        EXPECT_EQ(study->scenarios().size(), 1U);
        EXPECT_FALSE(study->setNote(study->scenarios().front().id, "x").empty());
    }
    EXPECT_EQ(readAll(path), before);
}

TEST(Migrations, AFormatSoNewThatItsTablesAreUnknownIsAClearError)
{
    const Folder folder;
    {
        Database db(folder / "a.prism", Database::Mode::create, {});
        db.script("CREATE TABLE everything (id INTEGER PRIMARY KEY); PRAGMA user_version = 99; PRAGMA application_id = "
                  + std::to_string(kStudyApplicationId));
    }
    const Result<Study> study = Study::open(folder / "a.prism", options());
    ASSERT_FALSE(study.ok());
    EXPECT_EQ(study.errors().front().path, study_problem::kNewer);
}

} // namespace
} // namespace prism
