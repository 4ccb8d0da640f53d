// SPDX-License-Identifier: GPL-3.0-or-later
// What a study file holds after each write, and which of its steps one undo takes back: counted, by a clock of the test.
#include "tests/ui/studies.h"

#include "ui/model/stepmarks.h"
#include "ui/model/searchfile.h"
#include "ui/model/studyfile.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

namespace prism::ui::test {

using namespace Qt::StringLiterals;

namespace {

ScenarioEntry storedEntry(int id, const std::string& name, int parent = -1)
{
    ScenarioEntry e{id, std::make_shared<const Scenario>(smallScenario(name)), id, true, false};
    e.parentId = parent;
    return e;
}

/// A study in memory, written again and again.
struct MemoryStudy {
    StoredStudy file{Study::memory().value()};
    StudyState state;
    int write()
    {
        const int before = file.study.cursor().value();
        EXPECT_TRUE(file.write(state, -1, {}).empty());
        return file.study.cursor().value() - before;
    }
    [[nodiscard]] std::string parentOf(const std::string& name) const
    {
        for (const StudyScenario& s : file.study.scenarios())
            if (s.name == name)
                for (const StudyScenario& p : file.study.scenarios())
                    if (p.id == s.parent)
                        return p.name;
        return {};
    }
    [[nodiscard]] std::string names() const
    {
        std::string all;
        for (const StudyScenario& s : file.study.scenarios())
            all += s.name;
        return all;
    }
    [[nodiscard]] std::string baseline() const
    {
        const Result<StudyScenario> s = file.study.scenario(file.study.baseline());
        return s ? s->name : std::string();
    }
};

TEST(StoredWrites, ParentsAndBaselineFollowScenariosThatComeBack)
{
    MemoryStudy m;
    m.state.entries = {storedEntry(0, "a")};
    m.state.baselineId = 0;
    m.write();
    EXPECT_EQ(m.baseline(), "a");
    m.state.entries.push_back(storedEntry(5, "b", 0)); // made from one that is stored
    m.write();
    EXPECT_EQ(m.parentOf("b"), "a");
    m.state.entries.push_back(storedEntry(6, "c", 5));
    m.state.entries.push_back(storedEntry(7, "d", 6)); // made from one that is new, too
    m.write();
    EXPECT_EQ(m.parentOf("c"), "b");
    EXPECT_EQ(m.parentOf("d"), "c");
    EXPECT_EQ(m.parentOf("a"), "");
    EXPECT_EQ(m.write(), 0) << "nothing has changed";
    m.state.entries[3].parentId = 0;
    EXPECT_EQ(m.write(), 1);
    EXPECT_EQ(m.parentOf("d"), "a");
    m.state.baselineId = 6;
    EXPECT_EQ(m.write(), 1);
    EXPECT_EQ(m.baseline(), "c");
    m.state.entries[3].parentId = 6;
    m.write();
    const StudyState whole = m.state;
    m.state.entries.erase(m.state.entries.begin() + 2); // without "c", which is still the parent and the baseline
    m.write();
    EXPECT_EQ(m.names(), "abd");
    m.state = whole; // undone: it comes back under another id of the file
    m.write();
    EXPECT_EQ(m.names(), "abcd");
    EXPECT_EQ(m.parentOf("d"), "c");
    EXPECT_EQ(m.baseline(), "c");
    m.state.entries[1].colour = 9;
    EXPECT_EQ(m.write(), 1);
}

TEST(StoredWrites, AScenarioThatMovesIsOneStep)
{
    MemoryStudy m;
    for (int i = 0; i < 6; ++i)
        m.state.entries.push_back(storedEntry(i + 1, std::string(1, static_cast<char>('a' + i))));
    m.write();
    const auto moved = [&m](std::size_t from, std::size_t to) {
        const ScenarioEntry e = m.state.entries[from];
        m.state.entries.erase(m.state.entries.begin() + static_cast<std::ptrdiff_t>(from));
        m.state.entries.insert(m.state.entries.begin() + static_cast<std::ptrdiff_t>(to), e);
        return m.write();
    };
    EXPECT_EQ(moved(0, 4), 1);
    EXPECT_EQ(m.names(), "bcdeaf");
    EXPECT_EQ(moved(5, 1), 1);
    EXPECT_EQ(m.names(), "bfcdea");
    EXPECT_EQ(moved(2, 3), 1);
    EXPECT_EQ(m.names(), "bfdcea");
    EXPECT_EQ(moved(1, 5), 1);
    EXPECT_EQ(m.names(), "bdceaf");
    EXPECT_EQ(moved(4, 3), 1);
    EXPECT_EQ(m.names(), "bdcaef");
    std::rotate(m.state.entries.begin(), m.state.entries.begin() + 1, m.state.entries.end()); // every place has another scenario
    EXPECT_EQ(m.write(), 1);
    EXPECT_EQ(m.names(), "dcaefb");
    std::reverse(m.state.entries.begin(), m.state.entries.end());
    m.write();
    EXPECT_EQ(m.names(), "bfeacd");
}

TEST(StoredWrites, LimitsAndNotesAreReadUpToTheirEdges)
{
    for (const auto& [json, lower] : {std::pair{R"({"limit_s": 6, "lower_limit_s": 0.5})", 0.5},
                                      {R"({"limit_s": 6, "lower_limit_s": -0.5})", 0.0},
                                      {R"({"limit_s": 6, "lower_limit_s": 5.5})", 5.5},
                                      {R"({"limit_s": 6, "lower_limit_s": 6.5})", 0.0}}) {
        MemoryStudy m;
        m.state.entries = {storedEntry(1, "a")};
        m.write();
        ASSERT_TRUE(m.file.study.setViewState("explorer", json).empty());
        const OpenedStudy opened = m.file.read();
        EXPECT_EQ(opened.state.limitSeconds, 6);
        EXPECT_EQ(opened.state.lowerLimitSeconds, lower) << json;
    }
    for (const int unread : {2, 3, 4}) {
        MemoryStudy m;
        m.state.entries = {storedEntry(1, "a")};
        m.write();
        for (int i = 0; i < unread; ++i)
            ASSERT_TRUE(m.file.study.addScenario("new" + std::to_string(i), R"({"version": 999})").ok());
        const QStringList notes = m.file.read().notes;
        ASSERT_EQ(notes.size(), unread);
        for (int i = 0; i < std::min(unread, 3); ++i)
            EXPECT_TRUE(notes[i].startsWith(u"Scenario new%1 "_s.arg(i))) << notes[i].toStdString();
        EXPECT_EQ(notes.last() == u"1 more scenarios could not be read and stay in the file."_s, unread == 4);
    }
}

TEST(StoredWrites, MarksOfAFileNeedATimeAndWords)
{
    const auto mark = [](double seconds, const QString& words) { return QJsonObject{{u"seconds"_s, seconds}, {u"text"_s, words}}; };
    const QJsonArray array{mark(2.5, u"late"_s),
                           mark(0, u"zero"_s),
                           mark(-1, u"before"_s),
                           mark(3, u"  "_s),
                           mark(std::numeric_limits<double>::infinity(), u"never"_s),
                           mark(0.5, u"early"_s)};
    const std::vector<TimeMark> marks = marksFrom(array);
    ASSERT_EQ(marks.size(), 2U);
    EXPECT_EQ(marks[0], (TimeMark{0.5, "early"}));
    EXPECT_EQ(marks[1], (TimeMark{2.5, "late"}));
}

/// A file whose steps have these times.
QString fileOfSteps(const QTemporaryDir& folder, const std::function<void(Study&, ScenarioId, std::int64_t&)>& edit)
{
    QString path = folder.filePath(u"steps.prism"_s);
    std::int64_t now = 1'000;
    StudyOptions options;
    options.nowMs = [&now] { return now; };
    Result<Study> study = Study::create(path.toStdString(), options);
    EXPECT_TRUE(study.ok());
    const Result<ScenarioId> id = study->addScenario("a", toJson(smallScenario("a")));
    EXPECT_TRUE(id.ok());
    edit(*study, *id, now);
    return path;
}

QString summaryOf(const std::optional<OpenedStudy>& content)
{
    QStringList rows;
    for (const ScenarioEntry& e : content ? content->state.entries : std::vector<ScenarioEntry>())
        rows << QString::fromStdString(e.scenario->name + "/" + e.scenario->note) + (e.visible ? u"/shown"_s : u"/hidden"_s);
    return content ? rows.join(u' ') : u"nothing"_s;
}

/// Steps of the file: 1 s added, 5 s note, 5.099 s hidden, 5.199 s another note, 9 s renamed; less than 100 ms are one write.
QString fiveSteps(const QTemporaryDir& folder)
{
    return fileOfSteps(folder, [](Study& study, ScenarioId id, std::int64_t& now) {
        now = 5'000;
        EXPECT_TRUE(study.setNote(id, "n1").empty());
        now = 5'099;
        EXPECT_TRUE(study.setVisible(id, false).empty());
        now = 5'199;
        EXPECT_TRUE(study.setNote(id, "n2").empty());
        now = 9'000;
        EXPECT_TRUE(study.rename(id, "b").empty());
        EXPECT_EQ(study.cursor().value(), 5);
    });
}

TEST(StoredSteps, OneUndoTakesBackOneWrite)
{
    const QTemporaryDir folder;
    Result<ReadStudy> read = readStudy(fiveSteps(folder));
    ASSERT_TRUE(read.ok());
    StudyFile file;
    EXPECT_FALSE(file.canStepBack());
    ASSERT_TRUE(file.adopt(std::move(*read)).ok());
    EXPECT_TRUE(file.canStepBack());
    EXPECT_FALSE(file.canStepForward());
    EXPECT_EQ(summaryOf(file.stepStored(false)), u"nothing"_s);
    EXPECT_EQ(summaryOf(file.stepStored(true)), u"a/n2/hidden"_s);
    EXPECT_TRUE(file.canStepForward());
    EXPECT_EQ(summaryOf(file.stepStored(true)), u"a/n1/hidden"_s) << "100 ms later is another write";
    EXPECT_EQ(summaryOf(file.stepStored(true)), u"a//shown"_s) << "99 ms later is the same";
    EXPECT_TRUE(file.canStepBack());
    EXPECT_EQ(summaryOf(file.stepStored(true)), u"a//shown"_s) << "the first scenario stays";
    EXPECT_FALSE(file.canStepBack());
    EXPECT_EQ(summaryOf(file.stepStored(true)), u"nothing"_s);
    EXPECT_EQ(summaryOf(file.stepStored(false)), u"a/n1/hidden"_s);
    EXPECT_TRUE(file.canStepBack());
    EXPECT_EQ(summaryOf(file.stepStored(true)), u"a//shown"_s);
    EXPECT_EQ(summaryOf(file.stepStored(false)), u"a/n1/hidden"_s);
    EXPECT_EQ(summaryOf(file.stepStored(false)), u"a/n2/hidden"_s);
    EXPECT_TRUE(file.canStepForward());
    EXPECT_EQ(summaryOf(file.stepStored(false)), u"b/n2/hidden"_s);
    EXPECT_FALSE(file.canStepForward());
}

TEST(StoredSteps, WhatWasEditedSinceIsUndoneWithThem)
{
    const QTemporaryDir folder;
    Result<ReadStudy> read = readStudy(fiveSteps(folder));
    ASSERT_TRUE(read.ok());
    StudyFile file;
    Result<OpenedStudy> opened = file.adopt(std::move(*read));
    ASSERT_TRUE(opened.ok());
    StudyState state = opened->state;
    Scenario edited = *state.entries[0].scenario;
    edited.note = "edited";
    state.entries[0].scenario = std::make_shared<const Scenario>(edited);
    state.entries[0].colour = 5;
    file.save(state, 1, {});
    EXPECT_TRUE(file.flush());
    EXPECT_EQ(summaryOf(file.stepStored(true)), u"a/n2/hidden"_s) << "back to before the last write of the file as it was opened";
    const QString copy = folder.filePath(u"copy.prism"_s);
    EXPECT_TRUE(file.saveAs(copy, opened->state, 1, {}).empty());
    EXPECT_EQ(file.path(), copy);
    EXPECT_TRUE(file.canStepBack()) << "a copy has all steps";
    EXPECT_TRUE(file.create(folder.filePath(u"fresh.prism"_s)).empty());
    EXPECT_FALSE(file.canStepBack()) << "a new file has none";
}

TEST(StoredSteps, TheFirstWriteOfTwoScenariosStaysWhole)
{
    const QTemporaryDir folder;
    const QString path = fileOfSteps(folder, [](Study& study, ScenarioId id, std::int64_t& now) {
        now = 1'050;
        EXPECT_TRUE(study.addScenario("b", toJson(smallScenario("b"))).ok());
        now = 1'400;
        EXPECT_TRUE(study.setNote(id, "n").empty());
    });
    Result<ReadStudy> read = readStudy(path);
    ASSERT_TRUE(read.ok());
    StudyFile file;
    ASSERT_TRUE(file.adopt(std::move(*read)).ok());
    EXPECT_EQ(summaryOf(file.stepStored(true)), u"a//shown b//shown"_s);
    EXPECT_EQ(summaryOf(file.stepStored(true)), u"a//shown b//shown"_s);
    EXPECT_FALSE(file.canStepBack());
}

TEST(StoredSteps, ASearchOfMoreThan64MebibytesIsNotKept)
{
    const QTemporaryDir folder;
    const SearchFile files(folder.path());
    constexpr qint64 kLimit = 64LL * 1024 * 1024;
    files.write("head", "text");
    const QString path = QDir(folder.path()).entryInfoList(QDir::Files)[0].filePath();
    EXPECT_TRUE(QFile::resize(path, kLimit + 1));
    EXPECT_TRUE(files.read("head").empty());
    EXPECT_TRUE(QFile::resize(path, kLimit));
    EXPECT_EQ(files.read("head").size(), static_cast<std::size_t>(kLimit));
    files.write("large", std::string(static_cast<std::size_t>(kLimit) + 1, 'x'));
    EXPECT_EQ(QDir(folder.path()).entryList(QDir::Files).size(), 1);
}

} // namespace
} // namespace prism::ui::test
