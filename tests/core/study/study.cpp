// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/study.h"

#include "core/study/support.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

using study_test::Folder;
using study_test::options;

TEST(Study, KeepsScenariosRevisionsAndViewStateAcrossReopening)
{
    const Folder folder;
    std::string before;
    {
        Result<Study> study = Study::create(folder / "a.prism", options());
        ASSERT_TRUE(study.ok()) << study_test::text(study.errors());
        const auto base = study->addScenario("base", R"({"version":1,"name":"base"})");
        ASSERT_TRUE(base.ok());
        const auto copy = study->addScenario("base", R"({"version":1})", *base);
        ASSERT_TRUE(copy.ok());
        EXPECT_EQ(study->scenario(*copy)->name, "base 2");
        EXPECT_TRUE(study->updateScenario(*base, {.json = R"({"version":1,"name":"other"})", .label = "TP 8 to 4"}).ok());
        EXPECT_TRUE(study->setColour(*copy, "#0072b2").empty());
        EXPECT_TRUE(study->setLineStyle(*copy, "dash").empty());
        EXPECT_TRUE(study->setNote(*copy, "a note\nof two lines").empty());
        EXPECT_TRUE(study->setVisible(*base, false).empty());
        EXPECT_TRUE(study->setArchived(*copy, true).empty());
        EXPECT_TRUE(study->setBaseline(*base).empty());
        EXPECT_TRUE(study->reorder(*copy, 0).empty());
        EXPECT_TRUE(study->setViewState("layout", R"({"zoom":2})").empty());
        before = study->dump().value();
    }
    Result<Study> again = Study::open(folder / "a.prism", options());
    ASSERT_TRUE(again.ok()) << study_test::text(again.errors());
    EXPECT_FALSE(again->readOnly()) << again->readOnlyReason();
    EXPECT_EQ(again->dump().value(), before);
    const auto scenarios = again->scenarios();
    ASSERT_EQ(scenarios.size(), 2U);
    EXPECT_EQ(scenarios[0].name, "base 2");
    EXPECT_EQ(scenarios[0].note, "a note\nof two lines");
    EXPECT_TRUE(scenarios[0].archived);
    EXPECT_EQ(scenarios[0].parent, scenarios[1].id);
    EXPECT_EQ(scenarios[1].json, R"({"version":1,"name":"other"})");
    EXPECT_FALSE(scenarios[1].visible);
    EXPECT_EQ(again->baseline(), scenarios[1].id);
    EXPECT_EQ(again->revisions(scenarios[1].id)->size(), 2U);
    EXPECT_EQ(again->viewState("layout").value(), R"({"zoom":2})");
    EXPECT_TRUE(again->check().empty()) << study_test::text(again->check());
}

TEST(Study, UndoCursorSurvivesReopening)
{
    const Folder folder;
    ScenarioId id;
    {
        Result<Study> study = Study::create(folder / "a.prism", options());
        id = study->addScenario("base", "{}").value();
        for (const char* json : {"1", "2", "3"})
            ASSERT_TRUE(study->updateScenario(id, {.json = json, .label = std::string("to ") + json}).ok());
        ASSERT_TRUE(study->undo().empty());
        ASSERT_TRUE(study->undo().empty());
        EXPECT_EQ(study->scenario(id)->json, "1");
    }
    Result<Study> study = Study::open(folder / "a.prism", options());
    EXPECT_EQ(study->cursor().value(), 2);
    ASSERT_EQ(study->steps()->size(), 4U);
    EXPECT_EQ(study->steps()->at(3).label, "to 3");
    ASSERT_TRUE(study->redo().empty());
    EXPECT_EQ(study->scenario(id)->json, "2");
    // A new edit forgets what could be redone, but not its revision.
    ASSERT_TRUE(study->updateScenario(id, {.json = "4"}).ok());
    EXPECT_EQ(study->redo().front().path, study_problem::kInvalid);
    EXPECT_EQ(study->revisions(id)->size(), 5U);
    while (study->undo().empty()) {
    }
    EXPECT_TRUE(study->scenarios().empty()); // adding it was the first step
    while (study->redo().empty()) {
    }
    EXPECT_EQ(study->scenario(id)->json, "4");
}

} // namespace
} // namespace prism
