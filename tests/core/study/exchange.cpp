// SPDX-License-Identifier: GPL-3.0-or-later
// A study as a folder of JSON and CSV and back: nothing is lost, and folders from strangers are refused with reasons.
#include "core/study/study.h"
#include "core/study/support.h"

#include <gtest/gtest.h>

#include <fstream>

namespace prism {
namespace {

using namespace study_test;
namespace fs = std::filesystem;

/// A study with everything that one can hold.
void fill(Study& study)
{
    const ScenarioId a =
        study.addScenario("base, \"quoted\"\nname", R"({"version":1,"measured":[)" + std::string(6000, ' ') + "]}").value();
    const ScenarioId b = study.addScenario("ünï", "{}", a).value();
    const ScenarioId c = study.addScenario("gone", "{}").value();
    ASSERT_TRUE(study.updateScenario(b, {.json = "{\"x\":1}", .label = "a, \"label\"", .mergeKey = "key"}).ok());
    ASSERT_TRUE(study.updateScenario(b, {.json = "{\"x\":2}"}).ok());
    ASSERT_TRUE(study.setBaseline(a).empty());
    ASSERT_TRUE(study.setNote(b, "a\r\nb").empty());
    ASSERT_TRUE(study.reorder(b, 0).empty());
    ASSERT_TRUE(study.remove(c).empty());
    ASSERT_TRUE(study.rename(b, "renamed").empty());
    ASSERT_TRUE(study.undo().empty());
    ASSERT_TRUE(study.setName("The name").empty());
    ASSERT_TRUE(study.setViewState("layout", "{\"a\":\"\\u0000\"}").empty());
    ASSERT_TRUE(study.addAttachment({.scenario = a, .kind = "pool", .name = "times", .source = "../times of it.csv"}, "1,2\n3,4\n").ok());
    ASSERT_TRUE(study.addAttachment({.kind = "pool", .name = "same content"}, "1,2\n3,4\n").ok());
    ASSERT_TRUE(study.putResult({~std::uint64_t{0}}, "summary", {"0.1.0", ~std::uint64_t{0}, 10'000}, std::string("\0\1\2", 3)).empty());
    ASSERT_TRUE(study.putResult({1}, "curve", {"0.1.0", 1, 10}, "").empty());
}

TEST(StudyFolder, ComesBackWithoutLoss)
{
    const Folder folder;
    Result<Study> study = Study::create(folder / "a.prism", options());
    fill(*study);
    const Diagnostics exported = study->exportFolder(folder / "out");
    ASSERT_TRUE(exported.empty()) << text(exported);
    Result<Study> back = Study::importFolder(folder / "out", folder / "b.prism", options());
    ASSERT_TRUE(back.ok()) << text(back.errors());
    EXPECT_EQ(back->dump().value(), study->dump().value());
    EXPECT_TRUE(back->check().empty()) << text(back->check());
    ASSERT_TRUE(back->redo().empty());
    EXPECT_TRUE(back->scenario("renamed").ok());
    EXPECT_EQ(study->exportFolder(folder / "out").front().path, study_problem::kExists);
    EXPECT_EQ(Study::importFolder(folder / "out", folder / "b.prism", options()).errors().front().path, study_problem::kExists);
}

TEST(StudyFolder, AnExportThatFailsLeavesNothing)
{
    const Folder folder;
    Result<Study> study = Study::create(folder / "a.prism", options());
    fill(*study);
    fs::create_directory(folder / "mine");
    {
        const SmallFiles small(10);
        EXPECT_FALSE(study->exportFolder(folder / "out").empty());
        EXPECT_FALSE(study->exportFolder(folder / "mine").empty());
    }
    EXPECT_FALSE(fs::exists(folder / "out"));
    EXPECT_TRUE(fs::is_empty(folder / "mine"));
    EXPECT_TRUE(study->exportFolder(folder / "out").empty());
}

TEST(StudyFolder, DumpIsTextThatPeopleRead)
{
    Result<Study> study = Study::memory(options());
    const ScenarioId a = study->addScenario("base", R"({"version":1})").value();
    ASSERT_TRUE(study->updateScenario(a, {.json = R"({"version":2})", .label = "TP 8 to 4", .mergeKey = "tp"}).ok());
    ASSERT_TRUE(study->setColour(a, "#0072b2").empty());
    ASSERT_TRUE(study->undo().empty());
    EXPECT_EQ(study->dump().value().substr(study->dump()->find("baseline")),
              R"(baseline=none cursor=2
scenario id=1 name="base" position=0 colour="" line_style="" note="" visible=1 archived=0 removed=0 parent=none current=2
revision id=1 scenario=1 time_ms=1767225602000 label="Added" {"version":1}
revision id=2 scenario=1 time_ms=1767225605000 label="TP 8 to 4" {"version":2}
step id=1 time_ms=1767225603000 label="Add base" merge_key=""
step id=2 time_ms=1767225606000 label="TP 8 to 4" merge_key="tp"
step id=3 time_ms=1767225607000 label="Colour" merge_key=""
change step=1 scenario=1 field="removed" before=1 after=0
change step=2 scenario=1 field="current" before=1 after=2
change step=3 scenario=1 field="colour" before="" after="#0072b2"
)");
}

TEST(StudyFolder, EveryKindOfBrokenFolderIsRefusedWithItsPlace)
{
    const Folder folder;
    Result<Study> study = Study::create(folder / "a.prism", options());
    fill(*study);
    struct Break {
        std::string file, text, place;
    };
    const std::string header = "id,scenario,time_ms,label,file\n";
    for (const Break& b : std::vector<Break>{
             {"study.json", "{", "study.json"},
             {"study.json", std::string(100'000, '['), "study.json"},
             {"study.json", R"({"format":"something"})", "study.json.format"},
             {"study.json", R"({"format":"prism-study-1"})", "study.json.steps"},
             {"study.json", R"({"format":"prism-study-1","steps":[{"id":1,"time_ms":1,"label":"x"}]})", "study.json.steps[0].merge_key"},
             {"revisions.csv", "id\n", "revisions.csv:1"},
             {"revisions.csv", header + "1,1\n", "revisions.csv:2"},
             {"revisions.csv", header + "one,1,0,x,revisions/1.json\n", "revisions.csv:2.id"},
             {"revisions.csv", header + "1,1,0,x,../../etc/passwd\n", "../../etc/passwd"},
             {"revisions.csv", header + "1,1,0,x,/etc/passwd\n", "/etc/passwd"},
             {"revisions.csv", header + "1,77,0,x,revisions/1.json\n", "study:invalid"},
             {"revisions.csv", header, "study:invalid"},
             {"revisions/1.json", "", "revisions/1.json"},
             {"results.csv", "hash,kind,engine_version,seed,samples,time_ms,used,file\nxyz,a,b,1,1,1,1,study.json\n", "results.csv:2.hash"},
         }) {
        SCOPED_TRACE(b.file + ": " + b.text.substr(0, 60));
        const Folder broken;
        ASSERT_TRUE(study->exportFolder(broken / "out").empty());
        std::ofstream(broken / ("out/" + b.file), std::ios::binary) << b.text;
        const Result<Study> back = Study::importFolder(broken / "out", broken / "b.prism", options());
        ASSERT_FALSE(back.ok());
        EXPECT_EQ(back.errors().front().path, b.place) << text(back.errors());
        EXPECT_EQ(std::distance(fs::directory_iterator(broken.path()), fs::directory_iterator()), 1) << "nothing is left behind";
    }
    fs::remove_all(folder / "out");
    ASSERT_TRUE(study->exportFolder(folder / "out").empty());
    fs::remove(folder / "out/revisions/1.json");
    EXPECT_EQ(Study::importFolder(folder / "out", folder / "b.prism", options()).errors().front().path, "revisions/1.json");
    EXPECT_FALSE(Study::importFolder(folder / "nothing", folder / "b.prism", options()).ok());
}

} // namespace
} // namespace prism
