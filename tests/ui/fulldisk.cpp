// SPDX-License-Identifier: GPL-3.0-or-later
// A disk that is full while editing: what is on screen stays, the window reports it, and the study can be saved elsewhere.
#include "core/study/faultvfs.h"
#include "tests/ui/window_fixture.h"

#include <sqlite3.h>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class FullDisk : public WindowTest {
protected:
    FullDisk() { sqlite3_vfs_register(sqlite3_vfs_find(study_test::faultVfs()), 1); }
    ~FullDisk() override
    {
        study_test::disarm();
        sqlite3_vfs_register(sqlite3_vfs_find("unix"), 1);
    }
    /// Every write to the study fails from now on.
    static void fill()
    {
        study_test::arm({.operation = study_test::Operation::write, .at = 1, .forever = true, .code = SQLITE_FULL, .path = "study.prism"});
    }
    static QString banner(MainWindow& window) { return window.bannerText(); }
    static void write(MainWindow& window)
    {
        window.file().flush();
        QApplication::processEvents();
    }
    static void setBatch(MainWindow& window, const char* text)
    {
        window.workspace().study().endMerge();
        EXPECT_TRUE(window.workspace().study().setParameter(1, "training.global_batch_size", text).empty());
        settle(window);
        write(window);
    }
};

TEST_F(FullDisk, LosesNothingOnScreenAndSavesWhenThereIsRoomAgain)
{
    auto window = smallWindow();
    write(*window);
    ASSERT_TRUE(window->file().isSaved());
    fill();
    setBatch(*window, "64");
    setBatch(*window, "96");
    EXPECT_TRUE(study_test::fired());
    EXPECT_EQ(window->workspace().study().current()->scenario->training.globalBatchSize, 96);
    EXPECT_EQ(shown(*window, 1)->scenario.training.globalBatchSize, 96) << "the result is of what is on screen";
    EXPECT_FALSE(window->file().isSaved());
    EXPECT_TRUE(banner(*window).contains(u"not on disk"_s)) << banner(*window).toStdString();
    EXPECT_TRUE(banner(*window).contains(u"Save as"_s));

    EXPECT_FALSE(window->close()) << "closing would lose the changes";
    EXPECT_TRUE(window->isVisible());
    EXPECT_TRUE(banner(*window).contains(u"Close again"_s)) << banner(*window).toStdString();

    study_test::disarm();
    setBatch(*window, "128");
    EXPECT_TRUE(window->file().isSaved());
    EXPECT_EQ(banner(*window), QString());
    EXPECT_TRUE(window->close());
    auto again = makeWindow();
    ASSERT_TRUE(again->openStudy(folder.filePath(u"study.prism"_s)));
    EXPECT_EQ(again->workspace().study().entry(1)->scenario->training.globalBatchSize, 128);
}

TEST_F(FullDisk, SaveAsKeepsTheChangesElsewhere)
{
    auto window = smallWindow();
    write(*window);
    fill();
    setBatch(*window, "64");
    const QString elsewhere = folder.filePath(u"elsewhere.prism"_s);
    EXPECT_TRUE(window->saveStudyAs(elsewhere));
    write(*window);
    EXPECT_TRUE(window->file().isSaved());
    EXPECT_TRUE(window->close());
    auto again = makeWindow();
    ASSERT_TRUE(again->openStudy(elsewhere));
    EXPECT_EQ(again->workspace().study().entry(1)->scenario->training.globalBatchSize, 64);
}

TEST_F(FullDisk, SaveAsThatFailsLeavesTheTargetAndTheStudyOnScreen)
{
    const QString target = folder.filePath(u"study.prism"_s);
    {
        auto other = smallWindow();
        EXPECT_TRUE(other->close());
    }
    QFile before(target);
    ASSERT_TRUE(before.open(QIODevice::ReadOnly));
    const QByteArray bytes = before.readAll();
    auto window = makeWindow(); // without a file
    window->workspace().study().reset(smallStudy(), 1);
    settle(*window);
    EXPECT_TRUE(isUnsaved(window->file().status())) << "a study without a file is not saved";
    fill();
    EXPECT_FALSE(window->saveStudyAs(target));
    EXPECT_TRUE(study_test::fired());
    study_test::disarm();
    QFile after(target);
    ASSERT_TRUE(after.open(QIODevice::ReadOnly));
    EXPECT_EQ(after.readAll(), bytes);
    EXPECT_EQ(window->workspace().study().state().entries.size(), 2U);
    EXPECT_TRUE(window->saveStudyAs(target));
    write(*window);
    EXPECT_TRUE(window->file().isSaved());
}

TEST_F(FullDisk, AnotherStudyIsOpenedOnlyWhenTheUserInsists)
{
    const QString other = folder.filePath(u"other.prism"_s);
    {
        auto first = makeWindow();
        ASSERT_TRUE(first->file().create(other).empty());
        first->workspace().study().reset(smallStudy(), 1);
        EXPECT_TRUE(first->close());
    }
    auto window = smallWindow();
    write(*window);
    fill();
    setBatch(*window, "64");
    EXPECT_FALSE(window->openStudy(other)) << "the last change would be lost";
    EXPECT_TRUE(banner(*window).contains(u"not on disk"_s));
    EXPECT_EQ(window->workspace().study().entry(1)->scenario->training.globalBatchSize, 64);
    EXPECT_FALSE(window->openStudy(folder.filePath(u"missing.prism"_s)));
    EXPECT_FALSE(window->close()) << "the warning was replaced by another message";
    EXPECT_TRUE(window->openStudy(other));
    EXPECT_EQ(window->file().path(), other);
}

} // namespace prism::ui::test
