// SPDX-License-Identifier: GPL-3.0-or-later
// What a study stores besides scenarios, and how edits become revisions.
#include "core/study/study.h"

#include "core/study/impl.h"
#include "core/study/support.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

using namespace study_test;

TEST(StudyEdits, KeystrokesOfOneFieldAreOneRevision)
{
    Result<Study> study = Study::memory(options(100));
    const ScenarioId a = study->addScenario("a", "{}").value();
    const ScenarioId b = study->addScenario("b", "{}").value();
    for (const char* json : {"1", "12", "128"})
        ASSERT_TRUE(study->updateScenario(a, {.json = json, .label = std::string("to ") + json, .mergeKey = "tp"}).ok());
    EXPECT_EQ(study->revisions(a)->size(), 2U);
    EXPECT_EQ(study->revisions(a)->back().label, "to 128");
    EXPECT_EQ(study->cursor().value(), 3);
    // Another field, another scenario, an undo in between, no key, or time ends the group.
    ASSERT_TRUE(study->updateScenario(a, {.json = "2", .mergeKey = "pp"}).ok());
    ASSERT_TRUE(study->updateScenario(b, {.json = "2", .mergeKey = "pp"}).ok());
    ASSERT_TRUE(study->undo().empty());
    ASSERT_TRUE(study->updateScenario(b, {.json = "3", .mergeKey = "pp"}).ok());
    ASSERT_TRUE(study->updateScenario(b, {.json = "4"}).ok());
    ASSERT_TRUE(study->updateScenario(b, {.json = "5"}).ok());
    ASSERT_TRUE(study->updateScenario(b, {.json = "6", .mergeKey = "pp"}).ok());
    ASSERT_TRUE(study->updateScenario(b, {.json = "7", .mergeKey = "pp", .mergeSeconds = 0.05}).ok());
    EXPECT_EQ(study->revisions(a)->size(), 3U);
    EXPECT_EQ(study->revisions(b)->size(), 7U);
    ASSERT_TRUE(study->undo().empty());
    EXPECT_EQ(study->scenario(b)->json, "6");
    while (study->undo().empty()) {
    }
    while (study->redo().empty()) {
    }
    EXPECT_EQ(study->scenario(a)->json, "2");
    EXPECT_EQ(study->scenario(b)->json, "7");
}

TEST(StudyEdits, UndoTakesEveryKindOfChangeBack)
{
    Result<Study> study = Study::memory(options());
    const ScenarioId a = study->addScenario("a", "{}").value();
    const ScenarioId b = study->addScenario("b", "{}", a).value();
    ASSERT_TRUE(study->addScenario("c", "{}").ok());
    ASSERT_TRUE(study->updateScenario(a, {.json = "1"}).ok());
    const auto state = [&] {
        const std::string dump = study->dump().value();
        return dump.substr(dump.find("\nscenario"), dump.find("\nrevision") - dump.find("\nscenario"))
               + std::to_string(study->baseline().value);
    };
    const std::vector<std::function<Diagnostics()>> changes = {
        [&] { return study->rename(a, "other"); },     [&] { return study->reorder(b, 0); },
        [&] { return study->setVisible(b, false); },   [&] { return study->setColour(b, "#112233"); },
        [&] { return study->setLineStyle(b, "dot"); }, [&] { return study->setNote(b, "note"); },
        [&] { return study->setArchived(b, true); },   [&] { return study->setParent(b, {}); },
        [&] { return study->setBaseline(a); },         [&] { return study->remove(a); },
    };
    std::vector<std::string> states = {state()};
    for (const auto& change : changes) {
        const Diagnostics problem = change();
        ASSERT_TRUE(problem.empty()) << text(problem);
        states.push_back(state());
        EXPECT_NE(states.back(), states[states.size() - 2]);
    }
    for (std::size_t i = changes.size(); i-- > 0;) {
        ASSERT_TRUE(study->undo().empty());
        EXPECT_EQ(state(), states[i]) << i;
    }
    for (std::size_t i = 1; i <= changes.size(); ++i) {
        ASSERT_TRUE(study->redo().empty());
        EXPECT_EQ(state(), states[i]) << i;
    }
}

TEST(StudyEdits, RefusesWhatDoesNotFitAndChangesNothing)
{
    Result<Study> study = Study::memory(options());
    const ScenarioId a = study->addScenario("a", "{}").value();
    const ScenarioId b = study->addScenario("b", "{}", a).value();
    const std::string before = study->dump().value();
    const auto invalid = [](const Diagnostics& d) { return d.size() == 1 && d.front().path == study_problem::kInvalid; };
    EXPECT_TRUE(invalid(study->rename(a, "b")));
    EXPECT_TRUE(invalid(study->rename(a, "")));
    EXPECT_TRUE(invalid(study->setParent(a, b)));
    EXPECT_TRUE(invalid(study->setParent(a, a)));
    EXPECT_TRUE(invalid(study->setNote({99}, "x")));
    EXPECT_TRUE(invalid(study->setBaseline({99})));
    EXPECT_TRUE(invalid(study->redo()));
    EXPECT_TRUE(invalid(study->addScenario("c", "{}", {99}).errors()));
    EXPECT_TRUE(invalid(study->updateScenario({99}, {.json = "{}"}).errors()));
    EXPECT_FALSE(study->rename(a, std::string(2000, 'x')).empty());
    EXPECT_FALSE(study->setNote(a, std::string(2 << 20, 'x')).empty());
    EXPECT_FALSE(study->updateScenario(a, {.json = std::string(kMaxScenarioBytes + 1, ' ')}).ok());
    EXPECT_EQ(study->dump().value(), before);
    EXPECT_TRUE(study->unsaved().empty());
}

TEST(StudyParts, LongSectionsAreStoredOnceAndComeBackByteForByte)
{
    const std::string table = " {\"rows\":[\"" + std::string(200'000, 'a') + ",\\\"}]{\"]} ";
    const auto textOf = [&](int i) {
        return "{\"a\":" + std::to_string(i) + ",\n\"measured\":" + table + ",\"pools\":[" + std::string(9000, ' ') + "],\"z\":\"ü\"}";
    };
    const Folder folder;
    Result<Study> study = Study::create(folder / "a.prism", options());
    const ScenarioId id = study->addScenario("a", textOf(0)).value();
    for (int i = 1; i < 50; ++i)
        ASSERT_TRUE(study->updateScenario(id, {.json = textOf(i)}).ok());
    const auto revisions = study->revisions(id).value();
    ASSERT_EQ(revisions.size(), 50U);
    for (int i = 0; i < 50; ++i)
        EXPECT_EQ(study->revisionJson(revisions[static_cast<std::size_t>(i)].id).value(), textOf(i));
    EXPECT_LT(std::filesystem::file_size(folder / "a.prism"), 150'000U);
    EXPECT_TRUE(study->check().empty());
}

TEST(StudyParts, FindsLongValuesOfTopLevelKeysOnly)
{
    using Spans = std::vector<std::pair<std::size_t, std::size_t>>;
    EXPECT_EQ(longValues(R"({"a":[1,{"b":2}],"c":"x,}\"y","d":3})", 1), (Spans{{5, 16}, {21, 29}}));
    EXPECT_EQ(longValues(R"({"a":12})", 1), (Spans{{5, 7}}));
    EXPECT_EQ(longValues("[1,2,3]", 0), Spans{});
    for (const char* broken : {"", "{", "}", R"({"a)", R"({"a":")", R"({"a":[1,2})", "]]]]", "\"\\"})
        EXPECT_EQ(longValues(broken, 100), Spans{}) << broken;
}

/// A section of more than 4,096 bytes is stored separately; equal sections are stored once.
TEST(StudyParts, ASectionIsStoredSeparatelyFromItsLengthOn)
{
    for (const std::size_t length : {4096U, 4097U}) {
        const Folder folder;
        const std::string value = '"' + std::string(length - 2, 'a') + '"', json = "{\"x\":" + value + ",\"y\":" + value + "}";
        {
            Result<Study> study = Study::create(folder / "a.prism", options());
            const ScenarioId id = study->addScenario("a", json).value();
            EXPECT_EQ(study->revisionJson(study->scenario(id)->current).value(), json);
        }
        const Database file(folder / "a.prism", Database::Mode::readOnly, {});
        EXPECT_EQ(file.integer("SELECT count(*) FROM revision_part"), length == 4096 ? 0 : 2);
        EXPECT_EQ(file.integer("SELECT count(*) FROM part"), length == 4096 ? 0 : 1);
    }
}

TEST(StudyStore, AttachmentsComeBackWithoutTheFolderTheyLayIn)
{
    Result<Study> study = Study::memory(options());
    std::string bytes(100'000, '\0');
    bytes[7] = 'x';
    const auto id = study->addAttachment({.kind = "pool", .name = "GEMM times", .source = "/home/someone/secret/gemm.csv"}, bytes);
    ASSERT_TRUE(id.ok());
    ASSERT_TRUE(study->addAttachment({.kind = "pool", .name = "again", .source = "C:\\data\\gemm.csv"}, bytes).ok());
    const auto all = study->attachments().value();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].source, "gemm.csv");
    EXPECT_EQ(all[1].source, "gemm.csv");
    EXPECT_EQ(all[0].bytes, 100'000);
    EXPECT_EQ(study->attachmentBytes(*id).value(), bytes);
    EXPECT_EQ(study->dump()->find("someone"), std::string::npos);
    EXPECT_TRUE(study->addAttachment({.kind = "empty", .name = "empty"}, "").ok());
    EXPECT_TRUE(study->check().empty()) << text(study->check());
    ASSERT_TRUE(study->removeAttachment(*id).empty());
    EXPECT_FALSE(study->attachmentBytes(*id).ok());
    EXPECT_TRUE(study->compact().empty());
    EXPECT_EQ(study->attachmentBytes(all[1].id).value(), bytes);
}

std::string noise(std::size_t bytes, std::uint64_t seed)
{
    std::string text;
    for (std::uint64_t i = 0; text.size() < bytes; ++i)
        text += ContentHash{mix64(seed * 1'000'003 + i)}.text();
    text.resize(bytes);
    return text;
}

TEST(StudyStore, ResultsKeepTheirProvenanceAndTheLeastRecentlyUsedGoFirst)
{
    const Folder folder;
    StudyOptions small = options();
    small.resultCacheBytes = 40'000;
    {
        Result<Study> study = Study::create(folder / "a.prism", small);
        for (std::uint64_t i = 0; i < 10; ++i)
            ASSERT_TRUE(study->putResult({i}, "summary", {"1.0", ~std::uint64_t{0}, 10'000}, noise(9'000, i)).empty());
        EXPECT_LE(study->storedResultBytes().value(), 40'000);
        const auto kept = study->result({9}, "summary", "1.0", ~std::uint64_t{0}).value();
        ASSERT_TRUE(kept.has_value());
        EXPECT_EQ(kept->bytes, noise(9'000, 9));
        EXPECT_EQ(kept->provenance, (ResultProvenance{"1.0", ~std::uint64_t{0}, 10'000}));
        EXPECT_GE(kept->timeMs, 1767225600000 + 10'000) << "the clock steps a second with each look";
        EXPECT_LE(kept->timeMs, 1767225600000 + 30'000);
        EXPECT_FALSE(study->result({0}, "summary", "1.0", ~std::uint64_t{0})->has_value());
    }
    Result<Study> study = Study::open(folder / "a.prism", small);
    EXPECT_FALSE(study->result({9}, "summary", "2.0", ~std::uint64_t{0})->has_value());
    EXPECT_FALSE(study->result({9}, "curve", "1.0", ~std::uint64_t{0})->has_value());
    EXPECT_FALSE(study->result({9}, "summary", "1.0", 1)->has_value());
    // The oldest that is left is used again, so the next one goes instead.
    std::uint64_t oldest = 0;
    while (!study->result({oldest}, "summary", "1.0", ~std::uint64_t{0})->has_value())
        ++oldest;
    ASSERT_TRUE(study->putResult({20}, "summary", {"1.0", ~std::uint64_t{0}, 1}, noise(9'000, 20)).empty());
    EXPECT_TRUE(study->result({oldest}, "summary", "1.0", ~std::uint64_t{0})->has_value());
    EXPECT_FALSE(study->result({oldest + 1}, "summary", "1.0", ~std::uint64_t{0})->has_value());
    // One result cannot push all the others out.
    const auto before = study->storedResultBytes().value();
    ASSERT_TRUE(study->putResult({30}, "summary", {"1.0", 1, 1}, noise(30'000, 30)).empty());
    EXPECT_EQ(study->storedResultBytes().value(), before);
}

TEST(StudyCompact, ForgetsHistoryOnlyWhenRequested)
{
    const Folder folder;
    Result<Study> study = Study::create(folder / "a.prism", options());
    const ScenarioId a = study->addScenario("a", "{}").value();
    const ScenarioId b = study->addScenario("b", "{}").value();
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE(study->updateScenario(a, {.json = "{\"x\":\"" + noise(3000, static_cast<std::uint64_t>(i)) + "\"}"}).ok());
    ASSERT_TRUE(study->remove(b).empty());
    const std::string last = study->scenario(a)->json;
    const std::string before = study->dump().value();
    ASSERT_TRUE(study->compact().empty());
    EXPECT_EQ(study->dump().value(), before);
    const auto large = std::filesystem::file_size(folder / "a.prism");
    const Diagnostics dropped = study->compact(true);
    ASSERT_TRUE(dropped.empty()) << text(dropped);
    EXPECT_LT(std::filesystem::file_size(folder / "a.prism"), large / 2);
    EXPECT_EQ(study->scenario(a)->json, last);
    EXPECT_EQ(study->revisions(a)->size(), 1U);
    EXPECT_FALSE(study->undo().empty());
    EXPECT_TRUE(study->check().empty()) << text(study->check());
    EXPECT_TRUE(study->updateScenario(a, {.json = "{}"}).ok());
    EXPECT_TRUE(study->undo().empty());
}

} // namespace
} // namespace prism
