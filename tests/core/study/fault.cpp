// SPDX-License-Identifier: GPL-3.0-or-later
// Every write, sync, open, read, truncate and delete of a working study fails in turn: the file stays sound, holds what was
// acknowledged, the error says what happened, and the work can be saved elsewhere.
#include "core/study/faultvfs.h"
#include "core/study/study.h"
#include "core/study/support.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <iostream>

namespace prism {
namespace {

using namespace study_test;

struct Case {
    const char* name;
    Operation operation;
    int code;
    bool forever;
};

std::string editText(int i)
{
    return "{\"edit\":" + std::to_string(i) + ",\"fill\":\"" + std::string(3000, 'x') + "\"}";
}

class EachFault : public testing::TestWithParam<Case> {};

TEST_P(EachFault, LeavesASoundFileWithEveryAcknowledgedEdit)
{
    constexpr int kEdits = 3;
    const Case& c = GetParam();
    int faults = 0;
    for (int at = 1;; ++at) {
        SCOPED_TRACE(at);
        ASSERT_LT(at, 2000) << "the workload never gets past its faults";
        const Folder folder;
        const std::string path = folder / "a.prism";
        {
            Result<Study> study = Study::create(path, options());
            ASSERT_TRUE(study.ok());
            ASSERT_TRUE(study->addScenario("base", editText(0)).ok());
        }
        StudyOptions faulty = options();
        faulty.vfs = faultVfs();
        int acknowledged = 0;
        std::vector<Diagnostic> problems;
        arm({.operation = c.operation, .at = at, .forever = c.forever, .code = c.code, .path = "a.prism"});
        {
            Result<Study> study = Study::open(path, faulty);
            if (study.ok() && !study->readOnly()) {
                const ScenarioId id = study->scenarios().front().id;
                for (int i = 1; i <= kEdits; ++i) {
                    const auto edit = study->updateScenario(id, {.json = editText(i)});
                    if (edit.ok())
                        acknowledged = i;
                    else
                        problems.push_back(edit.errors().front());
                }
                // What did not reach the file goes into a copy elsewhere.
                if (!study->unsaved().empty()) {
                    EXPECT_EQ(study->unsaved().front().second, editText(kEdits));
                    const Diagnostics copied = study->saveCopy(folder / "copy.prism");
                    EXPECT_FALSE(hasErrors(copied)) << text(copied);
                    disarm();
                    Result<Study> copy = Study::open(folder / "copy.prism", options());
                    ASSERT_TRUE(copy.ok()) << text(copy.errors());
                    EXPECT_EQ(copy->scenario(id)->json, editText(kEdits));
                }
            } else if (!study.ok()) {
                problems.push_back(study.errors().front());
            }
        }
        const bool hit = fired();
        disarm();
        for (const Diagnostic& problem : problems) {
            EXPECT_TRUE(problem.path.starts_with("study:")) << problem.path;
            EXPECT_FALSE(problem.message.empty());
            if (c.code == SQLITE_FULL) {
                EXPECT_EQ(problem.path, study_problem::kDiskFull);
            }
        }
        Result<Study> again = Study::open(path, options());
        ASSERT_TRUE(again.ok()) << text(again.errors());
        EXPECT_TRUE(again->check().empty()) << text(again->check());
        const std::string json = again->scenarios().front().json;
        int found = -1;
        for (int i = 0; i <= kEdits; ++i)
            if (json == editText(i))
                found = i;
        EXPECT_GE(found, acknowledged);
        if (!hit)
            break;
        ++faults;
    }
    EXPECT_GT(faults, 2);
    RecordProperty("faults", faults);
    std::cout << faults << " faults\n";
}

INSTANTIATE_TEST_SUITE_P(Disk, EachFault,
                         testing::Values(Case{"writeError", Operation::write, SQLITE_IOERR_WRITE, false},
                                         Case{"writeErrorForever", Operation::write, SQLITE_IOERR_WRITE, true},
                                         Case{"diskFull", Operation::write, SQLITE_FULL, false},
                                         Case{"diskFullForever", Operation::write, SQLITE_FULL, true},
                                         Case{"syncError", Operation::sync, SQLITE_IOERR_FSYNC, false},
                                         Case{"syncErrorForever", Operation::sync, SQLITE_IOERR_FSYNC, true},
                                         Case{"openError", Operation::open, SQLITE_CANTOPEN, false},
                                         Case{"openErrorForever", Operation::open, SQLITE_CANTOPEN, true},
                                         Case{"readError", Operation::read, SQLITE_IOERR_READ, false},
                                         Case{"readErrorForever", Operation::read, SQLITE_IOERR_READ, true},
                                         Case{"shortRead", Operation::shortRead, SQLITE_IOERR_SHORT_READ, false},
                                         Case{"deleteError", Operation::remove, SQLITE_IOERR_DELETE, false}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(StudyFaults, ADamagedOriginalGivesACopyOfWhatIsShown)
{
    const Folder folder;
    StudyOptions faulty = options();
    faulty.vfs = faultVfs();
    Result<Study> study = Study::create(folder / "a.prism", faulty);
    ASSERT_TRUE(study.ok());
    const ScenarioId parent = study->addScenario("base", "{\"a\":1}").value();
    const ScenarioId id = study->addScenario("child", "{\"a\":2}", parent).value();
    ASSERT_TRUE(study->setBaseline(parent).empty());
    for (const Diagnostics& problem :
         {study->setVisible(id, false), study->setArchived(id, true), study->setColour(id, "#112233"), study->setLineStyle(id, "dot"),
          study->setNote(id, "note"), study->reorder(id, 0), study->setName("mine")})
        ASSERT_TRUE(problem.empty()) << text(problem);
    arm({.operation = Operation::read, .at = 1, .forever = true, .code = SQLITE_IOERR_READ, .path = "a.prism"});
    ASSERT_FALSE(study->updateScenario(id, {.json = "{\"a\":3}"}).ok());
    const Diagnostics warnings = study->saveCopy(folder / "copy.prism");
    disarm();
    EXPECT_FALSE(hasErrors(warnings)) << text(warnings);
    Result<Study> copy = Study::open(folder / "copy.prism", options());
    ASSERT_TRUE(copy.ok()) << text(copy.errors());
    EXPECT_EQ(copy->scenario("child")->json, "{\"a\":3}");
    EXPECT_EQ(copy->scenario("child")->parent, copy->scenario("base")->id);
    EXPECT_EQ(copy->baseline(), copy->scenario("base")->id);
    const StudyScenario first = copy->scenarios().front(), second = copy->scenarios().back();
    EXPECT_EQ(std::tuple(first.name, first.visible, first.archived, first.colour, first.lineStyle, first.note),
              std::tuple("child", false, true, "#112233", "dot", "note"));
    EXPECT_EQ(std::tuple(second.name, second.visible, second.archived), std::tuple("base", true, false));
    EXPECT_EQ(copy->name(), "mine");
    EXPECT_TRUE(copy->check().empty()) << text(copy->check());
}

} // namespace
} // namespace prism
