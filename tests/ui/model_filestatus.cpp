// SPDX-License-Identifier: GPL-3.0-or-later
// The states of a window's file: every transition, then random walks over real files against a model of what must be on disk.
#include "tests/ui/studies.h"
#include "ui/model/studyfile.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <array>
#include <map>
#include <random>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

namespace {

using enum FileStatus;
using enum FileEvent;

StudyState oneScenario(int batch)
{
    StudyState state;
    Scenario s = smallScenario("base");
    s.training.globalBatchSize = batch;
    state.entries.push_back({1, std::make_shared<const Scenario>(s), 0, true, false});
    state.baselineId = 1;
    return state;
}

int batchOf(const QString& path)
{
    const Result<ReadStudy> read = readStudy(path, StudyAccess::readOnly);
    return read ? static_cast<int>(read->content.state.entries.front().scenario->training.globalBatchSize) : -1;
}

Result<OpenedStudy> openIn(StudyFile& file, const QString& path)
{
    Result<ReadStudy> read = readStudy(path);
    return read ? file.adopt(std::move(read).value()) : read.errors();
}

QByteArray bytesOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

TEST(FileStatus, EveryTransition)
{
    constexpr std::array kEvents{FileEvent::opened,  openedReadOnly, createFailed,   edited,
                                 FileEvent::written, writeFailed,    salvageStarted, salvageEnded};
    static_assert(kEvents.size() == kFileEvents);
    const std::map<FileStatus, std::array<FileStatus, kFileEvents>> rows{
        {empty, {saved, readOnly, noFile, noFile, empty, empty, salvaging, empty}},
        {salvaging, {saved, readOnly, noFile, noFile, salvaging, salvaging, salvaging, empty}},
        {noFile, {saved, readOnly, noFile, noFile, noFile, noFile, noFile, noFile}},
        {saved, {saved, readOnly, noFile, saving, saved, failed, saved, saved}},
        {saving, {saved, readOnly, noFile, saving, saved, failed, saving, saving}},
        {failed, {saved, readOnly, noFile, failed, saved, failed, failed, failed}},
        {readOnly, {saved, readOnly, noFile, readOnly, readOnly, readOnly, readOnly, readOnly}}};
    ASSERT_EQ(rows.size(), static_cast<std::size_t>(kFileStatuses));
    for (const auto& [from, next] : rows)
        for (std::size_t e = 0; e < kEvents.size(); ++e)
            EXPECT_EQ(nextStatus(from, kEvents.at(e)), next.at(e)) << static_cast<int>(from) << ' ' << e;
}

TEST(FileStatus, ASalvageNeverChangesTheFileThatIsOwned)
{
    for (int s = 0; s < kFileStatuses; ++s)
        for (const FileEvent event : {salvageStarted, salvageEnded}) {
            const auto status = static_cast<FileStatus>(s);
            EXPECT_EQ(ownsFile(nextStatus(status, event)), ownsFile(status)) << s;
            EXPECT_EQ(isUnsaved(nextStatus(status, event)), isUnsaved(status)) << s;
        }
}

TEST(FileStatus, NoEventClaimsAnEditThatIsNotOnDisk)
{
    for (int s = 0; s < kFileStatuses; ++s) {
        const auto status = static_cast<FileStatus>(s);
        EXPECT_NE(nextStatus(status, FileEvent::edited), saved) << s;
        if (isUnsaved(status)) {
            EXPECT_TRUE(isUnsaved(nextStatus(status, FileEvent::edited))) << s << ": an edit is not on disk before it is written";
            EXPECT_TRUE(isUnsaved(nextStatus(status, FileEvent::writeFailed))) << s;
        }
        EXPECT_FALSE(ownsFile(status) && isUnsaved(status) && status != failed) << s;
    }
}

class StudyFileTest : public ::testing::Test {
protected:
    [[nodiscard]] QString at(const char* name) const { return folder.filePath(QString::fromLatin1(name)); }
    [[nodiscard]] bool put(StudyFile& file, int batch)
    {
        file.save(oneScenario(batch), 1, {});
        return file.flush();
    }
    /// A study of nothing that can be shown: no scenario, or one of a newer version.
    static void makeBlank(const QString& path, const char* json)
    {
        Result<Study> study = Study::create(path.toStdString());
        ASSERT_TRUE(study.ok());
        if (*json) {
            ASSERT_TRUE(study->addScenario("x", json).ok());
        }
    }
    QTemporaryDir folder;
};

TEST_F(StudyFileTest, AStudyWithNothingToShowIsNotAdopted)
{
    for (const char* json : {"", R"({"version": 999})"}) {
        StudyFile file;
        const QString mine = at(*json ? "mine2.prism" : "mine.prism"), other = at(*json ? "newer.prism" : "blank.prism");
        ASSERT_TRUE(file.create(mine).empty());
        ASSERT_TRUE(put(file, 64));
        makeBlank(other, json);
        const QByteArray before = bytesOf(other);
        EXPECT_FALSE(openIn(file, other).ok());
        EXPECT_EQ(file.path(), mine);
        EXPECT_EQ(file.status(), saved);
        EXPECT_TRUE(put(file, 96));
        EXPECT_EQ(batchOf(mine), 96);
        EXPECT_EQ(bytesOf(other), before);
        EXPECT_FALSE(Study::open(other.toStdString())->readOnly()) << "its lock is free";
    }
}

TEST_F(StudyFileTest, NamesThatAreExchangedWithinOneWriteAreStored)
{
    StudyFile file;
    const QString mine = at("names.prism");
    ASSERT_TRUE(file.create(mine).empty());
    const auto store = [&](const std::vector<std::pair<int, const char*>>& entries) { // ids and names
        StudyState state;
        for (const auto& [id, name] : entries) {
            Scenario scenario;
            scenario.name = name;
            state.entries.push_back({id, std::make_shared<const Scenario>(scenario), 0, true, false});
        }
        file.save(state, entries.front().first, {});
        if (!file.flush())
            return u"not saved: "_s + file.problem();
        QStringList names;
        for (const StudyScenario& s : Study::open(mine.toStdString(), {.access = StudyAccess::readOnly})->scenarios())
            names << QString::fromStdString(s.name);
        return names.join(u' ');
    };
    EXPECT_EQ(store({{1, "a"}, {2, "b"}, {3, "c"}}), u"a b c"_s);
    EXPECT_EQ(store({{1, "b"}, {2, "a"}, {3, "c"}}), u"b a c"_s) << "two exchange their names";
    EXPECT_EQ(store({{1, "a"}, {2, "c"}, {3, "b"}}), u"a c b"_s) << "three do";
    EXPECT_EQ(store({{1, "c"}, {2, "b"}, {3, "d"}}), u"c b d"_s) << "a circle of two gives a third its name, which takes a new one";
    EXPECT_EQ(store({{1, "e"}, {4, "c"}, {2, "b"}}), u"e c b"_s) << "a new one takes the name that another gives up";
    EXPECT_EQ(store({{5, "e"}, {4, "c"}, {2, "b"}}), u"e c b"_s) << "a new one takes the name of one that is removed";
}

TEST_F(StudyFileTest, TheOpenStudyThatCannotBeReadForAMomentStaysTheFile)
{
    StudyFile file;
    const QString mine = at("mine.prism"), elsewhere = at("away");
    ASSERT_TRUE(file.create(mine).empty());
    ASSERT_TRUE(put(file, 64));
    ASSERT_TRUE(QFile::rename(mine, elsewhere));
    EXPECT_FALSE(openIn(file, mine).ok());
    EXPECT_EQ(file.path(), mine);
    EXPECT_FALSE(put(file, 96)) << "an edit that is not on disk is reported";
    EXPECT_EQ(file.status(), failed);
    EXPECT_FALSE(file.problem().isEmpty());
    ASSERT_TRUE(QFile::rename(elsewhere, mine));
    EXPECT_TRUE(put(file, 128));
    EXPECT_EQ(batchOf(mine), 128);
    const Result<OpenedStudy> again = openIn(file, mine);
    ASSERT_TRUE(again.ok());
    EXPECT_TRUE(again->readOnlyReason.isEmpty()) << "the window keeps its lock";
    EXPECT_TRUE(put(file, 160));
    EXPECT_EQ(batchOf(mine), 160);
}

TEST_F(StudyFileTest, SaveAsReplacesNoStudyThatIsOpenElsewhere)
{
    const QString target = at("target.prism");
    StudyFile holder;
    ASSERT_TRUE(holder.create(target).empty());
    ASSERT_TRUE(put(holder, 32));
    StudyFile file; // without a file
    EXPECT_TRUE(hasErrors(file.saveAs(target, oneScenario(64), 1, {})));
    EXPECT_EQ(file.status(), noFile);
    EXPECT_TRUE(put(holder, 96));
    EXPECT_EQ(batchOf(target), 96);
    ASSERT_TRUE(holder.create(at("next.prism")).empty()); // lets go of the target
    EXPECT_FALSE(hasErrors(file.saveAs(target, oneScenario(128), 1, {})));
    EXPECT_EQ(file.status(), saving);
    EXPECT_TRUE(file.flush());
    EXPECT_EQ(batchOf(target), 128);
}

TEST_F(StudyFileTest, CreateReplacesNothing)
{
    StudyFile file;
    const QString mine = at("mine.prism");
    ASSERT_TRUE(file.create(mine).empty());
    ASSERT_TRUE(put(file, 64));
    StudyFile second;
    EXPECT_TRUE(hasErrors(second.create(mine)));
    EXPECT_EQ(second.status(), empty);
    EXPECT_EQ(batchOf(mine), 64);
}

TEST_F(StudyFileTest, AFileThatWasRemovedIsWrittenAgainUnderItsOwnName)
{
    StudyFile file;
    const QString mine = at("mine.prism");
    ASSERT_TRUE(file.create(mine).empty());
    ASSERT_TRUE(put(file, 64));
    ASSERT_TRUE(QFile::remove(mine));
    EXPECT_FALSE(put(file, 96));
    EXPECT_FALSE(hasErrors(file.saveAs(mine, oneScenario(96), 1, {})));
    EXPECT_TRUE(file.flush());
    EXPECT_EQ(batchOf(mine), 96);
    EXPECT_TRUE(put(file, 128));
    EXPECT_EQ(batchOf(mine), 128);
}

} // namespace prism::ui::test
